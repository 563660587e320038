"""One cycle of walking to be followed: paths of the feet, ground reactions, and the angles of the legs that follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline
from scipy.signal import butter, filtfilt

from ..foot_gait import BOB, MIDSTANCE, PERIOD, SPEED, STANCE, artificial, foot_path
from ..gait_files import GRAVITY, read_recording
from .foot import JOINTS
from .person import SHANK, THIGH

HEIGHT = 1.80  # of the body [m], which the files do not contain
STRAIGHT = 0.992  # largest distance of hip and ankle, relative to thigh and shank
LOADED = 30.0  # vertical force above which a foot is on the ground [N]
APART = 0.5  # least time between two contacts of a heel [s]
CUTOFF = 20.0  # of the filter for the forces [Hz]
NODE = 0.01  # distance of the nodes [s]
MASS, PEAK, DIP, BRAKE = 70.0, 1.152, 0.3, 0.2  # of the artificial cycle [kg]; forces relative to the weight


class Cycle(NamedTuple):
    """A cycle from one contact of the right heel to the next, on a ground that does not move."""

    time: np.ndarray  #: (n,) from 0 [s]
    force: np.ndarray  #: (n, 2, 2) on the right and left foot; forward and up [N]
    pressure: np.ndarray  #: (n, 2) x of the centres of pressure [m]; not a number where unknown
    ball: np.ndarray  #: (n, 2, 2) ball of the right and left foot; x and z [m]
    pitch: np.ndarray  #: (n, 2, 2) of the right and left foot; hind foot and toes [rad]
    position: np.ndarray  #: (n, 13) joints: hip forward and up, upright trunk, angles of both legs
    mass: float  #: [kg]
    speed: float  #: of walking [m/s]

    @property
    def weight(self) -> float:
        """[N]."""
        return self.mass * GRAVITY


def measured_cycle(path: str) -> Cycle:
    """The first complete cycle of a recording, see :func:`tangency.studies.gait_files.read_recording` for the files.

    The speed of the treadmill is that of the feet on the ground.  The hip is taken to move as the centre of mass, whose
    motion follows from the forces, at the highest place that does not overstretch the legs: markers of shank, thigh and
    trunk are not required.
    """
    recording = read_recording(path)
    clock, times, raw = recording.clock, recording.times, recording.force
    start, end = _strikes(clock, raw[:, 0, 1])
    once = (clock >= start) & (clock < end)
    mass = float(raw[once][:, :, 1].sum(axis=1).mean()) / GRAVITY
    smooth = filtfilt(*butter(2, CUTOFF / (0.5 / float(np.median(np.diff(clock))))), raw, axis=0)
    feet = [foot_path(recording, side) for side in "RL"]
    moving = [-np.median(np.gradient(foot.ball[:, 0], times)[foot.flat]) for foot in feet]
    speed, time = float(np.mean(moving)), np.arange(0.0, end - start + 0.5 * NODE, NODE)
    columns = np.stack([np.column_stack([foot.ball, foot.pitch, foot.toes]) for foot in feet], axis=1)
    placed = CubicSpline(times, columns)(time + start)
    reaction = np.stack([np.interp(time + start, clock, c) for c in smooth.reshape(len(clock), 4).T], axis=1)
    pressure = np.full((len(time), 2), np.nan)
    if recording.pressure is not None:
        for side in range(2):
            pressure[:, side] = np.interp(time + start, clock, recording.pressure[:, side]) + speed * time
    placed[:, :, 0] += speed * time[:, None]
    hip = _centre_of_mass(clock, smooth, mass, time + start) + np.outer(time, [speed, 0.0])
    force = reaction.reshape(-1, 2, 2)
    pressure[force[..., 1] < LOADED] = np.nan
    return Cycle(time, force, pressure, placed[..., :2], placed[..., 2:], _joints(placed, hip), mass, speed)


def artificial_cycle() -> Cycle:
    """A made-up cycle: the artificial gait of the study foot-ground, with forces of the usual form."""
    time = np.arange(0.0, PERIOD + 0.5 * NODE, NODE)
    at = time + (1.0 - MIDSTANCE) * PERIOD  # the right heel strikes at 0
    placed = artificial(1).path(at).reshape(len(time), 2, 4)
    placed[:, :, 0] += SPEED * time[:, None]
    placed[:, :, 1] -= BOB * np.cos(4.0 * np.pi * (at / PERIOD + MIDSTANCE - 0.05))[:, None]  # the feet in the world
    clock = np.arange(-PERIOD, 2.0 * PERIOD, NODE)
    weight = MASS * GRAVITY
    long = weight * np.stack([_usual(clock / PERIOD), _usual(clock / PERIOD + 0.5)], axis=1)
    hip = _centre_of_mass(clock, long, MASS, time) + np.outer(time, [SPEED, 0.0])
    force = weight * np.stack([_usual(time / PERIOD), _usual(time / PERIOD + 0.5)], axis=1)
    unknown = np.full((len(time), 2), np.nan)
    return Cycle(time, force, unknown, placed[..., :2], placed[..., 2:], _joints(placed, hip), MASS, SPEED)


def _usual(phase: np.ndarray) -> np.ndarray:
    """Forward and upward force (n, 2) of a foot, relative to the weight: two humps; it brakes, then pushes."""
    s = np.minimum(np.mod(phase, 1.0) / STANCE, 1.0)
    up = PEAK * (np.sin(np.pi * s) + DIP * np.sin(3.0 * np.pi * s))
    return np.stack([-BRAKE * np.sin(2.0 * np.pi * s) * np.sin(np.pi * s), up], axis=1)


def _strikes(time: np.ndarray, up: np.ndarray) -> tuple[float, float]:
    """Two successive times at which the right foot touches the ground."""
    begins = time[1:][(up[1:] > LOADED) & (up[:-1] <= LOADED)]
    if len(begins):
        begins = begins[np.concatenate([[True], np.diff(begins) > APART])]
    if len(begins) < 2:
        raise ValueError(f"the data must contain two contacts of the right heel, got {len(begins)}")
    return float(begins[0]), float(begins[1])


def _centre_of_mass(clock: np.ndarray, force: np.ndarray, mass: float, time: np.ndarray) -> np.ndarray:
    """Motion of the centre of mass (n, 2) about a steady walk [m]: the force integrated twice."""
    total = force.sum(axis=1) / mass - np.array([0.0, GRAVITY])
    twice = cumulative_trapezoid(cumulative_trapezoid(total, clock, axis=0, initial=0.0), clock, axis=0, initial=0.0)
    columns = []
    for c in range(2):
        drift = np.polynomial.Polynomial.fit(clock, twice[:, c], 3)
        columns.append(np.interp(time, clock, twice[:, c] - drift(clock)))
    return np.stack(columns, axis=1)


def _joints(feet: np.ndarray, hip: np.ndarray) -> np.ndarray:
    """Positions of all joints (n, 13) from the feet and the motion of the hip, whose place follows from the legs."""
    pitch, toes = feet[..., 2], feet[..., 3]
    c, s = np.cos(pitch), np.sin(pitch)
    x, z = JOINTS["calcaneus"]
    ankle = feet[..., :2] + np.stack([c * x - s * z, s * x + c * z], axis=-1)
    upper, lower = THIGH.length * HEIGHT, SHANK.length * HEIGHT
    hip = hip + np.array([float((ankle[..., 0].mean(axis=1) - hip[:, 0]).mean()), 0.0])

    def highest(ahead: float) -> float:
        """Height of the hip at which the most stretched leg is nearly straight, if the hip is moved forward."""
        across = ankle[..., 0] - hip[:, None, 0] - ahead
        reach = np.sqrt(np.maximum((STRAIGHT * (upper + lower)) ** 2 - across**2, 0.0))
        return float((reach + ankle[..., 1] - hip[:, None, 1]).min())

    # Of all places, the hip takes the one at which it can be highest.
    height, ahead = max((highest(x), x) for x in np.linspace(-0.2, 0.2, 201).tolist())
    hip = hip + np.array([ahead, height])
    way = ankle - hip[:, None]
    far = np.linalg.norm(way, axis=-1)
    bend = np.pi - np.arccos(np.clip((upper**2 + lower**2 - far**2) / (2 * upper * lower), -1.0, 1.0))
    thigh = np.arctan2(way[..., 0], -way[..., 1]) + np.arcsin(np.clip(lower * np.sin(bend) / far, -1.0, 1.0))
    legs = np.stack([thigh, -bend, pitch - thigh + bend, np.zeros_like(pitch), toes - pitch], axis=-1)
    return np.concatenate([hip, np.zeros((len(hip), 1)), legs.reshape(len(hip), -1)], axis=1)
