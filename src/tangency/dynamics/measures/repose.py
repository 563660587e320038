"""The slope of the free surface of a heap or of the bodies in a drum: the angle of repose."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.spelling import suggestion
from ..periodic import wrapped
from ..trajectory import Trajectory
from .selection import frame_of, placed, selected, solids

FORMS = ("plane", "cone")
CELL = 2.0  # width of a column of bodies, in mean diameters
LEAST = 4  # columns of which a slope is fitted


class TooFewColumns(ValueError):
    """The bodies cover too small an area for a slope."""


class Repose(NamedTuple):
    """A slope."""

    angle: float  #: to the horizontal [degrees]
    points: np.ndarray  #: (K, 3) the highest points of the columns that were used, in the world [m]
    residual: float  #: root mean square of their distances from the fitted plane or cone, along the vertical [m]


def angle_of_repose(
    run: Trajectory,
    form: str = "plane",
    *,
    frame: int = -1,
    bodies: object = None,
    up: ArrayLike = (0.0, 0.0, 1.0),
    cell: float | None = None,
    trim: float = 0.2,
) -> Repose:
    """Slope of the free surface.

    The ground is divided into square columns.  The highest point of the bodies in each belongs to the surface; a plane
    or a cone is fitted to these points by least squares.

    Parameters
    ----------
    run : Trajectory
    form : {"plane", "cone"}
        ``"plane"``: a straight slope, as in a drum or a channel.  ``"cone"``: a heap; its axis is at the centre of the
        columns, weighted by their heights.
    frame, bodies : optional
        As in :func:`packing`.
    up : (3,) array_like
        Direction of the vertical.
    cell : float, optional
        Width of the columns [m]; default two mean diameters.
    trim : float
        Fraction of the extent of the slope that is left out at its ends, where it is often curved: half of it at the
        top and half at the foot.

    Returns
    -------
    Repose

    Examples
    --------
    Balls on a slope of 1 : 2:

    >>> import numpy as np
    >>> import tangency as tg
    >>> from tangency.dynamics import Group, World, measures, simulate
    >>> x, y = np.meshgrid(np.arange(20) * 0.2, np.arange(6) * 0.2)
    >>> places = np.stack([x, y, 0.5 * x], axis=-1).reshape(-1, 3)
    >>> slope = Group("slope", tg.Sphere(0.1), (None, places))
    >>> run = simulate(World([slope], gravity=[0, 0, 0], pairs=[]), 0.1, "fast", step=0.1)
    >>> found = measures.angle_of_repose(run, cell=0.2)
    >>> round(found.angle, 3), round(float(np.degrees(np.arctan(0.5))), 3)
    (26.565, 26.565)
    """
    if form not in FORMS:
        raise ValueError(f"form must be 'plane' or 'cone', got {form!r}{suggestion(form, FORMS)}")
    if not 0.0 <= trim < 1.0:
        raise ValueError(f"trim must be at least 0 and less than 1, got {trim!r}")
    frame = frame_of(run, frame)
    axis = validate.vectors(up, "up")
    validate.single({"up": axis.shape[:-1]})
    if not np.linalg.norm(axis) > 0.0:
        raise ValueError(f"up must not be zero, got {validate.short(axis)}")
    frame_axes = _upright(axis / np.linalg.norm(axis))
    tops, sizes = _tops(run, frame, selected(run, bodies, frame), frame_axes)
    width = (
        CELL * float(sizes.mean()) if cell is None else float(validate.positive(validate.array(cell, "cell"), "cell"))
    )
    points = _surface(tops, width)
    if form == "cone":
        heights = points[:, 2] - points[:, 2].min()
        centre = (points[:, :2] * heights[:, None]).sum(axis=0) / max(float(heights.sum()), 1e-300)
        along = -np.linalg.norm(points[:, :2] - centre, axis=1)
    else:
        slope = _fit(points[:, :2], points[:, 2])[0]
        along = points[:, :2] @ (slope / max(float(np.linalg.norm(slope)), 1e-300))
    low, high = float(along.min()), float(along.max())
    margin = 0.5 * trim * (high - low)
    kept = (along >= low + margin) & (along <= high - margin)
    if kept.sum() < LEAST:
        raise TooFewColumns(f"bodies must cover at least {LEAST} columns of the width {width:.3g} m, got {kept.sum()}")
    places = along[kept, None] if form == "cone" else points[kept, :2]
    slope, residual = _fit(places, points[kept, 2])
    angle = math.degrees(math.atan(float(np.linalg.norm(slope))))
    return Repose(angle, points[kept] @ frame_axes, residual)


def _upright(up: np.ndarray) -> np.ndarray:
    """Rows: two horizontal axes and the vertical."""
    first = np.cross(up, np.eye(3)[int(np.abs(up).argmin())])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(up, first), up])


def _tops(run: Trajectory, frame: int, mask: np.ndarray, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Highest points of the bodies along the axes (M, 3), and their mean diameters (M,)."""
    tops, sizes = [], []
    for numbers, piece in solids(run, mask):
        turn, place = placed(run, frame, numbers, piece)
        place = place + wrapped(run.centre_of_mass[frame][numbers], run.periodic)
        up = np.einsum("kji,j->ki", turn, axes[2])  # in the frames of the bodies
        points = place + np.einsum("kij,kj->ki", turn, piece.shape.point(up))
        tops.append(points @ axes.T)
        spread = [piece.shape.support(np.broadcast_to(axis, up.shape)) for axis in (*np.eye(3), *-np.eye(3))]
        sizes.append(np.sum(spread, axis=0) / 3.0)
    return np.concatenate(tops), np.concatenate(sizes)


def _surface(tops: np.ndarray, width: float) -> np.ndarray:
    """The highest point of every column."""
    cell = np.floor((tops[:, :2] - tops[:, :2].min(axis=0)) / width).astype(np.int64)
    order = np.lexsort((tops[:, 2], cell[:, 1], cell[:, 0]))
    last = np.append((np.diff(cell[order], axis=0) != 0).any(axis=1), True)
    return tops[order[last]]


def _fit(places: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, float]:
    """Slopes of heights over places, and the root mean square of what is left."""
    table = np.column_stack([places, np.ones(len(places))])
    found, *_ = np.linalg.lstsq(table, heights, rcond=None)
    return found[:-1], float(np.sqrt(np.mean((table @ found - heights) ** 2)))
