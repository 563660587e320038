"""Motion of the feet relative to the trunk, as functions of time: an artificial gait, or one from measured markers.

A gait is a spline with eight columns: x and z of the ball of the foot, pitch of the hind foot and pitch of the toes,
for the right foot, then for the left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline

from .foot_shapes import SOLE, lowest
from .gait_files import GRAVITY, Recording, read_recording

SIDES = ("right", "left")
PERIOD, SPEED, BOB = 1.2, 1.15, 0.02  # of the artificial gait [s], [m/s]; amplitude of the trunk's height [m]
STANCE, MIDSTANCE, CLEARANCE = 0.62, 0.22, 0.03  # fractions of the cycle; height of the swing foot [m]


class Reactions(NamedTuple):
    """Measured ground reactions."""

    time: np.ndarray  #: (n,) from the start of the gait [s]
    force: np.ndarray  #: (n, 2, 2) right and left; forward and up [N]


@dataclass(frozen=True)
class Gait:
    """Motion of both feet relative to the trunk."""

    path: CubicSpline  #: function of the time since the start, eight columns
    duration: float  #: of the simulated walk [s]
    mass: float  #: of the whole body [kg]
    standing: int  #: the foot on the ground at the start: 0 right, 1 left
    measured: Reactions | None = None
    _rate: CubicSpline = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rate", self.path.derivative())

    def at(self, time: float) -> tuple[list[float], list[float]]:
        """The eight columns and their rates."""
        return self.path(time).tolist(), self._rate(time).tolist()


def artificial(cycles: int) -> Gait:
    """A smooth periodic gait: heel strike, flat foot, heel and toe rise, swing; stance moves with the ground."""
    phase = np.array([0, 0.06, 0.12, 0.2, 0.3, 0.38, 0.46, 0.54, 0.62, 0.7, 0.78, 0.86, 0.93, 1])
    hind = np.radians([20, 9, 1, 0, 0, -4, -14, -32, -58, -62, -38, -8, 16, 20])
    toes = np.radians([24, 11, 2, 0, 0, 0, 0, -4, -26, -42, -26, 0, 20, 24])
    u = np.linspace(0.0, 1.0, 121)
    pitch, toe = (CubicSpline(phase, v, bc_type="periodic")(u) for v in (hind, toes))
    swing = np.clip((u - STANCE) / (1.0 - STANCE), 0.0, 1.0)
    z = np.array([max(lowest("hind", a), lowest("toes", b)) for a, b in zip(pitch, toe)])
    z += CLEARANCE * np.sin(np.pi * swing) ** 2
    # Rolling without slip: the origin moves by height times rotation, first of the heel, then of the toes.
    rolled = z * np.where(u < 0.3, pitch, toe)
    x = 0.3 - SPEED * PERIOD * u - np.where(u <= STANCE, rolled, rolled[u <= STANCE][-1])
    x += swing**3 * (10.0 - 15.0 * swing + 6.0 * swing**2) * (x[0] - x[-1])
    foot = np.stack([x, z, pitch, toe], axis=1)
    foot[-1] = foot[0]
    one = CubicSpline(u, foot, bc_type="periodic")
    time = np.linspace(0.0, PERIOD, 241)
    start = time / PERIOD + MIDSTANCE
    both = np.concatenate([one(start % 1.0), one((start + 0.5) % 1.0)], axis=1)
    both[:, [1, 5]] += BOB * np.cos(4.0 * math.pi * (start - 0.05))[:, None]  # trunk lowest in double support
    both[-1] = both[0]
    return Gait(CubicSpline(time, both, bc_type="periodic"), cycles * PERIOD, 70.0, 0)


def measured(path: str) -> Gait:
    """A recorded gait, see :func:`read_recording` for the files.

    The markers do not include the motion of the trunk, which is computed by integrating the measured force twice.
    """
    recording = read_recording(path)
    time, times, reaction, total = recording.clock, recording.times, recording.force, {}
    mass = float(reaction[:, :, 1].sum(axis=1).mean()) / GRAVITY
    for k, c in enumerate("xy"):
        push = reaction[:, :, k].sum(axis=1) / mass - (GRAVITY if c == "y" else 0.0)
        twice = cumulative_trapezoid(cumulative_trapezoid(push, time, initial=0.0), time, initial=0.0)
        drift = np.polynomial.Polynomial.fit(time, twice, 2)
        total[c] = CubicSpline(time, twice - drift(time))
    feet, flats = [], []
    for side in "RL":
        foot = foot_path(recording, side)
        flats.append(foot.flat)
        feet += [foot.ball[:, 0] - total["x"](times), foot.ball[:, 1] - total["y"](times), foot.pitch, foot.toes]
    # Start with one foot flat and the other in the air.
    alone = [flats[0] & ~_low(feet[5]), flats[1] & ~_low(feet[1])]
    if not any(np.any(own) for own in alone):
        raise ValueError(f"{path}: there is no frame with one foot flat on the ground and the other in the air")
    begins = [int(np.argmax(own)) if own.any() else len(own) for own in alone]
    first, standing = min(begins), begins.index(min(begins))
    start, end = float(times[first]), float(min(times[-1], time[-1]))
    spline = CubicSpline(times - start, np.stack(feet, axis=1))
    return Gait(spline, end - start, mass, standing, Reactions(time - start, reaction))


class FootPath(NamedTuple):
    """Measured path of a foot."""

    ball: np.ndarray  #: (m, 2) x and z of the joint of the toes [m]
    pitch: np.ndarray  #: (m,) of the hind foot [rad]
    toes: np.ndarray  #: (m,) pitch of the toes [rad]
    flat: np.ndarray  #: (m,) whether heel and ball are both on the ground


def foot_path(recording: Recording, side: str) -> FootPath:
    """Path of the right (``R``) or left (``L``) foot from its markers."""
    heel, ball, tip = (recording.marker(f"{side}.{name}") for name in ("Heel", "Toe", "Toe.Tip"))
    pitch, toe = _slope(ball - heel), _slope(tip - ball)
    flat = _low(heel[:, 1]) & _low(ball[:, 1])
    if not flat.any():
        raise ValueError(f"{recording.file}: there is no frame with the foot {side} flat on the ground")
    pitch, toe = pitch - np.median(pitch[flat]), toe - np.median(toe[flat])
    lift = float(np.median(ball[flat, 1])) + SOLE  # of the marker above the joint, with the foot flat on the ground
    return FootPath(ball - lift * np.stack([-np.sin(pitch), np.cos(pitch)], axis=1), pitch, toe, flat)


def _slope(way: np.ndarray) -> np.ndarray:
    return np.arctan2(way[:, 1], way[:, 0])


def _low(height: np.ndarray) -> np.ndarray:
    return height < np.quantile(height, 0.35) + 0.01
