"""Test for convexity: the smallest radius of curvature over all normals (Römer 3-D, Eq. 19), and inward jumps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.directions import angles_text
from ...geometry.extreme_radii import BODIES_AT_ONCE, extreme_radius, least_secant
from ...geometry.seams import seams
from ..shape import Shape, ShapeError
from .survey import JUMP as SEAM
from .survey import Survey, survey

ALLOWED = 1e-9  # largest negative radius attributed to rounding, relative to the size
DIFFERENCES = 1e-5  # the same if the Hessian comes from differences of points
BODIES = 8  # largest number of bodies of a stack that are searched for jumps
THOROUGH = 256  # bodies of a stack that are searched thoroughly; all bodies of a larger one are surveyed first


class Dent(NamedTuple):
    """A place where a body is not convex."""

    radius: float  #: smallest principal radius found [m]; nan if the boundary point jumps inwards
    depth: float  #: of the jump [m]
    normal: np.ndarray
    body: tuple[int, ...]  #: index in the stack

    def __str__(self) -> str:
        where = angles_text(self.normal) + (f", body {self.body}" if self.body else "")
        if np.isnan(self.radius):
            return f"the boundary point moves inwards by {self.depth:.6g} at {where}"
        return f"a radius of curvature falls to {self.radius:.6g} at {where} (Eq. (19) of Römer 3-D)"


def find_dent(shape: Shape) -> Dent | None:
    """The worst place where a body, or a body of a stack, is not convex; None if none was found.

    Every body of a large stack is searched (``survey.py``), and those with the smallest radii thoroughly.
    """
    numbers = np.arange(len(shape.rows))
    if len(numbers) > THOROUGH:
        found = survey(shape, _by_differences(shape))
        worst = _from_survey(shape, found)
        if worst is not None:
            return worst
        numbers = np.argsort(found.radius / flat_sizes(shape))[:THOROUGH]
    worst = None
    for chosen in np.array_split(numbers, 1 + len(numbers) // BODIES_AT_ONCE) if len(numbers) else []:
        block = shape.take(chosen)
        value, normal = extreme_radius(block, 0, radius=least_secant if _by_differences(shape) else None)
        share = value / rounding(block, normal)
        k = int(share.argmin())
        if share[k] < -1.0 and (worst is None or value[k] < worst.radius):
            worst = Dent(float(value[k]), 0.0, normal[k], _index(shape, int(chosen[k])))
    if worst is not None:
        return worst
    for number in numbers[np.unique(np.linspace(0, len(numbers) - 1, BODIES).astype(int))] if len(numbers) else []:
        index = _index(shape, int(number))
        jumps = seams(shape[index] if index else shape)
        if jumps.dent is not None:
            return Dent(np.nan, jumps.depth, jumps.dent, index)
    return None


def flat_sizes(shape: Shape) -> np.ndarray:
    """Bounding radii of all bodies of a stack, one after the other."""
    return np.broadcast_to(shape.bounding_radius, shape.batch_shape).ravel()


def _from_survey(shape: Shape, found: Survey) -> Dent | None:
    """The worst dent among all bodies of a large stack."""
    low = np.flatnonzero(found.radius < 0.0)
    if len(low):
        share = found.radius[low] / rounding(shape.take(low), found.normal[low])
        k = int(share.argmin())
        if share[k] < -1.0:
            return Dent(float(found.radius[low[k]]), 0.0, found.normal[low[k]], _index(shape, int(low[k])))
    far = found.inward / flat_sizes(shape)
    k = int(far.argmax())
    return Dent(np.nan, float(found.inward[k]), found.jump[k], _index(shape, k)) if far[k] > SEAM else None


def rounding(shape: Shape, normal: np.ndarray) -> np.ndarray:
    """Magnitude of negative radii attributed to rounding [m]: errors of W are relative to its largest entries."""
    own, top = (DIFFERENCES, DIFFERENCES) if _by_differences(shape) else (ALLOWED, 1e-12)
    return own * shape.bounding_radius + top * np.abs(shape.hessian(normal)).max(axis=(-2, -1))


def _by_differences(shape: Shape) -> bool:
    own = hasattr(shape.Kernel, "point") and not hasattr(shape.Kernel, "hessian")
    return own or any(_by_differences(f) for f in shape._fields.values() if isinstance(f, Shape))


def _index(shape: Shape, k: int) -> tuple[int, ...]:
    return tuple(map(int, np.unravel_index(k, shape.batch_shape))) if shape.batch_shape else ()


def require_size(shape: Shape, name: str) -> None:
    """Raise a ShapeError if the formulas describe a single point."""
    n = np.concatenate([np.eye(3), -np.eye(3)]).reshape(6, *(1,) * len(shape.batch_shape), 3)
    points = shape.point(n)
    single = (np.ptp(points, axis=0) == 0.0).all(axis=-1)
    if single.any():
        where = np.broadcast_to(points[0], (*single.shape, 3))[single][0]
        raise ShapeError(f"{name} must describe a body of nonzero size, got the single point {where.tolist()}")


def require_convex(shape: Shape, name: str) -> None:
    """Raise a ShapeError if a body with user-defined formulas is not convex; each object is searched once."""
    shape = getattr(shape, "hollow", shape)  # for a cavity
    if not hasattr(shape, "Kernel") or shape._is_builtin() or "convex" in shape._prepared:
        return
    try:
        require_size(shape, name)
        dent = find_dent(shape)
    except ShapeError as error:
        said = str(error)
        raise ShapeError(said if said.startswith(name) else f"{name} must be finite for every normal: {said}") from None
    if dent is not None:
        raise ShapeError(f"{name} must describe a convex body, but {dent}")
    shape._prepared["convex"] = True
