"""Reuse of large arrays: fresh memory costs more than computing the contacts written to it.

The operating system provides pages one by one and zeroed, about 30 ns per contact.  A borrowed array
returns its memory when its last view is deleted, and the next call of similar size reuses it.
"""

from __future__ import annotations

import math
import os
import threading
from typing import Any

import numpy as np

MIN_BYTES_KEPT = 1 << 18  # bytes; smaller arrays are cheap
MAX_BYTES_AT_REST = 1 << 28  # most unused bytes that are kept
_rest: list[np.ndarray] = []
_lock = threading.RLock()  # reentrant: garbage collection may release another loan while it is held


def _renew() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class _Loan:
    """Owner of a borrowed array; NumPy deletes it with the last view."""

    def __init__(self, memory: np.ndarray) -> None:
        self.memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        with _lock:
            if sum(m.nbytes for m in _rest) + self.memory.nbytes <= MAX_BYTES_AT_REST:
                _rest.append(self.memory)


def borrow(shape: int | tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Uninitialised array, as from ``np.empty``."""
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
                del _rest[0]  # make room by dropping the oldest
    if memory is None:
        memory = np.empty(needed, np.uint8)
    return np.asarray(_Loan(memory))[:needed].view(dtype).reshape(shape)
