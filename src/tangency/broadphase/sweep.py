"""Sweep and prune: pairs of axis-aligned boxes that overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import entry, jit
from ..io import validate


@jit
def sweep(low, high, order, pairs):
    """Write the overlapping boxes, each pair (i, j) with i < j once; return their number.

    `order` is a permutation of the boxes from an earlier call, nearly sorted if the boxes moved little.
    If `pairs` is too short, the remaining pairs are only counted.
    """
    n = low.shape[0]
    for k in range(1, n):  # insertion sort: linear for a nearly sorted list
        i = order[k]
        x, m = low[i, 0], k - 1
        while m >= 0 and low[order[m], 0] > x:
            order[m + 1] = order[m]
            m -= 1
        order[m + 1] = i
    count = 0
    for k in range(n):
        i = order[k]
        for m in range(k + 1, n):
            j = order[m]
            if low[j, 0] > high[i, 0]:
                break
            if (
                low[i, 1] <= high[j, 1]
                and low[j, 1] <= high[i, 1]
                and low[i, 2] <= high[j, 2]
                and low[j, 2] <= high[i, 2]
            ):
                if count < pairs.shape[0]:
                    pairs[count, 0], pairs[count, 1] = min(i, j), max(i, j)
                count += 1
    return count


@entry
def sweep_boxes(low, high, order, pairs):
    """As :func:`sweep`, for calls from Python."""
    return sweep(low, high, order, pairs)


def overlapping_boxes(low: ArrayLike, high: ArrayLike) -> np.ndarray:
    """Pairs of axis-aligned boxes that overlap or touch.

    Parameters
    ----------
    low, high : (N, 3) array_like
        Corners of the boxes [m]; infinite ones stand for unbounded bodies.

    Returns
    -------
    (M, 2) array of int
        Numbers of the boxes, the smaller first, in ascending order.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.broadphase.overlapping_boxes([[0, 0, 0], [1, 1, 1], [5, 0, 0]], [[2, 2, 2], [3, 3, 3], [6, 1, 1]]).tolist()
    [[0, 1]]
    """
    corners = [np.array(validate.numbers(value, name)) for value, name in ((low, "low"), (high, "high"))]
    for value, name in zip(corners, ("low", "high")):
        if value.ndim != 2 or value.shape[1] != 3:
            raise ValueError(f"{name} must have shape (N, 3), got shape {value.shape}")
        if np.isnan(value).any():
            raise ValueError(f"{name} must not contain NaN, got {validate.short(value)}")
    if corners[0].shape != corners[1].shape:
        raise ValueError(f"low and high must have the same shape, got {corners[0].shape} and {corners[1].shape}")
    if (corners[0] > corners[1]).any():
        k = int((corners[0] > corners[1]).any(axis=1).argmax())
        raise ValueError(f"low must be <= high, got {corners[0][k].tolist()} and {corners[1][k].tolist()}")
    order = np.argsort(corners[0][:, 0], kind="stable")
    pairs = np.empty((16 + 8 * len(order), 2), np.int64)
    count = sweep_boxes(*corners, order, pairs)
    if count > len(pairs):
        pairs = np.empty((count, 2), np.int64)
        sweep_boxes(*corners, order, pairs)
    found = pairs[:count]
    return found[np.lexsort((found[:, 1], found[:, 0]))]
