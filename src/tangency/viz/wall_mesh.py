"""The surface of a mesh wall for pictures: each triangle with corners and a normal of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..geometry.wedges import outward
from .mesh import Mesh

if TYPE_CHECKING:
    from ..shapes import MeshWall

HOLLOW = 0.2  # a wall that encloses more than this, see `outward`, is seen from inside


def wall_mesh(wall: MeshWall) -> tuple[Mesh, bool]:
    """Triangles of a wall, and whether it is a vessel, whose near side must not hide what is inside.

    The triangles of a vessel face outwards; those of other walls are drawn on both sides.
    """
    triangles, enclosed = outward(wall.mesh)
    vessel = enclosed > HOLLOW
    if not vessel:
        triangles = np.concatenate([triangles, triangles[:, ::-1]])
    corners = wall.points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = across / np.linalg.norm(across, axis=1, keepdims=True)
    numbers = np.arange(3 * len(triangles)).reshape(-1, 3)
    return Mesh(corners.reshape(-1, 3), np.repeat(normals, 3, axis=0), numbers), vessel


def parts(mesh: Mesh, most: int) -> list[Mesh]:
    """The same triangles in meshes of at most so many each."""
    found = []
    for start in range(0, len(mesh.triangles), most):
        own = slice(3 * start, 3 * (start + most))
        count = len(mesh.vertices[own])
        found.append(Mesh(mesh.vertices[own], mesh.normals[own], np.arange(count).reshape(-1, 3)))
    return found
