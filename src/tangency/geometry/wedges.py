"""The wedges of free space around the edges of a triangle mesh, between the sides of two neighbouring triangles.

Every triangle f has two sides: 2 f, to which its normal points, and 2 f + 1.  Around an edge with the unit vector t, a
triangle extends along m, perpendicular to t.  The triangles at an edge, ordered by the angle of m about t, leave a
wedge between each and the next.  It is bounded by the side of the first to which t x m points, and by the opposite one
of the second.  Its opening is below pi where the surface is concave, seen from there, pi where it is flat, beyond pi
where it is convex, and 2 pi at the rim of an opening, where one triangle is its own neighbour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .triangle_mesh import TriangleMesh, edges_of


class Wedges(NamedTuple):
    """W wedges, sorted by edge, and what they are made of."""

    edges: np.ndarray  #: (E, 2) corners of the edges
    along: np.ndarray  #: (E, 3) unit vectors t
    length: np.ndarray  #: (E,)
    edge: np.ndarray  #: (W,) edge of each wedge
    opening: np.ndarray  #: (W,) angle [rad]
    sides: np.ndarray  #: (W, 2) sides of triangles that bound it
    corner: np.ndarray  #: (W, 2) corner of each of these triangles that lies opposite the edge: 0, 1 or 2
    inward: np.ndarray  #: (W, 2, 3) unit vectors m from the edge into these triangles


def normals_of(mesh: TriangleMesh) -> np.ndarray:
    """Unit normals (F, 3)."""
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    return across / np.linalg.norm(across, axis=1, keepdims=True)


def wedges_of(mesh: TriangleMesh, normals: np.ndarray) -> Wedges:
    """All wedges of a mesh with the given normals."""
    points, faces = mesh.points, mesh.triangles
    edges, place = edges_of(faces)
    span = points[edges[:, 1]] - points[edges[:, 0]]
    length = np.linalg.norm(span, axis=1)
    along = span / length[:, None]
    face, corner = np.divmod(np.arange(place.size), 3)
    edge = place.ravel()
    m = np.cross(normals[face], along[edge])
    into = points[faces[face, corner]] - points[edges[edge, 0]]
    sign = np.where((m * into).sum(axis=1) < 0.0, -1.0, 1.0)
    m *= sign[:, None]
    # t x m is the normal times this sign: t x (n x t) = n.
    order = np.lexsort((face, edge))
    edge, face, corner, m, sign = edge[order], face[order], corner[order], m[order], sign[order]
    first = np.searchsorted(edge, edge)  # the first triangle at the same edge
    x, y = m[first], np.cross(along[edge], m[first])
    angle = np.arctan2((m * y).sum(axis=1), (m * x).sum(axis=1)) % (2.0 * np.pi)
    angle[first == np.arange(len(edge))] = 0.0
    order = np.lexsort((angle, edge))
    edge, face, corner, m, sign, angle = (part[order] for part in (edge, face, corner, m, sign, angle))
    follower = np.arange(1, len(edge) + 1)
    last = np.append(edge[1:] != edge[:-1], True)
    follower[last] = np.searchsorted(edge, edge[last])
    opening = angle[follower] - angle + np.where(last, 2.0 * np.pi, 0.0)
    ahead = 2 * face + (sign < 0.0)  # the side to which t x m points
    behind = 2 * face[follower] + (sign[follower] > 0.0)
    return Wedges(
        edges,
        along,
        length,
        edge,
        opening,
        np.stack([ahead, behind], axis=1),
        np.stack([corner, corner[follower]], axis=1),
        np.stack([m, m[follower]], axis=1),
    )


def outward(mesh: TriangleMesh) -> tuple[np.ndarray, float]:
    """The triangles, oriented alike as far as they are connected, and how much they enclose.

    Their normals point away from the middle of each connected part.  Triangles with the same space on both sides, such
    as fins, occur twice, once for each side.  The second result is 3 times the enclosed volume
    over the area and the size: about 1 for a ball, 0 for a flat sheet.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    normals = normals_of(mesh)
    wedges, count = wedges_of(mesh, normals), 2 * len(mesh.triangles)
    joined = wedges.sides[wedges.sides[:, 0] // 2 != wedges.sides[:, 1] // 2]
    graph = coo_array((np.ones(len(joined)), (joined[:, 0], joined[:, 1])), (count, count))
    number, label = connected_components(graph, directed=False)
    both = label.reshape(-1, 2)
    first, part = both[:, 0] <= both[:, 1], both.min(axis=1)
    corners = mesh.points[mesh.triangles]
    centre = corners.mean(axis=1)
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    whole = np.bincount(part, area, number)
    middle = np.stack([np.bincount(part, area * centre[:, c], number) for c in range(3)], axis=1)
    away = centre - (middle / np.where(whole > 0.0, whole, 1.0)[:, None])[part]
    sign = np.where(first, 1.0, -1.0)
    enclosed = np.bincount(part, sign * area * (normals * away).sum(axis=1), number)
    sign *= np.where(enclosed < 0.0, -1.0, 1.0)[part]
    size = float(np.sqrt((area * (away * away).sum(axis=1)).sum() / area.sum()))
    triangles = np.where(sign[:, None] > 0.0, mesh.triangles, mesh.triangles[:, ::-1])
    fins = triangles[both[:, 0] == both[:, 1], ::-1]
    return np.concatenate([triangles, fins]), float(np.abs(enclosed).sum() / (area.sum() * max(size, 1e-300)))
