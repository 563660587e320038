"""Studies: a table or figure of a paper, recomputed and compared with the printed values.

A study is a function ``run(size, seed, progress) -> Result`` with a name; everything else, from the
Markdown to the files, is handled here for all studies.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..io.progress import Progress

Cell = str | int | float | None


class Table(NamedTuple):
    """Rows for readers, with printed and reproduced values side by side; cells are shown unchanged."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""

    def markdown(self) -> str:
        """The table in Markdown, with aligned columns."""
        texts = [[str(cell) for cell in self.header]]
        texts += [["" if cell is None else str(cell) for cell in row] for row in self.rows]
        widths = [max(3, *(len(row[k]) for row in texts)) for k in range(len(self.header))]
        lines = ["| " + " | ".join(f"{cell:<{w}}" for cell, w in zip(row, widths)) + " |" for row in texts]
        lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
        return "\n".join([*([f"{self.caption}\n"] if self.caption else []), *lines])


class Result(NamedTuple):
    """Outcome of a study."""

    tables: Sequence[Table]
    notes: Sequence[str]  #: differences from the printed values and their reasons, one or two sentences each
    columns: Sequence[str]  #: of the CSV file
    records: Sequence[Sequence[Cell]]  #: its rows, full precision
    figure: Callable[[], Any] | None = None  #: draws and returns a matplotlib figure; called only with ``--out``
    page: Callable[[], str] | None = None  #: makes an HTML page; called only with ``--out``

    def csv(self) -> str:
        """All numbers as CSV, with full precision."""
        target = io.StringIO()
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if cell is None else cell for cell in row] for row in self.records])
        return target.getvalue()


@dataclass(frozen=True)
class Study:
    """A table or figure of a paper.

    Examples
    --------
    >>> from tangency.studies import STUDIES
    >>> STUDIES["romer-fig2"].title
    'Römer 3-D, Example 4 and Fig. 2: an analytic potential, a boundary with kinks'
    """

    name: str  #: as in ``tangency study <name>``
    title: str  #: one line: paper, table or figure, what it shows
    run: Callable[[int, int, Progress], Result]  #: (size, seed, progress)
    size: int  #: default, that of the full study
    unit: str  #: what `size` counts, e.g. "random pairs"
    duration: str  #: about how long the full study takes on one core, without compiling, e.g. "20 s"
    measured: Callable[[int, int, Progress, str], Result] | None = None  #: the same with data from ``--data``

    def markdown(self, result: Result, size: int, seed: int, data: str | None = None) -> str:
        """The complete outcome as Markdown; `data` names the file of measured data."""
        amount = f"{size} {self.unit}, seed {seed}" if data is None else f"Measured data, {data}"
        head = f"# {self.title}\n\n{amount}."
        if data is None and size != self.size:
            head += f" The notes are about the full size, {self.size}: their numbers need not hold for this one."
        notes = "\n".join(f"- {note}" for note in result.notes)
        parts = [head, *(table.markdown() for table in result.tables), *([notes] if notes else [])]
        return "\n\n".join(parts) + "\n"
