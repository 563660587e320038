"""scatter(): random poses of many bodies in a box, none of which overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import RigidTransform, Rotation

from ..contacts.bodies import Bodies
from ..io import validate
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..shapes.shape import Shape
from .pairs import pairs

ROUNDS = 200  # proposals for each body
AXES = np.concatenate([np.eye(3), -np.eye(3)])


def scatter(
    shape: Shape,
    low: ArrayLike,
    high: ArrayLike,
    count: int | None = None,
    *,
    gap: float = 0.0,
    orientation: Rotation | None = None,
    seed: int = 0,
) -> RigidTransform:
    """Random poses in a box for bodies that do not overlap each other, proved by their distances.

    Bodies are added at random places, the larger ones first, as long as there is room.  This fills about a third of the
    box at most.

    Parameters
    ----------
    shape : Shape
        One bounded shape, or a stack with one shape per body.
    low, high : (3,) array_like
        Corners of the box; the bodies lie inside it [m].
    count : int, optional
        Number of bodies; default the length of the stack.
    gap : float
        Least distance between two bodies [m].
    orientation : Rotation, optional
        Of all bodies; default a random one for each.
    seed : int
        Of the random numbers.

    Returns
    -------
    RigidTransform
        A stack of shape (count,).

    Raises
    ------
    ValueError
        If there is no room for all bodies.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> egg = tg.Ellipsoid([0.03, 0.02, 0.02])
    >>> poses = tg.broadphase.scatter(egg, [0, 0, 0], [0.5, 0.5, 0.5], 200)
    >>> bodies = tg.Bodies(egg.broadcast_to((200,)))
    >>> near = tg.broadphase.pairs(bodies, poses)
    >>> bool((bodies.contact(near, poses).lower > 0).all())
    True
    """
    stack = _stack(shape, count)
    corners = [validate.vectors(value, name) for name, value in (("low", low), ("high", high))]
    for name, corner in zip(("low", "high"), corners):
        validate.single({name: corner.shape[:-1]})
    if not (corners[0] < corners[1]).all():
        raise ValueError(f"high must be larger than low, got {validate.short(corners[1])} and {corners[0].tolist()}")
    apart = float(validate.array(gap, "gap"))
    if not apart >= 0.0:
        raise ValueError(f"gap must be >= 0, got {gap!r}")
    rng, total = np.random.default_rng(seed), len(stack.rows)
    order = np.argsort(-np.broadcast_to(stack.bounding_radius, (total,)), kind="stable")
    turns, places = np.empty((total, 3, 3)), np.zeros((total, 3))
    done, left = order[:0], order
    for _ in range(ROUNDS):
        turns[left] = (Rotation.random(len(left), rng=rng) if orientation is None else orientation).as_matrix()
        fits = propose(stack, left, turns, places, corners, rng)
        numbers = np.concatenate([done, left[fits]])
        bodies = Bodies(stack.take(numbers))
        poses = turns[numbers], places[numbers]
        near = pairs(bodies, poses, within=apart)
        near = near[near[:, 1] >= len(done)]  # the others are known to be apart
        clash = near[~(bodies.contact(near, poses, max_distance=2.0 * apart).lower > apart)]
        kept = first_without(clash, len(numbers), len(done))
        done = numbers[kept]
        left = np.setdiff1d(left, done, assume_unique=True)
        left = left[np.argsort(-stack.take(left).bounding_radius, kind="stable")] if len(left) else left
        if not len(left):
            return RigidTransform.from_components(places, Rotation.from_matrix(turns))
    raise ValueError(
        f"low and high must leave room for {total} bodies, found places for {len(done)}; use a larger box, fewer bodies "
        "or a grid"
    )


def _stack(shape: Any, count: Any) -> Shape:
    """One shape per body."""
    if not isinstance(shape, Shape) or isinstance(shape, HalfSpace | Cavity):
        raise TypeError(f"shape must be a bounded Shape or a stack of them, got {shape!r}")
    if count is None and len(shape.batch_shape) == 1:
        return shape
    if count is not None and (isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1):
        raise ValueError(f"count must be a whole number >= 1, got {count!r}")
    if count is None or shape.batch_shape not in ((), (count,)):
        raise ValueError(f"count must be given for one shape, or agree with the stack, got {count!r} for {shape!r}")
    return shape.broadcast_to((int(count),))


def propose(
    stack: Shape, left: np.ndarray, turns: np.ndarray, places: np.ndarray, corners: list[np.ndarray], rng: Any
) -> np.ndarray:
    """Write random places for the bodies `left`, with the given rotations; return which of them fit into the box."""
    # Support values along the axes of the world: from the origin of each body to its ends.
    ends = stack.take(left)[:, None].support(np.einsum("kji,aj->kai", turns[left], AXES))
    low, high = corners[0] + ends[:, 3:], corners[1] - ends[:, :3]
    share = rng.random((len(left), 3))
    places[left] = low + share * (high - low)
    return (low <= high).all(axis=1)


def first_without(clash: np.ndarray, count: int, fixed: int) -> np.ndarray:
    """Which of `count` bodies to keep so that no two of the pairs `clash` (i < j) remain: earlier ones first.

    The first `fixed` bodies are always kept.
    """
    kept = np.ones(count, bool)
    for i, j in clash[np.lexsort(clash.T)]:
        if kept[i] and j >= fixed:
            kept[j] = False
    return kept
