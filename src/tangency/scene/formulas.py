"""Formulas of time and state in a scene file, such as ``"0.1*sin(6*t)"``: values, and derivatives by the time."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from ..io.spelling import nearest
from .bodies import SceneError
from .catalogue import harmless
from .orientation import is_number

TIME = ("t",)


class Jet(NamedTuple):
    """A number with its first and second derivative by the time."""

    value: float
    rate: float = 0.0
    acceleration: float = 0.0

    def __add__(self, other: Any) -> Jet:  # type: ignore[override]
        b = _jet(other)
        return Jet(self.value + b.value, self.rate + b.rate, self.acceleration + b.acceleration)

    def __mul__(self, other: Any) -> Jet:  # type: ignore[override]
        a, b = self, _jet(other)
        second = a.acceleration * b.value + 2.0 * a.rate * b.rate + a.value * b.acceleration
        return Jet(a.value * b.value, a.rate * b.value + a.value * b.rate, second)

    def __radd__(self, other: Any) -> Jet:
        return self + other

    def __rmul__(self, other: Any) -> Jet:  # type: ignore[override]
        return self * other

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.rate, -self.acceleration)

    def __pos__(self) -> Jet:
        return self

    def __sub__(self, other: Any) -> Jet:
        return self + -_jet(other)

    def __rsub__(self, other: Any) -> Jet:
        return _jet(other) - self

    def __truediv__(self, other: Any) -> Jet:
        b = _jet(other)
        return self * b.through(1.0 / b.value, -1.0 / b.value**2, 2.0 / b.value**3)

    def __rtruediv__(self, other: Any) -> Jet:
        return _jet(other) / self

    def __pow__(self, other: Any) -> Jet:
        x, power = self.value, _jet(other)
        if power.rate or power.acceleration:
            return _FUNCTIONS["exp"](power * _FUNCTIONS["log"](self))
        k = power.value
        first = k * x ** (k - 1.0) if k != 0.0 else 0.0
        second = k * (k - 1.0) * x ** (k - 2.0) if k not in (0.0, 1.0) else 0.0
        return self.through(x**k, first, second)

    def __rpow__(self, other: Any) -> Jet:
        return _jet(other) ** self

    def through(self, value: float, first: float, second: float) -> Jet:
        """A function of this number, from its value and derivatives there."""
        return Jet(value, first * self.rate, second * self.rate**2 + first * self.acceleration)


def _jet(number: Any) -> Jet:
    return number if isinstance(number, Jet) else Jet(float(number))


def _tan(x: float) -> tuple[float, float, float]:
    y = math.tan(x)
    return y, 1.0 + y * y, 2.0 * y * (1.0 + y * y)


def _tanh(x: float) -> tuple[float, float, float]:
    y = math.tanh(x)
    return y, 1.0 - y * y, -2.0 * y * (1.0 - y * y)


def _asin(x: float, sign: float = 1.0) -> tuple[float, float, float]:
    root = math.sqrt(1.0 - x * x)
    return math.asin(x) if sign > 0 else math.acos(x), sign / root, sign * x / root**3


def _sqrt(x: float) -> tuple[float, float, float]:
    root = math.sqrt(x)
    return root, 0.5 / root, -0.25 / (root * x)


def _abs(x: float) -> tuple[float, float, float]:
    return abs(x), math.copysign(1.0, x) if x else 0.0, 0.0


#: Value, first and second derivative of the functions of one number.
_CHAINS: dict[str, Callable[[float], tuple[float, float, float]]] = {
    "sin": lambda x: (math.sin(x), math.cos(x), -math.sin(x)),
    "cos": lambda x: (math.cos(x), -math.sin(x), -math.cos(x)),
    "tan": _tan,
    "exp": lambda x: (math.exp(x),) * 3,
    "log": lambda x: (math.log(x), 1.0 / x, -1.0 / x**2),
    "sqrt": _sqrt,
    "asin": _asin,
    "acos": lambda x: _asin(x, -1.0),
    "atan": lambda x: (math.atan(x), 1.0 / (1.0 + x * x), -2.0 * x / (1.0 + x * x) ** 2),
    "sinh": lambda x: (math.sinh(x), math.cosh(x), math.sinh(x)),
    "cosh": lambda x: (math.cosh(x), math.sinh(x), math.cosh(x)),
    "tanh": _tanh,
    "Abs": _abs,
    "abs": _abs,
}


def _of_one(name: str) -> Callable[[Any], Any]:
    chain = _CHAINS[name]

    def function(x: Any) -> Any:
        number = _jet(x)
        if number.rate == number.acceleration == 0.0:  # a constant may be where the function has no derivative
            plain = {"Abs": abs, "abs": abs}.get(name) or getattr(math, name)
            return Jet(plain(number.value))
        return number.through(*chain(number.value))

    return function


def _atan2(y: Any, x: Any) -> Jet:
    a, b = _jet(y), _jet(x)
    angle = math.atan2(a.value, b.value)
    turned = (a * math.cos(angle) - b * math.sin(angle)) / (a * math.sin(angle) + b * math.cos(angle))
    return _FUNCTIONS["atan"](turned) + angle  # the angle from here on, which is small


def _extreme(sign: float) -> Callable[..., Jet]:
    return lambda *numbers: max(map(_jet, numbers), key=lambda number: sign * number.value)


_FUNCTIONS: dict[str, Any] = {
    **{name: _of_one(name) for name in _CHAINS},
    "atan2": _atan2,
    "Min": _extreme(-1.0),
    "Max": _extreme(1.0),
}
_PLAIN: dict[str, Any] = {
    **{name: getattr(math, name) for name in _FUNCTIONS if hasattr(math, name)},
    "Abs": abs,
    "abs": abs,
    "Min": min,
    "Max": max,
}


@dataclass(frozen=True)
class Formula:
    """A formula in some symbols, and ``pi``.

    Examples
    --------
    >>> from tangency.scene.formulas import Formula
    >>> Formula("0.5*g*t**2", ("t", "g"))(2.0, 9.81)
    19.62
    >>> Formula("2*t**2 + 1").jet(3.0)
    Jet(value=19.0, rate=12.0, acceleration=4.0)
    """

    text: str
    symbols: tuple[str, ...] = TIME

    def __call__(self, *values: float) -> float:
        return self._evaluated(_PLAIN, dict(zip(self.symbols, values)))

    def jet(self, time: float) -> Jet:
        """Value and derivatives of a formula of the time."""
        answer = self._evaluated(_FUNCTIONS, {"t": Jet(time, 1.0)})
        return Jet(*map(float, answer)) if isinstance(answer, Jet) else Jet(float(answer))

    def _evaluated(self, functions: dict[str, Any], values: dict[str, Any]) -> Any:
        names = {"__builtins__": {}, "pi": math.pi, **functions}
        try:
            answer = eval(_code(self.text, self.symbols), names, values)  # only arithmetic, see `harmless`
            good = all(isinstance(part, float) and math.isfinite(part) for part in _parts(answer))
        except (ArithmeticError, ValueError) as error:
            answer, good = error, False
        if not good:
            place = ", ".join(f"{name} = {_parts(value)[0]:g}" for name, value in values.items())
            raise ValueError(f"the formula {self.text!r} must give a finite number at {place}, got {answer}")
        return answer


def _parts(answer: Any) -> tuple[Any, ...]:
    return tuple(answer) if isinstance(answer, Jet) else (answer,)


@lru_cache(maxsize=1024)
def _code(text: str, symbols: tuple[str, ...]) -> CodeType:
    """Compiled code of a formula; whole numbers become floats, so that powers cannot grow without bounds."""
    tree = ast.parse(harmless(text).strip(), mode="eval")
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = float(node.value)  # type: ignore[arg-type]
        elif isinstance(node, ast.Name) and id(node) not in called and node.id not in (*symbols, "pi"):
            known = (*symbols, "pi")
            raise ValueError(
                f"the formula {text!r} must be in {', '.join(known)}, got {node.id!r}{nearest(node.id, known)}"
            )
    return compile(tree, "<formula>", "eval")


def formula_of(value: Any, symbols: tuple[str, ...], key: str, where: str) -> Formula:
    """A formula from a number or text of a scene file; one of the time alone is evaluated at the start."""
    if is_number(value) and math.isfinite(value):
        return Formula(repr(float(value)), symbols)
    if not isinstance(value, str):
        raise SceneError(f"{where}: {key} must be a number or a formula such as '2*{symbols[0]}', got {value!r}")
    made = Formula(value, symbols)
    try:
        _code(value, symbols)
        if symbols == TIME:
            made.jet(0.0)
    except (ValueError, TypeError) as error:  # TypeError: a function with the wrong number of arguments
        raise SceneError(f"{where}: {key}: {error}") from None
    return made


def formulas_of(value: Any, symbols: tuple[str, ...], key: str, where: str) -> tuple[Formula, Formula, Formula]:
    """Three formulas, the components of a vector."""
    if not isinstance(value, list) or len(value) != 3:
        raise SceneError(
            f'{where}: {key} must be three numbers or formulas, such as [0, 0, "sin({symbols[0]})"], got {value!r}'
        )
    x, y, z = (formula_of(part, symbols, key, where) for part in value)
    return x, y, z
