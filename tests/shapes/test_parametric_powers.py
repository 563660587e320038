"""Parametric surfaces with powers of sines and cosines, singular at poles and in planes of symmetry."""

import math

import mpmath
import numpy as np
import pytest

import tangency as tg

pytest.importorskip("sympy")
SURFACE = (
    "a*Abs(sin(u))**e1*sign(cos(v))*Abs(cos(v))**e2",
    "b*Abs(sin(u))**e1*sign(sin(v))*Abs(sin(v))**e2",
    "c*sign(cos(u))*Abs(cos(u))**e1",
)
REFUSED_ONCE = (2.461539974576925, 1.9155904382257622, 1.91938094568651, 1.0761314375452051, 1.2471112724598505)


def surface(values, check=False):
    return tg.from_parametric(SURFACE, u=(0, math.pi), check=check, **dict(zip(("a", "b", "c", "e1", "e2"), values)))


def random_values(rng, low=0.3, high=1.7):
    return (*map(float, rng.uniform(0.5, 3.0, 3)), *map(float, rng.uniform(low, high, 2)))


def directions(rng, count, nearest):
    """Unit vectors at random, next to the poles, next to planes of symmetry, next to both."""
    n = rng.normal(size=(6, count, 3))
    near = 10.0 ** rng.uniform(nearest, -1.0, (6, count, 1))
    n[1, :, :2] *= near[1]
    for axis in range(3):
        n[2 + axis, :, axis] *= near[2 + axis, :, 0]
    n[5] *= 10.0 ** rng.uniform(nearest, 0.0, (count, 3))
    return (n / np.linalg.norm(n, axis=-1, keepdims=True)).reshape(-1, 3)


def exact(values, n):
    """Support value and point of a superellipsoid to 40 digits: its support function is a norm of norms."""
    with mpmath.workdps(40):
        a, b, c, e1, e2 = map(mpmath.mpf, values)
        q1, q2 = 2 / (2 - e1), 2 / (2 - e2)
        x, y, z = (abs(r * mpmath.mpf(float(k))) for r, k in zip((a, b, c), n))
        w = (x**q2 + y**q2) ** (1 / q2)
        h = (w**q1 + z**q1) ** (1 / q1)
        wide = (w / h) ** (q1 - 1)
        point = a * wide * (x / w) ** (q2 - 1), b * wide * (y / w) ** (q2 - 1), c * (z / h) ** (q1 - 1)
        return float(h), [math.copysign(float(p), k) for p, k in zip(point, n)]


def reproduced(body, values, n):
    """Support, point and curvature are those of the library's superellipsoid, also next to singular parameters."""
    found, wanted = body.jet(n), tg.Superellipsoid(values[:3], values[3:]).jet(n)
    size, radius = max(values[:3]), np.abs(wanted.hessian).max(axis=(-2, -1))
    assert np.abs(found.support - wanted.support).max() < 1e-14 * size
    assert (np.abs(found.point - wanted.point).max(axis=-1) < 1e-14 * size + 1e-15 * radius).all()
    assert (np.abs(found.hessian - wanted.hessian).max(axis=(-2, -1)) < 1e-13 * radius + 1e-12 * size).all()
    assert (np.linalg.eigvalsh(found.hessian)[:, 0] > -1e-14 * (size + radius)).all()


def test_superellipsoids_at_random():
    rng = np.random.default_rng(0)
    for _ in range(6):
        values = random_values(rng)
        reproduced(surface(values), values, directions(rng, 40, -14))


def test_points_to_forty_digits():
    rng = np.random.default_rng(1)
    for _ in range(4):
        values = random_values(rng)
        body = surface(values)
        for n in directions(rng, 3, -13):
            support, point = exact(values, n)
            radius = np.abs(tg.Superellipsoid(values[:3], values[3:]).hessian(n)).max()
            assert float(body.support(n)) == pytest.approx(support, rel=1e-14)
            assert np.abs(body.point(n) - point).max() < 1e-14 * max(values[:3]) + 1e-15 * radius


def test_a_convex_one_is_not_refused():
    surface(REFUSED_ONCE, check=True)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(20))
def test_convex_ones_are_not_refused(seed):
    rng = np.random.default_rng(seed)
    surface(random_values(rng, 0.2, 1.8), check=True)
    values = random_values(rng)
    surface(values, check=True)
    reproduced(surface(values), values, directions(rng, 100, -14))


def powers(wide, high, cosine, sine):
    """The superellipsoid with other functions of u and v than |sin u|, cos u, cos v and sin v."""
    cosine, sine, high = (f"sign({f})*Abs({f})**{e}" for f, e in ((cosine, "e2"), (sine, "e2"), (high, "e1")))
    return f"a*({wide})**e1*{cosine}", f"b*({wide})**e1*{sine}", f"c*{high}"


#: The same surface with singular values at other places: x, and the ranges of u and v.
PARAMETERS = {
    "latitude": (powers("Abs(cos(u))", "sin(u)", "cos(v)", "sin(v)"), (-math.pi / 2, math.pi / 2), (-math.pi, math.pi)),
    "turns": (powers("Abs(sin(pi*u))", "cos(pi*u)", "cos(2*pi*v)", "sin(2*pi*v)"), (0, 1), (0, 1)),
    "halves": (powers("Abs(sin(u/2))", "cos(u/2)", "cos(v/3)", "sin(v/3)"), (0, 2 * math.pi), (0, 6 * math.pi)),
    "decimals": (powers("Abs(sin(0.5*u))", "cos(0.5*u)", "cos(v)", "sin(v)"), (0, 2 * math.pi), (0, 2 * math.pi)),
    "shifted": (
        powers("Abs(sin(2*u))", "cos(2*u)", "cos(3*v + pi/2)", "sin(3*v + pi/2)"),
        (0, math.pi / 2),
        (0, 2 * math.pi / 3),
    ),
    "far": (powers("Abs(sin(u))", "cos(u)", "cos(v)", "sin(v)"), (6 * math.pi, 7 * math.pi), (1, 1 + 2 * math.pi)),
    "root": (powers("sqrt(1 - u**2)", "u", "cos(v)", "sin(v)"), (-1, 1), (0, 2 * math.pi)),
    "middle": (powers("sqrt(4*u - 4*u**2)", "(2*u - 1)", "cos(v)", "sin(v)"), (0, 1), (0, 2 * math.pi)),
}


def other_parameters(name, count):
    x, u, v = PARAMETERS[name]
    rng = np.random.default_rng(7)
    for _ in range(count):
        values = random_values(rng)
        body = tg.from_parametric(x, u=u, v=v, check=False, **dict(zip(("a", "b", "c", "e1", "e2"), values)))
        reproduced(body, values, directions(rng, 100, -14))
        assert body._inaccuracies() == []


def test_zeros_of_sums():
    other_parameters("middle", 1)


@pytest.mark.full
@pytest.mark.parametrize("name", PARAMETERS)
def test_other_parameters_of_the_same_surface(name):
    other_parameters(name, 3)


@pytest.mark.full
def test_poles_that_do_not_lie_on_an_axis():
    """The parameters are singular where no coordinate axis is: the curvature comes from differences of points."""
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    local = ("3*sin(u)*cos(v)", "2*sin(u)*sin(v)", "cos(u)")
    rows = [" + ".join(f"({float(k)!r})*({one})" for k, one in zip(row, local)) for row in turn]
    body, same = tg.from_parametric(rows, u=(0, math.pi), check=False), tg.Ellipsoid([3, 2, 1]).affine(turn)
    near = turn[:, 2] + np.random.default_rng(3).normal(size=(60, 3)) * 10.0 ** np.linspace(-16, -1, 60)[:, None]
    for n in (near, -near, [turn[:, 2], -turn[:, 2]]):
        found, wanted = body.jet(n), same.jet(n)
        assert np.abs(found.point - wanted.point).max() < 1e-9
        assert np.abs(found.hessian - wanted.hessian).max() < 1e-7
    assert body._inaccuracies() == []


def test_the_tips_of_a_spindle():
    """An arc of a circle revolved about its chord: at the tips many normals have one point, and no radius."""
    body = tg.from_parametric(
        ("(cos(u) - cos(1))*cos(v)", "(cos(u) - cos(1))*sin(v)", "sin(u)"), u=(-1, 1), check=False
    )
    rng = np.random.default_rng(4)
    angle, turn = rng.uniform(1.02, 0.5 * math.pi, 60), rng.uniform(0.0, 2.0 * math.pi, 60)
    n = np.stack([np.cos(angle) * np.cos(turn), np.cos(angle) * np.sin(turn), np.sin(angle)], axis=1)
    for sign in (1.0, -1.0):
        tips = body.jet(sign * n)
        assert np.abs(tips.point - [0.0, 0.0, sign * math.sin(1.0)]).max() < 1e-12
        assert np.abs(tips.hessian).max() < 1e-6
    angle *= 0.6  # beside the tips
    n = np.stack([np.cos(angle) * np.cos(turn), np.cos(angle) * np.sin(turn), np.sin(angle)], axis=1)
    assert np.abs(body.point(n) - n + math.cos(1.0) * n * [1, 1, 0] / np.cos(angle)[:, None]).max() < 1e-12
