"""Forces at the centres of mass and torques about them, of all bodies: a table (N, 6)."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import jit

WRENCH = 6
_TORQUE = 3


@jit
def force_on(wrenches, i):
    """Force on body i [N]."""
    return (wrenches[i, 0], wrenches[i, 1], wrenches[i, 2])


@jit
def torque_on(wrenches, i):
    """Torque on body i about its centre of mass [N m]."""
    return (wrenches[i, _TORQUE], wrenches[i, _TORQUE + 1], wrenches[i, _TORQUE + 2])


@jit
def write_wrench(wrenches, i, force, torque):
    """Set the force on body i and the torque about its centre of mass."""
    wrenches[i, 0], wrenches[i, 1], wrenches[i, 2] = force
    wrenches[i, _TORQUE], wrenches[i, _TORQUE + 1], wrenches[i, _TORQUE + 2] = torque


@jit
def push(wrenches, i, force, torque):
    """Add a force and a torque about the centre of mass to body i."""
    for c in range(3):
        wrenches[i, c] += force[c]
        wrenches[i, _TORQUE + c] += torque[c]


@jit
def weigh(wrenches, mass, gravity, i):
    """Set the wrench of body i to its weight."""
    for c in range(3):
        wrenches[i, c], wrenches[i, _TORQUE + c] = mass * gravity[c], 0.0


@jit
def add_all(wrenches, more):
    """Add the second table to the first."""
    for i in range(wrenches.shape[0]):
        for c in range(WRENCH):
            wrenches[i, c] += more[i, c]


def no_wrenches(count: int) -> np.ndarray:
    """A table of zeros."""
    return np.zeros((count, WRENCH))


def add_load(wrenches: np.ndarray, i: int, force: np.ndarray, torque: np.ndarray) -> None:
    """Add a force and a torque to body i, from Python."""
    wrenches[i, :_TORQUE] += force
    wrenches[i, _TORQUE:] += torque
