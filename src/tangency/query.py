"""contact(): validate, broadcast, answer, Contact."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import dispatch, validate
from ._jit import plain_rows
from .pose import as_pose
from .result import Contact
from .shape import Shape
from .shapes.half_space import HalfSpace
from .solvers import SOLVERS


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
    check_shape(a, "a")
    check_shape(b, "b")
    if isinstance(a, HalfSpace) and isinstance(b, HalfSpace):
        raise TypeError("a and b must not both be a HalfSpace: two half-spaces have no distance or depth of interest")
    tolerance, workers = check_options(solver, tol, threads)
    pa, pb = as_pose(pose_a, "pose_a"), as_pose(pose_b, "pose_b")
    farthest, normals = as_limits(max_distance), as_normals(guess)
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
    question = dispatch.Question(
        (plain_rows(normals, (-1, 3)), dispatch.pick(normals.shape[:-1], batch)),
        (plain_rows(farthest, (-1, 1)), dispatch.pick(farthest.shape, batch)),
        tolerance,
        solver,
    )
    count = math.prod(batch)
    out = dispatch.buffers(count)
    dispatch.answer(_side(a, pa, batch), _side(b, pb, batch), question, dispatch.EACH, count, workers, out)
    return Contact(*out, batch, ((a, pa[0]), (b, pb[0])))


def _side(shape: Shape, pose: tuple[np.ndarray, np.ndarray], batch: tuple[int, ...]) -> dispatch.Side:
    rotation, position = pose
    return dispatch.Side(
        shape,
        dispatch.pick(shape.batch_shape, batch),
        plain_rows(rotation, (-1, 9)),
        plain_rows(position, (-1, 3)),
        dispatch.pick(position.shape[:-1], batch),
    )


def check_shape(shape: Any, name: str) -> None:
    if not isinstance(shape, Shape):
        raise TypeError(f"{name} must be a Shape, got {type(shape).__name__}")


def check_options(solver: Any, tol: Any, threads: Any) -> tuple[float, int]:
    """Tolerance and number of threads."""
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(sorted(SOLVERS))}, got {solver!r}")
    if not (type(tol) is float and 0.0 < tol < 1.0):
        tolerance = validate.within(validate.array(tol, "tol"), "tol", 0.0, 1.0)
        if tolerance.ndim:
            raise ValueError(f"tol must be a single number, got shape {tolerance.shape}")
        tol = float(tolerance)
    if threads is None:
        return tol, dispatch.cores()
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise ValueError(f"threads must be a whole number >= 1, got {threads!r}")
    return tol, int(threads)


def as_limits(max_distance: Any) -> np.ndarray:
    """Distances beyond which nobody asks; infinite ones as large numbers."""
    if max_distance is None:
        return _NO_LIMIT
    raw = np.asarray(max_distance)
    if raw.dtype.kind == "f" and np.isposinf(raw).any():
        raw = np.where(np.isposinf(raw), 1e300, raw)
    return validate.array(raw, "max_distance")


def as_normals(guess: Any) -> np.ndarray:
    """World normals of a guess; the zero vector stands for none."""
    if guess is None:
        return _NO_GUESS
    if isinstance(guess, Contact):
        return guess.normal
    return validate.directions(guess, "guess")[0]


_NO_LIMIT, _NO_GUESS = np.array(1e300), np.zeros(3)
