"""The person driven by muscles: excitations in, torques out, in the same simulation.

The activations follow from the excitations alone.  Each fibre has one state more, its length, whose rate follows from
the force of its tendon and hence from the joints.  It is kept as the velocity of a unit mass that slides along an axis,
pushed by just that rate: so the integrator treats it as everything else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from ...dynamics import Link
from ...io.progress import Progress
from ..gait_files import GRAVITY
from .excitations import Excitations
from .feedback import Plan
from .muscles import (
    FASTEST,
    FORCE,
    LEAST,
    MUSCLES,
    OPTIMUM,
    SLACK,
    STRAIN,
    TAU,
    fibre_velocity,
    geometry,
    strength,
    tendon_force,
)
from .person import SIDES, actuated, person, world
from .simulation import Walk, correction, run
from .tracking import Tracker

WEAKEST = 1e-3  # strength below which a fibre is not asked for a velocity
AXES = 3  # of a unit mass


class MuscleDrive:
    """Muscles of both legs under given excitations."""

    def __init__(self, legs: list[Excitations]) -> None:
        self.start = np.array([leg.fibre[0] for leg in legs])
        curves = np.stack([activations(leg) for leg in legs], axis=1)
        self.activation = CubicSpline(legs[0].time, np.clip(curves, LEAST, 1.0))

    def rates(self, time: float, joints: np.ndarray, fibre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of the lengths of fibres (2, 9) [m/s] and torques (2, 3) [N m], for the joints of both legs (2, 3)."""
        length, arms = geometry(joints)
        force = tendon_force((length - fibre - SLACK) / (SLACK * STRAIN))
        strong = np.maximum(strength(self.activation(time), fibre / OPTIMUM), WEAKEST)
        return OPTIMUM * FASTEST * fibre_velocity(force / strong), np.einsum("sjm,sm->sj", arms, FORCE * force)


def activations(leg: Excitations) -> np.ndarray:
    """Activations (n, 9) over time: the solution of a' = (u - a) / TAU from the first activation on."""
    excitation = CubicSpline(leg.time, np.clip(leg.excitation, 0.0, 1.0))
    found = solve_ivp(
        lambda t, a: (excitation(t) - a) / TAU, (leg.time[0], leg.time[-1]), leg.activation[0], "LSODA", leg.time,
        rtol=1e-8, atol=1e-9,
    )  # fmt: skip
    return found.y.T


def guides(sides: tuple[str, ...]) -> list[Link]:
    """Unit masses on guides, with three fibres each."""
    parts = range(len(MUSCLES) // AXES)
    return [
        Link(f"{side} fibres {k + 1}", joint="translation", mass=1.0, inertia=[1.0] * 3)
        for side in sides
        for k in parts
    ]


def muscle_walk(
    tracker: Tracker, plan: Plan, legs: list[Excitations], progress: Progress, name: str, duration: float | None = None
) -> Walk:
    """Simulate the person with muscles and the feedback of a plan."""
    drive, own, size = MuscleDrive(legs), actuated(), tracker.nv
    carried = np.tile([0.0, 0.0, GRAVITY], len(drive.start.ravel()) // AXES)  # the weight of the unit masses

    def torque(time: float, state: Any) -> np.ndarray:
        q, v = state.position[:size], state.velocity[:size]
        rate, given = drive.rates(time, q[own].reshape(2, -1), state.velocity[size:].reshape(2, -1))
        out = np.zeros(size)
        out[own] = given.ravel() + correction(plan, time, q, v)
        return np.concatenate([out, rate.ravel() + carried])

    q, v = np.split(plan.wanted(0.0)[0], 2)
    lengths = drive.start.ravel()
    mechanism = person(
        tracker.foot,
        tracker.cycle.mass,
        tracker.height,
        guides(SIDES),
        position=np.concatenate([q, np.zeros(len(lengths))]),
        velocity=np.concatenate([v, lengths]),
        torque=torque,
    )
    return run(world(tracker.foot, mechanism), plan, progress, name, duration)
