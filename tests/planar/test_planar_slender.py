"""Arc length, area and rolling of slender, flat and straight-sided bodies, against closed forms."""

import math
import warnings

import numpy as np
import pytest

from tangency import planar
from tangency.planar.moments import moments_by_quadrature


@pytest.mark.parametrize("thin", [1e-3, 1e-5, 1e-9, 1e-14])
def test_slender_offsets_and_sums(thin):
    needle, across = planar.Ellipse([1.0, thin]), planar.Ellipse([thin, 1.0])
    length, area = float(needle.arc_length), float(needle.area)
    wide = needle.offset(0.1)
    assert wide.arc_length == pytest.approx(length + 0.2 * math.pi, rel=1e-14)
    assert wide.area == pytest.approx(area + 0.1 * length + 0.01 * math.pi, rel=1e-14)
    assert (needle + across).arc_length == pytest.approx(2 * length, rel=1e-14)
    assert planar.Circle(1.0).affine([[1, 0], [0, max(thin, 1e-13)]]).arc_length == pytest.approx(
        float(planar.Ellipse([1.0, max(thin, 1e-13)]).arc_length), rel=1e-13
    )
    # By the plain integrals too: the peak of the radius of curvature is not missed.
    found = moments_by_quadrature(needle)
    assert found.arc_length == pytest.approx(length, rel=1e-14)
    assert found.area == pytest.approx(area, abs=1e-14)
    assert abs(found.area - area) <= found.error * area
    assert found.second == pytest.approx(needle.moments().second, abs=1e-15)


@pytest.mark.parametrize(
    "shape",
    [
        planar.Ellipse([1.0, 1e-5]).offset(0.1),
        planar.Ellipse([1.0, 1e-7]),
        planar.Superellipse([2.0, 1.0], 20.0),
        planar.Superellipse([2.0, 1.0], 1.05).translate([0.3, 0.1]),
        planar.Polygon([[0, 0], [2, 0], [0.3, 1]], radius=0.1),
        planar.Ellipse([1.0, 1e-6]) + planar.Polygon([[0, 0], [1, 1]]),
    ],
)
def test_a_full_turn_rolls_the_arc_length(shape):
    wheel, length = planar.RollingBody(shape), float(shape.arc_length)
    assert wheel.travel(2 * np.pi) == pytest.approx(length, rel=1e-13)
    assert wheel.travel(2 * np.pi * (1 - 1e-15)) == pytest.approx(length, rel=1e-12)
    assert wheel.travel(-6 * np.pi) == pytest.approx(-3 * length, rel=1e-13)


def test_rolling_loses_no_straight_side():
    square = planar.RollingBody(planar.Polygon([[1, 1], [-1, 1], [-1, -1], [1, -1]]))
    turns = np.array([-3, -1, 0, 1, 2, 3, 7, 1000, 12345])
    for quarter in range(4):
        first = square.at(quarter * np.pi / 2).contact[0]
        after = square.at((quarter + 4 * turns) * np.pi / 2).contact[:, 0]
        assert after == pytest.approx(first + 8 * turns, abs=1e-9)


@pytest.mark.parametrize("p", [1.05, 1.5, 3.0, 20.0])
def test_quadrature_against_closed_forms(p):
    shape = planar.Superellipse([3.0, 2.0], p)
    found, exact = moments_by_quadrature(shape), shape.moments()
    assert found.area == pytest.approx(float(exact.area), rel=1e-13)
    assert found.second == pytest.approx(exact.second, abs=1e-12)
    assert found.error < 1e-11


def test_polygons_in_closed_form():
    points = np.random.default_rng(0).normal([1e3, -2e3], size=(1000, 2))
    shape = planar.Polygon(points)
    found, exact = moments_by_quadrature(shape), shape.moments()
    assert found.arc_length == pytest.approx(float(exact.arc_length), rel=1e-12)
    assert found.area == pytest.approx(float(exact.area), rel=1e-11)
    assert found.inertia == pytest.approx(float(exact.inertia), rel=1e-6)
    sliver = planar.Polygon([[0, 0], [1, 0], [1, 1e-12], [0, 1e-12]])
    assert sliver.area == pytest.approx(1e-12, rel=1e-14)
    assert sliver.centroid == pytest.approx([0.5, 5e-13], rel=1e-12)
    assert sliver.inertia() == pytest.approx(1e-12 / 12, rel=1e-12)


def test_missing_digits_are_told():
    """A body of one's own, so slender that the area is lost in the rounding errors of its length."""
    phi = "sqrt(cos(phi)**2 + (b*sin(phi))**2)"
    pytest.importorskip("sympy")
    with pytest.warns(RuntimeWarning, match="have a relative error of about .* see shape.moments"):
        _ = planar.from_potential(phi, b=1e-9, check=False).area
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert planar.from_potential(phi, b=0.1).area == pytest.approx(0.1 * math.pi, rel=1e-14)


@pytest.mark.parametrize("thin", [1e-6, 1e-9, 1e-12, 1e-15])
def test_the_told_error_is_no_less_than_the_true_one(thin):
    """Turned, so that the ends of the needle lie at no angle of the first panels."""
    needle, c, s = planar.Ellipse([1.0, thin]), math.cos(0.3), math.sin(0.3)
    found = moments_by_quadrature(needle.affine([[c, -s], [s, c]]))
    assert found.arc_length == pytest.approx(float(needle.arc_length), rel=1e-12)
    assert abs(found.area - needle.area) <= found.error * needle.area
