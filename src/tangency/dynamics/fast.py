"""A world on its way at a fixed step: the tables of `fast`, and what Python has to do between the steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .accurate_kernel import place_all
from .assembly import Assembly
from .contact_scale import contact_time
from .fast_kernel import (
    CONTACTS,
    DONE,
    FAILURES,
    FULL,
    LOG_FULL,
    LOGGED,
    LONGEST,
    SPRINGS,
    TOTALS,
    TURNED,
    grown,
    run_steps,
    tables,
)
from .impacts import LOG, rows_of
from .loads_kernel import ELASTIC, TOUCHING
from .touch import PLANE, ROUND

AT_ONCE = 500  # steps between two looks at the keyboard
TOL = 1e-10  # of the contact solver
WAY = 0.1  # radii of the smallest body that the fastest may go in one step
PER_CONTACT = 52.0  # steps in the time that a contact takes


class Fast:
    """A world on its way, with fixed steps; `arrays()` holds all that the further way depends on."""

    def __init__(self, assembly: Assembly, *, step: float, skin: float) -> None:
        self.assembly, self.step, self._skin = assembly, step, skin
        self.time, self.y = 0.0, assembly.start.copy()
        count = len(self.y)
        self._world = assembly.tables()
        self._pieces = assembly.pieces(np.zeros((len(assembly.owner), 12)))
        self._forces, self._extra = np.zeros((count, 6)), np.zeros((count, 6))
        self._lists, self._deeds = tables(16 + 8 * len(assembly.owner))
        self._count, self.totals, self.steps = -1, np.zeros(TOTALS), 0
        self._order = np.arange(len(assembly.owner))
        self.log: list[np.ndarray] = []  # contacts that are over, see `impacts`
        self._room = np.zeros((4 * len(self._deeds), LOG))
        self._moved = [(i, body) for i, body in enumerate(assembly.world.bodies) if body.motion is not None]
        # Bodies of which it is not known how far their points come in a step: moved ones, endless walls that may turn.
        planes = np.isin(np.arange(count), assembly.owner[np.isin(assembly.kind, (PLANE, ROUND))])
        self._moves = np.array([body.motion is not None for body in assembly.world.bodies]) | (planes & assembly.free)
        self._loads = [(assembly.names.index(load.body), load) for load in assembly.world.loads]

    def arrays(self) -> dict[str, np.ndarray]:
        """All that the further way depends on."""
        self._start()
        n = self._count
        pairs, table, memory = (part[:n] for part in self._lists[:3])
        return {"time": np.array(self.time), "y": self.y, "forces": self._forces, "extra": self._extra, "pairs": pairs,
                "table": table, "memory": memory, "deeds": self._deeds[:n], "totals": self.totals, "order": self._order,
                "steps": np.array(self.steps)}  # fmt: skip

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Take up a run."""
        self.time, self.steps = float(arrays["time"]), int(arrays["steps"])
        for own, name in ((self.y, "y"), (self._forces, "forces"), (self._extra, "extra"), (self.totals, "totals"),
                          (self._order, "order")):  # fmt: skip
            own[:] = arrays[name]
        n = self._count = len(arrays["pairs"])
        self._lists, self._deeds = tables(max(n, len(self._deeds)))
        for part, name in zip((*self._lists[:3], self._deeds), ("pairs", "table", "memory", "deeds")):
            part[:n] = arrays[name]

    @property
    def failures(self) -> int:
        """Contacts that the solver was not content with."""
        return int(self.totals[FAILURES])

    @property
    def longest_way(self) -> float:
        """Longest way of any point of a body in one step, at most [m]."""
        return float(self.totals[LONGEST])

    @property
    def largest_turn(self) -> float:
        """Largest turn of a body in one step, at most [rad]."""
        return float(self.totals[TURNED])

    def stored(self) -> np.ndarray:
        """Elastic energy of the contacts of each body, and of all springs for the bodies that have one [J]."""
        self._start()
        out = np.zeros(len(self.y))
        out[self.assembly.ends[self.assembly.ends >= 0]] = self.totals[SPRINGS]
        touching = np.flatnonzero(self._lists[2][: self._count, TOUCHING])
        for side in range(2):
            np.add.at(out, self.assembly.owner[self._lists[0][touching, side]], self._deeds[touching, ELASTIC])
        return out

    def _outside(self, time: float) -> None:
        """Bodies that are moved, and loads of the user."""
        for i, body in self._moved:
            self.y[i] = self.assembly.moved(i, body, time)
        if self._loads:
            self._extra[:] = 0.0
            for i, load in self._loads:
                force, torque = load(time, self.assembly.state_of(i, self.y))
                self._extra[i, :3] += force
                self._extra[i, 3:] += torque

    def _start(self) -> None:
        """List of pairs and forces, if there are none yet."""
        if self._count < 0:
            self._outside(self.time)
            self._run(0)

    def _run(self, steps: int) -> int:
        """Some steps; how many were done, or the error that ended them."""
        done, found, end = run_steps(
            steps, self.step, self.y, self._forces, self._extra, self._world, self.assembly.reach, self._moves,
            self._pieces, self._lists, self._count, self._deeds, self._order, TOL, self._skin, self.totals,
            self._room, self.steps,
        )  # fmt: skip
        self.steps += done
        self.log.extend(self._room[: int(self.totals[LOGGED])].copy())
        self.totals[LOGGED] = 0.0
        if end == FULL:
            self._lists, self._deeds = grown(self._lists, self._deeds, -found)
            return done + self._run(steps - done)
        self._count = found
        if end == LOG_FULL:
            if found > len(self._room):
                self._room = np.zeros((4 * found, LOG))
            return done + self._run(steps - done)
        if end != DONE or not np.isfinite(self.y).all():
            bad = ~np.isfinite(self.y).all(axis=1)
            who = f"the motion of body {self.assembly.names[int(np.argmax(bad))]!r}" if bad.any() else "a speed"
            raise RuntimeError(
                f"{who} became infinite after {self.steps} steps, near t = {self.steps * self.step:.6g} s: the step "
                f"{self.step:.3g} s is too long for the stiffness or damping of the contacts and springs"
            )
        return done

    def advance(self, until: float, steps: int) -> None:
        """So many steps, to the time `until`."""
        self._start()
        # Poses of the shapes follow from the state, which may just have been read from a file.
        place_all(self.y, self.assembly.owner, self.assembly.local, self._pieces[6])
        left, begin = steps, self.time
        alone = not self._moved and not self._loads
        while left > 0:
            if not alone:
                self._outside(begin + (steps - left + 1) * self.step)
            left -= self._run(min(left, AT_ONCE) if alone else 1)
        self.time = until

    def show(self, record: Callable[..., Any]) -> None:
        """Call `record` with the present state."""
        self._start()
        touching = self._lists[2][: self._count, TOUCHING] != 0.0
        pairs, table = (part[: self._count][touching] for part in self._lists[:2])
        elastic = float(self.totals[CONTACTS]), float(self.totals[SPRINGS])
        record(self.time, self.y, self.totals[:2], elastic, pairs, table, self._deeds[: self._count][touching])

    def open_contacts(self) -> np.ndarray:
        """Rows of the log, of the contacts that are not over yet."""
        self._start()
        pairs, _, memory = (part[: self._count] for part in self._lists[:3])
        return rows_of(pairs, memory, np.flatnonzero(memory[:, TOUCHING]), self.time)


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
    extent = float(np.ptp(start[:, :3], axis=0).max() + 2.0 * assembly.reach.max(initial=0.0))
    fall = math.sqrt(2.0 * float(np.linalg.norm(assembly.gravity)) * extent)
    stored = Fast(assembly, step=duration, skin=1e-6 * (extent or 1.0)).stored()
    released = math.sqrt(2.0 * float((stored * assembly.inertia[:, 4]).max()))
    speed = max(float(np.linalg.norm(start[:, 7:10], axis=1).max()), fall, released, 1e-3)
    mass, reach = float(assembly.inertia[free, 0].min()), float(assembly.reach[free].max(initial=0.0)) or 1.0
    shortest = duration
    for k in range(len(assembly.laws.kinds)):
        lasts, damping = contact_time(tuple(assembly.laws), k, mass, speed, 1.0 / reach)
        shortest = min(shortest, lasts)
        if damping > 0.0:
            shortest = min(shortest, 10.0 * mass / damping)
    for (i, j), spring in zip(assembly.ends, assembly.springs):
        masses = [assembly.inertia[k, 0] for k in (i, j) if k >= 0 and free[k]]
        if masses and spring[6] > 0.0:
            shortest = min(shortest, math.pi * math.sqrt(min(masses) / spring[6]))
        if masses and spring[7] > 0.0:
            shortest = min(shortest, 10.0 * min(masses) / spring[7])
    turn = assembly.spins(assembly.start)
    fastest = float(np.linalg.norm(turn, axis=1).max())
    if fastest > 0.0:
        shortest = min(shortest, 2.0 * math.pi / fastest)
    if len(assembly.laws.kinds):  # bodies must not pass through each other unseen, either
        sizes = assembly.reach[free & (assembly.reach > 0.0)]
        shortest = min(shortest, PER_CONTACT * WAY * float(sizes.min(initial=math.inf)) / speed)
    return shortest / PER_CONTACT
