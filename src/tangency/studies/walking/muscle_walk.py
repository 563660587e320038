"""The person driven by muscles: excitations in, torques out, in the same simulation.

The activations follow from the excitations alone.  Each fibre has one state more, its length, whose rate follows from
the force of its tendon and hence from the joints.  It is kept as the velocity of a unit mass on a guide, pushed by just
that rate: so the integrator treats it as everything else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from ...dynamics import Link, Mechanism
from ...io.progress import Progress
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
from .person import SIDES, actuated, world
from .simulation import Walk, correction, placed, run
from .tracking import Tracker

WEAKEST = 1e-3  # strength below which a fibre is not asked for a velocity
TURNING = ("trunk", *(f"{side} {part}" for side in SIDES for part in ("thigh", "shank", "calcaneus")))


class MuscleDrive:
    """Muscles of both legs under given excitations."""

    def __init__(self, legs: list[Excitations]) -> None:
        self.start = np.array([leg.fibre[0] for leg in legs])
        self.activation = [activations(leg) for leg in legs]

    def rates(self, time: float, joints: np.ndarray, fibre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of the lengths of fibres (2, 9) [m/s] and torques (2, 3) [N m], for the joints of both legs (2, 3)."""
        length, arms = geometry(joints)
        force = tendon_force((length - fibre - SLACK) / (SLACK * STRAIN))
        a = np.array([curve(time) for curve in self.activation])
        strong = np.maximum(strength(np.clip(a, LEAST, 1.0), fibre / OPTIMUM), WEAKEST)
        return OPTIMUM * FASTEST * fibre_velocity(force / strong), np.einsum("sjm,sm->sj", arms, FORCE * force)


def activations(leg: Excitations) -> CubicSpline:
    """Activations (9,) as functions of time: the solution of a' = (u - a) / TAU from the first activation on."""
    excitation = CubicSpline(leg.time, np.clip(leg.excitation, 0.0, 1.0))
    found = solve_ivp(
        lambda t, a: (excitation(t) - a) / TAU, (leg.time[0], leg.time[-1]), leg.activation[0], "LSODA", leg.time,
        rtol=1e-8, atol=1e-9,
    )  # fmt: skip
    return CubicSpline(leg.time, found.y.T)


def angles(body: Any) -> np.ndarray:
    """Hips, knees and ankles of both legs (2, 3) from the links of the person."""
    turns = []
    for name in TURNING:
        rotation = body(f"person/{name}").rotation
        turns.append(np.arctan2(rotation[2, 0], rotation[0, 0]))
    trunk, legs = turns[0], np.array(turns[1:]).reshape(2, 3)
    return np.mod(np.diff(legs, axis=1, prepend=trunk) + np.pi, 2.0 * np.pi) - np.pi


def fibre_name(side: str, muscle: int) -> str:
    """Name of the link that carries the length of a fibre."""
    return f"{side} {MUSCLES[muscle].name}"


def muscle_walk(
    tracker: Tracker, plan: Plan, legs: list[Excitations], progress: Progress, name: str, duration: float | None = None
) -> Walk:
    """Simulate the person with muscles and the feedback of a plan."""
    drive, own = MuscleDrive(legs), actuated()
    names = [fibre_name(side, k) for side in SIDES for k in range(len(MUSCLES))]
    guides = [Link(n, joint="prismatic", axis=[1, 0, 0], mass=1.0, inertia=[1.0] * 3) for n in names]

    def lengths(body: Any) -> np.ndarray:
        return np.array([body(f"fibres/{n}").velocity[0] for n in names]).reshape(2, -1)

    def torque(time: float, state: Any) -> np.ndarray:
        out = np.zeros(len(state.velocity))
        joints = state.position[own].reshape(2, 3)
        out[own] = drive.rates(time, joints, lengths(state.body))[1].ravel()
        out[own] += correction(plan, time, state.position, state.velocity)
        return out

    def push(time: float, state: Any) -> np.ndarray:
        return drive.rates(time, angles(state.body), state.velocity.reshape(2, -1))[0].ravel()

    person = placed(tracker, plan, 0.0, torque)
    fibres = Mechanism("fibres", guides, velocity=drive.start.ravel(), torque=push)
    return run(world(tracker.foot, person, fibres), plan, progress, name, duration)
