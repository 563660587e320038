"""Periodic boundaries of a world: the argument, what it cannot be combined with, and positions inside the box."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..io import validate
from ..shapes import Cylinder, HalfSpace, MeshWall
from ..shapes.walls import WALLS
from .state import TURN
from .tables import SOLID

if TYPE_CHECKING:
    from .assembly import Assembly

Periodic = tuple[tuple[float, float] | None, ...]
AXES = "xyz"
MAX_TILT = 1e-12  # component of a direction that counts as zero


def as_periodic(given: Any) -> Periodic | None:
    """Bounds of the periodic axes, None for the others; None if there are none."""
    if given is None:
        return None
    form = "(low, high) or None for each of the three axes"
    if not isinstance(given, tuple | list | np.ndarray) or len(given) != 3:
        raise ValueError(f"periodic must be {form}, got {given!r}")
    found: list[tuple[float, float] | None] = []
    for axis, bounds in zip(AXES, given):
        if bounds is None:
            found.append(None)
            continue
        try:
            array = validate.array(bounds, "periodic")
        except (TypeError, ValueError):
            raise ValueError(f"periodic must be {form}, got {bounds!r} for {axis}") from None
        if array.shape != (2,) or not array[0] < array[1]:
            raise ValueError(f"periodic must have low < high for {axis}, got {bounds!r}")
        found.append((float(array[0]), float(array[1])))
    return tuple(found) if any(bounds is not None for bounds in found) else None


def periods_of(periodic: Periodic | None) -> np.ndarray:
    """Lengths of the box (3,), 0 for axes that are not periodic."""
    return np.array([0.0 if bounds is None else bounds[1] - bounds[0] for bounds in periodic or (None,) * 3])


def check_box(assembly: Assembly, mode: str, skin: float) -> None:
    """Refuse a periodic world that a mode cannot honour, or whose bodies are too large for the box."""
    periodic = assembly.world.periodic
    if periodic is None:
        return
    if mode != "fast":
        raise ValueError(f"periodic must be None in mode {mode!r}, only the mode 'fast' has periodic boundaries")
    periods = periods_of(periodic)
    solid = np.unique(assembly.owner[assembly.kind == SOLID])
    largest = solid[np.argsort(-assembly.reach[solid])[:2]]
    # Of two bodies that are close, exactly one image of one is close to the other.
    least = 2.0 * (assembly.reach[largest].sum() * (2.0 if len(largest) == 1 else 1.0) + skin)
    for axis, period in zip(AXES, periods):
        if 0.0 < period < least:
            raise ValueError(
                "periodic must be at least as long as the two largest bodies are wide, together and with two skins: "
                f"{least:.4g} m, got {period:.4g} m along {axis}; the largest is {assembly.names[largest[0]]!r}"
            )
    check_walls(assembly, assembly.start)


def check_walls(assembly: Assembly, y: np.ndarray) -> None:
    """Refuse walls that are not the same in every image of a periodic box."""
    if assembly.world.periodic is None:
        return
    periods, number = periods_of(assembly.world.periodic), 0
    for entry in assembly.world.bodies:
        for piece in entry.pieces:
            if isinstance(piece.shape, WALLS):
                turn = Rotation.from_quat(y[number, TURN]).as_matrix() @ assembly.axes[number].T @ piece.rotation
                _check_wall(entry, piece.shape, turn, periods)
        number += len(entry.names)


def _check_wall(entry: Any, shape: Any, turn: np.ndarray, periods: np.ndarray) -> None:
    along = np.flatnonzero(periods)
    if entry.free:
        raise ValueError(f"periodic must be None for worlds with free half-spaces or cavities, got {entry.name!r}")
    if isinstance(shape, MeshWall):
        raise ValueError(f"periodic must be None for worlds with mesh walls, got {entry.name!r}")
    if isinstance(shape, HalfSpace):
        normal = turn @ shape.normal
        across = along[np.argmax(np.abs(normal[along]))]
        if np.abs(normal[across]) > MAX_TILT:
            raise ValueError(
                f"periodic must be None along axes that a wall crosses, got {AXES[across]} for the half-space "
                f"{entry.name!r} with the normal {validate.short(normal)}"
            )
        return
    tube = isinstance(shape.hollow, Cylinder) and not shape.ends
    if not tube or len(along) > 1 or np.abs(np.delete(turn[:, 2], along)).max() > MAX_TILT:
        raise ValueError(
            f"periodic must be None for worlds with cavities, except cylinders with ends=False along the only periodic "
            f"axis, got {entry.name!r}"
        )


def wrapped(positions: np.ndarray, periodic: Periodic | None) -> np.ndarray:
    """Shifts (..., 3) by whole periods that move positions into the box."""
    shift = np.zeros_like(positions)
    for c, bounds in enumerate(periodic or ()):
        if bounds is not None:
            period = bounds[1] - bounds[0]
            shift[..., c] = -period * np.floor((positions[..., c] - bounds[0]) / period)
    return shift


def nearest_images(away: np.ndarray, periodic: Periodic | None) -> np.ndarray:
    """Vectors (..., 3) between two bodies, to the nearest image of the second."""
    periods, near = periods_of(periodic), np.array(away)
    for c in np.flatnonzero(periods):
        near[..., c] -= periods[c] * np.floor(near[..., c] / periods[c] + 0.5)
    return near
