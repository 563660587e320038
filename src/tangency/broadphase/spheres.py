"""Bounding spheres: apart if the distance of the centres exceeds the sum of the radii (Portal, Eq. 1)."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import entry
from ..geometry.pose import PoseLike
from ..kernels.poses import at
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import add, mat_mul, norm, sub
from ..shapes.shape import Shape, bounded
from ..solvers.certified.pair import relative
from .bounds import bounding_sphere
from .broadcast import ask, table


def spheres_apart(a: Shape, b: Shape, pose_a: PoseLike = None, pose_b: PoseLike = None) -> np.ndarray:
    """Whether the bounding spheres prove that the bodies are apart.

    Parameters
    ----------
    a, b : Shape
        Each a bounded body or a stack of bodies.
    pose_a, pose_b : optional
        As in :func:`tangency.contact`.

    Returns
    -------
    (...) array of bool
        True: proved to be apart, including rounding errors.  False: not proved.

    Examples
    --------
    >>> import tangency as tg
    >>> a, b = tg.Sphere([1.0, 2.0]), tg.Sphere(1.0)
    >>> tg.broadphase.spheres_apart(a, b, pose_b=(None, [2.5, 0, 0])).tolist()
    [True, False]
    """
    return ask(_apart, _balls, a, b, pose_a, pose_b, (), bool)


def _balls(shape: Shape, name: str) -> np.ndarray:
    """Centre, radius, and their rounding errors."""
    ball = bounding_sphere(bounded(shape, name))
    return table(shape, ball.centre, ball.radius[..., None], shape.rounding[..., None])


@entry
def _apart(a, b, start, stop, answer):
    for k in range(start, stop):
        one, other = a.rows[at(a.pick, k)], b.rows[at(b.pick, k)]
        rotation, r, _, _ = relative(a.poses, at(a.pick_pose, k), b.poses, at(b.pick_pose, k))
        between = sub(add(r, mat_mul(rotation, (other[0], other[1], other[2]))), (one[0], one[1], one[2]))
        rounding = one[4] + other[4] + ROUNDING * norm(r)
        answer[k] = norm(between) > one[3] + other[3] + rounding  # Portal, Eq. (1)
