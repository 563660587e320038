"""What the planar solver reads of a stack of bodies: compiled formulas, bounding boxes, core radii, rounding errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled.arrivals import ADDED
from ..compiled.builtin import is_builtin
from ..compiled.jit import unique_name
from ..io import validate
from ..kernels.rounding import ROUNDING
from ..shapes.checks.rounding import measured
from ..shapes.stack import Stack
from .bounds import bounds_table
from .jet import JET, PLANAR_JETS, POINT, SUPPORT, evaluate_many, join_methods


class SolverData(Stack):
    """The part of :class:`tangency.planar.Shape` that the solver reads."""

    def __init_subclass__(cls, **options: Any) -> None:
        kernel = cls.__dict__.get("Kernel")
        if isinstance(kernel, type) and hasattr(kernel, "_fields") and not hasattr(kernel, "jet"):
            join_methods(kernel)
            setattr(kernel, ADDED, "jet")
        super().__init_subclass__(**options)
        if isinstance(kernel, type):
            cls._builtin = is_builtin(cls, "tangency.planar.")
            unique_name(kernel, cls._builtin)
            # Planar and spatial kernels must not share a name, see trap 1 in compiled/jit.py.
            kernel.__name__ = f"Planar{kernel.__name__}"

    @property
    def address(self) -> int:
        """Address of the compiled jet; compiled on first use."""
        if self._address is None:
            self._watched = self._own_formulas()
            self._address = PLANAR_JETS.address(self._prototype(), not self._watched)
        if self._watched:
            self._require_unchanged()
        return self._address

    def _jets(self, n: Any) -> tuple[np.ndarray, np.ndarray]:
        """Jets at the unit vectors along `n`, NaN if the formulas give no number; and the lengths of `n`."""
        u, length = validate.directions(n, "n", 2)
        return self._evaluate(self.address, u, "n", evaluate_many, JET), length

    @property
    def bounds(self) -> np.ndarray:
        """What the solver knows about each body besides its formulas, see ``planar/bounds.py``."""
        if "bounds" not in self._prepared:
            axes = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
            h = self.support(axes.reshape(4, *(1,) * len(self.batch_shape), 2)).reshape(4, len(self.rows)).T
            core, rounding = (
                np.broadcast_to(value, self.batch_shape).reshape(-1) for value in (self.core_radius, self.rounding)
            )
            bounds = bounds_table(0.5 * (h[:, :2] + h[:, 2:]), 0.5 * (h[:, :2] - h[:, 2:]), core, rounding)
            validate.lengths(np.abs(bounds).max(axis=1, initial=0.0), "the size of a body")
            self._prepared["bounds"] = bounds
        return self._prepared["bounds"]

    @property
    def magnitude(self) -> np.ndarray:
        """Sum of the lengths that enter the formulas [m]: their rounding errors are relative to it."""
        return self.bounding_radius

    @property
    def rounding(self) -> np.ndarray:
        """Bound on the rounding error of a support value, and of a boundary point normal to the curve [m]."""
        if self._builtin:
            return ROUNDING * self.magnitude
        if "rounding" not in self._prepared:
            angles = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
            directions = np.stack([np.cos(angles), np.sin(angles)], axis=-1)

            def evaluate(n: np.ndarray, bodies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                out, length = self.take(bodies)._jets(n[:, None])
                return out[..., SUPPORT] * length, out[..., POINT]

            size = np.broadcast_to(self.magnitude, self.batch_shape)
            found = measured(evaluate, directions[::2], directions, size.reshape(-1)).reshape(self.batch_shape)
            self._prepared["rounding"] = found * size
        return self._prepared["rounding"]

    @property
    def core_radius(self) -> np.ndarray:
        """Lower bound on the radius of curvature [m]: the body is the offset of a convex core by this distance.

        Overlaps shallower than the sum of both core radii are solved, with proof, as fast as distances.
        """
        return np.zeros(self.batch_shape)

    def _breaks(self) -> np.ndarray:
        """Angles of the normals at which the formulas of a single body change: corners, joints, straight pieces."""
        nested = [f._breaks() for f in self._fields.values() if isinstance(f, SolverData)]
        return np.unique(np.concatenate([*nested, np.zeros(0)]))
