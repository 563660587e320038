"""Segment: the straight core of a capsule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import Moments, symmetric
from ..io import validate
from .parameters import along
from .shape import Shape


class Segment(Shape):
    """Straight segment along z about the origin; it has no volume.

    Parameters
    ----------
    half_length : (...) array_like
        Half the length [m], > 0.

    Notes
    -----
    Where n is normal to z, every point of the segment has this normal; the kernel returns the end at +z.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.Segment(2.0).point([5, 0, -1]).tolist()
    [0.0, 0.0, -2.0]
    """

    smooth = False
    flat = True

    class Kernel(NamedTuple):
        half_length: float

        def jet(self, n):
            z = self.half_length if n[2] >= 0.0 else -self.half_length
            return z * n[2], (0.0, 0.0, z), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    _parameters = {"half_length": 0}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return along([np.where(n[..., 2:] >= 0.0, 1.0, -1.0) * np.array([0.0, 0.0, 1.0])], n)

    def __init__(self, half_length: ArrayLike) -> None:
        self._set(half_length=validate.positive(validate.array(half_length, "half_length"), "half_length"))

    @property
    def half_length(self) -> np.ndarray:
        """Half the length [m]."""
        return self._fields["half_length"]

    @property
    def bounding_radius(self) -> np.ndarray:
        """Half the length [m]."""
        return self.half_length

    @property
    def box_core(self) -> np.ndarray:
        return np.ones(self.batch_shape)

    def _vertices(self) -> np.ndarray:
        return self.half_length[..., None, None] * np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])

    def moments(self) -> Moments:
        return symmetric(np.zeros(self.batch_shape), np.zeros((*self.batch_shape, 3)))
