"""check() names what is wrong with a shape's formulas; nothing a user writes crashes the process."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import tangency as tg
from tangency import planar
from tangency.shapes.shape import ShapeError


def ball(jet=None, **methods):
    """A unit ball of the user's own, with some formulas replaced."""

    def support(self, n):
        return self.r * math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])

    def point(self, n):
        i = self.r / math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
        return (i * n[0], i * n[1], i * n[2])

    def hessian(self, n):
        q = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
        i = self.r / math.sqrt(q)
        j = i / q
        return (
            i - j * n[0] * n[0],
            -j * n[0] * n[1],
            -j * n[0] * n[2],
            i - j * n[1] * n[1],
            -j * n[1] * n[2],
            i - j * n[2] * n[2],
        )

    formulas = {"support": support, "point": point, "hessian": hessian, **methods}

    class Kernel(NamedTuple):
        r: float

    for name, formula in ({"jet": jet} if jet else formulas).items():
        setattr(Kernel, name, formula)
    return type("Mine", (tg.Shape,), {"Kernel": Kernel})(r=1.0)


def test_right_formulas_pass():
    report = tg.check(ball())
    assert report.ok
    assert report
    assert "no problem" in str(report)


def test_a_report_on_some_bodies_of_a_stack_says_so():
    for module, shape in ((tg, tg.Sphere(np.ones((3, 5)))), (planar, planar.Circle(np.ones((3, 5))))):
        assert "8 of 15 bodies were tested" in str(module.check(shape))
        assert not module.check(shape[0]).remarks


def scaled_support(self, n):
    return 1.1 * self.r * math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])


def constant_support(self, n):
    return self.r


def wrong_hessian(self, n):
    return (self.r, 0.0, 0.0, self.r, 0.0, self.r)


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ({"support": scaled_support}, ["n . point(n) differs from support(n)", "point is not the gradient of support"]),
        ({"support": constant_support}, ["not homogeneous: h(0.5 n) differs from 0.5 h(n)"]),
        ({"hessian": wrong_hessian}, ["hessian(n) n is not zero", "hessian is not the derivative of point"]),
    ],
)
def test_wrong_formulas_are_named(methods, words):
    report = tg.check(ball(**methods))
    assert not report.ok
    for text in words:
        assert text in str(report)
    assert "relative error" in str(report)
    assert "at n = (" in str(report)


def test_not_convex():
    text = "sqrt(nx**2 + ny**2 + nz**2) + nx*ny*nz/(nx**2 + ny**2 + nz**2)*2"
    report = tg.check(tg.from_support(text, check=False))
    assert "not convex: a principal radius of curvature is negative" in str(report)
    assert "not convex: a boundary point lies beyond the tangent plane" in str(report)


def test_strict_raises():
    with pytest.raises(ShapeError, match="not homogeneous"):
        tg.check(ball(support=constant_support), strict=True)


def no_tuple(self, n):
    return [n[0], n[1], n[2]]


def nine_numbers(self, n):
    return (0.0,) * 9


def raises(self, n):
    raise KeyError("oops")


def divides(self, n):
    return (1.0 / n[0], 0.0, 0.0)


def complex_number(self, n):
    return 1j


def infinite(self, n):
    return (math.inf, 0.0, 0.0)


@pytest.mark.parametrize(
    ("methods", "text"),
    [
        ({"point": no_tuple}, "point must be a tuple of 3 numbers, got ["),
        ({"hessian": nine_numbers}, "hessian must be a tuple of 6 numbers (xx, xy, xz, yy, yz, zz)"),
        ({"point": raises}, "KeyError: 'oops' at n = ("),
        ({"point": divides}, "ZeroDivisionError"),
        ({"support": complex_number}, "support must consist of real numbers, got 1j"),
        ({"point": infinite}, "point must be finite, got inf"),
    ],
)
def test_plain_python_errors_are_readable(methods, text):
    assert text in str(tg.check(ball(**methods)))


def test_wrong_result_of_jet():
    assert "jet(n) must return (h, x, W)" in str(tg.check(ball(jet=lambda self, n: self.r)))


def unknown_name(self, n):
    if n[0] > 2.0:
        return undefined_function(n)  # noqa: F821
    return (n[0], n[1], n[2])


def test_compile_errors_are_one_sentence():
    shape = ball(point=unknown_name)
    report = tg.check(shape)
    assert "could not be compiled" in str(report)
    with pytest.raises(TypeError, match="could not be compiled"):
        shape.support([1, 0, 0])


def nan_point(self, n):
    return (math.sqrt(n[0]), n[1], n[2])


def raise_below(self, n):
    if n[2] < 0.0:
        raise ValueError("only upwards")
    return (n[0], n[1], n[2])


@pytest.mark.parametrize(("formula", "reason"), [(nan_point, "math domain error"), (raise_below, "only upwards")])
def test_no_number_becomes_a_clear_error(formula, reason):
    shape = ball(point=formula)
    assert shape.support([1, 0, 1]) == pytest.approx(math.sqrt(2))
    with pytest.raises(ShapeError, match=f"formulas of Mine give no number at n = .*{reason}.*check"):
        shape.jet([[1, 0, 1], [-1, 0, -1]])
    stack = type(shape)(r=np.ones((2, 3)))
    with pytest.raises(ShapeError, match=reason):
        stack.jet([-1, 0, -1])
    # inside another shape too
    with pytest.raises(ShapeError, match=reason):
        shape.offset(1.0).point([-1, 0, -1])


def test_missing_methods_are_named():
    with pytest.raises(TypeError, match=r"needs a method point\(self, n\)"):

        class Nothing(tg.Shape):
            class Kernel(NamedTuple):
                r: float

                def support(self, n):
                    return self.r


def test_stacks_name_the_body():
    class Mixed(tg.Shape):
        class Kernel(NamedTuple):
            r: float
            k: float

            def support(self, n):
                return self.r * math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) ** self.k

            def point(self, n):
                i = self.r / math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
                return (i * n[0], i * n[1], i * n[2])

    report = tg.check(Mixed(r=1.0, k=[1.0, 2.0]))
    assert not report.ok
    assert "body (1,)" in str(report)


@pytest.mark.parametrize("value", [3, tg.HalfSpace([0, 0, 1]), "Sphere"])
def test_only_shapes_with_formulas(value):
    with pytest.raises(TypeError, match="shape must be a Shape with formulas"):
        tg.check(value)


@pytest.mark.parametrize("wrong", [0.5, 0.999])
def test_formulas_that_contradict_each_other_never_converge(wrong):
    """Their bounds are wide; no status may call that an answer."""

    class Half(tg.Shape):
        class Kernel(NamedTuple):
            r: float

            def support(self, n):
                return self.r * math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)

            def point(self, n):
                k = wrong * self.r / math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
                return (k * n[0], k * n[1], k * n[2])

    shape = Half(r=1.0)
    for place in ([1.2, 0.3, 0.0], [3.0, 0.0, 0.0], [0.1, 0.0, 0.0]):
        for other in (tg.Sphere(0.5), tg.HalfSpace([0, 0, 1])):
            assert not tg.contact(other, shape, None, (None, place)).converged
