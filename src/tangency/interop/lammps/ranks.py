"""Rank 0 leads a simulation, the others follow: they wait for what to do next, and do it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...dynamics.assembly import Assembly
from ...dynamics.simulate import fingerprint
from ...dynamics.world import World
from .coupling import Coupling
from .interrupts import Interrupts
from .snapshot import Snapshot

START, RUN, GATHER, STOP = "start", "run", "gather", "stop"


class RankError(RuntimeError):
    """Raised on the other ranks when rank 0 stopped; it says why."""


class Leader:
    """What rank 0 tells all ranks to do, itself included."""

    def __init__(self, comm: Any, before: Sequence[str], commands: Sequence[str]) -> None:
        self._comm = comm
        self._lammps: dict[str, Any] = {"before": tuple(before), "commands": tuple(commands)}
        self._coupling: Coupling | None = None
        self.interrupts = Interrupts()

    def _tell(self, *order: Any) -> None:
        if self._comm is not None:
            self._comm.bcast(order)

    def _together(self, call: Callable[..., Any], *order: Any) -> Any:
        with self.interrupts:
            self._tell(*order)
            return _agreed(self._comm, call)

    def start(self, assembly: Assembly, **options: Any) -> None:
        """Begin, with options of :class:`Coupling`."""
        given = {**options, **self._lammps, "interrupts": self.interrupts}
        self._coupling = self._together(partial(_begun, self._comm, assembly, given), START, options)

    def run(self, steps: int) -> None:
        """Take steps."""
        assert self._coupling is not None
        self._together(partial(self._coupling.run, steps), RUN, steps)

    def gather(self, everything: bool) -> Snapshot:
        """The state of all ranks."""
        assert self._coupling is not None
        found = self._together(partial(self._coupling.gather, everything), GATHER, everything)
        assert found is not None
        return found

    def stop(self, why: str = "") -> None:
        """Let the others go; if there is a reason, they raise it."""
        with self.interrupts:
            self._tell(STOP, why)


def follow(comm: Any, world: World, before: Sequence[str], commands: Sequence[str]) -> None:
    """Do what rank 0 says until it stops; an error that the ranks agreed on is raised there first."""
    with Interrupts() as interrupts:
        assembly = _assembly(comm, world)
        coupling: Any = None
        while True:
            order, value = comm.bcast(None)
            if order == STOP:
                if value:
                    raise RankError(f"rank 0 stopped: {value}")
                return
            try:
                if order == START:
                    given = {**value, "before": tuple(before), "commands": tuple(commands), "interrupts": interrupts}
                    coupling = _agreed(comm, partial(_begun, comm, assembly, given))
                else:
                    _agreed(comm, partial(_done, coupling, order, value))
            except (RuntimeError, KeyboardInterrupt):
                continue


def _done(coupling: Coupling, order: str, value: Any) -> None:
    if order == RUN:
        coupling.run(value)
    else:
        coupling.gather(value)


def _assembly(comm: Any, world: World) -> Assembly | None:
    try:
        return Assembly(world)
    except (TypeError, ValueError):  # the same error is raised on rank 0, which stops
        return None
    except BaseException:
        _abort(comm)
        raise


def _begun(comm: Any, assembly: Assembly | None, given: dict[str, Any]) -> Coupling:
    """The coupling, after all ranks have compared their worlds."""
    if comm is not None:
        digest = (
            None if assembly is None else fingerprint(assembly, {key: given[key] for key in ("before", "commands")})
        )
        found = comm.allgather(digest)
        if len(set(found)) > 1:
            which = next(rank for rank, one in enumerate(found) if one != found[0])
            what = f"rank {which} has another world, or other commands, than rank 0"
            raise RuntimeError(f"every rank must make the same world: {what}; give random numbers a seed")
    assert assembly is not None
    return Coupling(assembly, comm=comm, **given)


def _agreed(comm: Any, call: Callable[[], Any]) -> Any:
    """Call a function that raises RuntimeError and KeyboardInterrupt on all ranks only; after others, all ranks end."""
    try:
        return call()
    except (RuntimeError, KeyboardInterrupt):
        raise
    except BaseException:
        if comm is not None:
            _abort(comm)
        raise


def _abort(comm: Any) -> None:
    """End all ranks: those that wait for this one would wait forever."""
    traceback.print_exc()
    comm.Abort(1)
