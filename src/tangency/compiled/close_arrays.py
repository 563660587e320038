"""Tables of many rows, allocated so that compiled loops wait less for memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_LINE = 64  # bytes of a cache line


def close_zeros(*wanted: tuple[tuple[int, ...], Any]) -> list[np.ndarray]:
    """Arrays of zeros with these shapes and types, in one piece of memory, each from the start of a cache line on.

    NumPy asks for huge pages for pieces of 4 MB and more only.  With them, addresses are found faster.
    """
    sizes = [math.prod(shape) * np.dtype(kind).itemsize for shape, kind in wanted]
    starts = np.cumsum([0, *(_LINE * math.ceil(size / _LINE) for size in sizes)])
    memory = np.zeros(int(starts[-1]) + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    parts = [memory[first + start : first + start + size] for start, size in zip(starts.tolist(), sizes)]
    return [part.view(kind).reshape(shape) for part, (shape, kind) in zip(parts, wanted)]


def close_copies(*arrays: np.ndarray) -> list[np.ndarray]:
    """Copies of arrays, likewise."""
    made = close_zeros(*((array.shape, array.dtype) for array in arrays))
    for new, old in zip(made, arrays):
        new[...] = old
    return made
