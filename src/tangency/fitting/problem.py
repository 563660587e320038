"""One least-squares problem: signed distances of a cloud from a model, and their derivatives.

The unknowns are the model's parameters, the position and a rotation vector: the orientation is
``start @ exp(turn)``, so that nothing depends on the orientation of the cloud.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..compiled.jit import plain_rows
from ..kernels.jet import JET, POINT, SUPPORT, evaluate_many
from ..shapes.shape import ShapeError
from . import envelope, foot_row
from .convexity import Walls, is_convex, walls
from .directions import spread
from .foot_points import FAILED, follow, search
from .foot_row import FOOT
from .implicit_foot_points import follow_implicit, parameters
from .levenberg import minimise
from .models import Model
from .parameter_layout import RADII
from .surface_distance import faces_of, origin, signed_distance

FACES = 122


@dataclass(frozen=True)
class State:
    """A placed body: parameters of its model, position, orientation."""

    s: np.ndarray
    position: np.ndarray
    rotation: np.ndarray


@dataclass(frozen=True, eq=False)
class Solution:
    """Result of a search for the least squares."""

    model: Model
    state: State
    cost: float
    distances: np.ndarray  # (N,) signed
    active: np.ndarray  # parameters of the model at their bounds
    pressed: bool  # whether the limit of convexity constrains it
    converged: bool
    gain: float  # predicted relative reduction of the cost by another step
    evaluations: int


@cache
def _prototype(model: Model) -> tuple[int, bool]:
    shape = model.shape(model.parameters(model.base))
    return shape.address, bool(shape.bends)


class Problem:
    """Distances of a cloud from a model, and their derivatives."""

    def __init__(self, model: Model, points: np.ndarray, root_weights: np.ndarray, start: State) -> None:
        self.model, self.points, self.root = model, plain_rows(points, (-1, 3)), root_weights
        self.start = start
        self.address, self.bends = _prototype(model)
        self._near: _Near | None = None  # of the last accepted step
        self._last: _Near | None = None
        self.evaluations = 0

    def state(self, z: np.ndarray) -> State:
        m = len(self.model.names)
        turn = _turn(z[m + 3 :]) if self.model.turns else np.eye(3)
        return State(z[:m], z[m : m + 3], self.start.rotation @ turn)

    def vector(self) -> np.ndarray:
        return np.concatenate([self.start.s, self.start.position, np.zeros(3 if self.model.turns else 0)])

    def feet(self, z: np.ndarray, anew: bool = False) -> np.ndarray:
        """Distances, normals and foot points in the frame of the body, from those of the last accepted step."""
        state = self.state(z)
        form = self.model.form(state.s)
        local = plain_rows((self.points - state.position) @ state.rotation, self.points.shape)
        body = _Body(
            self.address,
            self.model.row(form).reshape(1, -1),
            self.model.implicit_row(form),
            self.bends,
            float(3.0 * np.exp(form[RADII]).max()),
        )
        near = self._near
        if near is None or anew:
            out = body.search(local)
            t = (
                parameters(body.implicit, out[:, foot_row.POINT])
                if len(body.implicit)
                else np.full((len(local), 3), np.nan)
            )
        else:
            out, t, lost = body.follow(local, near)
            # A few slightly inaccurate feet are harmless until the end, where all are searched for again.
            if len(lost) > 0.02 * len(local):
                out[lost] = body.search(plain_rows(local[lost], (-1, 3)))
        self.evaluations += 1
        self._last = _Near(z.copy(), out, t)
        if near is None:
            self._near = self._last
        return out

    def allowed(self, z: np.ndarray) -> bool:
        """Whether the body is convex."""
        return is_convex(self.model, z[: len(self.model.names)])

    def residuals(self, z: np.ndarray) -> np.ndarray:
        """Weighted distances."""
        return self.root * self.feet(z)[:, foot_row.DISTANCE]

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """Derivatives of the residuals in all unknowns, at an accepted step."""
        m = len(self.model.names)
        if self._last is None or not np.array_equal(self._last.z, z):
            self.feet(z)
        self._near = self._last
        assert self._near is not None
        own = distance_slopes(self.model, self.state(z), self._near.feet)
        if self.model.turns:
            own[:, m + 3 :] = own[:, m + 3 :] @ _right_jacobian(z[m + 3 :])
        return self.root[:, None] * own

    def walls(self, z: np.ndarray) -> Walls:
        """Margins of convexity."""
        return walls(self.model, z)

    def solve(self, *, loss: str = "linear", scale: float = 1.0, budget: int = 200) -> Solution:
        """Least squares from the start."""
        m = len(self.model.names)
        z = self.vector()
        low, high = np.full(len(z), -np.inf), np.full(len(z), np.inf)
        low[:m], high[:m] = self.model.low, self.model.high
        low[m : m + 3], high[m : m + 3] = -60.0, 60.0
        found = minimise(self, z, low, high, loss=loss, scale=scale, budget=budget)
        distances = np.zeros(len(self.points)) if self._near is None else self._near.feet[:, foot_row.DISTANCE]
        return Solution(
            self.model,
            self.state(found.z),
            found.cost,
            distances,
            found.active[:m],
            found.pressed,
            found.converged,
            found.gain,
            self.evaluations,
        )


@dataclass(frozen=True, eq=False)
class _Near:
    """Foot points of one step, as starts for the next."""

    z: np.ndarray
    feet: np.ndarray
    t: np.ndarray  # their parameters (``implicit_foot_points.py``), NaN if unknown


@dataclass(frozen=True, eq=False)
class _Body:
    """A body, for compiled code."""

    address: int
    row: np.ndarray
    implicit: np.ndarray  # empty without a suitable implicit function
    bends: bool
    size: float

    @property
    def _compiled(self) -> tuple:
        """:class:`~.feet.Body`, as plain tuples."""
        return (self.address, self.row), origin(), self.bends, self.size

    def follow(self, local: np.ndarray, near: _Near) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Foot points, their parameters, and the indices of those that were lost."""
        count = len(local)
        out, codes, t = np.empty((count, FOOT)), np.zeros(count, np.int64), np.full((count, 3), np.nan)
        lost = np.arange(count)
        if len(self.implicit):
            follow_implicit(self.implicit, self.size, local, near.t, out, t, codes)
            lost = np.flatnonzero(codes == FAILED)
            t[lost] = np.nan
        if len(lost):
            some, marks = np.empty((len(lost), FOOT)), np.zeros(len(lost), np.int64)
            normals = np.ascontiguousarray(near.feet[lost, foot_row.NORMAL])
            follow(self._compiled, plain_rows(local[lost], (-1, 3)), normals, some, marks)
            out[lost] = some
            if len(self.implicit):
                t[lost] = parameters(self.implicit, some[:, foot_row.POINT])
            lost = lost[marks == FAILED]
        return out, t, lost

    def search(self, local: np.ndarray) -> np.ndarray:
        """Foot points, by a global search."""
        normals = plain_rows(spread(FACES), (-1, 3))
        jets = np.empty((len(normals), JET))
        evaluate_many(self.address, self.row, 0, normals, jets)
        faces = faces_of(jets[:, POINT], normals, jets[:, SUPPORT])
        out, codes = np.empty((len(local), FOOT)), np.zeros(len(local), np.int64)
        search(self._compiled, self.implicit, faces, local, 0, len(local), (out, np.empty((len(local), 2)), codes))
        return out


def distance_slopes(model: Model, state: State, feet: np.ndarray) -> np.ndarray:
    """Derivatives (N, parameters + pose) of the distances in the parameters, the position and a small rotation."""
    form = model.form(state.s)
    normal, foot = feet[:, foot_row.NORMAL], feet[:, foot_row.POINT]
    own = (envelope.barr if model.barr else envelope.tapered)(form, foot, normal) @ model.matrix
    pose = envelope.pose(state.rotation, foot, normal)
    return np.hstack([own, pose if model.turns else pose[:, :3]])


def true_distances(model: Model, state: State, points: np.ndarray) -> np.ndarray | None:
    """Signed distances from the body itself, without foot points of another body; None if the body is not valid."""
    try:
        shape = model.shape(state.s)
    except ShapeError:
        return None
    return signed_distance(shape, (points - state.position) @ state.rotation).distance


def _turn(turn: np.ndarray) -> np.ndarray:
    """Rotation matrix exp(turn), by Rodrigues' formula."""
    angle = math.sqrt(turn @ turn)
    k = _cross(turn)
    half = math.sin(0.5 * angle) / angle if angle > 0 else 0.5
    return np.eye(3) + (math.sin(angle) / angle if angle > 0 else 1.0) * k + 2.0 * half**2 * k @ k


def _right_jacobian(turn: np.ndarray) -> np.ndarray:
    """J with exp(turn + d) = exp(turn) exp(J d) to first order."""
    angle = math.sqrt(turn @ turn)
    k = _cross(turn)
    if angle < 1e-4:
        return np.eye(3) - 0.5 * k + k @ k / 6.0
    return np.eye(3) - (1 - np.cos(angle)) / angle**2 * k + (angle - np.sin(angle)) / angle**3 * k @ k


def _cross(v: np.ndarray) -> np.ndarray:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
