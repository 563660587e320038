"""Planar bodies that are refused or found wrong, and how smooth the right ones are."""

import math
import re

import numpy as np
import pytest

from planar_families import FAMILIES
from tangency import ShapeError, planar

NAMES = sorted(FAMILIES)


def bodies(name, count=6, seed=0):
    if name == "formula":
        pytest.importorskip("sympy")
    return FAMILIES[name].make(np.random.default_rng(seed), (count,))


@pytest.mark.parametrize(
    ("shape", "order", "strict"),
    [
        (planar.Circle(1.0), "G2", True),
        (planar.foot_shape(0.01), "G2", True),
        (planar.Ellipse([2, 1]).offset(-0.5 + 1e-13), "G1", True),
        (planar.Polygon([[0, 0], [1, 0], [0, 1]]), "G0", False),
        (planar.Polygon([[0, 0], [1, 0], [0, 1]], 0.1), "G1", False),
        (planar.Superellipse([1, 1], 4.0), "G2", True),
        (planar.Superellipse([1, 1], 1.5), "G1", True),
        (planar.Ellipse([2, 1]) + planar.Polygon([[0, 0], [1, 0]]), "G1", False),
        (planar.PiecewiseShape([0.0, np.pi], [[1.0, 0, 0, 0], [1.0, 0, 0, 0]]), "G2", True),
    ],
)
def test_continuity(shape, order, strict):
    report = planar.continuity(shape)
    assert (report.order, report.strictly_convex) == (order, strict)
    assert report.name in str(report)


def test_continuity_of_a_jump_of_curvature():
    """g = 1 + k t^2 (t - pi)^2 joins g = 1 with the same g', but another g''."""
    k = 0.01
    shape = planar.PiecewiseShape([-np.pi / 2, np.pi / 2], [[1, 0, k * np.pi**2, -2 * k * np.pi, k], [1, 0, 0, 0, 0]])
    report = planar.continuity(shape)
    assert (report.order, report.strictly_convex) == ("G1", True)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: planar.Circle(0.0), "radius must be > 0"),
        (lambda: planar.Ellipse([1, 2, 3]), r"radii must have shape \(..., 2\)"),
        (lambda: planar.Superellipse([1, 1], 1.0), "exponent must lie between 1 and inf"),
        (lambda: planar.Polygon([[0, 0, 0]]), r"points must have shape \(..., V, 2\)"),
        (lambda: planar.Polygon([[0, 0], [1, 0]], radius=0.1), "radius must be 0 for a polygon without area"),
        (lambda: planar.FourierShape(1.0, [0, 0, 0.2], [0, 0, 0]), r"must describe a convex body: .* falls to -0.6"),
        (lambda: planar.Circle(1.0).affine([[1, 2], [2, 4]]), "matrix must be invertible"),
        (lambda: planar.Circle([1, 2]) + planar.Circle([1, 2, 3]), "stacks do not broadcast"),
        (lambda: planar.Circle(1.0).support([0, 0]), "n must not be the zero vector"),
        (lambda: planar.Line([0, 0]), "normal must not be the zero vector"),
        (lambda: planar.Line().support([0, 1]), "a Line is unbounded"),
        (lambda: planar.periodic_spline([0, 1, 2], [1, 1, 1]), "angles and values must be two arrays"),
        (lambda: planar.continuity(planar.Circle([1, 2])), "shape must be a single body"),
    ],
)
def test_bad_input(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_bad_kinds():
    with pytest.raises(TypeError, match="body must be a planar Shape"):
        planar.Offset("circle", 1.0)
    with pytest.raises(TypeError, match="bounded Shape"):
        planar.Offset(planar.Line(), 1.0)
    with pytest.raises(TypeError, match="must be functions too"):
        planar.from_potential(lambda phi: 1.0)


def test_a_users_mistakes_are_sentences():
    from typing import NamedTuple

    class Wrong(planar.Shape):
        class Kernel(NamedTuple):
            a: float

            def potential(self, phi):
                return self.a, math.sqrt(-1.0 - phi * phi), 0.0

    with pytest.raises(ShapeError, match="the formulas of Wrong give no number at n = "):
        Wrong(a=1.0).support([1, 0])

    with pytest.raises(TypeError, match=r"needs a method potential\(self, phi\)"):

        class Empty(planar.Shape):
            class Kernel(NamedTuple):
                a: float


@pytest.mark.parametrize("name", NAMES)
def test_check_finds_nothing_wrong(name):
    report = planar.check(bodies(name, 3))
    assert report.ok, str(report)


def wrong(formula):
    from typing import NamedTuple

    class Kernel(NamedTuple):
        a: float

    Kernel.jet = formula
    return type("Wrong", (planar.Shape,), {"Kernel": Kernel})(a=1.0)


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        (lambda self, n: (1.0, (n[0], n[1]), 1.0), "support is not homogeneous"),
        (lambda self, n: (n[0] ** 2 + n[1] ** 2, (n[0], n[1]), 1.0), r"support is not homogeneous|point\(0.5 n\)"),
        (lambda self, n: (math.hypot(n[0], n[1]), (n[0] / math.hypot(n[0], n[1]), 0.0), 1.0), "differs from support"),
        (
            lambda self, n: (
                math.hypot(n[0], n[1]),
                (n[0] / math.hypot(n[0], n[1]), n[1] / math.hypot(n[0], n[1])),
                2.0,
            ),
            "the radius of curvature is not the derivative of point",
        ),
        (lambda self, n: (math.nan, (n[0], n[1]), 1.0), "support is not finite in 360 of 360 directions"),
    ],
)
def test_check_names_the_mistake(formula, sentence):
    report = planar.check(wrong(formula))
    assert not report
    assert re.search(sentence, str(report))
    with pytest.raises(ShapeError, match="problem"):
        planar.check(wrong(formula), strict=True)


def test_check_finds_a_body_that_is_not_convex():
    pytest.importorskip("sympy")
    report = planar.check(planar.from_potential("1 + 0.5*cos(2*phi)", check=False))
    assert "the body is not convex: the radius of curvature g + g'' is negative" in str(report)
    with pytest.raises(TypeError, match="must be a planar Shape with formulas"):
        planar.check(planar.Line())


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("1 + 0.5*cos(2*phi)", r"g \+ g'' falls to -0.5.* at phi = "),
        ("1 + 0.1*phi", "2 pi-periodic, but it jumps by -0.628319 at phi = pi"),
        ("1 + 0.01*phi**2", "2 pi-periodic, but g' jumps by -0.125664 at phi = pi"),
        ("1 + cos(phi/2)/20", r"2 pi-periodic, but g\(0.3\) = 1.04944 and g\(0.3 \+ 2 pi\) = 0.950561"),
        ("Piecewise((1, phi < 1), (1.001, True))", "near phi = .* jumps|2 pi-periodic"),
        ("Piecewise((1, Abs(phi) < 1), (1.001, True))", "near phi = -?(1|0.99).* jumps"),
    ],
)
def test_a_potential_must_be_periodic_and_convex(formula, sentence):
    pytest.importorskip("sympy")
    with pytest.raises(ValueError, match=sentence):
        planar.from_potential(formula)


def test_a_potential_may_have_straight_sides():
    pytest.importorskip("sympy")
    square = planar.from_potential("a*(Abs(cos(phi)) + Abs(sin(phi)))", a=[1.0, 2.0])
    assert square.support([1, 1]) == pytest.approx([2.0, 4.0])
