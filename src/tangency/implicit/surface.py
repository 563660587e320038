"""Implicit surfaces f(x) = 0 with compiled derivatives, and patches of open surfaces."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..kernels.jet import HESSIAN
from ..kernels.jet import POINT as GRADIENT
from ..kernels.jet import SUPPORT as VALUE
from ..shapes.stack import Stack

#: An object with an implicit function: a surface, a patch of one, or a shape.
SurfaceLike: TypeAlias = "Stack | Patch"


class Surface(Stack):
    """An implicit surface, or a stack of them: f < 0 inside the body that it bounds, f > 0 outside.

    It need be neither convex nor bounded, so it is not a :class:`~tangency.Shape`.  To define a surface, subclass it
    with a nested ``Kernel`` (a ``typing.NamedTuple`` of floats) that has a method ``implicit(self, x)`` returning
    (f, grad f, Hess f), and with a method `sheets`.

    Examples
    --------
    >>> import typing, tangency as tg
    >>> class Cone(tg.implicit.Surface):
    ...     class Kernel(typing.NamedTuple):
    ...         slope: float
    ...         def implicit(self, x):
    ...             k = self.slope * self.slope
    ...             f = x[0] ** 2 + x[1] ** 2 - k * x[2] ** 2
    ...             return f, (2 * x[0], 2 * x[1], -2 * k * x[2]), (2.0, 0.0, 0.0, 2.0, 0.0, -2 * k)
    ...     def sheets(self, reach, count=48):
    ...         return []
    >>> float(tg.implicit.evaluate(Cone(slope=1.0), [1, 0, 1]).value)
    0.0
    """

    def __init_subclass__(cls, **options: Any) -> None:
        kernel = cls.__dict__.get("Kernel")
        if kernel is not None:
            if not hasattr(kernel, "implicit"):
                raise TypeError(f"{cls.__name__}.Kernel needs a method implicit(self, x) -> (f, gradient, hessian)")
            kernel.jet = kernel.implicit  # compiled by `kernels/jet.py`
        super().__init_subclass__(**options)

    @property
    def implicit_address(self) -> int:
        return self.address

    @property
    def convex(self) -> np.ndarray:
        """(...) array of bool: the body f <= 0, or each of its connected parts, is known to be convex."""
        return np.zeros(self.batch_shape, dtype=bool)

    @abstractmethod
    def sheets(self, reach: float, count: int = 48) -> list[np.ndarray]:
        """Points of the surface for plotting, one (count, count, 3) grid per sheet, up to `reach` along open axes."""

    def patch(self, lower: ArrayLike, upper: ArrayLike) -> Patch:
        """The part of the surface within a box in its own frame.

        Examples
        --------
        >>> import numpy as np, tangency as tg
        >>> bowl = tg.implicit.elliptic_paraboloid([1, 1]).patch([-2, -2, -1], [2, 2, 3])
        >>> bowl.holds([[0, 0, -1], [3, 0, 8]]).tolist()
        [True, False]
        """
        return Patch(self, validate.vectors(lower, "lower"), validate.vectors(upper, "upper"))


@dataclass(frozen=True)
class Patch:
    """Part of an implicit surface within a box lower <= x <= upper of the surface's frame; see `Surface.patch`."""

    surface: Surface
    lower: np.ndarray
    upper: np.ndarray

    def __post_init__(self) -> None:
        if not isinstance(self.surface, Surface):
            raise TypeError(f"surface must be a Surface, got {self.surface!r}")
        if not (self.lower < self.upper).all():
            raise ValueError(
                f"lower must be < upper, got {validate.short(self.lower)} and {validate.short(self.upper)}"
            )

    def holds(self, x: ArrayLike) -> np.ndarray:
        """Whether points (..., 3) lie within the box."""
        point = validate.vectors(x, "x")
        return np.asarray(((point >= self.lower) & (point <= self.upper)).all(axis=-1))


class ImplicitJet(NamedTuple):
    """An implicit function and its first two derivatives at points."""

    value: np.ndarray  #: (...) f, < 0 inside
    gradient: np.ndarray  #: (..., 3) points outwards [1/m]
    hessian: np.ndarray  #: (..., 3, 3) [1/m^2]


_SYM = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])


def implicit_stack(body: SurfaceLike, name: str) -> Stack:
    """`body`, if it has an implicit function: a shape, a surface, or the surface of a patch."""
    stack = body.surface if isinstance(body, Patch) else body
    if not isinstance(stack, Stack) or not stack.has_implicit:
        raise TypeError(
            f"{name} must have an implicit function (a Surface, a Patch, or a Shape whose Kernel has a method "
            f"implicit(self, x)), got {body!r}"
        )
    return stack


def evaluate(body: SurfaceLike, x: ArrayLike) -> ImplicitJet:
    """Implicit function, gradient and Hessian of a shape or surface at points, in its own frame.

    Parameters
    ----------
    body : Shape, Surface or Patch
        A single body or a stack.
    x : (..., 3) array_like
        Points [m], on the surface or not; broadcast against the stack.

    Returns
    -------
    ImplicitJet

    Notes
    -----
    All numbers are finite as long as the powers do not overflow.  Where a power below 2 makes the second
    derivative unbounded (coordinate planes of superquadrics with an exponent below 2), the Hessian is that of a
    point 1e-100 semi-axes away; for exponents above 2 it vanishes there.

    Examples
    --------
    >>> import tangency as tg
    >>> jet = tg.implicit.evaluate(tg.Ellipsoid([2, 1, 1]), [2, 0, 0])
    >>> float(jet.value), jet.gradient.tolist()
    (0.0, [1.0, 0.0, 0.0])
    """
    stack = implicit_stack(body, "body")
    out = stack._evaluate(stack.implicit_address, validate.vectors(x, "x"), "x")
    return ImplicitJet(out[..., VALUE].copy(), out[..., GRADIENT].copy(), out[..., HESSIAN][..., _SYM])
