"""Test for convexity: the smallest radius of curvature over all normals (Römer 3-D, Eq. 19), and inward jumps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.directions import angles_text
from ...geometry.extreme_radii import BODIES_AT_ONCE, extreme_radius, flat_stack, least_secant, rough_radius
from ...geometry.moments import spread
from ...geometry.seams import seams
from ..shape import Shape, ShapeError, bounded

ALLOWED = 1e-9  # largest negative radius attributed to rounding, relative to the size
DIFFERENCES = 1e-5  # the same if the Hessian comes from differences of points
BODIES = 8  # largest number of bodies of a stack that are searched for jumps
THOROUGH = 256  # largest number of bodies of a stack that are searched for negative radii
MAX_SAMPLES_TO_CHOOSE = 4_000_000  # directions times bodies in the preselection from a large stack


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
    """The worst place where a body, or a body of a stack, is not convex; None if none was found."""
    numbers = _suspects(shape)
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
        found = seams(shape[index] if index else shape)
        if found.dent is not None:
            return Dent(np.nan, found.depth, found.dent, index)
    return None


def _suspects(shape: Shape) -> np.ndarray:
    """Numbers of the bodies to search.

    All of them; in a large stack, those with the smallest radii in a few directions, and others spread over the stack.
    """
    count = len(shape.rows)
    if count <= THOROUGH:
        return np.arange(count)
    n = np.concatenate([np.eye(3), -np.eye(3), spread(int(np.clip(MAX_SAMPLES_TO_CHOOSE // count, 24, 200)))])
    blocks = flat_stack(shape)
    share = [rough_radius(block.hessian(n[:, None]), 0).min(axis=0) / block.bounding_radius for block in blocks]
    lowest = np.argsort(np.concatenate(share))[: THOROUGH // 2]
    return np.unique(np.concatenate([lowest, np.linspace(0, count - 1, THOROUGH // 2).astype(int)]))


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
    require_size(shape, name)
    dent = find_dent(shape)
    if dent is not None:
        raise ShapeError(f"{name} must describe a convex body, but {dent}")
    shape._prepared["convex"] = True


def offset_limit(shape: Shape) -> np.ndarray:
    """Lower bound of admissible offset distances: minus the smallest principal radius (Römer 3-D, Eq. 50).

    Parameters
    ----------
    shape : Shape
        One body or a stack.

    Returns
    -------
    (...) array
        ``shape.offset(d)`` is convex for d above this limit [m].  It is 0 for bodies with edges or corners, and
        positive if the formulas do not describe a convex body.  Found by sampling and local search; accurate to
        nine digits in tests with aspect ratios up to 10:1.

    Notes
    -----
    The radicand printed in Eq. (50) lacks a term: the smaller root of Eq. (49) is
    ``(s^2 e + g - sqrt((s^2 e - g)^2 + 4 s^2 f^2)) / (2 s^2)``, the smaller principal radius.

    Examples
    --------
    >>> import tangency as tg
    >>> round(float(tg.offset_limit(tg.Ellipsoid([2, 1, 1]))), 9)
    -0.5
    """
    bounded(shape, "shape")
    blocks = flat_stack(shape)
    limit = np.concatenate([-extreme_radius(block, 0)[0] for block in blocks]) if blocks else np.zeros(0)
    return limit.reshape(shape.batch_shape) + 0.0
