"""Order of orientations: how far the axes of bodies are parallel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..trajectory import Trajectory
from .selection import frame_of, masses_of, selected


class Order(NamedTuple):
    """Order of the directions u of an axis of many bodies."""

    order: float  #: largest eigenvalue of the tensor: 1 if all are parallel, 0 if all directions are equally frequent
    director: np.ndarray  #: (3,) its eigenvector
    tensor: np.ndarray  #: (3, 3) mean of (3 u u - 1) / 2


def orientation(run: Trajectory, axis: ArrayLike | None = None, *, frame: int = -1, bodies: Any = None) -> Order:
    """Nematic order of an axis of the bodies.

    Parameters
    ----------
    run : Trajectory
    axis : (3,) array_like, optional
        The axis in the body frames; default that with the smallest moment of inertia, along which a body is longest.
    frame, bodies : optional
        As in :func:`packing`.

    Returns
    -------
    Order

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.dynamics import Group, World, measures, simulate
    >>> eggs = Group("eggs", tg.Ellipsoid([0.2, 0.1, 0.1]), (None, [[0, 0, 0], [1, 0, 0]]))
    >>> run = simulate(World([eggs], gravity=[0, 0, 0], pairs=[]), 1.0, "fast", step=0.1)
    >>> found = measures.orientation(run)
    >>> round(found.order, 9), abs(found.director).round(9).tolist()
    (1.0, [1.0, 0.0, 0.0])
    """
    number = frame_of(run, frame)
    mask = selected(run, bodies, number)
    if axis is None:
        masses = masses_of(run)
        least = np.argmin(masses.moments[mask], axis=1)
        own = np.take_along_axis(masses.axes[mask], least[:, None, None], axis=2)[:, :, 0]
    else:
        own = validate.vectors(axis, "axis")
        if own.shape != (3,) or not np.linalg.norm(own) > 0.0:
            raise ValueError(f"axis must be a vector other than zero, got {validate.short(axis)}")
        own = own / np.linalg.norm(own)
    u = run.pose(number).rotation[mask].apply(own)
    tensor = 1.5 * np.einsum("ki,kj->ij", u, u) / len(u) - 0.5 * np.eye(3)
    values, vectors = np.linalg.eigh(tensor)
    return Order(float(values[2]), vectors[:, 2], tensor)
