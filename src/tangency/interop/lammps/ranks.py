"""Rank 0 leads a simulation, the others follow: they wait for what to do next, and do it."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any

from ...dynamics.assembly import Assembly
from ...dynamics.world import World
from .coupling import Coupling
from .snapshot import Snapshot

START, RUN, DIVIDE, GATHER, STOP = "start", "run", "divide", "gather", "stop"


class Leader:
    """What rank 0 tells all ranks to do, itself included."""

    def __init__(self, comm: Any, before: Sequence[str], commands: Sequence[str]) -> None:
        self._comm = comm
        self._lammps: dict[str, Any] = {"before": tuple(before), "commands": tuple(commands)}
        self._coupling: Coupling | None = None

    def _tell(self, *order: Any) -> None:
        if self._comm is not None:
            self._comm.bcast(order)

    def start(self, assembly: Assembly, **options: Any) -> None:
        """Begin, with options of :class:`Coupling`."""
        self._tell(START, options)
        self._coupling = Coupling(assembly, comm=self._comm, **options, **self._lammps)

    def run(self, steps: int) -> None:
        """Take steps."""
        assert self._coupling is not None
        self._tell(RUN, steps)
        self._coupling.run(steps)

    def divide(self) -> None:
        """Divide the bodies anew."""
        assert self._coupling is not None
        self._tell(DIVIDE, None)
        self._coupling.divide()

    def gather(self, everything: bool) -> Snapshot:
        """The state of all ranks."""
        assert self._coupling is not None
        self._tell(GATHER, everything)
        found = self._coupling.gather(everything)
        assert found is not None
        return found

    def stop(self) -> None:
        """Let the others go."""
        self._tell(STOP, None)


def follow(comm: Any, world: World, before: Sequence[str], commands: Sequence[str]) -> None:
    """Do what rank 0 says until it stops; an error that the ranks agreed on is raised there."""
    try:
        assembly, coupling = Assembly(world), None
    except (TypeError, ValueError):  # the same error is raised on rank 0
        if comm.bcast(None)[0] != STOP:
            comm.Abort(1)
        return
    while True:
        order, value = comm.bcast(None)
        if order == STOP:
            return
        try:
            if order == START:
                coupling = Coupling(assembly, comm=comm, before=before, commands=commands, **value)
            elif order == RUN:
                assert coupling is not None
                coupling.run(value)
            elif order == DIVIDE:
                assert coupling is not None
                coupling.divide()
            else:
                assert coupling is not None
                coupling.gather(value)
        except RuntimeError:
            continue
        except BaseException:
            traceback.print_exc()
            comm.Abort(1)
