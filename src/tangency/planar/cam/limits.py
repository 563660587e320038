"""Numbers by which a cam is judged: pressure angle, sharpest and hollowest place, undercutting, length of the face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..minima import local_minima, piece_samples
from ..pitch.periodic import FULL
from .motion import CamMotion
from .run import CamRun
from .tappet import CamTappet


@dataclass(frozen=True)
class CamLimits:
    """Outcome of :func:`cam_limits`.

    Attributes
    ----------
    pressure_angle, pressure_alpha : float
        Largest pressure angle and the angle of the cam at which it occurs [rad].
    sharpest, sharpest_alpha : float
        Smallest radius of curvature of convex places [m], inf if there is none, and where [rad].
    hollow, hollow_alpha : float
        Smallest radius of curvature of concave places [m], inf if there is none, and where [rad].  A roller must be
        smaller.
    undercut_radius : float
        Radius of the largest roller that could be given the same motion without undercutting the cam [m]; inf inside
        a ring and for a flat face.
    face : (float, float)
        Reach of the contact point along a flat face, from the axis or from the pivot [m]; (0, 0) for other followers.
    """

    pressure_angle: float
    pressure_alpha: float
    sharpest: float
    sharpest_alpha: float
    hollow: float
    hollow_alpha: float
    undercut_radius: float
    face: tuple[float, float]


def rigid_limit(cam: CamTappet) -> str:
    """When a rigid follower would leave the cam, in words."""
    speed = cam.rigid_lift_off_speed()
    if speed == 0.0:
        return "the spring does not press the follower onto the whole cam"
    if not np.isfinite(speed):
        return "a rigid follower never leaves the cam"
    return f"a rigid follower leaves the cam above {speed:.6g} rad/s ({speed * 30 / np.pi:.5g} rev/min)"


def spring_force(run: CamRun) -> str:
    """Range of the force of the spring in a run, or of its moment, in words."""
    force, unit = run.spring_force, "N m" if run.cam.motion.follower.swings else "N"
    return f"{float(force.min()):.6g} to {float(force.max()):.6g} {unit}"


def cam_limits(motion: CamMotion) -> CamLimits:
    """Extreme values of a cam's geometry, by samples and refinement.

    Examples
    --------
    >>> from tangency import planar
    >>> motion = planar.cam_motion(planar.Ellipse([0.03, 0.02]), planar.Roller(0.01))
    >>> round(planar.cam_limits(motion).sharpest, 9)
    0.013333333
    """
    if not isinstance(motion, CamMotion):
        raise TypeError(f"motion must be a CamMotion, see cam_motion, got {motion!r}")
    inside = piece_samples(motion.function.breaks, 1e-9) % FULL
    samples = np.union1d(np.arange(3600) * (FULL / 3600), inside)

    def lowest(function) -> tuple[float, float]:
        at = local_minima(function, samples) % FULL
        values = function(at)
        return float(values.min()), float(at[values.argmin()])

    steep, steep_at = lowest(lambda a: -np.abs(motion.contact(a).pressure_angle))
    convex, convex_at = lowest(lambda a: -motion.contact(a).curvature)
    concave, concave_at = lowest(lambda a: motion.contact(a).curvature)
    follower = motion.follower
    sharpest, hollow = -1.0 / convex if convex < 0 else np.inf, -1.0 / concave if concave < 0 else np.inf
    undercut = sharpest + follower.radius if not (follower.flat or follower.inside) else np.inf
    face = (0.0, 0.0)
    if follower.flat:
        at = motion.contact(samples)
        along = np.stack([-at.normal[:, 1], at.normal[:, 0]], axis=-1)
        reach = ((at.point - np.asarray(getattr(follower, "pivot", (0.0, 0.0)))) * along).sum(axis=-1)
        face = (float(reach.min()), float(reach.max()))
    return CamLimits(-steep, steep_at, sharpest, convex_at, hollow, concave_at, undercut, face)
