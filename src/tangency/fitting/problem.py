"""One least-squares problem: a model against a cloud, signed distances and their derivatives.

The unknowns are the model's parameters, the position and a turn: the orientation is ``start @ exp(turn)``,
so that nothing depends on how the cloud lies in space.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from .._jit import plain_rows
from ..kernels.jet import JET, evaluate_many
from . import envelope
from .directions import spread
from .feet import FAILED, FOOT, follow, search
from .models import Model
from .surface_distance import faces_of, origin

WALL = 3.0  # weight of a missing bulge against the distances, per point
FACES = 122


@dataclass(frozen=True)
class State:
    """A placed body: parameters of its model, position, orientation."""

    s: np.ndarray
    position: np.ndarray
    rotation: np.ndarray


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the search for the least squares ended."""

    model: Model
    state: State
    cost: float
    feet: np.ndarray  # (N, FOOT) in the frame of the body
    active: np.ndarray  # parameters of the model at their bounds
    pressed: bool  # against the limit of convexity
    converged: bool
    evaluations: int


@cache
def _prototype(model: Model) -> tuple[int, bool]:
    shape = model.build(model.form(model.parameters(model.base)))
    return shape.address, bool(shape.bends)


class Problem:
    """Distances and derivatives of a model at a cloud."""

    def __init__(self, model: Model, points: np.ndarray, root_weights: np.ndarray, start: State) -> None:
        self.model, self.points, self.root = model, plain_rows(points, (-1, 3)), root_weights
        self.start = start
        self.address, self.bends = _prototype(model)
        self._normals: np.ndarray | None = None
        self._last: tuple[np.ndarray, np.ndarray] | None = None
        self.evaluations = 0
        self.wall = WALL * np.sqrt(len(points))

    def state(self, z: np.ndarray) -> State:
        m = len(self.model.names)
        turn = Rotation.from_rotvec(z[m + 3 :] if self.model.turns else np.zeros(3)).as_matrix()
        return State(z[:m], z[m : m + 3], self.start.rotation @ turn)

    def vector(self) -> np.ndarray:
        return np.concatenate([self.start.s, self.start.position, np.zeros(3 if self.model.turns else 0)])

    def feet(self, z: np.ndarray, anew: bool = False) -> np.ndarray:
        """Distances, normals and foot points in the frame of the body, from the normals of the last step."""
        state = self.state(z)
        row = self.model.row(self.model.form(state.s)).reshape(1, -1)
        local = plain_rows((self.points - state.position) @ state.rotation, self.points.shape)
        size = float(3.0 * np.exp(self.model.form(state.s)[:3]).max())
        out, codes = np.empty((len(local), FOOT)), np.zeros(len(local), np.int64)
        body = ((self.address, row), origin(), self.bends, size)
        if self._normals is None or anew:
            self._search(body, row, local, out, codes)
            self._normals = out[:, 1:4].copy()
        else:
            follow(*body, local, self._normals, 0, len(local), out, codes)
            lost = np.flatnonzero(codes == FAILED)
            # A few that stopped a little short do no harm before the end, where all are looked for anew.
            if len(lost) > 0.02 * len(local):
                again, marks = np.empty((len(lost), FOOT)), np.zeros(len(lost), np.int64)
                self._search(body, row, plain_rows(local[lost], (-1, 3)), again, marks)
                out[lost] = again
        self.evaluations += 1
        self._last = (z.copy(), out)
        return out

    def _search(self, body: Any, row: np.ndarray, local: np.ndarray, out: np.ndarray, codes: np.ndarray) -> None:
        normals = plain_rows(spread(FACES), (-1, 3))
        jets = np.empty((len(normals), JET))
        evaluate_many(self.address, row, 0, normals, jets)
        faces = faces_of(jets[:, 1:4], normals, jets[:, 0])
        search(*body, faces, local, 0, len(local), out, np.empty((len(local), 2)), codes)

    def residuals(self, z: np.ndarray) -> np.ndarray:
        hollow = self._hollow = self.model.hollowness(z[: len(self.model.names)])
        if hollow is None:
            return np.full(len(self.points) + self._walls, np.inf)  # the solver takes a shorter step
        return np.concatenate([self.root * self.feet(z)[:, 0], self.wall * hollow[0]])

    @property
    def _walls(self) -> int:
        hollow = self.model.hollowness(self.start.s)
        return 0 if hollow is None else len(hollow[0])

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """Derivatives of the residuals by all unknowns."""
        m = len(self.model.names)
        fresh = self._last is not None and np.array_equal(self._last[0], z)
        feet = self._last[1] if self._last is not None and fresh else self.feet(z)
        # The step was accepted: its normals are the next ones to start from.
        self._normals = np.ascontiguousarray(feet[:, 1:4])
        state = self.state(z)
        own = distance_slopes(self.model, state, feet)
        if self.model.turns:
            own[:, m + 3 :] = own[:, m + 3 :] @ _right_jacobian(z[m + 3 :])
        rows = self.root[:, None] * own
        hollow = self._hollow if fresh else self.model.hollowness(state.s)
        assert hollow is not None
        walls = np.zeros((len(hollow[0]), rows.shape[1]))
        walls[:, :m] = self.wall * hollow[1]
        return np.vstack([rows, walls])

    def solve(self, *, loss: str = "linear", scale: float = 1.0, budget: int = 200, final: bool = True) -> Solution:
        """Levenberg-Marquardt with bounds, from the start; at the end foot points are looked for anew."""
        m = len(self.model.names)
        z = self.vector()
        low, high = np.full(len(z), -np.inf), np.full(len(z), np.inf)
        low[:m], high[:m] = self.model.low, self.model.high
        low[m : m + 3], high[m : m + 3] = -60.0, 60.0
        options: dict[str, Any] = {"loss": loss, "f_scale": scale} if loss != "linear" else {}
        found = least_squares(
            self.residuals, z, self.slopes, bounds=(low, high), x_scale="jac", ftol=1e-12, xtol=1e-11, gtol=1e-14,
            max_nfev=budget, **options,
        )  # fmt: skip
        hollow = self.model.hollowness(found.x[:m])
        span = self.model.high - self.model.low
        at = (found.x[:m] - self.model.low < 1e-4 * span) | (self.model.high - found.x[:m] < 1e-4 * span)
        return Solution(
            self.model, self.state(found.x), float(found.cost), self.feet(found.x, anew=final), at,
            hollow is not None and bool((hollow[0] < 0).any()), bool(found.status > 0), self.evaluations,
        )  # fmt: skip


def distance_slopes(model: Model, state: State, feet: np.ndarray) -> np.ndarray:
    """Derivatives (N, parameters + pose) of the distances by the parameters, the position and a small turn."""
    form = model.form(state.s)
    normal, foot = feet[:, 1:4], feet[:, 4:]
    own = (envelope.barr if model.barr else envelope.tapered)(form, foot, normal) @ model.matrix
    pose = envelope.pose(state.rotation, foot, normal)
    return np.hstack([own, pose if model.turns else pose[:, :3]])


def _right_jacobian(turn: np.ndarray) -> np.ndarray:
    """J with exp(turn + d) = exp(turn) exp(J d) to first order."""
    angle = float(np.linalg.norm(turn))
    x, y, z = turn
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < 1e-4:
        return np.eye(3) - 0.5 * k + k @ k / 6.0
    return np.eye(3) - (1 - np.cos(angle)) / angle**2 * k + (angle - np.sin(angle)) / angle**3 * k @ k
