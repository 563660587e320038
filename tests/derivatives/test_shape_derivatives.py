"""Derivatives by shape parameters, against differences of contacts and of their gradients."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from differences import by_stencil
from families import FAMILIES, normals

SMOOTH = ["sphere", "ellipsoid", "superellipsoid round", "power ellipsoid", "ovoid", "offset ellipsoid", "nested",
          "affine ellipsoid", "support formula"]  # fmt: skip
EDGED = ["box", "hull", "capsule", "rounded box", "cylinder", "cone", "ellipsoid plus box"]


def both(c):
    return np.concatenate([c.jacobian("distance", "pose_a"), c.jacobian("distance", "pose_b")], axis=-1)


@pytest.mark.parametrize("name", [*SMOOTH, *EDGED])
def test_by_parameters(name):
    """The distance, and its gradient by both poses, which holds normal and points."""
    rng = np.random.default_rng(7)
    count = 10
    a, b = FAMILIES[name].make(rng, (count,)), FAMILIES["ellipsoid"].make(rng, (count,))
    if name == "cone":  # frustums: a tip may not shrink
        a = tg.Cone(*rng.uniform(0.5, 2.0, (3, count)))
    rotations = Rotation.random(2 * count, rng=rng).as_matrix()
    place = normals(rng, count) * (0.9 * a.bounding_radius + b.bounding_radius)[:, None]
    poses = (rotations[:count], np.zeros((count, 3))), (rotations[count:], place)
    c, flipped = tg.contact(a, b, *poses), tg.contact(b, a, poses[1], poses[0])
    known, p = c.differentiable & (c.condition < 100.0), a.parameters
    assert known.mean() > 0.6
    first = c.jacobian("distance", "shape_a")
    second = np.concatenate([c.hessian((by, "shape_a")) for by in ("pose_a", "pose_b")], axis=-2)
    assert first.shape == p.shape
    for k in range(0, p.shape[-1], max(p.shape[-1] // 6, 1)):
        step = 1e-3 * np.abs(p[:, k]).min() + 1e-6

        def at(t, k=k, step=step):
            shape = a.with_parameters(p + t * step * np.eye(p.shape[-1])[k])
            found = tg.contact(shape, b, *poses, guess=c)
            return np.concatenate([found.distance[:, None], both(found)], axis=-1)

        change = by_stencil(at, 1, 1.0)[..., 0] / step
        error = np.abs(np.concatenate([first[:, None, k], second[..., k]], axis=-1) - change)[known]
        assert np.quantile(error[:, 0], 0.8) < 1e-7
        assert np.quantile(error[:, 1:].max(axis=-1), 0.8) < 1e-7
    # The other order, and consistency of the quantities with each other
    np.testing.assert_allclose(flipped.jacobian("distance", "shape_b")[known], first[known], atol=1e-6)
    np.testing.assert_allclose(c.hessian(("shape_a", "pose_b")), np.swapaxes(second[:, 6:], -1, -2), atol=0)
    dn, d_a, d_b = (c.jacobian(of, "shape_a") for of in ("normal", "point_a", "point_b"))
    gap = first[:, None, :] * c.normal[:, :, None] + c.distance[:, None, None] * dn
    np.testing.assert_allclose((d_b - d_a)[known], gap[known], atol=1e-6)


def test_half_spaces_and_cavities():
    rng = np.random.default_rng(8)
    b, pose = tg.Ellipsoid([0.5, 0.4, 0.3]), (Rotation.random(rng=rng), [0.3, 0.2, 1.0])
    for a in (tg.HalfSpace([0.1, 0.2, 1.0], 0.1), tg.Cavity(tg.Ellipsoid([3, 2, 2.5])), tg.Cavity(tg.Cylinder(2, 3))):
        c, p = tg.contact(a, b, None, pose), a.parameters

        def at(v, a=a, p=p):
            return tg.contact(a.with_parameters(p + v), b, None, pose)

        change = by_stencil(lambda v, at=at: at(v).distance, p.size, 1e-3)
        np.testing.assert_allclose(c.jacobian("distance", "shape_a"), change, atol=1e-9)
        gradient = by_stencil(lambda v, at=at: both(at(v)), p.size, 1e-3)
        found = np.concatenate([c.hessian((by, "shape_a")) for by in ("pose_a", "pose_b")], axis=-2)
        np.testing.assert_allclose(found, gradient, atol=1e-7)


def test_what_is_refused():
    bodies = tg.Bodies([tg.Sphere(1.0), tg.Ellipsoid([1, 2, 3]), tg.Box([1, 1, 1])])
    c = bodies.contact([[0, 1], [2, 1]], (None, [[0, 0, 0], [5, 0, 0], [9, 0, 0]]))
    assert c.jacobian("distance", "shape_b").shape == (2, 3)
    with pytest.raises(ValueError, match="select contacts of one kind"):
        c.jacobian("distance", "shape_a")
    with pytest.raises(ValueError, match="by must contain a pose"):
        c.hessian(("shape_a", "shape_b"))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_parameters_without_finite_derivatives_are_refused(value, monkeypatch):
    """An error names parameter and contact; where a contact has no derivatives, the others are still given."""
    exact = tg.Ellipsoid.parameter_jet

    def broken(self, n):
        support, point = exact(self, n)
        point[1, 2] = value
        return tg.ParameterJet(support, point)

    body, other = tg.Ellipsoid([3.0, 2.0, 1.0]), tg.Sphere(1.0)
    c = tg.contact(body, other, None, (None, [[4.0, 2.0, 1.0], [0, 4.0, 0.5]]))
    assert c.differentiable.all()
    want = c.jacobian("normal", "shape_a")
    monkeypatch.setattr(tg.Ellipsoid, "parameter_jet", broken)
    for of in (lambda: c.jacobian("distance", "shape_a"), lambda: c.hessian(("pose_b", "shape_a"))):
        with pytest.raises(ValueError, match=r"'shape_a' .* by radii\[2\] is not finite at contact \(1,\)"):
            of()
    # At the centre of the ellipsoid two depths are equal
    c = tg.contact(other, body, (None, [[4.0, 2.0, 1.0], [0, 0, 0.0]]))
    assert c.differentiable.tolist() == [True, False]
    found = c.jacobian("normal", "shape_b")
    assert np.isfinite(found).all()
    assert np.abs(want[0]).max() > 0.0
    np.testing.assert_allclose(found[0], -want[0], atol=1e-12)
