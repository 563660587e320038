"""What solvers know about a stack of bodies besides its formulas: bounding boxes, core radii, rounding errors."""

from __future__ import annotations

import functools

import numpy as np

from ..geometry.moments import spread
from ..io import validate
from ..kernels.jet import POINT, SUPPORT
from ..kernels.rounding import ROUNDING
from .bounds import bounds_table
from .checks.rounding import measured
from .stack import Stack


class SolverData(Stack):
    """The part of :class:`~tangency.Shape` that solvers and simulations read."""

    @property
    def smooth(self) -> bool:
        """False if W jumps or is unbounded somewhere (corners, edges, flat places)."""
        return all(f.smooth for f in self._fields.values() if isinstance(f, SolverData))

    @property
    def flat(self) -> bool:
        """Whether the body has faces or lines between corners: two of them can touch in a patch (docs/dynamics.md)."""
        return any(f.flat for f in self._fields.values() if isinstance(f, SolverData))

    def _vertices(self) -> np.ndarray | None:
        """Corners (..., V, 3) of a body that is their convex hull; None for all other bodies."""
        return None

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        """Half lengths and centre of the bounding box in the body's frame, (..., 3)."""
        axes = np.concatenate([np.eye(3), -np.eye(3)])
        h = np.moveaxis(self.support(axes.reshape(6, *(1,) * len(self.batch_shape), 3)), 0, -1)
        return 0.5 * (h[..., :3] + h[..., 3:]), 0.5 * (h[..., :3] - h[..., 3:])

    @property
    def bounds(self) -> np.ndarray:
        """What solvers know about each body besides its formulas, see ``shapes/bounds.py``."""
        if "bounds" not in self._prepared:
            half, centre = self._box()
            known = self.core_radius, self.rounding, self.longest, self.box_core
            bounds = bounds_table(half, centre, *known, self.batch_shape)
            validate.lengths(functools.reduce(np.maximum, np.abs(bounds).T), "the size of a body")
            self._prepared["bounds"] = bounds
        return self._prepared["bounds"]

    @property
    def packed(self) -> np.ndarray:
        """Row and bounds of a single body, for `contacts/single.py`."""
        if "packed" not in self._prepared:
            self._prepared["packed"] = np.concatenate([self.rows[0], self.bounds[0]])
        return self._prepared["packed"]

    def check_size(self) -> None:
        """Refuse bodies too large or too small for double precision."""
        if "sized" not in self._prepared:
            self._prepared["sized"] = validate.lengths(self.bounding_radius, "the size of a body") is not None

    @property
    def magnitude(self) -> np.ndarray:
        """Sum of the lengths that enter the formulas [m]: their rounding errors are relative to it.

        Larger than the size if large lengths cancel, as in a sum of two bodies far from their origins.
        """
        return self.bounding_radius

    @property
    def rounding(self) -> np.ndarray:
        """Bound on the rounding error of a support value, and of a boundary point normal to the surface [m].

        The proved bounds of a contact include it.  It follows from `magnitude` for built-in formulas, is measured for
        user-defined ones, and is the sum over the parts for composites.
        """
        if self._builtin:
            return ROUNDING * self.magnitude
        if "rounding" not in self._prepared:
            address, axes = self.address, np.concatenate([np.eye(3), -np.eye(3)])

            def evaluate(n: np.ndarray, bodies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                out = self.take(bodies)._evaluate(address, n[:, None], "n")
                return out[..., SUPPORT], out[..., POINT]

            few, many = (np.concatenate([spread(count), axes]) for count in (18, 80))
            size = np.broadcast_to(self.magnitude, self.batch_shape)
            found = measured(evaluate, few, many, size.reshape(-1)).reshape(self.batch_shape)
            self._prepared["rounding"] = found * size
        return self._prepared["rounding"]

    @property
    def longest(self) -> np.ndarray:
        """Longest semi-axis of an ellipsoid [m], whose curvature changes in a known way; 0 for other shapes."""
        return np.zeros(self.batch_shape)

    @property
    def box_core(self) -> np.ndarray:
        """1 if the body is the offset of a box or segment along its axes by `core_radius`, else 0."""
        return np.zeros(self.batch_shape)

    @property
    def core_radius(self) -> np.ndarray:
        """Lower bound on all radii of curvature [m]: the body is the offset of a convex core by this distance.

        Overlaps shallower than the sum of both core radii are solved, with proof, as fast as distances.
        """
        return np.zeros(self.batch_shape)

    @property
    def bends(self) -> bool:
        """Whether the kernel can step along its flat places (see ``kernels/flat_places.py``)."""
        if "bends" not in self._prepared:
            nested = [f for f in self._fields.values() if isinstance(f, SolverData)]
            able = hasattr(self.Kernel, "bend") and (not nested or any(f.bends for f in nested))
            self._prepared["bends"] = able
        return self._prepared["bends"]
