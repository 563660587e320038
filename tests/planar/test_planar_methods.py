"""Römer's methods in the plane: whoever claims a distance has it, whoever errs says so; rates as theory has them."""

import math

import numpy as np
import pytest

import tangency as tg
from planar_families import FAMILIES, directions, place, turned
from tangency import planar
from tangency.kernels.jet import JET, evaluate_many
from tangency.planar.in_space import side_in_space
from tangency.planar.methods import SOLVERS

S = tg.solvers
NAMES = sorted(set(FAMILIES) - {"formula", "functions", "many sides"})
TOL = 1e-10


def mixed(name, seed, count=28):
    """Far, near, touching and overlapping pairs of one family; some coaxial."""
    rng = np.random.default_rng(seed)
    a, b = (FAMILIES[name].make(rng, (count,)) for _ in range(2))
    phi, angle = rng.uniform(0, 2 * np.pi, (2, count))
    phi[::6], angle[::6] = 0.5 * np.pi, 0.0
    size = np.broadcast_to(a.bounding_radius + b.bounding_radius, (count,))
    gap = np.resize([5.0, 0.3, 0.01, 1e-6, 0.0, -0.005, -0.05], count) * size
    return place(a, b, gap, directions(phi), angle)


def room(problem, distance):
    return 30.0 * TOL * problem.size + 1e-13 * (problem.size + np.abs(distance))


def test_the_methods_are_those_that_go_from_normal_to_normal():
    assert {"romer-1", "romer-2", "romer-3", "romer-4", "romer-direct", "romer-mean"} <= set(SOLVERS)
    assert not {"lopes-implicit", "lopes-parametric", "portal-ip", "gjk"} & set(SOLVERS)


@pytest.mark.parametrize("name", NAMES)
def test_claims_are_true(name):
    problem = mixed(name, 1)
    d, apart, slack = problem.contact(), problem.gap >= 0, 1e-13 * problem.size
    allowed = room(problem, d.distance)
    for solver in SOLVERS:
        c = problem.contact(solver=solver, tol=TOL)
        for values in (c.distance, c.normal, c.point_a, c.point_b):
            assert np.isfinite(values).all(), solver
        assert (c.status != tg.Status.NOT_A_NUMBER).all(), solver  # as a normal out of the plane would have
        assert (np.abs(np.linalg.norm(c.normal, axis=-1) - 1.0) < 1e-14).all(), solver
        # Bounds are proved, whatever the status.
        assert (c.lower <= d.upper + slack).all(), solver
        assert (d.lower <= c.upper + slack).all(), solver
        assert (c.lower <= problem.gap + slack)[apart].all(), solver
        assert (problem.gap <= c.upper + slack)[apart].all(), solver
        # Who says that it converged has the distance of the default solver, and the truth where it is known.
        ok, other = c.converged, c.status == tg.Status.OTHER_NORMAL
        assert (np.abs(c.distance - d.distance) <= allowed)[ok].all(), solver
        assert (np.abs(c.distance - problem.gap) <= allowed)[ok & apart].all(), solver
        assert (np.abs(c.distance - d.distance) > TOL * problem.size)[other].all(), solver
        # Both points lie on their own supporting lines.
        h_a, h_b = problem.a.support(c.normal), problem.b.support(turned(-problem.angle, -c.normal))
        off_a = np.abs((c.normal * c.point_a).sum(axis=-1) - h_a)
        off_b = np.abs((c.normal * (problem.position - c.point_b)).sum(axis=-1) - h_b)
        assert (np.maximum(off_a, off_b) <= allowed)[ok].all(), solver
        assert (c.evaluations > c.iterations).all(), solver


@pytest.mark.parametrize("name", ["ellipse", "fourier", "foot", "offset", "nested", "user's egg"])
def test_the_robust_ones_find_nearly_all(name):
    problem = mixed(name, 2, 210)
    assert problem.contact(solver="romer-3").converged.mean() > 0.97
    assert problem.contact(solver="romer-4").converged.mean() > 0.94


@pytest.mark.parametrize("solver", SOLVERS)
def test_swapping_moving_scaling(solver):
    problem = mixed("superellipse", 3, 70)
    a, b, angle, position = problem.a, problem.b, problem.angle, problem.position
    c = problem.contact(solver=solver, tol=TOL)
    allowed, shift = room(problem, c.distance), 3.0 * problem.size[:, None] * [0.6, -0.8]
    factor = 1e-3
    small = [planar.Superellipse(factor * s.radii, s.exponent) for s in (a, b)]
    asked = {
        "swapped": (1.0, planar.contact(b, a, (angle, position), None, solver=solver, tol=TOL)),
        "moved": (
            1.0,
            planar.contact(a, b, (0.7, shift), (angle + 0.7, turned(0.7, position) + shift), solver=solver, tol=TOL),
        ),
        "scaled": (factor, planar.contact(*small, None, (angle, factor * position), solver=solver, tol=TOL)),
    }
    for name, (unit, d) in asked.items():
        both = c.converged & d.converged
        # Which pairs a method without safeguard finds may change with the last digit.
        assert both.sum() >= 0.85 * max(c.converged.sum(), d.converged.sum()), name
        assert (np.abs(c.distance - d.distance / unit) <= allowed)[both].all(), name
        assert (c.iterations == d.iterations)[both].mean() > 0.9, name
    both = c.converged & asked["swapped"][1].converged
    np.testing.assert_allclose(asked["swapped"][1].normal[both], -c.normal[both], rtol=0, atol=1e-3)


@pytest.mark.parametrize("coordinates", S.papers.romer_newton.COORDINATES)
def test_ellipses_are_the_sections_of_ellipsoids(coordinates):
    """Ellipsoids with axes in one plane: the methods of space stay in it and go the same way."""
    rng = np.random.default_rng(4)
    count = 40
    radii_a, radii_b = rng.uniform(0.3, 1.0, (2, count, 3))
    angle, position = rng.uniform(0, 2 * np.pi, count), np.zeros((count, 3))
    position[:, :2] = 1.3 + rng.uniform(0, 1, (count, 2))
    turn = np.zeros((count, 3, 3))
    turn[:, 0, 0] = turn[:, 1, 1] = np.cos(angle)
    turn[:, 1, 0], turn[:, 0, 1], turn[:, 2, 2] = np.sin(angle), -np.sin(angle), 1.0
    for method in (
        S.RomerOne(6, coordinates),
        S.RomerTwo(6, coordinates),
        S.RomerThree(6),
        S.RomerFour(6, coordinates),
        S.RomerMean(6),
        S.RomerDirect(6),
    ):
        c = planar.contact(
            planar.Ellipse(radii_a[:, :2]),
            planar.Ellipse(radii_b[:, :2]),
            None,
            (angle, position[:, :2]),
            solver=method,
            trace=True,
        )
        d = tg.contact(
            tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b), None, (turn, position), solver=method, tol=1e-14, trace=True
        )
        steps = np.minimum(c.iterations, d.iterations)
        both = min(c.trace.normal.shape[1], d.trace.normal.shape[1])
        far = np.abs(c.trace.normal[:, :both] - d.trace.normal[:, :both, :2]).max(axis=-1)
        far[np.arange(both) >= steps[:, None]] = 0.0
        # Where Newton's equations are nearly singular rounding errors grow, also those of the third direction.
        assert (far.max(axis=-1) < 1e-9).mean() > 0.9, method
        assert (steps == np.maximum(c.iterations, d.iterations)).mean() > 0.85, method


@pytest.fixture(scope="module")
def pairs():
    """Ellipses at growing distances: K / F from above 3 to far below 1, errors as angles from the common normal."""
    a, b = planar.Ellipse([1, 2]), planar.Ellipse([1.5, 0.7])

    def run(distance, solver, error=0.05):
        pose = (0.3, [distance, distance])
        d = planar.contact(a, b, None, pose)
        at = math.atan2(d.normal[1], d.normal[0])
        ratio = float((1 / d.curvature_a + 1 / d.curvature_b) / d.distance)
        guess = [math.cos(at + error), math.sin(at + error)]
        c = planar.contact(a, b, None, pose, solver=solver, guess=guess, trace=True)
        n = c.trace.normal[: int(c.iterations)]
        return ratio, c, np.arctan2(n[:, 1], n[:, 0]) - at

    return run


@pytest.mark.parametrize(("distance", "stable"), [(2.5, False), (3.0, False), (6.0, True), (12.0, True)])
def test_direct_is_stable_only_beyond_the_radii_of_curvature(pairs, distance, stable):
    """Near the common normal every step multiplies the error by -K / F."""
    ratio, c, error = pairs(distance, S.RomerDirect(100), error=1e-3)
    assert (ratio < 1) == stable == bool(c.converged)
    np.testing.assert_allclose(error[1:3] / error[:2], -ratio, rtol=0.05)
    if not stable:
        assert c.status == tg.Status.NOT_CONVERGED
        assert np.abs(error[-20:]).max() > 0.3  # a good start is lost


@pytest.mark.parametrize(("distance", "stable"), [(2.3, False), (3.0, True), (6.0, True), (12.0, True)])
def test_mean_is_linear_and_needs_a_third_of_the_radii_of_curvature(pairs, distance, stable):
    """Near the common normal every step multiplies the error by (1 - K / F) / 2: stable for K < 3 F."""
    ratio, c, error = pairs(distance, S.RomerMean(200), error=1e-3)
    rate = 0.5 * (1 - ratio)
    assert (ratio < 3) == stable == bool(c.converged)
    np.testing.assert_allclose(error[1:3] / error[:2], rate, rtol=0.05)
    if distance >= 6.0:
        assert c.iterations > 2.5 * pairs(distance, "romer-3", error=1e-3)[1].iterations


def test_three_is_a_secant_method(pairs):
    """Its order is that of the golden ratio: the error is a multiple of the product of the last two."""
    _, _, e = pairs(3.0, "romer-3")
    constants = e[2:4] / (e[1:3] * e[:2])
    assert abs(constants[1] / constants[0] - 1) < 0.1
    assert abs(e[3]) < 1e-9


@pytest.mark.parametrize("kind", [S.RomerOne, S.RomerTwo])
@pytest.mark.parametrize("coordinates", S.papers.romer_newton.COORDINATES)
def test_newton_is_quadratic(pairs, kind, coordinates):
    _, _, e = pairs(3.0, kind(coordinates=coordinates))
    assert abs(e[2]) < 5 * e[1] ** 2
    assert abs(e[1]) < 5 * e[0] ** 2


def test_one_and_two_coincide_for_circles():
    a, b, pose = planar.Circle(1.0), planar.Circle(0.5).translate([0.4, 0.1]), (0.0, [3.0, 2.0])
    one, two = (planar.contact(a, b, None, pose, solver=name, guess=[0, 1], trace=True) for name in list(SOLVERS)[:2])
    assert one.iterations == two.iterations > 2
    np.testing.assert_allclose(one.trace.normal[: one.iterations], two.trace.normal[: two.iterations], atol=1e-9)


def test_batches_are_their_pairs():
    rng = np.random.default_rng(5)
    a, b = planar.Ellipse(rng.uniform(0.5, 2, (3, 1, 2))), planar.Superellipse(rng.uniform(0.5, 2, (4, 2)), 3.0)
    pose_a, pose_b = (rng.uniform(0, 6, 4), [0.5, 0.2]), (0.3, rng.uniform(2, 4, (2, 1, 1, 2)))
    for solver in SOLVERS:
        c = planar.contact(a, b, pose_a, pose_b, solver=solver, trace=True)
        assert c.shape == (2, 3, 4)
        assert c.trace.normal.shape == (2, 3, 4, c.iterations.max(), 2)  # the longest way
        for at in ((0, 0, 0), (1, 2, 3), (0, 1, 2)):
            one = planar.contact(
                a[at[1], 0],
                b[at[2]],
                (pose_a[0][at[2]], pose_a[1]),
                (0.3, pose_b[1][at[0], 0, 0]),
                solver=solver,
                trace=True,
            )
            for name in (
                "distance",
                "normal",
                "point_a",
                "point_b",
                "lower",
                "upper",
                "status",
                "evaluations",
                "iterations",
            ):
                np.testing.assert_array_equal(getattr(c[at], name), getattr(one, name), err_msg=name)
            made = int(one.iterations)
            np.testing.assert_array_equal(c[at].trace.steps[:made], one.trace.steps)
            assert not c[at].trace.steps[made:].any()
    empty = planar.contact(planar.Circle(np.zeros(0)), b[0], None, pose_b=(0.1, [3, 0]), solver="romer-3", trace=True)
    assert empty.distance.shape == empty.iterations.shape == empty.trace.count.shape == (0,)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_trace_ends_in_the_answer(solver):
    problem = mixed("ellipse", 6)
    c = problem.contact(solver=solver, trace=True)
    np.testing.assert_array_equal(c.distance, problem.contact(solver=solver).distance)
    np.testing.assert_array_equal(c.trace.count, c.iterations)
    for k in np.flatnonzero(c.converged):
        last = c.iterations[k] - 1
        np.testing.assert_allclose(c.trace.distance[k, last], c.distance[k], rtol=0, atol=1e-13 * problem.size[k])
        np.testing.assert_allclose(c.trace.normal[k, last], c.normal[k], rtol=0, atol=1e-15)
        # The points are those of the normal, as the shapes tell them.
        np.testing.assert_allclose(c.trace.point_a[k, last], problem.a[int(k)].point(c.normal[k]), atol=1e-13)
        assert not c.trace.steps[k, c.iterations[k] :].any()


def test_statuses():
    a, b, pose = planar.Ellipse([1, 2]), planar.Circle(1.0), (0.0, [3, 3])
    d = planar.contact(a, b, None, pose)
    few = planar.contact(a, b, None, pose, solver=S.RomerThree(max_iterations=2))
    assert (few.status, few.iterations, few.evaluations) == (tg.Status.NOT_CONVERGED, 2, 3)
    assert few.lower <= d.distance <= few.upper
    # Newton for the common normal, started behind A, finds the farthest points.
    other = planar.contact(a, b, None, pose, solver="romer-2", guess=-d.normal)
    assert other.status == tg.Status.OTHER_NORMAL
    assert other.lower <= d.distance <= other.upper
    assert other.distance < -5
    # Without curvature the distance between vertices is stationary everywhere.
    square = planar.Polygon([[0, 0], [1, 0], [1, 1], [0, 1]])
    assert planar.contact(square, square, None, (0.3, [3, 2]), solver="romer-1").status == tg.Status.BROKE_DOWN
    beyond = planar.contact(a, b, None, (0.0, [9, 9]), solver="romer-3", max_distance=1.0)
    assert beyond.status == tg.Status.BEYOND
    assert 1.0 < beyond.lower <= beyond.distance
    deep = planar.contact(a, b, None, (0.0, [0.3, 2.8]), solver="romer-3")
    assert deep.status == tg.Status.OVERLAP_PROVED
    known = planar.contact(a, b, None, (0.0, [0.3, 2.8]))
    assert float(deep.distance) == pytest.approx(float(known.distance), abs=1e-13)


def test_a_line_needs_no_method():
    line, body, pose = planar.Line([0, 1], 0.2), planar.Ellipse([2, 1]), (0.4, [1, 3])
    d = planar.contact(line, body, None, pose)
    for pair, poses in (((line, body), (None, pose)), ((body, line), (pose, None))):
        c = planar.contact(*pair, *poses, solver="romer-mean", trace=True)
        assert c.distance == d.distance
        assert c.iterations == c.trace.count == 1
        assert c.trace.distance.tolist() == [float(c.distance)]
        assert c.trace.point_b[0].tolist() == c.point_b.tolist()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"solver": "newton"},
            f"solver must be one of certified, {', '.join(SOLVERS)} in the plane, or .* got 'newton'$",
        ),
        ({"solver": "gjk"}, "got 'gjk', which is for bodies in space"),
        ({"solver": S.LopesImplicit()}, "which is for bodies in space"),
        ({"solver": 3}, "solver must be one of .* got 3$"),
        ({"trace": True}, "trace must be False for the default solver"),
        ({"solver": S.RomerTwo(max_iterations=10**6), "trace": True}, "trace would hold 100 x 1000000 steps"),
    ],
)
def test_bad_options_are_named(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        planar.contact(planar.Circle(np.ones(100)), planar.Circle(1.0), pose_b=(0.0, [3, 0]), **options)


def test_in_space_on_the_circle_and_off_it():
    """An ellipse in space has the jet of its ellipsoid along the circle, and none elsewhere."""
    side = side_in_space(planar.Ellipse([3, 2]), (np.array([1.0, 0.0]), np.zeros(2)), ())
    n = np.array([[0.6, 0.8, 0.0], [-1.0, 0.0, 0.0], [0.36, 0.48, 0.8]])
    out = np.zeros((3, JET))
    evaluate_many(side.shape.address, side.shape.rows, 0, n, out)
    same = tg.Ellipsoid([3, 2, 5])
    np.testing.assert_allclose(out[:2, 0], same.support(n[:2]), rtol=1e-15)
    np.testing.assert_allclose(out[:2, 1:4], same.point(n[:2]), rtol=0, atol=1e-15)
    for k in range(2):
        xx, xy, xz, yy, yz, zz = out[k, 4:]
        w = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        t = np.array([-n[k, 1], n[k, 0], 0.0])
        np.testing.assert_allclose(w @ t, same.hessian(n[k]) @ t, rtol=0, atol=1e-14)
        np.testing.assert_allclose(w @ n[k], 0.0, rtol=0, atol=1e-15)
        assert zz == pytest.approx(t @ w @ t)
    assert np.isnan(out[2, 0])
