"""Which way the normals of a cloud point, from the solid angle that the cloud subtends.

Seen from a place inside, a closed surface with outward normals subtends the solid angle 4 pi; seen from outside, zero
(Gauss; for point clouds: Barill et al. 2018, Fast winding numbers).  With inward normals it is -4 pi and zero.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
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
    rng = np.random.default_rng(0)
    some = rng.permutation(len(points))[:SOURCES]
    p, n = points[some], normals[some]
    area = areas_of(p)
    at = rng.permutation(len(p))[:PLACES]
    step = (BESIDE * np.sqrt(area[at]))[:, None] * n[at]
    places = np.concatenate([p[at] - step, p[at] + step])
    whole = solid_angles_of(places, p, n * area[:, None], np.zeros(len(p)), np.zeros(len(p), int), 1)
    return 2.0 * float(whole.mean())


def areas_of(points: np.ndarray) -> np.ndarray:
    """The area that every point stands for, from the distances of its neighbours."""
    reach = cKDTree(points).query(points, min(NEIGHBOURS + 1, len(points)))[0][:, -1]
    return np.pi * reach**2 / min(NEIGHBOURS, max(len(points) - 1, 1))


def solid_angles_of(
    places: np.ndarray, points: np.ndarray, areas: np.ndarray, widths: np.ndarray, part: np.ndarray, parts: int
) -> np.ndarray:
    """Solid angles (places, parts), as shares of 4 pi, that parts of a surface of small pieces subtend.

    `areas` are normals times areas; nearer than its width, a piece is seen as from its width.
    """
    found = []
    into = csr_array((np.ones(len(points)), (np.arange(len(points)), part)), shape=(len(points), parts))
    for some in np.array_split(places, 1 + len(places) * len(points) // AT_ONCE):
        away = points - some[:, None]
        distance = np.maximum(np.maximum(np.linalg.norm(away, axis=2), widths), 1e-300)
        found.append((np.einsum("kni,ni->kn", away, areas) / distance**3) @ into)
    return np.concatenate(found) / (4.0 * np.pi)
