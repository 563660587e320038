"""Outlines of cam and follower for pictures and pages, in the fixed frame in which the follower moves up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..pitch.periodic import FULL
from ..radii import direction
from .followers import Follower, SwingingFlat, SwingingRoller
from .motion import CamMotion


class Part(NamedTuple):
    """A rigid part: its outline, and x, y and angle at each time."""

    outline: np.ndarray  #: (N, 2) [m]
    poses: np.ndarray  #: (T, 3) [m], [m], [rad]
    rotates: bool  #: whether a mark should show its rotation


def cam_outline(motion: CamMotion, count: int = 720) -> np.ndarray:
    """(count + 1, 2) closed boundary of the cam at alpha = 0 [m]; it turns clockwise by alpha."""
    points = -motion.outline(count)  # the frame of the cam turned by half a turn
    return np.vstack([points, points[:1]])


def follower_parts(motion: CamMotion, q: np.ndarray, roller_angle: np.ndarray) -> list[Part]:
    """Parts of the follower at coordinates `q`, with the angle of its roller [rad]."""
    follower = motion.follower
    size = float(np.linalg.norm(motion.outline(180), axis=1).max())
    if isinstance(follower, SwingingFlat):
        return [_flat_lever(follower, q, size)]
    if follower.flat:
        face = size * np.array(
            [[-1.0, 0.0], [1.0, 0.0], [1.0, 0.12], [0.1, 0.12], [0.1, 0.8], [-0.1, 0.8], [-0.1, 0.12]]
        )
        face = np.vstack([face, [[-size, 0.12 * size], [-size, 0.0]]])
        return [Part(face, np.column_stack([0.0 * q, q, 0.0 * q]), False)]
    centre = follower.path(q).point
    if not follower.rotates:
        tip = 0.25 * size
        edge = np.array(
            [[0.0, 0.0], [0.4 * tip, tip], [0.4 * tip, 3.0 * tip], [-0.4 * tip, 3.0 * tip], [-0.4 * tip, tip]]
        )
        edge[0, 1] -= follower.radius
        return [Part(np.vstack([edge, edge[:1]]), np.column_stack([centre, 0.0 * q]), False)]
    disc = follower.radius * direction(np.linspace(0.0, FULL, 121))
    roller = Part(disc, np.column_stack([centre, -roller_angle]), True)
    return [roller, _arm(follower, q)] if isinstance(follower, SwingingRoller) else [roller]


def _arm(follower: SwingingRoller, q: np.ndarray) -> Part:
    """The arm, from the pivot along its x axis."""
    w, n = 0.15 * follower.radius, follower.arm
    outline = np.array([[0.0, -w], [n, -w], [n, w], [0.0, w], [0.0, -w]])
    angle = follower.bearing + np.pi - follower.side * q
    return Part(outline, _at_pivot(follower, angle), False)


def _flat_lever(follower: SwingingFlat, q: np.ndarray, size: float) -> Part:
    """A bar along the face, which lies at y = -face below the pivot; its normal points along +y."""
    # Seen along the face with its normal up, the axis lies to the left of the pivot for side -1.
    ends, bottom, top = -follower.side * np.array([-0.2 * size, 2.0 * follower.distance]), -follower.face, 0.12 * size
    outline = np.array([[ends[0], bottom], [ends[1], bottom], [ends[1], bottom + top], [ends[0], bottom + top]])
    angle = follower.bearing + follower.side * (0.5 * np.pi - q) - 0.5 * np.pi
    return Part(np.vstack([outline, outline[:1]]), _at_pivot(follower, angle), False)


def _at_pivot(follower: SwingingRoller | SwingingFlat, angle: np.ndarray) -> np.ndarray:
    return np.column_stack([np.broadcast_to(np.array(follower.pivot), (len(angle), 2)), angle])


def follower_name(follower: Follower) -> str:
    """Short description for titles."""
    words = {
        "Roller": "roller",
        "KnifeEdge": "knife edge",
        "FlatFace": "flat face",
        "SwingingRoller": "swinging roller",
        "SwingingFlat": "swinging flat face",
    }
    name = words.get(type(follower).__name__, type(follower).__name__)
    if not follower.flat:
        name += f" of {1e3 * follower.radius:g} mm"
    return name + (" inside a ring" if follower.inside else "")
