"""Pitch functions and convex shapes from points with measurement errors."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import not_negative
from ..radii import direction
from ..shapes.piecewise import PiecewiseShape
from .observed import Observer, PitchPoints, SupportPoints, normals
from .penalised_spline import Bounds, Observations
from .periodic import FULL, PeriodicFunction, Polynomials
from .pitch import Pitch
from .smooth_fit import MIN_KNOTS, SmoothedCurve, smooth
from .spline_basis import Basis

BOUNDS_PER_KNOT = 4
MARGIN = 1e-6  # of the size: bounds are satisfied up to rounding only


def smooth_profile(
    points: ArrayLike,
    radius: float,
    *,
    tolerance: float | None = None,
    concave: bool = False,
    smallest_radius: float = 0.0,
    dwells: bool | ArrayLike = True,
) -> SmoothedCurve:
    """Pitch function of a profile whose boundary points have measurement errors.

    Parameters
    ----------
    points : (M, 2) array_like
        Points of the boundary around the axis, which is the origin, in any order [m].
    radius : float
        Radius of the roller [m].
    tolerance : float, optional
        Standard deviation of the measurement errors [m]; a value rounded to d has d / sqrt(12).  The result is the
        smoothest curve whose points scatter by that much.  Without it, generalised cross-validation finds it.
    concave : bool
        Whether the roller runs inside the profile.
    smallest_radius : float
        Smallest radius of curvature allowed where the boundary curves towards the roller [m].
    dwells : bool or (D, 2) array_like
        Where the follower rests: the result is exactly constant there, and at the ends of a dwell its second or third
        derivative may jump, as in most motion laws; a smooth curve would round these places.  True finds the dwells,
        False does not look for any.  State the angles at which they begin and end, if known, for the smallest errors.

    Returns
    -------
    SmoothedCurve

    Notes
    -----
    The pitch function is smoothed, not the boundary: it is what moves the follower, and it stays smooth where the
    boundary has a sharp nose.  The centre of the roller that touches a measured point has the distance `radius` from
    it, so every point measures the pitch function at one angle.  That the roller touches at one point only (Römer
    2-D, Eq. 72) is a bound on the second derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> cam, rng = planar.cam_pitch(0.01), np.random.default_rng(1)
    >>> points = cam.at(np.arange(360) * np.pi / 180).point + 5e-6 * rng.normal(size=(360, 2))
    >>> found = planar.smooth_profile(points, 0.01, tolerance=5e-6)
    >>> alpha = np.linspace(0, 6, 100)
    >>> bool(abs(found.pitch.values(alpha).value - cam.values(alpha).value).max() < 1e-5)
    True
    """
    points, radius = boundary_points(points), not_negative(radius, "radius")
    order = np.argsort(np.arctan2(points[:, 1], points[:, 0]))
    side = -1.0 if concave else 1.0
    reader = PitchPoints(points[order], radius, side)
    centres = points[order] + side * radius * normals(points[order])
    start = Observations(
        np.arctan2(centres[:, 1], centres[:, 0]) + 0.5 * np.pi, np.hypot(*centres.T), np.ones(len(order))
    )
    return _pitch(
        reader.observe, start, order, PitchLimits(radius, side, concave, tolerance, smallest_radius, _dwells(dwells))
    )


def smooth_samples(
    alpha: ArrayLike,
    values: ArrayLike,
    radius: float,
    *,
    tolerance: float | None = None,
    concave: bool = False,
    smallest_radius: float = 0.0,
    dwells: bool | ArrayLike = True,
) -> SmoothedCurve:
    """Pitch function from distances of a roller's centre with errors, such as a lift table.

    Parameters
    ----------
    alpha, values : (M,) array_like
        Angles within one turn [rad] and distances of the roller's centre from the axis [m]: radius of the base
        circle plus radius of the roller plus lift.
    radius : float
        Radius of the roller [m]; 0 if `values` is the boundary in polar coordinates.
    tolerance, concave, smallest_radius, dwells
        As in :func:`smooth_profile`.

    Returns
    -------
    SmoothedCurve

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> alpha = np.arange(360) * np.pi / 180
    >>> lift = planar.cam_pitch(0.01).values(alpha).value.round(6)  # a table in micrometres
    >>> found = planar.smooth_samples(alpha, lift, 0.01, tolerance=1e-6 / np.sqrt(12))
    >>> bool(found.pitch.uniqueness())
    True
    """
    alpha, values = _table(alpha, values)
    seen = Observations(alpha, values, np.ones(len(alpha)))
    side = -1.0 if concave else 1.0
    limits = PitchLimits(not_negative(radius, "radius"), side, concave, tolerance, smallest_radius, _dwells(dwells))
    return _pitch(None, seen, np.arange(len(alpha)), limits)


def smooth_shape(
    points: ArrayLike,
    *,
    tolerance: float | None = None,
    smallest_radius: float = 0.0,
    dwells: bool | ArrayLike = True,
) -> SmoothedCurve:
    """Convex shape through boundary points with measurement errors, by its support function.

    Parameters
    ----------
    points : (M, 2) array_like
        Points of the boundary around the origin, in any order [m].
    tolerance, smallest_radius, dwells
        As in :func:`smooth_profile`; the result is convex whatever the points.

    Returns
    -------
    SmoothedCurve

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> t, rng = np.arange(200) * np.pi / 100, np.random.default_rng(2)
    >>> points = np.stack([0.03 * np.cos(t), 0.02 * np.sin(t)], -1) + 1e-5 * rng.normal(size=(200, 2))
    >>> shape = planar.smooth_shape(points).shape
    >>> bool(abs(shape.area / (np.pi * 0.03 * 0.02) - 1) < 1e-3)
    True
    """
    from scipy.spatial import ConvexHull

    points = boundary_points(points)
    order = np.argsort(np.arctan2(points[:, 1], points[:, 0]))
    hull = points[ConvexHull(points).vertices]
    # The start is the support function of the hull, at even angles.
    phi = np.arange(180) * (FULL / 180)
    start = Observations(phi, (direction(phi) @ hull.T).max(axis=1), np.ones(180))
    return _shape(SupportPoints(points[order]).observe, start, order, tolerance, smallest_radius, _dwells(dwells))


def smooth_support(
    phi: ArrayLike,
    values: ArrayLike,
    *,
    tolerance: float | None = None,
    smallest_radius: float = 0.0,
    dwells: bool | ArrayLike = True,
) -> SmoothedCurve:
    """Convex shape from values of its support function with errors, such as the lift table of a flat follower.

    Parameters
    ----------
    phi, values : (M,) array_like
        Angles of the normal within one turn [rad], and distances of the tangent from the origin [m]: radius of the
        base circle plus lift.
    tolerance, smallest_radius, dwells
        As in :func:`smooth_profile`.

    Returns
    -------
    SmoothedCurve

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> phi = np.arange(360) * np.pi / 180
    >>> found = planar.smooth_support(phi, (0.02 + 0.001 * np.cos(2 * phi)).round(6))
    >>> round(float(found.shape.support([1, 0])), 5)
    0.021
    """
    phi, values = _table(phi, values)
    return _shape(
        None,
        Observations(phi, values, np.ones(len(phi))),
        np.arange(len(phi)),
        tolerance,
        smallest_radius,
        _dwells(dwells),
    )


def boundary_points(points: ArrayLike) -> np.ndarray:
    """Points (M, 2) around the origin, checked for gaps."""
    points = validate.array(points, "points")
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < MIN_KNOTS:
        raise ValueError(f"points must have shape (M, 2) with M >= {MIN_KNOTS}, got shape {points.shape}")
    _require_no_gap(np.arctan2(points[:, 1], points[:, 0]), "points must lie all around the origin, which is the axis")
    return points


def _require_no_gap(angle: np.ndarray, demand: str) -> None:
    """Refuse measurements that leave a quarter of the turn open: a smooth curve would be invented there."""
    around = np.sort(angle)
    widest = float(np.diff(around, append=around[0] + FULL).max())
    if widest >= 0.5 * np.pi:
        raise ValueError(f"{demand}, got a gap of {np.degrees(widest):.4g} degrees")


def _table(alpha: ArrayLike, values: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    alpha, values = validate.array(alpha, "alpha"), validate.array(values, "values")
    if alpha.ndim != 1 or alpha.shape != values.shape or len(alpha) < MIN_KNOTS:
        raise ValueError(
            f"alpha and values must be two arrays of equal length >= {MIN_KNOTS}, got {alpha.shape} and {values.shape}"
        )
    if np.ptp(alpha) > FULL + 1e-9:
        raise ValueError(f"alpha must be in radians, within one turn, got {alpha.min():.6g} to {alpha.max():.6g}")
    _require_no_gap(alpha, "alpha must cover the whole turn, dwells too")
    return alpha, values


def _dwells(dwells: bool | ArrayLike) -> bool | np.ndarray:
    """Whether to look for dwells, or their ends, checked."""
    if isinstance(dwells, bool | np.bool_):
        return bool(dwells)
    ends = validate.array(dwells, "dwells").reshape(-1, 2) if np.size(dwells) else np.zeros((0, 2))
    ends = ends[np.argsort(ends[:, 0] % FULL)]
    widths = ends[:, 1] - ends[:, 0]
    gaps = (np.roll(ends[:, 0], -1) - ends[:, 1]) % FULL
    if len(ends) and not ((widths >= 0).all() and (gaps > 0.02).all() and abs(widths.sum() + gaps.sum() - FULL) < 1e-9):
        raise ValueError(
            "dwells must be True, False or pairs of ascending angles [rad] that do not overlap, with motion between "
            f"them, got {ends.tolist()}"
        )
    return ends if len(ends) else False


class PitchLimits(NamedTuple):
    """What a smooth pitch function must satisfy."""

    radius: float
    side: float
    concave: bool
    tolerance: float | None
    smallest_radius: float
    dwells: bool | np.ndarray

    def bounds(self, margin: float, basis: Basis, table: Polynomials) -> Bounds | None:
        """The curvature of the pitch curve is at most 1 / (radius + smallest radius): Eq. (72) with a margin."""
        if self.radius == 0.0 and self.smallest_radius == 0.0:
            return None
        part = np.arange(BOUNDS_PER_KNOT) / BOUNDS_PER_KNOT
        alpha = (basis.knots[:, None] + part * basis.widths[:, None]).ravel()
        g, g1, _ = table.values(alpha)
        steepest = np.hypot(g, g1) ** 3 / (self.radius + self.smallest_radius + margin * self.radius)
        return Bounds(self.side * basis.rows(alpha, 2), (self.side * (g * g + 2.0 * g1 * g1) - steepest) / g)


def _pitch(observe: Observer | None, start: Observations, order: np.ndarray, limits: PitchLimits) -> SmoothedCurve:
    not_negative(limits.smallest_radius, "smallest_radius")
    for margin in (1e-3, 1e-2, 5e-2):
        found = smooth(observe, start, partial(limits.bounds, margin), limits.tolerance, len(order), limits.dwells)
        pitch = Pitch(PeriodicFunction(found.table.values, found.breaks), limits.radius, bool(limits.concave))
        if pitch.uniqueness() or limits.radius == 0.0:
            break
    else:
        raise ValueError(f"points must describe a body that the circle touches at one point: {pitch.uniqueness()}")
    return found.named(pitch, order, limits.tolerance)


def _shape(
    observe: Observer | None,
    start: Observations,
    order: np.ndarray,
    tolerance: float | None,
    smallest: float,
    dwells: bool | np.ndarray,
) -> SmoothedCurve:
    smallest = not_negative(smallest, "smallest_radius")
    size = float(np.abs(start.target).max())

    def bounds(basis: Basis, _: Polynomials) -> Bounds:
        rows = basis.bernstein_of_radius
        return Bounds(rows, np.full(len(rows), smallest + MARGIN * size))  # g + g'' >= smallest, Römer 3-D, Eq. (3)

    found = smooth(observe, start, bounds, tolerance, len(order), dwells)
    return found.named(PiecewiseShape(*found.table), order, tolerance)
