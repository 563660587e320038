"""Values with first and second derivatives by a few variables: the chain rule, applied to definitions as they stand.

The numbers are arrays of doubles or of `Double2`.  Derivatives that are zero for all elements are not stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import double_double as dd


class Jet:
    """A value, its gradient {variable: number} and, for order 2, its Hessian {(i, j): number} with i <= j."""

    __array_ufunc__ = None

    def __init__(self, value: Any, gradient: dict[int, Any] | None = None, hessian: dict | None = None) -> None:
        self.value, self.gradient, self.hessian = value, gradient or {}, hessian

    def __add__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value + other, self.gradient, self.hessian)
        second = None if self.hessian is None else _merged(self.hessian.items(), other.hessian.items())
        return Jet(self.value + other.value, _merged(self.gradient.items(), other.gradient.items()), second)

    def __neg__(self) -> Jet:
        return self * -1.0

    def __sub__(self, other: Any) -> Jet:
        return self + (-other)

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            second = None if self.hessian is None else dict(_scaled(self.hessian, other))
            return Jet(self.value * other, dict(_scaled(self.gradient, other)), second)
        first = _merged(_scaled(self.gradient, other.value), _scaled(other.gradient, self.value))
        second = None
        if self.hessian is not None:
            second = _merged(
                _scaled(self.hessian, other.value),
                _scaled(other.hessian, self.value),
                _outer(self.gradient, other.gradient),
            )
        return Jet(self.value * other.value, first, second)

    def __truediv__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return self * (1.0 / other)
        i = 1.0 / other.value
        return self * other.through(i, -(i * i), 2.0 * (i * i * i))

    def __rtruediv__(self, other: Any) -> Jet:
        i = 1.0 / self.value
        return self.through(i, -(i * i), 2.0 * (i * i * i)) * other

    __radd__, __rmul__ = __add__, __mul__

    def through(self, f: Any, slope: Any, bend: Any) -> Jet:
        """A function of this, with the derivatives `slope` and `bend`."""
        second = None
        if self.hessian is not None:
            square = ((k, 0.5 * v) for k, v in _outer(self.gradient, self.gradient))
            second = _merged(_scaled(self.hessian, slope), ((k, v * bend) for k, v in square))
        return Jet(f, dict(_scaled(self.gradient, slope)), second)


def _scaled(part: dict, factor: Any) -> Iterator[tuple]:
    return ((k, v * factor) for k, v in part.items())


def _outer(a: dict, b: dict) -> Iterator[tuple]:
    for i, v in a.items():
        for j, w in b.items():
            yield (min(i, j), max(i, j)), v * w * 2.0 if i == j else v * w


def _merged(*parts: Any) -> dict:
    found: dict = {}
    for part in parts:
        for key, value in part:
            found[key] = found[key] + value if key in found else value
    return found


def variables(values: list[Any], order: int) -> list[Jet]:
    """Independent variables 0, 1, ... with these values."""
    return [Jet(v, {i: np.ones(np.shape(dd.rounded(v)))}, {} if order == 2 else None) for i, v in enumerate(values)]


def sqrt(u: Any) -> Any:
    if not isinstance(u, Jet):
        return dd.sqrt(u)
    root = dd.sqrt(u.value)
    slope = 0.5 / root
    return u.through(root, slope, -0.5 * (slope / u.value))


def exp(u: Any) -> Any:
    if not isinstance(u, Jet):
        return dd.exp(u)
    e = dd.exp(u.value)
    return u.through(e, e, e)


def log(u: Any) -> Any:
    if not isinstance(u, Jet):
        return dd.log(u)
    i = 1.0 / u.value
    return u.through(dd.log(u.value), i, -(i * i))


def absolute(u: Any) -> Any:
    return u * np.where(dd.rounded(value_of(u)) < 0.0, -1.0, 1.0)


def power(u: Any, q: Any) -> Any:
    """u^q with a constant q, u > 0."""
    if not isinstance(u, Jet):
        return dd.exp(dd.log(u) * q)
    v = dd.exp(dd.log(u.value) * q)
    slope = v / u.value * q
    return u.through(v, slope, slope / u.value * (q - 1.0) if u.hessian is not None else 0.0)


def where(condition: Any, u: Any, v: Any) -> Any:
    """Element by element; numbers count as constants."""
    if not (isinstance(u, Jet) or isinstance(v, Jet)):
        return dd.where(condition, u, v)
    u, v = (w if isinstance(w, Jet) else Jet(w, {}, {}) for w in (u, v))
    first = _either(condition, u.gradient, v.gradient)
    second = None if u.hessian is None or v.hessian is None else _either(condition, u.hessian, v.hessian)
    return Jet(dd.where(condition, u.value, v.value), first, second)


def _either(condition: Any, a: dict, b: dict) -> dict:
    return {key: dd.where(condition, a.get(key, 0.0), b.get(key, 0.0)) for key in {**a, **b}}


def value_of(u: Any) -> Any:
    return u.value if isinstance(u, Jet) else u
