"""Feedback that keeps a fitted motion from diverging: walking is unstable without one.

The accelerations are linearised about the motion, contacts included, and the linear-quadratic regulator of the discrete
system gives gains of all joints and velocities for each instant: small deviations are penalised in units of
`DEVIATION`, torques in units of `TORQUE`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import expm

from .person import actuated
from .tracking import Motion, Tracker

STEP = 0.005  # between two gains [s]
INCREMENT = 1e-6  # of the differences
DEVIATION = (0.02, 0.5)  # of a joint [m or rad], of its rate
TORQUE = 10.0  # [N m]


class Plan(NamedTuple):
    """Torques of a motion and gains about it, as functions of time."""

    motion: Motion  #: on a fine grid
    gain: np.ndarray  #: (n, 6, 26)
    curve: CubicSpline  #: positions, velocities, torques of actuators and gains

    def wanted(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """State (26,), torques (6,) and gains (6, 26)."""
        row = self.curve(min(max(time, 0.0), float(self.motion.time[-1])))
        state = 2 * self.motion.q.shape[1]
        count = self.gain.shape[1]
        return row[:state], row[state : state + count], row[state + count :].reshape(count, state)


def plan(tracker: Tracker, coefficients: np.ndarray) -> Plan:
    """Torques and gains of a fitted motion."""
    end, own = float(tracker.cycle.time[-1]), actuated()
    motion = tracker.motion(coefficients, np.linspace(0.0, end, round(end / STEP) + 1))
    driven = np.zeros_like(motion.torque)
    driven[:, own] = motion.torque[:, own]
    by_state, by_torque = linearised(tracker, motion, driven)
    gain = regulator(by_state, by_torque, float(motion.time[1] - motion.time[0]))
    table = np.concatenate([motion.q, motion.v, motion.torque[:, own], gain.reshape(len(gain), -1)], axis=1)
    return Plan(motion, gain, CubicSpline(motion.time, table))


def linearised(tracker: Tracker, motion: Motion, torque: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the rate of the state by the state (n, 26, 26) and by the torques of actuators (n, 26, 6)."""
    n, size = motion.q.shape
    own = actuated()
    by_state, by_torque = np.zeros((n, 2 * size, 2 * size)), np.zeros((n, 2 * size, len(own)))
    by_state[:, :size, size:] = np.eye(size)
    for d in range(size):
        for place, part in ((d, 0), (size + d, 1)):
            ends = []
            for sign in (1.0, -1.0):
                moved = [motion.q.copy(), motion.v.copy()]
                moved[part][:, d] += sign * INCREMENT
                ends.append(tracker.accelerations(moved[0], moved[1], torque))
            by_state[:, size:, place] = (ends[0] - ends[1]) / (2.0 * INCREMENT)
    here = tracker.accelerations(motion.q, motion.v, torque)
    for k, d in enumerate(own):
        more = torque.copy()
        more[:, d] += 1.0  # the accelerations are linear in the torques
        by_torque[:, size:, k] = tracker.accelerations(motion.q, motion.v, more) - here
    return by_state, by_torque


def regulator(by_state: np.ndarray, by_torque: np.ndarray, step: float) -> np.ndarray:
    """Gains (n, m, s) of the linear-quadratic regulator of rates that are constant within each step."""
    n, size, count = by_torque.shape
    weight = np.diag(1.0 / np.repeat(DEVIATION, size // 2) ** 2)
    effort = np.eye(count) / TORQUE**2
    gain, cost = np.empty((n, count, size)), weight.copy()
    for k in range(n - 1, -1, -1):
        whole = np.zeros((size + count, size + count))
        whole[:size, :size], whole[:size, size:] = by_state[k], by_torque[k]
        moved = expm(step * whole)
        a, b = moved[:size, :size], moved[:size, size:]
        gain[k] = np.linalg.solve(effort + b.T @ cost @ b, b.T @ cost @ a)
        cost = weight + a.T @ cost @ (a - b @ gain[k])
        cost = 0.5 * (cost + cost.T)
    return gain
