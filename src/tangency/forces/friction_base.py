"""Base class of all friction laws, built-in and user-defined."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import plain_rows
from ..io import validate
from ..io.numbers import number
from .friction_kernel import (
    FRICTION_FORMULAS,
    FRICTION_ROW,
    friction_forces,
    has_state,
    join_friction,
    stretches_after,
)
from .law import Law
from .law_lanes import FRICTION_LANES


def stacked(load: ArrayLike, vectors: dict[str, ArrayLike]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Common shape, and flat columns for compiled code."""
    n = validate.array(load, "load")
    arrays = {name: validate.vectors(value, name) for name, value in vectors.items()}
    shape = validate.broadcast({"load": n.shape, **{name: v.shape[:-1] for name, v in arrays.items()}})
    rows = [plain_rows(np.broadcast_to(v, (*shape, 3)), (-1, 3)) for v in arrays.values()]
    return shape, [plain_rows(np.broadcast_to(n, shape), (-1,)), *rows]


@dataclass(frozen=True)
class FrictionForce:
    """Result of a friction law.

    Attributes
    ----------
    force : (..., 3) array
        Force on body B [N].
    stretch_rate : (..., 3) array
        Time derivative of the bristle's stretch [m/s]; zero for laws without state.
    """

    force: np.ndarray
    stretch_rate: np.ndarray


class FrictionLaw(Law):
    """A friction law: the tangential force on B, from the normal force and the slip.

    Subclass it with a nested ``Kernel`` to define a new law::

        class Viscous(forces.FrictionLaw):
            class Kernel(typing.NamedTuple):
                factor: float

                def force(self, load, slip):    # on B [N]; load > 0 [N], slip of B relative to A [m/s]
                    k = -self.factor * load
                    return (k * slip[0], k * slip[1], k * slip[2])

    A law with a state has further formulas: ``force(self, load, slip, stretch)``, which returns the force and the time
    derivative of `stretch` [m], a tangential vector; ``stretch_after(self, load, slip, stretch, dt)``, the state after
    a step of fixed size; ``energy(self, stretch)`` [J]; and, optionally, ``power(self, stretch, rate)``, the rate of
    that energy [W], otherwise computed by differences.  Contacts store the state and turn it with the tangent plane.
    :func:`check` tests the formulas.

    Examples
    --------
    >>> import typing
    >>> from tangency import forces
    >>> class Viscous(forces.FrictionLaw):
    ...     class Kernel(typing.NamedTuple):
    ...         factor: float
    ...         def force(self, load, slip):
    ...             k = -self.factor * load
    ...             return (k * slip[0], k * slip[1], k * slip[2])
    >>> Viscous(factor=0.5).force(10.0, [2.0, 0.0, 0.0]).force.tolist()
    [-10.0, 0.0, 0.0]
    """

    _open: ClassVar[bool] = True
    _compiler, _lane_compiler = FRICTION_FORMULAS, FRICTION_LANES
    _width = FRICTION_ROW

    @classmethod
    def _join(cls, kernel: type) -> None:
        cls._open = False
        join_friction(kernel)

    @property
    def has_state(self) -> bool:
        """Whether the force depends on a stretch, which contacts store."""
        return has_state(type(self.kernel))

    def force(self, load: ArrayLike, slip: ArrayLike, stretch: ArrayLike = (0.0, 0.0, 0.0)) -> FrictionForce:
        """Friction force on B.

        Parameters
        ----------
        load : (...) array
            Normal force [N].
        slip : (..., 3) array
            Tangential velocity of B relative to A [m/s].
        stretch : (..., 3) array
            State of a law such as :class:`Bristle` [m]; laws without state ignore it.

        Returns
        -------
        FrictionForce
        """
        shape, columns = stacked(load, {"slip": slip, "stretch": stretch})
        out, rate = np.empty((2, math.prod(shape), 3))
        friction_forces(self.address, self.row, *columns, out, rate)
        if not self._builtin and not (np.isfinite(out).all() and np.isfinite(rate).all()):
            bad = int(np.argmin(np.isfinite(out + rate).all(axis=1)))
            given = f"load = {columns[0][bad]:.6g}, slip = {columns[1][bad].tolist()}"
            raise ValueError(f"the formulas of {type(self).__name__} give {out[bad].tolist()} for {given}")
        return FrictionForce(out.reshape(*shape, 3) + 0.0, rate.reshape(*shape, 3) + 0.0)  # no -0.0

    def require_finite(self) -> None:
        """Raise an error if user-defined formulas fail for ordinary contacts, including those at rest."""
        if not self._builtin:
            self.force([1.0, 1.0, 1e3], [[0.0, 0.0, 0.0], [1e-3, 0.0, 0.0], [0.0, 1.0, 0.0]])

    def stretch_after(
        self, load: ArrayLike, normal: ArrayLike, slip: ArrayLike, stretch: ArrayLike, dt: float
    ) -> np.ndarray:
        """(..., 3) array: `stretch` after a step of `dt` [s], in the plane of `normal` and within the limit."""
        shape, columns = stacked(load, {"normal": normal, "slip": slip, "stretch": stretch})
        out = np.empty((math.prod(shape), 3))
        step = number(dt, "dt", least=0.0)
        stretches_after(self.address, self.row, *columns, step, out)
        return out.reshape(*shape, 3)
