"""What a method is: a name, options, and a loop over pairs.

A method only *claims* common normals; `judgement.py` judges every claim in the same way, so that the
statuses and bounds of all methods mean the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from .question import Side
from .tables import Buffers, Pick, Question


@dataclass(frozen=True)
class Method(ABC):
    """How the common normal of two bodies is looked for; options are fields of the subclass."""

    name: ClassVar[str]  #: as ``contact(..., solver=name)`` takes it
    least: ClassVar[int] = 64  #: pairs worth a thread of their own
    parallel: ClassVar[bool] = True  #: whether the loop may run in several threads at once

    @property
    @abstractmethod
    def steps(self) -> int:
        """Most steps that a trace may have."""

    @abstractmethod
    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], Any]:
        """Function (start, stop) that looks for the common normals of the pairs order[start:stop].

        It writes, with `tables.write` and `write_iterations`, an `Answer` for every pair and
        as many rows of `out.trace` as it has iterations.  The status is ``CLAIMED`` for a common normal, or
        one of the failures of :class:`~tangency.contacts.result.Status`.  Bodies that the method cannot treat are
        refused here, with a TypeError.
        """
