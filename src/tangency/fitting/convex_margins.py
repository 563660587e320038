"""The condition that a body given by its support function is convex, in a growing set of directions.

Each fit has its own set: the directions that one fit adds do not affect others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.curvature import eigen2, frame, principal
from ..geometry.extreme_radii import rough_radius
from ..shapes.checks.convexity import find_dent
from ..shapes.shape import Shape
from .directions import spread

NORMALS = 482  # directions in which convexity is required from the start; others are added where it fails
CELLS, DENSE = 6 * NORMALS, 40_000  # in each of so many parts of the sphere the worst of so many directions is added
CORNER = 0.05  # radii, in sizes, below which the curvatures along several tangents are margins
TANGENTS, MORE_TANGENTS = 8, 24  # elsewhere, and where the smaller radius is close to the limit
HELD = 1e-3  # difference from the limit, in sizes, of radii that it holds
CLOSE = 0.02  # angle between a dent and directions beside it
RAISE = 2.0  # of the smallest radius, in units of the depth of a dent between these directions
SHALLOW = 1e-3  # depth of such a dent, in sizes, above which directions are added instead

#: Value, gradient (3) and Hessian (6) of a potential at unit vectors (J, 3), as rows (J, 10, P) in its parameters.
Design = Callable[[np.ndarray], np.ndarray]


@cache
def _dense() -> tuple[np.ndarray, np.ndarray]:
    """Many directions, and the part of the sphere to which each of them belongs."""
    dense = np.array(spread(DENSE))
    return dense, cKDTree(spread(CELLS)).query(dense)[1]


def around(normals: np.ndarray, angle: float = CLOSE) -> np.ndarray:
    """Directions and others beside them."""
    found = (normals[:, None] + angle * np.vstack([np.zeros(3), spread(18)])).reshape(-1, 3)
    return found / np.linalg.norm(found, axis=1)[:, None]


class Convexity:
    """No radius of curvature may be smaller than `least`, in sizes of the body (Römer 3-D, Eq. 19)."""

    def __init__(self, least: float = -1e-9) -> None:
        self.normals, self.least = np.array(spread(NORMALS)), least

    def margins(self, p: np.ndarray, shape: Callable[[], Shape | None]) -> np.ndarray | None:
        """Smaller radius of curvature in many directions, relative to the size, minus the limit."""
        body = shape()
        if body is None:
            return None
        size = float(np.asarray(body.bounding_radius))
        return principal(self.normals, body.hessian(self.normals)).radii[:, 0] / size - self.least

    def refine(self, p: np.ndarray, shape: Shape) -> bool:
        """Whether the body is not convex in some direction; this one is then added."""
        dent = find_dent(shape)
        if dent is not None:
            self._add(around(dent.normal[None]))
        return dent is not None

    def _add(self, normals: np.ndarray) -> None:
        self.normals = np.vstack([self.normals, normals])


class LinearConvexity(Convexity):
    """The same for a potential that is linear in its parameters: margins and slopes need no body."""

    def __init__(self, least: float, design: Design) -> None:
        super().__init__(least)
        self.design = design
        value, self.second = _tangential(design, self.normals)
        self.mean = value.mean(axis=0)  # the size is the mean of the support function

    def margins(self, p: np.ndarray, shape: Callable[[], Shape | None] | None = None) -> np.ndarray | None:
        """Smaller radius of curvature in many directions, relative to the size, minus the limit."""
        size = float(self.mean @ p)
        return eigen2(*(self.second @ p))[0] / size - self.least if size > 0.0 else None

    def slopes(self, p: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Derivatives (chosen, P) of margins in the parameters."""
        size = float(self.mean @ p)
        radius, _, angle = eigen2(*(self.second[:, chosen] @ p))
        return (self._along(chosen, angle) - radius[:, None] / size * self.mean) / size

    def _fan(self, angle: np.ndarray, which: np.ndarray, count: int) -> np.ndarray:
        """Derivatives of the curvatures along `count` tangents but the one at the given angle."""
        chosen, turns = np.flatnonzero(which), np.arange(1, count) * np.pi / count
        return self._along(np.repeat(chosen, count - 1), (angle[chosen, None] + turns).ravel())

    def _along(self, chosen: np.ndarray, angle: np.ndarray) -> np.ndarray:
        """Derivatives (chosen, P) of the curvatures along tangents at these angles."""
        cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
        second = self.second[:, chosen]
        return cos**2 * second[0] + 2.0 * cos * sin * second[1] + sin**2 * second[2]

    def corners(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Curvatures along other tangents, minus the limit, and their slopes, where both radii are small.

        The smaller radius is not smooth where both are equal, but the curvature along a fixed tangent is linear.
        """
        size = float(self.mean @ p)
        radius, larger, angle = eigen2(*(self.second @ p))
        sharp, held = larger < CORNER * size, radius < (self.least + HELD) * size
        rate = np.concatenate(
            [self._fan(angle, sharp & ~held, TANGENTS), self._fan(angle, sharp & held, MORE_TANGENTS)]
        )
        rate -= self.least * self.mean
        return rate @ p / size, rate / size

    def refine(self, p: np.ndarray, shape: Shape) -> bool:
        """Whether the body is not convex in some direction.

        The worst directions of all parts of the sphere are then added.  If it only fails between these, a deep dent and
        the directions around it are added; for a shallow one the limit is raised.
        """
        size = float(self.mean @ p)
        dense, cell = _dense()
        radii = rough_radius(shape.hessian(dense), 0)
        if (radii < 0.0).any():
            order = np.lexsort((radii, cell))
            worst = order[np.unique(cell[order], return_index=True)[1]]
            self._add(dense[worst[radii[worst] < self.least * size]])
            return True
        dent = find_dent(shape)
        if dent is None:
            return False
        if -dent.radius > SHALLOW * size:
            self._add(around(dent.normal[None]))
        else:
            self.least += RAISE * abs(dent.radius) / size
        return True

    def _add(self, normals: np.ndarray) -> None:
        super()._add(normals)
        self.second = np.concatenate([self.second, _tangential(self.design, normals)[1]], axis=1)


def _tangential(design: Design, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Support function (J, P) and entries tt, ts, ss of the Hessian (3, J, P) in a tangent frame, by parameter.

    As in ``kernels/homogeneous.py``: W = T s T + (p - n.g) T.
    """
    rows = design(n)
    p, g, s = rows[:, 0], rows[:, 1:4], rows[:, 4:]
    radial = p - np.einsum("ji,jip->jp", n, g)
    t, u = frame(n)

    def second(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        outer = a[:, :, None] * b[:, None, :]
        outer = outer + np.swapaxes(outer, 1, 2)
        weights = outer[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]] * [0.5, 1.0, 1.0, 0.5, 1.0, 0.5]
        return np.einsum("jk,jkp->jp", weights, s)

    return p, np.stack([second(t, t) + radial, second(t, u), second(u, u) + radial])
