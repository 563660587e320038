"""Parameters of shapes as a vector, and the derivatives of support value and point by them."""

import numpy as np
import pytest

import tangency as tg
from differences import by_stencil
from families import FAMILIES, Egg, normals

OWN = ("user's egg", "user's egg by point", "potential formula", "potential functions")
NAMES = [name for name in FAMILIES if name not in OWN]


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_by_parameters(name):
    rng = np.random.default_rng(1)
    shape = FAMILIES[name].make(rng, (3,))
    p, n = shape.parameters, normals(rng, 3)
    assert p.shape == (3, len(shape.parameter_names))
    np.testing.assert_allclose(shape.with_parameters(p).support(n), shape.support(n), rtol=1e-12)
    found = shape.parameter_jet(n)
    assert found.point.shape == (*p.shape, 3)
    # Of very many parameters, only some: the others have the same formulas.
    for k in range(0, p.shape[-1], max(p.shape[-1] // (12 if p.shape[-1] < 40 else 2), 1)):
        step = (2e-3 * np.abs(p[:, k]))[:, None] + (0.0 if (p[:, k] != 0).all() else 1e-4)
        direction = step * np.eye(p.shape[-1])[k]

        def at(t, direction=direction):
            jet = shape.with_parameters(p + t * direction).jet(n)
            return np.concatenate([jet.support[:, None], jet.point], axis=-1)

        try:
            change = by_stencil(at, 1, 1.0)[..., 0] / step
        except ValueError:
            continue  # a neighbour is not convex, or has a negative radius
        scale = 1.0 + np.abs(found.point[:, k]).max()
        np.testing.assert_allclose(found.support[:, k], change[:, 0], atol=1e-9 * scale)
        np.testing.assert_allclose(found.point[:, k], change[:, 1:], atol=1e-8 * scale)


@pytest.mark.parametrize("name", NAMES)
def test_the_support_value_follows_from_the_point(name):
    """dh/dp = n.dx/dp, also for directions that are no unit vectors; stacks broadcast against normals."""
    rng = np.random.default_rng(2)
    shape, n = FAMILIES[name].make(rng, (2,)), 3.0 * normals(rng, 4, 1)
    found = shape.parameter_jet(n)
    assert found.support.shape == (4, 2, len(shape.parameter_names))
    np.testing.assert_allclose((found.point * n[..., None, :]).sum(axis=-1), found.support, rtol=1e-9, atol=1e-11)
    one = shape[1].parameter_jet(n[2, 0])
    np.testing.assert_allclose(one.support, found.support[2, 1], rtol=1e-12, atol=1e-13)


def test_names():
    names = (tg.Ellipsoid([3, 2, 1]).offset(0.1) + tg.Cone(1, 2)).parameter_names
    assert names == (
        "a.body.radii[0]", "a.body.radii[1]", "a.body.radii[2]", "a.distance", "b.radius", "b.half_length",
        "b.top_radius",
    )  # fmt: skip
    assert tg.Sphere(1.0).affine(np.eye(3)).parameter_names[1:3] == ("matrix[0, 0]", "matrix[0, 1]")
    assert tg.HalfSpace([0, 0, 1], 2.0).parameter_names == ("normal[0]", "normal[1]", "normal[2]", "offset")
    cavity = tg.Cavity(tg.Cylinder(1, 2), ends=False)
    assert cavity.parameter_names == ("hollow.radius", "hollow.half_length")
    assert repr(cavity.with_parameters([3, 4])) == "Cavity(Cylinder(radius=3.0, half_length=4.0), ends=False)"


def test_own_classes():
    """A class without derivatives is refused by name; one that has them is used."""
    for shape in (Egg(radius=1.0, skew=0.1), Egg(radius=1.0, skew=0.1).offset(0.1)):
        with pytest.raises(TypeError, match="Egg has no derivatives by its parameters"):
            shape.parameter_jet([0, 0, 1])

    class Ball(tg.Shape):
        Kernel = type("Kernel", (tg.Sphere.Kernel,), {})
        parameter_names = ("radius",)

        def parameter_jet(self, n):
            u = np.asarray(n) / np.linalg.norm(n, axis=-1, keepdims=True)
            return tg.ParameterJet(np.linalg.norm(n, axis=-1)[..., None], u[..., None, :])

    c = tg.contact(Ball(radius=1.0).offset(0.5), tg.Sphere(1.0), None, (None, [0, 0, 4]))
    assert c.jacobian("distance", "shape_a").tolist() == [-1.0, -1.0]
