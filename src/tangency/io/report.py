"""Result of checking a user's formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class FormulaReport:
    """Problems found, one sentence each; true if there are none."""

    name: str
    samples: int
    problems: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    _tried: ClassVar[str]  #: what the samples are

    @property
    def ok(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        head = f"{self.name}: no problem found in {self.samples} {self._tried}."
        if not self.ok:
            head = f"{self.name}: {len(self.problems)} problem(s)."
        return "\n".join([head, *(f"- {p}" for p in self.problems), *(f"Remark: {r}." for r in self.remarks)])
