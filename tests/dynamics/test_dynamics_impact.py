"""A ball that hits the ground, moved bodies, and derivatives for implicit methods: against closed forms."""

from math import acos, exp, gamma, log, pi, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Cavity, Interaction, Motion, World, simulate
from tangency.dynamics.accurate.integrators import jacobian
from tangency.dynamics.accurate.lu import lu, solve_lu
from tangency.kernels.quaternions import from_matrix

RADIUS, MASS, STIFFNESS = 0.1, 1.0, 1e9


def dropped(law, speed, gravity=0.0, height=0.0, **options):
    """The run of a ball thrown down on the ground, and its velocity upwards at the end."""
    ball = Body("ball", tg.Sphere(RADIUS), (None, [0, 0, RADIUS + height]), mass=MASS, velocity=[0, 0, -speed])
    world = World(
        [Body("ground", tg.HalfSpace([0, 0, 1])), ball], gravity=[0, 0, -gravity], interaction=Interaction(law)
    )
    return simulate(world, **options)


def rebound(d):
    """e > 0 with d - log(1 + d) = -e d - log(1 - e d), for F = K depth^n (1 + d rate / v)."""
    return brentq(lambda e: d - log(1.0 + d) + e * d + log(1.0 - e * d), 1e-9, min(1.0, (1.0 - 1e-12) / d))


@pytest.mark.parametrize("e", [0.5, 0.9])
@pytest.mark.parametrize(
    ("law", "factor"),
    [
        (forces.HuntCrossley, lambda e: 1.5 * (1 - e)),
        (forces.LankaraniNikravesh, lambda e: 0.75 * (1 - e * e)),
        (forces.Flores, lambda e: 1.6 * (1 - e) / e),
        (forces.Gonthier, lambda e: (1 - e * e) / e),
        (forces.CarvalhoMartins, None),
    ],
)
def test_restitution_of_each_law(law, factor, e):
    """Dropped from 0.5 m, gravity on: the speed after the impact, 1 %."""
    fall = sqrt(2 * 0.5 / 9.81)
    run = dropped(
        law(stiffness=STIFFNESS, restitution=e), 0.0, 9.81, 0.5, duration=fall + 0.02, output_interval=fall + 0.02
    )
    z, v = run.position[-1, 1, 2] - RADIUS, run.velocity[-1, 1, 2]
    after = sqrt(v * v + 2 * 9.81 * z)  # where it left the ground
    assert z > 0.0
    assert after / sqrt(2 * 9.81 * 0.5) == pytest.approx(e if factor is None else rebound(factor(e)), rel=0.01)


def test_restitution_of_spring_and_damper():
    zeta = 0.2
    law = forces.KelvinVoigt(stiffness=1e6, damping=2 * zeta * sqrt(1e6 * MASS))
    run = dropped(law, 2.0, duration=0.02, output_interval=0.02, rtol=1e-10)
    wanted = exp(-2 * zeta * acos(zeta) / sqrt(1 - zeta * zeta))  # Schwager and Pöschel 2007
    assert run.velocity[-1, 1, 2] / 2.0 == pytest.approx(wanted, rel=1e-6)


def test_contact_time_of_hertz():
    """2.9432 depth / speed (Johnson, Eq. 11.24), 1e-4; with K from the materials, 4/3 E* sqrt(R)."""
    steel = forces.Material(young=210e9, poisson=0.3)
    stiffness = 4 / 3 * 0.5 * 210e9 / (1 - 0.3**2) * sqrt(RADIUS)
    for speed in (0.1, 3.0):
        deepest = (1.25 * MASS * speed**2 / stiffness) ** 0.4
        wanted = deepest / speed * 2 * sqrt(pi) * gamma(1.4) / gamma(0.9)
        run = dropped(forces.Hertz(materials=steel), speed, duration=2 * wanted, output_interval=2 * wanted)
        # It flies at its speed since it left the ground.
        time = 2 * wanted - (run.position[-1, 1, 2] - RADIUS) / run.velocity[-1, 1, 2]
        assert time == pytest.approx(wanted, rel=1e-4)
        assert run.velocity[-1, 1, 2] == pytest.approx(speed, rel=1e-7)


def test_a_moved_ball_meets_a_free_ground():
    """Fast along the ground and slowly towards it: few steps, and the impact when it is due."""
    ball = Body("ball", tg.Sphere(0.1), motion=lambda t: Motion((None, [3 * t, 0, 0.11 - 0.01 * t]), [3, 0, -0.01]))
    ground = Body("ground", tg.HalfSpace([0, 0, 1]), mass=10.0, inertia=[1e6] * 3)
    law = Interaction(forces.Hertz(stiffness=1e5))
    run = simulate(World([ground, ball], gravity=[0, 0, 0], interaction=law), 1.5, output_interval=0.01)
    assert run.info["impacts"] == 1
    assert run.info["steps"] < 2000
    assert np.diff(run.contacts.first)[:100].sum() == 0
    assert np.diff(run.contacts.first)[101:104].sum() == 3


@pytest.mark.parametrize(("method", "time"), [("Radau", 0.5), ("BDF", 2.0)])
def test_nothing_overflows_where_nothing_depends_on_a_variable(method, time):
    """A ball goes round in a bowl, its orientation does not matter, over many steps; warnings are errors."""
    ball = Body("ball", tg.Sphere(0.1), (None, [0.9, 0, 0]), mass=1.0, velocity=[0, 8, 0])
    law = Interaction(forces.HuntCrossley(stiffness=140e6, restitution=0.9))
    run = simulate(
        World([Body("bowl", Cavity(tg.Sphere(1.0))), ball], interaction=law),
        time,
        output_interval=time,
        method=method,
        rtol=1e-6,
        atol=1e-9,
    )
    assert run.info["steps"] > 200
    # Without friction, v^2 = v0^2 + 2 g h; what the start in the wall dissipates is the rest.
    drop = -run.position[-1, 1, 2]
    assert np.linalg.norm(run.velocity[-1, 1]) == pytest.approx(sqrt(64.0 + 2 * 9.81 * drop), rel=1e-3)


def test_derivatives_by_differences():
    matrix = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0], [4.0, 0.0, -1.0]])
    found = jacobian(lambda t, y: matrix @ y + t * y**2, np.array([1e-8, 1e-9, 0.0]))(0.5, np.array([2.0, 1e-3, 7.0]))
    wanted = matrix + np.diag([2.0, 1e-3, 7.0])
    wanted[:, 2] = 0.0
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_systems_of_implicit_methods():
    """Real and complex, full and with many zeros, against the product with the matrix; singular ones are not finite."""
    rng = np.random.default_rng(3)
    for size in (1, 2, 7, 40):
        for share in (1.0, 0.2):
            for unit in (0.0, 1j):
                matrix = rng.normal(size=(size, size)) + unit * rng.normal(size=(size, size))
                matrix = np.where(rng.random((size, size)) < share, matrix, 0.0) + 3.0 * np.eye(size)[::-1]
                held, wanted = matrix.copy(), rng.normal(size=size)
                np.testing.assert_allclose(solve_lu(lu(matrix), matrix @ wanted), wanted, atol=1e-9)
                assert (matrix == held).all()
    with np.errstate(all="ignore"):
        assert not np.isfinite(solve_lu(lu(np.ones((3, 3))), np.array([1.0, 2.0, 3.0]))).all()


@pytest.mark.parametrize(("method", "most"), [("BDF", 2000), ("Radau", 1000), ("DOP853", 200)])
def test_contact_at_a_flat_place_needs_few_steps(method, most):
    """At the flat pole of a superellipsoid the contact point follows errors of the normal of 1e-12, and the torque."""
    flat = tg.Superellipsoid([0.4, 0.5, 0.6], [0.65, 0.7])
    bodies = [
        Body(f"b{k}", flat, (None, [0, 0, 1.3 * k]), density=1000, velocity=[0, 0, 0.1 - 0.2 * k]) for k in range(2)
    ]
    world = World(bodies, gravity=[0, 0, 0], interaction=Interaction(forces.Hertz(stiffness=3e5)))
    run = simulate(world, 3.0, output_interval=3.0, method=method)
    assert run.info["steps"] < most
    np.testing.assert_allclose(run.velocity[-1, :, 2], [-0.1, 0.1], rtol=1e-6)
    assert np.abs(run.angular_velocity[-1]).max() < 1e-5


def test_quaternion_of_a_matrix():
    turns = [*Rotation.random(50, rng=1), *Rotation.from_euler("xyz", np.pi * np.eye(3)), Rotation.identity()]
    for turn in turns:
        q = np.array(from_matrix(turn.as_matrix().ravel().tolist()))
        assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-14)
        assert abs(q @ turn.as_quat()) == pytest.approx(1.0, abs=1e-14)
