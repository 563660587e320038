"""Smoothing of measured profiles and tables: errors of the result against the exact cam, and its bounds."""

import numpy as np
import pytest

from planar_families import directions
from tangency import planar
from tangency.planar.pitch.penalised_spline import Observations, normal_equations
from tangency.planar.pitch.spline_basis import Basis

ALPHA = np.arange(360) * np.pi / 180
FINE = np.linspace(0, 2 * np.pi, 7201)[:-1]
CAM = planar.cam_pitch(0.01)


def force(values):
    """Normal force of a rigid tappet in line with the axis, spring 2000 N/m, 0.025 kg, 100 rad/s."""
    g, g1, g2 = values
    return (2000.0 * g + 0.025 * 100.0**2 * g2) * np.hypot(g, g1) / g


def profile_points():
    """360 points of the paper's cam at even polar angles; only three lie on its nose."""
    return CAM.change_radius(0.0).values(ALPHA).value[:, None] * directions(ALPHA - np.pi / 2)


@pytest.mark.parametrize(("seed", "tolerance"), [(0, None), (1, 5e-6), pytest.param(2, 5e-6, marks=pytest.mark.full)])
def test_a_profile_with_five_micrometres_of_noise(seed, tolerance):
    rng = np.random.default_rng(seed)
    points = rng.permutation(profile_points() + 5e-6 * rng.normal(size=(360, 2)))
    found = planar.smooth_profile(points, 0.01, tolerance=tolerance)
    exact, mine = CAM.values(FINE), found.pitch.values(FINE)
    assert np.abs(mine.value - exact.value).max() < 10e-6
    assert np.abs(force(mine) - force(exact)).max() < 0.05 * force(exact).max()
    assert found.pitch.uniqueness()
    assert found.scatter == pytest.approx(5e-6, rel=0.15)
    # The residuals are distances from the boundary, in the order of the points.
    outside = found.pitch.change_radius(0.0)
    r, t = np.linalg.norm(points, axis=1), np.arctan2(points[:, 1], points[:, 0]) + np.pi / 2
    along = outside.values(t)
    assert found.residuals == pytest.approx((r - along.value) * along.value / np.hypot(*along[:2]), abs=1e-6)


@pytest.mark.parametrize("tolerance", [None, 1e-6 / np.sqrt(12)])
def test_a_lift_table_rounded_to_one_micrometre(tolerance):
    table = CAM.values(ALPHA).value.round(6)
    assert not planar.pitch_from_samples(ALPHA, table, 0.01).uniqueness()
    found = planar.smooth_samples(ALPHA, table, 0.01, tolerance=tolerance)
    exact, mine = CAM.values(FINE), found.pitch.values(FINE)
    assert np.abs(mine.value - exact.value).max() < 2e-6
    assert np.abs(force(mine) - force(exact)).max() < 0.02 * force(exact).max()
    assert found.pitch.uniqueness()
    # The smoothed cam runs like the exact one.
    runs = [planar.run_cam(planar.CamTappet(pitch, spring=2000.0), 1.0) for pitch in (CAM, found.pitch)]
    assert [run.events for run in runs] == [(), ()]
    peaks = [run.forces.normal.max() for run in runs]
    assert peaks[1] == pytest.approx(peaks[0], rel=0.05)


def test_inside_a_ring_and_on_a_boundary():
    """A roller inside an ellipse, and a knife edge on it, against the exact curves."""

    def ellipse(u, nu):
        return np.stack([0.09 * np.cos(u + nu * np.pi / 2), 0.06 * np.sin(u + nu * np.pi / 2)], -1)

    points = ellipse(ALPHA, 0) + 5e-6 * np.random.default_rng(4).normal(size=(360, 2))
    for radius, concave in ((0.01, True), (0.0, False)):
        exact = planar.pitch_from_profile(ellipse, radius, concave=concave).values(FINE).value
        found = planar.smooth_profile(points, radius, concave=concave)
        assert np.abs(found.pitch.values(FINE).value - exact).max() < 6e-6
        assert found.scatter == pytest.approx(5e-6, rel=0.15)


def test_convex_fits_converge_and_are_convex():
    """Points with 1 % noise: the error is that of a dozen degrees of freedom, and falls with M^-3/7."""
    shape, n, errors = planar.Ellipse([0.03, 0.02]), directions(FINE[::10]), []
    for count in (125, 500, 2000):
        rng = np.random.default_rng(count)
        t = rng.uniform(0, 2 * np.pi, count)
        points = np.stack([0.03 * np.cos(t), 0.02 * np.sin(t)], -1) + 3e-4 * rng.normal(size=(count, 2))
        found = planar.smooth_shape(points)
        assert (found.shape.radius_of_curvature(n) > 0).all()
        assert found.scatter == pytest.approx(3e-4, rel=0.2)
        errors.append(np.sqrt(((found.shape.support(n) - shape.support(n)) ** 2).mean()))
        assert errors[-1] < 1.5 * 3e-4 * np.sqrt(found.freedom / count)
    assert errors[0] / errors[2] > 0.6 * 16 ** (3 / 7)


@pytest.mark.parametrize("seed", range(3))
def test_points_of_a_triangle_give_a_convex_shape(seed):
    """Corners and straight sides with noise: the bound is active nearly everywhere, and holds everywhere."""
    rng = np.random.default_rng(seed)
    corners, part = 0.03 * directions(rng.uniform(0, 0.7, 3) + np.arange(3) * 2.1), np.linspace(0, 1, 40)[:, None]
    sides = [a * (1 - part) + b * part for a, b in zip(corners, np.roll(corners, -1, axis=0))]
    points = np.concatenate(sides) + 1e-4 * rng.normal(size=(120, 2))
    found = planar.smooth_shape(points, smallest_radius=1e-3)
    assert found.active > 10
    assert "curvature is at its bound" in str(found)
    assert found.shape.radius_of_curvature(directions(np.linspace(0, 7, 20001))).min() > 1e-3
    assert np.abs(found.residuals).max() < 4e-3  # at the corners, which no smooth curve reaches


def test_the_bounded_fit_is_the_best_one():
    """Against scipy's general solver on a problem with an active bound."""
    from scipy.optimize import LinearConstraint, minimize

    from tangency.planar.pitch.penalised_spline import Bounds, bounded_coefficients

    basis, alpha = Basis(24), np.arange(96) * np.pi / 48
    seen = Observations(alpha, 1.0 + 0.2 * np.cos(3 * alpha), np.ones(96))
    system = normal_equations(basis, seen)
    rows, strength = basis.bernstein_of_radius, 1e-3
    found, active = bounded_coefficients(system, strength, Bounds(rows, np.full(len(rows), 0.05)))
    assert active > 0
    assert (rows @ found).min() > 0.05 - 1e-9
    x = basis.rows(alpha)
    hessian = x.T @ x + strength * basis.roughness

    def loss(c):
        return float(((x @ c - seen.target) ** 2).sum() + strength * c @ basis.roughness @ c)

    other = minimize(
        loss,
        np.ones(24),
        jac=lambda c: 2 * (hessian @ c - x.T @ seen.target),
        method="SLSQP",
        constraints=[LinearConstraint(rows, 0.05, np.inf)],
        options={"maxiter": 500, "ftol": 1e-14},
    )
    assert loss(found) == pytest.approx(other.fun, rel=1e-6)


def test_the_spline_basis():
    """Rows, derivatives and pieces of the same spline; the roughness of a known function."""
    basis, rng = Basis(40), np.random.default_rng(0)
    c, at = rng.normal(size=40), rng.uniform(-3, 9, 100)
    values = basis.polynomials(c).values(at)
    for order, value in enumerate(values):
        assert basis.rows(at, order) @ c == pytest.approx(value, rel=1e-9, abs=1e-9)
    knots = basis.knots
    wave = np.linalg.solve(basis.rows(knots), np.cos(2 * knots))
    assert wave @ basis.roughness @ wave == pytest.approx(64 * np.pi, rel=1e-4)


def test_scale_and_units_do_not_matter():
    table = CAM.values(ALPHA).value + 3e-6 * np.random.default_rng(5).normal(size=360)
    one, big = planar.smooth_samples(ALPHA, table, 0.01), planar.smooth_samples(ALPHA, 1e3 * table, 10.0)
    assert big.pitch.values(FINE).value == pytest.approx(1e3 * one.pitch.values(FINE).value, rel=1e-7)


def test_mistakes():
    with pytest.raises(ValueError, match="points must lie all around the origin"):
        planar.smooth_profile(directions(np.linspace(0, 2, 50)), 0.01)
    with pytest.raises(ValueError, match=r"points must have shape \(M, 2\) with M >= 24"):
        planar.smooth_shape([[1, 2]])
    with pytest.raises(ValueError, match="alpha must be in radians"):
        planar.smooth_samples(np.arange(360), np.ones(360), 0.1)
    with pytest.raises(ValueError, match="tolerance must be > 0"):
        planar.smooth_support(ALPHA, np.ones(360), tolerance=0.0)
    with pytest.raises(ValueError, match="smallest_radius must be >= 0"):
        planar.smooth_support(ALPHA, np.ones(360), smallest_radius=-1.0)
    with pytest.raises(AttributeError, match="a convex shape was fitted"):
        _ = planar.smooth_support(ALPHA, np.ones(360)).pitch
