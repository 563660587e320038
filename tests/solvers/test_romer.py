"""Römer's algorithms step by step, against plain-Python twins written from the paper."""

import math
import subprocess
import sys

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.compiled.cache import can_keep
from tangency.studies.romer_pairs import random_ellipsoids

S = tg.solvers
RADII_A, RADII_B = [0.9, 0.5, 0.7], [0.4, 0.8, 0.6]
POSITION, TURN = [1.3, 1.1, 0.9], Rotation.from_rotvec([0.4, -0.7, 0.2])


def from_angles(phi, theta, m=math):
    return [m.sin(phi) * m.cos(theta), m.sin(phi) * m.sin(theta), m.cos(phi)]  # Eq. (78)


def points(n, m=math):
    """P and Q in the frame of the master, from the formulas of the ellipsoid."""

    def point(radii, u):
        h = m.sqrt(sum((r * v) ** 2 for r, v in zip(radii, u)))
        return [r * r * v / h for r, v in zip(radii, u)]

    q = TURN.as_matrix().tolist()
    local = [-sum(q[i][j] * n[i] for i in range(3)) for j in range(3)]
    x_b = point(RADII_B, local)
    return point(RADII_A, n), [sum(q[i][j] * x_b[j] for j in range(3)) for i in range(3)]


def connection(n, m=math):
    p, q = points(n, m)
    return [r - x + y for r, x, y in zip(POSITION, p, q)]  # Eq. (80)


def dot(u, v):
    return sum(x * y for x, y in zip(u, v))


def tangents(phi, theta, m):
    return ([m.cos(phi) * m.cos(theta), m.cos(phi) * m.sin(theta), -m.sin(phi)], [-m.sin(theta), m.cos(theta), 0])


def newton(gradient, hessian):
    """Twin of I or II: derivatives by high-precision differences, not by formulas."""

    def step(n):
        phi, theta = mpmath.acos(n[2]), mpmath.atan2(n[1], n[0])
        d = mpmath.lu_solve(mpmath.matrix(hessian(phi, theta)), mpmath.matrix(gradient(phi, theta)))
        return [float(v) for v in from_angles(phi - d[0], theta - d[1], mpmath)]

    return step


def functional(phi, theta):
    w = connection(from_angles(phi, theta, mpmath), mpmath)
    return dot(w, w) / 2  # Eq. (81)


def residual(k):
    """Component k of Eq. (84)."""
    return lambda phi, theta: dot(connection(from_angles(phi, theta, mpmath), mpmath), tangents(phi, theta, mpmath)[k])


def derivative(function, order):
    return lambda phi, theta: mpmath.diff(function, (phi, theta), order)


one = newton(
    lambda *at: [derivative(functional, order)(*at) for order in ((1, 0), (0, 1))],
    lambda *at: [[derivative(functional, order)(*at) for order in row] for row in (((2, 0), (1, 1)), ((1, 1), (0, 2)))],
)
two = newton(
    lambda *at: [residual(k)(*at) for k in (0, 1)],
    lambda *at: [[derivative(residual(k), order)(*at) for order in ((1, 0), (0, 1))] for k in (0, 1)],
)


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)


def mean(n):
    return unit(unit(n) + unit(connection(n)))  # Eq. (86)


def three(n, before):
    """Eqs. (87)-(89) with both points."""
    n, before = np.asarray(n), np.asarray(before)
    (p, q), (p0, q0) = points(n), points(before)
    t = n - (n @ before) * before
    bottom = -np.cross(n, before) @ np.cross(n, before)
    p_bar = np.asarray(p) + t @ (np.asarray(p) - p0) / bottom * n
    q_bar = np.asarray(q) + t @ (np.asarray(q) - q0) / bottom * n
    return unit(np.asarray(POSITION) - p_bar + q_bar)


def trace(method, guess=None):
    a, b = tg.Ellipsoid(RADII_A), tg.Ellipsoid(RADII_B)
    c = tg.contact(a, b, None, (TURN, POSITION), solver=method, guess=guess, trace=True)
    return c, c.trace.normal[: int(c.iterations)]


STARTS = [None, [0.2, 0.9, 0.5], [-0.3, 0.5, 0.9]]


def begin(start):
    return unit(POSITION if start is None else start)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    ("method", "twin", "digits"),
    [
        (S.RomerOne(), one, 1e-7),
        (S.RomerTwo(), two, 1e-9),
        (S.RomerMean(8), mean, 1e-12),
        (S.RomerDirect(3), lambda n: unit(connection(n)), 1e-12),
    ],
)
def test_one_step_methods_follow_the_paper(method, twin, digits, start):
    _, steps = trace(method, start)
    n = begin(start)
    assert len(steps) >= 2
    for step in steps[:6]:
        np.testing.assert_allclose(step, twin(n), rtol=0, atol=digits)
        n = step


@pytest.mark.parametrize("start", STARTS)
def test_algorithm_three_follows_the_paper(start):
    c, steps = trace("romer-3", start)
    assert c.converged
    normals = [begin(start), *steps]
    np.testing.assert_allclose(normals[1], mean(normals[0]), rtol=0, atol=1e-14)
    for before, n, following in zip(normals, normals[1:], normals[2:]):
        # The secant loses digits as the normals come together.
        lost = 1e-15 / np.linalg.norm(n - before)
        np.testing.assert_allclose(following, three(n, before), rtol=0, atol=1e-13 + 10 * lost)


@pytest.mark.parametrize("start", STARTS)
def test_algorithm_four_switches_once(start):
    c, steps = trace("romer-4", start)
    assert c.converged
    normals = [begin(start), *steps]
    switched = False
    for k in range(len(steps)):
        n = normals[k]
        switched = switched or (k > 0 and n @ normals[k - 1] > 0.99)
        twin = two(n) if switched else mean(n) if k == 0 else three(n, normals[k - 1])
        np.testing.assert_allclose(steps[k], twin, rtol=0, atol=1e-9)
    assert switched


@pytest.mark.parametrize("kind", [S.RomerOne, S.RomerTwo, S.RomerFour])
def test_without_poles_the_solution_is_the_same(kind):
    pairs = random_ellipsoids(np.random.default_rng(7), 300)
    a, b = pairs.bodies()
    c, d = (tg.contact(a, b, None, pairs.pose_b, solver=kind(coordinates=name)) for name in ("spherical", "tangent"))
    both = c.converged & d.converged
    assert both.sum() > 100
    np.testing.assert_allclose(c.distance[both], d.distance[both], rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", [S.RomerTwo, S.RomerFour])
def test_newton_is_quadratic(kind):
    c, _ = trace(kind())
    g = c.trace.residual[: int(c.iterations)]
    assert g[-1] < 20 * g[-2] ** 2 + 1e-14


def test_a_start_at_the_pole():
    for name in S.SOLVERS:
        if name.startswith("romer"):
            c = tg.contact(
                tg.Ellipsoid([1, 2, 3]),
                tg.Ellipsoid([3, 1, 2]),
                pose_b=(None, [0.5, 0.2, 7]),
                solver=name,
                guess=[0, 0, 1],
            )
            assert np.isfinite(c.distance)


def test_max_distance_is_heeded():
    c = tg.contact(tg.Ellipsoid([1, 2, 3]), tg.Sphere(1.0), pose_b=(None, [9, 9, 9]), solver="romer-3", max_distance=1)
    assert c.status == tg.Status.BEYOND
    assert 1.0 < c.lower <= c.distance


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: S.RomerThree(max_iterations=0), "max_iterations must be a whole number between 1 and 1000000, got 0"),
        (lambda: S.RomerTwo(coordinates="polar"), "coordinates must be one of spherical, tangent, got 'polar'"),
        (lambda: S.RomerFour(switch=math.nan), "switch must be a number from -1 to 1, as scalar products are, got nan"),
        (lambda: S.RomerFour(switch=1.5), "switch must be a number from -1 to 1"),
        (lambda: S.RomerOne(power=-1.0), "power must be a number > 0, got -1.0"),
    ],
)
def test_bad_options(make, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        make()


def test_running_out_of_iterations_is_said():
    a, b = tg.Ellipsoid([1, 2, 3]), tg.Sphere(1.0)
    c = tg.contact(a, b, pose_b=(None, [3, 3, 3]), solver=S.RomerThree(max_iterations=2))
    assert c.status == tg.Status.NOT_CONVERGED
    assert c.iterations == 2
    assert c.lower <= tg.contact(a, b, pose_b=(None, [3, 3, 3])).distance <= c.upper


@pytest.mark.full
@pytest.mark.skipif(not can_keep(), reason="the cache folder is not writable")
def test_a_second_process_compiles_nothing():
    code = (
        "import tangency as tg; from tangency.solvers.papers import loop; "
        "[tg.contact(tg.Ellipsoid([1, 2, 3]), tg.Sphere(1.0), pose_b=(None, [3, 3, 3]), solver=s) "
        " for s in ('romer-1', 'romer-2', 'romer-3', 'romer-4')]; s = loop._cached.stats; "
        "print(len(s.cache_hits), len(s.cache_misses))"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    hits, misses = map(int, done.stdout.split())
    assert hits == 4
    assert misses == 0
