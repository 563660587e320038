"""Losses of contact of the paper's cam against a brute-force integration, and its steady state."""

import numba
import numpy as np
import pytest

from tangency import planar

TURN = 2 * np.pi


@numba.njit
def pitch(alpha):
    """Eq. (90) of Römer 2-D with R = 0.01 m."""
    u, v = alpha % TURN - TURN / 3, 2 * TURN / 3 - alpha % TURN
    if u < 0 or v < 0:
        return 0.02, 0.0, 0.0
    k = 0.01 / 3
    return (
        0.02 + k * u**3 * v**4,
        k * u * u * v**3 * (3 * v - 4 * u),
        k * u * v * v * (6 * v * v - 24 * u * v + 12 * u * u),
    )


@numba.njit
def acceleration(alpha, s, v, speed, damping):
    """Eqs. (101)-(106a) without friction."""
    g, g1, g2 = pitch(alpha)
    d, force = np.hypot(g, g1), 0.0
    depth, rate = (g - s) * g / d, (speed * g1 - v) * g / d
    if depth > 0:
        reduced = 0.01 * (1 - 0.01 * (g * g + 2 * g1 * g1 - g * g2) / d**3)
        force = 4 / 3 * 2.1e11 / (2 * (1 - 0.09)) * np.sqrt(reduced) * depth**1.5 * max(1 + damping * rate, 0.0)
    return (force * g / d - 200 * s) / 0.025


@numba.njit
def brute_force(speed, turns, step, floor):
    """(F, 3) angle at which contact is lost and regained and largest gap, by Runge-Kutta with a fixed small step."""
    s, v, touching, damping = 0.02 - 1e-6, 0.0, True, 0.6 / floor
    out, count, start, top = np.zeros((1000, 3)), 0, 0.0, 0.0
    for k in range(int(turns * TURN / speed / step)):
        a, h, half = speed * k * step, step, 0.5 * step
        a1 = acceleration(a, s, v, speed, damping)
        a2 = acceleration(a + speed * half, s + half * v, v + half * a1, speed, damping)
        a3 = acceleration(a + speed * half, s + half * v + half * half * a1, v + half * a2, speed, damping)
        a4 = acceleration(a + speed * h, s + h * v + half * h * a2, v + h * a3, speed, damping)
        s, v = s + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        a += speed * h
        g, g1, _ = pitch(a)
        if touching and s > g:
            touching, start, top = False, a, 0.0
        elif not touching and s <= g:
            touching = True
            damping = 0.6 / max((speed * g1 - v) * g / np.hypot(g, g1), floor)
            out[count] = start, a, top
            count += 1
        top = max(top, s - g)
    return out[:count]


@pytest.mark.parametrize(
    ("speed", "turns"),
    [
        (100.0, 2),
        *(pytest.param(*case, marks=pytest.mark.full) for case in ((78.0, 3), (100.0, 4), (120.0, 4), (150.0, 5))),
        (200.0, 6),
    ],
)
def test_every_loss_of_contact(speed, turns):
    cam = planar.CamTappet(friction=0.0, speed=speed)
    exact = brute_force(speed, turns, 5e-8, cam.impact_floor)
    run = planar.run_cam(cam, turns)
    flights = speed * run.flights[: len(exact)]
    assert len(run.openings) - len(exact) in (0, 1)  # the last one may not have ended
    assert flights / TURN == pytest.approx(exact[:, :2] / TURN, abs=5e-3)  # bounces amplify rounding errors
    # A lift-off crosses a nose that the spring cannot follow, which exists above 78.2 rad/s; the others are rebounds.
    nose = np.linspace(TURN / 3, 2 * TURN / 3, 100001)[1:-1]
    g, _, g2 = np.array([pitch(a) for a in nose]).T
    pulled = nose[0.025 * speed**2 * g2 + 200 * g < 0]
    over = {tuple(f[:2]) for k in range(turns) for f in exact if len(pulled) and f[0] < pulled[-1] + TURN * k < f[1]}
    assert abs(len(run.lift_offs) - len(over)) <= 1
    assert len(run.openings) - len(run.lift_offs) == sum(event.kind == "rebound" for event in run.events)


@pytest.mark.parametrize(("speed", "openings"), [(78.0, 0.0), (100.0, 11.0)])
def test_steady_state(speed, openings):
    found = planar.steady_state(planar.CamTappet(friction=0.0, speed=speed), 6)
    assert found.period == 1
    assert found.settled <= 3
    assert found.openings == openings
    assert found.lift_offs == min(openings, 1.0)
    sweep = planar.sweep_speed(planar.CamTappet(friction=0.0), [speed], 2, settle=2)
    assert sweep.openings.tolist() == [openings]
    assert sweep.largest_force[0] == pytest.approx(found.largest_force, rel=0.02)
    assert "repeats every turn" in str(found)


def test_no_steady_state():
    found = planar.steady_state(planar.CamTappet(friction=0.0, speed=200.0), 6)
    assert found.period == 0
    assert "did not repeat within 6 turns" in str(found)
