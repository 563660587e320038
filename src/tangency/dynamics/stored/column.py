"""An array on disk that grows along its first axis, in version 2 of the Zarr format, without compression.

A Zarr array is a folder: ``.zarray`` holds shape, type and size of the chunks as JSON, and every chunk is a file of raw
numbers.  Chunks span several rows and all other axes.  Files are replaced as a whole, so at any instant each of them is
complete.  Rows beyond those that were committed are ignored, and overwritten when a run goes on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...io.whole_files import write_whole

CHUNK_BYTES = 1 << 20  # about, of a file; part of the format, as is the next
MAX_ROWS = 1 << 12  # of a chunk: arrays of single numbers have small files


class Layout(NamedTuple):
    """Type of the rows of an array, and names of its axes."""

    kind: str  #: "<f8" or "<i8"
    row: tuple[int, ...]  #: shape of a row
    axes: tuple[str, ...]  #: names for other programs, as xarray reads them

    @property
    def rows_per_chunk(self) -> int:
        """Rows in one file."""
        size = 8 * int(np.prod(self.row, dtype=np.int64))
        return int(np.clip(CHUNK_BYTES // max(size, 1), 1, MAX_ROWS))


class Column:
    """One array of a stream; at most one chunk of it is in memory."""

    def __init__(self, folder: Path, layout: Layout, committed: int = 0) -> None:
        self.folder, self.layout, self.count = folder, layout, committed
        per, self._written = layout.rows_per_chunk, committed
        self._tail = np.zeros((0, *layout.row), layout.kind)  # rows of the last, incomplete chunk
        if committed % per:
            self._tail = self.chunk(committed // per)[: committed % per].copy()

    def append(self, rows: np.ndarray) -> None:
        """Append rows; complete chunks are written at once."""
        per = self.layout.rows_per_chunk
        rows = np.asarray(rows, self.layout.kind)
        if rows.shape[1:] != self.layout.row:
            raise ValueError(f"rows of {self.folder.name} must have the shape {self.layout.row}, got {rows.shape[1:]}")
        while len(self._tail) + len(rows) >= per:
            new = per - len(self._tail)
            self._write(self.count // per, np.concatenate([self._tail, rows[:new]]))
            self._tail, rows, self.count = self._tail[:0], rows[new:], self.count + new
        if len(rows):
            self._tail, self.count = np.concatenate([self._tail, rows]), self.count + len(rows)

    def flush(self) -> None:
        """Write the incomplete chunk."""
        if len(self._tail) and self.count != self._written:
            self._write(self.count // self.layout.rows_per_chunk, self._tail)
        self._written = self.count

    def describe(self) -> None:
        """Write the description, with the number of rows so far."""
        row = list(self.layout.row)
        text = {
            "zarr_format": 2,
            "shape": [self.count, *row],
            "chunks": [self.layout.rows_per_chunk, *(max(size, 1) for size in row)],
            "dtype": self.layout.kind,
            "compressor": None,
            "fill_value": 0,
            "order": "C",
            "filters": None,
            "dimension_separator": ".",
        }
        self.folder.mkdir(exist_ok=True)
        if not (self.folder / ".zattrs").exists():
            write_whole(self.folder / ".zattrs", json.dumps({"_ARRAY_DIMENSIONS": list(self.layout.axes)}))
        write_whole(self.folder / ".zarray", json.dumps(text))

    def chunk(self, k: int) -> np.ndarray:
        """A chunk, mapped to memory: only what is used is read."""
        layout = self.layout
        return np.memmap(self._file(k), layout.kind, "r", shape=(layout.rows_per_chunk, *layout.row))

    def missing(self) -> Path | None:
        """The first file of the committed rows that is not there or too short."""
        per, size = self.layout.rows_per_chunk, 8 * int(np.prod(self.layout.row, dtype=np.int64))
        for k in range(-(-self.count // per) if size else 0):
            path = self._file(k)
            if not path.is_file() or path.stat().st_size != per * size:
                return path
        return None

    def _file(self, k: int) -> Path:
        return self.folder / ".".join([str(k), *("0" for _ in self.layout.row)])

    def _write(self, k: int, rows: np.ndarray) -> None:
        full = np.zeros((self.layout.rows_per_chunk, *self.layout.row), self.layout.kind)
        full[: len(rows)] = rows
        write_whole(self._file(k), full.tobytes())
