"""How smooth a body is: radii of curvature over all normals, and Proposition 13 of Römer 3-D."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .moments import spread
from .radii import SAMPLES, extreme_radius, flat_stack, normals, principal_radii
from .tangent import principal

if TYPE_CHECKING:
    from .shape import Shape

FLAT = 1e12  # a radius this many times the body's size counts as infinite
ZERO = 1e-9  # and one this small as zero


@dataclass(frozen=True)
class Continuity:
    """Smoothness of one body; ``str()`` says it in words.

    Attributes
    ----------
    order : str
        "G2" (continuous curvature), "G1" (continuous normal) or "G0" (edges or corners).
    strictly_convex : bool
        False where a straight piece of the boundary has one normal.
    smallest_radius, largest_radius : float
        Extreme principal radii of curvature [m]; inf at flat places.
    smallest_normal, largest_normal : (3,) array
        Outward normals where they occur.

    Examples
    --------
    >>> import tangency as tg
    >>> report = tg.continuity(tg.Ellipsoid([3, 2, 1]))
    >>> report.strictly_convex, round(report.smallest_radius, 9), round(report.largest_radius, 9)
    (True, 0.333333333, 9.0)
    """

    order: str
    strictly_convex: bool
    smallest_radius: float
    smallest_normal: np.ndarray
    largest_radius: float
    largest_normal: np.ndarray
    name: str

    def __str__(self) -> str:
        start = {
            "G2": "has a continuous curvature (G2)",
            "G1": "has a unique normal everywhere but no continuous, finite curvature (G1)",
            "G0": "has edges or corners, where one point has many normals (G0)",
        }[self.order]
        strict = "is strictly convex" if self.strictly_convex else "has straight or flat pieces with a single normal"
        text = (
            f"{self.name} {start} and {strict}. Its principal radii of curvature reach from "
            f"{self.smallest_radius:.6g} m at the normal {_text(self.smallest_normal)} to "
            f"{self.largest_radius:.6g} m at {_text(self.largest_normal)}"
        )
        if self.smallest_radius > 0:
            return f"{text}; it can be offset inwards by less than {self.smallest_radius:.6g} m."
        return f"{text}; it cannot be offset inwards."


def _text(n: np.ndarray) -> str:
    return "(" + ", ".join(f"{v + 0.0:.4g}" for v in n.round(6)) + ")"


def continuity(shape: Shape) -> Continuity:
    """Geometric continuity of a body after Proposition 13 of Römer 3-D, by sampling all normals.

    Parameters
    ----------
    shape : Shape
        A single body.

    Returns
    -------
    Continuity

    Notes
    -----
    The conditions (15), (17) and (18) at the poles say that point and Hessian of the homogeneous
    support function are unique there, as everywhere else; so no direction is special here.  Jumps of
    either are searched by bisection between neighbouring samples down to 1e-13 rad: an observation,
    not a proof, and pieces smaller than about 1/30 rad may be missed.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.continuity(tg.Ellipsoid([3, 2, 1])).order, tg.continuity(tg.capsule(1, 2)).order
    ('G2', 'G1')
    """
    if shape.batch_shape:
        raise ValueError(f"shape must be a single body, got a stack of {shape.batch_shape}: pick one by its index")
    one = flat_stack(shape)[0]
    (smallest,), (n_small,) = extreme_radius(one, 0)
    (largest,), (n_large,) = extreme_radius(one, 1)
    n = normals()
    x = shape.point(n)
    size = np.linalg.norm(x - x.mean(axis=0), axis=-1).max() or 1.0
    smallest = float(smallest) if smallest > ZERO * size else 0.0
    largest = float(largest) if largest < FLAT * size else float("inf")
    jump_x, jump_w = _jumps(shape, n, size)
    # Zero radii at isolated normals mean infinite curvature there; over a patch of normals a corner.
    generic = principal_radii(shape, spread(SAMPLES))[:, 0] <= ZERO * size
    if generic.mean() > 1e-3:
        order = "G0"
    elif smallest == 0.0 or jump_x or jump_w:
        order = "G1"
    else:
        order = "G2"
    return Continuity(order, not jump_x, smallest, n_small, largest, n_large, type(shape).__name__)


def _jumps(shape: Shape, n: np.ndarray, size: float) -> tuple[bool, bool]:
    """Whether the point or the curvature jumps between neighbouring normals."""
    from scipy.spatial import ConvexHull

    n = np.unique(n, axis=0)
    faces = ConvexHull(n).simplices
    edges = np.unique(np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    left, right = n[edges[:, 0]], n[edges[:, 1]]

    def point(m: np.ndarray) -> np.ndarray:
        return shape.point(m) / size

    def bend(m: np.ndarray) -> np.ndarray:
        # The tensor with the values 1 / (1 + radius / size) is bounded and continuous from radius 0 to infinity.
        curvature = principal(m, shape.hessian(m))
        d = curvature.directions
        return np.einsum("ka,kai,kaj->kij", 1.0 / (1.0 + curvature.radii / size), d, d).reshape(-1, 9)

    # Short straight pieces hide among long steps of smooth places: compare with the step that W predicts.
    w = np.minimum(shape.hessian(left), shape.hessian(right)) / size
    gap = point(right) - point(left)
    surprise = np.linalg.norm(gap - np.einsum("kij,kj->ki", w, right - left), axis=-1)
    jump = any(
        _jump(point, left[worst], right[worst])
        for worst in (_largest(np.linalg.norm(gap, axis=-1)), _largest(surprise))
    )
    worst = _largest(np.linalg.norm(bend(right) - bend(left), axis=-1))
    return jump, _jump(bend, left[worst], right[worst])


def _largest(values: np.ndarray) -> np.ndarray:
    return np.argsort(values)[-200:]


def _jump(value: Callable, left: np.ndarray, right: np.ndarray) -> bool:
    """Bisect towards the larger difference; a jump is a difference that does not shrink with the step."""
    history = []
    for _ in range(40):
        middle = left + right
        middle /= np.linalg.norm(middle, axis=-1, keepdims=True)
        v, vl, vr = value(middle), value(left), value(right)
        gap_l, gap_r = np.linalg.norm(v - vl, axis=-1), np.linalg.norm(vr - v, axis=-1)
        lower = (gap_l > gap_r)[:, None]
        left, right = np.where(lower, left, middle), np.where(lower, middle, right)
        history.append(np.maximum(gap_l, gap_r))
    return bool(((history[-1] > 0.95 * history[19]) & (history[-1] > 1e-6)).any())
