"""Compile the steps of a rank ahead of use; LAMMPS is not needed for it."""

from __future__ import annotations

import numpy as np

from ...dynamics import Body, Group, Interaction, World
from ...dynamics.assembly import Assembly
from ...forces.normal_laws import Hertz
from ...shapes import Ellipsoid, HalfSpace
from .domain import Whole
from .steps import depart, finish, receive


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
    depart(domain.runs, 0.0, *tables, np.zeros((2, 3)), x, sent)
    receive(domain.others, domain.others_at, sent, *tables)
    finish(domain.runs, forces, forces, 0.0, 1.0, *tables, domain.works)
