"""Flow rates: what outlets have removed per time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..trajectory import Trajectory
from .selection import frame_of, masses_of, named


class Flow(NamedTuple):
    """Bodies and mass removed per second."""

    edges: np.ndarray  #: (K + 1,) bounds of the times [s]
    bodies: np.ndarray  #: (K,) bodies per second between them
    mass: np.ndarray  #: (K,) [kg/s]


def flow_rate(run: Trajectory, times: ArrayLike = 10, *, bodies: object = None) -> Flow:
    """Flow through the outlets of a world.

    Parameters
    ----------
    run : Trajectory
    times : int or (K + 1,) array_like
        Number of equal parts of the run, or increasing times [s].
    bodies : optional
        The bodies counted, as in :func:`packing`; default all that forces move.

    Returns
    -------
    Flow

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.dynamics import Group, Outlet, World, measures, simulate
    >>> places = (None, [[0, 0, 1], [1, 0, 2.5], [2, 0, 3]])
    >>> rain = Group("rain", tg.Sphere(0.1), places, density=1000, velocity=[0, 0, -1])
    >>> drain = Outlet([-9, -9, -9], [9, 9, 0])
    >>> run = simulate(World([rain], gravity=[0, 0, 0], pairs=[], outlets=[drain]), 4.0, "fast", step=0.01)
    >>> flow = measures.flow_rate(run, [0, 2, 4])
    >>> (2 * flow.bodies).tolist(), flow.mass.round(4).tolist()
    ([1.0, 2.0], [2.0944, 4.1888])
    """
    edges = validate.array(times, "times")
    if edges.shape == ():
        count = int(edges)
        if count != edges or count < 1:
            raise ValueError(f"times must be a whole number >= 1 or increasing times, got {times!r}")
        edges = np.linspace(run.time[0], run.time[-1], count + 1)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0.0).all():
        raise ValueError(f"times must be at least two increasing times, got {validate.short(edges)}")
    mask = named(run, bodies)
    mass = masses_of(run).mass
    if run.removed is None:
        return Flow(edges, np.zeros(len(edges) - 1), np.zeros(len(edges) - 1))
    out = np.flatnonzero(mask & np.isfinite(run.removed))
    # A body that leaves at the end of one part is not counted again at the start of the next.
    part = np.searchsorted(edges, run.removed[out], side="left") - 1
    inside = (part >= 0) & (part < len(edges) - 1)
    counts = np.bincount(part[inside], minlength=len(edges) - 1)
    masses = np.bincount(part[inside], weights=mass[out][inside], minlength=len(edges) - 1)
    return Flow(edges, counts / np.diff(edges), masses / np.diff(edges))


def flow_at(run: Trajectory, frame: int, bodies: object) -> tuple[float, float]:
    """Bodies and mass per second removed since the frame before; zero in the first."""
    frame = frame_of(run, frame)
    if frame == 0:
        return 0.0, 0.0
    found = flow_rate(run, run.time[frame - 1 : frame + 1], bodies=bodies)
    return float(found.bodies[0]), float(found.mass[0])
