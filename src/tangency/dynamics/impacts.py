"""The impact log: start time, bodies, closing speed, impulse, duration and energy of every contact."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..compiled.jit import entry, jit
from ..shapes.stack import Index
from .contact.columns import IMPACT, IMPULSE, LOST, PEAK, SINCE

# Columns of a row: both shapes, time, closing speed, normal impulse, duration, dissipated energy, largest energy.
SHAPE_A, SHAPE_B, TIME, SPEED, PUSH, LASTS, DISSIPATED, HELD = range(8)
LOG = 8


@dataclass(frozen=True, eq=False)
class Impacts:
    """Contacts in the order of their start, including those present at time 0.

    Attributes
    ----------
    time : (I,) array
        Start of the contact [s].
    body_a, body_b, shape_a, shape_b : (I,) array of int
        Numbers of the bodies, and of the shapes within them.
    speed : (I,) array
        Closing speed at that instant [m/s], 0 if the bodies did not approach.
    impulse : (I,) array
        Normal impulse since then [N s].
    duration : (I,) array
        Duration of the contact, so far if it still lasts [s].
    over : (I,) array of bool
        Whether the contact has ended.
    dissipated : (I,) array
        Energy dissipated by the contact [J]; negative if it released energy.
    energy : (I,) array
        Energy of the impact, or the largest stored energy, whichever is larger [J].
    """

    time: np.ndarray
    body_a: np.ndarray
    body_b: np.ndarray
    shape_a: np.ndarray
    shape_b: np.ndarray
    speed: np.ndarray
    impulse: np.ndarray
    duration: np.ndarray
    over: np.ndarray
    dissipated: np.ndarray
    energy: np.ndarray

    def chosen(self, which: Index) -> Impacts:
        """Selected contacts; `which` is a mask, an array of indices or a slice."""
        return Impacts(**{f.name: getattr(self, f.name)[which] for f in fields(self)})

    def between(self, a: int, b: int) -> Impacts:
        """Contacts between the bodies with the numbers `a` and `b`, in either order."""
        one, other = (self.body_a == a) & (self.body_b == b), (self.body_a == b) & (self.body_b == a)
        return self.chosen(one | other)

    def __len__(self) -> int:
        return len(self.time)


def no_impacts() -> Impacts:
    """An empty log."""
    return Impacts(*(np.zeros(0, bool if f.name == "over" else _kind(f.name)) for f in fields(Impacts)))


def _kind(name: str) -> type:
    return np.int64 if name in ("body_a", "body_b", "shape_a", "shape_b") else np.float64


@jit
def write_row(pair, memory, time, row):
    """Write the row of the log for a contact that ends at `time` or still lasts."""
    row[SHAPE_A], row[SHAPE_B], row[TIME], row[SPEED] = pair[0], pair[1], memory[SINCE], memory[IMPACT]
    row[PUSH], row[LASTS] = memory[IMPULSE], time - memory[SINCE]
    row[DISSIPATED], row[HELD] = memory[LOST], memory[PEAK]


@entry
def log_rows(pairs, memory, which, time, rows):
    """:func:`write_row` for several contacts."""
    for m in range(which.shape[0]):
        write_row(pairs[which[m]], memory[which[m]], time, rows[m])


def rows_of(pairs: np.ndarray, memory: np.ndarray, which: np.ndarray, time: float) -> np.ndarray:
    """Rows of the log for the contacts `which` at `time`."""
    rows = np.zeros((len(which), LOG))
    log_rows(pairs, memory, which, time, rows)
    return rows


def impacts_of(rows: np.ndarray, over: np.ndarray, owner: np.ndarray, place: np.ndarray) -> Impacts:
    """Impacts from rows of the log; `owner` is the body of each shape and `place` its number there."""
    a, b = rows[:, SHAPE_A].astype(np.int64), rows[:, SHAPE_B].astype(np.int64)
    made = Impacts(
        time=rows[:, TIME].copy(),
        body_a=owner[a],
        body_b=owner[b],
        shape_a=place[a],
        shape_b=place[b],
        speed=rows[:, SPEED].copy(),
        impulse=rows[:, PUSH].copy(),
        duration=rows[:, LASTS].copy(),
        over=over,
        dissipated=rows[:, DISSIPATED].copy(),
        energy=rows[:, HELD].copy(),
    )
    return _in_order(made)


def joined_impacts(a: Impacts, b: Impacts) -> Impacts:
    """The log of two parts of one run; contacts unfinished in the first are in the second."""
    old = a.chosen(a.over)
    both = Impacts(**{f.name: np.concatenate([getattr(old, f.name), getattr(b, f.name)]) for f in fields(Impacts)})
    return _in_order(both)


def _in_order(log: Impacts) -> Impacts:
    """The log in the order of time and shapes, the same whether it was made at once or joined.

    A body may begin to touch several patches of a mesh wall, which are one shape in the log, at the same time: the
    other numbers then decide.
    """
    numbers = log.over, log.energy, log.dissipated, log.impulse, log.speed, log.duration
    return log.chosen(np.lexsort((*numbers, log.shape_b, log.body_b, log.shape_a, log.body_a, log.time)))
