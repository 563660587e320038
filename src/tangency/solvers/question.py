"""Input of a solver: the two sides of all pairs, the question, and buffers for the results.

A *side* holds body A (or B) of all pairs: a stack of bodies, a stack of poses, and for each of them a pick,
which says which row belongs to pair k.  Bodies and poses are prepared only once, however many pairs use them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiled.memory import borrow
from ..contacts.status import CODES, VALUES
from ..kernels.trace import TRACE
from ..shapes.shape import Shape
from .tables import Body, Buffers, Parameters, Pick, Question

ONE: Pick = np.zeros(1, np.int64)  # row 0 for all pairs
EACH: Pick = np.zeros(0, np.int64)  # row k for pair k


class Side(NamedTuple):
    """Body A, or B, of all pairs."""

    shape: Any  #: a `Shape`, or a `Family` of them
    pick: Pick
    poses: np.ndarray  #: (poses, 12), see `Poses`
    pick_pose: Pick

    @property
    def kind(self) -> type[Shape]:
        return type(self.shape) if isinstance(self.shape, Shape) else self.shape.kind

    def body(self) -> Body:
        """Table for loops that call the formulas of a shape by address."""
        shape = self.shape
        return Body(shape.address, shape.rows, shape.bounds, self.pick, self.poses, self.pick_pose, bool(shape.bends))

    def parameters(self) -> Parameters:
        """Table for loops that contain the formulas themselves."""
        self.shape.check_size()
        return Parameters(self.shape.rows, self.pick, self.poses, self.pick_pose)

    def take(self, pairs: np.ndarray) -> Side:
        """The same side for some of the pairs."""
        _ = self.shape.address  # compile once, for all of them
        bodies = self.shape.take(chosen(self.pick, pairs))
        return Side(bodies, EACH, self.poses[chosen(self.pick_pose, pairs)], EACH)


class Query(NamedTuple):
    """The complete input of a loop over pairs, and its buffers."""

    a: Side
    b: Side
    question: Question
    order: Pick  #: which pairs to solve
    number: int  #: how many pairs to solve
    threads: int | None
    out: Buffers

    @property
    def pairs(self) -> np.ndarray:
        """Indices of the pairs to solve."""
        return self.order if self.order.size else np.arange(self.number)

    @property
    def total(self) -> int:
        """Number of contacts that the buffers can hold."""
        return len(self.out.values) // VALUES


def room(count: int, codes: int = CODES, steps: int = 0) -> Buffers:
    """Buffers for the contacts of `count` pairs."""
    trace = np.zeros((count, steps, TRACE)) if steps else _NO_TRACE
    return Buffers(borrow(VALUES * count), borrow(codes * count, np.int32), trace)


_NO_TRACE = np.zeros((0, 0, TRACE))


def pick(own: tuple[int, ...], batch: tuple[int, ...]) -> Pick:
    """Pick for a stack of shape `own` that is broadcast to pairs of shape `batch`."""
    count = math.prod(own)
    if count == 1:
        return ONE
    if count == math.prod(batch):
        return EACH
    return np.ascontiguousarray(np.broadcast_to(np.arange(count).reshape(own), batch)).reshape(-1)


def chosen(pick: Pick, pairs: np.ndarray) -> np.ndarray:
    """Indices of the rows that belong to some pairs."""
    if pick.size == 0:
        return pairs
    return pick[pairs] if pick.size > 1 else np.broadcast_to(pick, pairs.shape)
