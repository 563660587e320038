"""Contacts in double-double arithmetic, and their derivatives by differences.

With A at c_A and B at c_B a contact is a stationary point, by n and all auxiliary variables, of

    n.(c_B - c_A) - F_A(n, z_A) - F_B(-n, z_B) - mu (n.n - 1) / 2,

where mu is the distance.  Newton's method with residuals of 32 digits and a matrix of 16 finds it near the contact of
the library; neither W nor any other formula of ``src/tangency/derivatives`` enters.  Differences are taken over steps
of at most `STEP` and twice that; the errors of second order cancel in their combination, and the difference between
both says whether the step was short enough.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .definitions import Definition
from .double_double import Double2, double2, rounded, where
from .jets import variables

STEP, REACH = 2.0**-23, 2.0**-15  # longest step, and longest times the condition number, in sizes
FLAT = 1e4, 1e-12  # longest step in components of a normal, but not shorter than this
GLIMPSE = 2.0**-80  # step of the difference from which the first guess is extrapolated
SMALL, SWEEPS = 1e-8, 20  # component of a normal that is taken from the contact point; rounds for both bodies
ITERATIONS, DONE = 9, 1e-26  # of Newton's method; its last step
MISSED = 1e-24  # distance between the contact points that is left, above which they are improved
QUANTITIES = ("distance", "normal", "point_a", "point_b")


class Side(NamedTuple):
    """Body A or B of all pairs."""

    definition: Definition
    rotation: np.ndarray  #: (N, 3, 3)
    place: np.ndarray  #: (N, 3)
    parameters: np.ndarray  #: (P, N)


class Shift(NamedTuple):
    """Motions: hybrid twists (N, 6) of A and B, and changes (P, N) of their parameters."""

    twists: tuple[np.ndarray, np.ndarray]
    changes: tuple[np.ndarray, np.ndarray]

    def times(self, factor: np.ndarray) -> Shift:
        twists, changes = self
        return Shift(tuple(v * factor[:, None] for v in twists), tuple(v * factor for v in changes))

    def plus(self, other: Shift) -> Shift:
        return Shift(*(tuple(p + q for p, q in zip(one, two)) for one, two in zip(self, other)))


class Solution(NamedTuple):
    """A contact: `state` are n, mu and all auxiliary variables."""

    state: list[Any]
    point_a: list[Any]
    point_b: list[Any]
    error: np.ndarray  #: (N,) last step of Newton's method

    def quantity(self, of: str) -> list[Any]:
        return {"distance": self.state[3:4], "normal": self.state[:3]}.get(of) or getattr(self, of)


class Derivatives(NamedTuple):
    """Of all pairs along one motion: values (N, 1) or (N, 3), and how far both steps differ."""

    first: dict[str, np.ndarray]
    doubt: dict[str, np.ndarray]


def _turned(omega: np.ndarray, rotation: np.ndarray) -> list[list[Any]]:
    """exp(omega) R for small omega, by series: Rodrigues' formula."""
    w = [double2(omega[:, i]) for i in range(3)]
    q = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    s = 1.0 - q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0))
    c = (1.0 - q / 12.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0))) * 0.5
    columns = []
    for j in range(3):
        v = [double2(rotation[:, i, j]) for i in range(3)]
        once = _cross(w, v)
        twice = _cross(w, once)
        columns.append([v[i] + s * once[i] + c * twice[i] for i in range(3)])
    return [[columns[j][i] for j in range(3)] for i in range(3)]


def _cross(u: list, v: list) -> list:
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


class _Placed(NamedTuple):
    """A body after a motion."""

    definition: Definition
    rotation: list[list[Any]]
    place: list[Any]
    parameters: Any

    def local(self, n: list) -> list:
        """A direction in the frame of the body; small components keep their digits."""
        r = self.rotation
        return [r[0][j] * n[0] + r[1][j] * n[1] + r[2][j] * n[2] for j in range(3)]

    def evaluated(self, n: list, z: list) -> tuple[list, list]:
        """Point (world, from the body's origin) and derivative of F by z."""
        k = 3 + len(z)
        v = variables([*self.local(n), *z], 1)
        gradient = self.definition.function(v[:3], v[3:], self.parameters).gradient
        x = [gradient.get(j, 0.0) for j in range(3)]
        turned = [sum((self.rotation[i][j] * x[j] for j in range(1, 3)), self.rotation[i][0] * x[0]) for i in range(3)]
        return turned, [gradient.get(j, 0.0) for j in range(3, k)]

    def matrix(self, n: list, z: list) -> np.ndarray:
        """Second derivatives (N, 3 + z, 3 + z) by n (world) and z, as doubles."""
        turn = np.stack([np.stack([rounded(c) for c in row], axis=-1) for row in self.rotation], axis=-2)
        k = 3 + len(z)
        v = variables([rounded(c) for c in (*self.local(n), *z)], 2)
        found = self.definition.function(v[:3], v[3:], rounded(self.parameters)).hessian
        whole = np.zeros((len(turn), k, k))
        for (i, j), value in found.items():
            whole[:, i, j] = whole[:, j, i] = value
        whole[:, :3] = turn @ whole[:, :3]
        whole[:, :, :3] = whole[:, :, :3] @ np.swapaxes(turn, -1, -2)
        return whole


class Oracle:
    """The contacts of two stacks of bodies near given normals and distances."""

    def __init__(self, a: Side, b: Side, normal: np.ndarray, distance: np.ndarray, condition: np.ndarray) -> None:
        self.sides, self.count = (a, b), len(normal)
        longest = np.minimum(STEP, REACH / np.maximum(condition, 1.0))
        for side in self.sides:  # the first guess must keep the signs of small components
            if side.definition.normal is not None:
                small = np.abs(_unit(side.definition.normal)).min(axis=-1)
                longest = np.minimum(longest, np.maximum(FLAT[0] * small, FLAT[1]))
        self.step = 2.0 ** np.floor(np.log2(longest))
        start = [*self._sharpened(normal), distance, *a.definition.start, *b.definition.start]
        self.still = Shift(*(tuple(np.zeros_like(v) for v in pair) for pair in (
            (np.zeros((self.count, 6)), np.zeros((self.count, 6))), (a.parameters, b.parameters))))  # fmt: skip
        self.here = self.solved(self.still, [double2(v) for v in start])

    def _sharpened(self, normal: np.ndarray) -> list[Any]:
        """The normal, with small components in the frames of the bodies replaced by those that these know."""
        n = [double2(np.array(c)) for c in normal.T]
        known = [(side, sign) for side, sign in zip(self.sides, (1.0, -1.0)) if side.definition.normal is not None]
        for _ in range(SWEEPS if known else 0):
            for side, sign in known:
                m = sign * _unit(side.definition.normal)
                for i in range(3):
                    axis = [double2(side.rotation[:, j, i]) for j in range(3)]
                    miss = axis[0] * n[0] + axis[1] * n[1] + axis[2] * n[2] - m[:, i]
                    miss = where(np.abs(m[:, i]) < SMALL, miss, 0.0)
                    n = [n[j] - axis[j] * miss for j in range(3)]
        return n

    def _moved(self, shift: Shift) -> list[_Placed]:
        return [
            _Placed(
                side.definition,
                _turned(twist[:, 3:], side.rotation),
                [double2(side.place[:, i]) + twist[:, i] for i in range(3)],
                double2(side.parameters) + change,
            )
            for side, twist, change in zip(self.sides, *shift)
        ]

    def solved(self, shift: Shift, state: list[Any]) -> Solution:
        """The contact after a motion, from a first guess."""
        bodies, error = self._moved(shift), np.full(self.count, np.inf)
        for k in range(ITERATIONS):
            residual, points = self._residual(bodies, state)
            if (k and error.max() < DONE) or k == ITERATIONS - 1:
                break
            step = _solve(self._matrix(bodies, state), residual)
            state = [v - step[:, i] for i, v in enumerate(state)]
            error = np.abs(step[:, :3]).max(axis=-1)
            error = np.where(np.isfinite(error), error, 1.0)
        if np.nanmax(np.abs(residual[:, :3])) > MISSED:
            points = self._joined(bodies, state, residual, points)
        return Solution(state, *points, error)

    def _joined(self, bodies: list[_Placed], state: list[Any], residual: np.ndarray, points: Any) -> tuple[list, list]:
        """Contact points after one more Newton step: on flat places they follow the last digits of n."""
        step = np.nan_to_num(_solve(self._matrix(bodies, state), residual))
        n, _, z_a, z_b = self._parts(state)
        many = 4 + len(z_a)
        found = []
        for sign, body, z, own, point in (
            (1.0, bodies[0], z_a, slice(4, many), points[0]), (-1.0, bodies[1], z_b, slice(many, None), points[1])
        ):  # fmt: skip
            turn = np.concatenate([sign * step[:, :3], step[:, own]], axis=-1)
            shift = np.einsum("kij,kj->ki", body.matrix([sign * c for c in n], z)[:, :3], turn)
            found.append([p - shift[:, i] for i, p in enumerate(point)])
        return found[0], found[1]

    def _parts(self, state: list[Any]) -> tuple[list, Any, list, list]:
        """n, mu and the auxiliary variables of A and B."""
        many = len(self.sides[0].definition.start)
        return state[:3], state[3], state[4 : 4 + many], state[4 + many :]

    def _residual(self, bodies: list[_Placed], state: list[Any]) -> tuple[np.ndarray, tuple[list, list]]:
        """Derivative of the Lagrangian by the state, as doubles; both contact points."""
        n, mu, z_a, z_b = self._parts(state)
        found = bodies[0].evaluated(n, z_a), bodies[1].evaluated([-c for c in n], z_b)
        (point_a, by_a), (point_b, by_b) = (
            ([body.place[i] + x[i] for i in range(3)], by) for body, (x, by) in zip(bodies, found)
        )
        whole = [point_b[i] - point_a[i] - mu * n[i] for i in range(3)]
        whole += [(1.0 - (n[0] * n[0] + n[1] * n[1] + n[2] * n[2])) * 0.5, *by_a, *by_b]
        return np.stack([np.broadcast_to(rounded(c), self.count) for c in whole], axis=-1), (point_a, point_b)

    def guessed(self, shift: Shift) -> np.ndarray:
        """Rate of the state along a motion, to about ten digits."""
        residual, _ = self._residual(self._moved(shift.times(np.full(self.count, GLIMPSE))), self.here.state)
        return -_solve(self._matrix(self._moved(self.still), self.here.state), residual / GLIMPSE)

    def _matrix(self, bodies: list[_Placed], state: list[Any]) -> np.ndarray:
        """Derivative of the residual by the state."""
        n, mu, z_a, z_b = self._parts(state)
        of_a, of_b = bodies[0].matrix(n, z_a), bodies[1].matrix([-c for c in n], z_b)
        k, l = of_a.shape[1] - 3, of_b.shape[1] - 3
        whole = np.zeros((self.count, 4 + k + l, 4 + k + l))
        whole[:, :3, :3] = -of_a[:, :3, :3] - of_b[:, :3, :3] - rounded(mu)[:, None, None] * np.eye(3)
        for i in range(3):
            whole[:, i, 3] = whole[:, 3, i] = -rounded(n[i])
        own, other = slice(4, 4 + k), slice(4 + k, 4 + k + l)
        whole[:, :3, own], whole[:, :3, other] = -of_a[:, :3, 3:], of_b[:, :3, 3:]
        whole[:, own, :3], whole[:, other, :3] = of_a[:, 3:, :3], -of_b[:, 3:, :3]
        whole[:, own, own], whole[:, other, other] = of_a[:, 3:, 3:], of_b[:, 3:, 3:]
        unused = (whole == 0.0).all(axis=-1)  # places on edges that do not carry the contact
        whole[:, range(4 + k + l), range(4 + k + l)] += unused
        return whole

    def around(self, shift: Shift) -> list[Solution]:
        """The contacts at 2, 1, -1 and -2 steps."""
        rate, found = np.nan_to_num(self.guessed(shift)), []
        for k in (2.0, 1.0, -1.0, -2.0):
            state = [v + k * self.step * rate[:, i] for i, v in enumerate(self.here.state)]
            found.append(self.solved(shift.times(k * self.step), state))
        return found

    def along(self, shift: Shift) -> tuple[Derivatives, list[Solution]]:
        """First derivatives of all quantities; also the contacts of `around`."""
        found = self.around(shift)
        first, doubt = {}, {}
        for of in QUANTITIES:
            far, near = (
                np.stack(
                    [rounded(p - q) / (2.0 * k * self.step) for p, q in zip(up.quantity(of), down.quantity(of))],
                    axis=-1,
                )
                for k, up, down in ((2.0, found[0], found[3]), (1.0, found[1], found[2]))
            )
            first[of], doubt[of] = near + (near - far) / 3.0, np.abs(near - far).max(axis=-1)
        return Derivatives(first, doubt), found

    def second(self, found: list[Solution]) -> tuple[np.ndarray, np.ndarray]:
        """Second derivative of the distance along the motion of `along`, and how far both steps differ."""
        here = self.here.state[3]
        far, near = (
            rounded(up.state[3] - here * 2.0 + down.state[3]) / (k * self.step) ** 2
            for k, up, down in ((2.0, found[0], found[3]), (1.0, found[1], found[2]))
        )
        return near + (near - far) / 3.0, np.abs(near - far)


def _unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solutions of all systems; NaN where there is none."""
    good = np.isfinite(matrix).all(axis=(-1, -2)) & np.isfinite(right).all(axis=-1)
    matrix, found = np.where(good[:, None, None], matrix, np.eye(matrix.shape[-1])), np.full(right.shape, np.nan)
    # Rows and columns of similar size
    scale = 1.0 / np.sqrt(np.maximum(np.abs(matrix).max(axis=-1), 1e-300))
    matrix = scale[:, :, None] * matrix * scale[:, None, :]
    good &= np.abs(np.linalg.det(matrix)) > 0.0
    found[good] = np.linalg.solve(matrix[good], (scale * right)[good][:, :, None])[:, :, 0] * scale[good]
    return found


__all__ = ["Derivatives", "Double2", "Oracle", "Shift", "Side", "Solution"]
