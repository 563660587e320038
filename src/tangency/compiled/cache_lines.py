"""Tables that begin at a cache line: rows of eight numbers, or multiples of that, then take whole lines."""

from __future__ import annotations

import math

import numpy as np

LINE = 8  # numbers in a cache line


def aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Zeros that begin at a cache line."""
    size = math.prod(shape)
    memory = np.zeros(size + LINE)
    start = -(memory.ctypes.data // 8) % LINE
    return memory[start : start + size].reshape(shape)
