"""scatter(): random poses of many bodies in a box, none of which overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import RigidTransform, Rotation

from ..contacts.bodies import Bodies
from ..io import validate
from ..shapes.shape import Shape
from ..shapes.walls import WALLS
from .pairs import pairs

PATIENCE = 30  # rounds without success before it is given up
MOST_FILLED = 0.5  # fraction of the box above which no attempt is made
PROPOSALS, MOST_AT_A_TIME = 200, 40  # poses in each round, at least one and at most so many for each body
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

    Bodies are added at random places, the larger ones first, as long as there is room.  This fills up to
    about a quarter of the box.

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
    placed, found_turns, found_places = np.zeros(total, bool), np.empty((total, 3, 3)), np.empty((total, 3))
    idle = 0 if float(np.sum(stack.volume)) < MOST_FILLED * np.prod(corners[1] - corners[0]) else PATIENCE
    while idle < PATIENCE:
        done, left = np.flatnonzero(placed), order[~placed[order]]
        proposed = np.repeat(left, min(max(PROPOSALS // len(left), 1), MOST_AT_A_TIME))
        turns = Rotation.random(len(proposed), rng=rng).as_matrix() if orientation is None else orientation.as_matrix()
        turns = np.broadcast_to(turns, (len(proposed), 3, 3))
        places, fits = _places(stack.take(proposed), turns, corners, rng)
        numbers = np.concatenate([done, proposed[fits]])
        all_turns = np.concatenate([found_turns[done], turns[fits]])
        all_places = np.concatenate([found_places[done], places[fits]])
        kept = _apart(Bodies(stack.take(numbers)), numbers, (all_turns, all_places), len(done), apart)
        found_turns[numbers[kept]], found_places[numbers[kept]] = all_turns[kept], all_places[kept]
        placed[numbers[kept]] = True
        idle = 0 if len(kept) > len(done) else idle + 1
        if placed.all():
            return RigidTransform.from_components(found_places, Rotation.from_matrix(found_turns))
    raise ValueError(
        f"low and high must leave room for {total} bodies, found places for {placed.sum()}; use a larger box or fewer "
        "bodies"
    )


def _stack(shape: Any, count: Any) -> Shape:
    """One shape per body."""
    if not isinstance(shape, Shape) or isinstance(shape, WALLS):
        raise TypeError(f"shape must be a bounded Shape or a stack of them, got {shape!r}")
    if count is None and len(shape.batch_shape) == 1:
        return shape
    if count is not None and (isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1):
        raise ValueError(f"count must be a whole number >= 1, got {count!r}")
    if count is None or shape.batch_shape not in ((), (count,)):
        raise ValueError(f"count must be given for one shape, or agree with the stack, got {count!r} for {shape!r}")
    return shape.broadcast_to((int(count),))


def _places(stack: Shape, turns: np.ndarray, corners: list[np.ndarray], rng: Any) -> tuple[np.ndarray, np.ndarray]:
    """Random places for bodies with the given rotations, and which of them fit into the box."""
    # Support values along the axes of the world: from the origin of each body to its ends.
    ends = stack[:, None].support(np.einsum("kji,aj->kai", turns, AXES))
    low, high = corners[0] + ends[:, 3:], corners[1] - ends[:, :3]
    return low + rng.random((len(turns), 3)) * (high - low), (low <= high).all(axis=1)


def scatter_among(
    stack: Shape, low: np.ndarray, high: np.ndarray, others: tuple[list[Shape], Any], rng: Any, attempts: int
) -> tuple[np.ndarray, np.ndarray]:
    """Random rotations and places in a box for as many bodies of a stack as there is room for, in their order.

    `others` are the shapes that may be near, and their rotations and places.
    """
    shapes, (turns_there, places_there) = others
    fixed, count = len(places_there), len(stack.rows)
    proposed = np.repeat(np.arange(count), attempts)
    turns = Rotation.random(len(proposed), rng=rng).as_matrix()
    places, fits = _places(stack.take(proposed), turns, [low, high], rng)
    bodies = Bodies([*shapes, stack.take(proposed[fits])]) if fits.any() else Bodies(stack)
    numbers = np.concatenate([np.full(fixed, -1), proposed[fits]])
    poses = np.concatenate([turns_there, turns[fits]]), np.concatenate([places_there, places[fits]])
    kept = _apart(bodies, numbers, poses, fixed, 0.0)[fixed:] if fits.any() else np.zeros(0, np.int64)
    order = kept[np.argsort(numbers[kept], kind="stable")]
    whole = int(np.argmin(np.append(numbers[order] == np.arange(len(order)), False)))  # up to the first without a place
    return poses[0][order[:whole]], poses[1][order[:whole]]


def _apart(bodies: Bodies, numbers: np.ndarray, poses: Any, fixed: int, gap: float) -> np.ndarray:
    """Indices of the poses to keep: the first `fixed` ones and those after them that are apart from all kept before.

    `numbers` tell which poses belong to one body, of which only the first is kept.
    """
    near = pairs(bodies, poses, within=gap)
    near = near[near[:, 1] >= fixed]  # the others are known to be apart
    clash = near[~(bodies.contact(near, poses, max_distance=2.0 * gap).lower > gap)]
    before: list[list[int]] = [[] for _ in numbers]
    for i, j in clash.tolist():
        before[j].append(i)
    kept, taken = np.ones(len(numbers), bool), set(numbers[:fixed].tolist())
    for j in range(fixed, len(numbers)):
        kept[j] = numbers[j] not in taken and not any(kept[i] for i in before[j])
        if kept[j]:
            taken.add(int(numbers[j]))
    return np.flatnonzero(kept)
