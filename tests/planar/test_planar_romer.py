"""Römer's algorithms of the plane step by step, against twins in one angle, written from the paper."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest

import tangency as tg
from tangency import planar

S = tg.solvers
RADII_A, RADII_B, ANGLE, POSITION = (0.9, 0.5), (0.4, 0.8), 0.7, (1.3, 1.1)
STARTS = [None, 1.4, 0.1]


def points(phi, m=math):
    """P and Q as seen from A, from the formulas of the ellipse."""

    def point(radii, t):
        c, s = radii[0] * m.cos(t), radii[1] * m.sin(t)
        h = m.sqrt(c * c + s * s)
        return radii[0] * c / h, radii[1] * s / h

    x, y = point(RADII_B, phi - ANGLE + m.pi)
    c, s = m.cos(ANGLE), m.sin(ANGLE)
    return point(RADII_A, phi), (POSITION[0] + c * x - s * y, POSITION[1] + s * x + c * y)


def connection(phi, m=math):
    p, q = points(phi, m)
    return q[0] - p[0], q[1] - p[1]  # Eq. (80)


def functional(phi):
    x, y = connection(phi, mpmath)
    return (x * x + y * y) / 2  # Eq. (81)


def residual(phi):
    x, y = connection(phi, mpmath)
    return y * mpmath.cos(phi) - x * mpmath.sin(phi)  # Eq. (84)


def one(phi):
    return float(phi - mpmath.diff(functional, phi) / mpmath.diff(functional, phi, 2))  # Eq. (83)


def two(phi):
    return float(phi - residual(phi) / mpmath.diff(residual, phi))  # Eq. (85)


def direct(phi):
    x, y = connection(phi)
    return math.atan2(y, x)


def mean(phi):
    turn = math.remainder(direct(phi) - phi, 2 * math.pi)
    return phi + 0.5 * turn  # Eq. (86)


def three(phi, before):
    """In the plane successive normals intersect: the line between both intersections."""
    n, m = ([math.cos(t), math.sin(t)] for t in (phi, before))
    (p, q), (p0, q0) = points(phi), points(before)
    meet = [
        np.array(x) + np.linalg.solve(np.transpose([n, m]), np.subtract(y, x))[0] * np.array(n)
        for x, y in ((p, p0), (q, q0))
    ]
    x, y = meet[1] - meet[0]
    return math.atan2(y, x)


def trace(method, start):
    a, b = planar.Ellipse(RADII_A), planar.Ellipse(RADII_B)
    guess = None if start is None else [math.cos(start), math.sin(start)]
    c = planar.contact(a, b, None, (ANGLE, POSITION), solver=method, guess=guess, trace=True)
    n = c.trace.normal[: int(c.iterations)]
    first = math.atan2(POSITION[1], POSITION[0]) if start is None else start
    return c, [first, *np.arctan2(n[:, 1], n[:, 0])]


def same(angle, other, digits):
    return abs(math.remainder(angle - other, 2 * math.pi)) <= digits


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    ("method", "twin", "digits"),
    [
        (S.RomerOne(), one, 1e-7),
        (S.RomerTwo(), two, 1e-11),
        (S.RomerMean(8), mean, 1e-13),
        (S.RomerDirect(3), direct, 1e-13),
    ],
)
def test_one_step_methods_follow_the_paper(method, twin, digits, start):
    _, steps = trace(method, start)
    assert len(steps) > 2
    for phi, following in list(pairwise(steps))[:6]:
        assert same(following, twin(phi), digits)


@pytest.mark.parametrize("start", STARTS)
def test_tangent_coordinates_replace_the_angle_by_its_tangent(start):
    _, steps = trace(S.RomerTwo(coordinates="tangent"), start)
    for phi, following in pairwise(steps):
        assert same(following, phi + math.atan(two(phi) - phi), 1e-11)


@pytest.mark.parametrize("start", STARTS)
def test_two_in_tangent_coordinates_is_three_with_the_true_centres_of_curvature(start):
    """So II and III are Newton's method and the secant method for one equation."""
    a, b = planar.Ellipse(RADII_A), planar.Ellipse(RADII_B)
    _, steps = trace(S.RomerTwo(coordinates="tangent"), start)
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    for phi, following in pairwise(steps):
        n = np.array([math.cos(phi), math.sin(phi)])
        turn = np.array([[c, -s], [s, c]])
        x, y = POSITION + turn @ b.evolute(-turn.T @ n) - a.evolute(n)
        assert same(following, math.atan2(y, x), 1e-13)


@pytest.mark.parametrize("start", STARTS)
def test_algorithm_three_follows_the_paper(start):
    c, steps = trace("romer-3", start)
    assert c.converged
    assert same(steps[1], mean(steps[0]), 1e-14)
    for before, phi, following in zip(steps, steps[1:], steps[2:]):
        # The intersection loses digits as the normals come together.
        assert same(following, three(phi, before), 1e-13 + 1e-14 / abs(phi - before))


@pytest.mark.parametrize("start", STARTS)
def test_algorithm_four_switches_once(start):
    c, steps = trace("romer-4", start)
    assert c.converged
    switched = False
    for k in range(len(steps) - 1):
        phi = steps[k]
        switched = switched or (k > 0 and math.cos(phi - steps[k - 1]) > 0.99)
        twin = two(phi) if switched else mean(phi) if k == 0 else three(phi, steps[k - 1])
        assert same(steps[k + 1], twin, 1e-10)
    assert switched
