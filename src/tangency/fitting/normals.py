"""Normals of a cloud: from its mesh, or from neighbours, all pointing outwards."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree
from scipy.spatial import cKDTree

from ..io.clouds import Cloud
from ..io.mesh_files import mesh_normals
from .closing_signs import closing_signs
from .orientation import enclosed

NEIGHBOURS = 12
CLOSED = 0.75  # share of the full solid angle that a closed cloud encloses
EDGE = 0.5  # cosine between the normals of neighbours on a smooth part
MOST_STRAY = 0.1  # largest share of normals that may have the wrong sign


def outward_normals(cloud: Cloud | np.ndarray, *, neighbours: int = NEIGHBOURS) -> np.ndarray:
    """Unit normals of a cloud, pointing out of the body.

    The normals of the cloud are used if it has any, else those of its triangles, else the direction in which the
    nearest neighbours of a point extend least, with signs that agree between neighbours (Hoppe et al. 1992).  In every
    connected part, the normal of the point that is farthest from the middle points outwards.

    If the cloud closes around a body, which shows in the solid angle that it subtends, normals that point
    inwards are turned around.  The side of an open cloud, such as a socket, is not known: given normals are kept.

    Raises
    ------
    ValueError
        If some of the given normals point outwards and others inwards.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> from tangency.fitting import outward_normals
    >>> n = np.random.default_rng(0).normal(size=(800, 3))
    >>> n /= np.linalg.norm(n, axis=1)[:, None]
    >>> bool(((outward_normals(2.0 * n) * n).sum(axis=1) > 0.9).all())
    True
    """
    points = np.asarray(getattr(cloud, "points", cloud), float)
    given = getattr(cloud, "normals", None)
    faces = getattr(cloud, "faces", None)
    _, near = cKDTree(points).query(points, min(neighbours, len(points)))
    if given is not None:
        return _judged(points, given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), 1e-300), near)
    if faces is not None and len(faces):
        return _judged(points, mesh_normals(points, faces), near)
    away = points[near] - points[near].mean(axis=1, keepdims=True)
    _, axes = np.linalg.eigh(np.einsum("kni,knj->kij", away, away))
    return _closing(points, _agreeing(points, axes[:, :, 0], near), near)


def _judged(points: np.ndarray, given: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The given normals, turned around if they point into a closed body; an error if they contradict each other."""
    share = enclosed(points, given)
    if abs(share) >= CLOSED:
        return given if share > 0.0 else -given
    # The same directions with signs that agree between neighbours show whether the cloud is closed at all.
    outward = _closing(points, _agreeing(points, given, near), near)
    own = enclosed(points, outward)
    if abs(own) >= CLOSED:
        outward = outward if own > 0.0 else -outward
        inward = float(((outward * given).sum(axis=1) < 0.0).mean())
        if MOST_STRAY < inward < 1.0 - MOST_STRAY:
            raise ValueError(
                f"normals must all point out of the body, but about {100 * inward:.0f} % of them point into it: "
                "give other normals, or none, so that they are estimated"
            )
        return given if inward <= MOST_STRAY else -given
    # Not closed, or the signs are not known: at least neighbours must agree.
    cosine = (given[:, None] * given[near]).sum(axis=2)
    against = float((cosine <= -EDGE).sum() / max((np.abs(cosine) >= EDGE).sum(), 1))
    if against > MOST_STRAY:
        raise ValueError(
            f"normals must all point out of the body, but {100 * against:.0f} % of neighbouring points have "
            "opposite ones: give other normals, or none, so that they are estimated"
        )
    return given


def _closing(points: np.ndarray, normals: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The normals with the signs for which the cloud closes around a body, if that is possible.

    Neighbours alone do not tell the signs across a sharp edge that is bent inwards, as between two balls that touch.
    """
    for found in (normals * closing_signs(points, normals, near)[:, None], normals):
        share = enclosed(points, found)
        if abs(share) >= CLOSED:
            return found if share > 0.0 else -found
    return normals


def _agreeing(points: np.ndarray, normals: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The normals with signs that agree along a tree through the most similar neighbours."""
    count = len(points)
    rows, columns = np.repeat(np.arange(count), near.shape[1]), near.ravel()
    difference = 1.0 - np.abs((normals[rows] * normals[columns]).sum(axis=1)) + 1e-6
    graph = csr_array((difference, (rows, columns)), shape=(count, count))
    graph = graph.maximum(graph.T)
    normals = normals.copy()
    _, part = connected_components(graph, directed=False)
    tree = minimum_spanning_tree(graph)
    for number in range(int(part.max()) + 1):
        own = np.flatnonzero(part == number)
        middle = points[own].mean(axis=0)
        root = own[np.linalg.norm(points[own] - middle, axis=1).argmax()]
        if normals[root] @ (points[root] - middle) < 0.0:
            normals[root] *= -1.0
        order, before = breadth_first_order(tree, root, directed=False)
        for k in order[1:]:
            if normals[k] @ normals[before[k]] < 0.0:
                normals[k] *= -1.0
    return normals
