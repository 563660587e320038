"""Forces of a level ground on a foot in the sagittal plane, for many states at a time.

The simulation finds the same contacts one by one; here they are needed for the fits, which look at all nodes together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .foot import Foot


class Segment(NamedTuple):
    """Motion of a segment in the sagittal plane, in all states."""

    place: np.ndarray  #: (..., 2) x and z of its joint [m]
    speed: np.ndarray  #: (..., 2) [m/s]
    angle: np.ndarray  #: (...) pitch [rad]
    spin: np.ndarray  #: (...) rate of the pitch [rad/s]


def ground_push(foot: Foot, part: str, motion: Segment) -> np.ndarray:
    """Force forward and up and torque about the joint of a segment (..., 3), the latter positive from x to z."""
    out = np.zeros((*np.shape(motion.angle), 3))
    elements = foot.of_part(part)
    if not elements:
        return out
    law, (c, s) = foot.law, (np.cos(motion.angle), np.sin(motion.angle))
    normal: Any = law.normal
    friction: Any = law.friction
    down = np.stack([-s, np.zeros_like(s), -c], axis=-1)  # in the frame of the segment
    low = np.stack([e.shape.point(down)[..., ::2] + e.place for e in elements], axis=-2)
    c, s = c[..., None], s[..., None]
    x, z = c * low[..., 0] - s * low[..., 1], s * low[..., 0] + c * low[..., 1]  # relative to the joint
    height, spin = motion.place[..., 1:], motion.spin[..., None]
    depth = -(height + z)
    z = -0.5 * depth - height  # the force acts midway between the contact points
    load = normal.force(depth, -(motion.speed[..., 1:] + spin * x))
    slip = np.zeros((*load.shape, 3))
    slip[..., 0] = motion.speed[..., :1] - spin * z
    rub = friction.force(load, slip).force[..., 0]
    out[..., 0], out[..., 1] = rub.sum(axis=-1), load.sum(axis=-1)
    out[..., 2] = (x * load - z * rub).sum(axis=-1)
    return out
