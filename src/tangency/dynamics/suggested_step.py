"""The step of the fast mode that the stiffness, masses and speeds of a world suggest."""

from __future__ import annotations

import math

import numpy as np

from .assembly import Assembly
from .contact_scale import contact_time
from .fast import FastRunner
from .spring import DAMPING, STIFFNESS
from .state import INVERSE_MASS, MASS, PLACE, VELOCITY

WAY_PER_STEP = 0.1  # radii of the smallest body that the fastest may go in one step
STEPS_PER_CONTACT = 52.0  # in the time that a contact takes


def suggested_step(assembly: Assembly, duration: float) -> float:
    """Step that resolves the contacts [s]: a 52nd of the time that the quickest contact takes.

    From the law, the lightest body and the largest speed that the start promises: its own, that of a fall through the
    extent of the scene, or that which the energy of springs and contacts gives.  An estimate; halve the step to see
    what it is worth.
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
    turn = assembly.spins(assembly.start)
    fastest = float(np.linalg.norm(turn, axis=1).max())
    if fastest > 0.0:
        shortest = min(shortest, 2.0 * math.pi / fastest)
    if len(assembly.laws.kinds):  # bodies must not pass through each other unseen, either
        sizes = assembly.reach[free & (assembly.reach > 0.0)]
        shortest = min(shortest, STEPS_PER_CONTACT * WAY_PER_STEP * float(sizes.min(initial=math.inf)) / speed)
    return shortest / STEPS_PER_CONTACT
