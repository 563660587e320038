"""planar.contact(): validate the arguments, solve, and return a Contact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..contacts.options import as_limits, check_options
from ..contacts.status import Status
from ..contacts.trace import Trace
from ..io import validate
from ..kernels.rounding import ROUNDING
from ..solvers.papers.loop import NormalIteration
from .jet import POINT, SUPPORT
from .methods import as_method, claimed
from .pose import PlanarPoseLike, as_pose, turned, turned_back
from .result import Contact, Guess
from .shape import Shape
from .shapes.line import Line
from .stacks import Asked, Pairs, Pose, solved


def contact(
    a: Shape,
    b: Shape,
    pose_a: PlanarPoseLike = None,
    pose_b: PlanarPoseLike = None,
    *,
    solver: str | NormalIteration = "certified",
    guess: Guess = None,
    tol: float = 1e-14,
    max_distance: ArrayLike | None = None,
    trace: bool = False,
) -> Contact:
    """Signed distance, common normal and contact points of two planar convex bodies, with proved bounds.

    Parameters
    ----------
    a, b : Shape
        Each a single body or a stack of bodies; one of them may be a :class:`Line`.
    pose_a, pose_b : optional
        Poses of the bodies in the world: None (identity), ``(angle, translation)`` with the angle
        counter-clockwise in radians, ``(rotation, translation)`` with (..., 2, 2) rotation matrices, or
        a (..., 3, 3) homogeneous matrix.  Stacks broadcast.
    solver : str or method
        "certified", or Römer's "romer-1" to "romer-4", "romer-direct", "romer-mean", or one of these methods with
        options, such as ``tangency.solvers.RomerTwo(coordinates="tangent")``.  A line always uses a closed form.
    guess : Contact or (..., 2) array_like, optional
        An earlier result, or normals from A to B, to start from.  In overlap, the common normal closest to
        the guess is followed without a global search.
    tol : float
        Largest gap between the bounds, relative to the size of the two bodies; rounding errors may add to it.
    max_distance : (...) array_like, optional
        Return as soon as the bodies are proved to be farther apart than this.
    trace : bool
        Keep every step of the solver in ``Contact.trace``; not for the default solver.

    Returns
    -------
    Contact

    Examples
    --------
    >>> from tangency import planar
    >>> c = planar.contact(planar.Ellipse([3, 2]), planar.Circle(1.0), pose_b=(0.0, [5, 0]))
    >>> float(c.distance), c.normal.tolist()
    (1.0, [1.0, 0.0])
    """
    for name, shape in (("a", a), ("b", b)):
        if not isinstance(shape, Shape):
            raise TypeError(f"{name} must be a planar Shape, got {type(shape).__name__}")
    method = as_method(solver)
    if trace and method is None:
        raise ValueError("trace must be False for the default solver, which keeps no steps; name another solver")
    tol, _ = check_options(tol, None)
    pa, pb = as_pose(pose_a, "pose_a"), as_pose(pose_b, "pose_b")
    for position in (pa[1], pb[1]):
        if (abs(position) > 1e60).any():
            where = validate.short(position)
            raise ValueError(f"positions must lie within 1e60 of the origin (choose other units), got {where}")
    farthest, normals = as_limits(max_distance), _normals(guess)
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
    if isinstance(a, Line) and isinstance(b, Line):
        raise TypeError("a and b must not both be a Line: two half-planes have no meaningful distance or depth")
    if isinstance(a, Line):
        return _on_line(a, b, pa, pb, batch, first=True, trace=trace)
    if isinstance(b, Line):
        return _on_line(b, a, pb, pa, batch, first=False, trace=trace)
    pairs, asked = Pairs((a, b), (pa, pb), batch), Asked(normals, tol, farthest)
    if method is not None:
        return claimed(method, pairs, asked, trace=trace)
    return solved(pairs, asked)


def _normals(guess: Any) -> np.ndarray:
    """World normals of a guess; the zero vector means no guess."""
    if guess is None:
        return np.zeros(2)
    if isinstance(guess, Contact):
        return guess.normal
    if hasattr(guess, "point_a"):
        raise TypeError("guess must be a Contact of planar bodies, got one in space")
    return validate.directions(guess, "guess", 2)[0]


def _on_line(
    line: Line, body: Shape, pose_line: Pose, pose_body: Pose, batch: tuple[int, ...], *, first: bool, trace: bool
) -> Contact:
    """Contacts with a line, from the support function (Römer 2-D, Eqs. 18 and 26); `first` if the line is body A."""
    validate.lengths(body.magnitude, "the size of a body")
    up = turned(pose_line[0], line.normal)
    height = line.offset + (up * pose_line[1]).sum(axis=-1)
    turn, position = pose_body
    jets, _ = body._jets(turned_back(turn, -up))
    broken = ~np.isfinite(jets).all(axis=-1)
    jets[broken] = 0.0
    distance = (up * position).sum(axis=-1) - jets[..., SUPPORT] - height
    point = turned(turn, jets[..., POINT]) + position
    lengths = np.linalg.norm(position, axis=-1) + np.linalg.norm(pose_line[1], axis=-1)
    rounding = np.broadcast_to(ROUNDING * (lengths + abs(line.offset)) + body.rounding, batch)
    rounding = np.where(broken, np.inf, rounding)
    distance = np.where(broken, 0.0, np.broadcast_to(distance, batch))
    up, point = (np.broadcast_to(v, (*batch, 2)).copy() for v in (up, point))
    foot = point - distance[..., None] * up
    status = np.where(distance >= -rounding, Status.APART, Status.OVERLAP_PROVED)
    status = np.where(broken, Status.NOT_A_NUMBER, status).astype(np.int64)
    ones = np.ones(batch, dtype=np.int64)
    normal, point_a, point_b = (up, foot, point) if first else (-up, point, foot)
    bodies: Any = ((line, *pose_line), (body, turn, position))
    step = [normal, point_a, point_b, distance[..., None], np.zeros((*batch, 1))]
    return Contact(
        distance,
        normal,
        point_a,
        point_b,
        distance - rounding,
        distance + rounding,
        status,
        ones,
        bodies if first else bodies[::-1],
        trace=Trace(np.concatenate(step, -1)[..., None, :], ones) if trace else None,
    )
