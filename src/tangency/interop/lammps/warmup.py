"""Compile the steps of a rank ahead of use; LAMMPS is not needed for it."""

from __future__ import annotations

import numpy as np

from ...dynamics import Body, Group, Interaction, World
from ...dynamics.assembly import Assembly
from ...dynamics.fast.contact_steps import new_room
from ...dynamics.fast.tables import NUMBERS, TOTALS, Schedule, pair_lists
from ...dynamics.impacts import LOG
from ...dynamics.tables import plain
from ...forces.normal_laws import Hertz
from ...shapes import Ellipsoid, HalfSpace
from .domain import Whole
from .steps import depart, finish, receive, touch


def warm() -> None:
    """Take a step of length 0 with two bodies, one of which belongs to another rank."""
    eggs = Group("eggs", Ellipsoid([3.0, 2.0, 1.0]), (None, [[0.0, 0.0, 9.0], [9.0, 0.0, 9.0]]))
    world = World((Body("ground", HalfSpace([0, 0, 1])), eggs), interaction=Interaction(Hertz(stiffness=1.0)))
    one = np.array([0])
    domain = Whole(Assembly(world)).domain(one + 1, one, one + 2, one + 1)
    tables = tuple(domain.bodies), domain.world
    x, places, velocities, spins, forces = np.zeros((5, 2, 3))
    quaternions, moves = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)), np.zeros(2)
    sent = places, velocities, spins, quaternions, moves
    mine = domain.mine, domain.at
    lists, room = plain(pair_lists(16, 3)), plain(new_room())
    tally = np.zeros(TOTALS), np.zeros(NUMBERS, np.int64), np.zeros((1, LOG))
    schedule = tuple(Schedule(1, 0.0, 0, 1.0, 1.0, False, spatial=False))
    depart(mine, 0.0, *tables, np.zeros((2, 3)), x, sent, domain.works)
    receive(domain.others, domain.others_at, sent, *tables)
    touch(schedule, *tables, lists, tally, room)
    finish(mine, (forces, forces, velocities, spins), 0.0, 1.0, *tables, lists, domain.works)
