"""Smoothness of a body: radii of curvature over all normals, and Proposition 13 of Römer 3-D."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...geometry.extreme_radii import SAMPLES, extreme_radius, flat_stack, principal_radii
from ...geometry.moments import spread
from ...geometry.seams import body_size, seams
from ..shape import Shape, bounded
from .convexity import Dent, rounding
from .poles import pole_failures

FLAT = 1e12  # a radius this many times the body's size counts as infinite
ZERO = 1e-9  # a radius below this fraction of the size counts as zero


@dataclass(frozen=True)
class Continuity:
    """Smoothness of one body; ``str()`` describes it in words.

    Attributes
    ----------
    order : str
        "G2" (continuous curvature), "G1" (continuous normal) or "G0" (edges or corners, or not convex).
    strictly_convex : bool
        False if the boundary has straight or flat pieces, or if the body is not convex.
    smallest_radius, largest_radius : float
        Extreme principal radii of curvature [m]; inf at flat places, negative if the body is not convex.
    smallest_normal, largest_normal : (3,) array
        Outward normals at which they occur.
    convex : bool
        False if a place was found where the formulas do not describe a convex body.
    failures : tuple of str
        Which of Eqs. (15), (17), (18) and (19) of Römer 3-D fail, and where.

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
    convex: bool = True
    failures: tuple[str, ...] = ()

    def __str__(self) -> str:
        failures = "".join(f" {text[0].upper()}{text[1:]}." for text in self.failures)
        if not self.convex:
            return f"{self.name} is not convex.{failures}"
        start = {
            "G2": "has continuous curvature (G2)",
            "G1": "has a unique normal everywhere, but its curvature is not continuous and finite (G1)",
            "G0": "has edges or corners, where one point has many normals (G0)",
        }[self.order]
        strict = "is strictly convex" if self.strictly_convex else "has straight or flat pieces"
        text = (
            f"{self.name} {start} and {strict}. Its principal radii of curvature range from "
            f"{self.smallest_radius:.6g} m at the normal {_text(self.smallest_normal)} to "
            f"{self.largest_radius:.6g} m at {_text(self.largest_normal)}"
        )
        if self.smallest_radius > 0:
            return f"{text}; it can be offset inwards by less than {self.smallest_radius:.6g} m.{failures}"
        return f"{text}; it cannot be offset inwards.{failures}"


def _text(n: np.ndarray) -> str:
    return "(" + ", ".join(f"{v + 0.0:.4g}" for v in n.round(6)) + ")"


def continuity(shape: Shape) -> Continuity:
    """Geometric continuity of a body according to Proposition 13 of Römer 3-D, by sampling all normals.

    Parameters
    ----------
    shape : Shape
        A single body.

    Returns
    -------
    Continuity

    Notes
    -----
    Conditions (15), (17) and (18) at the poles state that value, point and Hessian of the homogeneous
    support function are unique there; they are evaluated on small circles around the poles.  Jumps elsewhere
    are located by bisection between neighbouring samples down to 1e-13 rad, negative radii of curvature
    (Eq. 19) by dense sampling and local search.  This is numerical evidence, not a proof: pieces smaller than
    about 1/30 rad may be missed.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.continuity(tg.Ellipsoid([3, 2, 1])).order, tg.continuity(tg.capsule(1, 2)).order
    ('G2', 'G1')
    """
    bounded(shape, "shape")
    if shape.batch_shape:
        raise ValueError(f"shape must be a single body, got a stack of {shape.batch_shape}: index it")
    one = flat_stack(shape)[0]
    (smallest,), (n_small,) = extreme_radius(one, 0)
    (largest,), (n_large,) = extreme_radius(one, 1)
    size = body_size(shape.point(spread(SAMPLES)))
    smallest = 0.0 if abs(smallest) <= ZERO * size else float(smallest)
    largest = float(largest) if largest < FLAT * size else float("inf")
    jumps = seams(shape)
    dent = None
    if smallest < 0.0 and smallest < -rounding(one, n_small[None])[0]:
        dent = Dent(smallest, 0.0, n_small, ())
    elif jumps.dent is not None:
        dent = Dent(np.nan, jumps.depth, jumps.dent, ())
    else:
        smallest = max(smallest, 0.0)
    failures = [f"{failure}" for failure in pole_failures(shape, size)]
    if dent is not None:
        failures.append(f"{dent}")
    # A zero radius at isolated normals is an infinite curvature; over a patch of normals it is a corner.
    generic = principal_radii(shape, spread(SAMPLES))[:, 0] <= ZERO * size
    if generic.mean() > 1e-3 or dent is not None:
        order = "G0"
    elif smallest == 0.0 or jumps.point is not None or jumps.curvature is not None or failures:
        order = "G1"
    else:
        order = "G2"
    return Continuity(
        order,
        jumps.point is None and dent is None,
        smallest,
        n_small,
        largest,
        n_large,
        type(shape).__name__,
        dent is None,
        tuple(failures),
    )
