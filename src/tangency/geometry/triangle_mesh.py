"""A triangle mesh made fit for use: corners merged, needless triangles left out, hanging corners joined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

MERGED = 1e-9  # corners closer than this are one, relative to the size of the mesh
THIN = 1e-9  # height of a triangle that counts as a line, relative to its longest edge


class TriangleMesh(NamedTuple):
    """Triangles in an order that does not depend on how they were given; the corners of each are in ascending order."""

    points: np.ndarray  #: (V, 3) corners, sorted
    triangles: np.ndarray  #: (F, 3) indices of corners
    remarks: tuple[str, ...]  #: what was changed, and where it is open or of mixed orientation, in sentences


def sound_mesh(points: np.ndarray, triangles: np.ndarray) -> TriangleMesh:
    """The mesh of finite points (V, 3) and triangles (F, 3) with valid indices, repaired where that changes no surface.

    Raises
    ------
    ValueError
        If no triangle with an area is left.
    """
    used, place = np.unique(triangles, return_inverse=True)
    size = float(np.linalg.norm(np.ptp(points[used], axis=0)))
    merged, numbers = _merged(points[used] + 0.0, MERGED * size)  # + 0.0: no negative zeros
    given, remarks = numbers[place.reshape(-1, 3)], []
    faces = np.sort(given, axis=1)
    distinct = np.asarray((np.diff(faces, axis=1) > 0).all(axis=1))
    thin = ~distinct
    thin[distinct] = _heights(merged, faces[distinct]) <= THIN
    if thin.any():
        remarks.append(f"{thin.sum()} triangles without an area were left out")
    kept = np.unique(faces[~thin], axis=0)
    if len(kept) < (~thin).sum():
        remarks.append(f"{(~thin).sum() - len(kept)} triangles that occurred before were left out")
    if not len(kept):
        raise ValueError(f"triangles must have an area, got {len(faces)} without one")
    joined = _joined(merged, kept, MERGED * size)
    if joined is not kept:
        remarks.append(f"{len(joined) - len(kept)} triangles were divided at corners of others on their edges")
    used, place = np.unique(joined, return_inverse=True)
    triangles = np.unique(np.sort(place.reshape(-1, 3), axis=1), axis=0)
    remarks += _oriented(given[~thin]) + _open(triangles)
    return TriangleMesh(merged[used], triangles, tuple(remarks))


def _oriented(faces: np.ndarray) -> list[str]:
    """A sentence if neighbouring triangles, with their corners in the given order, face opposite sides."""
    sides = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    edges, place, count = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True, return_counts=True)
    forward = np.bincount(place.reshape(-1), sides[:, 0] < sides[:, 1], len(edges))
    mixed = int(((count == 2) & (forward != 1)).sum())
    return [f"the triangles at {mixed} edges face opposite sides, which does not matter"] if mixed else []


def _open(faces: np.ndarray) -> list[str]:
    """A sentence if some edges belong to one triangle only."""
    edges, place = edges_of(faces)
    single = int((np.bincount(place.ravel(), minlength=len(edges)) == 1).sum())
    return [f"the wall is open at {single} edges, which belong to one triangle only"] if single else []


def _merged(points: np.ndarray, distance: float) -> tuple[np.ndarray, np.ndarray]:
    """Distinct points in ascending order, and the number of each given point among them."""
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    near = cKDTree(distinct).query_pairs(distance, output_type="ndarray")
    if not len(near):
        return distinct, place.reshape(-1)
    count = len(distinct)
    graph = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])), (count, count))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)  # the first of each
    order = np.argsort(first)
    rank = np.empty(len(first), np.int64)
    rank[order] = np.arange(len(first))
    return distinct[first[order]], rank[label][place.reshape(-1)]


def _heights(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Smallest height of each triangle, relative to its longest edge."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    longest = np.max([(e * e).sum(axis=1) for e in (b - a, c - b, a - c)], axis=0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / longest


def edges_of(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges (E, 2) in ascending order, and the edge of each side (F, 3) of each triangle; side k lies opposite k."""
    sides = np.stack([faces[:, [1, 2]], faces[:, [0, 2]], faces[:, [0, 1]]], axis=1)
    edges, place = np.unique(sides.reshape(-1, 2), axis=0, return_inverse=True)
    return edges, place.reshape(-1, 3)


def _joined(points: np.ndarray, faces: np.ndarray, distance: float) -> np.ndarray:
    """The triangles, divided where the corner of another lies on an edge that only one of them has.

    Otherwise such an edge would count as the rim of an opening.
    """
    while True:
        edges, place = edges_of(faces)
        count = np.bincount(place.ravel(), minlength=len(edges))
        face, side = np.nonzero(count[place] == 1)
        corners = np.unique(edges[count == 1])
        if not len(face):
            return faces
        tree, cuts = cKDTree(points[corners]), {}
        start, stop = (points[edges[place[face, side], k]] for k in range(2))
        half = 0.5 * np.linalg.norm(stop - start, axis=1)
        for f, s, near, a, b, reach in zip(
            face, side, tree.query_ball_point(0.5 * (start + stop), half), start, stop, half
        ):
            t, x = (b - a) / (2.0 * reach), points[corners[near]] - a
            along = x @ t
            on = (np.linalg.norm(x - along[:, None] * t, axis=1) <= distance) & (along > distance)
            on &= along < 2.0 * reach - distance
            if on.any() and f not in cuts:  # one side at a time
                cuts[f] = s, corners[near][on][np.argsort(along[on], kind="stable")]
        if not cuts:
            return faces
        parts = [faces[~np.isin(np.arange(len(faces)), list(cuts))]]
        for f, (s, inner) in cuts.items():
            first, last = np.delete(faces[f], s)
            chain = np.concatenate([[first], inner, [last]])
            parts.append(np.stack([chain[:-1], chain[1:], np.full(len(chain) - 1, faces[f, s])], axis=1))
        faces = np.unique(np.sort(np.concatenate(parts), axis=1), axis=0)
