"""Equations of motion of a world: its state as a vector, the rate of the vector, and the distances of all pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..assembly import Assembly
from ..contact.columns import MEMORY, RECORD, ROW, SUMS, TOUCHING
from ..contact.fault_sentence import fault_sentence
from ..contact.law_faults import KIND
from ..extremes_kernel import note_contacts
from ..frames import Elastic, Frame
from ..state import TURN
from ..tables import ContactTables, plain
from ..wrenches import no_wrenches
from .kernel import GAPS, Evaluation
from .motion_vector import WORKS, Parts, VectorBodies, joined, parts
from .stalling import WINDOW

_NO_GAPS = np.empty((0, GAPS))


class Equations:
    """State of a world at one instant, and its rate of change."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly, self.world = assembly, plain(assembly.tables())
        self.evaluate = Evaluation(self.world)
        self.time, self.y = 0.0, assembly.start.copy()
        self.joints, self.numbers = assembly.joints, assembly.joints.start.copy()
        self.works = np.zeros(WORKS)  # absorbed by contacts and springs; external [J]
        self.free = np.flatnonzero(assembly.free)
        pairs = assembly.all_pairs()
        count = len(pairs)
        #: As of the last accepted step, but with the rows of the last evaluation.
        self.contacts = ContactTables(
            pairs, np.zeros((count, ROW)), np.zeros((count, MEMORY)), np.zeros((count, RECORD))
        )
        self.looked = self.contacts._replace(rows=np.zeros((count, ROW)))
        self.elastic = Elastic(0.0, 0.0)  # at the last evaluation
        self.steps, self.failures, self.evaluations = 0, 0, 0
        self._avoided, self._avoided_at = assembly.fault.copy(), -WINDOW  # the last fault that a shorter step avoided
        self.forces = no_wrenches(len(self.y))  # on all bodies at the last evaluation
        self._driven = bool(assembly.prescribed) or assembly.joints.size > 0  # whether some bodies are placed
        self._extra, self._all = no_wrenches(len(self.y)), np.arange(count)

    @property
    def touching(self) -> np.ndarray:
        """Numbers of the pairs that touch."""
        return np.flatnonzero(self.contacts.memory[:, TOUCHING])

    # ---- the vector ----------------------------------------------------------------------------
    def vector(self) -> np.ndarray:
        """The present state as a vector."""
        return joined(self.y[self.free], self.contacts.memory[self.touching, SUMS], self.numbers, self.works)

    def parts(self, vector: np.ndarray) -> Parts:
        """The parts of a vector, as views."""
        return parts(vector, len(self.free), self.joints.size)

    def keep(self, time: float, vector: np.ndarray, touching: np.ndarray) -> None:
        """Copy the vector back into the state, with quaternions normalised, which does not change the rotation."""
        bodies, sums, numbers, works = self.parts(vector)
        self.y[self.free] = bodies
        self.y[self.free, TURN] /= np.linalg.norm(bodies[:, TURN], axis=1, keepdims=True)
        self.numbers[:] = self.joints.normalised(numbers)
        self.assembly.place_moved(time, self.y)
        self.joints.place(time, self.numbers, self.y)
        self.contacts.memory[touching, SUMS] = sums
        self.works[:], self.time = works, time

    def bodies(self, time: float, vector: np.ndarray) -> np.ndarray:
        """Rows of all bodies."""
        y = self.y.copy()
        y[self.free] = self.parts(vector).bodies
        self._place(time, vector, y)
        return y

    def _place(self, time: float, vector: np.ndarray, y: np.ndarray) -> None:
        """Write the rows of prescribed bodies and of links to `y`."""
        if self._driven:
            self.assembly.place_moved(time, y)
            self.joints.place(time, self.parts(vector).joints, y)

    # ---- evaluations ---------------------------------------------------------------------------
    def rate(self, touching: np.ndarray) -> Callable[[float, np.ndarray], np.ndarray]:
        """The rate of the vector as a function of time and vector, while the given pairs touch."""
        assembly, looked, joints = self.assembly, self.looked, self.joints
        bodies = VectorBodies(self.free, self.y.copy(), self._extra, self.forces)
        fixed = tuple(bodies), tuple(looked), touching, False
        loaded = bool(assembly.world.loads)

        def rate(time: float, vector: np.ndarray) -> np.ndarray:
            self._place(time, vector, bodies.y)
            if loaded:
                bodies.y[self.free] = self.parts(vector).bodies
                assembly.load(time, bodies.y, self._extra)
            looked.rows[touching] = self.contacts.rows[touching]
            vector = np.ascontiguousarray(vector)
            out = np.empty_like(vector)
            contacts, springs, failures = self.evaluate(vector, *fixed, out, _NO_GAPS)
            if joints.size:
                now = joints.rate(time, self.parts(vector).joints, bodies.y, bodies.forces)
                own = self.parts(out)
                own.joints[:], springs = now.numbers, springs + now.elastic
                own.works[:] += now.absorbed, now.external
            self.elastic = Elastic(contacts, springs)
            self.failures += failures
            self.evaluations += 1
            return out

        return rate

    def distances(
        self, time: float, vector: np.ndarray, which: np.ndarray | None = None, keep: bool = False
    ) -> np.ndarray:
        """Distances and their rates for all pairs, or for some.

        Contacts start from the normals of the last accepted step, so that trial states have no effect; `keep`
        accepts the present ones.
        """
        bodies = VectorBodies(self.free, self.y.copy(), self._extra, self.forces)
        self._place(time, vector, bodies.y)
        which = self._all if which is None else which
        out = np.empty((len(which), GAPS))
        self.looked.rows[which] = self.contacts.rows[which]
        looked = tuple(self.looked)
        vector = np.ascontiguousarray(vector)
        _, _, failures = self.evaluate(vector, tuple(bodies), looked, which, True, vector, out)
        self.failures += failures
        if keep:
            self.contacts.rows[which] = self.looked.rows[which]
        return out

    def note(self, which: np.ndarray, rows: np.ndarray, records: np.ndarray) -> None:
        """Update the extreme values with these contacts."""
        if len(which):
            note_contacts(self.world, self.contacts.pairs[which], rows[which], records[which])

    def frame(self) -> Frame:
        """The present state, with its contacts at the last evaluation."""
        own = self.touching
        self.note(own, self.looked.rows, self.looked.records)
        pairs, rows, _, records = self.looked
        record = self.joints.record(self.numbers)
        return Frame(self.time, self.y, self.works, self.elastic, pairs[own], rows[own], records[own], record)

    def frame_at(self, time: float, vector: np.ndarray, touching: np.ndarray) -> Frame:
        """The frame at another time and vector; the present state is not changed."""
        held = self.time, self.y.copy(), self.contacts.memory.copy(), self.works.copy(), self.numbers.copy()
        self.keep(time, vector, touching)
        self.rate(touching)(time, vector)
        frame = self.frame()
        frame = frame._replace(y=self.y.copy(), works=self.works.copy())
        self.time, self.y[:], self.contacts.memory[:], self.works[:], self.numbers[:] = held
        return frame

    def require_finite_laws(
        self,
        time: float,
        vector: np.ndarray | None = None,
        rate: Callable[[float, np.ndarray], np.ndarray] | None = None,
    ) -> None:
        """Raise an error if a law has returned a number that is not finite; with `rate`, if it does so in this state.

        Integrators reject trial states with such numbers and try shorter steps, which may help.
        """
        if self.assembly.fault[KIND] == 0.0:
            return
        if vector is not None and rate is not None:
            self._avoided, self._avoided_at = self.assembly.fault.copy(), self.steps
            self.assembly.fault[KIND] = 0.0
            rate(time, vector)
        sentence = fault_sentence(self.assembly, time)
        if sentence:
            raise RuntimeError(sentence)

    def require_no_limit_of_laws(self, time: float) -> None:
        """Raise an error if one of the last steps avoided a state for which a law gives a number that is not finite."""
        if self.steps - self._avoided_at < WINDOW and self.assembly.fault[KIND] == 0.0:
            self.assembly.fault[:] = self._avoided
        self.require_finite_laws(time)

    def names(self, pairs: np.ndarray) -> str:
        """Names of pairs that touch, for messages."""
        owner, names = self.assembly.owner, self.assembly.names
        texts = [f"{names[owner[a]]!r} and {names[owner[b]]!r}" for a, b in self.contacts.pairs[pairs[:3]]]
        return f", contact of {', '.join(texts)}{' and others' if len(pairs) > 3 else ''}" if texts else ""
