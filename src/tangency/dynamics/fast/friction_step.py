"""Longest step of the fast mode in which friction holds a body at rest."""

from __future__ import annotations

import math

import numpy as np

from ...shapes.bounds import box_of
from ..assembly import Assembly
from ..contact.forces import DAMPED_PER_STEP
from ..contact.friction_scale import friction_scale
from ..state import INVERSE_MASS, INVERSE_MOMENTS, MASS

BRISTLE_ANGLE = 0.2  # change of phase of a sticking body in one step [rad]


def friction_step(assembly: Assembly) -> float:
    """Longest step in which friction neither reverses the slip of a body at rest nor is weakened [s].

    Friction c slip stops the mass m within the time m / c, bristles of the stiffness k within sqrt(m / k).  c is
    proportional to the normal force; n bodies may come to lie in a heap that is cbrt(n) bodies high, and the lowest one
    then bears the weight of so many.
    """
    free = assembly.free
    felt = tangential_masses(assembly)[free]
    lightest = int(felt.argmin())
    weight = float(np.linalg.norm(assembly.gravity)) * float(assembly.inertia[free, MASS][lightest])
    load = weight * math.cbrt(np.count_nonzero(free))
    longest = math.inf
    for k in range(len(assembly.laws.kinds)):
        damping, stiffness = friction_scale(assembly.laws, k, load)
        if damping > 0.0:
            longest = min(longest, DAMPED_PER_STEP * felt[lightest] / damping)
        if stiffness > 0.0:
            longest = min(longest, BRISTLE_ANGLE * math.sqrt(felt[lightest] / stiffness))
    return longest


def tangential_masses(assembly: Assembly) -> np.ndarray:
    """Lower bound on the effective mass of each free body for a force at its surface [kg]; inf for other bodies."""
    half, centre = box_of(assembly.bounds)
    local = assembly.local.reshape(-1, 3, 4)
    middle = local[:, :, 3] + np.einsum("pij,pj->pi", local[:, :, :3], centre)
    corner = np.abs(middle) + np.einsum("pij,pj->pi", np.abs(local[:, :, :3]), half)
    extent = np.zeros((len(assembly.names), 3))
    np.maximum.at(extent, assembly.owner, corner)
    square = extent**2
    # Square of the largest lever of a force about each principal axis.
    lever = np.minimum(square.sum(axis=1, keepdims=True) - square, assembly.reach[:, None] ** 2)
    light = assembly.inertia[:, INVERSE_MASS] + (lever * assembly.inertia[:, INVERSE_MOMENTS]).max(axis=1)
    with np.errstate(divide="ignore"):
        return np.where(assembly.free, 1.0 / light, np.inf)
