"""Packing fraction: the part of a region that is filled by bodies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..trajectory import Trajectory
from .selection import frame_of, region_of, selected
from .volumes import volumes_inside


def packing(run: Trajectory, region: Any = None, *, frame: int = -1, bodies: Any = None) -> float:
    """Volume of the bodies inside a region, relative to the volume of the region.

    Where bodies overlap, both count.  The volume of bodies that the region cuts is found to about half a per cent.

    Parameters
    ----------
    run : Trajectory
    region : (low, high), optional
        Two corners [m].  Default the periodic box, and along other axes the box around the bodies.
    frame : int
        Number of the frame; negative numbers count from the end.
    bodies : optional
        Name of a body or group, several names, or an array that selects bodies; default all free ones.

    Returns
    -------
    float

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.dynamics import Group, World, measures, simulate
    >>> balls = Group("balls", tg.Sphere(0.1), (None, [[0, 0, 0.1], [0.5, 0, 0.6]]))
    >>> run = simulate(World([balls], gravity=[0, 0, 0], pairs=[]), 1.0, "fast", step=0.1)
    >>> print(f"{measures.packing(run, ([-0.1, -0.1, 0], [0.1, 0.1, 0.2])):.4f}")      # pi / 6
    0.5236
    """
    number = frame_of(run, frame)
    mask = selected(run, bodies, number)
    low, high = region_of(run, region, number, mask)
    return float(volumes_inside(run, number, mask, low, high).sum() / np.prod(high - low))


class Profile(NamedTuple):
    """Packing fraction layer by layer."""

    edges: np.ndarray  #: (K + 1,) of the layers [m]
    fraction: np.ndarray  #: (K,)


def packing_profile(
    run: Trajectory,
    layers: ArrayLike = 10,
    *,
    axis: int = 2,
    region: Any = None,
    frame: int = -1,
    bodies: Any = None,
) -> Profile:
    """Packing fraction of layers across an axis.

    Parameters
    ----------
    run : Trajectory
    layers : int or (K + 1,) array_like
        Number of layers of equal height in the region, or their edges along the axis [m].
    axis : {0, 1, 2}
        x, y or z.
    region, frame, bodies : optional
        As in :func:`packing`.

    Returns
    -------
    Profile
    """
    if axis not in (0, 1, 2):
        raise ValueError(f"axis must be 0, 1 or 2, got {axis!r}")
    number = frame_of(run, frame)
    mask = selected(run, bodies, number)
    low, high = region_of(run, region, number, mask)
    given = validate.array(layers, "layers")
    if given.shape == () and not (float(given).is_integer() and given >= 1):
        raise ValueError(f"layers must be a whole number >= 1, or edges, got {layers!r}")
    edges = np.linspace(low[axis], high[axis], int(given) + 1) if given.shape == () else given
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0.0).all():
        raise ValueError(f"layers must be edges in ascending order, got {validate.short(layers)}")
    fraction = np.empty(len(edges) - 1)
    for k in range(len(fraction)):
        low[axis], high[axis] = edges[k], edges[k + 1]
        fraction[k] = volumes_inside(run, number, mask, low, high).sum() / np.prod(high - low)
    return Profile(edges, fraction)
