"""The parameters of a shape as one vector: names, values, another shape of the same kind, derivatives by them.

A shape lists the arguments of its constructor that are parameters (`_parameters`) and has one of two methods with the
derivatives, in this order (see ``parameters.py``): `_by_parameters(n)`, or `_carried(n, x)` if it may be nearly flat.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from .parameters import Carried, ParameterJet
from .solver_data import SolverData


class Parametric(SolverData):
    """The part of :class:`~tangency.Shape` that is about its parameters."""

    #: Arguments of the constructor that are parameters, with the number of their trailing axes; None for a shape.
    _parameters: ClassVar[dict[str, int | None]]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters, in the order of :attr:`parameters`.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.capsule(0.5, 2.0).parameter_names
        ('body.half_length', 'distance')
        """
        self._require_parameters()
        found: list[str] = []
        for name, axes in self._parameters.items():
            value = getattr(self, name)
            if axes is None:
                found += [f"{name}.{inner}" for inner in value.parameter_names]
            elif axes == 0:
                found.append(name)
            else:
                found += [f"{name}{list(index)}" for index in np.ndindex(value.shape[value.ndim - axes :])]
        return tuple(found)

    @property
    def parameters(self) -> np.ndarray:
        """Values of all parameters, (..., P): what the constructor was given, as one vector.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Superellipsoid([3, 2, 1], (0.5, 1.0)).parameters.tolist()
        [3.0, 2.0, 1.0, 0.5, 1.0]
        """
        self._require_parameters()
        parts = []
        for name, axes in self._parameters.items():
            value = getattr(self, name)
            part = value.parameters if axes is None else value.reshape(*value.shape[: value.ndim - axes], -1)
            parts.append(np.broadcast_to(part, (*self.batch_shape, part.shape[-1])))
        return np.concatenate(parts, axis=-1)

    def with_parameters(self, parameters: ArrayLike) -> Self:
        """A shape of the same kind with other parameters, (..., P).

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Ellipsoid([3, 2, 1]).with_parameters([5, 2, 1])
        Ellipsoid(radii=[5.0, 2.0, 1.0])
        """
        values = validate.vectors(parameters, "parameters", len(self.parameter_names))
        arguments: dict[str, Any] = {}
        start = 0
        for name, axes in self._parameters.items():
            value = getattr(self, name)
            tail = () if axes is None or axes == 0 else value.shape[value.ndim - axes :]
            count = len(value.parameter_names) if axes is None else int(np.prod(tail))
            part = values[..., start : start + count]
            start += count
            if axes is None:
                arguments[name] = value.with_parameters(part)
            else:
                arguments[name] = part.reshape((*part.shape[:-1], *tail))
        return self._rebuilt(**arguments)

    def parameter_jet(self, n: ArrayLike) -> ParameterJet:
        """Derivatives of support value and boundary point by the parameters, at fixed directions `n`.

        Parameters
        ----------
        n : (..., 3) array_like
            Directions; need not be unit vectors.

        Returns
        -------
        ParameterJet
            ``support`` (..., P) and ``point`` (..., P, 3), in the order of `parameter_names`.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Ellipsoid([3, 2, 1]).parameter_jet([0, 1, 0]).support.tolist()
        [0.0, 1.0, 0.0]
        """
        self._require_parameters()
        u, length = validate.directions(n)
        shape = validate.broadcast({"shape": self.batch_shape, "n": u.shape[:-1]})
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # flat places, where W is unbounded
            support, point = self._by_parameters(np.broadcast_to(u, (*shape, 3)))
            support = support * length[..., None]
        return ParameterJet(support, point)

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dh/dp (..., P) and dx/dp (..., P, 3) at unit vectors of the shape of the stack."""
        jet = self.jet(n)
        return self._carried(n, jet.point).at_fixed_normal(n, jet.hessian)

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        """How the parameters move the boundary at its points x (..., 3) with the unit normals n."""
        point = self.parameter_jet(n).point
        return Carried(point, np.zeros_like(point))

    def _require_parameters(self) -> None:
        if not hasattr(type(self), "_parameters"):
            raise TypeError(
                f"{type(self).__name__} has no derivatives by its parameters: give the class parameter_names and "
                "parameter_jet(n), or make the shape from an expression with tangency.from_support"
            )

    def _rebuilt(self, **arguments: Any) -> Self:
        """A shape of this kind from its arguments."""
        return type(self)(**arguments)
