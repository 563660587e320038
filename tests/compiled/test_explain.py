"""Formulas that cannot be compiled: one sentence with the name that is wrong and its line, none of Numba's words."""

import importlib.util
import itertools

import pytest

from tangency import forces

NUMBA = ("nopython", "Function(", "TypingError", "signature", "pipeline", "numba")
NUMBER = itertools.count()
BALL = """k = self.r / math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
            return (k * n[0], k * n[1], k * n[2])"""
SHAPE = """
import math, typing
import numpy as np
import tangency as tg

class Mine(tg.Shape):
    class Kernel(typing.NamedTuple):
        r: float
        def point(self, n):
            BODY
"""
LAW = """
import math, typing
import numpy as np
import scipy.special
from tangency import forces

def helper(x):
    return 2.0 * x

class Mine(forces.NormalLaw):
    class Kernel(typing.NamedTuple):
        k: float
        def force(self, depth):
            BODY
        def energy(self, depth):
            return self.k * depth**2 / 2
"""


def made(source, tmp_path):
    path = tmp_path / f"mine{next(NUMBER)}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Mine


def said(call):
    with pytest.raises(TypeError) as caught:
        call()
    text = str(caught.value)
    assert "could not be compiled: " in text
    assert not any(word in text.replace("@numba.njit", "") for word in NUMBA), text
    return text


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (BALL.replace("math.sqrt", "math.sqt"), "'math' has no 'sqt'; did you mean 'sqrt'?, in line 10"),
        (BALL.replace("self.r", "self.radius"), "'self' has no field 'radius', in line 10"),
        (BALL.replace("(k * n[0]", "(kay * n[0]"), "the name 'kay' is not defined, in line 11"),
        (BALL.replace("math.sqrt", "sqrt"), "the name 'sqrt' is not defined, in line 10"),
        ("return (self.r / 0.0, hpy) if n[0] > 2.0 else " + "n", "the name 'hpy' is not defined"),
        ("return n[0]", "point must return 3 numbers, got 0.36"),
        ("return (n[0], n[1], 'z')", "point must return 3 numbers, got 'z'"),
        ("pass", "point must return 3 numbers, got None"),
        ("return (n[0], n[1], n[3])", "tuple index out of range, in line 10"),
        ("return n / 2.0", "in line 10"),
        ("x = {}; return n", "uses something that formulas cannot use"),
        ("x = np.polyval([1.0, 2.0], n[0]); return n", "calls numpy.polyval, which formulas cannot use"),
    ],
)
def test_shapes(tmp_path, body, wrong):
    shape = made(SHAPE.replace("BODY", body), tmp_path)(r=1.0)
    assert wrong in said(lambda: shape.support([0, 0, 1]))


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ("return self.kk * depth", ["'self' has no field 'kk', in line 14"]),
        ("return self.k * dpth", ["the name 'dpth' is not defined; did you mean 'depth'?, in line 14"]),
        ("return 'a'", ["force must return one number, got 'a'"]),
        ("return (depth, depth)", ["force must return one number, got (0.25, 0.25)"]),
        ("return np.polyval([1.0, 2.0], depth)", ["line 14 of ", "calls numpy.polyval, which formulas cannot use"]),
        ("return np.median([depth], axis=0)", ["line 14 of ", "calls median with arguments"]),
        ("return scipy.special.gamma(depth)", ["line 14 of ", "uses scipy.special.gamma, which"]),
        ("return helper(depth)", ["'return helper(depth)'", "calls helper, which is not compiled"]),
        ("x = {}; return depth", ["line 14 of ", "uses something that formulas cannot use"]),
    ],
)
def test_laws(tmp_path, body, wrong):
    law = made(LAW.replace("BODY", body), tmp_path)(k=1.0)
    assert isinstance(law, forces.NormalLaw)
    text = said(lambda: law.force(0.1))
    assert all(part in text for part in wrong), text


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ("return self.k * load", "force must return 3 or 6 numbers, got 0.25"),
        ("return np.multiply(-self.k, slip)", "force must return 3 or 6 numbers, got array("),
        ("x = np.polyval([1.0, 2.0], load); return slip", "calls numpy.polyval, which formulas cannot use"),
    ],
)
def test_friction_laws(tmp_path, body, wrong):
    source = LAW.replace("NormalLaw", "FrictionLaw").replace("depth):", "load, slip):", 1).partition("def energy")[0]
    law = made(source.replace("BODY", body), tmp_path)(k=1.0)
    assert wrong in said(lambda: law.force(0.1, [1.0, 0.0, 0.0]))


@pytest.mark.parametrize(
    ("name", "body", "wrong"),
    [
        ("point(self, n)", "return n[0]", "point must return 2 numbers, got 0.6"),
        ("potential(self, phi)", "return math.cos(phi)", "potential must return 3 numbers, got 0.82"),
        ("potential(self, phi)", "return np.polyval([1.0], phi), 0.0, 0.0", "calls numpy.polyval"),
    ],
)
def test_planar_shapes(tmp_path, name, body, wrong):
    source = SHAPE.replace("tangency as tg", "tangency.planar as tg").replace("point(self, n)", name)
    shape = made(source.replace("BODY", body), tmp_path)(r=1.0)
    assert wrong in said(lambda: shape.support([0, 1]))
