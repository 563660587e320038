"""Text and files that the subcommands of ``tangency planar`` return."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

import numpy as np


class Output(NamedTuple):
    """Text to print and files to write."""

    text: str
    files: dict[str, str | bytes]


def table_text(*rows: tuple[str, str]) -> str:
    """Names and values in two columns."""
    return "\n".join(f"{name:<16} {value}" for name, value in rows)


def csv_text(columns: dict[str, np.ndarray]) -> str:
    """Columns as the text of a CSV file with a header."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([repr(float(v)) for v in row] for row in zip(*columns.values()))
    return target.getvalue()
