"""Narrow features: breaks of g'', minima between samples, short pieces, flat places."""

import math

import numpy as np
import pytest

from tangency import planar
from tangency.planar.pitch import polar

FULL = 2 * np.pi


def jump_of_curvature(height=0.01, width=0.7):
    """g = 1 outside, 1 + height sin^2 inside [1, 1 + width]: g'' jumps at both ends."""
    k = np.pi / width

    def bump(a):
        s, c = np.sin(k * (a - 1)), np.cos(k * (a - 1))
        return 1 + height * s * s, 2 * height * k * s * c, 2 * height * k * k * (c * c - s * s)

    def rest(a):
        return np.ones_like(a), np.zeros_like(a), np.zeros_like(a)

    return planar.from_pieces([0.0, 1.0, 1.0 + width], [rest, bump, rest])


def test_the_table_of_a_function_with_a_jump_of_its_second_derivative():
    function = jump_of_curvature()
    table = function.polynomials()
    alpha = np.concatenate([np.linspace(0, FULL, 3000), *[b + np.linspace(-0.01, 0.01, 400) for b in (1.0, 1.7)]])
    for k, tolerance in enumerate((1e-12, 1e-10, 1e-6)):
        assert abs(table.values(alpha)[k] - function(alpha)[k]).max() < tolerance


def test_another_roller_on_a_profile_with_a_jump_of_curvature():
    pitch = planar.Pitch(jump_of_curvature(0.002), 0.1)
    other = pitch.change_radius(0.05)
    back = other.change_radius(0.1)
    alpha = np.linspace(0, FULL, 2001)
    for k, tolerance in enumerate((1e-12, 1e-9)):
        assert abs(back.values(alpha)[k] - pitch.values(alpha)[k]).max() < tolerance
    # The same points of the boundary, whatever the roller.
    x, y = pitch.at(alpha).point, other.at(np.linspace(0, FULL, 40001)).point
    assert np.linalg.norm(x[::50, None] - y, axis=-1).min(axis=1).max() < 1e-4


@pytest.mark.parametrize("order", [2, 3, 7, 20])
def test_a_fourier_series_is_convex_between_its_samples(order):
    rng = np.random.default_rng(order)
    for _ in range(20):
        shift = rng.uniform(0, FULL)
        c, s = np.zeros(order), np.zeros(order)
        # radius of curvature: 1 - (1 + d) cos(order (phi - shift)), whose minimum is -d
        for d, good in ((-1e-9, True), (1e-9, False)):
            amplitude = (1 + d) / (order**2 - 1)
            c[-1], s[-1] = amplitude * math.cos(order * shift), amplitude * math.sin(order * shift)
            if good:
                planar.FourierShape(1.0, c, s)
            else:
                with pytest.raises(ValueError, match="falls to -1e-09 at phi"):
                    planar.FourierShape(1.0, c, s)


def test_the_lowest_radius_of_a_stack_of_series():
    rng = np.random.default_rng(0)
    c, s = rng.normal(size=(2, 5, 1, 4)) * 0.01
    shape = planar.FourierShape(np.array([1.0, 2.0]), c, s)
    lowest, where = shape._lowest_radius()
    phi = np.linspace(0, FULL, 200001)
    radius = shape.radius_of_curvature(np.stack([np.cos(phi), np.sin(phi)], -1)[:, None, None])
    assert lowest == pytest.approx(radius.min(axis=0), abs=1e-9)
    assert (lowest <= radius.min(axis=0) + 1e-15).all()
    at = shape.radius_of_curvature(np.stack([np.cos(where), np.sin(where)], -1))
    assert at == pytest.approx(lowest, abs=1e-13)


def short_piece(depth, width=1e-4):
    """g = 1, but for a short piece with g'' = -depth in its middle: 1 + a (t (w - t))^4."""
    at = 0.2345678
    a = depth / (8 * (width / 2) ** 6)
    t = np.polynomial.Polynomial([0, width, -1]) ** 4
    return [at, at + width], [[1 + a * t.coef[0], *(a * t.coef[1:])], [1.0] + [0.0] * 8]


def test_offset_limit_sees_a_short_piece():
    breaks, coefficients = short_piece(0.5)
    shape = planar.PiecewiseShape(breaks, coefficients)
    assert planar.offset_limit(shape) == pytest.approx(-0.5, abs=1e-6)
    stack = planar.PiecewiseShape([breaks] * 2, [coefficients, 2 * np.array(coefficients)])
    assert planar.offset_limit(stack) == pytest.approx([-0.5, -1.0], abs=1e-6)
    with pytest.raises(ValueError, match=r"distance must be > -0.5"):
        shape.offset(-0.6)
    with pytest.raises(ValueError, match=r"g \+ g'' falls to -0.2"):
        planar.PiecewiseShape(*short_piece(1.2))


def test_uniqueness_sees_a_short_piece():
    width = 3e-4
    k = np.pi / width

    def dent(a, depth):
        # g'' = 12 k^2 depth at its deepest
        s, c = np.sin(k * (a - 1)), np.cos(k * (a - 1))
        return 1 - depth * s**4, -4 * depth * k * s**3 * c, -4 * depth * k * k * s * s * (3 * c * c - s * s)

    def rest(a):
        return np.ones_like(a), np.zeros_like(a), np.zeros_like(a)

    for bend, unique in ((0.5, True), (30.0, False)):
        function = planar.from_pieces([0.0, 1.0, 1 + width], [rest, lambda a, b=bend: dent(a, b / (4 * k * k)), rest])
        report = planar.Pitch(function, 0.5).uniqueness()
        assert report.ok is unique
        alpha = 1 + width * np.linspace(0, 1, 20001)
        from tangency.planar.pitch.uniqueness import margins

        fine = margins(function, 0.5, False, alpha)
        assert report.curvature_margin == pytest.approx(fine[0].min(), rel=1e-6)
        assert report.position_margin == pytest.approx(fine[1].min(), rel=1e-6)
        assert report.ok is bool((fine > 0).all())


@pytest.mark.parametrize("p", [2.2, 3.0, 4.0, 8.0, 20.0])
def test_pitch_of_a_flat_superellipse(p):
    shape, radius = planar.Superellipse([0.03, 0.02], p), 0.01
    pitch = planar.pitch_from_shape(shape, radius)
    assert pitch.uniqueness()
    for alpha, exact in ((0, 0.03), (np.pi / 2, 0.04), (np.pi, 0.03)):
        assert pitch.values(alpha).value == pytest.approx(exact, abs=1e-14)
    # Centres of touching circles, from the shape itself
    phi = np.linspace(0.01, 6.2, 400)
    n = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    centre = shape.point(n) + radius * n
    assert abs(pitch.gap(centre)).max() < 1e-11
    at = pitch.at(np.linspace(0, FULL, 1001))
    assert abs(shape.implicit(at.point)).max() < 1e-9


def test_pitch_of_straight_sides():
    segment, alpha = planar.Polygon([[-0.01, 0], [0.01, 0]]), np.linspace(0.0, 2.0 * np.pi, 400)
    for shape in (
        planar.Polygon([[1, 1], [-1, 1], [-1, -1], [1, -1]], radius=0.2),
        planar.Superellipse([0.03, 0.02], 3.0) + segment,
    ):
        g = planar.pitch_from_shape(shape, 0.01).values(alpha).value
        centre = np.stack([g * np.sin(alpha), -g * np.cos(alpha)], axis=1)
        c = planar.contact(shape, planar.Circle(0.01), None, (None, centre))
        assert np.abs(c.distance).max() < 1e-12


@pytest.mark.parametrize("knots", [1000, pytest.param(polar.MAX_KNOTS, marks=pytest.mark.full)])
def test_curves_that_cannot_be_interpolated_are_refused(knots, monkeypatch):
    monkeypatch.setattr(polar, "MAX_KNOTS", knots)
    flat = planar.Superellipse([0.03, 0.02], 20.0) + planar.Polygon([[-0.01, 0], [0.01, 0]])
    with pytest.raises(ValueError, match="too sharp or too flat"):
        planar.pitch_from_shape(flat, 0.01)


def test_pieces_must_meet():
    def level(value):
        return lambda a: (value + 0 * a, 0 * a, 0 * a)

    with pytest.raises(ValueError, match=r"pieces must be continuous, but it jumps by 1 at alpha = 3"):
        planar.from_pieces([0, 3.0], [level(1.0), level(2.0)])
    with pytest.raises(TypeError, match="pieces must be functions"):
        planar.from_pieces([0, 3.0], [level(1.0), 2.0])
    ramp = planar.PeriodicFunction(lambda a: (1 + 0.1 * a, 0.1 + 0 * a, 0 * a))
    with pytest.raises(ValueError, match=r"function must be continuous, .* alpha = 2 pi, where the next turn starts"):
        planar.Pitch(ramp, 0.1)
    kink = planar.PeriodicFunction(lambda a: (1 + 0.1 * abs(np.sin(a)), 0.1 * np.sign(np.sin(a)) * np.cos(a), -0.1 * a))
    with pytest.raises(ValueError, match=r"its derivative jumps by 0\.2"):
        planar.Pitch(kink, 0.1)


def test_formulas_with_abs():
    pytest.importorskip("sympy")
    with pytest.raises(ValueError, match=r"g must be continuous, but its derivative jumps by 0.02 at alpha = 3.14159"):
        planar.pitch_from_formula("0.05 + 0.01*Abs(sin(alpha))", 0.01)
    pitch = planar.pitch_from_formula("0.05 + 0.01*Abs(sin(alpha))**3", 0.01)
    alpha = np.array([0.0, 1.0, 4.0])
    s, c = np.sin(alpha), np.cos(alpha)
    assert pitch.values(alpha).value == pytest.approx(0.05 + 0.01 * abs(s) ** 3, abs=1e-16)
    assert pitch.values(alpha).second == pytest.approx(0.03 * (2 * abs(s) * c * c - abs(s) ** 3), abs=1e-15)
