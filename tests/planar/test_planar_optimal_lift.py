"""Optimal motions of followers against closed forms, standard laws and simulation; line contact."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tangency import forces, planar

STIFF = planar.LiftTask(
    lift=0.008, rise=1.2, dwell=0.3, fall=1.2, start=0.03, mass=0.05, spring=0.5, rest=400.0, largest_acceleration=0.03
)  # a spring so long that it presses with 200 N everywhere


def two_accelerations(lift, width, known):
    """A rise with a constant acceleration and a constant deceleration, one of them given: the other."""
    speed = 2 * lift / width
    return speed / (width - speed / known)


def test_jump_speed_of_a_constant_force():
    """The optimum pushes as hard as allowed, then falls behind as slowly as possible."""
    exact = math.sqrt(200.0 / (STIFF.mass * two_accelerations(STIFF.lift, STIFF.rise, 0.03)))
    found = [planar.highest_jump_speed(replace(STIFF, knots=k)).jump_speed for k in (20, 80)]
    assert found[0] < found[1] < 1.0001 * exact
    assert found[1] == pytest.approx(exact, rel=0.02)


def test_least_force_of_a_constant_force():
    """The deceleration uses all of the spring's force; the acceleration follows from it."""
    speed = 400.0
    behind = 200.0 / (STIFF.mass * speed**2)
    exact = 200.0 + STIFF.mass * speed**2 * two_accelerations(STIFF.lift, STIFF.rise, behind)
    task = replace(STIFF, largest_acceleration=None, knots=80)
    best = planar.least_force(task, speed)
    assert exact * 0.9999 < best.largest_force < 1.03 * exact
    assert best.lowest_force == pytest.approx(0.0, abs=1e-6 * exact)


TASK = planar.LiftTask(
    lift=0.008, rise=1.2, dwell=0.3, fall=1.2, start=0.03, mass=0.05, spring=6000.0, largest_jerk=0.6
)


def standard(law):
    parts = [
        planar.Segment(law, TASK.rise, TASK.lift),
        planar.Segment("dwell", TASK.dwell, TASK.lift),
        planar.Segment(law, TASK.fall, 0.0),
        planar.Segment("dwell", 2 * np.pi - TASK.rise - TASK.dwell - TASK.fall, 0.0),
    ]
    return planar.lift_program(parts, start=TASK.start)


def rigid(motion, speed):
    """Force and jump speed of a rigid follower, from samples of the motion."""
    g, _, g2 = motion(np.linspace(0, 2 * np.pi, 20001))
    with np.errstate(divide="ignore", invalid="ignore"):
        jump = math.sqrt(np.where(g2 < 0, TASK.spring * g / (-TASK.mass * g2), np.inf).min())
    return float((TASK.mass * speed**2 * g2 + TASK.spring * g).max()), jump


def test_better_than_every_standard_law():
    speed = 350.0
    best, fastest = planar.least_force(TASK, speed), planar.highest_jump_speed(TASK)
    # what is stated holds for the motion as a function, and it does what was asked
    assert rigid(best.motion, speed)[0] == pytest.approx(best.largest_force, rel=1e-3)
    assert rigid(fastest.motion, speed)[1] == pytest.approx(fastest.jump_speed, rel=1e-3)
    g = fastest.motion
    assert float(g(0.0).value) == pytest.approx(TASK.start, abs=1e-12)
    assert float(g(1.35).value) == pytest.approx(TASK.start + TASK.lift, abs=1e-9)
    assert float(g(4.0).value) == pytest.approx(TASK.start, abs=1e-9)
    for law in ("cycloidal", "modified-sine", "3-4-5", "4-5-6-7"):  # the jerk of the harmonic law is infinite
        force, jump = rigid(standard(law), speed)
        assert best.largest_force < force
        assert fastest.jump_speed > jump


def test_simulation_confirms_the_jump_speed():
    """The optimal cam with a roller, elastic contact: it leaves the cam close to the stated speed."""
    best = planar.highest_jump_speed(TASK)
    motion = planar.cam_from_motion(best.motion, planar.Roller(0.01))
    steel = forces.Material(young=2.1e11, poisson=0.3)
    cam = planar.CamTappet(
        motion, mass=TASK.mass, spring=TASK.spring, normal_law=planar.line_contact(steel, 0.01, restitution=0.6)
    )
    assert cam.rigid_lift_off_speed() == pytest.approx(best.jump_speed, rel=1e-3)
    slow, fast = (planar.run_cam(replace(cam, speed=k * best.jump_speed), 1.0, samples=180) for k in (0.9, 1.1))
    assert not slow.lift_offs
    assert fast.lift_offs


def test_line_contact():
    """Palmgren's law in millimetres, Popov's linear law, and exact restitution in an integration."""
    steel = forces.Material(young=2.07e11, poisson=0.3)
    law = planar.line_contact(steel, 0.02)
    force = 1500.0
    depth = 1e-3 * 3.84e-5 * force**0.9 / 20.0**0.8
    assert float(law.force(depth)) == pytest.approx(force, rel=0.01)
    linear = planar.line_contact(steel, 0.02, exponent=1.0)
    assert float(linear.force(1e-6)) == pytest.approx(math.pi / 4 * 2.07e11 / (2 * 0.91) * 0.02 * 1e-6)
    between = planar.line_contact(steel, 0.02, exponent=1.05)
    assert float(between.force(1e-6)) == pytest.approx(float(law.force(1e-6)))
    damped = planar.line_contact(steel, 0.02, restitution=0.6)
    assert damped.restitution_at(0.3) == pytest.approx(0.6, rel=1e-9)
    from scipy.integrate import solve_ivp

    def rates(_, y):
        return [y[1], -float(damped.force(y[0], y[1], 0.3)) / 0.05]

    def leaves(_, y):
        return y[0] + 1e-13

    leaves.terminal, leaves.direction = True, -1.0
    hit = solve_ivp(rates, (0, 1e-3), [0.0, 0.3], events=leaves, rtol=1e-9, atol=1e-13, max_step=2e-6)
    assert -hit.y_events[0][0][1] == pytest.approx(0.6 * 0.3, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: planar.highest_jump_speed(replace(TASK, largest_jerk=None)), "must have a largest_acceleration"),
        (lambda: planar.least_force(TASK, 5000.0), "speed must be lower: no motion"),
        (lambda: replace(TASK, rise=6.0), "must fit into one turn"),
        (lambda: replace(TASK, rest=-0.05), "rest must leave the spring pressing"),
        (lambda: planar.highest_jump_speed(replace(TASK, largest_jerk=1e-6)), "task cannot be done"),
        (lambda: planar.line_contact(forces.Material(young=2e11, poisson=0.3), 0.02, exponent=2.0), "exponent must be"),
    ],
)
def test_bad_input(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
