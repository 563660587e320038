"""Motion against closed forms: free rotation, flight, rolling, sticking, swinging."""

from math import gamma

import numpy as np
import pytest
from scipy.special import ellipj

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Cavity, Interaction, Load, Motion, Spring, World, simulate

ELASTIC = Interaction(forces.Hertz(stiffness=1e6))


def test_free_rotation_conserves_energy_and_momentum():
    """A triaxial body that flips about its intermediate axis."""
    brick = Body("brick", tg.Box([0.3, 0.2, 0.1]), mass=2.0, angular_velocity=[0.3, 5.0, 0.2], velocity=[0.1, 0.2, 0.3])
    world = World([brick], gravity=[0, 0, 0])
    turn = 2.0 * np.pi / 5.0
    run = simulate(world, 50 * turn, output_interval=turn, rtol=1e-13, atol=1e-14, checkpoint_every=100)
    kinetic = run.energy["kinetic"]
    assert np.abs(kinetic / kinetic[0] - 1.0).max() < 5e-12
    momentum = angular_momentum(run, brick)
    assert np.abs(momentum - momentum[0]).max() < 1e-13 * np.linalg.norm(momentum[0])
    spin = run.angular_velocity[:, 0]
    assert (spin @ np.array([0, 1.0, 0])).min() < 6.0  # not at rest
    assert np.abs(np.linalg.norm(run.quaternion, axis=-1) - 1.0).max() < 1e-14


@pytest.mark.full
def test_free_rotation_over_a_thousand_turns():
    brick = Body("brick", tg.Box([0.3, 0.2, 0.1]), mass=2.0, angular_velocity=[0.3, 5.0, 0.2])
    turn = 2.0 * np.pi / 5.0
    run = simulate(
        World([brick], gravity=[0, 0, 0]),
        1000 * turn,
        output_interval=10 * turn,
        rtol=1e-13,
        atol=1e-14,
        checkpoint_every=1000,
    )
    kinetic = run.energy["kinetic"]
    assert np.abs(kinetic / kinetic[0] - 1.0).max() < 1e-10
    momentum = angular_momentum(run, brick)
    assert np.abs(momentum - momentum[0]).max() < 1e-10 * np.linalg.norm(momentum[0])


def angular_momentum(run, body):
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_quat(run.quaternion[:, 0])
    local = turn.apply(run.angular_velocity[:, 0], inverse=True)
    return turn.apply(local @ body.mass_properties.inertia)


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_free_rotation_is_jacobis(mode):
    """Components of the angular velocity in the body are Jacobi's elliptic functions (Landau and Lifshitz, 37)."""
    moments = np.array([1.0, 2.0, 2.5])
    start = np.array([0.8, 0.0, 1.5])  # omega_2 = 0 at t = 0, and M^2 > 2 E I2
    energy, square = (moments * start**2).sum(), ((moments * start) ** 2).sum()
    i1, i2, i3 = moments
    assert square > energy * i2
    rate = np.sqrt((i3 - i2) * (square - energy * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (energy * i3 - square) / ((i3 - i2) * (square - energy * i1))
    body = Body("b", tg.Sphere(1.0), mass=1.0, inertia=moments, angular_velocity=start)
    options = {"rtol": 1e-12, "atol": 1e-13} if mode == "accurate" else {"step": 1e-4}
    run = simulate(World([body], gravity=[0, 0, 0]), 6.0, mode, output_interval=0.5, **options)
    from scipy.spatial.transform import Rotation

    got = Rotation.from_quat(run.quaternion[:, 0]).apply(run.angular_velocity[:, 0], inverse=True)
    sn, cn, dn, _ = ellipj(run.time * rate, m)
    want = np.stack(
        [
            np.sqrt((energy * i3 - square) / (i1 * (i3 - i1))) * cn,
            np.sqrt((energy * i3 - square) / (i2 * (i3 - i2))) * sn,
            np.sqrt((square - energy * i1) / (i3 * (i3 - i1))) * dn,
        ],
        axis=-1,
    )
    np.testing.assert_allclose(got, want, atol=1e-10 if mode == "accurate" else 2e-8)


def test_bouncing_ball_flies_as_long_as_it_should():
    """Elastic bounces: height, flight and Hertz's contact time are known."""
    radius, mass, stiffness, height, g = 0.1, 1.0, 1e6, 0.5, 9.81
    world = World(
        [
            Body("ground", tg.HalfSpace([0, 0, 1])),
            Body("ball", tg.Sphere(radius), (None, [0, 0, radius + height]), mass=mass),
        ],
        interaction=ELASTIC,
    )
    fall, speed = np.sqrt(2.0 * height / g), np.sqrt(2.0 * g * height)
    # Contact time without gravity, 2.943 x_max / v (Johnson, Contact Mechanics, Eq. 11.24).
    deepest = (1.25 * mass * speed**2 / stiffness) ** 0.4
    contact = deepest / speed * 2.0 * np.sqrt(np.pi) * gamma(1.4) / gamma(0.9)
    period = 2.0 * fall + contact
    run = simulate(world, 4 * period, output_interval=period, rtol=1e-10, atol=1e-13)
    # After each period the ball is at the top again; gravity in the contact shifts this in the fourth digit.
    np.testing.assert_allclose(run.position[:, 1, 2], radius + height, atol=2e-4)
    assert run.info["impacts"] == 4
    energy = run.mechanical_energy
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-8


@pytest.mark.parametrize(
    "law", [forces.Flores(stiffness=1e7, restitution=0.6), forces.HuntCrossley(stiffness=1e7, restitution=0.9)]
)
def test_impact_speed_is_the_true_one(law):
    """A ball dropped without gravity in the contact: the restitution of the law at that speed."""
    world = World(
        [
            Body("ground", tg.HalfSpace([0, 0, 1])),
            Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.3]), mass=1.0, velocity=[0, 0, -2.0]),
        ],
        gravity=[0, 0, 0],
        interaction=Interaction(law),
    )
    run = simulate(world, 0.2, output_interval=0.2, rtol=1e-11, atol=1e-13)
    assert run.velocity[-1, 1, 2] / 2.0 == pytest.approx(law.restitution_at(2.0), abs=1e-8)
    lost = 0.5 * 4.0 * (1.0 - law.restitution_at(2.0) ** 2)
    assert run.energy["dissipated"][-1] == pytest.approx(lost, abs=1e-7)


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_sphere_rolls_down_an_incline(mode):
    """Without slip the acceleration is g sin(angle) / (1 + I / m r^2), 5/7 g sin(angle) for a rigid contact.

    The force acts in the middle of the depth, so that the lever r is shorter than the radius by half of it.
    """
    angle, g, radius, mass = 0.2, 9.81, 0.1, 1.0
    depth = mass * g * np.cos(angle) / 1e5
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    law = Interaction(
        forces.KelvinVoigt(stiffness=1e5, damping=100.0), forces.Bristle(static=0.6, stiffness=2e4, damping=50.0)
    )
    world = World(
        [
            Body("slope", tg.HalfSpace(normal)),
            Body("ball", tg.Sphere(radius), (None, (radius - depth) * normal), mass=mass),
        ],
        interaction=law,
    )
    options = {"rtol": 1e-8, "atol": 1e-10} if mode == "accurate" else {"step": 1e-4}
    run = simulate(world, 1.0, mode, output_interval=0.1, **options)
    along = run.velocity[:, 1] @ np.array([np.cos(angle), 0.0, -np.sin(angle)])
    lever = radius - 0.5 * depth
    wanted = g * np.sin(angle) / (1.0 + 0.4 * (radius / lever) ** 2)
    assert wanted == pytest.approx(5.0 / 7.0 * g * np.sin(angle), rel=5e-4)
    assert (along[-1] - along[5]) / (run.time[-1] - run.time[5]) == pytest.approx(wanted, rel=1e-6)
    # It rolls: the contact point is at rest.
    assert run.angular_velocity[-1, 1, 1] * lever == pytest.approx(along[-1], rel=1e-6)


@pytest.mark.parametrize(("mu", "sticks"), [(0.25, True), (0.15, False)])
def test_a_block_sticks_below_the_friction_angle(mu, sticks):
    """Three balls joined to one body on a slope of tan(angle) = 0.2: it cannot roll."""
    angle, g, radius, mass = np.arctan(0.2), 9.81, 0.05, 3.0
    normal, down = np.array([np.sin(angle), 0.0, np.cos(angle)]), np.array([np.cos(angle), 0.0, -np.sin(angle)])
    feet = [(tg.Sphere(radius), (None, [0.3 * np.cos(t), 0.3 * np.sin(t), 0.0])) for t in (0.1, 2.2, 4.3)]
    turn = np.stack([down, [0, 1.0, 0], normal], axis=1)
    law = Interaction(
        forces.KelvinVoigt(stiffness=1e5, damping=500.0), forces.Bristle(static=mu, stiffness=1e5, damping=200.0)
    )
    depth = mass * g * np.cos(angle) / 3e5
    body = Body("tripod", feet, (turn, (radius - depth) * normal), mass=mass)
    run = simulate(
        World([Body("slope", tg.HalfSpace(normal)), body], interaction=law), 1.0, "fast", output_interval=0.1, step=2e-5
    )
    moved = (run.position[-1, 1] - run.position[0, 1]) @ down
    if sticks:
        assert abs(moved) < 1e-4
        assert np.linalg.norm(run.velocity[-1, 1]) < 1e-5
    else:
        slide = g * (np.sin(angle) - mu * np.cos(angle))
        assert moved == pytest.approx(0.5 * slide, rel=0.02)


def test_ball_in_a_bowl_swings_like_a_pendulum():
    """Without friction the centre swings on an arc: small oscillations with sqrt((R - r) / g)."""
    big, small, g = 1.0, 0.2, 9.81
    angle = 0.05
    centre = (big - small) * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    world = World(
        [Body("bowl", Cavity(tg.Sphere(big))), Body("ball", tg.Sphere(small), (None, centre), mass=1.0)],
        interaction=Interaction(forces.KelvinVoigt(stiffness=1e6, damping=100.0)),
    )
    period = 2.0 * np.pi * np.sqrt((big - small) / g) * (1.0 + angle**2 / 16.0)
    run = simulate(world, period, output_interval=period / 4, rtol=1e-7, atol=1e-10)
    x = run.position[:, 1, 0]
    np.testing.assert_allclose(x, centre[0] * np.array([1, 0, -1, 0, 1]), atol=1e-4)


def test_spring_oscillates_and_load_acts():
    stiffness, mass = 40.0, 0.5
    body = Body("b", tg.Sphere(0.1), (None, [1.2, 0, 0]), mass=mass)
    spring = Spring("b", None, stiffness=stiffness, length=1.0)
    omega = np.sqrt(stiffness / mass)
    time = 2.0 * np.pi / omega
    for mode, options, tol in (("accurate", {"rtol": 1e-11}, 1e-8), ("fast", {"step": 1e-4}, 1e-6)):
        run = simulate(
            World([body], gravity=[0, 0, 0], springs=[spring]), time, mode, output_interval=time / 8, **options
        )
        np.testing.assert_allclose(run.position[:, 0, 0], 1.0 + 0.2 * np.cos(omega * run.time), atol=tol)
        energy = run.mechanical_energy
        assert np.abs(energy / energy[0] - 1.0).max() < 1e-6
    drag = Load("b", lambda t, state: -0.25 * state.velocity)
    thrown = Body("b", tg.Sphere(0.1), mass=mass, velocity=[2.0, 0, 0])
    for mode, options, tol in (("accurate", {}, 1e-8), ("fast", {"step": 1e-3}, 1e-3)):
        run = simulate(World([thrown], gravity=[0, 0, 0], loads=[drag]), 1.0, mode, output_interval=0.5, **options)
        np.testing.assert_allclose(run.velocity[:, 0, 0], 2.0 * np.exp(-0.5 * run.time), rtol=tol)
        balance = run.energy["kinetic"] - run.energy["work"]
        assert np.abs(balance / balance[0] - 1.0).max() < 10 * tol


def test_a_plate_that_is_moved_carries_a_ball():
    """A table that oscillates gently: the ball follows it, and the work it gets is accounted for."""

    def motion(t):
        return Motion((None, [0, 0, 0.01 * np.sin(3 * t)]), [0, 0, 0.03 * np.cos(3 * t)])

    table = Body("table", tg.HalfSpace([0, 0, 1]), motion=motion)
    depth = 9.81 / 1e5
    ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.1 - depth]), mass=1.0, velocity=[0, 0, 0.03])
    law = Interaction(forces.KelvinVoigt(stiffness=1e5, damping=100.0))
    for mode, options in (("accurate", {"rtol": 1e-8}), ("fast", {"step": 1e-4})):
        run = simulate(World([table, ball], interaction=law), 0.6, mode, output_interval=0.15, **options)
        np.testing.assert_allclose(run.position[:, 0, 2], 0.01 * np.sin(3 * run.time), atol=1e-12)
        np.testing.assert_allclose(run.position[:, 1, 2] - run.position[:, 0, 2], 0.1 - depth, atol=5e-6)
        balance = run.mechanical_energy + run.energy["dissipated"] - run.energy["work"]
        assert np.abs(balance - balance[0]).max() < (1e-7 if mode == "accurate" else 1e-4)
