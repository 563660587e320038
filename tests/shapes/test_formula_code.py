"""Strings of formulas are arithmetic: code in them is refused and does not run."""

import math
import random

import pytest

import tangency as tg
from tangency import planar

pytest.importorskip("sympy")

#: Expressions that would create the file {path} if they were evaluated.
CODE = [
    "open({path!r}, 'w')",
    "__import__('pathlib').Path({path!r}).touch()",
    "sqrt('open(\\'{path}\\', \\'w\\')')",
    "sympify('open(\\'{path}\\', \\'w\\')')",
    "S('open(\\'{path}\\', \\'w\\')')",
    "exec('open({path!r}, chr(119))')",
    "eval(chr(111))",
    "().__class__.__base__.__subclasses__()[0]",
    "x.__class__",
    "Symbol('x')",
    "sqrt(__builtins__)",
    "lambdify(x, x)(1)",
    "(lambda: open({path!r}, 'w'))()",
    "[open(p, 'w') for p in ({path!r},)]",
    "f'{{open({path!r}, chr(119))}}'",
    "(x := 2)",
    "0.2[1]",
    "getattr(x, 'subs')",
    "sqrt(x, evaluate=open({path!r}, 'w'))",
    "x # open({path!r}, 'w')",
    "x! + open({path!r}, 'w')",
    "\uff4f\uff50\uff45\uff4e({path!r}, 'w')",
]
#: Functions of a formula in some variable.
TAKING = {
    "from_implicit": lambda text: tg.from_implicit(text),
    "from_support": lambda text: tg.from_support(text),
    "from_potential": lambda text: tg.from_potential(text),
    "from_parametric": lambda text: tg.from_parametric(("cos(v)", text, "u"), u=(0, math.pi)),
    "shape_from_curve": lambda text: planar.shape_from_curve("cos(t)", text),
    "shape_from_implicit": lambda text: planar.shape_from_implicit(text),
}


@pytest.mark.parametrize("name", TAKING)
def test_code_is_refused_and_does_not_run(name, tmp_path):
    path, rng = tmp_path / "ran", random.Random(1)
    for code in CODE:
        text = code.format(path=str(path))
        around = rng.choice(["{}", "1 + {}", "sqrt(2*({}))", "Piecewise((1, True), ({}, False))", "\n{}"]).format(text)
        for formula in (text, around):
            with pytest.raises((TypeError, ValueError)):
                TAKING[name](formula)
            assert not path.exists(), formula


@pytest.mark.parametrize("wrap", [list, tuple, set, lambda items: dict.fromkeys(items, 1)])
def test_containers_of_code_are_refused_and_do_not_run(wrap, tmp_path):
    path = tmp_path / "ran"
    with pytest.raises(TypeError, match="F must be a SymPy expression"):
        tg.from_implicit(wrap([f"open({str(path)!r}, 'w')"]))
    assert not path.exists()


def test_messages_name_the_part_and_the_users_symbols():
    with pytest.raises(ValueError, match=r"F must be arithmetic with functions of SymPy, got 'exec\(x \* size\)'"):
        tg.from_implicit("x + exec(x * size)", size=2.0)


@pytest.mark.parametrize(
    "text",
    [
        "x^2/9 + y**2 + z**2 - 1",
        "x**2/9 + y**2\n + z**2 - 1",
        "Max(x**2/9 + y**2 + z**2 - 1, -5)",
        "Piecewise((x**2/9, x > 0), (x**2/9, True)) + pow(y, 2) + Abs(z)**2 - Rational(2, 2)",
        "exp(x**2/9 + y**2 + z**2) - E",
    ],
)
def test_formulas_are_read_as_before(text):
    assert tg.from_implicit(text, check=False).support([1.0, 0.0, 0.0]) == pytest.approx(3.0)
