"""The steps of one rank inside the loop of LAMMPS.

In each step LAMMPS sends the neighbours and calls back; the contacts are solved, the bodies finish the step and move on
to the next one.  The set-up call of LAMMPS finds the first forces, without a step.  After each run, bodies are where
the step number of LAMMPS says; within a run they are one step ahead when LAMMPS writes its output.

LAMMPS ignores exceptions in callbacks, and a rank that stops leaves the others waiting.  Errors are therefore noted,
and all ranks agree in every step whether to go on.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ...dynamics.assembly import Assembly
from ...dynamics.contact.fault_sentence import fault_sentence
from ...dynamics.contact.law_faults import SHAPES
from ...dynamics.fast.contact_steps import new_room
from ...dynamics.fast.tables import (
    COUNT,
    DONE,
    FULL,
    HOLDS,
    LAW_FAULT,
    LOG_FULL,
    NEEDED,
    SKIN,
    TOUCHED,
    Schedule,
    pair_lists,
)
from ...dynamics.periodic import check_walls
from ...dynamics.tables import PLANE, plain
from .balance import Balance
from .carrier import FIELDS, Arrays, Carrier
from .domain import Whole
from .holdings import NONE, Holdings
from .interrupts import Interrupts
from .snapshot import Snapshot, joined_parts
from .steps import Steps

FARTHEST = 1e6  # way in one step after which a motion counts as infinite, in distances of neighbours
FAILED, RENEW = 0, 1  # what the ranks agree on
INTERRUPTED, ELSEWHERE = "interrupted", "another rank failed"


class Coupling:
    """The bodies of one rank; every rank makes one, and calls the same methods in the same order.

    Parameters
    ----------
    assembly : Assembly
        The tables of the world.
    step : float
        Length of a step [s].
    skins : (3,) floats
        First, narrowest and widest skin of the list of pairs [m].
    comm : mpi4py communicator, optional
        None for a single rank.
    before, commands : sequence of str
        Commands of LAMMPS, before the box is made and after the atoms are.
    start : Snapshot, optional
        Where to resume; default the initial state of the world.
    interrupts : Interrupts, optional
        Where Ctrl-C is noted.
    """

    def __init__(
        self,
        assembly: Assembly,
        *,
        step: float,
        skins: tuple[float, float, float],
        comm: Any = None,
        before: Sequence[str] = (),
        commands: Sequence[str] = (),
        start: Snapshot | None = None,
        interrupts: Interrupts | None = None,
    ) -> None:
        self.assembly, self.step, self._comm = assembly, step, comm
        self._interrupts = interrupts or Interrupts()
        self.rank = 0 if comm is None else comm.rank
        self.steps, self._left, self._failure = 0, 0, ""
        self._resumed, self._setting_up, self._began = start, False, False
        self._widest_skin = max(skins)
        whole = Whole(assembly)
        moving = whole.bodies.moved[assembly.owner[assembly.kind == PLANE]].any()
        self._schedule = Schedule(1, step, 0, *skins[1:], bool(moving), spatial=False)
        carrier = Carrier(assembly, step, self._widest_skin, comm, before, commands)
        self._balance = Balance(comm if carrier.balances else None)
        y = assembly.start.copy() if start is None else start.y.copy()
        self.holdings = Holdings(whole, carrier, comm, y)
        tally = self.holdings.tally
        tally.totals[SKIN], tally.numbers[COUNT] = skins[0], 0
        if start is not None:
            self.steps, self.holdings.known = start.steps, start.known
            tally.totals[:], tally.numbers[:] = start.totals, start.counts
            self.holdings.extremes[:] = start.extremes
        self._begin(whole, carrier, y)

    # ---- what callers use ----------------------------------------------------------------------
    def run(self, steps: int) -> None:
        """Take steps.

        Raises
        ------
        RuntimeError
            On every rank, if one of them failed; the message is that of the first one.
        KeyboardInterrupt
            On every rank, if one of them was interrupted.
        """
        while steps > 0:
            with self._interrupts:
                if self._balance.is_due(self.steps):
                    self._balance.write_costs(self.holdings)
                    self._divide()
                count = min(steps, self._balance.until(self.steps))
                self._guarded(self._depart)
                self._left = count
                self.holdings.carrier.command(f"run {count} pre no post no")
                if self._left and not self._failure:
                    self._failure = f"LAMMPS took {count} steps, but {count - self._left} were computed"
                self._agree_on_failure()
            steps -= count

    def command(self, text: str) -> None:
        """Execute a command of LAMMPS, other than ``run``."""
        self.holdings.carrier.command(text)

    def gather(self, everything: bool = True) -> Snapshot | None:
        """The state of all bodies on rank 0, None on others; without `everything`, only pairs that touch."""
        part = self.holdings.part(everything)
        parts = [part] if self._comm is None else self._comm.gather(part)
        return None if parts is None else joined_parts(self.assembly, self.steps, parts)

    def _divide(self) -> None:
        """Let LAMMPS move the borders of the ranks and divide the bodies anew; the motion does not depend on it."""
        self.holdings.carrier.balance()
        self._setting_up = True
        self.holdings.carrier.command("run 0 post no")
        self._setting_up = False
        self._agree_on_failure()

    # ---- the beginning -------------------------------------------------------------------------
    def _begin(self, whole: Whole, carrier: Carrier, y: np.ndarray) -> None:
        """Create the atoms and let LAMMPS set up, which calls back."""
        assembly, free = self.assembly, np.flatnonzero(self.assembly.free)
        count = len(free)
        # A step of length 0 on tables with all bodies: every rank gets the same bits.
        all_ = whole.domain(free, np.arange(count), NONE, NONE)
        all_.bodies.y[:] = y[all_.numbers]
        state = Arrays(*(np.zeros((count, width) if width > 1 else count) for width in FIELDS.values()))
        rows = len(all_.numbers)
        Steps(all_, pair_lists(0, rows), self.holdings.tally, plain(new_room()), state, np.zeros((rows, 3))).depart(0.0)
        for c, axis in enumerate(assembly.world.periodic or ()):
            if axis is not None:
                period = axis[1] - axis[0]
                state.x[:, c] -= period * np.floor((state.x[:, c] - axis[0]) / period)
        sizes = [len(entry.names) for entry in assembly.world.bodies]
        kinds = np.repeat(np.arange(1, len(sizes) + 1), sizes)[free]
        carrier.create(state, kinds, self._called)
        with self._interrupts:
            self._divide()

    def _first_forces(self) -> None:
        """List of pairs and forces at the start; a resumed run has both."""
        domain, resumed = self.holdings.domain, self._resumed
        if self._began:
            return
        self._began = True
        bodies, mine, numbers = domain.bodies, domain.mine, domain.numbers[domain.mine]
        if resumed is not None:
            bodies.y[mine], bodies.forces[mine] = resumed.y[numbers], resumed.forces[numbers]
            bodies.marks[mine], bodies.pads[mine] = resumed.marks[numbers], resumed.pads[numbers]
            if resumed.pads.max() > 0.5 * self._widest_skin:  # of the fast mode, whose list may need more neighbours
                self.holdings.tally.numbers[NEEDED] = 1
            kept = mine if self.rank == 0 else domain.own  # works of bodies that are not free are summed over the ranks
            domain.works[kept] = resumed.works[domain.numbers[kept]]
            self._resumed = None
            return
        self._schedule = self._schedule._replace(h=0.0, before=-1)
        self._evaluate(True)
        self._finish()
        self._schedule = self._schedule._replace(h=self.step)

    # ---- a step --------------------------------------------------------------------------------
    def _called(self, count: int) -> None:
        """Called by LAMMPS in each step, and once when it sets up; the first `count` atoms are those of this rank."""
        if not self._failure and self._interrupts.noted:
            self._failure = INTERRUPTED
        if not self._failure and not self._setting_up and self._left < 1:
            self._failure = "LAMMPS must be run by Coupling.run: bodies do not move by the command run alone"
        # Also after an error: the other ranks exchange bodies with this one, and wait for its vote.
        self._noted(lambda: self._receive(count))
        if self._stopped(not self._guarded(self._holds)):
            return
        self._guarded(self._first_forces if self._setting_up else self._step)

    def _step(self) -> None:
        self._schedule = self._schedule._replace(before=self.steps)
        start = perf_counter()
        self._evaluate(self._agreed[RENEW] > 0)
        middle = perf_counter()
        more, moved = self._left > 1, bool(self.assembly.prescribed)
        self._finish(onward=more and not moved)
        self._balance.spent += perf_counter() - middle, middle - start
        self.steps, self._left = self.steps + 1, self._left - 1
        if more and moved:
            self._depart()

    def _receive(self, count: int) -> None:
        """Read what LAMMPS sent."""
        divided = self.holdings.carrier.divided
        if self._setting_up and not divided:
            raise RuntimeError("LAMMPS must tell when it divides the bodies (neigh_ago): install a newer version")
        if divided:  # every rank does so in the same step, and they exchange bodies
            try:
                self.holdings.divide(count)
            except BaseException:
                if self._comm is None:
                    raise
                traceback.print_exc()
                self._comm.Abort(1)  # the others would wait forever
        domain = self.holdings.domain
        self.holdings.steps.receive(domain.others, domain.others_at)

    def _holds(self) -> bool:
        """Whether no body of this rank can have left the list of pairs."""
        return bool(self.holdings.domain.bodies.flocks[0, HOLDS])

    def _evaluate(self, renew: bool) -> None:
        """List of pairs, contacts, and their forces."""
        held, numbers = self.holdings, self.holdings.tally.numbers
        if renew:  # on all ranks, if a body of one of them may have left the list
            held.domain.bodies.flocks[0, HOLDS] = 0.0
        while (outcome := held.steps.touch(self._schedule)) in (FULL, LOG_FULL):
            if outcome == FULL:
                held.grow_pairs(int(numbers[NEEDED]))
            else:
                held.grow_log(2 * int(numbers[TOUCHED]))
        if outcome == LAW_FAULT:
            fault, own = self.assembly.fault, held.domain.fault
            fault[:] = own
            fault[SHAPES : SHAPES + 2] = held.domain.shapes[own[SHAPES : SHAPES + 2].astype(np.int64)]
            raise RuntimeError(fault_sentence(self.assembly, (self._schedule.before + 1) * self.step))
        if outcome != DONE:
            raise RuntimeError(self._infinite())

    def _infinite(self, number: int | None = None) -> str:
        who = "a body" if number is None else repr(self.assembly.names[number])
        return (
            f"the motion of {who} became infinite after {self.steps} steps, near t = {self.steps * self.step:.6g} s: "
            f"the step {self.step:.3g} s is too long for the stiffness or damping of the contacts"
        )

    def _finish(self, onward: bool = False) -> None:
        """End a step, and begin the next one if `onward`."""
        held, farthest = self.holdings, FARTHEST * self.holdings.carrier.cutoff
        longest, row = held.steps.finish(self._schedule.h, self.step, farthest, onward)
        if not longest < farthest:
            raise RuntimeError(self._infinite(int(held.domain.numbers[row])))

    def _depart(self) -> None:
        """Move the bodies of this rank, and all that are not free, to the end of the next step."""
        held, domain, assembly = self.holdings, self.holdings.domain, self.assembly
        if assembly.prescribed:
            assembly.place_moved((self.steps + 1) * self.step, held.y)
            check_walls(assembly, held.y)
            moved = np.array([number for number, _ in assembly.prescribed])
            domain.bodies.y[np.searchsorted(domain.numbers, moved)] = held.y[moved]
        held.steps.depart(self.step)

    # ---- agreement -----------------------------------------------------------------------------
    def _guarded(self, call: Callable[[], Any]) -> Any:
        """Call a function, unless there was an error; note an error instead of raising it."""
        return None if self._failure else self._noted(call)

    def _noted(self, call: Callable[[], Any]) -> Any:
        """Call a function; note the first error instead of raising it, also a keyboard interrupt."""
        try:
            return call()
        except RuntimeError as error:
            text = str(error)
        except KeyboardInterrupt:
            text = INTERRUPTED
        except BaseException as error:
            text = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
        self._failure = self._failure or text
        return None

    def _stopped(self, renew: bool) -> bool:
        """Whether any rank failed; all stop in the same step.  All learn whether any needs a new list of pairs."""
        mine = np.array([bool(self._failure), renew], np.int64)
        self._agreed = mine
        if self._comm is not None:
            from mpi4py import MPI

            self._agreed = np.zeros_like(mine)
            self._comm.Allreduce(mine, self._agreed, MPI.MAX)
        if self._agreed[FAILED]:
            self._failure = self._failure or ELSEWHERE
            self.holdings.carrier.lmp.force_timeout()
        return bool(self._agreed[FAILED])

    def _agree_on_failure(self) -> None:
        """Raise the error of the first rank that failed, on all of them."""
        texts = [self._failure] if self._comm is None else self._comm.allgather(self._failure)
        found = [text for text in texts if text and text != ELSEWHERE]
        if found:
            self._failure = found[0]
            if found[0] == INTERRUPTED:
                raise KeyboardInterrupt
            raise RuntimeError(found[0])
