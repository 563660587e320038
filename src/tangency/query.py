"""contact(): validate, relative pose, explicit pair or solver, Contact."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from . import validate
from ._jit import plain_rows
from .explicit.plane import half_space_contact
from .pose import as_pose
from .result import Contact, Status
from .shape import Shape
from .shapes.half_space import HalfSpace
from .solvers import SOLVERS

Pose = tuple[np.ndarray, np.ndarray]
CHUNK = 512  # fewest pairs worth a thread of their own


def contact(
    a: Shape,
    b: Shape,
    pose_a: Any = None,
    pose_b: Any = None,
    *,
    solver: str = "certified",
    guess: Any = None,
    tol: float = 1e-12,
    max_distance: Any = None,
    threads: int | None = None,
) -> Contact:
    """Signed distance, common normal and contact points of two convex bodies, with proved bounds.

    Parameters
    ----------
    a, b : Shape
        One body or a stack of bodies each.
    pose_a, pose_b : optional
        Poses of the bodies in the world: None (identity), a SciPy ``RigidTransform``, a (..., 4, 4)
        array or ``(rotation, translation)``.  Stacks broadcast against each other and the shapes.
    solver : str
        Name of a method in ``tangency.solvers.SOLVERS``.
    guess : Contact or (..., 3) array_like, optional
        An earlier answer, or normals from A to B, to start from: saves work when bodies move little.
        In overlap the common normal next to the guess is followed, without a global search.
    tol : float
        The bounds meet to ``tol`` times the size of the two bodies.
    max_distance : (...) array_like, optional
        Return as soon as the bodies are proved to be farther apart than this.
    threads : int, optional
        Number of threads for large stacks; default all cores.  Answers do not depend on it.

    Returns
    -------
    Contact

    Examples
    --------
    >>> import tangency as tg
    >>> a, b = tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0)
    >>> c = tg.contact(a, b, pose_b=(None, [5, 0, 0]))
    >>> float(c.distance), c.normal.tolist()
    (1.0, [1.0, 0.0, 0.0])
    """
    for name, shape in (("a", a), ("b", b)):
        if not isinstance(shape, Shape):
            raise TypeError(f"{name} must be a Shape, got {type(shape).__name__}")
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(sorted(SOLVERS))}, got {solver!r}")
    tolerance = validate.within(validate.array(tol, "tol"), "tol", 0.0, 1.0)
    if tolerance.ndim:
        raise ValueError(f"tol must be a single number, got shape {tolerance.shape}")
    threads = _threads(threads)
    pa, pb = as_pose(pose_a, "pose_a"), as_pose(pose_b, "pose_b")
    farthest = _limits(max_distance)
    normals = _normals(guess)
    batch = validate.broadcast(
        {
            "a": a.batch_shape,
            "b": b.batch_shape,
            "pose_a": pa[1].shape[:-1],
            "pose_b": pb[1].shape[:-1],
            "guess": normals.shape[:-1],
            "max_distance": farthest.shape,
        }
    )
    if isinstance(a, HalfSpace) or isinstance(b, HalfSpace):
        return _explicit(a, b, pa, pb, batch)
    return _solved(a, b, pa, pb, batch, SOLVERS[solver], normals, float(tolerance), farthest, threads)


def _threads(threads: int | None) -> int:
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise ValueError(f"threads must be a whole number >= 1, got {threads!r}")
    return int(threads)


def _limits(max_distance: Any) -> np.ndarray:
    """Distances beyond which nobody asks; infinite ones as large numbers."""
    if max_distance is None:
        return np.array(1e300)
    raw = np.asarray(max_distance)
    if raw.dtype.kind == "f" and np.isposinf(raw).any():
        raw = np.where(np.isposinf(raw), 1e300, raw)
    return validate.array(raw, "max_distance")


def _normals(guess: Any) -> np.ndarray:
    """World normals of a guess; the zero vector stands for none."""
    if guess is None:
        return np.zeros(3)
    if isinstance(guess, Contact):
        return guess.normal
    return validate.directions(guess, "guess")[0]


def _rows(array: np.ndarray, own: tuple[int, ...], batch: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """`array` (own..., tail...) as rows for a kernel: one row and step 0, or one row per pair and step 1."""
    tail = array.shape[len(own) :]
    if math.prod(own) == 1:
        return plain_rows(array, (1, *tail)), 0
    return plain_rows(np.broadcast_to(array, (*batch, *tail)), (math.prod(batch), *tail)), 1


def _body(shape: Shape, pose: Pose, batch: tuple[int, ...]) -> tuple:
    """A body as solvers take it: address, rows, bounds, step; rotations, positions, step."""
    own, posed = shape.batch_shape, pose[1].shape[:-1]
    rows, step = _rows(shape.rows.reshape(*own, shape.rows.shape[1]), own, batch)
    bounds, _ = _rows(shape.bounds.reshape(*own, 8), own, batch)
    rotation, step_pose = _rows(pose[0], posed, batch)
    position, _ = _rows(pose[1], posed, batch)
    if (abs(position) > 1e60).any():
        raise ValueError(f"positions must lie within 1e60 of the origin (choose other units), got {position.tolist()}")
    return shape.address, rows, bounds, step, rotation, position, step_pose


def _solved(
    a: Shape, b: Shape, pa: Pose, pb: Pose, batch: tuple[int, ...], method: Any, normals: np.ndarray, tol: float,
    farthest: np.ndarray, threads: int,
) -> Contact:  # fmt: skip
    count = math.prod(batch)
    vectors, whole = (count, 3), (count,)
    out = (
        np.empty(whole), np.empty(whole), np.empty(whole), np.empty(vectors), np.empty(vectors), np.empty(vectors),
        np.empty(whole, np.int64), np.empty(whole, np.int64),
    )  # fmt: skip
    guess = _rows(normals, normals.shape[:-1], batch)
    limit = _rows(farthest, farthest.shape, batch)
    arguments = (_body(a, pa, batch), _body(b, pb, batch), a.bends or b.bends, guess, tol, limit)

    def part(span: tuple[int, int]) -> None:
        method(*arguments, *span, out)

    # Threads share nothing but the output rows, so that the answers cannot depend on their number.
    workers = min(threads, max(1, count // CHUNK))
    if workers == 1:
        part((0, count))
    else:
        edges = np.linspace(0, count, 4 * workers + 1).astype(int)
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(part, [(int(s), int(e)) for s, e in pairwise(edges)]))

    distance, lower, upper, normal, point_a, point_b, status, evaluations = (
        array.reshape((*batch, *array.shape[1:])) for array in out
    )
    return Contact(
        distance, normal, point_a, point_b, lower, upper, status, evaluations, evaluations, ((a, pa[0]), (b, pb[0]))
    )


def _explicit(a: Shape, b: Shape, pa: Pose, pb: Pose, batch: tuple[int, ...]) -> Contact:
    if isinstance(a, HalfSpace) and isinstance(b, HalfSpace):
        raise TypeError("a and b must not both be a HalfSpace: two half-spaces have no distance or depth of interest")
    if isinstance(a, HalfSpace):
        found = half_space_contact(a, b, pa, pb)
        normal = found.normal
    else:
        assert isinstance(b, HalfSpace)
        found = half_space_contact(b, a, pb, pa)
        normal = -found.normal
    distance = np.broadcast_to(found.distance, batch).copy()
    normal, point = np.broadcast_to(normal, (*batch, 3)).copy(), np.broadcast_to(found.point, (*batch, 3)).copy()
    status = np.where(distance >= -found.rounding, Status.APART, Status.OVERLAP_PROVED).astype(np.int64)
    if isinstance(a, HalfSpace):
        point_b, point_a = point, point - distance[..., None] * normal
    else:
        point_a, point_b = point, point + distance[..., None] * normal
    ones = np.ones(batch, dtype=np.int64)
    lower, upper = distance - found.rounding, distance + found.rounding
    return Contact(
        distance, normal, point_a, point_b, lower, upper, status, 0 * ones, ones, ((a, pa[0]), (b, pb[0]))
    )
