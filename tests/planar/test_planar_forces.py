"""Forces on planar contacts: the same numbers as for spheres in the plane z = 0, and from vectors."""

import numpy as np
import pytest

import tangency as tg
from tangency import planar

LAWS = [tg.forces.Hertz(stiffness=1e6), tg.forces.KelvinVoigt(stiffness=1e5, damping=30.0)]


def spatial(vectors):
    return np.concatenate([vectors, np.zeros((*np.shape(vectors)[:-1], 1))], axis=-1)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_circles_are_spheres_in_a_plane(law):
    rng = np.random.default_rng(3)
    place, v_a, v_b = 0.148 * np.array([np.cos(1.0), np.sin(1.0)]) + [0.2, 0.1], *rng.normal(size=(2, 6, 2))
    w_a, w_b = 10 * rng.normal(size=(2, 6))
    friction = tg.forces.Tanh(coefficient=0.4, speed=0.1)
    flat = planar.contact(planar.Circle(0.1), planar.Circle(0.05), (0.3, [0.2, 0.1]), (0.7, place))
    found = tg.forces.on(flat, (v_a, w_a), (v_b, w_b), normal=law, friction=friction, at=0.3)
    assert isinstance(found, planar.PlanarForces)
    ball = tg.contact(tg.Sphere(0.1), tg.Sphere(0.05), (None, [0.2, 0.1, 0]), (None, [*place, 0]))
    z = np.array([0.0, 0.0, 1.0])
    twists = (spatial(v_a), w_a[:, None] * z), (spatial(v_b), w_b[:, None] * z)
    exact = tg.forces.on(ball, *twists, normal=law, friction=friction, at=0.3)
    for name in ("force_a", "force_b", "point", "friction"):
        assert spatial(getattr(found, name)) == pytest.approx(getattr(exact, name), abs=1e-9)
    for name in ("normal", "depth", "rate"):
        assert getattr(found, name) == pytest.approx(getattr(exact, name), abs=1e-9)
    for name in ("torque_a", "torque_b"):
        assert getattr(found, name) == pytest.approx(getattr(exact, name)[:, 2], abs=1e-9)
    assert np.abs(found.slip) == pytest.approx(np.linalg.norm(exact.slip, axis=-1), abs=1e-12)


def test_stacks_lines_and_origins():
    """An ellipse on the ground: weight against Hertz, slip of its lowest point, torque about a given point."""
    ground, ellipse = planar.Line([0, 1]), planar.Ellipse([0.2, 0.1])
    c = planar.contact(ground, ellipse, pose_b=([0.0, 0.0], [[0.0, 0.0999], [1.0, 0.0998]]))
    found = tg.forces.on(c, None, ([1.0, 0.0], [-4.0, -4.0]), normal=tg.forces.Hertz(stiffness=1e6))
    curvature = 0.1 / 0.2**2
    assert found.normal == pytest.approx(
        tg.forces.Hertz(stiffness=1e6).force([1e-4, 2e-4], curvature=[curvature, curvature]), rel=1e-9
    )
    assert found.force_b[:, 1] == pytest.approx(found.normal)
    # The normal of the ground turned by 90 degrees points along -x; the point moves with 1 - 4 * 0.1 = 0.6.
    assert -found.slip == pytest.approx([0.6, 0.6], abs=1e-3)
    other = tg.forces.on(c, normal=tg.forces.Hertz(stiffness=1e6), origin_b=[[0.5, 0.0], [0.5, 0.0]])
    assert other.torque_b == pytest.approx(np.array([-0.5, 0.5]) * other.normal, rel=1e-9)
    assert c[1].normal.tolist() == c.normal[1].tolist()
    single = tg.forces.on(c[1], normal=tg.forces.Hertz(stiffness=1e6), origin_b=[0.5, 0.0])
    assert single.torque_b == pytest.approx(other.torque_b[1])


def test_mistakes():
    c = planar.contact(planar.Circle(1.0), planar.Circle(1.0), pose_b=(0.0, [1.9, 0.0]))
    law = tg.forces.Hertz(stiffness=1e6)
    with pytest.raises(ValueError, match="rolling and stretch must not be given for planar contacts"):
        tg.forces.on(c, normal=law, stretch=(1.0, 0.0, 0.0))
    with pytest.raises(TypeError, match=r"twist_a must be None or \(velocity, rate\)"):
        tg.forces.on(c, 3.0, normal=law)
    with pytest.raises(TypeError, match="normal must be a NormalLaw"):
        tg.forces.on(c, normal=3.0)
    with pytest.raises(ValueError, match="at must lie between 0"):
        tg.forces.on(c, normal=law, at=2.0)
