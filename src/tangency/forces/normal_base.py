"""Base class of all normal laws, built-in and user-defined."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import plain_rows
from ..geometry.curvature import Curvature, CurvatureLike
from ..io import validate
from ..io.numbers import number
from .compiled_law import takes
from .impact import free_impact
from .law import Law
from .law_lanes import NORMAL_LANES
from .normal_kernel import NORMAL_ARGUMENTS, NORMAL_FORMULAS, NORMAL_ROW, join_normal, normal_responses


class NormalLaw(Law):
    """A normal law: the force that pushes two bodies apart, from depth, rate, impact speed and curvatures.

    Subclass it with a nested ``Kernel`` to define a new law::

        class Soft(forces.NormalLaw):
            class Kernel(typing.NamedTuple):
                stiffness: float
                damping: float

                def force(self, depth, rate):   # [N]
                    return self.stiffness * depth**2 * (1.0 + self.damping * rate)

                def energy(self, depth):        # [J], stored by the force at rate 0
                    return self.stiffness * depth**3 / 3.0

        Soft(stiffness=1e8, damping=0.5)

    Each formula takes the arguments it needs, by name: `depth` [m], > 0; `rate` [m/s], > 0 while the bodies approach;
    `impact_speed` [m/s], the rate at the start of the contact, possibly 0; `k1` >= `k2` [1/m], the principal curvatures
    of the gap, > 0.  Fields are floats, 1-D arrays (``np.ndarray``) or other normal laws, whose
    ``forces.respond(self.field, depth, rate, impact_speed, k1, k2)`` is (force, elastic force, energy).  A force that
    would pull is set to 0.  :func:`check` tests the formulas.

    Examples
    --------
    >>> import typing
    >>> from tangency import forces
    >>> class Soft(forces.NormalLaw):
    ...     class Kernel(typing.NamedTuple):
    ...         stiffness: float
    ...         def force(self, depth):
    ...             return self.stiffness * depth**2
    ...         def energy(self, depth):
    ...             return self.stiffness * depth**3 / 3.0
    >>> Soft(stiffness=1e8).force([1e-3, -1e-3]).tolist()
    [100.0, 0.0]
    """

    _open: ClassVar[bool] = True
    _compiler, _lane_compiler = NORMAL_FORMULAS, NORMAL_LANES
    _width = NORMAL_ROW
    _asks: ClassVar[frozenset[str]] = frozenset()
    #: For laws with materials: relative radii of curvature are clipped to this range [m].
    radius_limits: tuple[float, float] | None = None

    @classmethod
    def _join(cls, kernel: type) -> None:
        cls._open = False
        if not hasattr(kernel, "response"):
            join_normal(kernel)
            formulas = (kernel.force, kernel.energy)  # type: ignore[attr-defined]
            cls._asks = frozenset().union(*(takes(f, NORMAL_ARGUMENTS, kernel.__qualname__) for f in formulas))
        else:
            cls._asks = frozenset(NORMAL_ARGUMENTS)

    @property
    def needs_impact_speed(self) -> bool:
        """Whether the force depends on the impact speed."""
        return "impact_speed" in self._asks

    @property
    def needs_radius(self) -> bool:
        """Whether flat gaps have no stiffness."""
        return False

    @property
    def needs_curvature(self) -> bool:
        """Whether the force depends on the curvature of the gap."""
        return "k1" in self._asks or "k2" in self._asks

    def force(
        self,
        depth: ArrayLike,
        rate: ArrayLike = 0.0,
        impact_speed: ArrayLike | None = None,
        curvature: CurvatureLike | None = None,
    ) -> np.ndarray:
        """Force that pushes the bodies apart [N]; never negative, zero without penetration.

        Parameters
        ----------
        depth : (...) array
            Penetration [m]; <= 0 for bodies that are apart.
        rate : (...) array
            Its time derivative [m/s], > 0 while the bodies approach.
        impact_speed : (...) array, optional
            `rate` at the start of the contact [m/s]; required by laws with a restitution.
        curvature : (..., 2) array or Curvature, optional
            Principal curvatures of the gap [1/m], as in ``contact.relative_curvature``; required by
            laws with `materials`.

        Returns
        -------
        (...) array
            Normal force [N].
        """
        if impact_speed is None and self.needs_impact_speed:
            raise ValueError(f"impact_speed must be given: the damping of {type(self).__name__} depends on it")
        if curvature is None and self.needs_curvature:
            raise ValueError(f"curvature must be given: the stiffness of {type(self).__name__} depends on it")
        values = {
            "depth": validate.array(depth, "depth"),
            "rate": validate.array(rate, "rate"),
            "impact_speed": validate.array(0.0 if impact_speed is None else impact_speed, "impact_speed"),
        }
        shape, columns = self._columns(values, curvature)
        return self._response(shape, columns)[..., 0].copy()

    def elastic_energy(self, depth: ArrayLike, curvature: CurvatureLike | None = None) -> np.ndarray:
        """(...) array: energy stored by the elastic part [J]; arguments as in :meth:`force`."""
        if curvature is None and self.needs_curvature:
            raise ValueError(f"curvature must be given: the stiffness of {type(self).__name__} depends on it")
        depth = validate.array(depth, "depth")
        values = {"depth": depth, "rate": np.array(0.0), "impact_speed": np.array(1.0)}
        shape, columns = self._columns(values, curvature)
        return self._response(shape, columns)[..., 2].copy()

    def _response(self, shape: tuple[int, ...], columns: list[np.ndarray]) -> np.ndarray:
        """(..., 3): force, elastic force, elastic energy."""
        out = np.empty((math.prod(shape), 3))
        normal_responses(self.address, self.row, *columns, out)
        if not self._builtin and not np.isfinite(out).all():
            bad = int(np.argmin(np.isfinite(out).all(axis=1)))
            given = ", ".join(f"{name} = {column[bad]:.6g}" for name, column in zip(NORMAL_ARGUMENTS, columns))
            raise ValueError(f"the formulas of {type(self).__name__} give {out[bad].tolist()} for {given}")
        return out.reshape(*shape, 3)

    def require_finite(self) -> None:
        """Raise an error if user-defined formulas fail for ordinary contacts, including those that start at rest."""
        depth, rate, impact = np.meshgrid([1e-9, 1e-6, 1e-3], [-0.1, 0.0, 0.1], [0.0, 0.1], indexing="ij")
        if not self._builtin:
            self.force(depth, rate, impact, [10.0, 3.0])

    def restitution_at(self, speed: float, mass: ArrayLike = 1.0, curvature: CurvatureLike = (1.0, 1.0)) -> float:
        """Restitution of a free impact at this speed [m/s] with a reduced `mass` [kg], by integrating the motion."""
        v, m = number(speed, "speed", above=0.0), number(mass, "mass", above=0.0)
        return free_impact(self, m, v, curvature).restitution

    def _columns(self, values: dict[str, np.ndarray], curvature: Any) -> tuple[tuple[int, ...], list[np.ndarray]]:
        """Common shape, and flat columns for compiled code."""
        k = self._curvatures(curvature, values["depth"])
        shape = validate.broadcast({**{name: v.shape for name, v in values.items()}, "curvature": k.shape[:-1]})
        columns = [*values.values(), k[..., 0], k[..., 1]]
        return shape, [plain_rows(np.broadcast_to(column, shape), (-1,)) for column in columns]

    def _curvatures(self, curvature: Any, depth: np.ndarray) -> np.ndarray:
        if curvature is None or not self.needs_curvature:
            return np.ones(2)
        k = validate.numbers(curvature.values if isinstance(curvature, Curvature) else curvature, "curvature")
        if k.ndim == 0 or k.shape[-1] != 2:
            raise ValueError(f"curvature must have shape (..., 2), got shape {k.shape}")
        if not (k >= 0).all():
            raise ValueError(f"curvature must be >= 0, got {validate.short(k)}")
        if self.radius_limits is None:
            bad = ((k == 0) | np.isinf(k)).any(axis=-1)
            if (bad & (depth > 0)).any():
                raise ValueError(
                    "curvature must be > 0 and finite where the bodies overlap (a flat place or a corner has no "
                    f"stiffness in Hertz's theory; radius_limits gives it one), got {validate.short(k)}"
                )
        return k
