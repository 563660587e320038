"""One least-squares problem: signed distances of a cloud from a model, and their derivatives.

The unknowns are the model's parameters, the position and a rotation vector: the orientation is
``start @ exp(turn)``, so that nothing depends on the orientation of the cloud.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
from .surface_distance import faces_of, origin, signed_distance

if TYPE_CHECKING:
    from .open_model import OpenModel, OpenWalls
    from .priors import Priors

FACES = 122
FARTHEST = 60.0  # position, in sizes of the cloud
LARGEST_TURN = 1.0  # of one step [rad]: a larger one, of a body nearly of revolution, has no linear effect
NO_TURN = 1e-8  # mean change of the distances by a rotation, in sizes of the cloud, that is due to rounding


@dataclass(frozen=True)
class State:
    """A placed body: parameters of its model, position, orientation."""

    s: np.ndarray
    position: np.ndarray
    rotation: np.ndarray


@dataclass(frozen=True, eq=False)
class Solution:
    """Result of a search for the least squares."""

    model: Model | OpenModel
    state: State
    cost: float
    distances: np.ndarray  # (N,) signed
    active: np.ndarray  # parameters of the model at their bounds
    pressed: bool  # whether the limit of convexity constrains it
    converged: bool
    gain: float  # predicted relative reduction of the cost by another step
    evaluations: int


class Problem:
    """Distances of a cloud from a model, and their derivatives."""

    def __init__(
        self,
        model: Model | OpenModel,
        points: np.ndarray,
        root_weights: np.ndarray,
        start: State,
        priors: Priors | None = None,
    ) -> None:
        self.model, self.points, self.root = model, plain_rows(points, (-1, 3)), root_weights
        self.start, self.priors = start, priors
        self.near: Near | None = None  # of the last accepted step
        self._last: Near | None = None
        self.evaluations = 0

    def state(self, z: np.ndarray) -> State:
        m = len(self.model.names)
        turn = _turn(z[m + 3 :]) if self.model.turns else np.eye(3)
        return State(z[:m], z[m : m + 3], self.start.rotation @ turn)

    def vector(self) -> np.ndarray:
        return np.concatenate([self.start.s, self.start.position, np.zeros(3 if self.model.turns else 0)])

    def feet(self, z: np.ndarray) -> np.ndarray:
        """Distances, normals and foot points in the frame of the body, from those of the last accepted step."""
        state = self.state(z)
        compiled = self.model.compiled(state.s)
        body, unit = _Body(*compiled[:6]), compiled.unit
        local = plain_rows((self.points - state.position) @ state.rotation / unit, self.points.shape)
        near = self.near
        if compiled.feet is not None:
            out, t = compiled.feet(local), np.full((len(local), 3), np.nan)
        elif near is None:
            out = self._nearest(body, state, local)
            t = (
                parameters(body.implicit, out[:, foot_row.POINT])
                if len(body.implicit)
                else np.full((len(local), 3), np.nan)
            )
        else:
            out, t, lost = body.follow(local, near)
            # A few slightly inaccurate feet are harmless until the end, where all are searched for again.
            if len(lost) > 0.02 * len(local):
                out[lost] = self._nearest(body, state, plain_rows(local[lost], (-1, 3)))
        if unit != 1.0:
            out[:, foot_row.DISTANCE] *= unit
            out[:, foot_row.POINT] *= unit
        self.evaluations += 1
        self._last = Near(z.copy(), out, t)
        if near is None:
            self.near = self._last
        return out

    def _nearest(self, body: _Body, state: State, local: np.ndarray) -> np.ndarray:
        """Foot points by a global search, where it fails by that of the shape itself."""
        out, failed = body.search(local)
        if len(failed):
            found = signed_distance(self.model.shape(state.s), local[failed])
            out[failed] = np.column_stack([found.distance, found.normal, found.foot])
        return out

    def allowed(self, z: np.ndarray) -> bool:
        """Whether the body is convex."""
        return is_convex(self.model, z[: len(self.model.names)])

    def residuals(self, z: np.ndarray) -> np.ndarray:
        """Weighted distances, then those of the parameters from their priors."""
        own = self.root * self.feet(z)[:, foot_row.DISTANCE]
        return own if self.priors is None else np.concatenate([own, self.priors.residuals(self.model, self.state(z).s)])

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """Derivatives of the residuals in all unknowns, at an accepted step."""
        m = len(self.model.names)
        if self._last is None or not np.array_equal(self._last.z, z):
            self.feet(z)
        self.near = self._last
        assert self.near is not None
        own = distance_slopes(self.model, self.state(z), self.near.feet)
        if self.model.turns:
            turns = own[:, m + 3 :]
            # About an axis of revolution only rounding is left, which is not a direction to search in.
            turns[:, np.sqrt((turns**2).mean(axis=0)) < NO_TURN] = 0.0
            own[:, m + 3 :] = turns @ _right_jacobian(z[m + 3 :])
        own = self.root[:, None] * own
        if self.priors is None:
            return own
        pulls = self.priors.slopes(self.model, self.state(z).s)
        return np.vstack([own, np.hstack([pulls, np.zeros((len(pulls), own.shape[1] - m))])])

    def walls(self, z: np.ndarray) -> Walls | OpenWalls:
        """Margins of convexity."""
        return walls(self.model, z)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Limits of the unknowns."""
        m, size = len(self.model.names), len(self.vector())
        low, high = np.full(size, -np.inf), np.full(size, np.inf)
        low[:m], high[:m] = self.model.low, self.model.high
        low[m : m + 3], high[m : m + 3] = -FARTHEST, FARTHEST
        return low, high

    def solve(
        self,
        z: np.ndarray | None = None,
        *,
        loss: str = "linear",
        scale: float = 1.0,
        budget: int = 200,
        rough: bool = False,
    ) -> Solution:
        """Least squares from z, by default the start."""
        m = len(self.model.names)
        z = self.vector() if z is None else z
        reach = np.full(len(z), np.inf)
        reach[m + 3 :] = LARGEST_TURN
        found = minimise(self, z, *self.bounds(), reach=reach, loss=loss, scale=scale, budget=budget, rough=rough)
        distances = np.zeros(len(self.points)) if self.near is None else self.near.feet[:, foot_row.DISTANCE]
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
class Near:
    """Foot points of one step, as starts for the next."""

    z: np.ndarray
    feet: np.ndarray
    t: np.ndarray  # their parameters (``implicit_foot_points.py``), NaN if unknown


@dataclass(frozen=True, eq=False)
class _Body:
    """A body, for compiled code, see :class:`~.models.Compiled`."""

    address: int
    row: np.ndarray
    implicit: np.ndarray
    bends: bool
    size: float
    unit: float

    @property
    def _compiled(self) -> tuple:
        """:class:`~.feet.Body`, as plain tuples."""
        return (self.address, self.row), origin(), self.bends, self.size

    def follow(self, local: np.ndarray, near: Near) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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

    def search(self, local: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Foot points, by a global search, and the indices of those that it did not find."""
        normals = plain_rows(spread(FACES), (-1, 3))
        jets = np.empty((len(normals), JET))
        evaluate_many(self.address, self.row, 0, normals, jets)
        faces = faces_of(jets[:, POINT], normals, jets[:, SUPPORT])
        out, codes = np.empty((len(local), FOOT)), np.zeros(len(local), np.int64)
        search(self._compiled, self.implicit, faces, local, 0, len(local), (out, np.empty((len(local), 2)), codes))
        return out, np.flatnonzero(codes == FAILED)


def distance_slopes(model: Model | OpenModel, state: State, feet: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Derivatives (N, parameters + pose) of the distances in the parameters, the position and a small rotation.

    The feet are those of a body `scale` times as large as the state's.
    """
    normal, foot = feet[:, foot_row.NORMAL], feet[:, foot_row.POINT]
    own = model.distance_slopes(state.s, foot, normal, scale)
    pose = envelope.pose(state.rotation, foot, normal)
    return np.hstack([own, pose if model.turns else pose[:, :3]])


def true_distances(model: Model | OpenModel, state: State, points: np.ndarray) -> np.ndarray | None:
    """Signed distances from the body itself, without foot points of another body; None if the body is not valid."""
    try:
        shape = model.shape(state.s)
    except ShapeError:
        return None
    unit = model.compiled(state.s).unit
    return signed_distance(shape, (points - state.position) @ state.rotation / unit).distance * unit


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
