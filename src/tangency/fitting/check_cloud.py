"""Validation of clouds: those that cannot be fitted are refused with a reason."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..io.clouds import Cloud
from .sampling import sampling_weights

FLAT = 1e-6  # relative extent below which a cloud counts as a plane or a line
FEWEST = 4  # points that determine a sphere, the simplest model


def check_cloud(points: ArrayLike | Cloud, unknowns: list[int]) -> np.ndarray:
    """The cloud as (N, 3) floats; `unknowns` are those of the models to fit."""
    points = getattr(points, "points", points)
    cloud = validate.numbers(points, "points", copy=True)
    if cloud.ndim != 2 or cloud.shape[1] != 3:
        raise ValueError(f"points must have shape (N, 3), got shape {cloud.shape}")
    if len(cloud) == 0:
        raise ValueError("points must not be empty, got a cloud of 0 points")
    bad = ~np.isfinite(cloud).all(axis=1)
    if bad.any():
        k = int(bad.argmax())
        raise ValueError(f"points must be finite, but {int(bad.sum())} are not, the first is points[{k}] = {cloud[k]}")
    different = len(np.unique(cloud, axis=0))
    need = max(unknowns, default=1)
    if different < need:
        again = f", {len(cloud) - different} of them duplicates" if different < len(cloud) else ""
        raise ValueError(
            f"points must contain at least {need} different points for this model, got {len(cloud)}{again}"
            f"{': use a simpler model' if need > FEWEST else ''}"
        )
    away = cloud - cloud.mean(axis=0)
    away /= max(np.abs(away).max(), 1e-300)
    extent = np.sqrt(np.maximum(np.linalg.eigvalsh(away.T @ away)[::-1], 0.0))
    if extent[1] <= FLAT * extent[0]:
        raise ValueError("points must span a surface, but they lie on a straight line")
    if extent[2] <= FLAT * extent[0]:
        raise ValueError("points must span a curved surface, but they lie in a plane: no body is determined")
    validate.lengths(np.abs(cloud).max(keepdims=True), "points")
    return cloud


def check_weights(weights: ArrayLike | str | None, cloud: np.ndarray) -> np.ndarray:
    """Weights with mean one."""
    if weights is None:
        return np.ones(len(cloud))
    if isinstance(weights, str):
        if weights != "sampling":
            raise ValueError(f"weights must be an array or 'sampling', got {weights!r}")
        return sampling_weights(cloud)
    shares = validate.array(weights, "weights")
    if shares.shape != (len(cloud),):
        raise ValueError(f"weights must have shape ({len(cloud)},), one per point, got shape {shares.shape}")
    if (shares < 0).any() or not (shares > 0).any():
        raise ValueError(f"weights must be >= 0 and not all zero, got {validate.short(shares)}")
    shares = shares / shares.max()
    return shares * (len(shares) / shares.sum())


def check_normals(normals: ArrayLike | None, cloud: np.ndarray) -> np.ndarray | None:
    """Unit normals, or None."""
    if normals is None:
        return None
    found = validate.vectors(normals, "normals")
    if found.shape != cloud.shape:
        raise ValueError(f"normals must have shape {cloud.shape}, one per point, got shape {found.shape}")
    return validate.directions(found, "normals")[0]
