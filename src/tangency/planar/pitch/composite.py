"""Closed curves made of arcs and straight lines: shapes with straight sides, and cams drawn with compass and ruler."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import number, positive
from ..radii import direction
from ..shape import Shape
from .periodic import FULL
from .pitch import Pitch
from .polar import Curve, CurvePoints, offset_function

BESIDE = 1e-12  # [rad] from a side's normal, where the ends of the side are evaluated
SHORTEST = 1e-9  # side, over the size of the shape


class Piece(NamedTuple):
    """A smooth piece of a curve: its points by a parameter from 0 to 1, and its share of the turn."""

    points: Callable[[np.ndarray], CurvePoints]
    share: float


def joined(pieces: list[Piece]) -> tuple[Curve, np.ndarray]:
    """The pieces as one curve whose parameter runs from 0 to 2 pi, and the parameters at which they join."""
    share = np.array([piece.share for piece in pieces])
    starts = FULL * np.append(0.0, np.cumsum(share)[:-1]) / share.sum()
    width = np.diff(np.append(starts, FULL))

    def curve(u: np.ndarray) -> CurvePoints:
        u = u % FULL
        which = np.clip(np.searchsorted(starts, u, side="right") - 1, 0, None)
        out = CurvePoints(*(np.empty((*u.shape, *tail)) for tail in ((2,), (2,), (), ())))
        for k in np.unique(which):
            here = which == k
            found = pieces[k].points((u[here] - starts[k]) / width[k])
            for column, value in zip(out, (found.point, found.normal, found.speed / width[k], found.turn / width[k])):
                column[here] = value
        return out

    return curve, starts


def straight(start: np.ndarray, end: np.ndarray, normal: np.ndarray, share: float) -> Piece:
    """A straight line."""
    length = float(np.linalg.norm(end - start))

    def points(t: np.ndarray) -> CurvePoints:
        zero = np.zeros_like(t)
        return CurvePoints(
            start + t[..., None] * (end - start), np.broadcast_to(normal, (*t.shape, 2)), zero + length, zero
        )

    return Piece(points, share)


def shape_pieces(shape: Shape, breaks: np.ndarray) -> list[Piece]:
    """Boundary of a convex shape whose straight sides have normals among the ascending `breaks`."""
    size = float(shape.bounding_radius)
    pieces = []
    for k, start in enumerate(breaks):
        width = float(np.append(breaks, breaks[0] + FULL)[k + 1] - start)
        before, after = shape.point(direction(start + BESIDE * np.array([-1.0, 1.0])))
        length = float(np.linalg.norm(after - before))
        if length > SHORTEST * size:
            pieces.append(straight(before, after, direction(np.array(start)), 0.1 + length / size))

        def points(t: np.ndarray, start: float = start, width: float = width) -> CurvePoints:
            n = direction(start + np.clip(t * width, BESIDE, width - BESIDE))
            _, x, radius = shape.jet(n)
            return CurvePoints(x, n, radius * width, np.full_like(t, width))

        pieces.append(Piece(points, width))
    return pieces


class Arc(NamedTuple):
    """A circular arc of a cam's boundary.

    Examples
    --------
    >>> from tangency import planar
    >>> planar.Arc((0.0, 0.0), 0.02, 1.0, 4.0).radius
    0.02
    """

    centre: tuple[float, float]  #: [m]
    radius: float  #: positive if convex, negative if concave [m]
    start: float  #: angle of the outward normal where the arc begins [rad]
    end: float  #: and where it ends: larger if the arc is convex, smaller if concave [rad]

    def point(self, angle: ArrayLike) -> np.ndarray:
        """Point with the normal at `angle` [m]."""
        return np.asarray(self.centre) + self.radius * direction(np.asarray(angle))


def pitch_from_arcs(arcs: list[Arc], radius: float, *, concave: bool = False) -> Pitch:
    """Pitch function of a cam made of circular arcs and the straight lines between them.

    Parameters
    ----------
    arcs : list of Arc
        Counter-clockwise around the axis; each begins with the normal with which the one before it ends.  Where their
        points differ, a straight flank joins them.
    radius : float
        Radius of the roller [m].
    concave : bool
        Whether the roller runs inside.

    Returns
    -------
    Pitch

    Examples
    --------
    >>> from tangency import planar
    >>> pitch = planar.pitch_from_arcs(planar.tangent_cam(0.02, 0.006, 0.025), 0.01)
    >>> round(float(pitch.values(0.0).value), 9), round(float(pitch.values(3.141592653589793).value), 9)
    (0.041, 0.03)
    """
    arcs = [_checked(arc, k) for k, arc in enumerate(arcs)]
    if not arcs:
        raise ValueError("arcs must hold at least one Arc")
    size = max(float(np.linalg.norm(arc.centre)) + abs(arc.radius) for arc in arcs)
    turn = sum(arc.end - arc.start for arc in arcs)
    if abs(turn - FULL) > 1e-9:
        raise ValueError(f"arcs must turn the normal by 2 pi in all, got {turn:.9g}")
    pieces = []
    for k, (arc, after) in enumerate(zip(arcs, [*arcs[1:], arcs[0]])):
        pieces.append(Piece(_arc_points(arc), abs(arc.end - arc.start)))
        end, start = arc.point(arc.end), after.point(after.start)
        normal = direction(np.array(arc.end))
        along = start - end
        if abs((after.start - arc.end + np.pi) % FULL - np.pi) > 1e-9 or abs(along @ normal) > 1e-9 * size:
            raise ValueError(f"arcs must join with a common tangent, but arc {k} and the next one do not")
        if np.linalg.norm(along) > SHORTEST * size:
            if along @ direction(np.array(arc.end + 0.5 * np.pi)) < 0:
                raise ValueError(f"arcs must run counter-clockwise, but the line after arc {k} runs back")
            pieces.append(straight(end, start, normal, 0.1 + float(np.linalg.norm(along)) / size))
    curve, breaks = joined(pieces)
    radius = positive(radius, "radius") if radius != 0 else 0.0
    return Pitch(offset_function(curve, breaks, -radius if concave else radius), radius, concave)


def _checked(arc: Arc, k: int) -> Arc:
    if len(arc) != 4:
        raise TypeError(f"arcs must be Arc(centre, radius, start, end), got {arc!r}")
    x, y = validate.vectors(arc[0], f"centre of arc {k}", 2).tolist()
    arc = Arc((x, y), *(number(v, f"arc {k}") for v in arc[1:]))
    if not (arc.end - arc.start) * arc.radius > 0:
        raise ValueError(
            f"arc {k} must end at a larger angle than it starts if its radius is positive, at a smaller one if "
            f"negative, got {arc!r}"
        )
    return arc


def _arc_points(arc: Arc) -> Callable[[np.ndarray], CurvePoints]:
    width = arc.end - arc.start

    def points(t: np.ndarray) -> CurvePoints:
        angle = arc.start + width * t
        return CurvePoints(
            arc.point(angle),
            direction(angle),
            np.full_like(t, arc.radius * width),
            np.full_like(t, width),
        )

    return points


def tangent_cam(base: float, nose: float, distance: float) -> list[Arc]:
    """Arcs of a cam with straight flanks: a base circle about the axis, a nose circle below it, common tangents.

    Parameters
    ----------
    base, nose : float
        Radii of both circles [m].
    distance : float
        Distance of their centres [m]; the highest lift, at alpha = 0, is distance + nose - base.

    Returns
    -------
    list of Arc
    """
    base, nose, distance = positive(base, "base"), positive(nose, "nose"), positive(distance, "distance")
    if not distance > abs(base - nose):
        raise ValueError(f"distance must be > |base - nose| = {abs(base - nose):.6g}, got {distance:.6g}")
    half = float(np.arccos((base - nose) / distance))  # between the nose's direction and the normals of the flanks
    down = -0.5 * np.pi
    return [
        Arc((0.0, -distance), nose, down - half, down + half),
        Arc((0.0, 0.0), base, down + half, down + FULL - half),
    ]


def circular_arc_cam(base: float, nose: float, distance: float, flank: float) -> list[Arc]:
    """Arcs of a cam with circular flanks, which take the place of the straight ones of :func:`tangent_cam`.

    Parameters
    ----------
    base, nose, distance : float
        As in :func:`tangent_cam` [m].
    flank : float
        Radius of the flanks, which touch both circles from outside [m].

    Returns
    -------
    list of Arc
    """
    base, nose, distance = positive(base, "base"), positive(nose, "nose"), positive(distance, "distance")
    flank = positive(flank, "flank")
    if not (distance > abs(base - nose) and 2.0 * flank > base + nose + distance):
        raise ValueError(
            f"flank must be > (base + nose + distance) / 2 = {0.5 * (base + nose + distance):.6g}, and distance > "
            f"|base - nose|, got {flank:.6g} and {distance:.6g}"
        )
    # The centre of the flank has the distances flank - base and flank - nose from the centres.
    far, near = flank - base, flank - nose
    y = -(distance**2 + far**2 - near**2) / (2.0 * distance)
    x = float(np.sqrt(far**2 - y**2))
    # Normals of the right flank, whose centre lies on the left: where it begins at the nose and ends at the base.
    first, last = float(np.arctan2(-distance - y, x)), float(np.arctan2(-y, x))
    return [
        Arc((0.0, -distance), nose, -np.pi - first, first),
        Arc((-x, y), flank, first, last),
        Arc((0.0, 0.0), base, last, np.pi - last),
        Arc((x, y), flank, np.pi - last, np.pi - first),
    ]
