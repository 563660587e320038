"""Slip and lift-off: where and when rolling fails."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import rolling
from tangency.rolling.events import Step, first_event

A, C, G = 0.3, 0.1, 9.81
INERTIA = (A * A + C * C) / 5


def straight(angle, rate):
    """Angular velocity and force per mass (along, up) of a spheroid that rolls end over end with `rate` at angle 0."""
    s, c = math.sin(angle), math.cos(angle)
    f = math.hypot(A * s, C * c)
    f1 = (A * A - C * C) * s * c / f
    f2 = ((A * A - C * C) * (c * c - s * s) - f1 * f1) / f
    weight = f * f + f1 * f1 + INERTIA
    square = ((C * C + INERTIA) * rate**2 - 2 * G * (f - C)) / weight
    second = -f1 * ((f + f2) * square + G) / weight  # Römer 2-D, Eq. (87)
    return math.sqrt(square), f * second + f1 * square, f1 * second + f2 * square + G  # Eq. (88)


@pytest.mark.parametrize(
    ("end", "rate", "friction"),
    [("lift-off", 18.0, None), ("slip", 18.0, 0.6), ("slip", 12.0, 0.3), ("slip", 18.0, 2.0)],
)
def test_time_of_the_event(end, rate, friction):
    """Against a root of the closed-form force and the time to it by quadrature: equal to 1e-10 s."""

    def margin(angle):
        _, along, up = straight(angle, rate)
        return up if friction is None else friction * up - abs(along)

    angles = np.linspace(0.0, math.pi / 2, 2001)
    margins = np.array([margin(angle) for angle in angles])
    first = int(np.argmax(margins <= 0.0))
    assert first > 0
    angle = brentq(margin, angles[first - 1], angles[first], xtol=1e-15)
    time = quad(lambda angle: 1.0 / straight(angle, rate)[0], 0.0, angle, epsabs=0.0, epsrel=1e-13)[0]
    run = rolling.RollingBody(tg.Ellipsoid([A, A, C])).simulate(None, [0, rate, 0], 2.0, friction=friction)
    assert run.end == end
    assert run.end_time == pytest.approx(time, abs=1e-10)
    assert run.orientation[-1].as_rotvec()[1] == pytest.approx(angle, abs=1e-9)
    assert (np.diff(run.time) > 0.0).all()
    assert f"t = {time:.6g} s" in run.message


def test_event_of_a_general_motion():
    """The margin vanishes at the end and is positive before; the time does not depend on tolerance and samples."""
    body = rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1]))
    start = Rotation.from_rotvec([0.05, 0.1, 0.0]), [2.0, 13.0, 1.0]
    for friction in (None, 0.6):
        runs = [
            body.simulate(*start, 2.0, friction=friction, rtol=r, samples=n) for r, n in ((1e-13, 50), (1e-11, 999))
        ]
        assert runs[0].end == runs[1].end != "time"
        assert runs[0].end_time == pytest.approx(runs[1].end_time, abs=1e-10)
        for run in runs:
            down, across = run.normal_force, np.linalg.norm(run.tangential_force, axis=1)
            margin = down if friction is None else friction * down - across
            assert abs(margin[-1]) < 1e-9 * down[0]
            assert (margin[:-1] > 0.0).all()


def test_fails_at_the_start():
    body = rolling.RollingBody(tg.Ellipsoid([0.1, 0.1, 0.3]))  # stands on its tip
    run = body.simulate(None, [0, 12.0, 0])
    assert (run.end, run.end_time, len(run.time)) == ("lift-off", 0.0, 1)
    assert not run.normal_force[0] > 0.0
    assert run.friction_demand[0] == np.inf
    ball = rolling.RollingBody(tg.Sphere(0.1), gravity=[7, 0, -7])
    assert ball.simulate(friction=0.0).end == "slip"
    assert rolling.RollingBody(tg.Sphere(0.1), gravity=[0, 0, 1]).simulate(friction=0.5).end == "lift-off"
    assert rolling.RollingBody(tg.Sphere(0.1), gravity=[0, 0, 0]).simulate(friction=0.5).end == "lift-off"


@pytest.mark.parametrize("width", [0.3, 0.03, 1e-3])
@pytest.mark.parametrize("middle", [0.437, 0.5, 0.03, 0.97])
def test_short_dips_are_found(width, middle):
    """A margin that is negative for a small part of a step only."""
    if width > middle:
        return

    def margins(states):
        return (states[:, :1] - middle) ** 2 - width**2

    step = Step(0.0, 1.0, np.zeros(1), lambda time: np.asarray(time)[None])  # the state is the time
    event = first_event(step, margins, lambda step, time: np.array([time]))
    assert event.time == pytest.approx(middle - width, abs=1e-12)


def test_flat_place():
    """A superellipsoid with an exponent above 2 has flat places, at which a motion ends with a message."""
    shape = tg.Superovoid([0.02, 0.02, 0.03], [4, 4, 2.0], [1, 0.2, 0, 0], [1, 0.2, 0, 0])
    run = rolling.RollingBody(shape).simulate(Rotation.from_rotvec([1.3, 0.5, 0.1]), [1.0, 2.0, 3.0], 1.0)
    assert run.end == "flat"
    assert "flat place" in run.message
    assert np.isfinite(run.force).all()
    assert np.abs(run.energy - run.energy[0]).max() < 1e-9 * run.energy[0]


@pytest.mark.parametrize("kind", ["superovoid", "superellipsoid"])
def test_no_energy_is_lost_at_flat_places(kind):
    """The last state before the place is one whose energy is still that of the start."""
    rng, ends = np.random.default_rng(1), set()
    for _ in range(5):
        shape = tg.Superovoid([0.02, 0.02, 0.03], [3, 3, 2.5], [1, 0, 0, 0], [1, 0, 0, 0])
        if kind == "superellipsoid":
            shape = tg.Superellipsoid(rng.uniform(0.1, 0.3, 3), epsilon=rng.uniform(0.4, 1, 2))
        run = rolling.RollingBody(shape).simulate(Rotation.random(rng=rng), 3.0 * rng.normal(size=3), 0.5)
        assert np.abs(run.energy - run.energy[0]).max() < 1e-9 * run.energy[0]
        ends.add(run.end)
    assert "flat" in ends


def test_rest_on_a_flat_place():
    """A body may rest or pivot on it; it cannot start to roll there."""
    body = rolling.RollingBody(tg.Superellipsoid([0.3, 0.2, 0.1], epsilon=(0.4, 1.0)))
    run = body.simulate(None, [0, 0, 2.0], 1.0)
    assert run.end == "time"
    assert run.contact == pytest.approx(0.0, abs=1e-15)
    assert run.orientation[-1].as_rotvec() == pytest.approx([0, 0, 2.0])
    with pytest.raises(ValueError, match="orientation must not put a turning body on a flat place"):
        body.simulate(None, [1.0, 0, 0])
    with pytest.raises(ValueError, match=r"orientation\[1\] must not"):
        body.state(None, [[0, 0, 1.0], [1.0, 0, 0]])
