"""The fast mode: fixed steps in one compiled loop, and the work in Python between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...compiled.team import together
from ...compiled.threads import cores
from ..assembly import Assembly
from ..contact.columns import ABSORBED, ELASTIC, LOST, TOUCHING
from ..contact.columns import MEMORY as MEMORY_OF_CONTACTS
from ..contact.fault_sentence import fault_sentence
from ..frames import Elastic, Frame, Instant
from ..impacts import LOG, rows_of
from ..joints.stepping import JointSteps
from ..periodic import check_walls
from ..servo import MEMORY, move_servos, servo_warnings
from ..state import MOMENTUM, PLACE, TURN, VELOCITY
from ..tables import ELLIPSOIDS, PLANE, POWERS, WorldTables, plain
from ..validity import friction_warnings, longest_creep, turn_warnings, way_warnings
from .contact_steps import new_room
from .initial_bodies import fast_bodies
from .kernel import HeldTables
from .lane_batch import lane_addresses
from .neighbour_list import skin_limits
from .numbering import renumber
from .pour_steps import Supply
from .tables import (
    CONTACTS,
    COUNT,
    DONE,
    FAILURES,
    FULL,
    LAW_FAULT,
    LOG_FULL,
    LOGGED,
    LONGEST,
    NEEDED,
    NUMBERS,
    OUTER,
    RENEWALS,
    SKIN,
    SPRINGS,
    TOTALS,
    TOUCHED,
    TURNED,
    UNORDERED,
    WORK,
    WORKS,
    Schedule,
    Tally,
    grown,
    pair_lists,
    write_list,
)

STEPS_AT_ONCE = 500  # steps between checks for a keyboard interrupt, and of the energy
PAIRS_PER_SHAPE, LOG_ROWS = 8, 256  # space at the start; it grows as needed
MIN_SHAPES_FOR_LANES = 8  # below, a block of lanes is so empty that contacts are solved faster one at a time
LEAST_RENUMBERED = 1000  # bodies that are numbered by their places: the tables of fewer are in the cache anyway
MIN_BODIES_PER_THREAD = 500  # below, starting the threads and waiting for them takes longer than they save


def threads_for(bodies: int, threads: int | None) -> int:
    """Number of threads for so many bodies; by default one per processor, if that is worth it."""
    return max(1, min(cores(), bodies // MIN_BODIES_PER_THREAD)) if threads is None else threads


def _lanes_for(sort: np.ndarray) -> tuple[int, int, int, int]:
    """Solvers of many contacts at a time, for shapes of these sorts; none where there are few of them."""
    few = np.isin(sort, (ELLIPSOIDS, POWERS)).sum() < MIN_SHAPES_FOR_LANES
    return (0, 0, 0, 0) if few else lane_addresses(sort)


class FastRunner:
    """A `Runner` with fixed steps.  A skin that is not fixed is only the first one; later ones choose themselves."""

    def __init__(
        self,
        assembly: Assembly,
        *,
        step: float,
        skin: float,
        fixed_skin: bool = True,
        steps_per_frame: int = 1,
        threads: int | None = 1,
    ) -> None:
        self.assembly, self.step, self._per_frame, self.time = assembly, step, steps_per_frame, 0.0
        self._rooms = [new_room() for _ in range(threads_for(len(assembly.names), threads))]
        self._world: WorldTables = assembly.tables(_lanes_for(assembly.shapes.sort))
        self._bodies, self._steps = fast_bodies(assembly), 0
        self._renumbers = assembly.is_alone and len(assembly.names) >= LEAST_RENUMBERED
        self.supply, self.joints = Supply(assembly, step), JointSteps(assembly.joints)
        self._servos = np.zeros((len(assembly.servos), MEMORY))
        self._restless = bool(self._bodies.moved[assembly.owner[assembly.kind == PLANE]].any())
        self._lists = pair_lists(16 + PAIRS_PER_SHAPE * len(assembly.owner), len(assembly.names))
        self._tally = Tally(np.zeros(TOTALS), np.zeros(NUMBERS, np.int64), np.zeros((LOG_ROWS, LOG)))
        self._totals, self._numbers = self._tally.totals, self._tally.numbers
        self._totals[SKIN], self._numbers[COUNT] = skin, -1  # no list of pairs yet
        sizes = assembly.reach[assembly.free & (assembly.reach > 0.0)]
        self._skins = (skin, skin) if fixed_skin or not len(sizes) else skin_limits(sizes)
        self._handed: tuple = (), []  # tables, and the same for each thread
        self.log: list[np.ndarray] = []  # finished contacts, see `impacts`

    # ---- the protocol --------------------------------------------------------------------------
    def start(self, record: Callable[[Frame], None]) -> None:
        """Pass the frame at time 0 to `record`."""
        record(self._frame())

    def advance(self, times: np.ndarray, record: Callable[[Frame], None], look: Callable[[Instant], None]) -> None:
        """Integrate to the last of `times`, pass the frame at each to `record`, and instants in between to `look`."""
        self._prepare()
        for time in times:
            self._to_frame(float(time), look)
            record(self._frame())

    def open_contacts(self) -> np.ndarray:
        """Rows of the impact log for contacts that still last."""
        self._prepare()
        return self._log_rows(self._touching(), self.time)

    def counts(self) -> dict[str, int]:
        """Numbers of steps, of failed contacts and of lists of pairs."""
        counts = {"contacts_failed": FAILURES, "lists_of_pairs": RENEWALS}
        return {"steps": self._steps, **{name: int(self._numbers[at]) for name, at in counts.items()}}

    def warnings(self) -> list[str]:
        """Warnings about steps that were too long."""
        self._prepare()
        pairs, _, memory, _ = self._lists.contacts
        met = self._contacts()
        longest = longest_creep(self.assembly, self._labels[pairs[met]], memory[met])
        found = friction_warnings(self.assembly, self.step, longest)
        found += servo_warnings(self.assembly, self.step, self._servos)
        found += way_warnings(self.assembly, float(self._totals[LONGEST]))
        found += self.supply.too_thin(float(self._totals[LONGEST])) + self.supply.tied()
        return found + turn_warnings(float(self._totals[TURNED]), self.step) + self.supply.late(self.time)

    def checkpoint(self) -> dict[str, np.ndarray]:
        """The complete state."""
        self._prepare()
        bodies, lists, count, met = self._bodies, self._lists, int(self._numbers[COUNT]), self._contacts()
        return {
            "time": np.array(self.time),
            "labels": self._world.body_labels,
            "y": bodies.y,
            "forces": bodies.forces,
            "extra": bodies.extra,
            "marks": bodies.marks,
            "pads": bodies.pads,
            "pairs": lists.pairs[:count],
            "slack": lists.slack[:count],
            "guesses": lists.guesses[:count],
            "met": lists.contact_of[:count] >= 0,
            **{name: getattr(lists.contacts, name)[met] for name in ("rows", "memory", "records")},
            "totals": self._totals,
            "numbers": self._numbers,
            "steps": np.array(self._steps),
            "added": self.supply.added,
            "removed": self.supply.removed,
            "servos": self._servos,
            "joints": self.joints.numbers,
            "joints_held": self.joints.held,
            "joints_elastic": np.array(self.joints.elastic),
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Resume from the arrays of `checkpoint`."""
        known = {"met", "labels"} <= arrays.keys() and arrays["extra"].shape == self._bodies.extra.shape
        known = known and np.array_equal(np.sort(arrays["labels"]), np.arange(len(self.assembly.names)))
        if not known or arrays["memory"].shape[1] != MEMORY_OF_CONTACTS:
            raise ValueError(
                "it was written by another version of tangency: resume it with that version, or start over"
            )
        self.time, self._steps = float(arrays["time"]), int(arrays["steps"])
        self._renumber(arrays["labels"])
        bodies = self._bodies
        held = {"y": bodies.y, "forces": bodies.forces, "extra": bodies.extra}
        held |= {"marks": bodies.marks, "pads": bodies.pads, "joints": self.joints.numbers}
        held["joints_held"], self.joints.elastic = self.joints.held, float(arrays["joints_elastic"])
        for name, own in {**held, "totals": self._totals, "numbers": self._numbers}.items():
            own[:] = arrays[name]
        self.supply.added[:], self.supply.removed[:] = arrays["added"], arrays["removed"]
        self._update_supply()
        self._servos[:] = arrays["servos"]
        self._lists = pair_lists(max(len(arrays["pairs"]), len(self._lists.pairs)), len(bodies.y))
        pairs, slack, guesses, met = (arrays[name] for name in ("pairs", "slack", "guesses", "met"))
        contacts = arrays["rows"], arrays["memory"], arrays["records"]
        write_list(self._lists, pairs, slack, guesses, met, contacts)

    # ---- stepping ------------------------------------------------------------------------------
    def stored(self) -> np.ndarray:
        """Elastic energy of the contacts of each body, plus that of all springs for bodies with a spring [J]."""
        self._prepare()
        pairs, _, _, records = self._lists.contacts
        out, touching = np.zeros(len(self.assembly.names)), self._touching()
        out[self.assembly.ends[self.assembly.ends >= 0]] = self._totals[SPRINGS]
        for side in range(2):
            np.add.at(out, self.assembly.owner[self._labels[pairs[touching, side]]], records[touching, ELASTIC])
        return out

    @property
    def _labels(self) -> np.ndarray:
        """Numbers of the shapes in the world."""
        return self._world.labels

    def _renumber(self, order: np.ndarray) -> None:
        """Put the bodies in another order, given by their numbers so far."""
        if (order != np.arange(len(order))).any():
            count = max(int(self._numbers[COUNT]), 0)
            self._bodies, self._world = renumber(self._bodies, self._world, self._lists, count, order)

    def _state(self) -> np.ndarray:
        """The states of the bodies in the order of the world."""
        bodies = self._bodies
        if not self._renumbers:
            return bodies.y
        y = np.empty_like(bodies.y)
        y[self._world.body_labels] = bodies.y
        return y

    def _contacts(self) -> np.ndarray:
        """Rows of the tables of contacts, in the order of the list of pairs."""
        rows = self._lists.contact_of[: self._numbers[COUNT]]
        return rows[rows >= 0]

    def _touching(self) -> np.ndarray:
        """Those of the contacts that touch."""
        met = self._contacts()
        return met[self._lists.contacts.memory[met, TOUCHING] != 0.0]

    def _log_rows(self, which: np.ndarray, time: float) -> np.ndarray:
        """Rows of the impact log for some of the contacts."""
        known = self._lists.contacts
        return rows_of(self._labels[known.pairs[which]], known.memory[which], np.arange(len(which)), time)

    def _frame(self) -> Frame:
        self._prepare()
        known, touching = self._lists.contacts, self._touching()
        pairs = self._labels[known.pairs[touching]]
        if len(touching) > 1:  # in the order of their shapes; that of the list is spatial
            order = np.lexsort((pairs[:, 1], pairs[:, 0]))
            touching, pairs = touching[order], pairs[order]
        rows, records = known.rows[touching], known.records[touching]
        instant = self._instant()
        return Frame(self.time, *instant[1:4], pairs, rows, records, instant.joints)

    def _outside(self, time: float) -> None:
        """Update prescribed bodies and user-defined loads."""
        self.assembly.place_moved(time, self._bodies.y)
        if self.assembly.prescribed:
            check_walls(self.assembly, self._bodies.y)
        self.assembly.load(time, self._bodies.y, self._bodies.extra)

    def _prepare(self) -> None:
        """Create the list of pairs and the forces, if there are none yet."""
        if self._numbers[COUNT] < 0:
            self._outside(self.time)
            self._run(0)
            if self.assembly.joints.size:
                self.joints.begin(self._bodies.y, self._bodies.forces)
                self._totals[WORK] += self.joints.elastic

    def _instant(self) -> Instant:
        elastic = Elastic(float(self._totals[CONTACTS]), float(self._totals[SPRINGS]) + self.joints.elastic)
        joints = self.assembly.joints.record(self.joints.numbers)
        return Instant(self._steps * self.step, self._state(), self._totals[WORKS], elastic, joints)

    def _to_frame(self, time: float, look: Callable[[Instant], None]) -> None:
        left, alone, supply = self._per_frame, self.assembly.is_alone, self.supply
        while left > 0:
            if left < self._per_frame and (self._per_frame - left) % STEPS_AT_ONCE == 0:
                look(self._instant())
            if alone:
                most = supply.every - self._steps % supply.every if supply.needed else left
                left -= self._run(min(left, STEPS_AT_ONCE, most))
            else:
                before, longest = self._bodies.y.copy(), self._totals[LONGEST]
                now = self.time + (self._per_frame - left + 1) * self.step
                move_servos(self.assembly, self._bodies.y, self._bodies.forces, self.step, self._servos)
                if self.assembly.joints.size:
                    self.joints.drift(now, self.step, self._bodies.y)
                self._outside(now)
                pushed = self._bodies.forces.copy()
                left -= self._run(1)
                if self.assembly.joints.size:
                    self._kick_joints(now, pushed)
                if self.assembly.driven:  # not from velocities, which are meaningless where a prescribed pose jumps
                    self._totals[LONGEST] = max(longest, self._longest_way(before))
            if supply.needed and self._steps % supply.every == 0:
                self._come_and_go()
        self.time = time

    def _kick_joints(self, time: float, pushed: np.ndarray) -> None:
        """End a step of the joints; links count as bodies driven by their joints, not from outside."""
        y, forces = self._bodies.y, self._bodies.forces
        counted = self.joints.link_works(self.step, y, pushed, forces)
        done = self.joints.kick(time, self.step, y, forces)
        self._totals[OUTER] += counted + self.joints.external
        self._totals[WORK] += counted - done + self.joints.absorbed

    def _come_and_go(self) -> None:
        """Remove bodies in outlets and pour others; their energy counts as external work."""
        supply, bodies, time, y = self.supply, self._bodies, self._steps * self.step, self._state()
        gone = supply.leaving(y)
        self._totals[OUTER] -= supply.energy(y, gone)
        self._end_contacts(gone, time)
        supply.removed[gone], y[gone, VELOCITY], y[gone, MOMENTUM] = time, 0.0, 0.0
        new, rows = supply.arriving(time, y, self._steps // supply.every)
        supply.added[new], y[new] = time, rows
        self._totals[OUTER] += supply.energy(y, new)
        if len(gone) or len(new):
            own = np.argsort(self._world.body_labels)
            bodies.y[:], bodies.forces[own[gone]], bodies.forces[own[new], :3] = (
                y[self._world.body_labels],
                0.0,
                supply.weights(new),
            )
            self._update_supply()
            self._numbers[NEEDED] = 1  # a new list of pairs

    def _update_supply(self) -> None:
        """Give all bodies that are there their mass and class, and take both from the others."""
        assembly, bodies = self.assembly, self._world.body_labels
        self.supply.update()
        self._world.inertia[:], self._world.class_of[:] = assembly.inertia[bodies], assembly.law_table.class_of[bodies]

    def _end_contacts(self, gone: np.ndarray, time: float) -> None:
        """Log the contacts of bodies that are removed as ended; their elastic energy counts as dissipated."""
        self._prepare()
        known, owner, touching = self._lists.contacts, self.assembly.owner, self._touching()
        ended = touching[np.isin(owner[self._labels[known.pairs[touching]]], gone).any(axis=1)]
        self._totals[CONTACTS] -= known.records[ended, ELASTIC].sum()
        known.memory[ended, LOST] = known.memory[ended, ABSORBED]
        self.log.extend(self._log_rows(ended, time))
        known.memory[ended, TOUCHING] = 0.0

    def _longest_way(self, before: np.ndarray) -> float:
        """Largest displacement of a point of a body since the state `before` [m]."""
        y, reach = self._bodies.y, self._bodies.reach
        cosine = np.clip(np.abs((before[:, TURN] * y[:, TURN]).sum(axis=1)), 0.0, 1.0)
        ways = np.linalg.norm(y[:, PLACE] - before[:, PLACE], axis=1) + reach * 2.0 * np.arccos(cosine)
        return float(ways.max())

    def _run(self, steps: int) -> int:
        """Take steps; return how many were done, or raise the error that ended them."""
        at_start = self._numbers[COUNT] < 0
        done, outcome = self._advance(steps)
        if outcome == LAW_FAULT:
            time = 0.0 if at_start else (self._steps + done + 1) * self.step
            raise RuntimeError(fault_sentence(self.assembly, time))
        self._steps += done
        if self._numbers[LOGGED]:
            self.log.extend(self._tally.log[: self._numbers[LOGGED]].copy())
            self._numbers[LOGGED] = 0
        if outcome == FULL:
            self._lists = grown(self._lists, int(self._numbers[NEEDED]), max(int(self._numbers[COUNT]), 0))
            return done + self._run(steps - done)
        if outcome == UNORDERED:
            self._renumber(self._bodies.order)
            return done + self._run(steps - done)
        if outcome == LOG_FULL:
            if self._numbers[TOUCHED] > len(self._tally.log):
                self._tally = self._tally._replace(log=np.zeros((2 * self._numbers[TOUCHED], LOG)))
            return done + self._run(steps - done)
        y = self._bodies.y
        if outcome != DONE or not np.isfinite(y).all():
            bad = ~np.isfinite(y).all(axis=1)
            first = self._world.body_labels[bad].min() if bad.any() else 0
            who = f"the motion of body {self.assembly.names[first]!r}" if bad.any() else "a speed"
            raise RuntimeError(
                f"{who} became infinite after {self._steps} steps, near t = {self._steps * self.step:.6g} s: the step "
                f"{self.step:.3g} s is too long for the stiffness or damping of the contacts and springs"
            )
        return done

    def _advance(self, steps: int) -> tuple[int, int]:
        """Take steps in compiled code; return how many were done, and why not all of them."""
        tables = self._bodies, self._world, self._lists, self._tally
        if len(self._handed[0]) != len(tables) or any(a is not b for a, b in zip(self._handed[0], tables)):
            world = plain(self._world)
            self._handed = tables, [HeldTables(tables[0], world, *tables[2:], room) for room in self._rooms]
        held, before = self._handed[1], self._steps
        schedule = Schedule(steps, self.step, before, *self._skins, self._restless, renumbers=self._renumbers)
        # Threads wait for each other dozens of times in a step: more of them than cores would mostly wait.
        team = min(len(held), cores()) if len(held) > 1 else 1
        return together(lambda team: held[team.number].advance(team, schedule), team)
