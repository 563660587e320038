"""Signs of normals for which a cloud closes around a body, from one linear least-squares problem.

Seen from its own points, a closed surface with outward normals subtends half of the full solid angle (Gauss; for
normals of clouds: Lin et al. 2022, Surface reconstruction from point clouds without normals by parametrizing the
Gauss formula).  This is linear in the signs.  The signs of neighbours with similar normals agree, which is linear
as well.  Both conditions have one error per point and count the same; weights of the second one between 0.3 and 100
give the same numbers of parts of random teeth, dumbbells and Ls (seeds 4000 to 4039 of
``tests/fitting/test_fitting_parts.py``).  Solved for real numbers, their signs are those of the normals, also across
edges that are bent inwards, where neighbours alone mislead.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from .orientation import areas_of, solid_angles_of
from .sampling import poisson_disk

PATCHES = 1000  # of points whose signs are found together; one point each in a small cloud
SOURCES = 20000  # points that count as the surface
SMALL = 1e-6  # difference of normals between neighbours, so that none is zero; also the relative regularisation


def closing_signs(points: np.ndarray, normals: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Signs (N,) of the normals; `near` are the neighbours (N, K) of every point."""
    count = len(points)
    rows, columns = np.repeat(np.arange(count), near.shape[1]), near.ravel()
    rows, columns = rows[rows != columns], columns[rows != columns]
    cosine = (normals[rows] * normals[columns]).sum(axis=1)
    centres, patch, own = _patches(points, normals, csr_array((cosine, (rows, columns)), shape=(count, count)))
    patches = len(centres)
    # Half of the solid angle, seen from the centre of every patch
    some = np.random.default_rng(0).permutation(count)[:SOURCES]
    area = areas_of(points[some])
    pieces = normals[some] * (own[some] * area)[:, None]
    angle = solid_angles_of(points[centres], points[some], pieces, np.sqrt(area), patch[some], patches)
    # Agreement with neighbours: the mean over the edges of a patch
    agreement = own[rows] * own[columns] * cosine * np.abs(cosine)
    edges = np.bincount(patch[rows], minlength=patches)[patch[rows]]
    similar = csr_array((agreement / edges, (patch[rows], patch[columns])), shape=(patches, patches)).toarray()
    similar = 0.5 * (similar + similar.T)
    np.fill_diagonal(similar, 0.0)
    matrix = angle.T @ angle + np.diag(np.abs(similar).sum(axis=1)) - similar
    matrix[np.diag_indices(patches)] += SMALL * matrix.trace() / patches
    signs = solve(matrix, 0.5 * angle.sum(axis=0), assume_a="pos")
    return own * np.where(signs < 0.0, -1.0, 1.0)[patch]


def _patches(points: np.ndarray, normals: np.ndarray, cosine: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centres of patches, the patch of every point, and its sign relative to the centre, along similar neighbours."""
    count = len(points)
    own = np.ones(count)
    if count <= PATCHES:
        return np.arange(count), np.arange(count), own
    centres = poisson_disk(points, count=PATCHES)
    graph = cosine.copy()
    graph.data = 1.0 - np.abs(graph.data) + SMALL
    graph = graph.maximum(graph.T)
    far, before, centre = dijkstra(graph, directed=False, indices=centres, min_only=True, return_predecessors=True)
    alone = np.flatnonzero(~np.isfinite(far))  # no path to a centre
    centre[alone] = alone
    for k in np.argsort(far, kind="stable"):
        if before[k] >= 0:
            own[k] = own[before[k]] * (1.0 if normals[k] @ normals[before[k]] >= 0.0 else -1.0)
    centres, patch = np.unique(centre, return_inverse=True)
    return centres, patch, own
