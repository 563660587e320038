"""Profile of a cam from the motion that it shall give to its follower."""

from __future__ import annotations

import numpy as np

from ..pitch.periodic import FULL, PeriodicFunction
from ..pitch.pitch import Pitch
from ..pitch.polar import CurvePoints, by_normal, interpolant, offset_function
from ..shape import Shape
from ..shapes.piecewise import PiecewiseShape
from .followers import Follower
from .motion import CamMotion, cam_motion, contact_of


def cam_from_motion(motion: PeriodicFunction, follower: Follower) -> CamMotion:
    """Cam that moves its follower as prescribed.

    Parameters
    ----------
    motion : PeriodicFunction
        Coordinate of the follower, see :func:`cam_motion`, with two derivatives; for instance of
        :func:`lift_program`.  The first derivative must be continuous.
    follower : Follower
        Any follower.

    Returns
    -------
    CamMotion
        With the cam as :attr:`CamMotion.cam`: a :class:`Pitch`, or a convex shape for a flat face.

    Raises
    ------
    ValueError
        If the cam would be undercut; the message names the angle and, for a translating flat face, by how much the
        base circle must grow.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> half = np.pi
    >>> law = [planar.Segment("cycloidal", half, 0.01), planar.Segment("cycloidal", half, 0.0)]
    >>> motion = planar.cam_from_motion(planar.lift_program(law, start=0.04), planar.Roller(0.01))
    >>> round(float(motion.cam.at(0.0).point[1]), 9), round(motion.travel, 9)
    (-0.03, 0.01)
    """
    if not isinstance(motion, PeriodicFunction):
        raise TypeError(f"motion must be a PeriodicFunction, for instance of lift_program, got {motion!r}")
    if not isinstance(follower, Follower):
        raise TypeError(f"follower must be a Follower, for instance Roller(0.01), got {follower!r}")
    motion.require_continuous("motion", derivative=True)
    cam: Pitch | Shape = _flat_cam(motion, follower) if follower.flat else _circle_cam(motion, follower)
    cam_motion(cam, follower)  # refuses what the cam cannot do
    return CamMotion(cam, follower, motion)


def _samples(motion: PeriodicFunction) -> np.ndarray:
    sides = [motion.breaks + side for side in (-1e-9, 1e-9)]
    return np.unique(np.concatenate([np.arange(7200) * (FULL / 7200), *sides]) % FULL)


def _cam_frame(vectors: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    c, s = np.cos(alpha - np.pi), np.sin(alpha - np.pi)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def _circle_cam(motion: PeriodicFunction, follower: Follower) -> Pitch:
    """The pitch curve is the path of the roller's centre as seen from the cam."""
    side = -1.0 if follower.inside else 1.0

    def curve(alpha: np.ndarray) -> CurvePoints:
        alpha = np.asarray(alpha)
        values = motion(alpha)
        at = contact_of(follower, values)
        path = follower.path(values.value)
        move = values.first[..., None] * path.first + np.stack([-path.point[..., 1], path.point[..., 0]], axis=-1)
        speed = np.hypot(move[..., 0], move[..., 1])
        # The curvature of the pitch curve from that of the cam: 1 / (radius of curvature + side * radius)
        bend = side * at.curvature / (1.0 + follower.radius * at.curvature)
        normal = side * at.normal
        return CurvePoints(_cam_frame(path.point, alpha), _cam_frame(normal, alpha), speed, bend * speed)

    samples = _samples(motion)
    relative = contact_of(follower, motion(samples)).relative_curvature
    if follower.radius > 0 and not (relative > 0).all():
        worst = float(samples[~(relative > 0)][0])
        raise ValueError(
            f"motion cannot be given to {follower!r}: the cam would be undercut at alpha = {worst:.6g}; use a smaller "
            "radius, a larger base circle or a wider segment"
        )
    if not follower.swings and getattr(follower, "offset", 0.0) == 0.0:
        return Pitch(
            PeriodicFunction(lambda a: tuple(side * v for v in motion(a)), motion.breaks),
            follower.radius,
            follower.inside,
        )
    return Pitch(offset_function(curve, motion.breaks, 0.0), follower.radius, follower.inside)


def _flat_cam(motion: PeriodicFunction, follower: Follower) -> PiecewiseShape:
    """The cam is the envelope of the face as seen from it."""
    samples = _samples(motion)
    with np.errstate(divide="ignore"):
        radius = 1.0 / contact_of(follower, motion(samples)).curvature
    if not (radius > 0).all():
        worst = int(radius.argmin())
        help_ = "" if follower.swings else f"; raise the base circle by more than {-radius[worst]:.6g} m"
        raise ValueError(
            f"motion cannot be given to {follower!r}: the cam would be undercut at alpha = {samples[worst]:.6g}, "
            f"where its radius of curvature is {radius[worst]:.6g} m{help_}"
        )

    def curve(alpha: np.ndarray) -> CurvePoints:
        alpha = np.asarray(alpha)
        values = motion(alpha)
        at = contact_of(follower, values)
        # Rate of the normal's angle in the cam: 1, less the turn of a swinging face.
        turn = 1.0 - getattr(follower, "side", 0) * values.first
        return CurvePoints(_cam_frame(at.point, alpha), _cam_frame(at.normal, alpha), turn / at.curvature, turn)

    table, _ = interpolant(curve, motion.breaks, 0.0, by_normal)
    return PiecewiseShape(*table)
