"""Friction laws: sign, limits, continuity, sticking, and that they only ever take energy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from tangency import forces

TANH = forces.Tanh(coefficient=0.4, speed=1e-2)
COULOMB = forces.Coulomb(static=0.6, dynamic=0.4, peak_speed=1e-2, slide_speed=5e-2)
BRISTLE = forces.Bristle(static=0.6, dynamic=0.4, stiffness=2e4, damping=150.0, stribeck_speed=0.02)
LAWS = [forces.Frictionless(), TANH, COULOMB, BRISTLE]
GRAVITY = 9.81


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_against_the_slip_within_the_limit_and_zero_without_load(law):
    rng = np.random.default_rng(1)
    slip = rng.normal(size=(500, 3)) * 10 ** rng.uniform(-12, 2, size=(500, 1))
    load = 10 ** rng.uniform(-3, 5, size=500)
    force = law.force(load, slip).force
    assert np.isfinite(force).all()
    assert ((force * slip).sum(axis=-1) <= 0).all()
    np.testing.assert_allclose(np.cross(force, slip), 0, atol=1e-12 * np.abs(force).max() * np.abs(slip).max())
    assert (np.linalg.norm(force, axis=-1) <= 0.6 * load * (1 + 1e-14)).all()
    assert (law.force(0.0, slip).force == 0).all()
    assert (law.force(-5.0, slip).force == 0).all()
    assert (law.force(load, [0.0, 0.0, 0.0]).force == 0).all()


def test_tanh_is_the_papers_law():
    """Römer 3-D, Eq. (97), both cases, and no jump between them."""
    for speed in (1e-9, 1e-8, 9.9e-7, 1.1e-6, 1e-3, 1e-2, 1.0):
        expected = 0.4 * 50.0 * np.tanh(speed / 1e-2)
        assert -TANH.force(50.0, [0.0, speed, 0.0]).force[1] == pytest.approx(expected, rel=1e-12)
    assert -TANH.force(50.0, [1e-15, 0.0, 0.0]).force[0] == pytest.approx(0.4 * 50.0 * 1e-15 / 1e-2, rel=1e-14)


def test_coulomb_has_peak_and_plateau_and_a_continuous_slope():
    def coefficient(speed):
        speed = np.atleast_1d(speed)
        return -COULOMB.force(1.0, np.stack([speed, 0 * speed, 0 * speed], axis=-1)).force[:, 0]

    assert coefficient(1e-2)[0] == pytest.approx(0.6, rel=1e-15)
    assert coefficient(5e-2)[0] == pytest.approx(0.4, rel=1e-14)
    assert coefficient(7.0)[0] == pytest.approx(0.4, rel=1e-14)
    grid = np.linspace(-0.08, 0.08, 160001)
    mu = coefficient(grid)
    assert abs(mu).max() == pytest.approx(0.6, rel=1e-9)
    slope = np.diff(mu) / np.diff(grid)
    # A jump of the slope would be of the size of the slope itself, about 90 s/m.
    assert abs(np.diff(slope)).max() < 0.05
    np.testing.assert_allclose(mu, -mu[::-1], atol=1e-15)


def slide(law, angle, duration, ease=0.0, mass=2.0):
    """A block on an incline, released at once or eased over some seconds: place, speed and stretch over time."""
    load = mass * GRAVITY * math.cos(angle)

    def motion(t, y):
        answer = law.force(load, [y[1], 0.0, 0.0], [y[2], 0.0, 0.0])
        pull = GRAVITY * math.sin(angle) * (1.0 if t >= ease else t / ease)
        return [y[1], pull + answer.force[0] / mass, answer.stretch_rate[0]]

    # The bristle's kinks keep higher orders from doing better.
    run = solve_ivp(motion, (0, duration), [0, 0, 0], "Radau", rtol=1e-9, atol=1e-13, dense_output=True)
    assert run.success
    return run


@pytest.mark.parametrize(("slope", "ease"), [(0.53, 1.0), (0.35, 0.0)])
def test_bristle_sticks_below_the_friction_angle_without_creep(slope, ease):
    """Eased, up to the static angle; released at once, it overshoots and slips, and sticks below the dynamic one."""
    angle = math.atan(slope)
    run = slide(BRISTLE, angle, 30.0, ease)
    rest = 2.0 * GRAVITY * math.sin(angle) / 2e4
    early, late = run.sol(5.0), run.sol(30.0)
    assert late[2] == pytest.approx(rest, rel=1e-6)
    if ease:
        assert late[0] == pytest.approx(rest, rel=1e-6)
    assert abs(late[0] - early[0]) < 1e-11
    assert abs(late[1]) < 1e-12


def test_between_both_angles_a_moving_block_keeps_sliding():
    assert slide(BRISTLE, math.atan(0.5), 2.0).sol(2.0)[1] > 0.5


def test_bristle_does_not_creep_under_a_load_that_varies():
    """Below breakaway it is a spring: after a thousand pushes the body is where it was."""
    law = forces.Bristle(static=0.6, stiffness=1e4)
    stretch, load = np.zeros(3), 10.0
    for push in np.tile([5.3e-4, -5.3e-4], 500):  # breakaway: 90 % of 6e-4 m
        stretch = law.stretch_after(load, [0, 0, 1.0], [push / 1e-3, 0, 0], stretch, 1e-3)
        load = 10.0 if push > 0 else 11.0
    assert abs(stretch[0]) < 1e-15


def test_bristle_slides_above_the_friction_angle():
    angle = math.atan(0.9)
    run = slide(BRISTLE, angle, 2.0)
    acceleration = (run.sol(2.0)[1] - run.sol(1.0)[1]) / 1.0
    assert acceleration == pytest.approx(GRAVITY * (math.sin(angle) - 0.4 * math.cos(angle)), rel=1e-6)


def test_tanh_creeps_at_the_speed_that_its_formula_says():
    angle = math.atan(0.3)
    run = slide(TANH, angle, 3.0)
    assert run.sol(3.0)[1] == pytest.approx(1e-2 * math.atanh(0.3 / 0.4), rel=1e-6)


numbers = st.floats(-1, 1)
vectors = st.tuples(numbers, numbers, numbers)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.tuples(st.just(0.0) | st.floats(1e-6, 20), vectors), min_size=3, max_size=30),
    st.floats(1e-6, 1e-1),
    st.floats(0, 100),
    vectors,
)
def test_bristle_in_fixed_steps_never_gives_energy(history, dt, damping, axis):
    """Work on the bodies <= loss of the spring's energy, in every step, whatever load and slip do."""
    normal = np.array([*axis[:2], axis[2] + 2.5])
    normal /= np.linalg.norm(normal)
    law = forces.Bristle(static=0.6, dynamic=0.4, stiffness=2e4, damping=damping)
    stretch = np.zeros(3)
    for load, slip in history:
        slip = np.array(slip) - normal * (normal @ slip)
        new = law.stretch_after(load, normal, slip, stretch, dt)
        force = law.force(load, slip, new).force
        assert np.linalg.norm(force) <= 0.6 * load * (1 + 1e-12)
        assert abs(new @ normal) <= 1e-12 * np.linalg.norm(new) + 1e-14 * dt
        stored = 1e4 * (new @ new - stretch @ stretch)
        size = 1e4 * (new @ new + stretch @ stretch) + (abs(force @ slip) + damping * slip @ slip) * dt
        assert force @ slip * dt + stored <= 1e-12 * size
        stretch = new


@settings(deadline=None, max_examples=200)
@given(st.floats(0, 20), vectors, vectors, st.floats(0, 1e4), st.floats(-6, 0))
def test_bristle_in_continuous_time_never_gives_energy(load, slip, stretch, damping, exponent):
    """The same for rates: F.v <= -d(k s^2 / 2)/dt at any state, also one that a falling load has left too long."""
    law = forces.Bristle(static=0.6, dynamic=0.4, stiffness=2e4, damping=damping)
    slip, stretch = np.array(slip), np.array(stretch) * 10**exponent
    answer = law.force(load, slip, stretch)
    power = answer.force @ slip
    stored = 2e4 * stretch @ answer.stretch_rate
    assert np.linalg.norm(answer.force) <= 0.6 * load * (1 + 1e-12)
    if load > 0:  # without load the contact is over, and its energy with it
        size = (0.6 * load + 2e4 * math.hypot(*stretch)) * math.hypot(*slip)  # no underflow, as squares would
        assert power + stored <= 1e-12 * size


def test_bristle_turns_with_the_tangent_plane():
    stretch = BRISTLE.stretch_after(10.0, [0, 0.6, 0.8], [0, 0, 0], [0, 1e-4, 0], 1e-3)
    assert stretch @ [0, 0.6, 0.8] == pytest.approx(0, abs=1e-19)
    assert np.linalg.norm(stretch) == pytest.approx(1e-4, rel=1e-14)
    assert (BRISTLE.stretch_after(0.0, [0, 0, 1.0], [1.0, 0, 0], [1e-4, 0, 0], 1e-3) == 0).all()
    assert (TANH.stretch_after(1.0, [0, 0, 1.0], [1.0, 0, 0], [1e-4, 0, 0], 1e-3) == 0).all()


def test_rolling_and_spinning():
    law = forces.Rolling(rolling=2e-3, spinning=1e-3, speed=1e-2)
    torque = law.torque(100.0, [0, 0, 1.0], [[3.0, 4.0, 0.0], [0.0, 0.0, -5.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(torque, [[-0.12, -0.16, 0], [0, 0, 0.1], [0, 0, 0]], rtol=1e-14)
    assert (law.torque(0.0, [0, 0, 1.0], [1.0, 1.0, 1.0]) == 0).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: forces.Tanh(coefficient=-0.1, speed=1.0), "coefficient must be >= 0"),
        (lambda: forces.Tanh(coefficient=0.1, speed=0.0), "speed must be > 0"),
        (lambda: forces.Coulomb(static=0.3, dynamic=0.4, peak_speed=1.0), "static must be >= 0.4"),
        (lambda: forces.Coulomb(static=0.5, dynamic=0.4, peak_speed=1.0, slide_speed=0.5), "slide_speed must be > 1"),
        (lambda: forces.Bristle(static=0.5, stiffness=0.0), "stiffness must be > 0"),
        (lambda: forces.Bristle(static=0.5, stiffness=1.0, breakaway=1.0), "breakaway must be"),
        (lambda: TANH.force(1.0, [1.0, 2.0]), r"slip must have shape \(\.\.\., 3\)"),
        (lambda: TANH.force([1.0, 2.0], np.ones((3, 3))), "do not broadcast"),
        (lambda: BRISTLE.stretch_after(1.0, [0, 0, 1], [1, 0, 0], [0, 0, 0], -1.0), "dt must be >= 0"),
        (lambda: forces.Rolling(rolling=-1.0), "rolling must be >= 0"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
