"""The functions of OpenSim that give displacements along the axes of joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from .imported import numbers_in

#: Knots that are closer than this are moved apart by OpenSim; here they are refused
MIN_KNOT_DISTANCE = 1e-7
#: A function that holds another one
MULTIPLIER = "MultiplierFunction"
#: The names that one spline had over the years
SPLINES = ("SimmSpline", "NaturalCubicSpline", "natCubicSpline")


class NotEvaluated(Exception):
    """Why the position of a joint is not known, as the end of a sentence."""


def function_in(holder: Element, name: str) -> Element | None:
    """The function that an element holds under a name: inside of ``<name>``, or as an element with that name."""
    wrapper = holder.find(name)
    if wrapper is not None:
        return next(iter(wrapper), None)
    return next((child for child in holder if child.get("name") == name), None)


def function_value(function: Element, arguments: Sequence[float], where: str) -> float:
    """The value of a function, as OpenSim defines it.

    Raises
    ------
    NotEvaluated
        For a function that is not in `FUNCTIONS`, or one with another number of arguments.
    """
    scale = 1.0
    while function.tag == MULTIPLIER:
        scale *= float(numbers_in(function.find("scale"), 1, f"{where}, {MULTIPLIER}: <scale>", [1.0])[0])
        inner = function_in(function, "function")
        if inner is None:
            raise NotEvaluated(f"a {MULTIPLIER} has no function")
        function = inner
    if function.tag not in FUNCTIONS:
        raise NotEvaluated(f"the function {function.tag} is not evaluated")
    value = scale * float(FUNCTIONS[function.tag](function, arguments, f"{where}, {function.tag}"))
    if not np.isfinite(value):
        raise NotEvaluated(f"the function {function.tag} has no finite value")
    return value


def _constant(function: Element, arguments: Sequence[float], where: str) -> float:
    return numbers_in(function.find("value"), 1, f"{where}: <value>", [0.0])[0]


def _linear(function: Element, arguments: Sequence[float], where: str) -> float:
    *slopes, intercept = numbers_in(function.find("coefficients"), len(arguments) + 1, f"{where}: <coefficients>")
    return float(np.dot(slopes, arguments)) + intercept


def _polynomial(function: Element, arguments: Sequence[float], where: str) -> float:
    # The highest power comes first
    return float(np.polyval(_list(function, "coefficients", where), _only(arguments, function)))


def _piecewise_linear(function: Element, arguments: Sequence[float], where: str) -> float:
    x, y = _knots(function, where)
    t = _only(arguments, function)
    slopes = np.diff(y) / np.diff(x)
    k = _interval(x, t)
    return y[k] + (t - x[k]) * slopes[k]


def _spline(function: Element, arguments: Sequence[float], where: str) -> float:
    """A cubic spline whose third derivatives at the ends are those of the cubics through the four points there.

    Forsythe, Malcolm and Moler, Computer Methods for Mathematical Computations (1977), Section 4.4; beyond the ends
    OpenSim goes on along the tangents.
    """
    x, y = _knots(function, where)
    t = _only(arguments, function)
    bends = _second_derivatives(x, y)
    k = _interval(x, t)
    h = x[k + 1] - x[k]
    slope = (y[k + 1] - y[k]) / h
    starts = slope - h * (2.0 * bends[k] + bends[k + 1]) / 6.0
    ends = slope + h * (bends[k] + 2.0 * bends[k + 1]) / 6.0
    if t < x[0]:
        return y[0] + (t - x[0]) * starts
    if t > x[-1]:
        return y[-1] + (t - x[-1]) * ends
    d = t - x[k]
    return y[k] + d * (starts + d * (0.5 * bends[k] + d * (bends[k + 1] - bends[k]) / (6.0 * h)))


def _second_derivatives(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Second derivatives of the spline at its knots; a straight line for two points, a parabola for three."""
    n, h = len(x), np.diff(x)
    if n == 2:
        return np.zeros(2)
    slopes = np.diff(y) / h
    system, right = np.zeros((n, n)), np.zeros(n)
    for i in range(1, n - 1):
        system[i, i - 1 : i + 2] = h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]
        right[i] = 6.0 * (slopes[i] - slopes[i - 1])
    # (s''(x_1) - s''(x_0)) / h_0 is the third derivative of the first piece, and so at the other end
    system[0, :2] = -1.0, 1.0
    system[-1, -2:] = -1.0, 1.0
    if n > 3:
        seconds = np.diff(slopes) / (x[2:] - x[:-2])
        thirds = np.diff(seconds) / (x[3:] - x[:-3])  # third divided differences, f''' / 6
        right[0], right[-1] = 6.0 * thirds[0] * h[0], 6.0 * thirds[-1] * h[-1]
    return np.linalg.solve(system, right)


def _interval(x: np.ndarray, t: float) -> int:
    """The number of the piece that holds `t`, or is next to it."""
    return int(np.clip(np.searchsorted(x, t, side="right") - 1, 0, len(x) - 2))


def _knots(function: Element, where: str) -> tuple[np.ndarray, np.ndarray]:
    x, y = _list(function, "x", where), _list(function, "y", where)
    if len(x) != len(y) or len(x) < 2:
        raise NotEvaluated(f"a {function.tag} has {len(x)} values of x and {len(y)} of y")
    if not (np.diff(x) > MIN_KNOT_DISTANCE).all():
        raise NotEvaluated(f"the values of x of a {function.tag} do not increase by more than {MIN_KNOT_DISTANCE}")
    return x, y


def _list(function: Element, name: str, where: str) -> np.ndarray:
    element = function.find(name)
    count = 0 if element is None else len((element.text or "").split())
    return numbers_in(element, max(count, 1), f"{where}: <{name}>")


def _only(arguments: Sequence[float], function: Element) -> float:
    if len(arguments) != 1:
        raise NotEvaluated(f"a {function.tag} is a function of one coordinate, got {len(arguments)}")
    return arguments[0]


#: Values by the tag of the function; a multiplier holds one of them
FUNCTIONS: dict[str, Callable[[Element, Sequence[float], str], float]] = {
    "Constant": _constant,
    "LinearFunction": _linear,
    "PiecewiseLinearFunction": _piecewise_linear,
    "PolynomialFunction": _polynomial,
    **dict.fromkeys(SPLINES, _spline),
}

TAGS = (MULTIPLIER, *FUNCTIONS)

#: What is read of them
READ: dict[str, tuple[str, ...]] = {
    "Constant": ("value",),
    "LinearFunction": ("coefficients",),
    MULTIPLIER: ("scale", "function", *TAGS),
    "PiecewiseLinearFunction": ("x", "y"),
    "PolynomialFunction": ("coefficients",),
    **dict.fromkeys(SPLINES, ("x", "y")),
    "function": TAGS,
}
