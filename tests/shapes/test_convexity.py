"""What is not convex is found and refused, with the equation and the place; what is convex is not."""

import math
from typing import NamedTuple

import mpmath
import numpy as np
import pytest

import tangency as tg
from potential_oracle import Term, least_radius, pole_violation, random_terms, text_of
from tangency import planar
from tangency.geometry.curvature import Curvature, eigen2, frame, relative
from tangency.scene import Body, SceneError
from tangency.shapes.shape import ShapeError

pytest.importorskip("sympy")

LENGTH = "sqrt(nx**2 + ny**2 + nz**2)"


# ---- random potentials against an oracle ----------------------------------------------------------------
STRUCTURES = [
    [Term(1, 0, 2), Term(2, 0, 3), Term(3, 1, 2)],  # Eq. (17) fails but for c0 = 0; else Eq. (18)
    [Term(3, 0, 3), Term(2, 1, 2), Term(1, 0, 1)],  # a polynomial in nx, ny, nz
]


def judge(terms, rng, draws):
    """Number of potentials that were accepted and refused; asserts that each is what the oracle says."""
    outcomes = []
    for _ in range(draws):
        c, d = rng.normal(size=len(terms)), rng.uniform(0, 2 * np.pi, len(terms))
        c[0] *= rng.random() < 0.5
        violation = pole_violation(terms, c, d)
        if violation > 1e-12:
            t, convex = 10.0 ** rng.uniform(-4, -1) / violation, False
        else:
            least = least_radius(terms, c, d)
            if not least < -1e-6:
                continue
            size = 1.0 - np.abs(c).sum() / least
            target = min(float(rng.choice([0.3, 1e-2, 1e-4, 1e-6, -1e-6, -1e-4, -1e-2, -0.3])) * size, 0.3)
            t, convex = (target - 1.0) / least, target > 0
        values = {f"c{k}": v for k, v in enumerate(c)} | {f"d{k}": v for k, v in enumerate(d)}
        try:
            tg.from_potential(text_of(terms), t=t, **values)
            accepted, reason = True, ""
        except ShapeError as error:
            accepted, reason = False, str(error)
        assert accepted == convex, (terms, t, values, reason)
        assert accepted or "Eq. (1" in reason
        outcomes.append(accepted)
    return outcomes


@pytest.mark.parametrize("terms", STRUCTURES, ids=str)
def test_random_potentials(terms):
    outcomes = judge(terms, np.random.default_rng(3), 6)
    assert False in outcomes


def test_least_radius_in_the_limit_at_a_pole():
    """Where Eq. (18) fails the least radius may be a limit at the pole, for one azimuth."""
    rng, terms = np.random.default_rng(5), [Term(0, 2, 0), Term(2, 1, 4)]
    for _ in range(5):
        c, d = rng.normal(size=2), rng.uniform(0, 6, 2)
        t = 0.5 / np.abs(c).sum()
        values = {"c0": c[0], "c1": c[1], "d0": d[0], "d1": d[1]}
        shape = tg.from_potential(text_of(terms), t=t, check=False, **values)
        assert -float(tg.offset_limit(shape)) == pytest.approx(1.0 + t * least_radius(terms, c, d), abs=1e-8)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(60))
def test_many_random_potentials(seed):
    rng = np.random.default_rng(seed)
    judge(random_terms(rng, bool(rng.random() < 0.75)), rng, 50)


def bump_radius(k):
    """Least radius of exp(-k |n - m|^2) on the unit sphere: it depends on the angle from m alone."""

    def radii(x):
        p = mpmath.exp(-2 * k * (1 - mpmath.cos(x)))
        slope = -2 * k * mpmath.sin(x) * p
        bend = (4 * k * k * mpmath.sin(x) ** 2 - 2 * k * mpmath.cos(x)) * p
        return min(p + bend, p + slope * mpmath.cos(x) / mpmath.sin(x))

    return float(min(radii(mpmath.mpf(j) / 40 / mpmath.sqrt(k)) for j in range(1, 200)))


def test_narrow_dents():
    """A dent some hundredths of a radian wide, anywhere."""
    rng = np.random.default_rng(5)
    text = "1 + c*exp(-k*((nx - x)**2 + (ny - y)**2 + (nz - z)**2))"
    for k in (30.0, 2000.0):
        least = bump_radius(k)
        for target in (0.05, -0.05):
            m = rng.normal(size=3)
            x, y, z = m / np.linalg.norm(m)
            values = {"c": (target - 1.0) / least, "k": k, "x": x, "y": y, "z": z}
            if target > 0:
                tg.from_support(text, **values)
                continue
            with pytest.raises(ShapeError, match=r"h must describe a convex body, but a radius .* falls to -0\.0"):
                tg.from_support(text, **values)


# ---- the poles ------------------------------------------------------------------------------------------
WAVES = "1 + a*sin(phi)*cos(2*theta) + b*cos(theta) + c*phi**2 + d*theta*sin(phi)**4 + e*sin(phi)**2*cos(3*theta)"


def waves(check=True, **values):
    """One formula for all, which compiles once."""
    return tg.from_potential(WAVES, check=check, **{**dict.fromkeys("abcde", 0.0), **values})


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"a": 0.02}, r"^Eq. \(17\) of Römer 3-D fails at phi = 0: the boundary point depends.* by 0.04 "),
        ({"b": 0.01}, r"^Eq. \(15\) of Römer 3-D fails at phi = 0: "),
        ({"c": 0.01}, r"^Eq. \(17\) of Römer 3-D fails at phi = pi: .*constant 0.0628"),
        ({"d": 0.01}, "2 pi-periodic in theta: g or g_theta jumps by 0.0628"),
        ({"e": 0.2}, r"g must describe a convex body, but a radius of curvature falls to -0\.\d+ at n = .*Eq. \(19\)"),
    ],
)
def test_equation_and_pole_are_named(values, sentence):
    with pytest.raises(ShapeError, match=sentence):
        waves(**values)


def test_reports_name_equation_and_place():
    broken = waves(check=False, a=0.02)
    report = str(tg.check(broken))
    assert "Eq. (17) of Römer 3-D fails at phi = 0" in report
    assert "Eq. (17) of Römer 3-D fails at phi = pi" in report
    assert "not convex: a principal radius of curvature is negative" in report
    assert "Eq. (19)" in report
    found = tg.continuity(broken)
    assert (found.order, found.convex, found.strictly_convex) == ("G0", False, False)
    assert "is not convex. Eq. (17)" in str(found)
    # g / s^2 of Eq. (21e) at theta = 0 is 1 + 0.02 (s + (c^2 - 4) / s)
    s = 0.03
    radii = broken.curvature([s, 0.0, math.sqrt(1 - s * s)]).radii
    assert radii[0] == pytest.approx(1 + 0.02 * (s + (1 - s * s - 4) / s), rel=1e-12)
    assert radii[0] < -0.9


def test_curvature_that_jumps_at_the_pole():
    """g = 1 + 0.02 sin^2 cos 3 theta: convex, with Eq. (18) violated; points against 40 digits, and a contact."""
    shape = waves(e=0.02)
    report = tg.check(shape)
    assert report.ok
    assert "Eq. (18) of Römer 3-D fails at phi = 0" in str(report)
    found = tg.continuity(shape)
    assert (found.order, found.strictly_convex) == ("G1", True)
    rng = np.random.default_rng(0)
    for _ in range(20):
        phi, theta = 10.0 ** rng.uniform(-14, -1), rng.uniform(-3, 3)
        n = np.array([math.sin(phi) * math.cos(theta), math.sin(phi) * math.sin(theta), math.cos(phi)])
        with mpmath.workdps(40):
            p, t = mpmath.atan2(mpmath.hypot(n[0], n[1]), n[2]), mpmath.atan2(n[1], n[0])
            s, c, a = mpmath.sin(p), mpmath.cos(p), mpmath.mpf("0.02")
            wave, turn = a * mpmath.cos(3 * t), -3 * a * mpmath.sin(3 * t)
            g, gp, gt = 1 + s * s * wave, 2 * s * c * wave, s * turn
            e_phi, e_theta = (c * mpmath.cos(t), c * mpmath.sin(t), -s), (-mpmath.sin(t), mpmath.cos(t), 0)
            e_n = (s * mpmath.cos(t), s * mpmath.sin(t), c)
            x = [float(gp * u + gt * v + g * w) for u, v, w in zip(e_phi, e_theta, e_n)]
        np.testing.assert_allclose(shape.point(n), x, rtol=0, atol=4e-16)
    for n in ([1e-3, 2e-3, 1.0], [-1e-7, 3e-8, -1.0], [0.0, 0.0, 1.0]):
        n = np.array(n) / np.linalg.norm(n)
        c = tg.contact(shape, tg.Sphere(0.5), pose_b=(None, shape.point(n) + 0.75 * n))
        assert abs(float(c.distance) - 0.25) < 1e-14
        np.testing.assert_allclose(c.point_a, shape.point(n), atol=1e-9)


def test_dents_without_width():
    """Kinks: outward ones are straight pieces of a convex body, inward ones are dents."""
    text = "1 + a*Abs(nz)"
    tg.from_support(text, a=0.1)
    with pytest.raises(ShapeError, match=r"convex body, but the boundary point moves inwards by 0\.\d+ at n"):
        tg.from_support(text, a=-0.1)


# ---- nothing hides a sign -------------------------------------------------------------------------------
def test_eigenvalues_keep_their_sign():
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(3, 2000)) * 10.0 ** rng.uniform(-12, 12, (3, 2000))
    small, large, angle = eigen2(a, b, c)
    exact = np.linalg.eigvalsh(np.stack([np.stack([a, b], -1), np.stack([b, c], -1)], -2))
    top = np.abs(exact).max(axis=1)
    assert (np.abs(small - exact[:, 0]) <= 1e-13 * top).all()
    assert (np.abs(large - exact[:, 1]) <= 1e-13 * top).all()
    t = np.stack([np.cos(angle), np.sin(angle)], -1)
    assert (np.abs(a * t[:, 0] + b * t[:, 1] - small * t[:, 0]) <= 1e-12 * top).all()
    assert eigen2(np.array(1.0), np.array(1.0), np.array(1.0 - 1e-16))[0] == 0.0


def test_an_edge_keeps_the_curvature_along_it():
    """Infinite curvature across an edge must not drown the finite one along it."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        t, s = frame(n)
        turn, k, r = rng.uniform(0, 6), *rng.uniform(0.1, 10, 2)
        across = np.cos(turn) * t + np.sin(turn) * s
        along = np.cross(n, across)
        edge = Curvature(np.array([np.inf, k]), np.array([0.0, 1 / k]), np.stack([across, along]))
        ball = Curvature(np.array([r, r]), np.array([1 / r, 1 / r]), np.stack([t, s]))
        found = relative(n, edge, ball)
        assert found.values[0] == np.inf
        assert found.values[1] == pytest.approx(k + r, rel=1e-12)
        sharp = Curvature(np.array([1e17, k]), np.array([1e-17, 1 / k]), edge.directions)
        assert relative(n, ball, sharp).values == pytest.approx([1e17, k + r], rel=1e-12)
        assert abs(found.directions[1] @ along) == pytest.approx(1.0)
        crossing = Curvature(edge.values, edge.radii, np.stack([along, across]))
        assert (relative(n, edge, crossing).values == np.inf).all()


def test_planar_curvature_keeps_its_sign():
    text = "1 + a*cos(2*phi) + c*exp(-k*(1 - cos(phi - 1)))"
    dented = planar.from_potential(text, check=False, a=0.5, c=0.0, k=1.0)
    # a dent some hundredths of a radian wide: g + g'' = 1 + c (1 - k) at phi = 1
    narrow = {"a": 0.0, "c": 1.001 / 4999.0, "k": 5000.0}
    with pytest.raises(ValueError, match=r"falls to -0\.001.* at phi = 1 "):
        planar.from_potential(text, **narrow)
    assert "falls to -0.001" in str(planar.check(planar.from_potential(text, check=False, **narrow)))
    assert float(dented.curvature([1, 0])) == pytest.approx(-2.0)
    report = planar.continuity(dented)
    assert not report.strictly_convex
    assert report.smallest_radius == pytest.approx(-0.5)
    assert "is not convex" in str(report)


class Egg(tg.Shape):
    class Kernel(NamedTuple):
        radius: float
        skew: float

        def point(self, n):
            x, y, z = n
            q = x * x + y * y + z * z
            k = self.radius / math.sqrt(q) - 2.0 * self.skew * z**3 / (q * q)
            return (k * x, k * y, k * z + 3.0 * self.skew * z * z / q)


def test_scenes_and_worlds_refuse_what_is_not_convex():
    # Principal radii: r - 2 s cos(3 phi) and r - 2 s cos(phi)^3
    dented = Egg(radius=0.3, skew=0.2)
    assert dented.curvature([[0.0, 0.0, 1.0]]).radii[0, 0] == pytest.approx(-0.1, abs=1e-6)
    assert float(tg.offset_limit(dented)) == pytest.approx(0.1, abs=1e-6)
    with pytest.raises(SceneError, match="body 'egg': shape: the body is not convex"):
        Body("egg", dented)
    Body("egg", Egg(radius=0.3, skew=0.05))
    with pytest.raises(ValueError, match="the body is not convex"):
        tg.dynamics.Body("egg", dented, mass=1.0, inertia=np.eye(3))


def test_harmonics_show_the_least_radius():
    c = np.zeros(25)
    c[0], c[20] = 2 * math.sqrt(math.pi), 0.2
    with pytest.raises(ShapeError, match="a radius of curvature falls to -"):
        tg.HarmonicShape(c)


# ---- names and zeros ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["h", "lambda"])
def test_any_name_for_a_parameter(name):
    shape = tg.from_support(f"{name}*{LENGTH}", check=False, **{name: 2.0})
    assert float(shape.support([0, 0, 1])) == 2.0


def test_names_that_mean_something_elsewhere():
    from tangency.shapes.formulas.support import parse, sympy_module

    names = ["I", "E", "S", "N", "Q", "O", "beta", "gamma", "zeta", "k", "g", "n", "jet", "count", "self", "in", "_a"]
    for name in names:
        expression = parse(f"{name}*sin(phi) + {name}**2", "g", ("phi", "theta"), {name: 1.0})
        assert len(expression.free_symbols) == 2, name
    beta = type(sympy_module().beta(2, 3))
    assert parse("beta*beta(2, 3)", "g", ("phi",), {"beta": 1.0}).has(beta)
    with pytest.raises(TypeError, match="nx in h denotes the normal"):
        tg.from_support("nx", nx=1.0)
    with pytest.raises(TypeError, match=r"check must be True or False, got 0\.5"):
        tg.from_support(f"check*{LENGTH}", check=0.5)


def test_zeros_in_the_hessian():
    shape = tg.from_support(f"sqrt(nx**2 + nz**2) + 2*Abs(ny) + {LENGTH}*0", check=False)
    np.testing.assert_allclose(shape.hessian([1.0, 1.0, 0.0]), np.diag([0.0, 0.0, 1.0]), atol=1e-15)
    three = tg.from_support("Max(nx, ny, 2*nz) + Abs(nz)")  # ties of three: still a corner of the body
    assert three.point([2.0, 2.0, 1.0]).tolist() in ([1, 0, 1], [0, 1, 1], [0, 0, 3])


# ---- every body of a stack ---------------------------------------------------------------------------------
STACKED = [
    (f"{LENGTH} + c*nx**3*ny/(nx**2 + ny**2 + nz**2)**(3/2)", 0.5, "a radius of curvature falls to"),
    (f"{LENGTH} + c*Abs(nx - 0.3*ny)", -0.02, "the boundary point moves inwards by"),
]


@pytest.mark.parametrize(("formula", "bad", "said"), STACKED)
def test_one_bad_body_among_many_is_found(formula, bad, said):
    rng = np.random.default_rng(3)
    count = 900
    values, k = np.zeros(count), int(rng.integers(count))
    tg.from_support(formula, c=values + abs(bad) * 0.1)
    values[k] = bad
    with pytest.raises(ShapeError, match=rf"h must describe a convex body, but {said}.*body \({k},\)"):
        tg.from_support(formula, c=values)


def test_one_bad_pole_among_many_is_found():
    """Eq. (17) fails for a single body of a stack, whose potential is a formula in nx, ny, nz."""
    k, values = 1234, np.zeros(3000)
    values[k] = 0.02
    with pytest.raises(ShapeError, match=rf"Eq\. \(1[57]\) of Römer 3-D fails at phi = (0|pi).*body \({k},\)"):
        tg.from_potential("1 + c*Abs(sin(phi)*cos(theta))", c=values)
