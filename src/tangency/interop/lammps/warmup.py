"""Compile the steps of a rank ahead of use; LAMMPS is not needed for it."""

from __future__ import annotations

import numpy as np

from ...dynamics import Body, Group, Interaction, World
from ...dynamics.assembly import Assembly
from ...dynamics.fast.contact_steps import new_room
from ...dynamics.fast.tables import NUMBERS, TOTALS, Schedule, Tally, pair_lists
from ...dynamics.impacts import LOG
from ...dynamics.tables import plain
from ...forces.normal_laws import Hertz
from ...shapes import Ellipsoid, HalfSpace
from .carrier import FIELDS, Arrays
from .domain import Whole
from .steps import Steps


def warm() -> None:
    """Take a step of length 0 with two bodies, one of which belongs to another rank."""
    eggs = Group("eggs", Ellipsoid([3.0, 2.0, 1.0]), (None, [[0.0, 0.0, 9.0], [9.0, 0.0, 9.0]]))
    world = World((Body("ground", HalfSpace([0, 0, 1])), eggs), interaction=Interaction(Hertz(stiffness=1.0)))
    one = np.array([0])
    domain = Whole(Assembly(world)).domain(one + 1, one, one + 2, one + 1)
    arrays = Arrays(*(np.zeros((2, width) if width > 1 else 2) for width in FIELDS.values()))
    arrays.quat[:, 0] = 1.0
    tally = Tally(np.zeros(TOTALS), np.zeros(NUMBERS, np.int64), np.zeros((1, LOG)))
    steps = Steps(domain, pair_lists(16, 3), tally, plain(new_room()), arrays, np.zeros((3, 3)))
    steps.depart(0.0)
    steps.receive(domain.others, domain.others_at)
    steps.touch(Schedule(1, 0.0, 0, 1.0, 1.0, False, spatial=False))
    steps.finish(0.0, 1.0, 1.0, False)
