"""Whatever a user's class, object or kernel defines anew is used, or refused with a sentence: never ignored."""

import inspect
import math
from typing import NamedTuple

import numpy as np
import pytest

import tangency as tg
from tangency import planar
from tangency.dynamics import Body
from tangency.planar.shape import HONOURED as PLANAR_HONOURED
from tangency.shapes.shape import HONOURED

SOLID, ROUND = tg.Ellipsoid([0.3, 0.2, 0.1]), planar.Circle(1.0)
ALL = [SOLID, tg.Sphere(1.0), tg.HalfSpace([0, 0, 1]), tg.Cavity(tg.Sphere(1.0)), tg.Sphere(1.0).offset(0.1), ROUND]


def names_of(shape):
    return [name for name, _ in inspect.getmembers_static(type(shape)) if not name.startswith("__")]


@pytest.mark.parametrize("shape", ALL, ids=lambda shape: type(shape).__name__)
def test_every_name_of_a_shape_is_honoured_or_refused(shape):
    honoured = PLANAR_HONOURED if isinstance(shape, planar.Shape) else HONOURED
    for name in names_of(shape):
        if name in (*honoured, "Kernel", "_builtin", "_formulas"):
            continue
        for bases in ((type(shape),), (type("Mixin", (), {name: 1.0}), type(shape))):
            with pytest.raises(TypeError, match=rf" overrides {name}\(\), which contacts and simulations would"):
                type("Own", bases, {name: 1.0} if len(bases) == 1 else {})


@pytest.mark.parametrize("shape", ALL, ids=lambda shape: type(shape).__name__)
def test_no_method_or_field_of_an_object_is_replaced(shape):
    for name in {*names_of(shape), *shape._fields}:
        if not name.startswith("_"):
            with pytest.raises(AttributeError):
                setattr(shape, name, 1.0)


def ball(**formulas):
    class Kernel(NamedTuple):
        r: float

        def point(self, n):
            k = self.r / math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
            return (k * n[0], k * n[1], k * n[2])

    return type("Mine", (tg.Shape,), {"Kernel": Kernel, **formulas})


def test_fields_of_a_users_shape_are_not_replaced():
    shape = ball()(r=1.0)
    with pytest.raises(AttributeError, match="r of a Mine cannot be replaced"):
        shape.r = 2.0
    shape.note = "mine"
    assert shape.note == "mine"


@pytest.mark.parametrize("compiled", [False, True])
def test_a_replaced_formula_is_refused(compiled):
    kind = ball()
    shape = kind(r=1.0)
    if compiled:
        assert float(shape.support([0, 0, 1])) == 1.0
    kind.Kernel.point = lambda self, n: (n[0], n[1], 2.0 * n[2])
    with pytest.raises(RuntimeError, match=r"the formulas of Mine use Kernel\.point, which was"):
        shape.support([0, 0, 1])


def test_moments_of_ones_own_are_the_mass_of_a_body():
    """A shell: the shape is the outside, its moments are those between two ellipsoids."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        radii, part = rng.uniform(0.1, 1.0, 3), rng.uniform(0.2, 0.9)

        class Shell(tg.Ellipsoid):
            def moments(self, part=part):
                whole = super().moments()
                volume, second = whole.volume * (1 - part**3), whole.second * (1 - part**5)
                return tg.Moments(volume, whole.centroid, second, whole.error)

        def inertia(r):
            return (
                4
                / 15
                * np.pi
                * np.prod(r)
                * np.array([r[1] ** 2 + r[2] ** 2, r[0] ** 2 + r[2] ** 2, r[0] ** 2 + r[1] ** 2])
            )

        mass = Body("b", Shell(radii), density=2.0).mass_properties
        assert mass.mass == pytest.approx(8 / 3 * np.pi * np.prod(radii) * (1 - part**3), rel=1e-12)
        np.testing.assert_allclose(np.diag(mass.inertia), 2.0 * (inertia(radii) - inertia(part * radii)), rtol=1e-12)
        # ... and of what is made of it
        np.testing.assert_allclose(Shell(radii).translate([1, 0, 0]).volume * 2.0, mass.mass, rtol=1e-12)


@pytest.mark.parametrize("name", ["volume", "centroid", "inertia"])
def test_parts_of_the_moments_point_to_the_moments(name):
    with pytest.raises(TypeError, match=r"override moments\(\)"):
        ball(**{name: 1.0})


WRONG = [tg.Cavity(tg.Sphere(1.0)), tg.HalfSpace([0, 0, 1]), planar.Circle(1.0), 3, None]
ASKING = {
    "check": tg.check,
    "continuity": tg.continuity,
    "offset_limit": tg.offset_limit,
    "potential": lambda shape: tg.potential(shape, 0.1, 0.2),
    "spherical": lambda shape: tg.spherical(shape, 0.1, 0.2),
    "bounding_box": tg.broadphase.bounding_box,
    "bounding_sphere": tg.broadphase.bounding_sphere,
    "Offset": lambda shape: tg.Offset(shape, 1.0),
    "Affine": lambda shape: tg.Affine(shape, np.eye(3)),
    "MinkowskiSum": lambda shape: tg.MinkowskiSum(tg.Sphere(1.0), shape),
    "Cavity": tg.Cavity,
    "HarmonicShape": lambda shape: tg.HarmonicShape.from_shape(shape, 4),
    "SplineShape": lambda shape: tg.SplineShape.from_shape(shape, 4),
}
IN_THE_PLANE = {
    "check": planar.check,
    "continuity": planar.continuity,
    "offset_limit": planar.offset_limit,
    "Offset": lambda shape: planar.Offset(shape, 1.0),
}


@pytest.mark.parametrize("name", ASKING)
def test_functions_of_bounded_shapes_name_their_argument(name):
    for wrong in WRONG:
        with pytest.raises(TypeError, match=r"^(shape|body|b|hollow) must be a "):
            ASKING[name](wrong)


@pytest.mark.parametrize("name", IN_THE_PLANE)
def test_functions_of_planar_shapes_name_their_argument(name):
    for wrong in (tg.Sphere(1.0), planar.Line([0, 1]), 3):
        with pytest.raises(TypeError, match=r"^(shape|body) must be a "):
            IN_THE_PLANE[name](wrong)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1/0", "must be real and finite, got '1/0', in which 1 / 0 divides by zero"),
        ("nx + sqrt(ny - 1/0)", "in which 1 / 0 divides by zero"),
        ("sqrt(-1)", "which is complex"),
        ("oo*nx", "finite"),
        ("DiracDelta(nx)", "must be real and finite"),
        ("floor(3*nx)", "uses floor, which has no derivative"),
        ("Mod(nx, 1)", "uses Mod, which has no"),
        ("Integral(nx, nx) + 2", "h uses Integral, which is not evaluated: pass its result"),
        ("Limit(nx, nx, 0) + 2", "h uses Limit, which is not evaluated"),
        ("gamma(nx)", "uses polygamma, which has no counterpart"),
        ("sign(nx)", "must describe a convex body"),
        ("Abs(nx - 0.4)", "must describe a convex body"),
        ("0", r"the single point \[0.0, 0.0, 0.0\]"),
        ("sqr(nx)", "h uses sqr, which is not a function that SymPy knows; did you mean 'sqrt'"),
        ("hypot(nx, ny)", r"use sqrt\(x\*\*2 \+ y\*\*2\)"),
        ("sqrt(nx**2 + ny**2", "h must be a SymPy expression .* never closed at character 5"),
        ("nx.real_part", "nothing in a formula has an attribute 'real_part'"),
        ("1 + radus", "pass radus=..."),
        ("nx if nx else ny", "h must be a formula without if, .* got 'nx if nx else ny'"),
        ("nx and ny", "got 'nx and ny': use Piecewise"),
        ("1/nx", "h must be finite for every normal: "),
        ("2*nx - nz", r"the single point \[2.0, 0.0, -1.0\]"),
    ],
)
def test_formulas_that_make_no_body(text, said):
    with pytest.raises((TypeError, ValueError), match=said):
        tg.from_support(text)


@pytest.mark.parametrize("factor", [3.0, 0.5, 1.01])
def test_bodies_refuse_formulas_that_disagree(factor):
    def hessian(self, n):
        q = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
        i = factor * self.r / math.sqrt(q)
        j = i / q
        return (
            i - j * n[0] * n[0],
            -j * n[0] * n[1],
            -j * n[0] * n[2],
            i - j * n[1] * n[1],
            -j * n[1] * n[2],
            i - j * n[2] * n[2],
        )

    class Kernel(NamedTuple):
        r: float
        point = None

    kernel = ball().Kernel
    Kernel.point, Kernel.hessian = kernel.point, hessian
    shape = type("Mine", (tg.Shape,), {"Kernel": Kernel})(r=1.0)
    for make in (Body, tg.scene.Body, lambda name, shape: Body(name, tg.Cavity(shape))):
        with pytest.raises(ValueError, match="hessian is not the derivative of point"):
            make("b", shape)
