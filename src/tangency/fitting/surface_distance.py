"""signed_distance(): exact distance from points to the surface of any body, with foot points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import plain_rows
from ..compiled.threads import share
from ..contacts.options import check_options
from ..contacts.query import contact
from ..geometry.pose import PoseLike, as_pose
from ..io import validate
from ..shapes import (
    Cavity,
    Ellipsoid,
    HalfSpace,
    Hull,
    Ovoid,
    PowerEllipsoid,
    Superellipsoid,
    Superovoid,
    TaperedSuperellipsoid,
)
from ..shapes.bounds import half_diagonals
from ..shapes.shape import Shape
from .directions import spread
from .foot_points import FAILED, INSIDE, follow, search
from .foot_row import DISTANCE, FOOT, NORMAL, POINT
from .implicit_foot_points import LOST, follow_implicit, implicit_row, parameters

FACES = 362  # directions of the inner polytope that guides the search
POINTS_PER_THREAD = 512  # minimum number of points per thread
ROUNDING = 1e-11  # error of a distance, in sizes
SAME_FOOT_WITHIN = 1e-6  # largest difference between two distances of the same foot point, in sizes


@dataclass(frozen=True)
class SurfaceDistance:
    """Result of :func:`tangency.signed_distance`; the leading axes of arrays are those of the points.

    Attributes
    ----------
    distance : (...) array
        Signed distance to the surface [m]: > 0 outside, < 0 inside.
    foot : (..., 3) array
        Nearest point of the surface, world frame [m]; ``points = foot + distance * normal``.
    normal : (..., 3) array
        Outward unit normal of the surface at `foot`, world frame.
    lower, upper : (...) array
        Proved bounds on the distance [m].  Outside they meet.  Inside, `lower` is proved by the normal and meets
        the distance; `upper` is proved by an inner polytope of the body and leaves a gap that ``certify=True`` closes.
    converged : (...) array of bool
        Whether the foot point was found to the tolerance.
    """

    distance: np.ndarray
    foot: np.ndarray
    normal: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    converged: np.ndarray

    def __repr__(self) -> str:
        inside = int((self.distance < 0).sum())
        return f"SurfaceDistance({self.distance.size} points, {inside} inside, {int(self.converged.sum())} converged)"


def signed_distance(
    shape: Shape, points: ArrayLike, pose: PoseLike = None, *, certify: bool = False, threads: int | None = None
) -> SurfaceDistance:
    """Signed distance from points to the surface of a body, with foot points and normals.

    Parameters
    ----------
    shape : Shape
        One body of any kind.
    points : (..., 3) array_like
        Points in the world [m].
    pose : optional
        Pose of the body, as in :func:`tangency.contact`; default the identity.
    certify : bool
        Inside the body, search globally and prove that no nearer surface point exists: up to twenty times slower.
        Without it, the places where an inner polytope of the body allows one are searched, but of two foot points
        whose normals are less than ten degrees apart the farther one may be found.
    threads : int, optional
        As in :func:`tangency.contact`.

    Returns
    -------
    SurfaceDistance

    Notes
    -----
    The distance is the largest n.p - h(n) over unit normals n: contact with a body that is a point.

    Examples
    --------
    >>> import tangency as tg
    >>> found = tg.signed_distance(tg.Ellipsoid([3, 2, 1]), [[0, 0, 3], [0, 0.0, 0.5]])
    >>> found.distance.round(12).tolist()
    [2.0, -0.5]
    >>> found.foot.round(12).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    """
    if not isinstance(shape, Shape):
        raise TypeError(f"shape must be a Shape, got {type(shape).__name__}")
    if isinstance(shape, Cavity):
        raise TypeError("shape must not be a Cavity: use the distance from cavity.hollow, with the opposite sign")
    if shape.batch_shape:
        raise ValueError(f"shape must be a single body, got a stack of shape {shape.batch_shape}")
    given = validate.vectors(points, "points")
    _, workers = check_options(1e-12, threads)
    rotation, translation = as_pose(pose)
    if translation.ndim != 1:
        raise ValueError(f"pose must be single, got a stack of shape {translation.shape[:-1]}")
    local = plain_rows((given - translation) @ rotation, (math.prod(given.shape[:-1]), 3))
    count = len(local)
    out, bounds, codes = np.zeros((count, FOOT)), np.zeros((count, 2)), np.zeros(count, np.int64)
    if isinstance(shape, HalfSpace):
        _plane(shape, local, out, bounds, codes)
    elif count:
        shape.check_size()
        faces = inner_faces(shape)
        size = float(half_diagonals(shape.bounds)[0])
        body = (shape.address, shape.rows[:1]), origin(), bool(shape.bends), size
        args, feet = (body, implicit_parameters(shape), faces, local), (out, bounds, codes)
        share(lambda start, stop: search(*args, start, stop, feet), count, POINTS_PER_THREAD, workers)
        left = np.flatnonzero((codes == FAILED) | (certify & (codes == INSIDE)))
        if len(left):
            _by_contact(shape, local, left, out, bounds, codes, workers)
    leading = given.shape[:-1]
    return SurfaceDistance(
        out[:, DISTANCE].reshape(leading),
        (out[:, POINT] @ rotation.T + translation).reshape(*leading, 3),
        (out[:, NORMAL] @ rotation.T).reshape(*leading, 3),
        bounds[:, 0].reshape(leading),
        bounds[:, 1].reshape(leading),
        (codes != FAILED).reshape(leading),
    )


def implicit_parameters(shape: Shape) -> np.ndarray:
    """Parameters for ``implicit_foot_points.py``; empty for bodies it does not support."""
    row = shape.rows[0]
    if isinstance(shape, Superovoid | Ovoid | TaperedSuperellipsoid):
        return row.copy()
    if isinstance(shape, Superellipsoid):
        e1, e2 = shape.epsilon
        return implicit_row(shape.radii, [2 / e2, 2 / e2, 2 / e1], e1 / e2)
    if isinstance(shape, Ellipsoid):
        return implicit_row(row, [2.0, 2.0, 2.0])
    return implicit_row(shape.radii, shape.exponents) if isinstance(shape, PowerEllipsoid) else np.empty(0)


@cache
def _origin() -> Hull:
    return Hull([[0.0, 0.0, 0.0]])


def origin() -> tuple[int, np.ndarray]:
    """Address and parameters of the origin as a body."""
    return _origin().address, _origin().rows


def inner_faces(shape: Shape) -> np.ndarray:
    """Faces of an inner polytope of a body, cached on the body."""
    if "faces" not in shape._prepared:
        normals = spread(FACES)
        jet = shape.jet(normals)
        shape._prepared["faces"] = faces_of(jet.point, normals, jet.support)
    return shape._prepared["faces"]


def faces_of(corners: np.ndarray, normals: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Faces (normal, offset) of the convex hull of surface points with these normals, (faces, 4)."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        equations = ConvexHull(corners).equations
    except QhullError:  # a body without volume: use its tangent planes
        equations = np.column_stack([normals, -support])
    # Merge triangles of one flat side.
    equations = equations[np.unique(equations.round(9), axis=0, return_index=True)[1]]
    return plain_rows(equations * [1.0, 1.0, 1.0, -1.0], equations.shape)


def _by_contact(
    shape: Shape,
    local: np.ndarray,
    left: np.ndarray,
    out: np.ndarray,
    bounds: np.ndarray,
    codes: np.ndarray,
    threads: int | None,
) -> None:
    """Distances by the default solver, with all its proofs, for points that `search` has or has not solved."""
    c = contact(shape, _origin(), None, (None, local[left]), threads=threads)
    size = float(half_diagonals(shape.bounds)[0])
    # The search is more accurate than the normal of the solver, so that only nearer foot points are taken from this.
    known = (codes[left] == INSIDE) & (out[left, DISTANCE] >= c.distance - ROUNDING * size)
    bounds[left, 0] = np.where(known, np.maximum(bounds[left, 0], c.lower), c.lower)
    bounds[left, 1] = np.where(known, np.maximum(out[left, DISTANCE], c.upper), c.upper)
    new = np.flatnonzero(~known)
    left, points, normals, distance = left[new], local[left[new]], c.normal[new], c.distance[new]
    out[left, DISTANCE], out[left, NORMAL] = distance, normals
    out[left, POINT] = points - distance[:, None] * normals
    good = np.array(c.converged)[new]
    if len(left):
        found, ends = np.zeros((len(left), FOOT)), np.zeros(len(left), np.int64)
        row = implicit_parameters(shape)
        if row.size:
            start = parameters(row, shape.point(normals))
            follow_implicit(row, size, points, start, found, np.empty_like(start), ends)
        else:
            body = (shape.address, shape.rows[:1]), origin(), bool(shape.bends), size
            follow(body, plain_rows(points, (-1, 3)), plain_rows(normals, (-1, 3)), found, ends)
        same = (ends != LOST) & (np.abs(found[:, DISTANCE] - distance) < SAME_FOOT_WITHIN * size)
        out[left[same]], good[same] = found[same], True
    codes[left] = np.where(good, INSIDE, FAILED)


def _plane(shape: HalfSpace, local: np.ndarray, out: np.ndarray, bounds: np.ndarray, codes: np.ndarray) -> None:
    normal, offset = shape.normal, float(shape.support(shape.normal))
    distance = local @ normal - offset
    rounding = 1e-15 * (np.linalg.norm(local, axis=1) + abs(offset))
    out[:, DISTANCE], out[:, NORMAL], out[:, POINT] = distance, normal, local - distance[:, None] * normal
    bounds[:, 0], bounds[:, 1] = distance - rounding, distance + rounding
    codes[:] = INSIDE
