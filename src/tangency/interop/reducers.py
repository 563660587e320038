"""Reductions of many contacts to few numbers: the smallest distance, a histogram, the worst pairs, counts.

A reducer turns the contacts of a block into arrays, `state`, joins the arrays of two parts, `joined`, and makes a
result of them, `result`.  Joining is exact, so that the result depends neither on the order nor on where a block was
computed.  Objects with these three methods can be passed to :func:`tangency.interop.stream.stream` as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..contacts.result import Contact
from ..contacts.status import Status
from ..io import validate

State = Mapping[str, np.ndarray]
QUANTITIES = ("distance", "lower", "upper", "width", "iterations", "evaluations")


class Reducer(Protocol):
    """What :func:`tangency.interop.stream.stream` needs of a reducer."""

    def state(self, contact: Contact, block: int) -> State:
        """The contacts of a block as small arrays."""

    def joined(self, a: State, b: State) -> State:
        """Both parts together."""

    def result(self, state: State) -> Any:
        """What the user gets."""


class Found(NamedTuple):
    """Values of single pairs, and where they are."""

    value: np.ndarray  #: (k,)
    block: np.ndarray  #: (k,) numbers of the blocks
    index: np.ndarray  # type: ignore[assignment]  #: (k,) flat indices of the pairs in their blocks


def quantity(contact: Contact, of: str) -> np.ndarray:
    """A quantity of all contacts, flat; ``"width"`` is the gap between the bounds."""
    return np.ravel(contact.upper - contact.lower if of == "width" else getattr(contact, of))


def _checked(of: str) -> str:
    if of not in QUANTITIES:
        raise ValueError(f"of must be one of {', '.join(QUANTITIES)}, got {of!r}")
    return of


class Extreme:
    """The `count` pairs with the smallest or largest value; of equal ones, the first.

    Parameters
    ----------
    count : int
    of : {"distance", "lower", "upper", "width", "iterations", "evaluations"}
        ``"width"`` is the gap between the bounds.
    largest : bool
        Whether the largest values are meant; default the smallest.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.interop.reducers import Extreme
    >>> nearest = Extreme(2)
    >>> c = tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), None, (None, [[5, 0, 0], [3, 0, 0], [4, 0, 0]]))
    >>> nearest.result(nearest.state(c, 0)).index.tolist()
    [1, 2]
    """

    def __init__(self, count: int = 1, *, of: str = "distance", largest: bool = False) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ValueError(f"count must be a whole number >= 1, got {count!r}")
        self.count, self.of, self.largest = count, _checked(of), bool(largest)

    def state(self, contact: Contact, block: int) -> State:
        """The pairs of one block."""
        values = quantity(contact, self.of).astype(np.float64)
        index = np.arange(len(values))
        return self._kept(values, np.full(len(values), block), index)

    def joined(self, a: State, b: State) -> State:
        """Those of both parts."""
        return self._kept(*(np.concatenate([a[name], b[name]]) for name in Found._fields))

    def _kept(self, value: np.ndarray, block: np.ndarray, index: np.ndarray) -> State:
        if len(value) > 4 * self.count:  # sort few only
            edge = np.partition(-value if self.largest else value, self.count - 1)[self.count - 1]
            few = np.flatnonzero((-value if self.largest else value) <= edge)
            value, block, index = value[few], block[few], index[few]
        order = np.lexsort((index, block, -value if self.largest else value))[: self.count]
        return {"value": value[order], "block": block[order], "index": index[order]}

    def result(self, state: State) -> Found:
        """Values and places, the most extreme first."""
        return Found(*(state[name] for name in Found._fields))


class Histogram:
    """Number of pairs in each bin, as ``np.histogram``, and below and above all bins.

    Parameters
    ----------
    edges : (n + 1,) array_like
        Edges of the bins, ascending.
    of : str
        As in :class:`Extreme`.
    """

    def __init__(self, edges: ArrayLike, *, of: str = "distance") -> None:
        self.edges, self.of = validate.array(edges, "edges"), _checked(of)
        if self.edges.ndim != 1 or len(self.edges) < 2 or not (np.diff(self.edges) > 0.0).all():
            raise ValueError(f"edges must be at least two ascending numbers, got {validate.short(self.edges)}")

    def state(self, contact: Contact, block: int) -> State:
        """Counts of one block."""
        values = quantity(contact, self.of)
        counts, _ = np.histogram(values, self.edges)
        beyond = [(values < self.edges[0]).sum(), (values > self.edges[-1]).sum()]
        return {"counts": counts.astype(np.int64), "beyond": np.array(beyond, np.int64)}

    def joined(self, a: State, b: State) -> State:
        """Sums."""
        return {name: a[name] + b[name] for name in ("counts", "beyond")}

    def result(self, state: State) -> dict[str, np.ndarray]:
        """``counts``, ``below`` and ``above``."""
        return {"counts": state["counts"], "below": state["beyond"][0], "above": state["beyond"][1]}


class Counts:
    """Number of pairs of each status, of pairs that touch, and of all pairs."""

    def state(self, contact: Contact, block: int) -> State:
        """Counts of one block."""
        codes = np.bincount(np.ravel(contact.status), minlength=max(Status) + 1)
        touching = int((np.ravel(contact.distance) <= 0.0).sum())
        return {"status": codes.astype(np.int64), "pairs": np.array([touching, contact.distance.size], np.int64)}

    def joined(self, a: State, b: State) -> State:
        """Sums."""
        return {name: a[name] + b[name] for name in ("status", "pairs")}

    def result(self, state: State) -> dict[str, int]:
        """Numbers by name: ``pairs``, ``touching``, and every status that occurred."""
        found = {"pairs": int(state["pairs"][1]), "touching": int(state["pairs"][0])}
        return found | {Status(k).name: int(n) for k, n in enumerate(state["status"]) if n}
