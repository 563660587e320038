"""Box: the support point is a corner, so all radii of curvature are zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import Moments, symmetric
from ..io import validate
from .shape import Shape


class Box(Shape):
    """Box about the origin with edges along x, y, z.

    Parameters
    ----------
    half_lengths : (..., 3) array_like
        Half the edge lengths [m], > 0.

    Notes
    -----
    Where n is normal to a face or an edge, every point of that face or edge has this normal; the kernel
    then returns the corner in the direction of +x, +y, +z.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.Box([3, 2, 1]).point([1, -1, 0]).tolist()
    [3.0, -2.0, 1.0]
    """

    smooth = False
    flat = True

    class Kernel(NamedTuple):
        a: float
        b: float
        c: float

        def jet(self, n):
            x = self.a if n[0] >= 0.0 else -self.a
            y = self.b if n[1] >= 0.0 else -self.b
            z = self.c if n[2] >= 0.0 else -self.c
            return x * n[0] + y * n[1] + z * n[2], (x, y, z), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    _parameters = {"half_lengths": 1}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.abs(n), np.where(n >= 0.0, 1.0, -1.0)[..., :, None] * np.eye(3)

    def __init__(self, half_lengths: ArrayLike) -> None:
        half = validate.positive(validate.vectors(half_lengths, "half_lengths"), "half_lengths")
        self._set(a=half[..., 0].copy(), b=half[..., 1].copy(), c=half[..., 2].copy())

    @property
    def half_lengths(self) -> np.ndarray:
        """Half the edge lengths, (..., 3) [m]."""
        return np.stack([self._fields[name] for name in ("a", "b", "c")], axis=-1)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Half the diagonal [m]."""
        return np.linalg.norm(self.half_lengths, axis=-1)

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """Largest of |x_i| / half_length_i, minus 1: negative inside, zero on the surface."""
        return np.abs(validate.vectors(x, "x") / self.half_lengths).max(axis=-1) - 1.0

    @property
    def box_core(self) -> np.ndarray:
        return np.ones(self.batch_shape)

    def _vertices(self) -> np.ndarray:
        signs = np.array([[i, j, k] for i in (1, -1) for j in (1, -1) for k in (1, -1)])
        return signs * self.half_lengths[..., None, :]

    def moments(self) -> Moments:
        volume = 8.0 * self.half_lengths.prod(axis=-1)
        return symmetric(volume, volume[..., None] * self.half_lengths**2 / 3.0)
