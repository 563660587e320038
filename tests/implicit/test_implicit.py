"""Implicit functions: derivatives in 40 digits, surfaces, curvature against the support function."""

from __future__ import annotations

from typing import NamedTuple

import mpmath as mp
import numpy as np
import pytest

import tangency as tg
from families import matrices, normals, radii
from tangency import implicit

mp.mp.dps = 40


def quadric(squares, linear, side):
    return lambda x: side * (sum(s * v * v + l * v for s, l, v in zip(squares, linear, x)) - 1)


def barr(r, g1, g2, s2, s3, side):
    def f(x):
        u, v, w = (abs(c) / mp.mpf(float(a)) for c, a in zip(x, r))
        total = u**g2 + s2 * v**g2
        return side * (mp.sign(total) * abs(total) ** (mp.mpf(g1) / g2) + s3 * w**g1 - 1)

    return f


def torus(r, g1, g2, hole):
    def f(x):
        u, v, w = (abs(c) / mp.mpf(float(a)) for c, a in zip(x, r))
        return abs((u**g2 + v**g2) ** (mp.mpf(1) / g2) - hole) ** g1 + w**g1 - 1

    return f


def power(r, g):
    return lambda x: sum((abs(c) / mp.mpf(float(a))) ** e for c, a, e in zip(x, r, g)) - 1


def mapped(f, matrix, shift):
    inverse = mp.matrix(matrix.tolist()) ** -1

    def g(x):
        y = inverse * mp.matrix([c - mp.mpf(float(s)) for c, s in zip(x, shift)])
        return f([y[0], y[1], y[2]])

    return g


R = (1.3, 0.7, 0.9)
MATRIX = np.array([[1.2, 0.3, -0.1], [0.2, 0.8, 0.4], [-0.3, 0.1, 1.1]])
SHIFT = (0.4, -0.2, 0.1)

#: body, and its implicit function written down again in mpmath
CASES = {
    "sphere": (tg.Sphere(1.3), power([1.3] * 3, [2] * 3)),
    "ellipsoid": (tg.Ellipsoid(R), power(R, [2] * 3)),
    "superellipsoid flat": (tg.Superellipsoid.from_exponents(R, [5.0, 3.0]), barr(R, 5, 3, 1, 1, 1)),
    "superellipsoid sharp": (tg.Superellipsoid.from_exponents(R, [1.25, 1.5]), barr(R, 1.25, 1.5, 1, 1, 1)),
    "power ellipsoid": (tg.PowerEllipsoid(R, [1.5, 2.0, 4.5]), power(R, [1.5, 2, 4.5])),
    "affine": (
        tg.PowerEllipsoid(R, [3.0, 2.0, 4.5]).affine(MATRIX, SHIFT),
        mapped(power(R, [3, 2, 4.5]), MATRIX, SHIFT),
    ),
    "one sheet": (implicit.hyperboloid_one_sheet([1, 2, 4]), quadric([1, 0.25, -0.0625], [0, 0, 0], 1)),
    "two sheets": (implicit.hyperboloid_two_sheets([1, 2, 4]), quadric([-1, -0.25, 0.0625], [0, 0, 0], -1)),
    "paraboloid": (implicit.elliptic_paraboloid([1, 2], 3.0), quadric([1, 0.25, 0], [0, 0, -3], 1)),
    "saddle": (implicit.hyperbolic_paraboloid([1, 2], 3.0), quadric([1, -0.25, 0], [0, 0, -3], 1)),
    "superquadric": (implicit.Superquadric(R, [5, 3]), barr(R, 5, 3, 1, 1, 1)),
    "super one sheet": (implicit.Superquadric(R, [5, 3], (1, 1, -1)), barr(R, 5, 3, 1, -1, 1)),
    "super two sheets": (implicit.Superquadric(R, [3, 2.5], (1, -1, -1)), barr(R, 3, 2.5, -1, -1, -1)),
    "supertoroid": (implicit.Supertoroid(R, [3, 2.5], 3.0), torus(R, 3, 2.5, 3)),
}

SURFACES = {name: body for name, (body, _) in CASES.items() if isinstance(body, implicit.Surface)}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_in_forty_digits(name):
    body, f = CASES[name]
    rng = np.random.default_rng(1)
    points = rng.uniform(-2.0, 2.0, (6, 3))
    jet = implicit.evaluate(body, points)
    for k, x in enumerate(points):
        at = [mp.mpf(float(c)) for c in x]

        def partial(*orders, at=at):
            return float(mp.diff(lambda *v: f(v), tuple(at), orders)) if any(orders) else float(f(at))

        scale = max(1.0, np.abs(jet.hessian[k]).max())
        assert jet.value[k] == pytest.approx(partial(0, 0, 0), rel=1e-12, abs=1e-12)
        for i in range(3):
            unit = np.eye(3, dtype=int)[i]
            assert jet.gradient[k, i] == pytest.approx(partial(*unit), rel=1e-11, abs=1e-11)
            for j in range(3):
                orders = unit + np.eye(3, dtype=int)[j]
                assert jet.hessian[k, i, j] == pytest.approx(partial(*orders), rel=1e-10, abs=1e-10 * scale)


@pytest.mark.parametrize("name", CASES)
def test_finite_on_axes_and_coordinate_planes(name):
    grid = np.array(np.meshgrid(*[[-1.0, 0.0, 1e-300, 0.7]] * 3)).reshape(3, -1).T
    jet = implicit.evaluate(CASES[name][0], grid)
    assert all(np.isfinite(part).all() for part in jet)


def test_flat_and_sharp_places_are_as_stated():
    flat = implicit.evaluate(tg.PowerEllipsoid([1, 1, 1], [4, 4, 4]), [1.0, 0.0, 0.0])
    assert max(flat.hessian[1, 1], flat.hessian[2, 2]) < 1e-150
    sharp = implicit.evaluate(tg.PowerEllipsoid([1, 1, 1], [2, 1.5, 2]), [1.0, 0.0, 0.0])
    assert 1e20 < sharp.hessian[1, 1] <= 1e100
    # At the pole of an ellipsoid written as a superellipsoid the Hessian is the ellipsoid's.
    pole = implicit.evaluate(tg.Superellipsoid(R, (1.0, 1.0)), [0.0, 0.0, R[2]])
    np.testing.assert_allclose(pole.hessian, np.diag(2.0 / np.square(R)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", SURFACES)
def test_sheets_lie_on_the_surface(name):
    sheets = SURFACES[name].sheets(5.0, 24)
    assert len(sheets) == (2 if "two" in name else 1)
    for sheet in sheets:
        jet = implicit.evaluate(SURFACES[name], sheet)
        off = np.abs(jet.value) / np.linalg.norm(jet.gradient, axis=-1)
        assert off.max() < 1e-12 * 5.0**3
        assert np.ptp(sheet.reshape(-1, 3), axis=0).min() > 0.5


@pytest.mark.parametrize("name", [name for name in SURFACES if hasattr(SURFACES[name], "angle_centre")])
def test_angle_centre_points_lie_on_the_surface(name):
    phi, theta = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(0.01, np.pi - 0.01, 25))
    found = SURFACES[name].angle_centre(phi, theta)
    assert found.exists.sum() > 50
    jet = implicit.evaluate(SURFACES[name], found.point[found.exists])
    far = np.linalg.norm(found.point[found.exists], axis=-1)
    assert (np.abs(jet.value) / np.linalg.norm(jet.gradient, axis=-1) / far).max() < 1e-12
    assert (found.point[~found.exists] == 0.0).all()
    # No sign change of f on the way: it is the first point of the ray.
    inner = implicit.evaluate(SURFACES[name], 0.999 * found.point[found.exists]).value
    centre = implicit.evaluate(SURFACES[name], np.zeros(3)).value
    assert (np.sign(inner) == np.sign(centre)).all()


SMOOTH = {
    "sphere": lambda rng, batch: tg.Sphere(rng.uniform(0.5, 2.0, batch)),
    "ellipsoid": lambda rng, batch: tg.Ellipsoid(radii(rng, batch)),
    "superellipsoid": lambda rng, batch: tg.Superellipsoid(radii(rng, batch), rng.uniform(0.5, 1.5, (*batch, 2))),
    "power ellipsoid": lambda rng, batch: tg.PowerEllipsoid(radii(rng, batch), rng.uniform(1.5, 4.0, (*batch, 3))),
    "affine": lambda rng, batch: tg.Ellipsoid(radii(rng, batch)).affine(matrices(rng, batch), rng.normal(size=3)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_curvature_agrees_with_the_support_function(name):
    rng = np.random.default_rng(2)
    body = SMOOTH[name](rng, (200,))
    n = normals(rng, 200)
    known = body.curvature(n)
    x = body.point(n)
    np.testing.assert_allclose(implicit.frame(body, x).normal, n, atol=2e-8)
    found = implicit.curvature(body, x)
    np.testing.assert_allclose(found.values, known.values, rtol=1e-5)
    apart = known.values[:, 0] > 1.01 * known.values[:, 1]
    along = np.abs((found.directions * known.directions).sum(axis=-1))[apart]
    assert along.min(initial=1.0) > 1.0 - 1e-6


def test_frame_is_orthonormal_everywhere():
    n = np.concatenate([normals(np.random.default_rng(3), 500), np.eye(3), -np.eye(3)])
    ball = tg.Sphere(1.0)
    made = np.stack(implicit.frame(ball, n), axis=-2)
    np.testing.assert_allclose(made @ np.swapaxes(made, -1, -2), np.broadcast_to(np.eye(3), made.shape), atol=1e-14)


def test_saddle_has_curvatures_of_both_signs():
    # x^2 - y^2 - z = 1 at its saddle point: z = x^2 - y^2 - 1 has second derivatives 2 and -2.
    values = implicit.curvature(implicit.hyperbolic_paraboloid([1, 1]), [0, 0, -1]).values
    np.testing.assert_allclose(values, [2.0, -2.0], atol=1e-14)


def test_user_shape_with_an_implicit_function():
    class Ball(tg.Shape):
        class Kernel(NamedTuple):
            radius: float

            def point(self, n):
                k = self.radius / (n[0] ** 2 + n[1] ** 2 + n[2] ** 2) ** 0.5
                return (k * n[0], k * n[1], k * n[2])

            def implicit(self, x):
                f = x[0] ** 2 + x[1] ** 2 + x[2] ** 2 - self.radius**2
                return f, (2.0 * x[0], 2.0 * x[1], 2.0 * x[2]), (2.0, 0.0, 0.0, 2.0, 0.0, 2.0)

    balls = Ball(radius=[1.0, 2.0])
    assert balls.implicit([0.0, 0.0, 2.0]).tolist() == [3.0, 0.0]
    c = tg.contact(balls, tg.Ellipsoid([3, 2, 1]), pose_b=(None, [7, 1, 1]), solver="lopes-implicit")
    exact = tg.contact(balls, tg.Ellipsoid([3, 2, 1]), pose_b=(None, [7, 1, 1]))
    np.testing.assert_allclose(c.distance, exact.distance, atol=1e-11)
    assert c.converged.all()


def test_who_has_none():
    for shape in (tg.Box([1, 1, 1]), tg.Ellipsoid([3, 2, 1]).offset(0.1), tg.Box([1, 1, 1]).affine(np.eye(3))):
        assert not shape.has_implicit
        with pytest.raises(TypeError, match="body must have an implicit function"):
            implicit.evaluate(shape, [0, 0, 0])


def test_bad_surfaces_are_refused():
    with pytest.raises(ValueError, match="shift the origin"):
        implicit.Quadric([1, 1, 1], [1, 0, 0])
    with pytest.raises(ValueError, match="signs must be"):
        implicit.Superquadric([1, 1, 1], [2, 2], (-1, 1, 1))
    with pytest.raises(ValueError, match="hole must lie between 1 and inf"):
        implicit.Supertoroid([1, 1, 1], [2, 2], 0.5)
    with pytest.raises(ValueError, match="lower must be < upper"):
        implicit.elliptic_paraboloid([1, 1]).patch([0, 0, 0], [1, 1, 0])
    with pytest.raises(ValueError, match="the gradient vanishes"):
        implicit.frame(tg.Sphere(1.0), [0, 0, 0])
