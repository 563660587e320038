"""Functions count references, or not, as each of their callers does."""

import sys

import numba
import numpy as np

from tangency.compiled.jit import OPTIONS, borrowed, jit, uncounted


@jit
def _both(x, y):
    return x, y


@uncounted
def _sum(x, y):
    x, y = _both(x, y)
    return x[0] + y[0]


@numba.njit(**OPTIONS)
def _uncounted_caller(x, y):
    return _sum(borrowed(x), borrowed(y))


@numba.njit(**OPTIONS)
def _counted_caller(x, y):
    x, y = _both(x, y)
    return x[0] - y[0]


def test_a_function_first_compiled_without_counting_counts_for_other_callers():
    # Before, every call gave back a reference that it had not taken: after a few the memory was freed while in use.
    x, y = np.full(3, 2.0), np.ones(3)
    held = [x] * 50, [y] * 50
    before = sys.getrefcount(x), sys.getrefcount(y)
    assert _uncounted_caller(x, y) == 3.0
    for _ in range(5):
        assert _counted_caller(x, y) == 1.0
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before
    assert len(held[0]) == 50
