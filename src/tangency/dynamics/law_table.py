"""Which law acts between two bodies: a small table for classes of bodies that share their laws.

Bodies of one class have the same material and are all free or all not; a link of a mechanism, and a body or group that
is named in `pairs` or `interactions`, is a class of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .contact.laws import LawEntry

if TYPE_CHECKING:
    from .world import World


class LawTable(NamedTuple):
    """Laws between the bodies of a world."""

    class_of: np.ndarray  #: (N,) class of each body
    law_of: np.ndarray  #: (C, C) number of the law of a body of one class with a later one of another; -1 for none
    entries: list[LawEntry]

    def between(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Numbers of the laws between the bodies i and j, -1 for none."""
        return self.law_of[self.class_of[np.minimum(i, j)], self.class_of[np.maximum(i, j)]]


def first_pairs(class_of: np.ndarray) -> list[tuple[int, int]]:
    """The first pair (i, j), i < j, of bodies of each two classes in each order, sorted by j and then by i."""
    order = np.argsort(class_of, kind="stable")
    starts = np.flatnonzero(np.diff(class_of[order], prepend=-1))
    members = [part.tolist() for part in np.split(order, starts[1:])] if len(order) else []
    found = []
    for earlier in members:
        for later in members:
            at = bisect_right(later, earlier[0])
            if at < len(later):
                found.append((earlier[0], later[at]))
    return sorted(found, key=lambda pair: (pair[1], pair[0]))


def law_table(world: World) -> LawTable:
    """The laws between all bodies of a world."""
    named = {name for names in (*world.interactions, *(world.pairs or ())) for name in names}
    known: dict[Any, int] = {}
    entry_of, classes = [], []
    for number, entry in enumerate(world.bodies):
        own = entry.name in named or entry.mechanism is not None
        key = (entry.name,) if own else (id(entry.material), entry.free, bool(entry.pieces))
        size = len(entry.names)
        classes.append(np.full(size, known.setdefault(key, len(known)), np.int64))
        entry_of.append(np.full(size, number, np.int64))
    class_of, owner = np.concatenate(classes), np.concatenate(entry_of)
    law_of = np.full((len(known), len(known)), -1, np.int64)
    entries: list[LawEntry] = []
    numbers: dict[Any, int] = {}
    for i, j in first_pairs(class_of):
        a, b = world.bodies[owner[i]], world.bodies[owner[j]]
        interaction = world.interaction_of(a, b)
        if interaction is None:
            continue
        law = id(interaction), id(a.material), id(b.material)
        if law not in numbers:
            numbers[law] = len(entries)
            try:
                entries.append(interaction.entry(a.material, b.material))
            except (TypeError, ValueError) as error:
                raise type(error)(f"bodies {a.name!r} and {b.name!r}: {error}") from None
        law_of[class_of[i], class_of[j]] = numbers[law]
    if world.pours or world.outlets:  # the last class is that of bodies that are not there
        law_of = np.pad(law_of, (0, 1), constant_values=-1)
    return LawTable(class_of, law_of, entries)
