"""Cavity: material around a convex hollow, for contact with bodies inside it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import jit
from ..geometry.curvature import Curvature
from ..geometry.moments import Moments
from ..io import validate
from .cone import Cone
from .cylinder import Cylinder
from .shape import Jet, Shape, bounded
from .stack import Index

WALL = 5


class RoundWall(NamedTuple):
    """Inner wall of a cylinder or cone about z, in compiled code."""

    sine: float  #: the normals are n = (sine u, cosine), u a unit vector across the axis
    cosine: float
    offset: float  #: of the side along n
    half_length: float
    ends: float  #: 1 if its ends are walls


@jit
def wall_at(table, i):
    """Row i of `Cavity.walls`."""
    row = table[i]
    return RoundWall(row[0], row[1], row[2], row[3], row[4])


class Cavity(Shape):
    """Everything outside a convex body: a bowl, a drum, the inside of a pipe, a funnel, a joint socket.

    Parameters
    ----------
    hollow : Shape
        The empty space: a bounded convex body, or a stack of them.
    ends : bool
        Whether the flat ends of a Cylinder or Cone are walls.  Without them only the side is a wall, and it extends
        beyond both ends: an infinite tube, or a funnel from its tip to infinity.

    Notes
    -----
    The signed distance of a body B at r is the smallest clearance over all directions n, h_H(n) - h_B(n) - n.r,
    with the support functions h_H of the hollow and h_B of the body.  Where B protrudes, it is minus the
    distance of its farthest point from the hollow.  The normal points from the wall to the body, into the hollow,
    and the curvature of the wall is negative.  If B is somewhere less curved than the wall, such as a bar across
    a bowl, it may touch at several places; the result is the nearest one.

    On the side of a Cylinder or Cone the normals lie on one circle, so contact with it is almost explicit.  Without
    ends the hollow is infinite.  The clearance of a point in an infinite cone is its distance from the side; the
    depth of a point outside is its distance from the cone, which beyond the tip is the distance from the tip.

    Examples
    --------
    >>> import tangency as tg
    >>> bowl = tg.Cavity(tg.Sphere(1.0))
    >>> c = tg.contact(bowl, tg.Sphere(0.25), pose_b=(None, [0, 0, -0.7]))
    >>> round(float(c.distance), 12), (c.normal.round(9) + 0.0).tolist()
    (0.05, [0.0, 0.0, 1.0])
    >>> c.relative_curvature.radii.round(9).tolist()
    [0.333333333, 0.333333333]
    """

    def __init__(self, hollow: Shape, *, ends: bool = True) -> None:
        if isinstance(hollow, Cavity):
            raise TypeError("hollow must be a bounded Shape, got a Cavity: the outside of a cavity is the body itself")
        self._hold(bounded(hollow, "hollow"), ends)
        if not isinstance(ends, bool):
            raise TypeError(f"ends must be True or False, got {ends!r}")
        if not ends and not self.is_round:
            raise TypeError(f"ends must be True for hollows other than Cylinder and Cone, got {type(hollow).__name__}")

    _parameters = {"hollow": None}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Infinite support values do not change; the points of the wall are those of the hollow at -n."""
        inner = self.hollow.parameter_jet(-n)
        return np.zeros_like(inner.support), inner.point

    def _rebuilt(self, **arguments: Any) -> Cavity:
        return Cavity(**arguments, ends=self.ends)

    def _hold(self, hollow: Shape, ends: bool) -> None:
        self.hollow, self.ends = hollow, ends
        self._fields = {"hollow": hollow}
        self.batch_shape = hollow.batch_shape

    @property
    def is_round(self) -> bool:
        """Whether the hollow is a cylinder or cone, whose side has its normals on one circle."""
        return type(self.hollow) in (Cylinder, Cone)

    @property
    def walls(self) -> np.ndarray:
        """For round hollows, one row of WALL numbers each: the side and its length."""
        body = self.hollow
        base, half = body._fields["radius"], body._fields["half_length"]
        top = body._fields.get("top_radius", base)
        angle = np.arctan2(base - top, 2.0 * half)
        s, c = np.cos(angle), np.sin(angle)
        # The offset is taken at mid-length, where the radius is the mean of both.
        columns = (s, c, 0.5 * (base + top) * s, half, np.array(float(self.ends)))
        return np.stack(np.broadcast_arrays(*columns), axis=-1).reshape(-1, WALL)

    @property
    def layout(self) -> tuple:
        """Cavities with equal layouts can be stored in one table."""
        return Cavity, self.ends, type(self.hollow), self.hollow.layout

    def check_size(self) -> None:
        """Refuse hollows too large or too small for double precision."""
        self.hollow.check_size()

    # ---- properties of the wall -----------------------------------------------------------------
    def point(self, n: ArrayLike) -> np.ndarray:
        """Point of the wall whose normal, out of the material and into the hollow, is n."""
        return self.hollow.point(-validate.directions(n)[0])

    def curvature(self, n: ArrayLike) -> Curvature:
        """Minus the curvature of the hollow at -n: negative where the wall is curved, 0 where it is flat.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Cavity(tg.Ellipsoid([3, 2, 1])).curvature([0, 0, 1]).radii.tolist()
        [-9.0, -4.0]
        """
        return _hollowed(self.hollow.curvature(-validate.directions(n)[0]))

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """Minus the implicit function of the hollow, or of its side alone without ends: negative in the material."""
        return -(self.hollow.implicit(x) if self.ends else self.hollow.beyond_side(x))

    def support(self, n: ArrayLike) -> np.ndarray:
        """Infinite in every direction."""
        u, _ = validate.directions(n)
        return np.full(validate.broadcast({"shape": self.batch_shape, "n": u.shape[:-1]}), np.inf)

    def jet(self, n: ArrayLike) -> Jet:
        """Not defined."""
        raise ValueError("a Cavity is unbounded and not convex, so it has no jet(n); use cavity.hollow.jet(n)")

    def hessian(self, n: ArrayLike) -> np.ndarray:
        """Not defined."""
        raise ValueError("a Cavity is unbounded and not convex, so it has no hessian(n); use curvature(n)")

    def moments(self) -> Moments:
        """Not defined: a cavity has no finite volume, centroid or inertia."""
        raise ValueError("a Cavity is unbounded: it has no finite volume, centroid or inertia (fix it in space)")

    @property
    def volume(self) -> np.ndarray:
        """Infinite."""
        return np.full(self.batch_shape, np.inf)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Infinite."""
        return np.full(self.batch_shape, np.inf)

    # ---- stacks -----------------------------------------------------------------------------------
    def _made(self, hollow: Shape) -> Cavity:
        part = object.__new__(Cavity)
        part._hold(hollow, self.ends)
        return part

    def broadcast_to(self, batch_shape: tuple[int, ...]) -> Cavity:
        return self._made(self.hollow.broadcast_to(batch_shape))

    def take(self, numbers: np.ndarray) -> Cavity:
        return self._made(self.hollow.take(numbers))

    def __getitem__(self, index: Index) -> Cavity:
        if not self.batch_shape:
            raise TypeError("a single Cavity cannot be indexed")
        return self._made(self.hollow[index])

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __repr__(self) -> str:
        return f"Cavity({self.hollow!r}{'' if self.ends else ', ends=False'})"


def _hollowed(found: Curvature) -> Curvature:
    """The same surface seen from the other side; the larger value first."""
    with np.errstate(divide="ignore"):
        values = 0.0 - found.values[..., ::-1]
        return Curvature(values, 1.0 / values + 0.0, found.directions[..., ::-1, :])
