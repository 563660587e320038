"""An array on disk that is read when it is used: only the rows that are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .column import Column


class StoredArray(NDArrayOperatorsMixin):
    """Stands for a NumPy array on disk.

    Indexing reads the rows asked for; anything else, such as arithmetic or a NumPy function, reads all of it.  Rows
    may be taken from a run that still goes on: the number of rows is that at the time of opening.

    Examples
    --------
    >>> import numpy as np, pathlib, tempfile
    >>> from tangency.dynamics.stored.column import Column, Layout
    >>> from tangency.dynamics.stored.stored_array import StoredArray
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "x"
    >>> column = Column(folder, Layout("<f8", (3,), ("frame", "xyz")))
    >>> column.append(np.arange(12.0).reshape(4, 3))
    >>> column.flush()
    >>> StoredArray(column)[-1].tolist(), StoredArray(column)[::2, 1].tolist(), float((StoredArray(column) + 1).sum())
    ([9.0, 10.0, 11.0], [1.0, 7.0], 78.0)
    """

    def __init__(self, column: Column) -> None:
        self._column, self.shape = column, (column.count, *column.layout.row)
        self.dtype, self.ndim = np.dtype(column.layout.kind), len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        first, rest = (key[0], key[1:]) if isinstance(key, tuple) and key else (key, ())
        if isinstance(first, int | np.integer) and not isinstance(first, bool):
            row = range(len(self))[first]  # raises IndexError as an array would
            return self._rows(row, row + 1)[(0, *rest)]
        if isinstance(first, slice):
            wanted = range(len(self))[first]
            if not len(wanted):
                return self._rows(0, 0)[(slice(None), *rest)]
            low, high = min(wanted[0], wanted[-1]), max(wanted[0], wanted[-1]) + 1
            if abs(wanted.step) * self._row_bytes() < 1 << 16 or len(wanted) == 1:
                return self._rows(low, high)[:: wanted.step][(slice(None), *rest)]
            return np.stack([self[(k, *rest)] for k in wanted])
        return np.asarray(self)[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._rows(0, len(self)).astype(self.dtype if dtype is None else dtype, copy=False)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        read = [np.asarray(part) if isinstance(part, StoredArray) else part for part in inputs]
        return getattr(ufunc, method)(*read, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(np.asarray(self), name)

    def __repr__(self) -> str:
        return f"StoredArray(shape={self.shape}, {self._column.folder})"

    def _row_bytes(self) -> int:
        return 8 * int(np.prod(self.shape[1:], dtype=np.int64))

    def _rows(self, low: int, high: int) -> np.ndarray:
        """Rows low to high - 1, in memory."""
        out = np.empty((high - low, *self.shape[1:]), self.dtype)
        per, at = self._column.layout.rows_per_chunk, low
        while at < high and out.size:
            k = at // per
            stop = min(high, (k + 1) * per)
            out[at - low : stop - low] = self._column.chunk(k)[at - k * per : stop - k * per]
            at = stop
        return out
