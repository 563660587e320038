"""Default step of the fast mode, from stiffness, masses and speeds of a world."""

from __future__ import annotations

import math

import numpy as np

from ..assembly import Assembly
from ..contact.scale import contact_time
from ..spring import DAMPING, STIFFNESS
from ..state import INVERSE_MASS, MASS, PLACE, VELOCITY
from .friction_step import friction_step
from .runner import FastRunner

WAY_PER_STEP = 0.1  # largest displacement in one step, in radii of the smallest body
STEPS_PER_CONTACT = 52.0  # in the duration of a contact
MAX_SHORTER = 30.0  # largest factor by which stiff friction shortens the step; a run that needs more warns


def suggested_step(assembly: Assembly, duration: float) -> float:
    """Step that resolves the contacts [s]: 1/52 of the duration of the shortest contact.

    Estimated from the law, the lightest body and the largest speed expected from the initial state: the initial speed,
    that of a fall through the extent of the scene, or that from the energy of springs and contacts.  Friction that is
    stiffer near rest than the normal law shortens it, up to a limit.  To check it, halve the step.
    """
    free = assembly.free
    if not free.any():
        return duration / 100.0
    start = assembly.start[free]
    extent = float(np.ptp(start[:, PLACE], axis=0).max() + 2.0 * assembly.reach.max(initial=0.0))
    fall = math.sqrt(2.0 * float(np.linalg.norm(assembly.gravity)) * extent)
    stored = FastRunner(assembly, step=duration, skin=1e-6 * (extent or 1.0)).stored()
    released = math.sqrt(2.0 * float((stored * assembly.inertia[:, INVERSE_MASS]).max()))
    speed = max(float(np.linalg.norm(start[:, VELOCITY], axis=1).max()), fall, released, 1e-3)
    mass, reach = float(assembly.inertia[free, MASS].min()), float(assembly.reach[free].max(initial=0.0)) or 1.0
    shortest = duration
    for k in range(len(assembly.laws.kinds)):
        lasts, damping = contact_time(assembly.laws, k, mass, speed, 1.0 / reach)
        shortest = min(shortest, lasts)
        if damping > 0.0:
            shortest = min(shortest, 10.0 * mass / damping)
    for (i, j), spring in zip(assembly.ends, assembly.springs):
        masses = [assembly.inertia[k, MASS] for k in (i, j) if k >= 0 and free[k]]
        if masses and spring[STIFFNESS] > 0.0:
            shortest = min(shortest, math.pi * math.sqrt(min(masses) / spring[STIFFNESS]))
        if masses and spring[DAMPING] > 0.0:
            shortest = min(shortest, 10.0 * min(masses) / spring[DAMPING])
    shortest = max(min(shortest, STEPS_PER_CONTACT * friction_step(assembly)), shortest / MAX_SHORTER)
    turn = assembly.spins(assembly.start)
    fastest = float(np.linalg.norm(turn, axis=1).max())
    if fastest > 0.0:
        shortest = min(shortest, 2.0 * math.pi / fastest)
    if len(assembly.laws.kinds):  # bodies must not pass through each other undetected
        sizes = assembly.reach[free & (assembly.reach > 0.0)]
        shortest = min(shortest, STEPS_PER_CONTACT * WAY_PER_STEP * float(sizes.min(initial=math.inf)) / speed)
    return shortest / STEPS_PER_CONTACT
