"""Excitations of the muscles of a leg that give its torques along a motion.

Stretches of the tendons and activations are splines of time.  At every node, the tendons must have the torques of hip,
knee and ankle, fibre and tendon must carry the same force, and the excitations must lie between 0 and 1; of all such
splines, those with the least squares of activations are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from .muscles import (
    FASTEST,
    FORCE,
    LEAST,
    MUSCLES,
    OPTIMUM,
    SLACK,
    STRAIN,
    TAU,
    force_velocity,
    geometry,
    strength,
    tendon_force,
)
from .spline_fit import SplineFit

KNOT = 0.03  # distance of the knots of the splines [s]
SHORTEST, LONGEST = 0.45, 1.6  # of the fibres, in units of the optimum
#: Deviations that count as one: torque [N m], force [largest force], activation, what lies beyond a limit; roughness.
SCALES = {"torque": 2.0, "force": 0.005, "effort": 1.0, "limit": 0.01, "rate": 40.0}
EASES = (20.0, 4.0, 1.0)  # factors on the scales of torque and force, one fit after the other
ITERATIONS = 60  # of each fit, at most


class Excitations(NamedTuple):
    """Muscles of a leg over time."""

    time: np.ndarray  #: (n,)
    excitation: np.ndarray  #: (n, 9)
    activation: np.ndarray  #: (n, 9)
    fibre: np.ndarray  #: (n, 9) lengths [m]
    torque: np.ndarray  #: (n, 3) of hip, knee and ankle [N m]
    missing: np.ndarray  #: (n, 3) torques that the muscles do not reach [N m]


class Leg:
    """The motion of a leg and the torques that its muscles are to have."""

    def __init__(self, time: np.ndarray, joints: np.ndarray, torque: np.ndarray) -> None:
        self.time, self.torque = time, torque
        self.length, self.arms = geometry(joints)
        self.rate = CubicSpline(time, self.length, axis=0)(time, 1)
        self.spline = SplineFit(time, KNOT, 2 * len(MUSCLES), orders=2)
        self._ease = 1.0

    def fibres(self, stretch: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths [optimum] and velocities [fastest shortening] of the fibres, for tendons in units of `STRAIN`."""
        length = (self.length - SLACK * (1.0 + STRAIN * stretch)) / OPTIMUM
        return length, (self.rate - SLACK * STRAIN * rate) / OPTIMUM / FASTEST

    def torques(self, stretch: np.ndarray) -> np.ndarray:
        """Torques of hip, knee and ankle (n, 3) [N m]."""
        return np.einsum("njm,nm->nj", self.arms, FORCE * tendon_force(stretch))

    def residuals(self, value: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Weighted deviations (n, m) at the nodes; columns are stretches of all muscles, then activations."""
        (stretch, a), (pull, change) = np.split(value, 2, axis=1), np.split(rate, 2, axis=1)
        length, velocity = self.fibres(stretch, pull)
        carried = force_velocity(velocity) * strength(a, length)
        excitation = a + TAU * change
        limits = [_beyond(a, LEAST, 1.0), _beyond(excitation, 0.0, 1.0), _beyond(length, SHORTEST, LONGEST)]
        parts = [
            (self.torques(stretch) - self.torque) / SCALES["torque"] / self._ease,
            (tendon_force(stretch) - carried) / SCALES["force"] / self._ease,
            a / SCALES["effort"],
            *(part / SCALES["limit"] for part in (*limits, np.maximum(-stretch, 0.0))),
            change / SCALES["rate"],
        ]
        return np.concatenate(parts, axis=1)

    def excitations(self, report: Callable[[int, float], None]) -> Excitations:
        """The excitations with the least activations."""
        count = len(MUSCLES)
        # Start from fibres at rest with a low activation, as far as the lengths of the muscles allow.
        slack = (self.length - OPTIMUM - SLACK) / (SLACK * STRAIN)
        start = np.concatenate([np.clip(slack, 0.1, 0.6), np.full((len(self.time), count), 0.1)], axis=1)
        c = self.spline.nearest(start)
        for ease in EASES:
            self._ease = ease
            c = self.spline.improved(self.residuals, c, ITERATIONS, report=report)
        (stretch, a), (_, change) = (np.split(x, 2, axis=1) for x in self.spline.states(c))
        fibre = self.length - SLACK * (1.0 + STRAIN * stretch)
        torque = self.torques(stretch)
        return Excitations(self.time, a + TAU * change, a, fibre, torque, self.torque - torque)


def _beyond(value: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.maximum(low - value, 0.0) + np.maximum(value - high, 0.0)
