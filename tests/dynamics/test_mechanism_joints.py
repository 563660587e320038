"""Continuous joints against revolute ones; armatures of all kinds of joints."""

import numpy as np
import pytest

from tangency.dynamics import JointLimit, JointSpring, Link, Mechanism, World, simulate

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'tangency[multibody]'")


class Magnet:
    """A torque of one's own that is the same after a turn."""

    joint = "wheel"

    def torque(self, position, velocity):
        return -0.3 * np.sin(position)

    def energy(self, position):
        return -0.3 * np.cos(position)


def wheeled(joint, axis, **given):
    """A wheel with an eccentric mass on a swinging arm."""
    arm = Link("arm", axis=[0, 1, 0], mass=1.0, centre_of_mass=[0, 0, -0.2], inertia=[0.02, 0.02, 0.01])
    place = (None, [0, 0, -0.4])
    offset = {"mass": 0.5, "centre_of_mass": [0.05, 0.02, 0], "inertia": [0.003, 0.003, 0.002]}
    return Mechanism("m", [arm, Link("wheel", "arm", joint, axis, place, **offset)], **given)


def motion(mechanism, mode="accurate", **options):
    return simulate(World([], mechanisms=[mechanism]), 1.0, output_interval=0.1, mode=mode, **options)


@pytest.mark.parametrize(("mode", "options", "close"), [("accurate", {}, 1e-7), ("fast", {"step": 1e-3}, 1e-9)])
def test_a_continuous_joint_turns_as_a_revolute_one(mode, options, close):
    """Several turns, about any axis: mappings, torques of the angle, elements; the angle is that within half a turn."""
    rng, seen = np.random.default_rng(5), []

    def torque(time, state):
        angle, rate = state.of("wheel")
        seen.append(angle)
        return {"wheel": 0.2 * np.cos(angle) - 5e-4 * rate, "arm": 0.1}

    for axis in ([0, 1, 0], [1, 0, 0], rng.normal(size=3)):
        given = {"position": {"arm": 0.4, "wheel": 3.0}, "velocity": {"wheel": 30.0}, "torque": torque}
        given["elements"] = [JointSpring("wheel", damping=0.001), Magnet()]
        expected = motion(wheeled("revolute", axis, **given), mode, **options)
        found = motion(wheeled("continuous", axis, **given), mode, **options)
        angle = found.joint("wheel").position
        assert angle.shape == (11,)
        assert np.abs(angle).max() <= np.pi
        assert expected.joint("wheel").position[-1] > 3.0 + 2 * np.pi
        np.testing.assert_allclose(np.exp(1j * angle), np.exp(1j * expected.joint("wheel").position), atol=close)
        np.testing.assert_allclose(found.joints.velocity, expected.joints.velocity, atol=20 * close)
        np.testing.assert_allclose(found.mechanical_energy, expected.mechanical_energy, atol=20 * close)
        assert np.abs(seen[-20:]).max() <= np.pi
        seen.clear()


def test_a_continuous_joint_is_prescribed():
    drive = {"wheel": lambda t: (3.0 + 9 * t, 9.0, 0.0)}
    expected, found = (motion(wheeled(kind, [0, 1, 0], prescribed=drive)) for kind in ("revolute", "continuous"))
    np.testing.assert_allclose(
        np.exp(1j * found.joint("wheel").position), np.exp(1j * (3.0 + 9 * found.time)), atol=1e-7
    )
    np.testing.assert_allclose(found.joint("wheel").torque, expected.joint("wheel").torque, atol=1e-6)


@pytest.mark.parametrize(
    "element", [JointSpring("wheel", 2.0), JointLimit("wheel", low=-1.0), JointSpring("wheel", 1.0, 1.0)]
)
def test_forces_that_jump_where_the_angle_does_are_refused(element):
    with pytest.raises(ValueError, match=r"joint 'wheel' must not be continuous for Joint.*use a revolute joint"):
        wheeled("continuous", [0, 1, 0], elements=[element])
    wheeled("revolute", [0, 1, 0], elements=[element])


KINDS = ["RX", "RY", "RZ", "PX", "PY", "PZ", "RUBX", "RUBY", "RUBZ"]
KINDS += ["Spherical", "FreeFlyer", "Planar", "Translation", "RevoluteUnaligned", "PrismaticUnaligned"]


def test_armatures_count_once_in_the_kinetic_energy():
    """Against v M v / 2 with Pinocchio's inertia matrix, for chains of all kinds of joints, and in a motion."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        model, parent = pin.Model(), 0
        for k, kind in enumerate(rng.choice(KINDS, 3)):
            axis = [rng.normal(size=3)] if kind.endswith("Unaligned") else []
            axis = [a / np.linalg.norm(a) for a in axis]
            parent = model.addJoint(parent, getattr(pin, f"JointModel{kind}")(*axis), pin.SE3.Random(), f"j{k}")
            model.appendBodyToJoint(parent, pin.Inertia.Random(), pin.SE3.Identity())
        model.armature = rng.uniform(0.0, 20.0, model.nv)
        v = rng.normal(size=model.nv)
        start = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
        mechanism = Mechanism("m", model, position=start, velocity=v)
        run = simulate(World([], mechanisms=[mechanism]), 0.01, output_interval=0.01)
        upper = np.triu(pin.crba(model, model.createData(), start).reshape(model.nv, model.nv))
        matrix = upper + np.triu(upper, 1).T
        np.testing.assert_allclose(run.energy["kinetic"][0], 0.5 * v @ matrix @ v, rtol=1e-12)
        np.testing.assert_allclose(np.ptp(run.mechanical_energy), 0.0, atol=1e-7 * run.energy["kinetic"][0])
