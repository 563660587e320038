"""Measured motion in the tables of OpenSim: ``.mot`` and ``.sto`` (any columns over time), ``.trc`` (markers)."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
HEADER_OF_TRC = 5  # lines before the numbers


class Markers(NamedTuple):
    """Paths of markers."""

    time: np.ndarray  #: (n,) [s]
    names: tuple[str, ...]
    position: np.ndarray  #: (n, markers, 3) [m]; not a number where a marker was not seen

    def of(self, name: str) -> np.ndarray:
        """Path of one marker (n, 3) [m].

        Raises
        ------
        ValueError
            If there is no such marker.
        """
        if name not in self.names:
            raise ValueError(f"there is no marker {name!r}; there are {', '.join(self.names)}")
        return self.position[:, self.names.index(name)]


def read_mot(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Columns of a table in OpenSim's format ``.mot`` or ``.sto``, by name.

    Parameters
    ----------
    path : path
        The file; it may be compressed (``.gz``).

    Returns
    -------
    dict of str to (n,) array
        All columns, in the units of the file; ``time`` is the first.

    Raises
    ------
    ValueError
        If the file has another form; the message names the line.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "forces.mot")
    ...     _ = file.write_text("forces\\nnRows=2\\nendheader\\ntime\\tforce\\n0.0\\t1.5\\n0.1\\t2.5\\n")
    ...     {name: column.tolist() for name, column in read_mot(file).items()}
    {'time': [0.0, 0.1], 'force': [1.5, 2.5]}
    """
    lines = _lines(path)
    ends = [k for k, line in enumerate(lines) if line.strip().lower() == "endheader"]
    if not ends or ends[0] + 1 >= len(lines):
        raise ValueError(f"{path}: a .mot or .sto file must have a line 'endheader' and then the names of its columns")
    first = ends[0] + 1
    names = lines[first].split()
    if not names or names[0].lower() != "time":
        raise ValueError(f"{path}, line {first + 1}: the first column must be 'time', got {lines[first][:40]!r}")
    if len(set(names)) != len(names):
        raise ValueError(f"{path}, line {first + 1}: every column must have a name of its own")
    rows = [_numbers(line.split(), len(names), f"{path}, line {k}") for k, line in _filled(lines, first + 1)]
    if not rows:
        raise ValueError(f"{path}: there are no rows after line {first + 1}")
    return dict(zip(["time", *names[1:]], np.array(rows).T))


def read_trc(path: str | os.PathLike[str]) -> Markers:
    """Markers of a file in the format ``.trc``, in metres whatever the unit of the file.

    Parameters
    ----------
    path : path
        The file; it may be compressed (``.gz``).

    Returns
    -------
    Markers

    Raises
    ------
    ValueError
        If the file has another form or an unknown unit; the message names the line.
    """
    lines = _lines(path)
    if len(lines) <= HEADER_OF_TRC or not lines[0].startswith("PathFileType"):
        raise ValueError(f"{path}: a .trc file must begin with 'PathFileType' and have {HEADER_OF_TRC} lines of header")
    about = dict(zip(lines[1].split("\t"), lines[2].split("\t")))
    unit = about.get("Units", "").strip()
    if unit not in METRES:
        raise ValueError(f"{path}, line 3: Units must be one of {', '.join(METRES)}, got {unit!r}")
    names = tuple(name.strip() for name in lines[3].split("\t")[2:] if name.strip())
    if not names or len(set(names)) != len(names):
        raise ValueError(f"{path}, line 4: there must be names of markers, each once, got {len(names)}")
    width, rows = 2 + 3 * len(names), []
    for number, line in _filled(lines, HEADER_OF_TRC):
        cells = line.rstrip("\r\n").split("\t")
        cells = cells[:width] if not any(cell.strip() for cell in cells[width:]) else cells
        rows.append(_numbers(cells + [""] * (width - len(cells)), width, f"{path}, line {number}"))
    if not rows:
        raise ValueError(f"{path}: there are no rows after line {HEADER_OF_TRC}")
    table = np.array(rows)
    if not np.isfinite(table[:, 1]).all():
        raise ValueError(f"{path}: every row must have a time")
    return Markers(table[:, 1], names, METRES[unit] * table[:, 2:].reshape(len(table), -1, 3))


def _lines(path: str | os.PathLike[str]) -> list[str]:
    kind: Any = gzip.open if Path(path).suffix == ".gz" else open
    with kind(path, "rt", encoding="utf-8-sig") as file:
        try:
            return file.read().splitlines()
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: must be a text file, {error}") from None


def _filled(lines: list[str], first: int) -> list[tuple[int, str]]:
    """Lines that are not empty, with their numbers in the file."""
    return [(k + 1, line) for k, line in enumerate(lines) if k >= first and line.strip()]


def _numbers(cells: list[str], count: int, where: str) -> list[float]:
    """Numbers of a row; an empty cell is not a number."""
    if len(cells) != count:
        raise ValueError(f"{where}: must have {count} numbers, got {len(cells)}")
    try:
        return [float(cell) if cell.strip() else np.nan for cell in cells]
    except ValueError:
        raise ValueError(f"{where}: must have numbers only, got {' '.join(cells)[:60]!r}") from None
