"""Line: the half-plane below it, the only unbounded planar body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...shapes.stack import Index
from ..pose import PlanarPoseLike
from ..shape import Jet, Shape

if TYPE_CHECKING:
    from ..moments import Moments


class Line(Shape):
    """The half-plane of all x with normal.x <= offset: ground, wall or follower face.

    Parameters
    ----------
    normal : (..., 2) array_like
        Outward normal, away from the material; need not be a unit vector.
    offset : (...) array_like
        Signed distance of the line from the origin, along `normal` [m].

    Notes
    -----
    Contact with a line is explicit for every shape (Römer 2-D, section 4).

    Examples
    --------
    >>> from tangency import planar
    >>> ground = planar.Line([0, 1])
    >>> float(planar.contact(ground, planar.Circle(1.0), pose_b=(0.0, [0, 3])).distance)
    2.0
    """

    def __init__(self, normal: ArrayLike = (0.0, 1.0), offset: ArrayLike = 0.0) -> None:
        unit, _ = validate.directions(normal, "normal", 2)
        offset = validate.array(offset, "offset")
        if (np.abs(offset) > 1e60).any():
            raise ValueError(f"offset must lie within 1e60 (choose other units), got {validate.short(offset)}")
        self._hold(unit, offset)

    def _hold(self, normal: np.ndarray, offset: np.ndarray) -> None:
        for value in (normal, offset):
            value.flags.writeable = False
        self._fields = {"normal": normal, "offset": offset}
        self.batch_shape = validate.broadcast({"normal": normal.shape[:-1], "offset": offset.shape})

    @property
    def normal(self) -> np.ndarray:
        """Outward unit normal, (..., 2)."""
        return self._fields["normal"]

    @property
    def offset(self) -> np.ndarray:  # type: ignore[override]
        """Distance of the line from the origin, along the normal [m]."""
        return self._fields["offset"]

    def jet(self, n: ArrayLike) -> Jet:
        """Not defined: a line is unbounded in every direction except its normal."""
        raise ValueError("a Line is unbounded: it has no support(n), point(n) or radius of curvature")

    def curvature(self, n: ArrayLike | None = None) -> np.ndarray:
        """Zero."""
        shape = self.batch_shape if n is None else np.broadcast_shapes(self.batch_shape, np.shape(n)[:-1])
        return np.zeros(shape)

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """normal.x - offset: the signed distance from the line [m]."""
        return (validate.vectors(x, "x", 2) * self.normal).sum(axis=-1) - self.offset

    def moments(self) -> Moments:
        """Not defined."""
        raise ValueError("a Line is unbounded: it has no finite area, centroid or inertia (fix it in space)")

    def aabb(self, pose: PlanarPoseLike = None) -> tuple[np.ndarray, np.ndarray]:
        """Not defined."""
        raise ValueError("a Line is unbounded: it has no bounding box")

    @property
    def bounding_radius(self) -> np.ndarray:
        """Infinite."""
        return np.full(self.batch_shape, np.inf)

    def broadcast_to(self, batch_shape: tuple[int, ...]) -> Line:
        wide = object.__new__(Line)
        wide._hold(
            np.array(np.broadcast_to(self.normal, (*batch_shape, 2))),
            np.array(np.broadcast_to(self.offset, batch_shape)),
        )
        return wide

    def __getitem__(self, index: Index) -> Line:
        if not self.batch_shape:
            raise TypeError("a single Line cannot be indexed")
        part = object.__new__(Line)
        part._hold(
            np.array(np.broadcast_to(self.normal, (*self.batch_shape, 2))[index]),
            np.array(np.broadcast_to(self.offset, self.batch_shape)[index]),
        )
        return part
