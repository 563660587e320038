"""Portal's constrained optimisation and the peer's GJK: answers, statuses, counts, traces, refusals."""

import importlib.util
import sys

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES, normals
from manufactured import place
from tangency.solvers import GJK, Portal
from tangency.solvers.papers.portal_pair import PortalPair
from tangency.solvers.papers.portal_problem import SETS, Problem, first_points
from tangency.solvers.question import ONE, Side
from tangency.solvers.tables import Question, Rows
from tangency.studies.portal_cases import CASES, solve

CHECKED = {1: 2.0, 2: -0.2, 3: 1.2, 4: -0.38119, 5: 1.58959, 6: 1.82062, 8: -0.40465}


def problems(name, gap, count=5, seed=0):
    """Manufactured pairs of one family, `gap` times their size apart."""
    rng = np.random.default_rng(seed)
    a, b = FAMILIES[name].make(rng, (count,)), FAMILIES[name].make(rng, (count,))
    size = np.broadcast_to(a.bounding_radius + b.bounding_radius, count)
    return place(a, b, gap * size, normals(rng, count), Rotation.random(count, rng=rng).as_matrix())


def portal_pair(case):
    sides = []
    for body in CASES[case]:
        rotation, position = body.pose
        pose = np.concatenate([rotation.as_matrix(), np.array(position, float)[:, None]], axis=1).reshape(1, 12)
        sides.append(Side(body.shape, ONE, pose, ONE))
    return PortalPair(*sides, 0, Question(Rows(np.zeros((1, 3)), ONE), Rows(np.full((1, 1), 1e300), ONE), 1e-12))


@pytest.mark.parametrize("solver", ["portal-ip", "portal-sqp"])
@pytest.mark.parametrize("case", CHECKED)
def test_printed_cases(case, solver):
    c = solve(case, solver)
    assert c.converged
    assert abs(c.distance - CHECKED[case]) <= 5e-6
    exact = solve(case)
    assert abs(c.distance - exact.distance) < 1e-10
    assert np.allclose(c.normal, exact.normal, atol=1e-5)
    assert c.lower <= c.distance <= c.upper
    assert 1 <= c.iterations <= 300
    assert c.evaluations >= 1


@pytest.mark.parametrize("label", SETS)
def test_jacobian(label):
    """Analytic derivatives of all constraints against differences, away from the solution."""
    pair = portal_pair(8)
    x = first_points(pair.a, pair.b, None) * (1.0 + 0.03 * np.arange(6))
    problem = Problem(pair.a, pair.b, label)
    state = problem.at(x)
    for k in range(len(state.constraints)):
        slope = approx_fprime(x, lambda y, k=k: problem.at(y).constraints[k], 1e-7)
        assert np.allclose(state.jacobian[k], slope, atol=2e-5 * (1 + abs(slope).max()))
    slope = approx_fprime(x, lambda y: problem.objective(y)[0], 1e-7)
    assert np.allclose(problem.objective(x)[1], slope, atol=1e-5)


def test_first_points():
    """Eq. (33): on both surfaces and on the centre line; Eq. (32): at the fraction."""
    pair = portal_pair(7)
    x = first_points(pair.a, pair.b, None)
    assert abs(pair.a.value(x[:3])) < 1e-12
    assert abs(pair.b.value(x[3:])) < 1e-12
    line = pair.b.centre - pair.a.centre
    for point in (x[:3], x[3:]):
        assert np.linalg.norm(np.cross(point - pair.a.centre, line)) < 1e-12
    assert np.allclose(first_points(pair.a, pair.b, 0.25)[:3], pair.a.centre + 0.25 * line)


@pytest.mark.parametrize("name", ["ellipsoid", "superellipsoid round", "superellipsoid flat", "affine ellipsoid"])
@pytest.mark.parametrize("gap", [0.3, -0.03])
def test_manufactured(name, gap):
    """SQP with set e solves them all; where it claims convergence it agrees with the default solver."""
    p = problems(name, gap)
    c, exact = p.contact(solver="portal-sqp"), p.contact()
    assert c.converged.mean() >= 0.8
    good = c.converged
    assert (abs(c.distance - exact.distance) <= 1e-10 * p.size)[good].all()
    if gap > 0:
        assert (abs(c.distance - p.gap) <= 1e-10 * p.size)[good].all()
        assert np.allclose(c.point_a[good], p.point_a[good], atol=1e-5)
    assert (c.lower <= exact.distance + 1e-12).all()
    assert (exact.distance <= c.upper + 1e-12).all()


def test_sizes_and_frames():
    """Lengths are relative to the bodies: the same in millimetres and kilometres, far from the origin."""
    p = problems("superellipsoid round", 0.2, count=2)
    turn, shift = Rotation.from_rotvec([1, 2, 3]), np.array([3.0, -2.0, 5.0])
    plain = p.contact(solver="portal-sqp")
    for scale in (1e-3, 1e3):
        a, b = (tg.Superellipsoid(scale * s.radii, s.epsilon) for s in (p.a, p.b))
        pose_b = (turn * Rotation.from_matrix(p.rotation), turn.apply(scale * p.position) + scale * shift)
        c = tg.contact(a, b, (turn, scale * shift), pose_b, solver="portal-sqp")
        assert c.converged.all()
        assert np.allclose(c.distance, scale * plain.distance, rtol=1e-10)
        assert np.allclose(c.normal, turn.apply(np.array(plain.normal)), atol=1e-6)


def nudged(rng, values):
    """The same numbers, a few units in the last digit away: what another processor makes of them."""
    return values * (1.0 + rng.integers(-4, 5, np.shape(values)) * np.finfo(float).eps)


def test_spheres_are_solved_whatever_the_last_digits():
    """They start at the solution, where the dot product of the normals and its derivatives are but roundings."""
    rng, count = np.random.default_rng(7), 60
    radii = nudged(rng, 10.0 ** rng.uniform(-1, 1, (2, count)))
    direction, home = normals(rng, count), rng.normal(size=(count, 3))
    direction[::3] = np.eye(3)[0]
    gap = rng.choice([100.0, 1.0, 1e-3, -1e-3, -0.1], count)
    place_b = nudged(rng, home + (radii.sum(axis=0) * (1.0 + gap))[:, None] * direction)
    frames = [Rotation.random(count, rng=rng) for _ in range(2)]
    ball = {"sphere": tg.Sphere, "ellipsoid": lambda r: tg.Ellipsoid(np.stack([r, r, r], axis=-1))}
    for make in ball.values():
        for label in ("e", "b2"):
            method = Portal(method="sqp", constraints=label)
            c = tg.contact(make(radii[0]), make(radii[1]), (frames[0], home), (frames[1], place_b), solver=method)
            assert c.converged.all()
            truth = np.linalg.norm(place_b - home, axis=-1) - radii.sum(axis=0)
            assert (abs(c.distance - truth) <= 1e-11 * (1.0 + abs(truth))).all()


def test_ellipsoids_are_solved_whatever_the_last_digits():
    rng, count = np.random.default_rng(8), 20
    c = tg.contact(
        tg.Ellipsoid([1, 2, 1]),
        tg.Sphere(1.0),
        None,
        (None, nudged(rng, np.tile([4.0, 0, 1], (count, 1)))),
        solver="portal-sqp",
    )
    assert c.converged.all()
    p = problems("ellipsoid", 0.3, count=count, seed=8)
    for k in range(2):
        c = tg.contact(p.a, p.b, None, (p.rotation, nudged(rng, p.position)), solver="portal-sqp")
        assert c.converged.all(), k


@pytest.mark.parametrize("label", ["e", "f", "g", "h"])
def test_products_of_normals_keep_their_digits_at_the_solution(label):
    """Where all normals lie along one line, the step to fulfil a constraint is as small as its distance from it."""
    rng = np.random.default_rng(9)
    for _ in range(20):
        n = normals(rng, 1)[0]
        home, turn = rng.normal(size=3), Rotation.random(rng=rng).as_matrix()
        pose_a, pose_b = (np.concatenate([turn, place[:, None]], 1).reshape(1, 12) for place in (home, home + 3 * n))
        sides = Side(tg.Sphere(1.0), ONE, pose_a, ONE), Side(tg.Sphere(0.5), ONE, pose_b, ONE)
        pair = PortalPair(*sides, 0, Question(Rows(np.zeros((1, 3)), ONE), Rows(np.full((1, 1), 1e300), ONE), 1e-12))
        state = Problem(pair.a, pair.b, label).at(nudged(rng, first_points(pair.a, pair.b, None)))
        steps = [abs(v) / np.linalg.norm(row) for v, row in zip(state.constraints[2:], state.jacobian[2:]) if v]
        assert max(steps, default=0.0) < 1e-12


def test_surfaces_alone_do_not_find_the_depth():
    """Set a in overlap ends where the surfaces meet, and the status says so (Portal, Fig. 7b)."""
    for method in ("sqp", "interior-point"):
        c = solve(8, Portal(method=method, constraints="a"))
        assert abs(c.distance) < 1e-3
        assert c.status == tg.Status.NO_COMMON_NORMAL
        assert not c.converged
        assert "no common normal" in c.message
        assert c.lower <= -0.404645 <= c.upper


def test_redundant_equations_stall_and_independent_ones_do_not():
    for method in ("sqp", "interior-point"):
        assert not solve(8, Portal(method=method, constraints="b")).converged
        c = solve(8, Portal(method=method, constraints="b2"))
        assert c.converged
        assert abs(c.distance + 0.40465) < 5e-6


def test_starts():
    c = solve(5, Portal(method="sqp", start="line", fraction=0.3))
    assert c.converged
    assert abs(c.distance - 1.58959) < 5e-6
    a, b = CASES[6]
    exact = solve(6)
    again = tg.contact(a.shape, b.shape, a.pose, b.pose, solver="portal-sqp", guess=exact)
    assert again.converged
    assert again.iterations < solve(6, "portal-sqp").iterations


@pytest.mark.parametrize("method", ["sqp", "interior-point"])
def test_trace(method):
    a, b = CASES[5]
    c = tg.contact(a.shape, b.shape, a.pose, b.pose, solver=Portal(method=method), trace=True)
    count = int(c.trace.count)
    assert count == int(c.iterations)
    assert np.allclose(c.trace.distance[count - 1], c.distance, atol=1e-12)
    assert np.allclose(c.trace.point_a[count - 1], c.point_a, atol=1e-12)
    assert c.trace.residual[count - 1] < 1e-9 < c.trace.residual[0]
    assert not c.trace.distance[count:].any()


def test_limit_is_reported():
    c = solve(5, Portal(method="sqp", max_iterations=3))
    assert c.status == tg.Status.NOT_CONVERGED
    assert c.iterations == 3
    assert c.lower <= 1.58959 <= c.upper


def test_many_bodies():
    bodies = tg.Bodies([tg.Ellipsoid([[1, 2, 1], [1, 1, 1]]), tg.Superellipsoid([1, 1, 1], (0.5, 1.0))])
    where = (None, [[0, 0, 0], [4, 0, 1], [0, 5, 1]])
    pairs = [[0, 1], [2, 1], [0, 2]]
    c, exact = bodies.contact(pairs, where, solver="portal-sqp"), bodies.contact(pairs, where)
    assert c.converged.all()
    assert np.allclose(c.distance, exact.distance, atol=1e-10)


def test_portal_refusals():
    for field, value in (("method", "simplex"), ("constraints", "z"), ("start", "anywhere")):
        with pytest.raises(ValueError, match=f"{field} must be one of"):
            Portal(**{field: value})
    with pytest.raises(ValueError, match="fraction must lie between 0 and 1"):
        Portal(fraction=1.5)
    with pytest.raises(ValueError, match="max_iterations must be a whole number"):
        Portal(max_iterations=0)
    with pytest.raises(TypeError, match="b must have an implicit function for the solver portal, got Offset"):
        tg.contact(tg.Sphere(1.0), tg.capsule(1.0, 1.0), pose_b=(None, [5, 0, 0]), solver="portal-ip")


def test_ipopt():
    if importlib.util.find_spec("cyipopt") is None:
        with pytest.raises(ImportError, match=r"tangency\[ipopt\]"):
            solve(5, Portal(method="ipopt"))
    else:
        c = solve(5, Portal(method="ipopt", constraints="a"))
        assert abs(c.distance - 1.58959) < 5e-6


def test_gjk_without_the_peer(monkeypatch):
    monkeypatch.setitem(sys.modules, "coal", None)
    with pytest.raises(ImportError, match=r"tangency\[peers\]"):
        tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=(None, [5, 0, 0]), solver="gjk")


@pytest.mark.parametrize("name", ["sphere", "ellipsoid", "box", "capsule", "hull", "rounded box", "offset ellipsoid"])
def test_gjk(name):
    pytest.importorskip("coal")
    p = problems(name, 0.3, count=20)
    c = p.contact(solver="gjk", tol=1e-6)
    assert c.converged.all()
    assert (abs(c.distance - p.gap) <= 1e-5 * p.size).all()
    p = problems(name, -0.03, count=20)
    c, exact = p.contact(solver="gjk", tol=1e-4), p.contact()
    assert (abs(c.distance - exact.distance) <= 1e-2 * p.size)[c.converged].all()
    assert c.converged.mean() > 0.5
    assert (c.lower <= exact.distance + 1e-12).all()


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
def test_gjk_finds_what_coal_can_find(scale):
    pytest.importorskip("coal")
    rng = np.random.default_rng(0)
    radii = scale * np.array([[0.3, 0.2, 0.1], [0.3, 0.1, 0.1]])
    pose = Rotation.random(100, rng=rng), 0.25 * scale * rng.normal(size=(100, 3))
    a, b = tg.Ellipsoid(radii[0]), tg.Ellipsoid(radii[1])
    exact, c = tg.contact(a, b, None, pose), tg.contact(a, b, None, pose, solver="gjk", tol=1e-6)
    assert c.converged.all()
    assert np.abs(c.distance - exact.distance).max() < 1e-5 * scale
    finer = tg.contact(a, b, None, pose, solver="gjk")  # beyond Coal's reach for most, and said so
    assert np.abs(finer.distance - exact.distance).max() < 1e-5 * scale
    assert np.isin(finer.status, [tg.Status.APART, tg.Status.OVERLAP_PROVED, tg.Status.NOT_CONVERGED]).all()


def test_gjk_refusals():
    pytest.importorskip("coal")
    with pytest.raises(TypeError, match="b must be a Sphere, Ellipsoid, Box, capsule"):
        tg.contact(tg.Sphere(1.0), tg.Superellipsoid([1, 1, 1], (0.5, 0.5)), pose_b=(None, [5, 0, 0]), solver="gjk")
    with pytest.raises(ValueError, match="tolerance must be a number between 0 and 1"):
        GJK(tolerance=2.0)
