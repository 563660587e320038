"""Formulas of time and state in scene files: values and derivatives against mpmath, and what is refused."""

import math
import pickle

import mpmath
import numpy as np
import pytest

from tangency.scene import SceneError
from tangency.scene.formulas import Formula, formula_of

mpmath_names = {
    **{name: getattr(mpmath, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(mpmath, name) for name in ("sinh", "cosh", "tanh", "atan2")},
    "Abs": abs,
    "abs": abs,
    "Min": min,
    "Max": max,
    "pi": mpmath.pi,
}
#: Functions of one number, and what brings any number into their domain.
ONE = {
    "sqrt": "sqrt(1.5 + sin({}))",
    "log": "log(2 + cos({}))",
    "asin": "asin(0.7*sin({}))",
    "acos": "acos(0.7*sin({}))",
    "exp": "exp(sin({}))",
    "tan": "tan(0.5*sin({}))",
    "sinh": "sinh(sin({}))",
    "cosh": "cosh(sin({}))",
    **{name: name + "({})" for name in ("sin", "cos", "atan", "tanh", "Abs", "abs")},
}


def random_formula(rng, depth):
    """A formula of t that is finite everywhere, and smooth almost everywhere."""
    if depth == 0:
        return rng.choice(["t", "2*t", "t**2", f"{rng.uniform(0.2, 2):.3f}", "pi"])
    a, b = (random_formula(rng, depth - 1) for _ in range(2))
    word = rng.choice(list(ONE))
    return rng.choice(
        [
            ONE[word].format(a),
            f"({a} + {b})",
            f"({a} - {b})",
            f"sin({a})*({b})",
            f"({a})/(2 + cos({b}))",
            f"(-({a}))",
            f"(1.5 + sin({a}))**({rng.integers(-3, 4)})",
            f"(1.5 + sin({a}))**(0.5*sin({b}))",
            f"atan2({a}, 1.5 + cos({b}))",
            f"atan2(cos({a}), -2 + sin({b}))",
            f"Min({a}, {b})",
            f"Max({a}, {b}, 0.3)",
        ]
    )


def exact(text, t):
    return eval(text, {"__builtins__": {}}, {**mpmath_names, "t": t})


def test_values_and_derivatives_are_those_of_mpmath():
    rng = np.random.default_rng(3)
    for _ in range(300):
        text, t = str(random_formula(rng, rng.integers(1, 4))), float(rng.uniform(-2, 2))
        with mpmath.workdps(40):
            wanted = [mpmath.diff(lambda x, text=text: exact(text, x), mpmath.mpf(t), n) for n in range(3)]
        found = Formula(text).jet(t)
        assert found.value == pytest.approx(Formula(text)(t), rel=1e-13, abs=1e-13)
        for value, reference in zip(found, wanted):
            assert abs(value - float(reference)) <= 1e-8 * (1.0 + sum(abs(float(part)) for part in wanted)), (text, t)


def test_several_symbols():
    drag = Formula("-0.5*c*(vx - w)", ("vx", "c", "w"))
    assert drag(3.0, 2.0, 1.0) == -2.0
    assert pickle.loads(pickle.dumps(drag))(3.0, 2.0, 1.0) == -2.0


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("2*tt", r"must be in t, pi, got 'tt'; did you mean 't'"),
        ("2*", "must be a formula"),
        ("__import__('os')", "arithmetic"),
        ("t.real", "arithmetic"),
        ("[t]", "arithmetic"),
        ("(lambda: t)()", "arithmetic"),
        ("sin", "got 'sin'"),
        ("sin(t, t)", "argument"),
        ("atan2(t)", "argument"),
        ("1/t", "finite number at t = 0"),
        ("sqrt(t - 1)", "finite number at t = 0"),
        ("log(t)", "finite number at t = 0"),
        ("sqrt(t)", "finite number at t = 0"),  # its speed is not
        ("(t - 1)**0.5", "finite number at t = 0"),
        ("9**999999999", "exponents up to 100"),
        ("exp(exp(exp(9)))", "finite number at t = 0"),
        ("1e308*10", "arithmetic"),
        ("", "must be a formula"),
        ("t" * 3000, "2000 characters"),
        ("(" * 300 + "t" + ")" * 300, "formula"),
        (True, "a number or a formula"),
        (math.inf, "a number or a formula"),
        ([1], "a number or a formula"),
    ],
)
def test_what_is_refused(value, said):
    with pytest.raises(SceneError, match=f"where: key.*{said}"):
        formula_of(value, ("t",), "key", "where")
