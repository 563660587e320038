"""Which way the normals of a cloud point, from the solid angle that the cloud subtends.

Seen from a place inside, a closed surface with outward normals subtends the solid angle 4 pi; seen from outside, zero
(Gauss; for point clouds: Barill et al. 2018, Fast winding numbers).  With inward normals it is -4 pi and zero.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

SOURCES, PLACES = 20000, 300  # points that count as the surface, and points next to which the angle is computed
NEIGHBOURS = 8  # whose distance gives the area that a point stands for
BESIDE = 1.5  # distance of these places from the surface, in distances between neighbours
AT_ONCE = 2_000_000  # pairs of points


def enclosed(points: np.ndarray, normals: np.ndarray) -> float:
    """How much of the full solid angle a cloud encloses: 1 if closed with outward normals, -1 with inward ones.

    An open cloud is in between: a hemisphere has about 0.6, a plane 0.  Normals whose signs contradict each
    other cancel.
    """
    return float(enclosed_by(points, normals, np.zeros(len(points), int)).sum())


def enclosed_by(points: np.ndarray, normals: np.ndarray, part: np.ndarray) -> np.ndarray:
    """What every part of a cloud adds to :func:`enclosed`; it changes its sign with the normals of the part."""
    rng = np.random.default_rng(0)
    some = rng.permutation(len(points))[:SOURCES]
    p, n, owner = points[some], normals[some], part[some]
    reach = cKDTree(p).query(p, min(NEIGHBOURS + 1, len(p)))[0][:, -1]
    area = np.pi * reach**2 / min(NEIGHBOURS, max(len(p) - 1, 1))
    at = rng.permutation(len(p))[:PLACES]
    step = (BESIDE * np.sqrt(area[at]))[:, None] * n[at]
    places = np.concatenate([p[at] - step, p[at] + step])
    own = [owner == k for k in range(int(part.max()) + 1)]
    return np.array([2.0 * solid_angles(places, p[k], n[k] * area[k, None]).mean() for k in own])


def solid_angles(places: np.ndarray, points: np.ndarray, areas: np.ndarray) -> np.ndarray:
    """Solid angle, as a share of 4 pi, that a surface of small pieces subtends; `areas` are normals times areas."""
    found = []
    for part in np.array_split(places, 1 + len(places) * len(points) // AT_ONCE):
        away = points - part[:, None]
        distance = np.linalg.norm(away, axis=2)
        found.append((np.einsum("kni,ni->kn", away, areas) / np.maximum(distance, 1e-300) ** 3).sum(axis=1))
    return np.concatenate(found) / (4.0 * np.pi)
