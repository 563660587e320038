"""Thinning and cleaning of clouds (Lopes thesis, 3.2.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from ..io import validate

NEIGHBOURS = 8


def _cloud(points: Any) -> np.ndarray:
    cloud = validate.array(getattr(points, "points", points), "points")
    if cloud.ndim != 2 or cloud.shape[1] != 3:
        raise ValueError(f"points must have shape (N, 3), got shape {cloud.shape}")
    return cloud


def poisson_disk(
    points: ArrayLike, radius: float | None = None, *, count: int | None = None, seed: int = 0
) -> np.ndarray:
    """Indices of points at least `radius` apart, chosen at random; their neighbours are discarded.

    Parameters
    ----------
    points : (N, 3) array_like
        The cloud.
    radius : float, optional
        Radius of the open ball around each kept point in which no other point is kept.
    count : int, optional
        Approximate number of points to keep, instead of the radius, which is then found by bisection.
    seed : int
        Seed of the random order.

    Returns
    -------
    (M,) array of int
        Indices of the points to keep.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency.fitting import poisson_disk
    >>> line = np.stack([np.arange(100.0), np.zeros(100), np.zeros(100)], axis=1)
    >>> kept = poisson_disk(line, 9.5)
    >>> bool(np.diff(line[kept, 0]).min() > 9.5)
    True
    """
    cloud = _cloud(points)
    if (radius is None) == (count is None):
        raise ValueError(f"give either radius or count, got radius={radius!r} and count={count!r}")
    order = np.random.default_rng(seed).permutation(len(cloud))
    tree = cKDTree(cloud)
    if radius is not None:
        if not radius > 0:
            raise ValueError(f"radius must be > 0, got {radius!r}")
        return _kept(tree, cloud, order, float(radius))
    assert count is not None
    if count < 1:
        raise ValueError(f"count must be >= 1, got {count!r}")
    if count >= len(cloud):
        return np.arange(len(cloud))
    low, high = 0.0, float(np.linalg.norm(np.ptp(cloud, axis=0)))
    best = np.arange(len(cloud))
    for _ in range(24):
        middle = 0.5 * (low + high)
        kept = _kept(tree, cloud, order, middle)
        if abs(len(kept) - count) < abs(len(best) - count):
            best = kept
        if abs(len(kept) - count) <= 0.01 * count:
            break
        low, high = (middle, high) if len(kept) > count else (low, middle)
    return best


def _kept(tree: cKDTree, cloud: np.ndarray, order: np.ndarray, radius: float) -> np.ndarray:
    free = np.ones(len(cloud), bool)
    kept = []
    for k in order:
        if free[k]:
            kept.append(k)
            free[tree.query_ball_point(cloud[k], radius)] = False
    return np.sort(np.array(kept, dtype=np.int64))


def without_duplicates(points: ArrayLike, tolerance: float = 0.0) -> np.ndarray:
    """Indices of the points, without those that repeat an earlier one to within `tolerance`.

    Examples
    --------
    >>> from tangency.fitting import without_duplicates
    >>> without_duplicates([[0, 0, 0], [1, 0, 0], [0, 0, 0]]).tolist()
    [0, 1]
    """
    cloud = _cloud(points)
    if tolerance <= 0.0:
        return np.sort(np.unique(cloud, axis=0, return_index=True)[1])
    return _kept(cKDTree(cloud), cloud, np.arange(len(cloud)), tolerance)


def without_outliers(points: ArrayLike, *, neighbours: int = NEIGHBOURS, limit: float = 5.0) -> np.ndarray:
    """Indices of the points whose neighbours are not unusually far away.

    A point is dropped if the mean distance to its nearest `neighbours` exceeds the median of all by `limit`
    robust standard deviations.  Wrong points near the surface are left to a robust loss.
    """
    cloud = _cloud(points)
    count = min(neighbours, len(cloud) - 1)
    if count < 1:
        return np.arange(len(cloud))
    distance = cKDTree(cloud).query(cloud, count + 1)[0][:, 1:].mean(axis=1)
    middle = float(np.median(distance))
    spread = max(1.4826 * float(np.median(np.abs(distance - middle))), 0.05 * middle)
    return np.flatnonzero(distance <= middle + limit * spread)


def sampling_weights(points: ArrayLike, neighbours: int = NEIGHBOURS) -> np.ndarray:
    """Weights, mean one, proportional to the area that each point represents.

    Estimated from the distance to the nearest neighbours; for clouds of uneven density.
    """
    cloud = _cloud(points)
    count = min(neighbours, len(cloud) - 1)
    distance = cKDTree(cloud).query(cloud, count + 1)[0][:, 1:].max(axis=1)
    middle = float(np.median(distance))
    area = np.clip(distance, 0.05 * middle, 20.0 * middle) ** 2 if middle > 0 else np.ones(len(cloud))
    return area * (len(area) / area.sum())
