"""What is not convex is found and refused, with the equation and the place; what is convex is not."""

import math
from typing import NamedTuple

import mpmath
import numpy as np
import pytest

import tangency as tg
from potential_oracle import Term, least_radius, pole_violation, random_terms, text_of
from tangency import planar
from tangency.scene import Body, SceneError
from tangency.shape import ShapeError
from tangency.tangent import eigen2

pytest.importorskip("sympy")

LENGTH = "sqrt(nx**2 + ny**2 + nz**2)"


# ---- random potentials against an oracle ----------------------------------------------------------------
STRUCTURES = [
    [Term(2, 0, 3), Term(3, 1, 2)],  # Eq. (18) fails
    [Term(3, 0, 3), Term(2, 1, 2), Term(1, 0, 1)],  # a polynomial
    [Term(1, 0, 2), Term(4, 0, 5)],  # Eq. (17) fails
]


def judge(terms, rng, draws):
    """Number of potentials that were accepted and refused; asserts that each is what the oracle says."""
    outcomes = []
    for _ in range(draws):
        c, d = rng.normal(size=len(terms)), rng.uniform(0, 2 * np.pi, len(terms))
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
    for k in (10.0, 300.0, 2000.0):
        least = bump_radius(k)
        for target in (0.05, -0.05):
            m = rng.normal(size=3)
            x, y, z = m / np.linalg.norm(m)
            values = {"c": (target - 1.0) / least, "k": k, "x": x, "y": y, "z": z}
            if target > 0:
                tg.from_support(text, **values)
                continue
            with pytest.raises(ShapeError, match="h must make a convex body, but a radius of curvature falls to -0.0"):
                tg.from_support(text, **values)


# ---- the poles ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 + 0.02*sin(phi)*cos(2*theta)", r"Eq. \(17\) of Römer 3-D fails at phi = 0: the boundary point.* by 0.04 "),
        ("1 + 0.01*cos(theta)", r"Eq. \(15\) of Römer 3-D fails at phi = 0"),
        ("1 + 0.01*phi**2", r"Eq. \(17\) of Römer 3-D fails at phi = pi: .*constant 0.0628"),
        ("1 + 0.01*theta*sin(phi)**4", "2 pi-periodic in theta: g or g_theta jumps by 0.0628"),
        ("1 - 0.1*Abs(cos(phi))", r"g must make a convex body, but the boundary point jumps inwards by 0\.\d+ at n = "),
    ],
)
def test_poles_and_kinks_are_named(text, sentence):
    with pytest.raises(ShapeError, match=sentence):
        tg.from_potential(text)


def test_reports_name_equation_and_place():
    broken = tg.from_potential("1 + 0.02*sin(phi)*cos(2*theta)", check=False)
    report = str(tg.check(broken))
    assert "Eq. (17) of Römer 3-D fails at phi = 0" in report
    assert "Eq. (17) of Römer 3-D fails at phi = pi" in report
    assert "not convex: a principal radius of curvature is negative" in report
    assert "Eq. 19" in report
    found = tg.continuity(broken)
    assert (found.order, found.convex, found.strictly_convex) == ("G0", False, False)
    assert "is not convex. Eq. (17)" in str(found)
    # W = diag(1, 1 - 0.06 / s) in (e_phi, e_theta) at theta = 0, with sin(phi) = s
    s = 0.03
    radii = broken.curvature([s, 0.0, math.sqrt(1 - s * s)]).radii
    assert radii[0] == pytest.approx(1 - 0.06 / s + 0.02 * s, abs=0.02)
    assert radii[0] < -0.9


def test_curvature_that_jumps_at_the_pole():
    """g = 1 + 0.02 sin^2 cos 3 theta: convex, with Eq. (18) violated; points against 40 digits."""
    shape = tg.from_potential("1 + 0.02*sin(phi)**2*cos(3*theta)")
    assert tg.check(shape).ok
    assert "Eq. (18) of Römer 3-D fails at phi = 0" in str(tg.check(shape))
    report = tg.continuity(shape)
    assert (report.order, report.strictly_convex) == ("G1", True)
    rng = np.random.default_rng(0)
    for _ in range(20):
        phi, theta = 10.0 ** rng.uniform(-14, -1), rng.uniform(-3, 3)
        n = np.array([math.sin(phi) * math.cos(theta), math.sin(phi) * math.sin(theta), math.cos(phi)])
        with mpmath.workdps(40):
            p, t = mpmath.atan2(mpmath.hypot(n[0], n[1]), n[2]), mpmath.atan2(n[1], n[0])
            s, c, a = mpmath.sin(p), mpmath.cos(p), mpmath.mpf("0.02")
            g, gp, gt = 1 + a * s * s * mpmath.cos(3 * t), 2 * a * s * c * mpmath.cos(3 * t), -3 * a * s * mpmath.sin(3 * t)
            e_phi, e_theta = (c * mpmath.cos(t), c * mpmath.sin(t), -s), (-mpmath.sin(t), mpmath.cos(t), 0)
            e_n = (s * mpmath.cos(t), s * mpmath.sin(t), c)
            x = [float(gp * u + gt * v + g * w) for u, v, w in zip(e_phi, e_theta, e_n)]
        np.testing.assert_allclose(shape.point(n), x, rtol=0, atol=4e-16)


def test_contact_near_the_pole_is_exact():
    """A ball below the pole of that body: the distance is h - ..., the points agree to rounding."""
    shape = tg.from_potential("1 + 0.02*sin(phi)**2*cos(3*theta)")
    for n in ([1e-3, 2e-3, 1.0], [-1e-7, 3e-8, -1.0], [0.0, 0.0, 1.0]):
        n = np.array(n) / np.linalg.norm(n)
        x = shape.point(n)
        c = tg.contact(shape, tg.Sphere(0.5), pose_b=(None, x + 0.75 * n))
        assert abs(float(c.distance) - 0.25) < 1e-14
        np.testing.assert_allclose(c.point_a, x, atol=1e-12)


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


def test_planar_curvature_keeps_its_sign():
    dented = planar.from_potential("1 + 0.5*cos(2*phi)", check=False)
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
    with pytest.raises(SceneError, match="body 'egg': shape must make a convex body.* falls to -0.1"):
        Body("egg", dented)
    Body("egg", Egg(radius=0.3, skew=0.05))
    world = tg.dynamics.World([tg.dynamics.Body(dented, name="egg", mass=1.0, inertia=np.eye(3))])
    with pytest.raises(ShapeError, match="the shape of body 'egg' must make a convex body"):
        tg.dynamics.simulate(world, 0.01)


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
    from tangency.symbolic import parse

    for name in ("I", "E", "S", "N", "Q", "O", "beta", "gamma", "zeta", "k", "g", "n", "jet", "count", "self", "in", "_a"):
        expression = parse(f"{name}*sin(phi) + {name}**2", "g", ("phi", "theta"), {name: 1.0})
        assert len(expression.free_symbols) == 2, name
    assert parse("beta*beta(2, 3)", "g", ("phi",), {"beta": 1.0}).has(type(tg.symbolic.sympy_module().beta(2, 3)))
    with pytest.raises(TypeError, match="nx in h stands for the normal"):
        tg.from_support("nx", nx=1.0)
    with pytest.raises(TypeError, match="check must be True or False, got 0.5"):
        tg.from_support(f"check*{LENGTH}", check=0.5)


def test_zeros_in_the_hessian():
    shape = tg.from_support(f"sqrt(nx**2 + nz**2) + 2*Abs(ny) + {LENGTH}*0", check=False)
    assert shape.hessian([1.0, 1.0, 0.0]).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1.0]]
    three = tg.from_support("Max(nx, ny, 2*nz) + Abs(nz)")  # ties of three: still a corner of the body
    assert three.point([2.0, 2.0, 1.0]).tolist() in ([1, 0, 1], [0, 1, 1], [0, 0, 3])
