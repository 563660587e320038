"""Parallel curves in polar coordinates: how a pitch function changes with the radius (Römer 2-D, Eq. 84).

A curve around the origin P is represented by points p(u) with the outward normal, the speed |dp/du| and
the turn, the derivative of the normal's angle in u.  The curve at the distance d has the points p + d normal,
the same normal and turn, and the speed |dp/du| + d turn.  These straight lines are the characteristics of
the equation of a pitch function,

    dg/dR = sqrt(g^2 + (dg/dalpha)^2) / g,

so following them and evaluating the new curve at given angles solves it.  (Eq. 84 is printed with the
right-hand side inverted: in Eq. 83 the term g' dalpha, of the same order, was dropped.  A circle that
rotates about a point other than its centre shows the difference.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..radii import direction
from .periodic import FULL, PeriodicFunction, Polynomials, Values, hermite

MIN_KNOTS, MAX_KNOTS = 128, 20000  # knots of the interpolant
BRACKETS = 256
POOREST = 1e-9  # largest relative error accepted with the most knots


class CurvePoints(NamedTuple):
    """Points of a curve that runs counter-clockwise around the origin."""

    point: np.ndarray
    normal: np.ndarray
    speed: np.ndarray
    turn: np.ndarray

    def offset(self, distance: float) -> CurvePoints:
        """The points with the same normals on the parallel curve."""
        return self._replace(point=self.point + distance * self.normal, speed=self.speed + distance * self.turn)


class Reading(NamedTuple):
    """A curve as a function of an angle: the angle, its derivative in u, the function and its derivatives."""

    angle: np.ndarray
    slope: np.ndarray
    values: Values


Curve = Callable[[np.ndarray], CurvePoints]
Reader = Callable[[CurvePoints], Reading]


def curve_of(function: PeriodicFunction) -> Curve:
    """The pitch curve itself: the point at the angle alpha has the polar angle alpha - pi/2 (Eq. 77)."""

    def curve(alpha: np.ndarray) -> CurvePoints:
        g, g1, g2 = function(alpha)
        radial = direction(alpha - 0.5 * np.pi)
        ahead = np.stack([-radial[..., 1], radial[..., 0]], axis=-1)
        d = np.hypot(g, g1)
        normal = (g[..., None] * radial - g1[..., None] * ahead) / d[..., None]
        # curvature times speed, Eq. (76c) with the factor g that is missing in its last term as printed
        turn = (g * g + 2.0 * g1 * g1 - g * g2) / d**2
        return CurvePoints(g[..., None] * radial, normal, d, turn)

    return curve


def by_position(points: CurvePoints) -> Reading:
    """Polar coordinates: the angle is alpha, the function the distance from the origin."""
    p, n = points.point, points.normal
    g = np.hypot(p[..., 0], p[..., 1])
    radial = p / g[..., None]
    out, along = (radial * n).sum(axis=-1), radial[..., 0] * n[..., 1] - radial[..., 1] * n[..., 0]
    g1 = -g * along / out
    d = g / out  # sqrt(g^2 + g'^2)
    g2 = (g * g + 2.0 * g1 * g1 - points.turn / points.speed * d**3) / g
    return Reading(np.arctan2(p[..., 1], p[..., 0]) + 0.5 * np.pi, points.speed / d, Values(g, g1, g2))


def by_normal(points: CurvePoints) -> Reading:
    """The normal parameterization: the angle is phi, the function the generating potential (Römer 3-D, Eq. 2)."""
    p, n = points.point, points.normal
    g, g1 = (p * n).sum(axis=-1), n[..., 0] * p[..., 1] - n[..., 1] * p[..., 0]
    return Reading(np.arctan2(n[..., 1], n[..., 0]), points.turn, Values(g, g1, points.speed / points.turn - g))


def offset_function(curve: Curve, breaks: np.ndarray, distance: float) -> PeriodicFunction:
    """Polar function of the curve parallel to `curve` at `distance`; the parameter u runs from 0 to 2 pi.

    Raises
    ------
    ValueError
        If the parallel curve has a cusp or cannot be written in polar coordinates; the message names
        the parameter at which this happens.
    """
    require_regular(curve, breaks, distance)
    table, images = interpolant(curve, breaks, distance, by_position)
    return PeriodicFunction(table.values, images)


def require_regular(curve: Curve, breaks: np.ndarray, distance: float) -> None:
    """Raise a ValueError if the parallel curve is not a graph over the polar angle."""
    u = np.unique(np.concatenate([np.arange(4096) * (FULL / 4096), breaks, (breaks + 1e-9) % FULL]))
    start = curve(u)
    moved = start.offset(distance)
    cusp = moved.speed <= 0
    if cusp.any():
        limit = -start.speed[cusp] / start.turn[cusp]
        raise ValueError(
            f"the parallel curve at the distance {distance:.6g} has a cusp at the angle {u[cusp][0]:.6g}: the circle "
            f"does not fit the curve, whose radius of curvature falls to {np.abs(limit).min():.6g} there"
        )
    facing = (moved.point * moved.normal).sum(axis=-1)
    if (facing <= 0).any():
        raise ValueError(
            f"the parallel curve at the distance {distance:.6g} is not star-shaped about the reference point: its "
            f"normal points inwards at the angle {u[facing <= 0][0]:.6g} (choose another reference point)"
        )


def interpolant(
    curve: Curve, breaks: np.ndarray, distance: float, reader: Reader, tolerance: float = 2e-14
) -> tuple[Polynomials, np.ndarray]:
    """The parallel curve as a function of an angle, with knots added until it is accurate; and its breaks."""

    def read(u: np.ndarray) -> Reading:
        return reader(curve(u).offset(distance))

    # Brackets for the parameter, each much smaller than half a turn of the angle.
    edges = np.union1d(breaks, np.arange(BRACKETS) * (FULL / BRACKETS))
    turns = read(edges).angle
    angles = turns[0] + np.append(0.0, np.cumsum(np.diff(turns) % FULL))
    images = angles[np.searchsorted(edges, breaks)] if len(breaks) else angles[:1]
    width = np.diff(np.append(images, images[0] + FULL))
    parts = np.maximum(np.ceil(width / FULL * MIN_KNOTS), 2).astype(int)
    knots = np.concatenate([a + w * np.arange(m) / m for a, w, m in zip(images, width, parts)])
    while True:
        result = hermite(knots, lambda alpha: _solve(read, edges, angles, alpha), images if len(breaks) else breaks)
        middles = 0.5 * (knots + np.append(knots[1:], knots[0] + FULL))
        exact = _solve(read, edges, angles, middles).value
        size = float(np.abs(exact).max())
        miss = np.abs(result.values(middles).value - exact)
        poor = miss > tolerance * size
        if not poor.any():
            return result, images
        if len(knots) > MAX_KNOTS:
            if miss.max() > POOREST * size:
                raise ValueError(
                    f"the parallel curve at the distance {distance:.6g} is too sharp or too flat near the angle "
                    f"{middles[miss.argmax()]:.6g} to be interpolated: the remaining error is {miss.max():.2g}"
                )
            return result, images
        knots = np.sort(np.concatenate([knots, middles[poor]]))


def _solve(read: Callable[[np.ndarray], Reading], edges: np.ndarray, images: np.ndarray, alpha: np.ndarray) -> Values:
    """Values at the angles alpha, with the parameter from Newton's method between edges, whose angles are `images`."""
    target = images[0] + (alpha - images[0]) % FULL
    k = np.clip(np.searchsorted(images, target, side="right") - 1, 0, len(images) - 1)
    low, high = edges[k], np.append(edges[1:], edges[0] + FULL)[k]
    top = np.append(images[1:], images[0] + FULL)[k]
    u = low + (high - low) * (target - images[k]) / (top - images[k])
    for _ in range(80):
        angle, slope, _ = read(u)
        miss = (angle - target + np.pi) % FULL - np.pi
        low, high = np.where(miss < 0, u, low), np.where(miss > 0, u, high)
        after = u - miss / slope
        after = np.where((after >= low) & (after <= high), after, 0.5 * (low + high))
        step, u = np.abs(after - u).max(initial=0.0), after
        if step <= 4e-16 * FULL:
            break
    return read(u).values
