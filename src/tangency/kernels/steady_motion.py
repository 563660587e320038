"""Steady motion of a rigid body: constant angular velocity, and a reference point on a line or on a helix.

A motion is a table of *segments*, one row of `SEGMENT` numbers each: the start time, orientation and position of the
body at that time, velocity of its reference point, angular velocity (both in the world), and whether the velocity turns
with the body (a screw, 1) or is constant (0).  Only this file depends on their order.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import entry, jit
from .vectors import axpy, cross, dot, norm, scale

SEGMENT = 20
SMALL = 1e-2  # angle below which a series is more accurate than the closed form


class Segment(NamedTuple):
    """One row of a table of segments."""

    start: float
    turn: Any  #: orientation at the start, a 9-tuple
    home: Any  #: position of the reference point at the start
    velocity: Any  #: of the reference point at the start
    spin: Any  #: angular velocity
    screw: float


def segment_rows(
    start: np.ndarray, turn: np.ndarray, home: np.ndarray, velocity: np.ndarray, spin: np.ndarray, screw: float
) -> np.ndarray:
    """Rows (..., SEGMENT) of segments of equal leading shapes; `turn` is (..., 3, 3)."""
    parts = (start[..., None], turn.reshape(*turn.shape[:-2], 9), home, velocity, spin)
    leading = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    columns = [np.broadcast_to(part, (*leading, part.shape[-1])) for part in parts]
    return np.concatenate([*columns, np.full((*leading, 1), screw)], axis=-1)


@jit
def segment_at(rows, i):
    """Row i of a table of segments."""
    r = rows[i]
    turn = (r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9])
    return Segment(r[0], turn, (r[10], r[11], r[12]), (r[13], r[14], r[15]), (r[16], r[17], r[18]), r[19])


@jit
def segment_start(rows, i):
    """Start time of row i."""
    return rows[i, 0]


@jit
def segment_of(rows, first, count, t):
    """Number of the segment, of `count` from `first` on, to which the time t belongs, and its end."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if segment_start(rows, first + middle) <= t:
            low = middle
        else:
            high = middle
    return first + low, segment_start(rows, first + high) if high < count else 1e300


@jit
def rotated(v, axis, sine, versine):
    """v turned about a unit axis by an angle with this sine and 1 - cosine (Rodrigues)."""
    u = cross(axis, v)
    return axpy(axpy(v, sine, u), versine, cross(axis, u))


@jit
def turned(matrix, axis, sine, versine):
    """The columns of a rotation matrix, turned in the same way."""
    a = rotated((matrix[0], matrix[3], matrix[6]), axis, sine, versine)
    b = rotated((matrix[1], matrix[4], matrix[7]), axis, sine, versine)
    c = rotated((matrix[2], matrix[5], matrix[8]), axis, sine, versine)
    return (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])


@jit
def _along_helix(velocity, axis, angle, time):
    """Displacement in `time` of a point whose velocity turns about a unit axis by `angle` meanwhile."""
    # velocity time + (1 - cos) / angle (axis x v) time + (1 - sin / angle) axis x (axis x v) time
    if abs(angle) < SMALL:
        q = angle * angle
        first = angle * (0.5 - q / 24.0 * (1.0 - q / 30.0))
        second = q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0))
    else:
        half = math.sin(0.5 * angle)
        first, second = 2.0 * half * half / angle, 1.0 - math.sin(angle) / angle
    u = cross(axis, velocity)
    return scale(axpy(axpy(velocity, first, u), second, cross(axis, u)), time)


class Stance(NamedTuple):
    """Where a body of a segment is at a time, and how it moves."""

    turn: Any
    shift: Any  #: displacement of the reference point since the start of the segment
    velocity: Any


@jit
def stance_at(segment, t):
    """The `Stance` at time t."""
    time, rate = t - segment.start, norm(segment.spin)
    if not rate > 0.0:
        return Stance(segment.turn, scale(segment.velocity, time), segment.velocity)
    angle, axis = rate * time, scale(segment.spin, 1.0 / rate)
    half = math.sin(0.5 * angle)
    sine, versine = math.sin(angle), 2.0 * half * half
    turn = turned(segment.turn, axis, sine, versine)
    if segment.screw == 0.0:
        return Stance(turn, scale(segment.velocity, time), segment.velocity)
    shift = _along_helix(segment.velocity, axis, angle, time)
    return Stance(turn, shift, rotated(segment.velocity, axis, sine, versine))


@jit
def acceleration_of(segment, velocity):
    """Acceleration of the reference point when it has this velocity."""
    return scale(cross(segment.spin, velocity), segment.screw)


@jit
def axis_velocity(segment):
    """Velocity of the reference point without its circling about the axis: constant over the segment."""
    square = dot(segment.spin, segment.spin)
    if segment.screw == 0.0 or not square > 0.0:
        return segment.velocity
    return scale(segment.spin, dot(segment.spin, segment.velocity) / square)


@jit
def arm_of(segment, velocity):
    """From the axis of a screw to the reference point, when that has this velocity; zero if it does not circle."""
    square = dot(segment.spin, segment.spin)
    if segment.screw == 0.0 or not square > 0.0:
        return (0.0, 0.0, 0.0)
    return scale(cross(segment.spin, velocity), -1.0 / square)


@jit
def position_of(segment, stance):
    """Position of the reference point in the world."""
    return axpy(segment.home, 1.0, stance.shift)


MOMENT = 18  # numbers per moment: the pose [R | t] row by row, velocity, angular velocity


@entry
def moments(rows, segments, motions, times, out):
    """Poses and velocities of motions number `motions[k]`, with so many segments each, at the times `times[k]`."""
    for k in range(times.size):
        first = motions[k] * segments
        segment = segment_at(rows, segment_of(rows, first, segments, times[k])[0])
        stance = stance_at(segment, times[k])
        home = position_of(segment, stance)
        for i in range(3):
            for j in range(3):
                out[k, 4 * i + j] = stance.turn[3 * i + j]
            out[k, 4 * i + 3] = home[i]
            out[k, 12 + i], out[k, 15 + i] = stance.velocity[i], segment.spin[i]
