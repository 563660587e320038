"""Potentials as spherical harmonics and as splines: orders of convergence, convexity, clouds, contact."""

import math

import numpy as np
import pytest
from scipy.special import sph_harm_y

import tangency as tg
from families import normals
from manufactured import random_pairs, random_radii
from tangency.geometry.moments import spread
from tangency.shapes.harmonic import smoothed

EGG = tg.Ellipsoid([1.2, 1.0, 0.8])
N = spread(700)
BOX, CAPSULE = tg.Box([1, 0.7, 0.5]), tg.Segment(1.0).offset(0.3)


def errors(shape, exact):
    """Largest errors of h, x and W."""
    return np.array([np.abs(a - b).max() for a, b in zip(shape.jet(N), exact.jet(N))])


def test_harmonics_are_orthonormal_and_in_the_stated_order():
    """Against SciPy's complex harmonics, which carry Condon and Shortley's sign."""
    rng = np.random.default_rng(0)
    c = np.concatenate([[10.0], 0.01 * rng.uniform(-1, 1, 24)])
    n = normals(rng, 50)
    phi, theta = np.arccos(n[:, 2]), np.arctan2(n[:, 1], n[:, 0])
    total = np.zeros(50)
    for l in range(5):
        for m in range(-l, l + 1):
            y = (-1) ** m * math.sqrt(2) * sph_harm_y(l, abs(m), phi, theta)
            y = sph_harm_y(l, 0, phi, theta).real if m == 0 else (y.imag if m < 0 else y.real)
            total += c[l * l + l + m] * y
    shape = tg.HarmonicShape(c)
    np.testing.assert_allclose(shape.support(n), total, rtol=1e-13)
    np.testing.assert_allclose(shape.coefficients, c, rtol=1e-14)
    moved = tg.HarmonicShape([math.sqrt(4 * math.pi), 0, math.sqrt(4 * math.pi / 3) * 5, 0])
    np.testing.assert_allclose(moved.point(n), n + np.array([0, 0, 5]), atol=1e-14)


def test_harmonics_converge_spectrally():
    found = np.array([errors(tg.HarmonicShape.from_shape(EGG, degree), EGG) for degree in (4, 8, 12, 16, 20)])
    # Geometric: every four degrees divide all errors, of h, points and radii, by more than 5.
    assert (found[1:] < found[:-1] / 5).all()
    assert found[-1, 0] < 1e-9
    assert found[-1, 2] < 1e-6


def test_poles_are_no_special_places():
    shape = tg.HarmonicShape.from_shape(EGG, 20)
    near = np.array([[0, 0, 1], [1e-9, 0, 1], [0, -1e-5, -1], [1e-200, 0, 1]])
    for a, b in zip(shape.jet(near), EGG.jet(near)):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_splines_converge_at_their_order():
    """Orders 4, 3 and 2 of h, points and radii of curvature."""
    coarse, fine = (errors(tg.SplineShape.from_shape(EGG, cells), EGG) for cells in (8, 16))
    order = np.log2(coarse / fine)
    assert (order > [3.5, 2.5, 1.6]).all(), order
    assert (order < [4.7, 3.7, 2.7]).all(), order


def test_spline_curvature_is_continuous_across_cells():
    """The jump of W over 1e-9 is that of a continuous function, also at faces, edges and corners of cells."""
    shape = tg.SplineShape.from_shape(tg.Ellipsoid([1.2, 1.0, 0.7]), 4)
    n = np.array([[0.5, 0.5, math.sqrt(0.5)], [0.0, 0.6, 0.8], [0.0, 0.0, 1.0], [0.5, 0.1, math.sqrt(0.74)]])
    rng = np.random.default_rng(1)
    for _ in range(20):
        a = shape.hessian(n + 1e-9 * rng.normal(size=n.shape))
        b = shape.hessian(n + 1e-9 * rng.normal(size=n.shape))
        assert np.abs(a - b).max() < 1e-6


@pytest.mark.parametrize(
    ("kind", "resolution", "body"),
    [
        pytest.param(tg.HarmonicShape, 8, BOX, id="harmonic box"),
        pytest.param(tg.HarmonicShape, 8, CAPSULE, id="harmonic capsule", marks=pytest.mark.full),
        pytest.param(tg.SplineShape, 4, BOX, id="spline box", marks=pytest.mark.full),
        pytest.param(tg.SplineShape, 4, CAPSULE, id="spline capsule"),
    ],
)
def test_bodies_with_edges_and_straight_parts_stay_convex(kind, resolution, body):
    """The plain fit is dented; the constrained one is not, and its stated error is the true one."""
    dented = kind._unchecked(kind._plain(body, resolution))
    assert np.linalg.eigvalsh(dented.hessian(N))[:, 0].min() < -1e-3
    shape = kind.from_shape(body, resolution)
    assert np.linalg.eigvalsh(shape.hessian(spread(9000)))[:, 0].min() > -1e-12
    assert shape.fitted.constraints > 0
    assert 0 < shape.fitted.least_radius < 0.1
    gap = np.abs(shape.support(N) - body.support(N)).max()
    assert 0.5 * shape.fitted.largest < gap < 1.1 * shape.fitted.largest
    assert shape.fitted.largest < 0.3
    assert tg.check(shape).ok
    # Built again from its coefficients it passes the constructor's own test.
    kind(shape.coefficients)


def test_smoothing_by_rotations_keeps_bodies_convex():
    box = tg.Box([1, 0.7, 0.5])
    for degree in (4, 9, 16):
        shape = tg.HarmonicShape(smoothed(tg.HarmonicShape._plain(box, degree)))
        assert shape.curvature(spread(5000)).radii.min() > 0


def test_dents_are_rejected_with_the_normal():
    c = np.zeros(16)
    c[0], c[12] = 3.5, 0.4
    with pytest.raises(tg.ShapeError, match=r"radius of curvature falls to -[0-9.]+ at n = \("):
        tg.HarmonicShape(c)
    with pytest.raises(tg.ShapeError, match="coefficients must describe a convex body"):
        tg.SplineShape(np.random.default_rng(2).normal(size=(7, 7, 7)))
    with pytest.raises(ValueError, match=r"coefficients must have shape \(..., \(L \+ 1\)\^2\)"):
        tg.HarmonicShape(np.ones(5))
    with pytest.raises(ValueError, match="M from 5 to 43"):
        tg.SplineShape(np.ones((4, 4, 4)))
    with pytest.raises(ValueError, match="degree must be a whole number"):
        tg.HarmonicShape.from_shape(EGG, 2.5)
    with pytest.raises(ValueError, match="must not lie in one plane"):
        tg.HarmonicShape.from_points(np.random.default_rng(3).normal(size=(50, 3)) * [1, 1, 0], 4)
    with pytest.raises(ValueError, match="least_radius must be a number > 0"):
        tg.SplineShape.from_shape(EGG, 4, least_radius=-1.0)


@pytest.mark.parametrize(
    ("kind", "resolution", "tolerance"),
    [(tg.HarmonicShape, 10, 1e-4), pytest.param(tg.SplineShape, 4, 4e-3, marks=pytest.mark.full)],
)
def test_clouds(kind, resolution, tolerance):
    """A body far from the origin, noise-free: its support function comes back; with noise: to a part of the noise."""
    rng = np.random.default_rng(4)
    move = np.array([3.0, -2.0, 1.0])
    cloud = EGG.point(normals(rng, 900)) + move
    shape = kind.from_points(cloud, resolution)
    assert np.abs(shape.support(N) - EGG.support(N) - N @ move).max() < tolerance
    assert shape.fitted.rms <= shape.fitted.largest < tolerance
    noisy = kind.from_points(cloud + 0.005 * rng.normal(size=cloud.shape), resolution)
    assert 0.003 < noisy.fitted.rms < 0.0055
    assert np.abs(noisy.support(N) - EGG.support(N) - N @ move).max() < 0.012


def test_clouds_with_hollows_by_their_hull():
    rng = np.random.default_rng(5)
    n = normals(rng, 2000)
    cloud = n * (1.0 - 0.3 * np.exp(-8 * (1 - n[:, :1])))  # a ball with a crater
    shape = tg.HarmonicShape.from_points(cloud, 10, hull=True)
    assert np.abs(shape.support(N) - tg.Hull(cloud).support(N)).max() < 0.05


@pytest.mark.parametrize(("kind", "resolution"), [(tg.HarmonicShape, 8), (tg.SplineShape, 4)])
def test_manufactured_contacts(kind, resolution):
    rng = np.random.default_rng(6)
    body = kind.from_shape(tg.Box([1, 0.7, 0.5]) + tg.Sphere(0.5), resolution)
    problem = random_pairs(rng, body.broadcast_to((500,)), tg.Ellipsoid(random_radii(rng, 500, 5.0)), 500)
    c = problem.contact()
    assert c.converged.all()
    assert (abs(c.distance - problem.gap) <= 1e-12 * (problem.size + problem.gap)).all()
    assert (c.lower <= c.distance).all()
    assert (c.distance <= c.upper).all()
    deep = tg.contact(body, tg.Ellipsoid([0.5, 0.4, 0.3]), pose_b=(None, [0.3, 0.2, 0.1]))
    assert bool(deep.converged)
    assert float(deep.distance) < 0
