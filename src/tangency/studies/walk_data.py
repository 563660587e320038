"""One measured cycle of walking: paths of the feet, ground reactions, and the angles of the legs that follow."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline
from scipy.signal import butter, filtfilt

from .foot_gait import _beside, _columns, _flat, _forces_file, _marker, _slope
from .foot_shapes import SOLE
from .walker import ANKLE, GRAVITY, SHANK, THIGH

HEIGHT = 1.80  # of the body [m], which the data do not contain
STRAIGHT = 0.992  # largest distance of hip and ankle, relative to thigh and shank
LOADED = 30.0  # vertical force above which a foot is on the ground [N]
FORCE_CUTOFF = 20.0  # of the filter for the forces [Hz]


class Cycle(NamedTuple):
    """A cycle from one contact of the right heel to the next, on a ground that does not move."""

    time: np.ndarray  #: (n,) from 0 [s]
    force: np.ndarray  #: (n, 2, 2) on the right and left foot; forward and up [N]
    ball: np.ndarray  #: (n, 2, 2) ball of the right and left foot; x and z [m]
    pitch: np.ndarray  #: (n, 2, 2) of the right and left foot; hind foot and toes [rad]
    hip: np.ndarray  #: (n, 2) x and z of the hip, from the motion of the centre of mass [m]
    angles: np.ndarray  #: (n, 2, 5) of hip, knee, ankle, mid-foot and toes [rad]
    mass: float  #: [kg]
    speed: float  #: of walking [m/s]


def measured_cycle(path: str, nodes: float = 0.01) -> Cycle:
    """The cycle of a file of ground reactions and of the markers beside it, as `foot_gait.measured` reads them.

    The person walks on a treadmill, whose speed is that of the feet on the ground.  The hip is taken to move as the
    centre of mass, whose motion follows from the forces, at the highest place that does not overstretch the legs:
    markers of shank, thigh and trunk are not part of the data.
    """
    file = _forces_file(Path(path))
    force, marker = _columns(file), _columns(_beside(file))
    clock, times = force["time"], marker["time"]
    sides = [[force[f"{side}ground_force_v{c}"] for c in "xy"] for side in ("", "1_")]
    raw = np.array(sides).transpose(2, 0, 1)
    start, end = _strikes(clock, raw[:, 0, 1])
    once = (clock >= start) & (clock < end)
    mass = float(raw[once][:, :, 1].sum(axis=1).mean()) / GRAVITY
    smooth = filtfilt(*butter(2, FORCE_CUTOFF / (0.5 / float(np.median(np.diff(clock))))), raw, axis=0)
    feet, speeds = [], []
    for side in "RL":
        heel, ball, tip = (_marker(marker, f"{side}.{name}", times) for name in ("Heel", "Toe", "Toe.Tip"))
        flat = _flat(heel, ball)
        speeds.append(-np.median(np.gradient(ball[:, 0], times)[flat]))
        pitch, toe = _slope(ball - heel), _slope(tip - ball)
        pitch, toe = pitch - np.median(pitch[flat]), toe - np.median(toe[flat])
        lift = float(np.median(ball[flat, 1])) + SOLE
        joint = ball - lift * np.stack([-np.sin(pitch), np.cos(pitch)], axis=1)
        feet.append(np.column_stack([joint, pitch, toe]))
    speed, time = float(np.mean(speeds)), np.arange(0.0, end - start + 0.5 * nodes, nodes)
    path_of = CubicSpline(times, np.stack(feet, axis=1))
    placed = path_of(time + start)
    placed[:, :, 0] += speed * time[:, None]
    reaction = np.stack([np.interp(time + start, clock, c) for c in smooth.reshape(len(clock), 4).T], axis=1)
    hip = _hip(clock, smooth, mass, time + start) + np.outer(time, [speed, 0.0])
    angles, hip = _angles(placed, hip)
    return Cycle(time, reaction.reshape(-1, 2, 2), placed[..., :2], placed[..., 2:], hip, angles, mass, speed)


def _strikes(time: np.ndarray, up: np.ndarray) -> tuple[float, float]:
    """Two successive times at which the right foot touches the ground."""
    begins = time[1:][(up[1:] > LOADED) & (up[:-1] <= LOADED)]
    begins = begins[np.concatenate([[True], np.diff(begins) > 0.5])] if len(begins) else begins
    if len(begins) < 2:
        raise ValueError(f"the data must contain two contacts of the right heel, got {len(begins)}")
    return float(begins[0]), float(begins[1])


def _hip(clock: np.ndarray, force: np.ndarray, mass: float, time: np.ndarray) -> np.ndarray:
    """Motion of the centre of mass about its mean, relative to the treadmill."""
    total = force.sum(axis=1) / mass - np.array([0.0, GRAVITY])
    twice = cumulative_trapezoid(cumulative_trapezoid(total, clock, axis=0, initial=0.0), clock, axis=0, initial=0.0)
    out = np.empty((len(time), 2))
    for c in range(2):
        drift = np.polynomial.Polynomial.fit(clock, twice[:, c], 3)
        out[:, c] = np.interp(time, clock, twice[:, c] - drift(clock))
    return out


def _angles(feet: np.ndarray, hip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles of both legs (n, 2, 5), and the hip at the place that fits the legs."""
    pitch, toes = feet[..., 2], feet[..., 3]
    c, s = np.cos(pitch), np.sin(pitch)
    ankle = feet[..., :2] + np.stack([c * ANKLE[0] - s * ANKLE[1], s * ANKLE[0] + c * ANKLE[1]], axis=-1)
    upper, lower = THIGH[1] * HEIGHT, SHANK[1] * HEIGHT
    hip = hip + np.array([float((ankle[..., 0].mean(axis=1) - hip[:, 0]).mean()), 0.0])
    # Of all places, the hip takes that at which it can be highest, with the most stretched leg nearly straight.
    best = max(
        (float((np.sqrt(np.maximum((STRAIGHT * (upper + lower)) ** 2 - (ankle[..., 0] - hip[:, None, 0] - x) ** 2, 0.0))
                + ankle[..., 1] - hip[:, None, 1]).min()), float(x))
        for x in np.linspace(-0.2, 0.2, 201)
    )  # fmt: skip
    hip = hip + np.array([best[1], best[0]])
    way = ankle - hip[:, None]
    far = np.linalg.norm(way, axis=-1)
    bend = np.pi - np.arccos(np.clip((upper**2 + lower**2 - far**2) / (2 * upper * lower), -1.0, 1.0))
    aside = np.arcsin(np.clip(lower * np.sin(bend) / far, -1.0, 1.0))
    thigh = np.arctan2(way[..., 0], -way[..., 1]) + aside
    ankles = pitch - thigh + bend
    return np.stack([thigh, -bend, ankles, np.zeros_like(pitch), toes - pitch], axis=-1), hip
