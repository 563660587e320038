"""Dwells of measured cams: found or stated, they keep the bends of the acceleration, and none is invented."""

import numpy as np
import pytest

from tangency import planar
from tangency.planar.pitch.dwells import rounding_unit
from tangency.planar.pitch.spline_basis import Basis, Dwell

ALPHA = np.arange(360) * np.pi / 180
FINE = np.linspace(0, 2 * np.pi, 7201)[:-1] + 1e-7
CAM = planar.cam_pitch(0.01)
RISE, END = 2 * np.pi / 3, 4 * np.pi / 3  # of Eq. (90)


def force(values):
    """Normal force of the paper's tappet, if rigid: spring 200 N/m, 0.025 kg, 100 rad/s."""
    g, g1, g2 = values
    return (200.0 * g + 0.025 * 100.0**2 * g2) * np.hypot(g, g1) / g


def force_error(found, exact):
    """Largest error of the force over a turn, as a part of the largest force."""
    right = force(exact(FINE))
    return np.abs(force(found.pitch.values(FINE)) - right).max() / np.abs(right).max()


def noisy(exact, seed, noise=5e-6):
    return exact(ALPHA).value + noise * np.random.default_rng(seed).normal(size=len(ALPHA))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
def test_forces_of_the_papers_cam(seed):
    """360 points with 5 micrometres of noise: the dwell makes the force right where the rise begins."""
    points = CAM.at(ALPHA).point + 5e-6 * np.random.default_rng(seed).normal(size=(360, 2))
    found = planar.smooth_profile(points, 0.01)
    assert force_error(planar.smooth_profile(points, 0.01, dwells=False), CAM.values) > 0.08
    assert force_error(found, CAM.values) < 0.04
    assert np.abs(found.pitch.values(FINE).value - CAM.values(FINE).value).max() < 10e-6
    assert found.dwells[0, 1] - 2 * np.pi == pytest.approx(RISE, abs=np.radians(0.4))
    assert "the follower rests from" in str(found)
    # Constant in the dwell, and no jump of the force at its ends.
    start, end = found.dwells[0]
    rest = found.pitch.values(np.linspace(start, end, 50)[1:-1])
    assert np.ptp(rest.value) < 1e-15
    assert np.abs(rest.first).max() == np.abs(rest.second).max() == 0.0
    assert np.abs(found.pitch.values(np.array([start - 1e-9, end + 1e-9])).second).max() < 1e-6
    assert found.pitch.function.breaks == pytest.approx(np.sort(found.dwells[0] % (2 * np.pi)))


@pytest.mark.full
def test_forces_of_many_sets_of_points():
    found, stated = [], []
    for seed in range(50):
        points = CAM.at(ALPHA).point + 5e-6 * np.random.default_rng(seed).normal(size=(360, 2))
        found.append(force_error(planar.smooth_profile(points, 0.01), CAM.values))
        ends = [(END, RISE + 2 * np.pi)]
        stated.append(force_error(planar.smooth_profile(points, 0.01, dwells=ends), CAM.values))
    assert np.median(found) < 0.02
    assert np.mean(np.array(found) < 0.05) >= 0.94
    assert max(found) < 0.1
    assert np.median(stated) < 0.01
    assert max(stated) < 0.025


@pytest.mark.parametrize(("unit", "limit"), [(1e-6, 0.003), pytest.param(1e-5, 0.02, marks=pytest.mark.full)])
def test_rounded_tables(unit, limit):
    """Rounded values are all alike in a dwell, so that their errors do not show there."""
    table = np.round(CAM.values(ALPHA).value / unit) * unit
    assert rounding_unit(table) == pytest.approx(unit)
    assert rounding_unit(noisy(CAM.values, 0)) == 0.0
    assert force_error(planar.smooth_samples(ALPHA, table, 0.01), CAM.values) < limit
    assert force_error(planar.smooth_samples(ALPHA, table, 0.01, dwells=False), CAM.values) > 0.05


def program(rng, law, top):
    """A random cam: rise, dwell or none, return, dwell; and the ends of its dwells."""
    height, rise, fall = rng.uniform(0.004, 0.01), *rng.uniform(1.2, 2.2, 2)
    segments = [planar.Segment(law, rise, height), planar.Segment(law, fall, 0.0)]
    if top:
        segments.insert(1, planar.Segment("dwell", top, height))
    segments.append(planar.Segment("dwell", 2 * np.pi - rise - fall - top, 0.0))
    return planar.lift_program(segments, start=0.03), [(rise, rise + top), (rise + top + fall, 2 * np.pi)]


@pytest.mark.parametrize(
    ("law", "top", "seed"), [("modified-sine", 0.0, 0), pytest.param("3-4-5", 0.6, 1, marks=pytest.mark.full)]
)
def test_standard_laws(law, top, seed):
    """A rise followed by the return at once is a dwell of no width."""
    exact, ends = program(np.random.default_rng(seed), law, top)
    table = noisy(exact, seed)
    found = planar.smooth_samples(ALPHA, table, 0.0)
    assert np.sort(found.dwells.ravel()) == pytest.approx(np.ravel(ends), abs=np.radians(2.0))
    stated = force_error(planar.smooth_samples(ALPHA, table, 0.0, dwells=ends), exact)
    without = force_error(planar.smooth_samples(ALPHA, table, 0.0, dwells=False), exact)
    assert force_error(found, exact) < 0.75 * without
    assert stated < 0.5 * without


@pytest.mark.full
@pytest.mark.parametrize("law", ["cycloidal", "modified-sine", "3-4-5"])
def test_many_cams_with_standard_laws(law):
    errors = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        exact, ends = program(rng, law, rng.choice([0.0, 0.5, 1.0]))
        table = noisy(exact, seed)
        ways = (True, ends, False)
        errors.append([force_error(planar.smooth_samples(ALPHA, table, 0.0, dwells=way), exact) for way in ways])
    found, stated, without = np.array(errors).T
    assert np.median(found) < 0.75 * np.median(without)
    assert (found < 1.2 * without + 0.01).all()  # never much worse
    assert np.median(stated) < 0.03


def random_smooth_cam(rng, kind):
    if kind == "series":
        k, c = np.arange(1, 7), 0.003 * rng.normal(size=6) / np.arange(1, 7) ** 2.5
        return lambda a: np.cos(np.outer(a, k) + np.arange(6.0)) @ c + 0.04
    shapes = {
        "circle": planar.Circle(0.03),
        "eccentric": planar.Circle(0.03).translate([rng.uniform(0.001, 0.015), 0]),
        "ellipse": planar.Ellipse([0.03, rng.uniform(0.015, 0.0299)]),
    }
    pitch = planar.pitch_from_shape(shapes[kind], 0.01)
    return lambda a: pitch.values(a).value


@pytest.mark.parametrize("kind", ["circle", "eccentric", "ellipse", "series"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.full) for k in range(1, 13))])
def test_no_dwell_is_invented(kind, seed):
    rng = np.random.default_rng(seed)
    values = random_smooth_cam(rng, kind)(ALPHA) + 10 ** rng.uniform(-7, -5) * rng.normal(size=360)
    found = planar.smooth_samples(ALPHA, values, 0.0)
    assert len(found.dwells) == 0
    assert np.array_equal(
        found.pitch.values(FINE).value, planar.smooth_samples(ALPHA, values, 0.0, dwells=False).pitch.values(FINE).value
    )


def test_a_flat_face_that_starts_at_once():
    """Harmonic motion of a flat face: the radius of curvature jumps where the dwell ends; with its ends stated."""
    law = [planar.Segment("harmonic", 1.5, 0.006), planar.Segment("harmonic", 1.5, 0.0)]
    exact = planar.lift_program([*law, planar.Segment("dwell", 2 * np.pi - 3.0, 0.0)], start=0.03)
    found = planar.smooth_support(ALPHA, noisy(exact, 0, 1e-6), dwells=[(3.0, 2 * np.pi)])

    def radius(angle):
        return found.shape.radius_of_curvature([np.cos(angle), np.sin(angle)])

    jump = 0.003 * (np.pi / 1.5) ** 2
    assert radius(6.0) == pytest.approx(0.03, abs=1e-6)
    assert radius(1e-6) - radius(-1e-6) == pytest.approx(jump, rel=0.05)
    assert radius(3.0 - 1e-6) - radius(3.0 + 1e-6) == pytest.approx(jump, rel=0.05)


def test_the_least_error_that_is_possible():
    """Cramér-Rao bound of the force where the rise begins, for lifts that are polynomials of known degree.

    The lift is (u v)^3 times a polynomial, u and v being the angles from its ends.  With degrees of freedom as in a
    smooth curve, an error of 5 micrometres leaves the beginning unknown by 0.1 to 0.2 degrees, hence the force.
    """
    middle, half = 0.5 * (RISE + END), 0.5 * (END - RISE)
    inside = (FINE > RISE) & (FINE < END)

    def motion(alpha, start, coefficients):
        t = np.polynomial.Polynomial([-middle / half, 1 / half])
        u, v = np.polynomial.Polynomial([-start, 1.0]), np.polynomial.Polynomial([END, -1.0])
        series = np.polynomial.Legendre(coefficients).convert(kind=np.polynomial.Polynomial)(t)
        lift = (u * v) ** 3 * series
        moves = (alpha > start) & (alpha < END)
        return [np.where(moves, lift.deriv(k)(alpha) if k else lift(alpha), 0.0) + 0.02 * (k == 0) for k in range(3)]

    largest = {}
    for degree in (10, 12):
        exact = np.zeros(degree - 5)
        exact[:2] = 0.01 / 3 * half, -0.01 / 3 * half
        unknown = np.append(RISE, exact)
        assert motion(FINE, RISE, exact)[0] == pytest.approx(CAM.values(FINE).value, abs=1e-12)
        steps = np.append(1e-6, np.full(len(exact), 1e-8))

        def slopes(function, unknown=unknown, steps=steps):
            shifted = [(function(unknown + d), function(unknown - d)) for d in np.diag(steps)]
            return np.stack([(a - b) / (2 * h) for (a, b), h in zip(shifted, steps)], axis=-1)

        seen = np.column_stack([slopes(lambda q: motion(ALPHA, q[0], q[1:])[0]), np.ones(360)])
        size = np.linalg.norm(seen, axis=0)
        spread = 25e-12 * np.linalg.inv((seen / size).T @ (seen / size)) / np.outer(size, size)
        along = slopes(lambda q: force(motion(FINE, q[0], q[1:])))
        deviation = np.sqrt(np.einsum("ij,jk,ik->i", along, spread[:-1, :-1], along))
        largest[degree] = deviation[inside].max() / force(CAM.values(FINE)).max()
    assert largest == pytest.approx({10: 0.010, 12: 0.024}, abs=0.002)


def test_the_basis_with_dwells():
    """Values, derivatives and pieces agree; what is continuous where; bounds of the radius hold."""
    dwells = (Dwell(0.5, 1.5, 3, 2), Dwell(3.0, 3.0), Dwell(5.5, 6.5))
    basis, rng = Basis(60, dwells), np.random.default_rng(0)
    c, at = rng.normal(size=basis.size), rng.uniform(-3, 9, 300)
    table = basis.polynomials(c)
    for order, value in enumerate(table.values(at)):
        assert basis.rows(at, order) @ c == pytest.approx(value, rel=1e-8, abs=1e-6)
    ends = np.array([0.5, 1.5, 3.0, 5.5, 6.5 - 2 * np.pi])
    below, above = table.values(ends - 1e-10), table.values(ends + 1e-10)
    assert below.value == pytest.approx(above.value, abs=1e-7)
    assert below.first == pytest.approx(above.first, abs=1e-5)
    jumps = np.abs(below.second - above.second)
    assert jumps[[0, 2, 3, 4]].max() < 1e-4 < jumps[1]
    assert np.abs(basis.rows(np.array([0.7, 1.2, 5.7, 0.1]), 1)).max() == 0.0
    value, _, second = table.values(FINE)
    assert (value + second).min() >= (basis.bernstein_of_radius @ c).min()
    assert np.ones(basis.size) @ basis.roughness @ np.ones(basis.size) == pytest.approx(0.0, abs=1e-6)


def test_where_the_turn_begins_does_not_matter():
    table = noisy(CAM.values, 3)
    one = planar.smooth_samples(ALPHA, table, 0.01)
    other = planar.smooth_samples((ALPHA + 2.0) % (2 * np.pi), table, 0.01)
    assert np.sort((other.dwells - 2.0) % (2 * np.pi)) == pytest.approx(np.sort(one.dwells % (2 * np.pi)), abs=0.01)
    assert other.pitch.values(FINE + 2.0).value == pytest.approx(one.pitch.values(FINE).value, abs=1e-6)


@pytest.mark.parametrize("dwells", [[(1.0, 0.5)], [(0.0, 2.0), (1.0, 3.0)], [(0.0, 7.0)], [(0.0, 2.0), (2.0, 3.0)]])
def test_mistakes(dwells):
    with pytest.raises(ValueError, match="dwells must be True, False or pairs of ascending angles"):
        planar.smooth_samples(ALPHA, CAM.values(ALPHA).value, 0.01, dwells=dwells)
