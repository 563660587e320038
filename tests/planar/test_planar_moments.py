"""Area, centroid, moments and arc length of planar bodies."""

import math

import mpmath
import numpy as np
import pytest

from planar_families import FAMILIES, directions
from tangency import planar

NAMES = sorted(FAMILIES)


def bodies(name, count=6, seed=0):
    if name == "formula":
        pytest.importorskip("sympy")
    return FAMILIES[name].make(np.random.default_rng(seed), (count,))


@pytest.mark.parametrize("name", NAMES)
def test_moments_against_a_fine_polygon(name):
    """Two polygons of boundary points, extrapolated."""
    shape = bodies(name, 2)
    if name == "segment":
        assert (shape.area == 0).all()
        assert shape.centroid == pytest.approx(shape.points.mean(axis=-2))
        assert shape.arc_length == pytest.approx(2 * np.linalg.norm(np.diff(shape.points, axis=-2)[:, 0], axis=-1))
        return
    m = shape.moments()
    assert (m.error < 1e-6).all()
    for k in range(2):
        one = shape[k]
        found = []
        for count in (20000, 40000):
            phi = np.sort(np.concatenate([np.arange(count) * 2 * np.pi / count, one._breaks() % (2 * np.pi)]))
            x = one.point(directions(phi))
            y = np.roll(x, -1, axis=0)
            area = 0.5 * (x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0])
            second = (area[:, None] * (x * x + x * y + y * y)).sum() / 6
            first = (area[:, None] * (x + y)).sum(axis=0) / 3
            length = np.linalg.norm(y - x, axis=1).sum()
            found.append(np.array([length, area.sum(), *first, second]))
        exact = (4 * found[1] - found[0]) / 3
        mine = np.array([m.arc_length[k], m.area[k], *(m.area[k] * m.centroid[k]), np.trace(m.second[k])])
        tolerance = 1e-4 if "flat" in name or name in ("affine", "nested", "superellipse") else 1e-7
        assert mine == pytest.approx(exact, abs=tolerance * abs(exact).max())
        assert m.inertia[k] == pytest.approx(np.trace(m.second[k]) - m.area[k] * (m.centroid[k] ** 2).sum())


def test_moments_in_closed_form():
    assert planar.Circle(2.0).inertia() == pytest.approx(8 * math.pi)
    with mpmath.workdps(30):
        length = 4 * 3 * mpmath.ellipe(1 - mpmath.mpf(4) / 9)
    assert planar.Ellipse([2, 3]).arc_length == pytest.approx(float(length), rel=1e-15)
    triangle = planar.Polygon([[0, 0], [3, 0], [0, 4]]).moments()
    assert triangle.arc_length == pytest.approx(12)
    assert triangle.area == pytest.approx(6)
    assert triangle.centroid == pytest.approx([1, 4 / 3])
    assert triangle.inertia == pytest.approx(6 * (9 + 16 + 25) / 36)  # area / 36 times the squares of the sides
    # Steiner: offset by d adds L d + pi d^2 to the area and 2 pi d to the length
    body = planar.Superellipse([2, 1], 3.0)
    wide = body.offset(0.5).moments()
    assert wide.area == pytest.approx(float(body.area + 0.5 * body.arc_length + math.pi / 4), rel=1e-12)
    with mpmath.workdps(20):
        exact = 4 * 2 * mpmath.gamma(mpmath.mpf(4) / 3) ** 2 / mpmath.gamma(mpmath.mpf(5) / 3)
    assert body.area == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("p", [1.05, 1.3, 4.0, 20.0])
def test_arc_length_of_a_superellipse(p):
    """Against the integral over the implicit curve, in mpmath."""
    a, b = 1.5, 1.0
    with mpmath.workdps(25):

        def speed(u, ratio):  # along one axis, up to the middle of the quarter, where both slopes are finite
            return mpmath.sqrt(1 + (ratio * u ** (p - 1) / (1 - u**p) ** (1 - 1 / mpmath.mpf(p))) ** 2)

        end = mpmath.mpf(2) ** (-1 / mpmath.mpf(p))
        parts = [r * mpmath.quad(lambda u, q=q: speed(u, q), [0, end]) for r, q in ((a, b / a), (b, a / b))]
        exact = 4 * sum(parts)
    assert planar.Superellipse([a, b], p).arc_length == pytest.approx(float(exact), rel=3e-12)
