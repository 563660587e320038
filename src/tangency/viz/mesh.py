"""Triangulated surfaces: a grid of normals on the unit sphere is mapped to the body by x(n).

The grid adapts to the curvature: where the surface is strongly curved, many normals share a small area.
Many normals coincide at a corner, and flat faces are triangles between distant points with nearly equal
normals, so neither needs a special case.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from ..geometry.curvature import frame
from ..shapes import HalfSpace, MeshWall
from ..shapes.shape import Shape

FREQUENCY = 24  # divisions of an edge of the icosahedron: normals about 2.7 degrees apart


class Placed(Protocol):
    """Anything with a shape, a rotation (3, 3) and a position."""

    @property
    def shape(self) -> Shape: ...
    @property
    def rotation(self) -> np.ndarray: ...
    @property
    def position(self) -> np.ndarray: ...


@dataclass(frozen=True)
class Mesh:
    """Triangles with a unit normal at every vertex.

    Attributes
    ----------
    vertices, normals : (V, 3) arrays
        Points [m], and outward unit normals there.
    triangles : (T, 3) array of int
        Indices of vertices, counter-clockwise seen from outside.
    """

    vertices: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray

    def placed(self, body: Placed) -> Mesh:
        """The mesh in the world, for anything with a `rotation` (3, 3) and a `position`."""
        rotation = body.rotation
        return Mesh(self.vertices @ rotation.T + body.position, self.normals @ rotation.T, self.triangles)

    @property
    def inside_out(self) -> Mesh:
        """The same surface, seen from inside."""
        return Mesh(self.vertices, -self.normals, np.ascontiguousarray(self.triangles[:, ::-1]))


@cache
def geodesic(frequency: int = FREQUENCY) -> Mesh:
    """Unit sphere: each face of an icosahedron divided into frequency^2 triangles."""
    golden = (1.0 + 5.0**0.5) / 2.0
    signs = [(s, t) for s in (-1.0, 1.0) for t in (-1.0, 1.0)]
    corners = np.array([np.roll([0.0, s, t * golden], k) for k in range(3) for s, t in signs])
    corners /= np.linalg.norm(corners[0])
    edge = np.sort(np.linalg.norm(corners - corners[0], axis=1))[1] * 1.01
    near = np.linalg.norm(corners[:, None] - corners, axis=-1) < edge
    faces = [f for f in itertools.combinations(range(12), 3) if near[np.ix_(f, f)].all()]

    grid = [(i, j) for i in range(frequency + 1) for j in range(frequency + 1 - i)]
    place = {ij: k for k, ij in enumerate(grid)}
    cells = [(place[i, j], place[i + 1, j], place[i, j + 1]) for i, j in grid if i + j < frequency]
    cells += [(place[i + 1, j], place[i + 1, j + 1], place[i, j + 1]) for i, j in grid if i + j < frequency - 1]
    weights = np.array([(i, j, frequency - i - j) for i, j in grid], dtype=float) / frequency

    stacked = np.concatenate([weights @ corners[list(face)] for face in faces])
    index = np.concatenate([np.array(cells) + len(grid) * k for k in range(len(faces))])
    _, first, inverse = np.unique(stacked.round(9), axis=0, return_index=True, return_inverse=True)
    vertices = stacked[first] / np.linalg.norm(stacked[first], axis=1, keepdims=True)
    index = inverse.reshape(-1)[index]
    inward = np.linalg.det(vertices[index]) < 0
    index[inward] = index[inward][:, ::-1]
    return Mesh(vertices, vertices, index)


def surface(shape: Shape, frequency: int = FREQUENCY) -> Mesh:
    """Surface of one body in its own frame; for a :class:`HalfSpace` see :func:`patch`.

    The surface of a cavity is seen from inside: its point with the normal n lies at -n, which reverses the triangles.
    """
    if isinstance(shape, MeshWall):
        from .wall_mesh import wall_mesh

        return wall_mesh(shape)[0]
    sphere = geodesic(frequency)
    return Mesh(shape.point(sphere.vertices), sphere.normals, sphere.triangles)


def plane(body: Placed) -> tuple[np.ndarray, float]:
    """Outward normal n and offset in the world, n.x <= offset, of anything with a half-space as its `shape`."""
    assert isinstance(body.shape, HalfSpace)
    normal = body.rotation @ body.shape.normal
    return normal, float(body.shape.support(body.shape.normal) + normal @ body.position)


def patch(body: Placed, centre: np.ndarray, size: float) -> Mesh:
    """The square of a half-space's boundary nearest to `centre`, of half width `size`, in the world."""
    normal, offset = plane(body)
    t, s = frame(normal)
    middle = centre - (normal @ centre - offset) * normal
    vertices = middle + size * np.array([-t - s, t - s, t + s, s - t])
    return Mesh(vertices, np.tile(normal, (4, 1)), np.array([[0, 1, 2], [0, 2, 3]]))
