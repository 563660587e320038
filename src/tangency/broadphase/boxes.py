"""Oriented bounding boxes: apart if one of 15 axes separates them (Portal, section 2, Table 1).

The axes are the three edges of each box and the nine cross products of an edge of A and an edge of B; if
none of them separates two boxes, no plane does.  In Table 1 the extent of A along x_A x x_B has a
wrong index: it should be a_2 |t_31| + a_3 |t_21|.  The sentence above Eq. (4) says "lower"; the equation is correct.
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import entry, jit
from ..geometry.pose import PoseLike
from ..kernels.poses import at
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import add, mat_mul, mat_t_mul, norm, sub
from ..shapes.shape import Shape, bounded
from ..solvers.certified.pair import relative
from .bounds import bounding_box
from .broadcast import ask, table


def boxes_apart(a: Shape, b: Shape, pose_a: PoseLike = None, pose_b: PoseLike = None) -> np.ndarray:
    """Whether the oriented bounding boxes prove that the bodies are apart.

    The boxes lie along the axes of each body's own frame.  For two :class:`tangency.Box` the test is exact.

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
    >>> a, b = tg.Box([3, 2, 1]), tg.Box([1, 1, 1])
    >>> tg.broadphase.boxes_apart(a, b, pose_b=(None, [[3.9, 0, 0], [4.1, 0, 0]])).tolist()
    [False, True]
    """
    return ask(_apart, _boxes, a, b, pose_a, pose_b, (), bool)


def _boxes(shape: Shape, name: str) -> np.ndarray:
    """Centre, half lengths, and their rounding errors."""
    box = bounding_box(bounded(shape, name))
    return table(shape, box.centre, box.half_lengths, shape.rounding[..., None])


@entry
def _apart(a, b, start, stop, answer):
    for k in range(start, stop):
        one, other = a.rows[at(a.pick, k)], b.rows[at(b.pick, k)]
        rotation, r, _, _ = relative(a.poses, at(a.pick_pose, k), b.poses, at(b.pick_pose, k))
        between = sub(add(r, mat_mul(rotation, (other[0], other[1], other[2]))), (one[0], one[1], one[2]))
        half_a, half_b = (one[3], one[4], one[5]), (other[3], other[4], other[5])
        rounding = one[6] + other[6] + ROUNDING * (norm(half_a) + norm(half_b) + norm(r))
        answer[k] = separated(half_a, half_b, rotation, between, rounding)


@jit
def separated(a, b, t, r, rounding):
    """Whether one of the 15 axes separates two boxes with half lengths a and b; (t, r) is the pose of B in A.

    The cross products are never longer than unit vectors, so the rounding allowance is large enough, and
    nearly parallel edges, whose cross product is meaningless, separate nothing.
    """
    s = (abs(t[0]), abs(t[1]), abs(t[2]), abs(t[3]), abs(t[4]), abs(t[5]), abs(t[6]), abs(t[7]), abs(t[8]))
    # Table 1, rows 1-3: the edges of A.
    extent = mat_mul(s, b)
    for i in range(3):
        if abs(r[i]) > a[i] + extent[i] + rounding:  # Eq. (4)
            return True
    # Rows 4-6: the edges of B.
    extent, along = mat_t_mul(s, a), mat_t_mul(t, r)
    for j in range(3):
        if abs(along[j]) > extent[j] + b[j] + rounding:
            return True
    # Rows 7-15: edge i of A and edge j of B.
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            extent_a = a[i1] * s[3 * i2 + j] + a[i2] * s[3 * i1 + j]
            extent_b = b[j1] * s[3 * i + j2] + b[j2] * s[3 * i + j1]
            if abs(r[i2] * t[3 * i1 + j] - r[i1] * t[3 * i2 + j]) > extent_a + extent_b + rounding:
                return True
    return False
