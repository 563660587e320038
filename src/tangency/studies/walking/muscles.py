"""Muscles of a leg in nine functional groups: Hill-type, with an elastic tendon and activation dynamics.

The equations are those of Geyer and Herr (IEEE Trans. Neural Syst. Rehabil. Eng. 18, 2010, 263-273), the parameters and
attachments those of Song and Geyer (J. Physiol. 593, 2015, 3493-3511) for the groups that act in the sagittal plane.
A fibre of length l in units of its optimum, with the velocity v in units of the optimum per second, carries

    f = f_v(v) (a f_l(l) + f_p(l)),    f_l = exp(ln(0.05) |(l - 1) / 0.56|^3),    f_p = max((l - 1) / 0.56, 0)^2,

in units of the largest force; the tendon, in series, f = max(strain / 0.04, 0)^2.  The activation follows the
excitation u by a' = (u - a) / 0.01 s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WIDTH, REMAINING = 0.56, np.log(0.05)  # of f_l
ECCENTRIC, SHAPE, SLOPE = 1.5, 5.0, 7.56  # of f_v
STRAIN = 0.04  # of the tendon under the largest force
TAU = 0.01  # of the activation [s]
LEAST = 0.01  # activation of a muscle at rest
JOINTS = ("hip", "knee", "ankle")
#: Angles of Song and Geyer for the joints of the person: 180 deg for a straight hip and knee, 90 deg for the ankle;
#: flexion and dorsiflexion reduce them.
STRAIGHT, SENSE = np.radians([180.0, 180.0, 90.0]), np.array([-1.0, 1.0, -1.0])


class Attachment(NamedTuple):
    """How a muscle passes a joint."""

    joint: str
    stretch: float  #: 1 if a larger angle stretches the muscle, -1 if it slackens it
    arm: float  #: largest moment arm [m]
    reference: float  #: angle at which the muscle has its optimum and slack length [deg]
    share: float  #: of the path that stretches the fibre; the rest is due to its pennation
    largest: float | None = None  #: angle of the largest moment arm [deg]; None for a constant arm
    smallest: tuple[float, float] | None = None  #: another moment arm [m] and its angle [deg]


class Muscle(NamedTuple):
    """A functional group."""

    name: str
    force: float  #: largest isometric force [N]
    optimum: float  #: length of the fibre [m]
    fastest: float  #: shortening [optimum/s]
    slack: float  #: length of the tendon [m]
    attachments: tuple[Attachment, ...]


MUSCLES = (
    Muscle("hip flexors", 2000.0, 0.11, 12.0, 0.10, (Attachment("hip", 1, 0.08, 160, 0.5),)),
    Muscle("glutei", 1500.0, 0.11, 12.0, 0.13, (Attachment("hip", -1, 0.08, 120, 0.5),)),
    Muscle(
        "hamstrings",
        3000.0,
        0.10,
        12.0,
        0.31,
        (Attachment("hip", -1, 0.08, 150, 0.5), Attachment("knee", 1, 0.05, 180, 0.5)),
    ),
    Muscle(
        "rectus femoris",
        1200.0,
        0.08,
        12.0,
        0.35,
        (Attachment("hip", 1, 0.08, 170, 0.3), Attachment("knee", -1, 0.06, 125, 0.5, 165, (0.04, 45))),
    ),
    Muscle("vasti", 6000.0, 0.08, 12.0, 0.23, (Attachment("knee", -1, 0.06, 120, 0.6, 165, (0.04, 45)),)),
    Muscle("biceps femoris, short head", 350.0, 0.12, 12.0, 0.10, (Attachment("knee", 1, 0.04, 160, 0.7),)),
    Muscle(
        "gastrocnemius",
        1500.0,
        0.05,
        12.0,
        0.40,
        (
            Attachment("knee", 1, 0.05, 165, 0.7, 140, (0.02, 45)),
            Attachment("ankle", -1, 0.06, 80, 0.7, 100, (0.02, 180)),
        ),
    ),
    Muscle("soleus", 4000.0, 0.04, 6.0, 0.26, (Attachment("ankle", -1, 0.06, 90, 0.5, 100, (0.02, 180)),)),
    Muscle("tibialis anterior", 800.0, 0.06, 12.0, 0.24, (Attachment("ankle", 1, 0.04, 110, 0.7, 80, (0.01, 180)),)),
)
FORCE, OPTIMUM, FASTEST, SLACK = (
    np.array([getattr(m, name) for m in MUSCLES]) for name in ("force", "optimum", "fastest", "slack")
)


def _turning(attachment: Attachment) -> float:
    """Factor on the angle in the cosine of a moment arm; 0 for a constant arm."""
    if attachment.largest is None or attachment.smallest is None:
        return 0.0
    arm, angle = attachment.smallest
    return float(np.arccos(arm / attachment.arm) / np.radians(angle - attachment.largest))


_ATTACHED = [(k, attachment) for k, muscle in enumerate(MUSCLES) for attachment in muscle.attachments]
_MUSCLE = np.array([k for k, _ in _ATTACHED])
_JOINT = np.array([JOINTS.index(attachment.joint) for _, attachment in _ATTACHED])
_STRETCH, _ARM, _SHARE = (np.array([getattr(a, n) for _, a in _ATTACHED], float) for n in ("stretch", "arm", "share"))
_REFERENCE, _LARGEST = (np.radians([getattr(a, n) or 0.0 for _, a in _ATTACHED]) for n in ("reference", "largest"))
_TURNING = np.array([_turning(attachment) for _, attachment in _ATTACHED])
_OF_MUSCLE = np.eye(len(MUSCLES))[_MUSCLE]  # adds up the attachments of each


def geometry(joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of the muscles (..., 9) [m] and their moment arms about the joints (..., 3, 9) [m].

    `joints` (..., 3) are hip, knee and ankle of a leg; a force F of the muscles has the torques ``arms @ F``.
    """
    angle = (STRAIGHT + SENSE * joints)[..., _JOINT]
    at, before = _TURNING * (angle - _LARGEST), _TURNING * (_REFERENCE - _LARGEST)
    # The path is the integral of the arm from the reference on.
    turned = (np.sin(at) - np.sin(before)) / np.where(_TURNING == 0.0, 1.0, _TURNING)
    change = _ARM * np.where(_TURNING == 0.0, angle - _REFERENCE, turned)
    arms = np.zeros((*joints.shape, len(MUSCLES)))
    arms[..., _JOINT, _MUSCLE] = -_STRETCH * SENSE[_JOINT] * _ARM * np.cos(at)
    return OPTIMUM + SLACK + (_STRETCH * _SHARE * change) @ _OF_MUSCLE, arms


def tendon_force(stretch: np.ndarray) -> np.ndarray:
    """Force of the tendons in units of the largest, for a strain in units of `STRAIN`."""
    return np.maximum(stretch, 0.0) ** 2


def strength(activation: np.ndarray, length: np.ndarray) -> np.ndarray:
    """a f_l + f_p: force of fibres that do not move, in units of the largest, for lengths in units of the optimum."""
    off = (length - 1.0) / WIDTH
    return activation * np.exp(REMAINING * np.abs(off) ** 3) + np.maximum(off, 0.0) ** 2


def force_velocity(velocity: np.ndarray) -> np.ndarray:
    """f_v for velocities in units of the fastest shortening, negative for shortening."""
    v = np.maximum(velocity, -1.0)
    slow = (1.0 + np.minimum(v, 0.0)) / (1.0 - SHAPE * np.minimum(v, 0.0))
    long = np.maximum(v, 0.0)
    return np.where(v < 0.0, slow, ECCENTRIC + (ECCENTRIC - 1.0) * (long - 1.0) / (SLOPE * SHAPE * long + 1.0))


def fibre_velocity(force: np.ndarray) -> np.ndarray:
    """The inverse of f_v; forces that no velocity gives are those of the fastest shortening, or stretching as fast."""
    f = np.clip(force, 0.0, ECCENTRIC)
    slow = (f - 1.0) / (1.0 + SHAPE * f)
    over = np.maximum(f - ECCENTRIC, 1.0 - ECCENTRIC) / (ECCENTRIC - 1.0)  # -1 at rest, 0 as fast as shortening
    return np.where(f < 1.0, slow, (1.0 + over) / (1.0 - SLOPE * SHAPE * over))
