"""Tables of bodies and their shapes in another order: with other numbers, or some of them only.

Where many bodies move without anything that happens between the steps, neighbours in space get numbers near each other,
so that their data are next to each other in memory.  Everything outside the loops goes by the numbers of the world, the
labels of bodies and shapes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.cache_lines import aligned
from ..tables import WorldTables
from .tables import FastBodies, PairLists


class Chosen(NamedTuple):
    """Some bodies and their shapes, in some order."""

    bodies: np.ndarray  #: (N,) their rows in the tables so far
    shapes: np.ndarray  #: (S,) those of their shapes
    owner: np.ndarray  #: (S,) body of each shape, by its new row
    first_shape: np.ndarray  #: (N + 1,)


def chosen(first_shape: np.ndarray, rows: np.ndarray) -> Chosen:
    """The bodies with these rows; `first_shape` is that of all bodies."""
    counts = np.diff(first_shape)[rows]
    owner = np.repeat(np.arange(len(rows)), counts)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Chosen(rows, first_shape[rows][owner] + np.arange(len(owner)) - start[owner], owner, start)


def taken(table: Any, rows: np.ndarray) -> Any:
    """Rows of a table; numbers stay as they are, and empty tables."""
    if not isinstance(table, np.ndarray) or not len(table):
        return table
    if table.dtype != np.float64 or table.ndim != 2:
        return np.ascontiguousarray(table[rows])
    new = aligned((len(rows), table.shape[1]))
    new[:] = table[rows]
    return new


def bodies_of(bodies: FastBodies, some: Chosen) -> FastBodies:
    """The tables of some bodies, but for those of their flocks."""
    rows = {name: taken(table, some.bodies) for name, table in bodies._asdict().items() if name != "flocks"}
    return bodies._replace(**{**rows, "first_shape": some.first_shape})


def world_of(world: WorldTables, some: Chosen) -> WorldTables:
    """The tables of a world for some bodies and their shapes, but for the ends of springs."""
    table = world.shapes
    own: dict[str, Any] = {name: taken(getattr(table, name), some.shapes) for name in table._fields}
    own["address"] = np.append(table.address[some.shapes], table.address[-1])
    return world._replace(
        inertia=taken(world.inertia, some.bodies),
        owner=some.owner,
        labels=taken(world.labels, some.shapes),
        local=taken(world.local, some.shapes),
        principal=taken(world.principal, some.shapes),
        body_labels=taken(world.body_labels, some.bodies),
        class_of=taken(world.class_of, some.bodies),
        shapes=table._replace(**own),
    )


def renumber(
    bodies: FastBodies, world: WorldTables, lists: PairLists, count: int, order: np.ndarray
) -> tuple[FastBodies, WorldTables]:
    """The tables with the bodies in another order, given by their numbers so far; the `count` pairs get new numbers."""
    some = chosen(bodies.first_shape, order)
    number, of_body = np.empty(len(some.shapes), np.int64), np.empty(len(order), np.int64)
    number[some.shapes], of_body[order] = np.arange(len(number)), np.arange(len(order))
    for pairs in (lists.pairs[:count], lists.contacts.pairs[: lists.used[0]]):
        pairs[:] = number[pairs]
    lists.first_of[:] = -1  # not known
    ends = np.where(world.ends >= 0, of_body[world.ends], -1)
    return bodies_of(bodies, some), world_of(world, some)._replace(ends=ends)
