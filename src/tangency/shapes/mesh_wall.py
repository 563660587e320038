"""Mesh wall: a surface of triangles that bodies touch on both sides, for simulations."""

from __future__ import annotations

import math
import os
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.curvature import Curvature
from ..geometry.moments import Moments
from ..geometry.pose import PoseLike, as_pose
from ..io import validate
from ..io.clouds import read_cloud
from .shape import Jet, Shape
from .wall_features import WallPatch

CREASE = 20.0  # [deg]
STEEPEST_CREASE = 90.0


class MeshWall(Shape):
    """A wall of triangles: a drum, hopper, chute or terrain, closed or open, that is fixed or moves as prescribed.

    Parameters
    ----------
    points : (V, 3) array_like
        Corners [m].
    triangles : (F, 3) array_like of int
        Three corners each.  Neither the order of the triangles nor their orientation matters.
    crease : float
        Edges with a larger angle between their triangles, 0 for a flat one, divide the wall into patches [degrees].

    Attributes
    ----------
    remarks : tuple of str
        Sentences about the mesh: what was changed (no change alters the surface), and where it is open.

    Notes
    -----
    Bodies touch faces, convex edges and convex corners, never an edge inside a plane or a concave edge: there are no
    bumps at the edges between triangles, and a plane of triangles is the same as a :class:`HalfSpace`.  A body makes
    one contact with each smooth patch, where it is deepest, and friction keeps its memory from triangle to triangle; at
    a crease, such as the bottom of a groove, it may touch the patches on both sides.

    Boxes, hulls and bodies made of them are refused: a face may touch several triangles at once.

    The wall has no thickness.  A body touches either side, and is pushed to that on which most of it is: it passes
    through the wall if it penetrates by more than half its width.

    A mesh wall is for :mod:`tangency.dynamics` only; it has no support function.

    Examples
    --------
    >>> import tangency as tg
    >>> square = tg.MeshWall([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    >>> square
    MeshWall(4 points, 2 triangles)
    >>> len(square.patches)  # its two sides
    2
    >>> square.remarks
    ('the wall is open at 4 edges, which belong to one triangle only',)
    """

    def __init__(self, points: ArrayLike, triangles: ArrayLike, *, crease: float = CREASE) -> None:
        given = validate.vectors(points, "points")
        if given.ndim != 2 or not len(given):
            raise ValueError(f"points must have shape (V, 3), got shape {given.shape}")
        corners = np.asarray(triangles)
        if corners.ndim != 2 or corners.shape[1] != 3 or not len(corners):
            raise ValueError(f"triangles must have shape (F, 3), got shape {corners.shape}")
        if not np.issubdtype(corners.dtype, np.integer):
            raise TypeError(f"triangles must be whole numbers, got {corners.dtype}")
        if corners.min() < 0 or corners.max() >= len(given):
            wrong = corners.min() if corners.min() < 0 else corners.max()
            raise ValueError(f"triangles must refer to the {len(given)} points, got the index {wrong}")
        self.crease = _angle(crease)
        from ..geometry.triangle_mesh import sound_mesh  # with parts of SciPy that few need

        self.mesh = sound_mesh(given, corners.astype(np.int64))
        self._fields = {"points": self.mesh.points, "triangles": self.mesh.triangles}
        self.batch_shape = ()

    _parameters = {}

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, scale: float = 1.0, crease: float = CREASE) -> MeshWall:
        """The wall in a mesh file: STL, OBJ, PLY or VTP; others with the extra ``clouds``.

        Parameters
        ----------
        path : path
        scale : float
            Factor on all coordinates, such as 0.001 for a file in millimetres.
        crease : float
            As for the class.
        """
        factor = validate.positive(validate.array(scale, "scale"), "scale")
        if factor.shape:
            raise ValueError(f"scale must be a single number, got {scale!r}")
        angle, mesh = _angle(crease), read_cloud(path)
        if mesh.faces is None or not len(mesh.faces):
            raise ValueError(f"{path}: contains no triangles")
        try:
            return cls(float(factor) * mesh.points, mesh.faces, crease=angle)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    @property
    def points(self) -> np.ndarray:
        """(V, 3) corners [m], sorted."""
        return self.mesh.points

    @property
    def triangles(self) -> np.ndarray:
        """(F, 3) corners of each triangle, as indices of `points`."""
        return self.mesh.triangles

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was changed about the mesh, and where it is open, in sentences."""
        return self.mesh.remarks

    @cached_property
    def patches(self) -> tuple[WallPatch, ...]:
        """Parts with which a body makes one contact each."""
        from .wall_patches import patches_of

        return tuple(patches_of(self.mesh, math.radians(self.crease)))

    # ---- properties of every shape --------------------------------------------------------------
    @property
    def rows(self) -> np.ndarray:
        """All numbers that describe the wall."""
        numbers = (self.points.ravel(), self.triangles.ravel(), [self.crease])
        return np.concatenate([np.asarray(part, np.float64) for part in numbers])[None]

    @property
    def layout(self) -> tuple:
        """No two walls share a table."""
        return MeshWall, id(self)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Radius of the sphere about the origin that contains the wall."""
        return np.array(np.linalg.norm(self.points, axis=1).max())

    def aabb(self, pose: PoseLike = None) -> tuple[np.ndarray, np.ndarray]:
        """Axis-aligned box of the wall in the world: lower and upper corner, (..., 3)."""
        rotation, position = as_pose(pose, "pose")
        placed = np.einsum("...ij,vj->...vi", rotation, self.points) + position[..., None, :]
        return placed.min(axis=-2), placed.max(axis=-2)

    def check_size(self) -> None:
        """Nothing to check: no solver for two bodies takes a wall."""

    def _refuse(self, what: str) -> NoReturn:
        raise ValueError(f"a MeshWall is not convex and has no {what}: use it in tangency.dynamics, as a wall")

    def support(self, n: ArrayLike) -> np.ndarray:
        """Not defined."""
        self._refuse("support(n)")

    def point(self, n: ArrayLike) -> np.ndarray:
        """Not defined."""
        self._refuse("point(n)")

    def jet(self, n: ArrayLike) -> Jet:
        """Not defined."""
        self._refuse("jet(n)")

    def hessian(self, n: ArrayLike) -> np.ndarray:
        """Not defined."""
        self._refuse("hessian(n)")

    def curvature(self, n: ArrayLike) -> Curvature:
        """Not defined."""
        self._refuse("curvature(n)")

    def moments(self) -> Moments:
        """Not defined: a wall has no volume."""
        self._refuse("volume, centroid or inertia (fix it in space)")

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self._refuse("derivatives by parameters")

    def broadcast_to(self, batch_shape: tuple[int, ...]) -> MeshWall:
        """Only a single wall exists."""
        self._refuse("stacks")

    def __getstate__(self) -> dict[str, Any]:
        # Tables of patches are known by their addresses, which are valid in one process only.
        return {name: value for name, value in self.__dict__.items() if name != "patches"}

    def __repr__(self) -> str:
        return f"MeshWall({len(self.points)} points, {len(self.triangles)} triangles)"


def _angle(crease: Any) -> float:
    """The angle of a crease [degrees], checked."""
    angle = validate.array(crease, "crease")
    if angle.shape or not 0.0 <= angle <= STEEPEST_CREASE:
        raise ValueError(f"crease must be an angle from 0 to {STEEPEST_CREASE:g} degrees, got {crease!r}")
    return float(angle)
