"""Large arrays that are used again: fresh memory costs more than the contacts that are written into it.

The operating system hands out pages one by one and cleared, some 30 ns per contact.  A borrowed array
gives its memory back when the last view of it is gone, and the next call of the same size gets it.
"""

from __future__ import annotations

import math
import os
import threading
from typing import Any

import numpy as np

MIN_BYTES_KEPT = 1 << 18  # bytes; smaller arrays are cheap anyway
MAX_BYTES_AT_REST = 1 << 28  # bytes at rest, at most
_rest: list[np.ndarray] = []
_lock = threading.RLock()  # the collector may run, and drop another loan, while it is held


def _renew() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class _Loan:
    """Owner of a borrowed array: NumPy drops it with the last view."""

    def __init__(self, memory: np.ndarray) -> None:
        self.memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        with _lock:
            if sum(m.nbytes for m in _rest) + self.memory.nbytes <= MAX_BYTES_AT_REST:
                _rest.append(self.memory)


def borrow(shape: int | tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """As ``np.empty``."""
    size = math.prod(shape) if isinstance(shape, tuple) else shape
    needed = size * np.dtype(dtype).itemsize
    if needed < MIN_BYTES_KEPT:
        return np.empty(shape, dtype)
    memory = None
    with _lock:
        for k in range(len(_rest)):
            if needed <= _rest[k].nbytes <= 2 * needed:
                memory = _rest.pop(k)
                break
        else:
            if _rest:
                del _rest[0]  # what nobody asks for makes room
    if memory is None:
        memory = np.empty(needed, np.uint8)
    return np.asarray(_Loan(memory))[:needed].view(dtype).reshape(shape)
