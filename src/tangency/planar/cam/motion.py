"""Motion that a cam gives to its follower: coordinate with derivatives, contact point, pressure angle, curvature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..pitch.periodic import FULL, PeriodicFunction, Polynomials, Values
from ..pitch.pitch import Pitch
from ..pitch.polar import Curve, CurvePoints, Reader, Reading, curve_of, interpolant
from ..pitch.profile import pitch_from_shape
from ..radii import direction
from ..shape import Shape
from .follower_table import FollowerTable, follower_table
from .followers import FlatFace, Follower, KnifeEdge, Roller, SwingingFlat


class FollowerContact(NamedTuple):
    """Contact of cam and follower; the leading axes of all arrays are those of alpha."""

    point: np.ndarray  #: (..., 2) contact point, fixed frame [m]
    normal: np.ndarray  #: (..., 2) unit normal from cam to follower, fixed frame
    curvature: np.ndarray  #: (...) of the cam, positive where it is convex [1/m]
    relative_curvature: np.ndarray  #: (...) sum of the curvatures of cam and follower [1/m]
    lever: np.ndarray  #: (...) growth of the gap with the follower's coordinate: 1 or less, or [m]
    slide: np.ndarray  #: (...) tangential velocity of the follower's point over that of its coordinate
    roll: np.ndarray  #: (...) tangential velocity that the cam's turn adds to the slip, over its speed [m]
    pressure_angle: np.ndarray  #: (...) between the normal and the motion of the follower's point [rad]


@dataclass(frozen=True, repr=False)
class CamMotion:
    """What a cam does to its follower; made by :func:`cam_motion`.

    Attributes
    ----------
    cam : Pitch or Shape
        The cam.
    follower : Follower
        The follower.
    function : PeriodicFunction
        Its coordinate as a function of the angle of the cam: height or distance [m], or angle [rad].
    """

    cam: Pitch | Shape
    follower: Follower
    function: PeriodicFunction

    def __repr__(self) -> str:
        unit = "rad" if self.follower.swings else "m"
        return f"CamMotion({self.follower!r}, travel {self.travel:.6g} {unit})"

    def values(self, alpha: ArrayLike) -> Values:
        """Coordinate of the follower and its first two derivatives by alpha."""
        return self.function(validate.array(alpha, "alpha"))

    @cached_property
    def table(self) -> Polynomials:
        """The coordinate as quintic pieces."""
        return self.function.polynomials()

    @cached_property
    def compiled_table(self) -> FollowerTable:
        """Coordinate and contact as pieces, for compiled code."""
        return follower_table(self)

    @cached_property
    def _extremes(self) -> tuple[float, float]:
        q = self.function(np.arange(7200) * (FULL / 7200)).value
        return float(q.min()), float(q.max())

    @property
    def travel(self) -> float:
        """Difference of the highest and the lowest position [m] or [rad]."""
        return self._extremes[1] - self._extremes[0]

    def lift(self, alpha: ArrayLike) -> np.ndarray:
        """Coordinate above its lowest value."""
        return self.values(alpha).value - self._extremes[0]

    def jerk(self, alpha: ArrayLike) -> np.ndarray:
        """Third derivative of the coordinate by alpha, from its quintic pieces."""
        alpha, (knots, c) = validate.array(alpha, "alpha"), self.table
        at = knots[0] + (alpha - knots[0]) % FULL
        k = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, None)
        t = at - knots[k]
        return 6.0 * c[k, 3] + t * (24.0 * c[k, 4] + 60.0 * t * c[k, 5])

    def contact(self, alpha: ArrayLike) -> FollowerContact:
        """Contact point, normal, curvature, pressure angle and velocities at the angles `alpha`."""
        return contact_of(self.follower, self.values(alpha))

    def pressure_angle(self, alpha: ArrayLike) -> np.ndarray:
        """Angle between the contact normal and the motion of the follower's contact point [rad]."""
        return self.contact(alpha).pressure_angle

    def outline(self, count: int = 720) -> np.ndarray:
        """(count, 2) points of the cam's boundary, in the frame of the cam [m]."""
        alpha = np.arange(count) * (FULL / count)
        return _turned(self.contact(alpha).point, alpha - np.pi)


def cam_motion(cam: Pitch | Shape, follower: Follower | None = None) -> CamMotion:
    """Motion of a follower on a cam.

    Parameters
    ----------
    cam : Pitch or Shape
        The cam: a pitch function, for whatever radius, or a planar shape around the origin.
    follower : Follower, optional
        :class:`Roller`, :class:`KnifeEdge`, :class:`FlatFace`, :class:`SwingingRoller` or :class:`SwingingFlat`;
        by default the roller of a pitch function.

    Returns
    -------
    CamMotion

    Raises
    ------
    ValueError
        If the follower touches the cam at more than one point, cannot reach it, or jams; the message says where.

    Examples
    --------
    >>> from tangency import planar
    >>> disc = planar.Circle(0.03).translate([0.01, 0])
    >>> motion = planar.cam_motion(disc, planar.FlatFace())
    >>> round(motion.travel, 9)
    0.02
    """
    if not isinstance(cam, Pitch | Shape):
        raise TypeError(f"cam must be a Pitch or a planar Shape, got {cam!r}")
    if follower is None:
        if not isinstance(cam, Pitch):
            raise TypeError(f"follower must be given for a Shape, for instance FlatFace(), got {follower!r}")
        follower = Roller(cam.radius, inside=cam.concave) if cam.radius > 0 else KnifeEdge()
    if not isinstance(follower, Follower):
        raise TypeError(f"follower must be a Follower, for instance Roller(0.01), got {follower!r}")
    function = _flat_function(cam, follower) if follower.flat else _circle_function(cam, follower)
    return CamMotion(cam, follower, function)


def _circle_function(cam: Pitch | Shape, follower: Follower) -> PeriodicFunction:
    if isinstance(cam, Pitch):
        if cam.concave != follower.inside:
            raise ValueError(
                f"follower must {'' if cam.concave else 'not '}run inside this cam, whose Pitch has "
                f"concave={cam.concave}, got {follower!r}"
            )
        pitch = cam.change_radius(follower.radius)
    else:
        if follower.inside:
            raise ValueError(f"follower must run outside a convex Shape, got {follower!r}")
        pitch = pitch_from_shape(cam, follower.radius)
    unique = pitch.uniqueness()
    if follower.radius > 0 and not unique:
        raise ValueError(f"cam must have a unique contact point with {follower!r}: {unique}")
    if not follower.swings and getattr(follower, "offset", 0.0) == 0.0:
        sign = -1.0 if follower.inside else 1.0
        return PeriodicFunction(lambda alpha: Values(*(sign * v for v in pitch.function(alpha))), pitch.function.breaks)
    return _read(curve_of(pitch.function), pitch.function.breaks, lambda points: _read_circle(follower, points))


def _read(curve: Curve, breaks: np.ndarray, reader: Reader) -> PeriodicFunction:
    """The follower's coordinate from a curve, as an accurate interpolant."""
    u = np.unique(np.concatenate([np.arange(2048) * (FULL / 2048), breaks]))
    slope = reader(curve(u)).slope
    if not (slope > 0).all():
        raise ValueError(
            f"the follower jams: its pressure angle reaches 90 degrees, at the angle {u[~(slope > 0)][0]:.6g} of the "
            "cam's curve"
        )
    table, images = interpolant(curve, breaks, 0.0, reader)
    return PeriodicFunction(table.values, images if len(breaks) else breaks)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1)


def _turned(vectors: np.ndarray, angle: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[..., 0] - s * vectors[..., 1], s * vectors[..., 0] + c * vectors[..., 1]], axis=-1)


def _quarter(vectors: np.ndarray) -> np.ndarray:
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def _read_circle(follower: Follower, points: CurvePoints) -> Reading:
    """Coordinate as a function of alpha from points of the pitch curve; the derivatives follow from the velocities."""
    p, n, speed, turn = points
    pose = follower.pose(np.hypot(p[..., 0], p[..., 1]))
    alpha = np.arctan2(p[..., 1], p[..., 0]) + np.pi - pose.angle
    path = follower.path(pose.coordinate)
    normal = _turned(n, np.pi - alpha)
    tangent = _quarter(normal)
    # The roller's centre does not move into the cam: q' (dC/dq . n) = -(C x n), the velocity of the turning cam.
    above, below = -_cross(p, n), _dot(path.first, normal)
    first = above / below
    along = _dot(path.first, tangent)
    slope = speed / (along * first + _dot(p, n))
    above_rate = speed - turn * _dot(p, n)
    below_rate = _dot(path.second, normal) * first * slope + along * (turn - slope)
    second = (above_rate * below - above * below_rate) / (below * below * slope)
    return Reading(alpha, slope, Values(pose.coordinate, first, second))


def contact_of(follower: Follower, values: Values) -> FollowerContact:
    """Contact of a follower that moves as given with its cam."""
    return _flat_contact(follower, values) if follower.flat else _circle_contact(follower, values)


def _circle_contact(follower: Follower, values: Values) -> FollowerContact:
    q, q1, q2 = values
    path = follower.path(q)
    # Velocity of the centre relative to the cam, over the speed of the cam, which turns clockwise.
    move = q1[..., None] * path.first + _quarter(path.point)
    length = np.hypot(move[..., 0], move[..., 1])
    tangent = move / length[..., None]
    normal = -_quarter(tangent)
    bend = q2[..., None] * path.first + (q1**2)[..., None] * path.second + _quarter(q1[..., None] * path.first)
    pitch_curvature = (1.0 + _cross(move, bend) / length**2) / length
    side = -1.0 if follower.inside else 1.0
    room = 1.0 - side * follower.radius * pitch_curvature
    curvature = np.divide(side * pitch_curvature, room, out=np.full_like(room, np.inf), where=room != 0)
    with np.errstate(divide="ignore"):
        relative = np.divide(1.0, np.float64(follower.radius) * room)  # 1 / R + curvature
    lever, slide = side * _dot(path.first, normal), side * _dot(path.first, tangent)
    return FollowerContact(
        path.point - side * follower.radius * normal,
        side * normal,
        curvature,
        relative,
        lever,
        slide,
        side * _dot(path.point, normal) - follower.radius,
        np.arctan2(slide, lever),
    )


def _flat_function(cam: Pitch | Shape, follower: Follower) -> PeriodicFunction:
    shape = cam if isinstance(cam, Shape) else cam.convex_shape()
    if shape.batch_shape:
        raise ValueError(f"cam must be a single body, got a stack of {shape.batch_shape}")
    breaks = np.unique(shape._breaks() % FULL)
    jump = [shape.potential(breaks + side)[1] for side in (-1e-9, 1e-9)]
    steep = np.abs(jump[1] - jump[0]) > 1e-6 * float(shape.bounding_radius)
    if steep.any():
        raise ValueError(
            "cam must be strictly convex for a flat face, which would jump along a straight side: its point jumps at "
            f"the normal angle {breaks[steep][0]:.6g}"
        )
    if isinstance(follower, FlatFace):

        def height(alpha: np.ndarray) -> Values:
            return Values(*shape.potential(alpha - 0.5 * np.pi))

        return PeriodicFunction(height, (breaks + 0.5 * np.pi) % FULL)
    lever = follower
    assert isinstance(lever, SwingingFlat)

    def curve(phi: np.ndarray) -> CurvePoints:
        n = direction(phi)
        _, x, radius = shape.jet(n)
        return CurvePoints(x, n, radius, np.ones_like(phi))

    return _read(curve, breaks, lambda points: _read_flat(lever, points))


def _read_flat(follower: SwingingFlat, points: CurvePoints) -> Reading:
    """Coordinate of a swinging face as a function of alpha, from points of the cam with their normals."""
    p, n, speed, _ = points
    h, h1 = _dot(p, n), _cross(n, p)
    pose = follower.pose(h)
    phi = np.arctan2(n[..., 1], n[..., 0])
    # The face has the normal nu with pivot . nu = h + face; its angle falls with q (side 1).
    base, side = follower.distance, follower.side
    q, q_cos = pose.coordinate, base * np.cos(pose.coordinate)
    # sin q = (h + face) / base and alpha = phi + pi - bearing - side (pi / 2 - q), both as functions of phi
    q_phi = h1 / q_cos
    slope = 1.0 + side * q_phi
    q_phi2 = (speed - h + base * np.sin(q) * q_phi**2) / q_cos
    first = q_phi / slope
    second = (q_phi2 * slope - q_phi * side * q_phi2) / slope**3
    return Reading(phi + np.pi - pose.angle, slope, Values(q, first, second))


def _flat_contact(follower: Follower, values: Values) -> FollowerContact:
    q, q1, q2 = values
    if isinstance(follower, FlatFace):
        normal = np.broadcast_to([0.0, 1.0], (*q.shape, 2))
        h, h1, radius = q, q1, q + q2
        lever, slide = np.ones_like(q), np.zeros_like(q)
    else:
        assert isinstance(follower, SwingingFlat)
        base, side, face = follower.distance, follower.side, follower.face
        normal = direction(follower.bearing + side * (0.5 * np.pi - q))
        h = base * np.sin(q) - face
        slope = 1.0 / (1.0 - side * q1)  # d alpha / d phi, from q1 = q_phi / (1 + side q_phi)
        q_phi = q1 * slope
        h1 = base * np.cos(q) * q_phi
        q_phi2 = q2 * slope**3
        radius = base * (np.cos(q) * q_phi2 - np.sin(q) * q_phi**2) + h
        lever, slide = base * np.cos(q) + side * h1, side * face + np.zeros_like(q)
    tangent = _quarter(normal)
    curvature = np.divide(1.0, radius, out=np.full_like(radius, np.inf), where=radius != 0)
    point = h[..., None] * normal + h1[..., None] * tangent
    return FollowerContact(point, normal, curvature, curvature, lever, slide, h, np.arctan2(slide, lever))
