"""overlapping_boxes(): pairs of axis-aligned boxes that overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from .cells import sorted_box_pairs


def overlapping_boxes(low: ArrayLike, high: ArrayLike) -> np.ndarray:
    """Pairs of axis-aligned boxes that overlap or touch, in time proportional to their number.

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
    return sorted_box_pairs(*corners)
