"""Pitch functions from a formula, measured samples, boundary points or a shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import not_negative, number, positive
from ...shapes.formulas.support import Formula, parse, symbol, sympy_module
from ..radii import direction
from ..shape import Shape, bounded
from ..shapes.piecewise import spline_pieces
from .periodic import FULL, PeriodicFunction, Polynomials, Values, from_pieces
from .pitch import Pitch
from .polar import Curve, CurvePoints, offset_function


def cam_pitch(radius: float = 0.01) -> Pitch:
    """The cam of Römer 2-D, Eq. (90), with its roller of the given radius [m].

    Cam and roller scale together: R is the unit of length in Eq. (90).  For another roller on the same cam, use
    ``cam_pitch(0.01).change_radius(radius)``.

    Examples
    --------
    >>> from tangency import planar
    >>> print(planar.cam_pitch(0.01).uniqueness())
    The contact point is unique for all angles: margins 0.07551 (Eq. 72) and 0.1256 (Eq. 73).
    """
    radius = positive(radius, "radius")
    a, b = 2.0 / 3.0 * np.pi, 4.0 / 3.0 * np.pi

    def rest(alpha: np.ndarray) -> Values:
        return Values(np.full_like(alpha, 2.0 * radius), np.zeros_like(alpha), np.zeros_like(alpha))

    def lift(alpha: np.ndarray) -> Values:
        u, v, k = alpha - a, b - alpha, radius / 3.0
        return Values(
            2.0 * radius + k * u**3 * v**4,  # Eq. (90)
            k * u**2 * v**3 * (3.0 * v - 4.0 * u),
            k * u * v**2 * (6.0 * v * v - 24.0 * u * v + 12.0 * u * u),
        )

    return Pitch(from_pieces([0.0, a, b], [rest, lift, rest]), radius)


def pitch_from_formula(
    g: Formula, radius: float, *, breaks: ArrayLike = (), concave: bool = False, **parameters: float
) -> Pitch:
    """Pitch function from a SymPy expression in alpha, ``Piecewise`` included, for 0 <= alpha < 2 pi.

    Parameters
    ----------
    g : str or sympy.Expr
        g_R(alpha) [m].  A string may contain only
        arithmetic and functions of SymPy.
    radius : float
        Radius of the circle [m].
    breaks : array_like
        Angles at which the pieces of `g` join.
    **parameters : float
        Values of all other symbols.

    Returns
    -------
    Pitch

    Raises
    ------
    ValueError
        If g or g' jumps where pieces join, or from 2 pi to 0; the message names the angle.

    Examples
    --------
    >>> from tangency import planar
    >>> pitch = planar.pitch_from_formula("r + e*cos(alpha)", 0.01, r=0.04, e=0.01)
    >>> round(float(pitch.values(0.0).value), 12)
    0.05
    """
    sympy = sympy_module()
    values = {name: number(value, name) for name, value in parameters.items()}
    expression = parse(g, "g", ("alpha",), values)
    expression = expression.subs({symbol(name, ("alpha",)): value for name, value in values.items()})
    alpha = symbol("alpha", ("alpha",))
    derivatives = [expression, expression.diff(alpha), expression.diff(alpha, 2)]
    # Abs and sign leave a Dirac delta where g' jumps; such jumps are refused, and elsewhere the delta is zero.
    plain = [d.replace(sympy.DiracDelta, lambda *_: sympy.Integer(0)) for d in derivatives]
    functions = [sympy.lambdify(alpha, d, "numpy") for d in plain]

    def function(at: np.ndarray) -> Values:
        with np.errstate(all="ignore"):  # Pitch refuses what is not finite
            return Values(*(np.broadcast_to(np.asarray(f(at), dtype=float), at.shape) for f in functions))

    periodic = PeriodicFunction(function, breaks)
    periodic.require_continuous("g", derivative=True)
    return Pitch(periodic, radius, concave)


def pitch_from_samples(alpha: ArrayLike, values: ArrayLike, radius: float, *, concave: bool = False) -> Pitch:
    """Pitch function through measured values g_R(alpha), as a periodic quintic spline.

    Parameters
    ----------
    alpha, values : (M,) array_like
        Ascending angles within one turn [rad] and distances of the roller's centre from the axis [m].
    radius : float
        Radius of the circle used in the measurement [m].

    Returns
    -------
    Pitch
    """
    alpha, values = validate.array(alpha, "alpha"), validate.array(values, "values")
    breaks, coefficients = spline_pieces(alpha, values, 5, "alpha")

    # The knots are not breaks: only the fifth derivative jumps there.
    return Pitch(PeriodicFunction(Polynomials(breaks, coefficients).values), radius, concave)


def pitch_from_shape(shape: Shape, radius: float) -> Pitch:
    """Pitch function of a convex shape around its origin, and a circle that touches it from outside.

    Examples
    --------
    >>> from tangency import planar
    >>> pitch = planar.pitch_from_shape(planar.Ellipse([0.03, 0.02]), 0.01)
    >>> round(float(pitch.values(0.0).value), 12)  # alpha = 0: the circle stands below the body
    0.03
    """
    if bounded(shape, "shape").batch_shape:
        raise ValueError(f"shape must be a single body, got a stack of {shape.batch_shape}")
    radius = not_negative(radius, "radius")
    breaks = np.unique(shape._breaks() % FULL)
    if _has_straight_pieces(shape, breaks):
        from .composite import joined, shape_pieces

        curve, breaks = joined(shape_pieces(shape, breaks))
        return Pitch(offset_function(curve, breaks, radius), radius)
    return Pitch(offset_function(_curve_by_normal(shape, breaks), breaks, radius), radius)


def _beside(shape: Shape, breaks: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Points (2, M, 2) and radii of curvature (2, M) at the distance `step` before and after each break."""
    _, x, bend = shape.jet(_turned(direction(breaks), step * np.array([[-1.0], [1.0]])))
    return x, bend


def _turned(n: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Directions rotated by small angles, accurate even for tiny ones."""
    t = np.stack([-n[..., 1], n[..., 0]], axis=-1)
    return np.cos(angle)[..., None] * n + np.sin(angle)[..., None] * t


def _has_straight_pieces(shape: Shape, breaks: np.ndarray) -> bool:
    """Whether the boundary point jumps at a break, rather than moving very fast as at a flat place."""
    if not len(breaks):
        return False
    wide, middle, narrow = (
        np.linalg.norm(np.diff(_beside(shape, breaks, step)[0], axis=0)[0], axis=-1) for step in (1e-6, 1e-9, 1e-12)
    )
    # x ~ step^k shrinks by the same factor each time, so Aitken's limit of three such values is zero.
    first, second = middle - wide, narrow - middle
    bend = second - first
    limit = narrow - np.divide(second * second, bend, out=np.zeros_like(bend), where=np.abs(bend) > 1e-3 * narrow)
    size = float(shape.bounding_radius)
    return bool((np.abs(limit) > 1e-6 * size + 1e-2 * np.abs(second)).any())


def _curve_by_normal(shape: Shape, breaks: np.ndarray) -> Curve:
    """The boundary as a curve whose parameter is the angle of the normal, stretched at flat places.

    Where x ~ t^k with k < 1 in the angle t from a break, as on the axes of a superellipse with exponent above
    2, t ~ u^(1/k) makes x a smooth function of u.
    """
    grade = 1.0
    if len(breaks):
        far, near = (_beside(shape, breaks, step)[1] for step in (1e-5, 1e-7))
        slope = np.log(np.maximum(near, 1e-300) / np.maximum(far, 1e-300)) / np.log(1e-2)
        grade = float(np.clip(1.0 / np.clip(1.0 + slope.min(), 0.02, 1.0), 1.0, 50.0))
        grade = grade if grade > 1.05 else 1.0
    if grade == 1.0:

        def plain(phi: np.ndarray) -> CurvePoints:
            n = direction(phi)
            _, x, bend = shape.jet(n)
            return CurvePoints(x, n, bend, np.ones_like(phi))

        return plain
    ring = np.concatenate([breaks[-1:] - FULL, breaks, breaks[:1] + FULL])

    def graded(u: np.ndarray) -> CurvePoints:
        u = u % FULL
        k = np.clip(np.searchsorted(ring, u, side="right") - 1, 0, len(ring) - 2)
        half = 0.5 * (ring[k + 1] - ring[k])
        ahead = u - ring[k] > half
        away = np.where(ahead, u - ring[k + 1], u - ring[k])
        ratio = np.abs(away) / half
        n = _turned(direction(ring[k + ahead]), np.copysign(half * ratio**grade, away))
        # Nonzero at the break itself, where the curvature is the ratio of turn and speed.
        turn = np.maximum(grade * ratio ** (grade - 1.0), 1e-150)
        _, x, bend = shape.jet(n)
        return CurvePoints(x, n, bend * turn, turn)

    return graded


def pitch_from_profile(points: ArrayLike, radius: float, *, concave: bool = False) -> Pitch:
    """Pitch function of a closed profile, given by boundary points or as a spline.

    Parameters
    ----------
    points : (M, 2) array_like or callable
        Points of the boundary [m], in order around the reference point, which is the origin; they are
        interpolated by a periodic quintic spline.  Or a function ``points(u, nu)`` that returns the
        nu-th derivative of the boundary, (..., 2), for u from 0 to 2 pi, counter-clockwise.
    radius : float
        Radius of the roller [m].
    concave : bool
        Whether the roller runs inside the profile.

    Returns
    -------
    Pitch

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> u = np.arange(40) * np.pi / 20
    >>> disc = np.stack([0.01 + 0.03 * np.cos(u), 0.03 * np.sin(u)], axis=-1)
    >>> pitch = planar.pitch_from_profile(disc, 0.005)
    >>> round(float(pitch.values(np.pi / 2).value), 6)  # 0.01 + 0.03 + 0.005
    0.045
    """
    spline = points if callable(points) else _spline(validate.array(points, "points"))

    def curve(u: np.ndarray) -> CurvePoints:
        x, d1, d2 = (np.asarray(spline(u % FULL, nu), dtype=float) for nu in range(3))
        speed = np.hypot(d1[..., 0], d1[..., 1])
        normal = np.stack([d1[..., 1], -d1[..., 0]], axis=-1) / speed[..., None]
        return CurvePoints(x, normal, speed, (d1[..., 0] * d2[..., 1] - d1[..., 1] * d2[..., 0]) / speed**2)

    radius = not_negative(radius, "radius")
    distance = -radius if concave else radius
    return Pitch(offset_function(curve, np.zeros(0), distance), radius, concave)


def _spline(points: np.ndarray) -> Callable:
    from scipy.interpolate import make_interp_spline

    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 6:
        raise ValueError(f"points must have shape (M, 2) with M >= 6, got shape {points.shape}")
    if np.array_equal(points[0], points[-1]):
        points = points[:-1]
    angle = np.unwrap(np.append(np.arctan2(points[:, 1], points[:, 0]), np.arctan2(points[0, 1], points[0, 0])))
    if abs(abs(angle[-1] - angle[0]) - FULL) > 1e-6:
        raise ValueError("points must run once around the reference point, which is the origin")
    if angle[-1] < angle[0]:
        points = points[::-1]
    closed = np.vstack([points, points[:1]])
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=-1)))
    if (np.diff(length) <= 0).any():
        raise ValueError("points must differ from their neighbours, got the same point twice in a row")
    return make_interp_spline(FULL * length / length[-1], closed, k=5, bc_type="periodic")
