"""Arguments of rolling bodies, and what their results offer."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import rolling

BALL = rolling.RollingBody(tg.Sphere(0.1), mass=1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rolling.RollingBody(tg.Box([1, 1, 1])), "shape must be round"),
        (lambda: rolling.RollingBody(tg.capsule(0.1, 1.0)), "shape must be round"),
        (lambda: rolling.RollingBody(tg.HalfSpace([0, 0, 1])), "shape must be a bounded Shape"),
        (lambda: rolling.RollingBody("ball"), "shape must be a Shape"),
        (lambda: rolling.RollingBody(tg.Sphere([1.0, 2.0])), "shape must be a single body"),
        (lambda: rolling.RollingBody(tg.Sphere(1.0), mass=-1.0), "mass must be > 0"),
        (lambda: rolling.RollingBody(tg.Sphere(1.0), mass=1.0, density=1.0), "density and mass"),
        (lambda: rolling.RollingBody(tg.Sphere(1.0), inertia=[1, 1, 9]), "inertia must be physical"),
        (lambda: rolling.RollingBody(tg.Sphere(1.0), normal=[0, 0, 0]), "normal must not be the zero vector"),
        (lambda: rolling.RollingBody(tg.Sphere(1.0), gravity=[[0, 0, 1]]), "gravity must be one vector"),
        (lambda: rolling.RollingBody(tg.Sphere(1.0), gravity=9.81), "gravity must have shape"),
        (lambda: rolling.RollingBody(tg.Sphere(1.0), pivoting=1), "pivoting must be True or False"),
        (lambda: rolling.RollingBody(tg.Sphere(1.0), masse=1), "did you mean 'mass'"),
        (lambda: BALL.simulate(np.diag([1, 1, 2])), "orientation must be a rotation"),
        (lambda: BALL.simulate(Rotation.random(2, rng=0)), "must be single"),
        (lambda: BALL.simulate(duration=0.0), "duration must be > 0"),
        (lambda: BALL.simulate(friction=-0.1), "friction must be >= 0"),
        (lambda: BALL.simulate(rtol=1e-15), "rtol must be >= 1e-13"),
        (lambda: BALL.simulate(samples=1), "samples must be an integer >= 2"),
        (lambda: BALL.state(contact=[0, 0, 0.1]), "contact must lie on the plane"),
        (lambda: BALL.state(angular_velocity=np.zeros((2, 2, 3))), "one stack axis"),
        (
            lambda: rolling.RollingBody(tg.Sphere(1.0), pivoting=False).state(None, [1, 0, 1]),
            "no component along the normal",
        ),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_mass_of_the_shape():
    """By default that of the solid; a shifted centre of mass shifts the inertia."""
    egg = tg.Ovoid([0.02, 0.02, 0.03], [1, 0.2, 0, 0], [1, 0.2, 0, 0])
    own = rolling.RollingBody(egg, density=1030).mass_properties
    assert own.mass == pytest.approx(1030 * float(egg.volume))
    assert own.centre == pytest.approx(egg.centroid)
    assert own.inertia == pytest.approx(egg.inertia(1030))
    shifted = rolling.RollingBody(egg, density=1030, centre_of_mass=[0, 0, 0]).mass_properties
    d = egg.centroid
    assert shifted.inertia == pytest.approx(own.inertia + own.mass * (d @ d * np.eye(3) - np.outer(d, d)))


def test_states_broadcast():
    turns, spins = Rotation.random(5, rng=1), np.random.default_rng(0).normal(size=(5, 3))
    body = rolling.RollingBody(tg.Ellipsoid([3, 2, 1]))
    many = body.state(turns, spins)
    for k in range(5):
        one = body.state(turns[k], spins[k])
        for name in ("force", "angular_acceleration", "contact", "velocity", "energy", "friction_demand"):
            assert getattr(many, name)[k] == pytest.approx(getattr(one, name), rel=1e-14, abs=1e-14)
    assert body.state(None, spins).force.shape == (5, 3)
    assert body.state(turns).torque.shape == (5,)


def test_trajectory_draws_the_motion(tmp_path):
    run = BALL.simulate(None, [0, 3.0, 0.0], 0.5, samples=26)
    motion = run.trajectory()
    assert motion.names == ("plane", "body")
    assert motion.mechanical_energy == pytest.approx(run.energy)
    assert motion.velocity[:, 1] == pytest.approx(np.tile([0.3, 0.0, 0.0], (26, 1)))
    assert motion.contacts.at(-1).point[0] == pytest.approx([0.15, 0, 0])
    pytest.importorskip("matplotlib")
    assert len(motion.snapshots(2, width=300, height=200).axes) == 2
    assert motion.animate(tmp_path / "ball.html").stat().st_size > 1e4
    motion.save(tmp_path / "ball.npz")


def test_starts_where_told():
    normal = np.array([0.0, 0.6, 0.8])
    body = rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1]), normal=5.0 * normal)
    run = body.simulate(None, duration=0.1, contact=[1.0, 0.8, -0.6])
    assert run.contact[0] == pytest.approx([1.0, 0.8, -0.6])
    assert run.contact @ normal == pytest.approx(0.0, abs=1e-15)
