"""Arrays of numbers with 106 bits: each is an unevaluated sum of two doubles (Dekker 1971; Hida, Li and Bailey 2001).

About 32 digits, with NumPy alone.  Only what the definitions of the bodies need.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_SPLIT = 134217729.0  # 2^27 + 1
_LN2 = (6.931471805599452862e-01, 2.319046813846299558e-17)
_HALVINGS, _TERMS = 9, 9  # of the argument of exp, and of its series


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _quick_sum(a: Any, b: Any) -> tuple[Any, Any]:
    s = a + b
    return s, b - (s - a)


def _split(a: Any) -> tuple[Any, Any]:
    t = _SPLIT * a
    high = t - (t - a)
    return high, a - high


def _two_product(a: Any, b: Any) -> tuple[Any, Any]:
    p = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


class Double2:
    """An array of such numbers."""

    __slots__ = ("high", "low")
    __array_ufunc__ = None  # arrays on the left leave the operation to this class

    def __init__(self, high: Any, low: Any = 0.0) -> None:
        self.high = np.asarray(high, dtype=np.float64)
        self.low = np.asarray(low, dtype=np.float64)

    def __add__(self, other: Any) -> Double2:
        if not isinstance(other, Double2):
            s, e = _two_sum(self.high, other)
            return Double2(*_quick_sum(s, e + self.low))
        b = other
        s, e = _two_sum(self.high, b.high)
        t, f = _two_sum(self.low, b.low)
        s, e = _quick_sum(s, e + t)
        return Double2(*_quick_sum(s, e + f))

    def __neg__(self) -> Double2:
        return Double2(-self.high, -self.low)

    def __sub__(self, other: Any) -> Double2:
        return self + (-double2(other))

    def __rsub__(self, other: Any) -> Double2:
        return double2(other) + (-self)

    def __mul__(self, other: Any) -> Double2:
        if not isinstance(other, Double2):
            p, e = _two_product(self.high, other)
            return Double2(*_quick_sum(p, e + self.low * other))
        b = other
        p, e = _two_product(self.high, b.high)
        return Double2(*_quick_sum(p, e + (self.high * b.low + self.low * b.high)))

    def __truediv__(self, other: Any) -> Double2:
        b = double2(other)
        q = self.high / b.high
        r = self - b * q
        more = r.high / b.high
        r = r - b * more
        return Double2(*_quick_sum(q, more)) + r.high / b.high

    def __rtruediv__(self, other: Any) -> Double2:
        return double2(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __getitem__(self, index: Any) -> Double2:
        return Double2(self.high[index], np.broadcast_to(self.low, self.high.shape)[index])


def double2(x: Any) -> Double2:
    """A number, or an array of doubles, as it is."""
    return x if isinstance(x, Double2) else Double2(x)


def rounded(x: Any) -> Any:
    """As doubles."""
    return x.high if isinstance(x, Double2) else x


def where(condition: Any, x: Any, y: Any) -> Any:
    if not (isinstance(x, Double2) or isinstance(y, Double2)):
        return np.where(condition, x, y)
    x, y = double2(x), double2(y)
    return Double2(np.where(condition, x.high, y.high), np.where(condition, x.low, y.low))


def sqrt(x: Any) -> Any:
    if not isinstance(x, Double2):
        return np.sqrt(x)
    inverse = 1.0 / np.sqrt(np.where(x.high > 0.0, x.high, 1.0))
    root = x.high * inverse
    return double2(root) + (x - double2(root) * root).high * inverse * 0.5


def exp(x: Any) -> Any:
    if not isinstance(x, Double2):
        return np.exp(x)
    k = np.rint(np.clip(x.high, -700.0, 700.0) / _LN2[0])
    r = (x - Double2(*_LN2) * k) * 0.5**_HALVINGS
    # exp(r) - 1 by its series, doubled: exp(2 r) - 1 = 2 s + s^2
    s = r * _INVERSE_FACTORIALS[_TERMS]
    for j in range(_TERMS - 1, 0, -1):
        s = (s + _INVERSE_FACTORIALS[j]) * r
    for _ in range(_HALVINGS):
        s = s * 2.0 + s * s
    s = s + 1.0
    k = k.astype(np.int64)
    tiny = x.high < -700.0
    return Double2(np.where(tiny, 0.0, np.ldexp(s.high, k)), np.where(tiny, 0.0, np.ldexp(s.low, k)))


_INVERSE_FACTORIALS = [double2(1.0) / float(math.factorial(j)) for j in range(_TERMS + 1)]


def log(x: Any) -> Any:
    if not isinstance(x, Double2):
        return np.log(x)
    guess = np.log(x.high)
    return double2(guess) + (x * exp(double2(-guess)) - 1.0)
