"""Support, point, Hessian and curvature against 80-digit arithmetic (see reference.py)."""

import mpmath as mp
import numpy as np
import pytest

import reference
import tangency as tg
from families import FAMILIES, normals

NAMES = [name for name, family in FAMILIES.items() if family.reference]


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(reference.DIGITS):
        yield


def compare(shape, n, exact=True):
    h, x, w = shape.jet(n)
    curvature = shape.curvature(n)
    tolerance = 1e-13 if exact else 1e-8
    h_ref, x_ref, w_ref = reference.derivatives(reference.support(shape), n)
    # Translated bodies: digits relative to the size of what is added.
    size = max(abs(v) for v in x_ref)
    assert abs(h - h_ref) <= 1e-13 * size
    assert max(abs(x[i] - x_ref[i]) for i in range(3)) <= 1e-13 * size
    scale = max(abs(v) for row in w_ref for v in row)
    if scale < mp.mpf(10) ** -30:  # polytopes
        assert (w == 0).all()
        return
    assert max(abs(w[i, j] - w_ref[i][j]) for i in range(3) for j in range(3)) <= tolerance * scale
    small, large = reference.principal_radii(w_ref)
    # An eigenvalue has the digits of the matrix relative to the largest one.
    assert abs(curvature.radii[1] - large) <= tolerance * large
    assert abs(curvature.radii[0] - small) <= tolerance * large
    if small > 0.01 * large:
        assert abs(curvature.values[0] - 1 / small) <= 10 * tolerance / small * (large / small)
        assert abs(curvature.values[1] - 1 / large) <= 10 * tolerance / large


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.full)], ids=["", "full"])
@pytest.mark.parametrize("name", NAMES)
def test_random_normals(name, whole):
    rng = np.random.default_rng(21)
    family = FAMILIES[name]
    # Support points by high-precision search, or with many terms
    slow = "ovoid" in name or "tapered" in name or name in ("harmonic", "spline")
    shapes, each = (3, 4) if not slow else (2, 2) if whole else (1, 2)
    for _ in range(shapes):
        shape = family.make(rng, ())
        for n in normals(rng, each):
            compare(shape, n, family.exact)


@pytest.mark.parametrize("small", [1e-3, 1e-8, 1e-30])
@pytest.mark.parametrize(
    "shape",
    [
        tg.Ellipsoid([3, 2, 1]),
        tg.Superellipsoid([0.3, 0.2, 0.1], (0.3, 1.6)),
        tg.PowerEllipsoid([3, 2, 1], [1.5, 7, 2]),
        tg.PowerEllipsoid([3, 2, 1], [1.2, 2, 30]),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_near_the_coordinate_planes(shape, small):
    """Where a radius goes to zero or to infinity, relative to each entry's own size."""
    n = np.array([0.6, small, -0.8])
    n /= np.linalg.norm(n)
    h, x, w = shape.jet(n)
    with mp.workdps(200):
        old, reference.STEP = reference.STEP, mp.mpf(10) ** -60
        digits, reference.DIGITS = reference.DIGITS, 180
        try:
            h_ref, x_ref, w_ref = reference.derivatives(reference.support(shape), n)
        finally:
            reference.STEP, reference.DIGITS = old, digits
    assert abs(h - h_ref) <= 1e-15 * h_ref * 4
    for i in range(3):
        assert abs(x[i] - x_ref[i]) <= 3e-13 * abs(x_ref[i])
        for j in range(3):
            assert abs(w[i, j] - w_ref[i][j]) <= 3e-13 * abs(w_ref[i][j]) + 1e-40
