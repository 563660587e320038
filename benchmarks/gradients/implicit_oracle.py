"""Contacts by implicit functions in 60 digits, for pairs that the oracle of support functions cannot decide.

On a flat place a component of the normal may be smaller than all that double-double arithmetic can tell from zero, but
the contact point is not.  With the functions f_A, f_B of both surfaces a contact is the solution of

    x_B - x_A = s grad f_A(x_A),   grad f_B(x_B) = -t grad f_A(x_A),   f_A(x_A) = f_B(x_B) = 0.

It takes about a second for each pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np

import tangency as tg

from .oracle import QUANTITIES, Derivatives, Shift
from .pairs import Pairs

DIGITS, STEP = 60, 1e-20  # of the arithmetic; of central differences
KINDS = (tg.Ellipsoid, tg.Superellipsoid, tg.PowerEllipsoid)
PLACES = {"distance": slice(0, 1), "normal": slice(1, 4), "point_a": slice(4, 7), "point_b": slice(7, 10)}
_NAN = [mpmath.nan] * 10


class Here(NamedTuple):
    """The contacts themselves, as `Oracle.here`."""

    error: np.ndarray  #: zero where there is a solution
    state: tuple[Any, ...]  #: of which the fourth is the distance


class Rounded(NamedTuple):
    """A number whose leading part has a name."""

    high: np.ndarray


def _power(x: Any, radius: Any, exponent: Any) -> tuple[Any, Any]:
    """|x / radius|^exponent and its derivative."""
    value = abs(x / radius)
    return value**exponent, mpmath.sign(x) * exponent * value ** (exponent - 1) / radius


def _surface(kind: type, x: list, p: list) -> tuple[Any, list]:
    """Implicit function of a body with the parameters p, and its gradient."""
    if kind is tg.Superellipsoid:
        across, ratio = 2 / p[4], p[4] / p[3]
        (u, by_u), (v, by_v), (w, by_w) = (
            _power(x[0], p[0], across),
            _power(x[1], p[1], across),
            _power(x[2], p[2], 2 / p[3]),
        )
        outer = ratio * (u + v) ** (ratio - 1)
        return (u + v) ** ratio + w - 1, [outer * by_u, outer * by_v, by_w]
    exponents = p[3:] if kind is tg.PowerEllipsoid else [2, 2, 2]
    terms = [_power(x[i], p[i], exponents[i]) for i in range(3)]
    return sum(term[0] for term in terms) - 1, [term[1] for term in terms]


class _Body(NamedTuple):
    """A body after a motion."""

    kind: type
    parameters: list
    rotation: Any
    place: list

    def at(self, x: list) -> tuple[Any, list]:
        """Implicit function at the point x of the world, and its gradient there."""
        r = self.rotation
        local = [sum(r[j, i] * (x[j] - self.place[j]) for j in range(3)) for i in range(3)]
        value, gradient = _surface(self.kind, local, self.parameters)
        return value, [sum(r[i, j] * gradient[j] for j in range(3)) for i in range(3)]

    def moved(self, twist: np.ndarray, change: np.ndarray, factor: Any) -> _Body:
        v = [mpmath.mpf(float(c)) * factor for c in twist]
        w = mpmath.matrix([[0, -v[5], v[4]], [v[5], 0, -v[3]], [-v[4], v[3], 0]])
        turn = mpmath.eye(3) + w + w * w / 2 + w * w * w / 6
        parameters = [p + mpmath.mpf(float(c)) * factor for p, c in zip(self.parameters, change)]
        return _Body(self.kind, parameters, turn * self.rotation, [self.place[i] + v[i] for i in range(3)])


def _numbers(values: np.ndarray) -> list:
    return [mpmath.mpf(float(v)) for v in values]


def _length(v: list) -> Any:
    return mpmath.sqrt(sum(c * c for c in v))


def _solved(a: _Body, b: _Body, start: list) -> tuple[list, list]:
    """Distance, normal and both points; the solution itself."""

    def residual(*z: Any) -> list:
        (f_a, g_a), (f_b, g_b) = a.at(z[:3]), b.at(z[3:6])
        return [
            *(z[3 + i] - z[i] - z[6] * g_a[i] for i in range(3)), *(g_b[i] + z[7] * g_a[i] for i in range(3)), f_a, f_b
        ]  # fmt: skip

    try:
        z = list(mpmath.findroot(residual, start, tol=mpmath.mpf(10) ** -90, maxsteps=60))
    except (ValueError, ZeroDivisionError):
        return _NAN, start
    gradient = a.at(z[:3])[1]
    slope = _length(gradient)
    return [z[6] * slope, *(g / slope for g in gradient), *z[:6]], z


class ImplicitOracle:
    """The same questions as to `Oracle`, for a few pairs of ellipsoids, superellipsoids and power ellipsoids."""

    def __init__(self, pairs: Pairs, c: tg.Contact) -> None:
        self.bodies, self.count = [], len(pairs.size)
        start: list[list] = [[] for _ in range(self.count)]
        with mpmath.workdps(DIGITS):
            for shape, (rotation, place) in ((pairs.a, pairs.pose_a), (pairs.b, pairs.pose_b)):
                values = np.broadcast_to(shape.parameters, (self.count, shape.parameters.shape[-1]))
                self.bodies.append([
                    _Body(type(shape), _numbers(values[k]), mpmath.matrix(rotation[k].tolist()), _numbers(place[k]))
                    for k in range(self.count)
                ])  # fmt: skip
            for k in range(self.count):
                points = [_numbers(c.point_a[k]), _numbers(c.point_b[k])]
                slopes = [_length(side[k].at(x)[1]) for side, x in zip(self.bodies, points)]
                start[k] = [*points[0], *points[1], mpmath.mpf(float(c.distance[k])) / slopes[0], slopes[1] / slopes[0]]
            both = [_solved(a, b, z) for a, b, z in zip(*self.bodies, start)]
        self.found, self.start = [one[0] for one in both], [one[1] for one in both]
        distance = np.array([float(values[0]) for values in self.found])
        self.here = Here(np.where(np.isfinite(distance), 0.0, 1.0), (None, None, None, Rounded(distance)))

    def around(self, shift: Shift) -> list[list]:
        """The contacts one step ahead and one step back."""
        found = []
        with mpmath.workdps(DIGITS):
            for factor in (mpmath.mpf(STEP), -mpmath.mpf(STEP)):
                moved = [
                    [body.moved(twist[k], change[:, k], factor) for k, body in enumerate(side)]
                    for side, twist, change in zip(self.bodies, *shift)
                ]
                found.append([_solved(a, b, z)[0] for a, b, z in zip(*moved, self.start)])
                self.here.error[[not mpmath.isfinite(values[0]) for values in found[-1]]] = 1.0
        return found

    def _each(self, value: Callable[[int, int], Any], columns: range) -> np.ndarray:
        with mpmath.workdps(DIGITS):
            return np.array([[float(value(k, i)) for i in columns] for k in range(self.count)])

    def along(self, shift: Shift) -> tuple[Derivatives, list[list]]:
        """First derivatives of all quantities; also the contacts of `around`."""
        up, down = found = self.around(shift)
        first = {}
        for of in QUANTITIES:
            columns = range(10)[PLACES[of]]
            first[of] = self._each(lambda k, i: (up[k][i] - down[k][i]) / (2 * mpmath.mpf(STEP)), columns)
        doubt = {of: np.where(np.isfinite(value).all(axis=-1), 0.0, np.inf) for of, value in first.items()}
        return Derivatives(first, doubt), found

    def second(self, found: list[list]) -> tuple[np.ndarray, np.ndarray]:
        """Second derivative of the distance along the motion of `around`."""
        (up, down), here = found, self.found
        value = self._each(lambda k, i: (up[k][0] - 2 * here[k][0] + down[k][0]) / mpmath.mpf(STEP) ** 2, range(1))[
            :, 0
        ]
        return value, np.where(np.isfinite(value), 0.0, np.inf)
