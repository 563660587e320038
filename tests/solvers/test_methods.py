"""The contract of all methods in tangency.solvers.SOLVERS: whoever claims a distance has it, whoever errs says so.

A method that refuses a kind of body (TypeError) is not asked about it.
"""

import importlib.util
import re

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from families import FAMILIES, normals
from manufactured import ellipsoids, place, superellipsoids
from tangency.contacts.trace import Trace

NEEDS_COAL = pytest.mark.skipif(importlib.util.find_spec("coal") is None, reason="gjk needs tangency[peers]")
SOLVERS = [pytest.param(name, marks=[NEEDS_COAL] if name == "gjk" else []) for name in tg.solvers.SOLVERS]
BODIES = [
    "sphere",
    "ellipsoid",
    "needle",
    "superellipsoid round",
    "superellipsoid flat",
    "superellipsoid sharp",
    "power ellipsoid",
    "capsule",
    "rounded box",
    "offset ellipsoid",
    "affine ellipsoid",
    "nested",
    "user's egg",
    "box",
]
TOL = 1e-10


def many(solver, count):
    """How many pairs to ask a method about: the general optimisers take milliseconds each."""
    return count if tg.solvers.SOLVERS[solver].parallel else max(count // 12, 3)


def mixed(name, seed, count):
    """Far, near, touching and overlapping pairs of one family; some coaxial, B turned or not."""
    rng = np.random.default_rng(seed)
    family = FAMILIES[name]
    a, b = family.make(rng, (count,)), family.make(rng, (count,))
    n, turn = normals(rng, count), Rotation.random(count, rng=rng).as_matrix()
    n[::6], turn[::6] = np.eye(3)[2], np.eye(3)  # coaxial
    size = np.broadcast_to(a.bounding_radius + b.bounding_radius, (count,))
    gap = np.resize([5.0, 0.3, 0.01, 1e-6, 0.0, -0.005], count)[rng.permutation(count)] * size
    return place(a, b, gap, n, turn)


def solve(problem, solver, **options):
    try:
        return problem.contact(solver=solver, tol=TOL, **options)
    except TypeError as refused:
        pytest.skip(f"{solver} refuses: {refused}")


def room(problem, distance):
    return 30.0 * TOL * problem.size + 1e-13 * (problem.size + np.abs(distance))


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_claims_are_true(solver, name):
    problem = mixed(name, 1, many(solver, 36))
    c, d = solve(problem, solver), problem.contact()
    for values in (c.distance, c.normal, c.point_a, c.point_b, c.lower, c.upper):
        assert not np.isnan(values).any()
    assert np.isfinite(c.distance).all()
    np.testing.assert_allclose(np.linalg.norm(c.normal, axis=-1), 1.0, rtol=0, atol=1e-9)
    # Bounds are proved, whatever the status.
    apart = problem.gap >= 0
    slack = 1e-13 * problem.size
    assert (c.lower <= d.upper + slack).all()
    assert (d.lower <= c.upper + slack).all()
    assert (c.lower[apart] <= problem.gap[apart] + slack[apart]).all()
    assert (problem.gap[apart] <= c.upper[apart] + slack[apart]).all()
    # Who says that it converged has the distance of the default solver, and the truth where it is known.
    ok = c.converged
    allowed = room(problem, d.distance)
    assert (np.abs(c.distance - d.distance)[ok] <= allowed[ok]).all()
    assert (np.abs(c.distance - problem.gap)[ok & apart] <= allowed[ok & apart]).all()
    # Who converged elsewhere says so.
    other = c.status == tg.Status.OTHER_NORMAL
    assert (np.abs(c.distance - d.distance)[other] > TOL * problem.size[other]).all()
    # Both points lie in their own supporting planes.
    local = -np.einsum("kji,kj->ki", problem.rotation, c.normal)
    h_a, h_b = problem.a.support(c.normal), problem.b.support(local)
    off_a = np.abs((c.normal * c.point_a).sum(axis=-1) - h_a)
    off_b = np.abs((c.normal * (problem.position - c.point_b)).sum(axis=-1) - h_b)
    assert (np.maximum(off_a, off_b)[ok] <= allowed[ok]).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_points_lie_on_the_surfaces(solver):
    problem = ellipsoids(np.random.default_rng(2), many(solver, 60), aspect=4.0, surface=False)
    c = solve(problem, solver)
    local = np.einsum("kji,kj->ki", problem.rotation, c.point_b - problem.position)
    off = np.maximum(np.abs(problem.a.implicit(c.point_a)), np.abs(problem.b.implicit(local)))
    assert c.converged.any()
    assert (off[c.converged] < 1e-6).all()


def make(kind, rng, count):
    if kind == "ellipsoids":
        return ellipsoids(rng, count, aspect=10.0, surface=True)
    return superellipsoids(rng, count, low=0.5, high=1.5)


@pytest.mark.parametrize("kind", ["ellipsoids", "superellipsoids"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_swapping_and_moving(solver, kind):
    problem = make(kind, np.random.default_rng(3), many(solver, 48))
    c = solve(problem, solver)
    pose = (problem.rotation, problem.position)
    swapped = tg.contact(problem.b, problem.a, pose, None, solver=solver, tol=TOL)
    both = c.converged & swapped.converged
    allowed = room(problem, c.distance)
    assert (np.abs(c.distance - swapped.distance)[both] <= allowed[both]).all()
    np.testing.assert_allclose(swapped.normal[both], -c.normal[both], rtol=0, atol=1e-3)
    move = RigidTransform.from_components([3.0, -2.0, 1.0] * problem.size[:, None], Rotation.from_rotvec([1.0, 2, 3]))
    frames = RigidTransform.from_components(problem.position, Rotation.from_matrix(problem.rotation))
    moved = tg.contact(problem.a, problem.b, move, move * frames, solver=solver, tol=TOL)
    both = c.converged & moved.converged
    # Which pairs a Newton method without safeguard finds may change with the last digit of a pose.
    assert both.sum() >= 0.85 * c.converged.sum()
    assert (np.abs(c.distance - moved.distance)[both] <= allowed[both]).all()


def scaled(shape, factor):
    if isinstance(shape, tg.Ellipsoid):
        return tg.Ellipsoid(factor * shape.radii)
    return tg.Superellipsoid(factor * shape.radii, shape.epsilon)


@pytest.mark.parametrize("factor", [1e-3, pytest.param(1e3, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", ["ellipsoids", "superellipsoids"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_scaling(solver, kind, factor):
    problem = make(kind, np.random.default_rng(4), many(solver, 48))
    c = solve(problem, solver)
    pose = (problem.rotation, factor * problem.position)
    s = tg.contact(scaled(problem.a, factor), scaled(problem.b, factor), None, pose, solver=solver, tol=TOL)
    both = c.converged & s.converged
    if solver != "gjk":  # Coal's tolerances are lengths
        assert both.sum() >= 0.9 * c.converged.sum()
    assert (np.abs(c.distance - s.distance / factor)[both] <= room(problem, c.distance)[both]).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_threads_change_no_bit(solver):
    problem = ellipsoids(np.random.default_rng(5), many(solver, 100), aspect=10.0, surface=True)
    one, four = (solve(problem, solver, threads=count) for count in (1, 4))
    for name in ("distance", "normal", "point_a", "lower", "upper", "status", "evaluations", "iterations"):
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_trace_ends_in_the_answer(solver):
    problem = ellipsoids(np.random.default_rng(6), many(solver, 48), aspect=5.0, surface=False)
    c, plain = solve(problem, solver, trace=True), solve(problem, solver)
    np.testing.assert_array_equal(c.distance, plain.distance)
    np.testing.assert_array_equal(c.trace.count, c.iterations)
    assert np.isfinite(c.trace.steps).all()
    for k in np.flatnonzero(c.converged & (c.iterations > 0)):
        last = c.iterations[k] - 1
        assert abs(c.trace.distance[k, last] - c.distance[k]) <= 1e-6 * problem.size[k]
        np.testing.assert_allclose(c.trace.normal[k, last], c.normal[k], rtol=0, atol=1e-5)
        assert not c.trace.steps[k, c.iterations[k] :].any()


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_single_pair_and_concentric_bodies(solver):
    c = tg.contact(tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 1, 2]), pose_b=(None, [6.0, 0, 0]), solver=solver)
    assert c.shape == ()
    if c.converged:
        assert abs(float(c.distance) - 2.0) < 1e-6
    inside = tg.contact(tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 1, 2]), solver=solver)
    assert np.isfinite(inside.distance)
    assert inside.lower <= inside.upper


@pytest.mark.parametrize("solver", ["lopes-implicit", "romer-3", "portal-sqp"])
@pytest.mark.parametrize("tol", [0.1, 1e-3])
def test_a_proved_distance_lies_within_its_bounds(solver, tol):
    c = tg.contact(tg.Ellipsoid([3, 2, 1.0]), tg.Sphere(1.0), pose_b=(None, [3, 3, 3]), solver=solver, tol=tol)
    if c.converged:
        assert c.lower <= c.distance <= c.upper


def test_a_trace_prints_as_a_table():
    a, b = tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 2, 1])
    c = tg.contact(a, b, None, (None, [6, 1, 2]), solver="romer-3", trace=True)
    head, columns, *rows = str(c.trace).splitlines()
    assert head == f"Trace of {int(c.iterations)} steps"
    assert columns.split() == ["step", "distance", "[m]", "residual", "normal"]
    assert [int(row.split()[0]) for row in rows] == list(range(1, int(c.iterations) + 1))
    assert float(rows[-1].split()[1]) == pytest.approx(float(c.distance))
    assert rows[-1].endswith("[" + ", ".join(f"{x:9.6f}" for x in c.normal) + "]")
    stack = tg.contact(a, b, None, (None, [[6, 1, 2], [7, 0, 0]]), solver="romer-3", trace=True).trace
    assert re.fullmatch(r"Trace\(shape=\(2,\), \d+ to \d+ steps\)", str(stack))
    long = Trace(np.ones((300, 11)), np.array(300))
    shown = [line.split()[0] for line in str(long).splitlines()[2:]]
    assert shown == [*map(str, range(1, 11)), "...", *map(str, range(291, 301))]


def test_a_trace_that_would_fill_the_memory_is_refused():
    many, method = tg.Sphere(np.ones(1000)), tg.solvers.RomerTwo(max_iterations=10**6)
    with pytest.raises(ValueError, match="trace would hold"):
        tg.contact(many, tg.Sphere(1.0), pose_b=(None, [3, 0, 0]), solver=method, trace=True)
    with pytest.raises(ValueError, match="max_iterations must be a whole number between"):
        tg.solvers.RomerTwo(max_iterations=2**63)


def test_the_trace_of_a_closed_form_is_its_answer():
    pose = (None, np.array([[0, 0, 3.0], [1, 0, 0.5]]))
    c = tg.contact(tg.HalfSpace([0, 0, 1]), tg.Ellipsoid([3, 2, 1]), None, pose, solver="romer-2", trace=True)
    assert c.iterations.tolist() == c.trace.count.tolist() == [1, 1]
    for name in ("distance", "normal", "point_a", "point_b"):
        assert np.array_equal(getattr(c.trace, name)[:, 0], getattr(c, name))
    assert not c.trace.residual.any()
