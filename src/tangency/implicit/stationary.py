"""Classification of a common normal of two surfaces: nearest points, a saddle of the distance, outside a patch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..geometry.curvature import Curvature, frame


class SurfaceStatus(IntEnum):
    """Outcome of a query for surfaces; ``status.message`` explains it.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.implicit.SurfaceStatus.LOCAL.converged
    True
    """

    SEPARATED = 0
    LOCAL = 1
    SADDLE = 2
    OUTSIDE = 3
    SAME_SIDE = 4
    NOT_CONVERGED = 5
    BROKE_DOWN = 6

    @property
    def message(self) -> str:
        """What is known, and what is not."""
        return _MESSAGES[self]

    @property
    def converged(self) -> bool:
        """Whether both points form a common normal within their patches and are locally nearest."""
        return self <= SurfaceStatus.LOCAL


_MESSAGES = {
    SurfaceStatus.SEPARATED: (
        "Apart or touching: both bodies are convex and lie on opposite sides of the two parallel tangent planes, so "
        "this is their distance, to the tolerance of the iteration (for the sheets that contain the points)."
    ),
    SurfaceStatus.LOCAL: (
        "A common normal whose points are locally nearest; nothing is known about points farther away."
    ),
    SurfaceStatus.SADDLE: (
        "A common normal, but neighbouring points are nearer to each other: a saddle or a maximum of the distance. "
        "Give another start."
    ),
    SurfaceStatus.OUTSIDE: (
        "The common normal lies outside a patch: the nearest points of the patches lie on their rims, which this "
        "method does not search, or the start was too far away."
    ),
    SurfaceStatus.SAME_SIDE: (
        "The normals of both surfaces point in the same direction: no contact. Give another start."
    ),
    SurfaceStatus.NOT_CONVERGED: "The iterations ran out. Give a closer start.",
    SurfaceStatus.BROKE_DOWN: "The equations became singular or an iterate diverged. Give a closer start.",
}


@dataclass(frozen=True)
class SurfaceContact:
    """Result of :func:`tangency.implicit.contact`; the leading axes of arrays are the broadcast shape of the query.

    Attributes
    ----------
    distance : (...) array
        Signed distance along `normal` [m]; < 0 if the bodies overlap there.
    normal : (..., 3) array
        Outward unit normal of A at `point_a`, world frame.
    point_a, point_b : (..., 3) array
        Points on both surfaces, world frame [m].
    local_a, local_b : (..., 3) array
        The same in the frames of the surfaces, to start the next step of a motion.
    status : (...) array of int
        Codes of :class:`SurfaceStatus`.
    iterations, evaluations, singular : (...) array of int
        Newton steps, evaluations of both surfaces, and steps with singular equations.
    residual : (...) array
        Largest of: distance of a point from its surface, |f| over the length of the gradient [m]; sine of the angle
        between the normals; tangential part of the vector between the points [m].
    curvature_a, curvature_b : Curvature
        Principal curvatures and directions, world frame.
    """

    distance: np.ndarray
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    local_a: np.ndarray
    local_b: np.ndarray
    status: np.ndarray
    iterations: np.ndarray
    evaluations: np.ndarray
    singular: np.ndarray
    residual: np.ndarray
    curvature_a: Curvature
    curvature_b: Curvature

    @property
    def converged(self) -> np.ndarray:
        """(...) array of bool: the points are locally nearest and within the patches."""
        return self.status <= SurfaceStatus.LOCAL

    @property
    def message(self) -> str:
        """Message of the worst status."""
        return SurfaceStatus(int(np.max(self.status, initial=0))).message


def nearest(n: np.ndarray, distance: np.ndarray, curvature_a: Curvature, curvature_b: Curvature) -> np.ndarray:
    """Whether points with the common unit normal n are locally nearest.

    The parallel surface of A through the point of B has the curvatures k / (1 + k d), as long as no
    1 + k d is negative; B must curve away from it: K_A (1 + d K_A)^-1 + K_B > 0 on the tangent plane.
    """
    t, s = frame(n)
    beyond = 1.0 + curvature_a.values * distance[..., None]
    regular = (beyond > 0.0).all(axis=-1)
    moved = curvature_a.values / np.where(beyond > 0.0, beyond, 1.0)
    a, b, c = (np.zeros(distance.shape) for _ in range(3))
    for values, directions in ((moved, curvature_a.directions), (curvature_b.values, curvature_b.directions)):
        for k in range(2):
            along = (directions[..., k, :] * t).sum(axis=-1)
            across = (directions[..., k, :] * s).sum(axis=-1)
            a += values[..., k] * along**2
            b += values[..., k] * along * across
            c += values[..., k] * across**2
    smallest = 0.5 * (a + c) - np.hypot(0.5 * (a - c), b)
    return regular & (smallest > -1e-9 * (np.abs(a) + np.abs(c)))
