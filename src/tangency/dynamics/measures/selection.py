"""The bodies, the region and the frame that a measure refers to."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...io import validate
from ...shapes.walls import WALLS
from ..periodic import periods_of
from ..trajectory import Trajectory
from ..world import World


def frame_of(run: Trajectory, frame: Any) -> int:
    """Number of a frame, counted from the start."""
    try:
        return range(len(run.time))[operator.index(frame)]
    except TypeError:
        raise TypeError(f"frame must be an integer, got {frame!r}") from None
    except IndexError:
        raise IndexError(f"frame must lie between {-len(run.time)} and {len(run.time) - 1}, got {frame}") from None


def selected(run: Trajectory, bodies: Any, frame: int) -> np.ndarray:
    """Which bodies (N,) a measure refers to: by default all that forces move.

    `bodies` is the name of a body or group, several names, or an array that selects bodies.
    """
    mask = named(run, bodies) & run.present(frame)
    if not mask.any():
        raise ValueError(f"bodies must select at least one body, got {bodies!r}")
    return mask


def named(run: Trajectory, bodies: Any) -> np.ndarray:
    """The same, whether they are there or not."""
    mask = np.zeros(len(run.names), bool)
    if bodies is None:
        mask[:] = masses_of(run).mass > 0.0
    elif isinstance(bodies, str) or (isinstance(bodies, tuple | list) and all(isinstance(b, str) for b in bodies)):
        for name in (bodies,) if isinstance(bodies, str) else bodies:
            mask[run.group(name) if f"{name}[0]" in run.names else run.number(name)] = True
    else:
        try:
            mask[bodies] = True
        except (IndexError, TypeError, ValueError) as error:
            raise IndexError(
                f"bodies must be names, or an array that selects some of {len(mask)} bodies, got {bodies!r} ({error})"
            ) from None
    return mask


def masses_of(run: Trajectory) -> Any:
    """Masses of all bodies, zero for those that are not free."""
    if run.masses is None:
        raise ValueError("run must know its world: read the file with load_trajectory(path, world)")
    return run.masses


def solids(run: Trajectory, mask: np.ndarray) -> Iterator[tuple[np.ndarray, Any]]:
    """Numbers of selected bodies and one bounded piece of each: the shape is one for all, or a stack."""
    if not len(run.pieces):
        raise ValueError("run must know its world: read the file with load_trajectory(path, world)")
    for own, pieces in run.pieces.blocks():  # type: ignore[attr-defined]
        inside = np.flatnonzero(mask[own])
        for piece in pieces if len(inside) else ():
            if isinstance(piece.shape, WALLS):
                continue
            shape = piece.shape.take(inside) if piece.shape.batch_shape else piece.shape
            yield own.start + inside, piece._replace(shape=shape)


def placed(run: Trajectory, frame: int, numbers: np.ndarray, piece: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rotations and positions of a piece of several bodies in the world."""
    pose = run.pose(frame)[numbers]
    turn = pose.rotation.as_matrix()
    return turn @ piece.rotation, pose.translation + turn @ piece.position


def region_of(run: Trajectory, region: Any, frame: int, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a region; default the periodic box, and along other axes the box around the selected bodies."""
    if region is not None:
        try:
            low, high = (validate.vectors(corner, "region") for corner in region)
        except (TypeError, ValueError):
            raise ValueError(f"region must be two corners (low, high), got {region!r}") from None
        if low.shape != (3,) or high.shape != (3,) or not (low < high).all():
            raise ValueError(f"region must be two corners, low < high, got {validate.short(region)}")
        return low, high
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for numbers, piece in solids(run, mask):
        ends = piece.shape.aabb(placed(run, frame, numbers, piece))
        low, high = np.minimum(low, ends[0].min(axis=0)), np.maximum(high, ends[1].max(axis=0))
    for c, bounds in enumerate(run.periodic or ()):
        if bounds is not None:
            low[c], high[c] = bounds
    if not (low < high).all():
        raise ValueError("region must be given for bodies that have no extent, such as walls")
    return low, high


def whole_axes(run: Trajectory | World, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Axes (3,) along which a region covers a whole period, so that it has no ends there."""
    periods = periods_of(run.periodic)
    if ((high - low) > periods * (1.0 + 1e-12))[periods > 0.0].any():
        raise ValueError(f"region must not be larger than the periodic box, got {validate.short(high - low)}")
    return (periods > 0.0) & ((high - low) >= periods * (1.0 - 1e-12))
