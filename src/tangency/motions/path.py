"""Motion through given poses, with straight lines and slerp or with screws between them."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..geometry.pose import PoseLike, draft
from ..io import validate
from ..kernels.steady_motion import segment_rows
from .steady import SteadyMotion

KINDS = ("linear", "screw")


class PosePath(SteadyMotion):
    """Motion through given poses: piecewise steady, defined from the first to the last time.

    Parameters
    ----------
    times : (..., K) array_like
        Increasing times [s], at least two.
    poses
        Poses (..., K) at these times, as in :func:`tangency.contact`.
    kind : str
        "linear": the reference point moves on straight lines, and the body turns about a fixed axis at a constant rate
        (slerp), by at most half a turn from one pose to the next.  "screw": constant twists.

    Examples
    --------
    >>> import tangency as tg
    >>> path = tg.PosePath([0, 1, 3], (None, [[0, 0, 0], [1, 0, 0], [1, 4, 0]]))
    >>> path.pose(2.0)[1].tolist()
    [1.0, 2.0, 0.0]
    """

    def __init__(self, times: ArrayLike, poses: PoseLike, *, kind: str = "linear") -> None:
        knots = validate.array(times, "times")
        if knots.ndim == 0 or knots.shape[-1] < 2:
            raise ValueError(f"times must have shape (..., K) with at least two times, got shape {knots.shape}")
        if not (np.diff(knots) > 0).all():
            raise ValueError(f"times must increase, got {validate.short(knots)}")
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        placed = draft(poses, "poses").filled()
        if not placed.shape or placed.shape[-1] != knots.shape[-1]:
            raise ValueError(f"poses must have shape (..., {knots.shape[-1]}), one per time, got shape {placed.shape}")
        shape = validate.broadcast({"times": knots.shape, "poses": placed.shape})
        knots = np.broadcast_to(knots, shape)
        turn = np.broadcast_to(placed.rotation, (*shape, 3, 3))
        place = np.broadcast_to(placed.translation, (*shape, 3))
        step = np.diff(knots)[..., None]
        between = (turn[..., 1:, :, :] @ np.swapaxes(turn[..., :-1, :, :], -1, -2)).reshape(-1, 3, 3)
        angles = scipy.spatial.transform.Rotation.from_matrix(between).as_rotvec().reshape(*step.shape[:-1], 3)
        moves = np.diff(place, axis=-2)
        if kind == "screw":
            moves = _unscrewed(moves, angles)
        screw = float(kind == "screw")
        rows = segment_rows(
            knots[..., :-1], turn[..., :-1, :, :], place[..., :-1, :], moves / step, angles / step, screw
        )
        super().__init__(rows, knots[..., -1])


def _unscrewed(moves: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Initial velocity, for unit time, of a screw with this rotation vector that moves the reference point so."""
    # The displacement is V v with V = 1 + (1 - cos) / a [k] + (1 - sin / a) [k]^2; its inverse is
    # 1 - [k] a / 2 + (1 - a / 2 / tan(a / 2)) [k]^2.
    angle = np.linalg.norm(angles, axis=-1, keepdims=True)
    half = 0.5 * angle
    small = half < 1e-3
    safe = np.where(small, 1.0, half)
    factor = np.where(small, half * half / 3.0, 1.0 - safe / np.tan(safe))
    axis = angles / np.where(angle > 0.0, angle, 1.0)
    once = np.cross(axis, moves)
    return moves - half * once + factor * np.cross(axis, once)
