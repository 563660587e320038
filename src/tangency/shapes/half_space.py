"""Half-space: an unbounded body whose support function is finite only along its normal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import jit
from ..geometry.curvature import Curvature, frame
from ..geometry.moments import Moments
from ..io import validate
from .shape import Jet, Shape
from .stack import Index

MAX_ANGLE_TO_NORMAL = 1e-12  # a direction this close to the normal [rad] counts as the normal


@jit
def plane_at(table, i):
    """Row i of `HalfSpace.rows`: outward normal and offset along it."""
    return (table[i, 0], table[i, 1], table[i, 2]), table[i, 3]


class HalfSpace(Shape):
    """The set of all x with normal.x <= offset: ground, wall or table.

    Parameters
    ----------
    normal : (..., 3) array_like
        Outward normal, away from the material; need not be a unit vector.
    offset : (...) array_like
        Signed distance of the boundary plane from the origin, along `normal` [m].

    Notes
    -----
    A half-space has no compiled formulas: contact with it is explicit.  Offsets, sums and affine
    images of a half-space are not supported; construct the new half-space instead.

    Examples
    --------
    >>> import tangency as tg
    >>> ground = tg.HalfSpace([0, 0, 2], offset=0.5)
    >>> ground.implicit([[1, 1, 0.25], [0, 0, 1]]).tolist()
    [-0.25, 0.5]
    """

    def __init__(self, normal: ArrayLike, offset: ArrayLike = 0.0) -> None:
        unit, _ = validate.directions(normal, "normal")
        self._hold(unit, validate.array(offset, "offset"))

    _parameters = {"normal": 1, "offset": 0}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise ValueError("a HalfSpace has one normal only, so its parameters have no derivatives at fixed normals")

    def _hold(self, normal: np.ndarray, offset: np.ndarray) -> None:
        for value in (normal, offset):
            value.flags.writeable = False
        self._fields = {"normal": normal, "offset": offset}
        self._rows: np.ndarray | None = None
        self.batch_shape = validate.broadcast({"normal": normal.shape[:-1], "offset": offset.shape})

    @property
    def normal(self) -> np.ndarray:
        """Outward unit normal, (..., 3)."""
        return self._fields["normal"]

    @property
    def offset(self) -> np.ndarray:  # type: ignore[override]
        """Distance of the plane from the origin, along the normal [m]."""
        return self._fields["offset"]

    @property
    def rows(self) -> np.ndarray:
        """Normal and offset of all half-spaces, one row each."""
        if self._rows is None:
            normal = np.broadcast_to(self.normal, (*self.batch_shape, 3))
            offset = np.broadcast_to(self.offset, self.batch_shape)
            self._rows = np.concatenate([normal, offset[..., None]], axis=-1).reshape(-1, 4)
        return self._rows

    def _along(self, n: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        u, length = validate.directions(n)
        shape = validate.broadcast({"shape": self.batch_shape, "n": u.shape[:-1]})
        along = np.linalg.norm(u - self.normal, axis=-1) <= MAX_ANGLE_TO_NORMAL
        return np.broadcast_to(u, (*shape, 3)), length, np.broadcast_to(along, shape)

    def support(self, n: ArrayLike) -> np.ndarray:
        """offset |n| along the normal, infinite in every other direction."""
        _, length, along = self._along(n)
        return np.where(along, self.offset * length, np.inf)

    def point(self, n: ArrayLike | None = None) -> np.ndarray:
        """Projection of the origin onto the plane; `n` must be the normal, which all points of the plane share."""
        if n is not None:
            u, _, along = self._along(n)
            if not along.all():
                raise ValueError(
                    f"n must be the normal {self.normal.tolist()} of the half-space (elsewhere it is unbounded "
                    f"and has no boundary point), got {u[~along][0].tolist()}"
                )
        else:
            along = np.broadcast_to(True, self.batch_shape)
        return np.broadcast_to(self.normal * self.offset[..., None], (*along.shape, 3)).copy()

    def hessian(self, n: ArrayLike) -> np.ndarray:
        """Not defined: the radii of curvature of a plane are infinite."""
        raise ValueError("a HalfSpace has infinite radii of curvature and no hessian(n); use curvature(n)")

    def jet(self, n: ArrayLike) -> Jet:
        """Not defined: the radii of curvature of a plane are infinite."""
        raise ValueError("a HalfSpace has infinite radii of curvature and no jet(n); use support, point, curvature")

    def curvature(self, n: ArrayLike) -> Curvature:
        """Zero; `n` must be the normal."""
        shape = self.point(n).shape[:-1]
        directions = np.broadcast_to(np.stack(frame(self.normal), axis=-2), (*shape, 2, 3)).copy()
        return Curvature(np.zeros((*shape, 2)), np.full((*shape, 2), np.inf), directions)

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """normal.x - offset: the signed distance from the plane [m]."""
        return (validate.vectors(x, "x") * self.normal).sum(axis=-1) - self.offset

    def moments(self) -> Moments:
        """Not defined: a half-space has no finite volume, centroid or inertia."""
        raise ValueError("a HalfSpace is unbounded: it has no finite volume, centroid or inertia (fix it in space)")

    @property
    def volume(self) -> np.ndarray:
        """Infinite."""
        return np.full(self.batch_shape, np.inf)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Infinite."""
        return np.full(self.batch_shape, np.inf)

    def broadcast_to(self, batch_shape: tuple[int, ...]) -> HalfSpace:
        wide = object.__new__(HalfSpace)
        wide._hold(
            np.array(np.broadcast_to(self.normal, (*batch_shape, 3))),
            np.array(np.broadcast_to(self.offset, batch_shape)),
        )
        return wide

    def check_size(self) -> None:
        """Nothing to check: a half-space has no size."""

    def take(self, numbers: np.ndarray) -> HalfSpace:
        part = object.__new__(HalfSpace)
        part._hold(self.rows[numbers, :3], self.rows[numbers, 3])
        return part

    def __getitem__(self, index: Index) -> HalfSpace:
        if not self.batch_shape:
            raise TypeError("a single HalfSpace cannot be indexed")
        part = object.__new__(HalfSpace)
        part._hold(
            np.array(np.broadcast_to(self.normal, (*self.batch_shape, 3))[index]),
            np.array(np.broadcast_to(self.offset, self.batch_shape)[index]),
        )
        return part
