"""The result of a planar contact query, with the conventions and statuses of ``tangency.Contact``."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..contacts.result import Trace
from ..contacts.status import Status
from ..contacts.summary import length, summary
from ..shapes.stack import Index
from .pose import turned_back
from .shape import Shape

#: An earlier result, or normals from A to B.
Guess: TypeAlias = "Contact | ArrayLike | None"

if TYPE_CHECKING:
    from .forces import PlanarForces
    from .rates import PlanarRates

Side = tuple[Shape, np.ndarray, np.ndarray]  # a body, cosine and sine of its angle, and its position


@dataclass(frozen=True, repr=False, eq=False)
class Contact:
    """Result of :func:`tangency.planar.contact`; the leading axes of every array are the broadcast shape of the query.

    Attributes
    ----------
    distance : (...) array
        Signed distance [m].
    normal : (..., 2) array
        Common unit normal, from A to B.
    point_a, point_b : (..., 2) array
        Contact points, each on its own body [m].
    lower, upper : (...) array
        Proved bounds on the distance, including rounding errors [m].
    status : (...) array of int
        Codes of :class:`tangency.Status`.
    iterations, evaluations : (...) array of int
        Number of solver steps, and of evaluations of both shapes; equal for the default solver.
    trace : tangency.contacts.result.Trace or None
        Every step of the solver, with ``trace=True``.

    Examples
    --------
    >>> from tangency import planar
    >>> c = planar.contact(planar.Circle(1.0), planar.Ellipse([2, 1]), pose_b=(0.0, [5, 0]))
    >>> float(c.distance), float(c.relative_curvature)
    (2.0, 3.0)
    """

    distance: np.ndarray
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    status: np.ndarray
    evaluations: np.ndarray
    _bodies: tuple[Side, Side] = field(compare=False)
    iterations: np.ndarray = field(default=None)  # type: ignore[arg-type]
    trace: Trace | None = None

    def __post_init__(self) -> None:
        if self.iterations is None:
            object.__setattr__(self, "iterations", self.evaluations)
        for name in _ARRAYS:
            array = np.asarray(getattr(self, name) + 0)  # no -0.0
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def shape(self) -> tuple[int, ...]:
        """Broadcast shape of the query; () for a single pair."""
        return self.distance.shape

    @property
    def converged(self) -> np.ndarray:
        """(...) array of bool: the result has the requested accuracy."""
        return self.status <= Status.BEYOND

    @property
    def message(self) -> str:
        """Message of the worst status in the result."""
        return Status(int(np.max(self.status, initial=0))).message

    @cached_property
    def curvature_a(self) -> np.ndarray:
        """(...) curvature of A at `point_a` [1/m]; inf at a corner, 0 for a line."""
        return self._curvature(0, self.normal)

    @cached_property
    def curvature_b(self) -> np.ndarray:
        """(...) curvature of B at `point_b` [1/m]."""
        return self._curvature(1, -self.normal)

    @cached_property
    def relative_curvature(self) -> np.ndarray:
        """(...) sum of both curvatures, as used in Hertz's theory (Römer 2-D, Eq. 104) [1/m]."""
        return self.curvature_a + self.curvature_b

    def _forces_on(self, twist_a: Any, twist_b: Any, **options: Any) -> PlanarForces:
        """What :func:`tangency.forces.on` returns for planar contacts."""
        from .forces import planar_forces

        return planar_forces(self, twist_a, twist_b, **options)

    def rates(self, twist_a: Any = None, twist_b: Any = None) -> PlanarRates:
        """Velocities of gap, normal and contact points of moving bodies (Römer 2-D, Eqs. 4 and 10).

        Parameters
        ----------
        twist_a, twist_b : (velocity, rate), optional
            Velocity (..., 2) of each body's origin [m/s] and its angular velocity, counter-clockwise [rad/s]; default
            at rest.

        Returns
        -------
        PlanarRates

        Examples
        --------
        A wheel that rolls on the ground: its contact point moves with it, the material there is at rest.

        >>> from tangency import planar
        >>> c = planar.contact(planar.Line([0, 1]), planar.Circle(0.5), pose_b=(0.0, [0, 0.5]))
        >>> rates = c.rates(None, ([1.0, 0.0], -2.0))
        >>> rates.point_b.tolist(), float(rates.sliding), float(rates.gap)
        ([1.0, 0.0], 0.0, 0.0)
        """
        from .rates import planar_rates

        return planar_rates(self, twist_a, twist_b)

    def _curvature(self, side: int, normal: np.ndarray) -> np.ndarray:
        body, turn, _ = self._bodies[side]
        return body.curvature(turned_back(turn, normal))

    def __getitem__(self, index: Index) -> Contact:
        """Select contacts from a stack."""
        if not self.shape:
            raise TypeError("a single Contact cannot be indexed")
        # Applied to the leading axes only: an ellipsis must not reach the components of vectors.
        at = np.unravel_index(np.arange(self.distance.size).reshape(self.shape)[index], self.shape)
        a, b = (
            (body.broadcast_to(self.shape)[at], *(np.broadcast_to(v, (*self.shape, 2))[at] for v in (turn, position)))
            for body, turn, position in self._bodies
        )
        bodies: Any = (a, b)
        arrays = {name: getattr(self, name)[at] for name in _ARRAYS}
        return Contact(**arrays, _bodies=bodies, trace=None if self.trace is None else self.trace.at(at))

    def __len__(self) -> int:
        return length(self)

    def __repr__(self) -> str:
        return summary(self)


_ARRAYS = tuple(f.name for f in fields(Contact) if f.name not in ("_bodies", "trace"))
