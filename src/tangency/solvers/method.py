"""Base class of the methods from the literature: a name, options, and a loop over pairs.

A method only *claims* common normals; `judgement.py` checks all claims in the same way, so that the
statuses and bounds of all methods mean the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from .question import Side
from .tables import Buffers, Pick, Question


@dataclass(frozen=True)
class Method(ABC):
    """A method that finds common normals; its options are fields of the subclass."""

    name: ClassVar[str]  #: used in ``contact(..., solver=name)``
    least: ClassVar[int] = 64  #: minimum number of pairs per thread
    parallel: ClassVar[bool] = True  #: whether the loop may run in several threads at once

    @property
    @abstractmethod
    def steps(self) -> int:
        """Maximum number of steps in a trace."""

    @abstractmethod
    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], None]:
        """Function (start, stop) that finds the common normals of the pairs order[start:stop].

        It writes an `Answer` for every pair, with `tables.write` and `write_iterations`, and one row of `out.trace`
        per iteration.  The status is ``CLAIMED`` for a common normal, or one of the failures of
        :class:`~tangency.contacts.result.Status`.  Shapes that the method does not support are rejected here with a
        TypeError.
        """
