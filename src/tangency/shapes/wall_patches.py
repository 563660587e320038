"""The patches of a mesh wall: parts without sharp edges, with the features that bodies touch.

A body makes one contact with a patch, wherever it is deepest.  Friction therefore keeps its memory from triangle to
triangle, and a body in a finely divided hollow, whose contact covers many triangles, does not feel each of them.

A convex edge between two patches belongs to both: to each with the normals that are closer to its own side.  So does a
corner.  A body that tips over an edge has one contact all the time, and changes the patch half way.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..compiled.jit import entry, jit
from ..geometry.triangle_mesh import TriangleMesh
from ..geometry.wedges import Wedges, normals_of, wedges_of
from .wall_features import (
    ALONG,
    ANGLE,
    CORNER,
    COUNT,
    EDGE,
    FACE,
    FEATURE,
    FIRST,
    FIRST_HALF,
    HALF,
    KIND,
    LATER,
    LENGTH,
    PLACE,
    PLANE,
    RIM,
    RIM_COLUMNS,
    SECOND_HALF,
    SIDE_1,
    SIDE_2,
    START,
    STEEPEST,
    WallPatch,
)

FLAT = 1e-9  # angle between two faces that counts as none [rad]
BENT = 1e-3  # angle at an edge above which the faces beside it are not in one plane [rad]
LARGEST = math.pi - 1e-3  # angle by which a wall rises or falls [rad]


def patches_of(mesh: TriangleMesh, crease: float) -> list[WallPatch]:
    """Patches of a mesh, divided at edges with a larger angle than `crease` [rad]."""
    normals = normals_of(mesh)
    wedges = wedges_of(mesh, normals)
    smooth, count = bends_of(wedges) <= max(crease, FLAT), 2 * len(mesh.triangles)
    joined = wedges.sides[smooth]
    graph = coo_array((np.ones(len(joined)), (joined[:, 0], joined[:, 1])), (count, count))
    number, patch_of = connected_components(graph, directed=False)
    bent = np.zeros(number, bool)
    bent[patch_of[joined[bends_of(wedges)[smooth] > BENT, 0]]] = True
    groups = [_faces(mesh, normals, wedges, patch_of), _edges(mesh, normals, wedges, patch_of)]
    corners, directions = _corners(mesh, normals, wedges, patch_of)
    groups.append(corners)
    owner, features, low, high = (np.concatenate(parts) for parts in zip(*groups))
    order = np.argsort(owner, kind="stable")
    parts = np.split(order, np.searchsorted(owner[order], np.arange(1, number)))
    found = []
    for own, curved in zip(parts, bent):
        rows = features[own]
        seen = rows[:, KIND] == CORNER
        sizes = rows[seen, COUNT : LATER + 1].sum(axis=1)
        lists = [directions[int(first) : int(first + size)] for first, size in zip(rows[seen, FIRST], sizes)]
        rows[seen, FIRST] = np.cumsum(sizes) - sizes
        found.append(WallPatch(rows, low[own], high[own], np.concatenate([np.zeros((0, 3)), *lists]), not curved))
    return found


def bends_of(wedges: Wedges) -> np.ndarray:
    """Angles between the two faces of all wedges, 0 where they lie in one plane [rad]."""
    return np.abs(wedges.opening - math.pi)


def _side_normals(normals: np.ndarray, sides: np.ndarray) -> np.ndarray:
    return normals[sides // 2] * np.where(sides % 2 == 0, 1.0, -1.0)[..., None]


def _faces(mesh: TriangleMesh, normals: np.ndarray, wedges: Wedges, patch_of: np.ndarray) -> tuple:
    """Both sides of all triangles."""
    sides = np.arange(2 * len(mesh.triangles))
    corners = mesh.points[mesh.triangles[sides // 2]]
    rows = np.zeros((len(sides), FEATURE))
    n = _side_normals(normals, sides)
    rows[:, KIND], rows[:, PLANE : PLANE + 3] = FACE, n
    rows[:, PLANE + 3] = (n * corners.mean(axis=1)).sum(axis=1)
    rise = np.clip(np.tan(0.5 * np.clip(math.pi - wedges.opening, -LARGEST, LARGEST)), -STEEPEST, STEEPEST)
    same = patch_of[wedges.sides[:, 0]] == patch_of[wedges.sides[:, 1]]
    for k in range(2):
        side, column = wedges.sides[:, k], RIM + RIM_COLUMNS * wedges.corner[:, k]
        start = mesh.points[wedges.edges[wedges.edge, 0]]
        for c in range(3):
            rows[side, column + c] = wedges.inward[:, k, c]
        rows[side, column + 3] = (wedges.inward[:, k] * start).sum(axis=1)
        rows[side, column + 4], rows[side, column + 5] = np.where(np.abs(rise) > FLAT, rise, 0.0), same
        across = np.cross(n[side], wedges.inward[:, k])
        ends = np.einsum("wc,wec->we", across, mesh.points[wedges.edges[wedges.edge]])
        rows[side, column + 6], rows[side, column + 7] = ends.min(axis=1), ends.max(axis=1)
    return patch_of, rows, corners.min(axis=1), corners.max(axis=1)


def _edges(mesh: TriangleMesh, normals: np.ndarray, wedges: Wedges, patch_of: np.ndarray) -> tuple:
    """Edges of convex wedges; those between two patches twice."""
    own = np.flatnonzero(wedges.opening > math.pi + FLAT)
    edge, sides = wedges.edge[own], wedges.sides[own]
    ends = mesh.points[wedges.edges[edge]]
    rows = np.zeros((len(own), FEATURE))
    rows[:, KIND], rows[:, START : START + 3] = EDGE, ends[:, 0]
    rows[:, ALONG : ALONG + 3], rows[:, LENGTH] = wedges.along[edge], wedges.length[edge]
    for k, column in enumerate((SIDE_1, SIDE_2)):
        m = wedges.inward[own, k]
        rows[:, column : column + 3] = _side_normals(normals, sides[:, k])
        rows[:, column + 3 : column + 6], rows[:, column + 6] = m, (m * ends[:, 0]).sum(axis=1)
    rows[:, ANGLE] = wedges.opening[own] - math.pi
    first, second = patch_of[sides].T
    apart = np.flatnonzero(first != second)
    rows[apart, HALF] = FIRST_HALF
    twice = rows[apart].copy()
    twice[:, HALF] = SECOND_HALF
    low, high = ends.min(axis=1), ends.max(axis=1)
    owner = np.concatenate([first, second[apart]])
    return owner, *(np.concatenate(both) for both in ((rows, twice), (low, low[apart]), (high, high[apart])))


def _corners(mesh: TriangleMesh, normals: np.ndarray, wedges: Wedges, patch_of: np.ndarray) -> tuple[tuple, np.ndarray]:
    """Corners that a plane can touch alone, once for each patch there, and their unit vectors."""
    count = len(mesh.points)
    ends = np.concatenate([wedges.edges[:, 0], wedges.edges[:, 1]])
    along = np.concatenate([wedges.along, -wedges.along])
    order = np.argsort(ends, kind="stable")
    directions, first = np.ascontiguousarray(along[order]), np.searchsorted(ends[order], np.arange(count + 1))
    own = np.flatnonzero(wedges.opening > math.pi + FLAT)
    seen, found = np.zeros((count, 3)), np.zeros(count, np.int64)
    possible = np.zeros(count, bool)
    possible[wedges.edges[wedges.edge[own]]] = True
    _see_corners(directions, first, possible, seen, found)
    # The faces of convex wedges at each corner.
    corner, side = np.repeat(wedges.edges[wedges.edge[own]], 2, axis=1).ravel(), np.tile(wedges.sides[own], 2).ravel()
    corner, side = np.unique(np.stack([corner, side], axis=1)[found[corner] != 0], axis=0).T
    faces, start = _side_normals(normals, side), np.searchsorted(corner, np.arange(count + 1))
    owner, rows, lists, total = [], [], [np.zeros((0, 3))], 0
    for v in np.flatnonzero(found):
        here, edges = faces[start[v] : start[v + 1]], directions[first[v] : first[v + 1]]
        patch = patch_of[side[start[v] : start[v + 1]]]
        for p in np.unique(patch):
            parts = edges, here[patch == p], here[patch < p], here[patch > p]
            owner.append(p)
            rows.append([CORNER, *mesh.points[v], *seen[v], total, *map(len, parts)])
            lists += parts
            total += len(edges) + len(here)
    table = np.zeros((len(rows), FEATURE))
    if rows:
        table[:, : LATER + 1] = rows
    places = table[:, PLACE : PLACE + 3]
    return (np.array(owner, np.int64), table, places, places), np.concatenate(lists)


@entry
def _see_corners(directions, first, possible, seen, found):
    """Write to `seen` a direction from which each corner hides all its edges, and to `found` whether there is one.

    The directions u with u.t <= 0 for all edges t form a cone, whose extreme rays are normal to two edges; their sum
    lies inside.  If the edges lie in a plane, the cone contains its normals, and minus the sum of the edges does.
    """
    for v in range(first.shape[0] - 1):
        if not possible[v]:
            continue
        rays, back = np.zeros(3), np.zeros(3)
        for i in range(first[v], first[v + 1]):
            back -= directions[i]
            for j in range(i + 1, first[v + 1]):
                ray = np.cross(directions[i], directions[j])
                length = math.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2)
                for sign in (1.0, -1.0):
                    if length > FLAT and _highest(directions, first, v, sign * ray / length) <= FLAT:
                        rays += sign * ray / length
        for u in (rays, back):
            length = math.sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)
            if found[v] == 0 and length > FLAT and _highest(directions, first, v, u / length) < -FLAT:
                seen[v] = u / length
                found[v] = 1


@jit
def _highest(directions, first, v, u):
    """Largest product of u and the direction of an edge at corner v."""
    most = -1.0
    for k in range(first[v], first[v + 1]):
        most = max(most, directions[k, 0] * u[0] + directions[k, 1] * u[1] + directions[k, 2] * u[2])
    return most
