"""Followers of a cam: how each one moves, in a fixed frame with the cam's axis at the origin.

Translating followers move along +y.  The cam turns clockwise by alpha; at alpha = 0 the ray of the cam with the polar
angle -pi/2 points along +y.  The coordinate q grows while the cam lifts the follower.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...io import validate
from ...io.numbers import not_negative, number, positive
from ..radii import direction


class Path(NamedTuple):
    """Centre of a roller as a function of the follower's coordinate, with two derivatives; (..., 2) each."""

    point: np.ndarray
    first: np.ndarray
    second: np.ndarray


class Pose(NamedTuple):
    """Coordinate of the follower, and polar angle of its roller's centre or of its face's normal."""

    coordinate: np.ndarray
    angle: np.ndarray


class Follower:
    """Base class of all followers."""

    flat = False  #: whether a straight face touches the cam, rather than a circle
    rotates = False  #: whether the part that touches is free to rotate
    swings = False  #: whether the coordinate is an angle [rad] rather than a length [m]
    inside = False  #: whether it runs inside a hollow cam
    radius = 0.0  #: of the circle that touches [m]

    def path(self, q: np.ndarray) -> Path:
        """Path of the centre of the roller."""
        raise NotImplementedError

    def pose(self, distance: np.ndarray) -> Pose:
        """Coordinate at which the roller's centre, or the face, has the given distance from the axis."""
        raise NotImplementedError


def _refuse(bad: np.ndarray, distance: np.ndarray, text: str) -> None:
    if bad.any():
        raise ValueError(
            f"the follower must reach the whole cam, but {text} {distance[bad].flat[0]:.6g} m from the axis"
        )


@dataclass(frozen=True)
class _Translating(Follower):
    """The circle's centre moves along the line x = offset."""

    radius: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", not_negative(self.radius, "radius"))
        object.__setattr__(self, "offset", number(self.offset, "offset"))

    def path(self, q: np.ndarray) -> Path:
        up = -1.0 if self.inside else 1.0
        zero = np.zeros_like(q)
        return Path(
            np.stack([zero + self.offset, up * q], axis=-1),
            np.stack([zero, zero + up], axis=-1),
            np.stack([zero, zero], axis=-1),
        )

    def pose(self, distance: np.ndarray) -> Pose:
        _refuse(distance <= abs(self.offset), distance, "its line of motion passes the point that is")
        height = np.sqrt((distance - self.offset) * (distance + self.offset))
        return Pose(-height if self.inside else height, np.arctan2(height, self.offset))


@dataclass(frozen=True)
class Roller(_Translating):
    """Roller on a translating follower.

    Parameters
    ----------
    radius : float
        [m]
    offset : float
        Distance of its line of motion from the axis of the cam, positive to the right if the cam turns
        clockwise and the follower moves up [m].
    inside : bool
        Whether it runs inside a hollow cam (a ring), against which the spring presses it outwards; its coordinate is
        minus the distance from the axis.

    Examples
    --------
    >>> from tangency import planar
    >>> planar.Roller(0.01, offset=0.002)
    Roller(radius=0.01, offset=0.002, inside=False)
    """

    rotates = True
    inside: bool = False


@dataclass(frozen=True)
class KnifeEdge(_Translating):
    """Edge or round tip that does not rotate, on a translating follower.

    Parameters
    ----------
    radius : float
        Radius of the tip [m]; forces need a radius > 0, the kinematics do not.
    offset : float
        As for :class:`Roller` [m].

    Examples
    --------
    >>> from tangency import planar
    >>> planar.KnifeEdge()
    KnifeEdge(radius=0.0, offset=0.0)
    """

    radius: float = 0.0


@dataclass(frozen=True)
class FlatFace(Follower):
    """Flat face perpendicular to the motion of a translating follower (Römer 2-D, Fig. 1b).

    Examples
    --------
    >>> from tangency import planar
    >>> planar.FlatFace().flat
    True
    """

    flat = True

    def pose(self, distance: np.ndarray) -> Pose:
        return Pose(distance, np.full_like(distance, 0.5 * np.pi))


class _Swinging(Follower):
    """A lever about a fixed pivot."""

    swings = True
    pivot: tuple[float, float]
    side: int

    def _check_pivot(self) -> None:
        pivot = validate.vectors(self.pivot, "pivot", 2)
        if pivot.ndim != 1 or not np.hypot(*pivot) > 0:
            raise ValueError(f"pivot must be a point (x, y) off the axis of the cam, got {self.pivot!r}")
        object.__setattr__(self, "pivot", tuple(pivot.tolist()))
        if self.side not in (-1, 1):
            raise ValueError(f"side must be 1 or -1, got {self.side!r}")

    @property
    def distance(self) -> float:
        """Distance between pivot and axis [m]."""
        return float(np.hypot(*self.pivot))

    @property
    def bearing(self) -> float:
        """Polar angle of the pivot [rad]."""
        return float(np.arctan2(self.pivot[1], self.pivot[0]))


@dataclass(frozen=True)
class SwingingRoller(_Swinging):
    """Roller on a swinging arm; its coordinate is the angle between the arm and the line from pivot to axis [rad].

    Parameters
    ----------
    pivot : (float, float)
        Position of the pivot; the axis of the cam is the origin [m].
    arm : float
        Distance between pivot and centre of the roller [m].
    radius : float
        [m]
    side : 1 or -1
        1 if the roller lies counter-clockwise from the pivot as seen from the axis.

    Examples
    --------
    >>> from tangency import planar
    >>> planar.SwingingRoller((0.06, 0.0), arm=0.05, radius=0.01).swings
    True
    """

    rotates = True
    pivot: tuple[float, float]
    arm: float
    radius: float
    side: int = 1

    def __post_init__(self) -> None:
        self._check_pivot()
        object.__setattr__(self, "arm", positive(self.arm, "arm"))
        object.__setattr__(self, "radius", not_negative(self.radius, "radius"))

    def path(self, q: np.ndarray) -> Path:
        # From the pivot, the arm points to the axis turned by q, clockwise for side 1.
        angle = self.bearing + np.pi - self.side * q
        out, ahead = self.arm * direction(angle), -self.side * self.arm * direction(angle + 0.5 * np.pi)
        return Path(np.array(self.pivot) + out, ahead, -out)

    def pose(self, distance: np.ndarray) -> Pose:
        base, arm = self.distance, self.arm
        bad = (distance >= base + arm) | (distance <= abs(base - arm))
        _refuse(bad, distance, "its arm cannot reach the pitch curve")
        q = np.arccos((base * base + arm * arm - distance * distance) / (2.0 * base * arm))
        turn = np.arccos((base * base + distance * distance - arm * arm) / (2.0 * base * distance))
        return Pose(q, self.bearing + self.side * turn)


@dataclass(frozen=True)
class SwingingFlat(_Swinging):
    """Flat face on a swinging lever; its coordinate is the angle between face and line from axis to pivot [rad].

    Parameters
    ----------
    pivot : (float, float)
        Position of the pivot; the axis of the cam is the origin [m].
    face : float
        Distance of the pivot from the face, positive if it lies on the far side from the cam [m].
    side : 1 or -1
        1 if the normal of the face, away from the cam, points counter-clockwise from the direction of the pivot.

    Examples
    --------
    >>> from tangency import planar
    >>> planar.SwingingFlat((0.06, 0.0), face=0.005).flat
    True
    """

    flat = True
    pivot: tuple[float, float]
    face: float = 0.0
    side: int = 1

    def __post_init__(self) -> None:
        self._check_pivot()
        object.__setattr__(self, "face", number(self.face, "face"))

    def pose(self, distance: np.ndarray) -> Pose:
        height = (distance + self.face) / self.distance
        _refuse(np.abs(height) >= 1.0, distance, "its face cannot touch the tangent that is")
        q = np.arcsin(height)
        return Pose(q, self.bearing + self.side * (0.5 * np.pi - q))
