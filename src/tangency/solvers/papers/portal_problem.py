"""Distance as constrained optimisation, for one pair (Portal, section 4).

The unknowns are one point on each surface, the objective is the square of their distance, and the constraints
follow from the implicit functions and their gradients, the normals.  All lengths are divided by the size of
the pair, all vectors are in the frame of A.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy

from ...implicit.surface import GRADIENT, HESSIAN, VALUE
from ...kernels.jet import JET, evaluate_many

#: Constraints in addition to the two surfaces, by the letter of the set: cross product of the normals (x), two
#: components of it (y), dot product of the normals (d), dot product of the line with the normal of A (A) or B (B).
SETS = {"a": "", "b": "x", "c": "xA", "d": "xB", "e": "d", "f": "dA", "g": "dB", "h": "AB", "b2": "y"}

_SYM = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])
_EYE, _ZERO = np.eye(3), np.zeros(3)
MIN_GRADIENT = 1e-300


class Body(NamedTuple):
    """One implicit surface: compiled function, parameters, and pose in the frame of A."""

    address: int
    row: np.ndarray  #: (1, P)
    rotation: np.ndarray
    position: np.ndarray
    centre: np.ndarray  #: of the bounding box
    size: float  #: unit of length

    def value(self, x: np.ndarray) -> float:
        """The implicit function, < 0 inside."""
        return float(self._jet(x)[VALUE])

    def jet(self, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """f, its gradient, the unit normal n and the derivative of n."""
        out = self._jet(x)
        gradient = self.rotation @ out[GRADIENT] * self.size
        hessian = self.rotation @ out[HESSIAN][_SYM] @ self.rotation.T * self.size**2
        length = float(np.linalg.norm(gradient)) + MIN_GRADIENT
        n = gradient / length
        with np.errstate(over="ignore", invalid="ignore"):  # an optimiser may try any point
            return float(out[VALUE]), gradient, n, (_EYE - np.outer(n, n)) @ hessian / length

    def _jet(self, x: np.ndarray) -> np.ndarray:
        local = (self.rotation.T @ (x * self.size - self.position)).reshape(1, 3)
        out = np.empty((1, JET))
        evaluate_many(self.address, self.row, 0, np.ascontiguousarray(local), out)
        return out[0]


class State(NamedTuple):
    """Constraints and normals at one pair of points."""

    x: np.ndarray  #: both points, (6,)
    constraints: np.ndarray
    jacobian: np.ndarray
    normal_a: np.ndarray
    normal_b: np.ndarray

    @property
    def between(self) -> np.ndarray:
        return self.x[3:] - self.x[:3]

    @property
    def distance(self) -> float:
        """Signed distance, with the sign of Portal, Eq. (20)."""
        r = self.between
        return float(np.copysign(np.linalg.norm(r), self.normal_a @ r))


class Problem:
    """Portal, Eq. (31) with one of the constraint sets; counts the evaluations and stores the last one."""

    def __init__(self, a: Body, b: Body, constraints: str) -> None:
        self.a, self.b, self.kinds = a, b, SETS[constraints]
        self.evaluations = 0
        self.last: State | None = None
        self._plane: np.ndarray | None = None

    def objective(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Square of the distance (Eq. 19) and its gradient."""
        r = x[3:] - x[:3]
        return float(r @ r), np.concatenate([-2.0 * r, 2.0 * r])

    def at(self, x: np.ndarray) -> State:
        """Constraints and their Jacobian."""
        if self.last is None or not np.array_equal(x, self.last.x):
            self.evaluations += 1
            self.last = self._state(np.array(x))
        return self.last

    def _state(self, x: np.ndarray) -> State:
        f_a, g_a, n_a, d_a = self.a.jet(x[:3])
        f_b, g_b, n_b, d_b = self.b.jet(x[3:])
        values: list[Any] = [[f_a], [f_b]]  # Eqs. (21, 22)
        rows: list[Any] = [np.concatenate([g_a, _ZERO])[None], np.concatenate([_ZERO, g_b])[None]]
        r = x[3:] - x[:3]
        length = float(np.linalg.norm(r)) + MIN_GRADIENT
        u = r / length
        turn = (_EYE - np.outer(u, u)) / length
        # The dot product of two unit vectors is stationary where they are parallel: constraint and derivatives vanish
        # together.  Computed directly, both would be rounding errors, and their ratio a step of any size.  With the
        # difference s of the vectors, 1 - a . b = s . s / 2 and its derivatives are accurate.
        for kind in self.kinds:
            if kind in "xy":  # Eqs. (24-26)
                product, rate = np.cross(n_a, n_b), np.hstack([-_skew(n_b) @ d_a, _skew(n_a) @ d_b])
                if kind == "y":
                    # The product is orthogonal to n_A: two components are enough, and they are independent.
                    if self._plane is None:
                        self._plane = np.linalg.svd(n_a[None])[2][1:]
                    product, rate = self._plane @ product, self._plane @ rate
                values.append(product)
                rows.append(rate)
            elif kind == "d":  # Eq. (28)
                s = n_a + n_b
                values.append([0.5 * (s @ s)])
                rows.append(np.concatenate([s @ d_a, s @ d_b])[None])
            elif kind == "A":  # Eq. (29)
                s = n_a - u
                values.append([-0.5 * (s @ s)])
                rows.append(np.concatenate([-(s @ d_a) - s @ turn, s @ turn])[None])
            else:  # Eq. (30) with the sign of Eq. (31): n_B is opposite to the line
                s = n_b + u
                values.append([0.5 * (s @ s)])
                rows.append(np.concatenate([-(s @ turn), s @ d_b + s @ turn])[None])
        return State(x, np.concatenate(values), np.vstack(rows), n_a, n_b)


def _skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def first_points(a: Body, b: Body, fraction: float | None) -> np.ndarray:
    """Points on the line between the centres: where it leaves the bodies (Eq. 33), or at a fraction of it (Eq. 32)."""
    line = b.centre - a.centre
    if not np.linalg.norm(line) > 0.0:
        line = np.array([1.0, 0.0, 0.0])
    if fraction is not None:
        return np.concatenate([a.centre + fraction * line, b.centre - fraction * line])
    return np.concatenate([_leave(a, line), _leave(b, -line)])


def _leave(body: Body, line: np.ndarray) -> np.ndarray:
    """Point where the ray from the centre leaves the body; the centre itself if it is not inside."""
    ray = line / np.linalg.norm(line)
    if body.value(body.centre) >= 0.0:
        return body.centre
    # No body is longer than the size of the pair.
    length = scipy.optimize.brentq(lambda t: body.value(body.centre + t * ray), 0.0, 2.0, xtol=1e-15)
    return body.centre + length * ray
