"""Parts of a body that are nearly convex, from lines of sight through its inside (Asafi, Goren and Cohen-Or 2013).

In a convex part every point of the surface sees every other one.  The matrix of who sees whom is divided into clusters
by its leading eigenvectors.
"""

from __future__ import annotations

import numpy as np
from scipy.cluster.vq import kmeans2
from scipy.spatial import cKDTree

from .sampling import poisson_disk

SAMPLES = 260  # points between which lines of sight are drawn
ALONG = np.array([0.08, 0.2, 0.35, 0.5, 0.65, 0.8, 0.92])  # places on a line
BELOW = 0.04  # depth below the surface of the ends of a line, in sizes of the cloud
OUTSIDE = 0.01  # height above the surface that counts as outside, in sizes
HIDDEN = 0.06  # largest share of hidden pairs in a part that counts as convex
RESTARTS = 12
MOST_ALONE = 0.15  # largest share of points that see hardly any other one


def parts_of(points: np.ndarray, normals: np.ndarray, count: int | None, most: int) -> tuple[np.ndarray, list[float]]:
    """Number of the part of every point, and the share of hidden pairs for one, two, ... parts."""
    size = float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))
    chosen = poisson_disk(points, count=min(SAMPLES, len(points)))
    seen = _seen(points, normals, chosen, size)
    alone = float((seen.sum(axis=1) <= 0.02 * len(seen)).mean())
    if alone > MOST_ALONE:
        raise ValueError(
            f"normals must point outwards, but {100 * alone:.0f} % of the points see no other one through the body: "
            "give normals or a mesh, or more points, from which they can be estimated"
        )
    hidden: list[float] = []
    labels = np.zeros(len(chosen), int)
    for k in range(1, (count or most) + 1):
        labels = _clusters(seen, k)
        hidden.append(_hidden(seen, labels))
        if count is None and hidden[-1] <= HIDDEN:
            break
    if count is None and hidden[-1] > HIDDEN:
        labels = _clusters(seen, 1 + int(np.argmin(hidden)))
    _, near = cKDTree(points[chosen]).query(points)
    return labels[near], hidden


def _seen(points: np.ndarray, normals: np.ndarray, chosen: np.ndarray, size: float) -> np.ndarray:
    """Whether the straight line between two points of the surface stays inside, for all pairs."""
    tree = cKDTree(points)
    ends = points[chosen] - BELOW * size * normals[chosen]
    i, j = np.triu_indices(len(chosen), 1)
    clear = np.ones(len(i), bool)
    for t in ALONG:
        at = np.flatnonzero(clear)
        place = (1.0 - t) * ends[i[at]] + t * ends[j[at]]
        _, near = tree.query(place)
        height = ((place - points[near]) * normals[near]).sum(axis=1)
        clear[at[height > OUTSIDE * size]] = False
    seen = np.eye(len(chosen))
    seen[i, j] = seen[j, i] = clear
    return seen


def _clusters(seen: np.ndarray, count: int) -> np.ndarray:
    """Clusters of a matrix of ones and zeros by its leading eigenvectors (Ng, Jordan and Weiss 2002)."""
    if count == 1:
        return np.zeros(len(seen), int)
    root = 1.0 / np.sqrt(seen.sum(axis=1))
    _, vectors = np.linalg.eigh(seen * np.outer(root, root))
    rows = vectors[:, -count:]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    best, least = np.zeros(len(seen), int), np.inf
    for seed in range(RESTARTS):
        centres, labels = kmeans2(rows, count, minit="++", rng=np.random.default_rng(seed), missing="warn")
        hidden = _hidden(seen, labels) + 1e-3 * float(((rows - centres[labels]) ** 2).sum(axis=1).mean())
        if len(np.unique(labels)) == count and hidden < least:
            best, least = labels, hidden
    return best


def _hidden(seen: np.ndarray, labels: np.ndarray) -> float:
    """Share of pairs within the clusters that do not see each other."""
    blind, pairs = 0.0, 0.0
    for k in range(int(labels.max()) + 1):
        own = np.flatnonzero(labels == k)
        pairs += len(own) ** 2
        blind += len(own) ** 2 - float(seen[np.ix_(own, own)].sum())
    return blind / max(pairs, 1.0)
