"""Bodies that are moved: motions that contradict themselves are refused, jumps are named."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from run_warnings import said_by
from tangency import forces
from tangency.dynamics import (
    Body,
    Interaction,
    Motion,
    World,
    simulate,
)

SPHERE = tg.Sphere(0.1)
HERTZ = forces.Hertz(stiffness=1e6)
LAW = Interaction(HERTZ)


def random_motion(rng):
    """A smooth path and spin, with their velocities; the second function is wrong in one of both."""
    a, w, axis = rng.normal(size=3), rng.uniform(1.0, 40.0), rng.normal(size=3)

    def right(t):
        turn = Rotation.from_rotvec(axis * np.sin(w * t))
        return Motion((turn, a * np.cos(w * t)), -a * w * np.sin(w * t), axis * w * np.cos(w * t))

    factor, part = rng.choice([-1.0, 0.0, 0.5, 2.0]), rng.choice(["velocity", "angular_velocity"])
    return right, lambda t: right(t)._replace(**{part: factor * getattr(right(t), part)}), part


def test_velocities_that_contradict_the_poses_are_refused():
    rng = np.random.default_rng(5)
    for _ in range(4):
        right, wrong, part = random_motion(rng)
        assert simulate(World([Body("m", SPHERE, motion=right)]), 0.5, "fast", step=0.005).info["warnings"] == []
        with pytest.raises(ValueError, match=rf"motion of body 'm' contradicts itself at t = .*its {part} is"):
            simulate(World([Body("m", SPHERE, motion=wrong)]), 0.5, "fast", step=0.005)


def test_a_prescribed_jump_is_named():
    rng = np.random.default_rng(6)
    for _ in range(4):
        at, way, speed = rng.uniform(0.01, 0.99), 10.0 ** rng.uniform(-2, 1), rng.uniform(0.0, 3.0)

        def motion(t, jump=way, at=at, speed=speed):
            return Motion((None, [speed * abs(t - 0.5) + (jump if t > at else 0.0), 0, 0]))

        (said,) = said_by(World([Body("m", SPHERE, motion=motion)]), 1.0, step=0.05)
        assert f"body 'm' jumps by {way:.3g} m at t = {at:.6g} s" in said
        steady = World([Body("m", SPHERE, motion=lambda t, motion=motion: motion(t, 0.0))])
        assert said_by(steady, 1.0, step=0.05) == []


@pytest.mark.parametrize(
    "shape",
    [tg.Box([0.1, 0.2, 0.3]), *(pytest.param(s, marks=pytest.mark.full) for s in (SPHERE, tg.HalfSpace([0, 0, 1])))],
)
def test_a_prescribed_orientation_that_jumps_is_named(shape):
    """Alone, during a fast swing that bends more than the jump, and together with a position that jumps."""
    rng = np.random.default_rng(16)
    for _ in range(4):
        at, jump = rng.uniform(0.01, 0.99), 10.0 ** rng.uniform(-2, 0.4)
        swing, way = rng.choice([0.0, 3.0]), float(rng.choice([0.0, 0.2]))

        def motion(t, jump=jump, way=way, at=at, swing=swing):
            later = t > at
            angle = swing * np.sin(40.0 * t) + (jump if later else 0.0)
            return Motion((Rotation.from_euler("y", angle), [0, 0, way if later else 0.0]))

        said = [
            text
            for text in said_by(World([Body("m", shape, motion=motion)]), 1.0, step=0.004)
            if "jump" in text or "turns" in text
        ]
        both = f"jumps by {way:.3g} m and turns by {jump:.3g} rad" if way else f"turns by {jump:.3g} rad"
        assert len(said) == 1
        assert f"body 'm' {both} within an instant at t = {at:.6g} s" in said[0]
        steady = World([Body("m", shape, motion=lambda t, motion=motion: motion(t, 0.0, 0.0))])
        assert said_by(steady, 1.0, step=0.004) == []


def test_the_longest_way_of_a_body_that_jumps_is_that_of_its_poses():
    jump = Body("plate", tg.Sphere(0.2), motion=lambda t: Motion((None, [0.0, 0.0, 4.8 * (t >= 0.35)])))
    far = Body("ball", SPHERE, (None, [9.0, 0.0, 0.0]))
    world = World([jump, far], gravity=(0.0, 0.0, 0.0), interaction=Interaction(HERTZ))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = simulate(world, 1.0, "fast", step=0.05, output_interval=0.1)
    assert any("jumps by 4.8 m" in text for text in run.info["warnings"])
    (said,) = [text for text in run.info["warnings"] if "in one step" in text]
    assert "a body moved up to 4.8 m in one step" in said


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_bodies_that_are_moved_touch_fixed_ones_if_asked(mode):
    """A ball that is pressed into the ground: the force of the law, and its work comes from outside."""
    dive = Body("ball", SPHERE, motion=lambda t: Motion((None, [0, 0, 0.105 - 0.1 * t]), [0, 0, -0.1], [0, 0, 0]))
    bodies = [Body("ground", tg.HalfSpace([0, 0, 1])), dive]
    for asked in ({"pairs": [("ball", "ground")]}, {"interactions": {("ball", "ground"): LAW}}):
        run = simulate(World(bodies, interaction=LAW, **asked), 0.1, mode, output_interval=0.01)
        depth = np.maximum(0.1 * run.time - 0.005, 0.0)
        last = run.contacts.at(-1)
        assert len(last) == 1
        assert last.normal_force[0] == pytest.approx(1e6 * depth[-1] ** 1.5, rel=1e-9)
        assert run.energy["work"][-1] == pytest.approx(1e6 * depth[-1] ** 2.5 / 2.5, rel=2e-2)
    assert len(simulate(World(bodies, interaction=LAW), 0.1, mode, output_interval=0.01).contacts) == 0
