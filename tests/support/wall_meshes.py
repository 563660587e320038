"""Meshes for walls."""

import math

import numpy as np
from scipy.spatial import ConvexHull, Delaunay

from tangency import MeshWall

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def sheet(rng, count, height=lambda x, y: 0.0 * x, half=1.0):
    """A square with random corners, of the given height."""
    rim = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    xy = np.concatenate([rim, rng.uniform(-half, half, (count, 2))])
    return np.column_stack([xy, height(*xy.T)]), Delaunay(xy).simplices


def box(half):
    """A box of twelve triangles."""
    corners = CUBE * half
    return MeshWall(corners, ConvexHull(corners).simplices)


def drum(sectors=40, radius=0.3, half=0.1):
    """A closed drum about y of many triangles, as given by a drawing program: in any orientation."""
    angle = 2.0 * math.pi * np.arange(sectors) / sectors
    up = np.array([0.0, half, 0.0])
    ring = radius / math.cos(math.pi / sectors) * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1)
    points = np.concatenate([ring - up, ring + up, [-up, up]])
    k, n = np.arange(sectors), (np.arange(sectors) + 1) % sectors
    sides = [np.stack(part, axis=1) for part in ((k, n, k + sectors), (n, k + sectors, n + sectors))]
    ends = [np.stack([k + s, n + s, np.full(sectors, 2 * sectors + s // sectors)], axis=1) for s in (0, sectors)]
    return points, np.concatenate([*sides, *ends])
