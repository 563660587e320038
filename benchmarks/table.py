"""Rows as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """One section of the report."""

    name: str  #: of the CSV file
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    remarks: tuple[str, ...] = ()

    def markdown(self) -> str:
        lines = [f"## {self.title}", "", _line(self.header), _line(["---"] * len(self.header))]
        lines += [_line(row) for row in self.rows]
        for remark in self.remarks:
            lines += ["", remark]
        return "\n".join(lines) + "\n"

    def files(self) -> dict[str, bytes]:
        """File name: content."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return {f"{self.name}.csv": text.getvalue().encode()}


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
