"""pairs(): which of many bodies may touch, or be closer than a given distance."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..compiled.jit import entry
from ..contacts.bodies import Bodies
from ..geometry.pose import PoseLike, draft
from ..io import validate
from ..kernels.rounding import ROUNDING
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..shapes.shape import Shape
from .bounds import bounding_sphere
from .cells import sorted_box_pairs

BOUNDED, PLANE, HOLLOW = 0, 1, 2


def pairs(bodies: Bodies | Shape | Iterable[Shape], poses: PoseLike = None, *, within: float = 0.0) -> np.ndarray:
    """Pairs of bodies that may be closer than a distance; all other pairs are proved to be farther apart.

    The bounding boxes along the axes of the world and the bounding spheres decide, in time proportional to the number
    of bodies and pairs.  :meth:`tangency.Bodies.contact` gives the contacts of the pairs.

    Parameters
    ----------
    bodies : Bodies, Shape or sequence of Shape
        As for :class:`tangency.Bodies`; a stack has one body per entry.
    poses : optional
        One pose per body, or one for all, as in :func:`tangency.contact`.
    within : float
        Distance up to which a pair counts [m], >= 0.

    Returns
    -------
    (M, 2) array of int
        Numbers of the bodies, the smaller first, in ascending order.  A cavity forms a pair with every bounded body;
        half-spaces and cavities form none with each other.

    Examples
    --------
    >>> import tangency as tg
    >>> bodies = tg.Bodies([tg.HalfSpace([0, 0, 1]), tg.Sphere([1.0, 1.0, 1.0])])
    >>> poses = (None, [[0, 0, 0], [0, 0, 0.9], [0, 0, 3.0], [9, 0, 3.0]])
    >>> tg.broadphase.pairs(bodies, poses).tolist()
    [[0, 1]]
    >>> tg.broadphase.pairs(bodies, poses, within=0.2).tolist()
    [[0, 1], [1, 2]]
    """
    if not isinstance(bodies, Bodies):
        bodies = Bodies(bodies)
    placed = draft(poses, "poses").filled()
    if placed.shape not in ((), (1,), (len(bodies),)):
        raise ValueError(f"poses must be one pose, or one per body ({len(bodies)}), got shape {placed.shape}")
    distance = validate.array(within, "within")
    if distance.shape or not distance >= 0.0:
        raise ValueError(f"within must be a single number >= 0, got {validate.short(within)}")
    rows = np.broadcast_to(placed.rows.reshape(-1, 3, 4), (len(bodies), 3, 4))
    kind, low, high, balls = _outlines(bodies, rows[..., :3], rows[..., 3])
    half = 0.5 * float(distance)
    found = sorted_box_pairs(low - half, high + half)
    keep = np.empty(len(found), bool)
    _close(found, kind, np.concatenate([low, high, balls], axis=1), float(distance), keep)
    return found[keep]


def _outlines(bodies: Bodies, turn: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, ...]:
    """Kind, corners of the box and sphere (centre and radius) of each body; of a half-space, normal and offset."""
    count, start = len(bodies), 0
    kind, balls = np.zeros(count, np.int64), np.zeros((count, 4))
    low, high = np.full((count, 3), -np.inf), np.full((count, 3), np.inf)
    for shape in bodies.shapes:
        size = int(np.prod(shape.batch_shape))
        own = slice(start, start + size)
        start += size
        rotation, position = turn[own], place[own]
        if isinstance(shape, Cavity):
            kind[own] = HOLLOW
            continue
        if isinstance(shape, HalfSpace):
            normal = np.einsum("kij,kj->ki", rotation, shape.rows[:, :3])
            kind[own], balls[own, :3] = PLANE, normal
            balls[own, 3] = shape.rows[:, 3] + np.einsum("ki,ki->k", normal, position)
            continue
        # The smallest box in the world by the support function, which keeps its own error, and the turned sphere.
        frames = (rotation.reshape(*shape.batch_shape, 3, 3), position.reshape(*shape.batch_shape, 3))
        corners = [corner.reshape(size, 3) for corner in shape.aabb(frames)]
        ball = bounding_sphere(shape)
        middle = np.einsum("kij,kj->ki", rotation, ball.centre.reshape(size, 3)) + position
        rounding = np.broadcast_to(shape.rounding, shape.batch_shape).reshape(size)
        rounding = rounding + ROUNDING * np.maximum(abs(corners[0]), abs(corners[1])).max(axis=1)
        radius = ball.radius.reshape(size) + rounding
        low[own] = np.maximum(corners[0] - rounding[:, None], middle - radius[:, None])
        high[own] = np.minimum(corners[1] + rounding[:, None], middle + radius[:, None])
        balls[own, :3], balls[own, 3] = middle, radius
    return kind, low, high, balls


@entry
def _close(pairs, kind, outlines, within, keep):
    """Write whether the bodies of each pair may be that close, by their spheres, or by sphere and box to a plane."""
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        if kind[i] != BOUNDED:
            i, j = j, i
        if kind[i] != BOUNDED:
            keep[k] = False
        elif kind[j] == HOLLOW:
            keep[k] = True
        elif kind[j] == BOUNDED:
            square = 0.0
            for c in range(6, 9):
                square += (outlines[i, c] - outlines[j, c]) ** 2
            reach = outlines[i, 9] + outlines[j, 9] + within
            keep[k] = square <= reach * reach * (1.0 + ROUNDING)
        else:
            box, ball, size = -outlines[j, 9], -outlines[j, 9], abs(outlines[j, 9])
            for c in range(3):
                n = outlines[j, 6 + c]
                box += n * (outlines[i, c] if n > 0.0 else outlines[i, 3 + c])
                ball += n * outlines[i, 6 + c]
                size += abs(outlines[i, c]) + abs(outlines[i, 3 + c])
            keep[k] = max(box, ball - outlines[i, 9]) <= within + ROUNDING * size
