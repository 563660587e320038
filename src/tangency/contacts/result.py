"""The result of a contact query and its conventions; `status.py` has the statuses.  Read these first.

The two bodies are A and B.  `normal` is the unit vector from A to B.  `distance` is signed: > 0 apart,
0 touching, < 0 overlapping.  Always ``point_b = point_a + distance * normal``; each point lies on the
surface of its own body, even in overlap.  World frame, SI units.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..derivatives import methods
from ..derivatives.rates import Rates
from ..geometry.curvature import Curvature, relative
from ..geometry.pose import Poses
from ..shapes.stack import Index
from .status import CODES, Status
from .summary import length, summary
from .trace import Trace

#: An earlier result, or normals from A to B.
Guess: TypeAlias = "Contact | ArrayLike | None"


class Stacked(Protocol):
    """Bodies as stored by a contact: a stack of shapes, or part of :class:`~tangency.contacts.bodies.Bodies`."""

    def broadcast_to(self, shape: tuple[int, ...], /) -> Stacked: ...
    def __getitem__(self, index: Index, /) -> Stacked: ...


Side = tuple[Stacked, np.ndarray, tuple[int, ...]]  # bodies, then rows and shape of their `Poses`


def fixed(array: np.ndarray) -> np.ndarray:
    """The array, read-only."""
    array.flags.writeable = False
    return array


def _finished(array: np.ndarray) -> np.ndarray:
    """The array, read-only and without -0.0: the signs of zeros depend on the processor."""
    array += 0
    return fixed(array)


class lazy:
    """A property computed on first access; as `functools.cached_property`, without its lock (Python 3.11)."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, contact: Any, owner: type | None = None) -> Any:
        if contact is None:
            return self
        value = contact.__dict__[self.name] = self.compute(contact)
        return value


class Contact:
    """Result of :func:`tangency.contact`; the leading axes of every array are the broadcast shape of the query.

    Attributes
    ----------
    distance : (...) array
        Signed distance [m].
    normal : (..., 3) array
        Common unit normal, from A to B.
    point_a, point_b : (..., 3) array
        Contact points, each on its own body [m].
    lower, upper : (...) array
        Proved bounds on the distance, including rounding errors [m].  In overlap, `lower` is proved by
        the normal, `upper` by points inside both bodies.
    status : (...) array of int
        Codes of :class:`Status`.
    iterations, evaluations : (...) array of int
        Number of solver steps, and of evaluations of both shapes.
    trace : Trace or None
        Every step of the solver, with ``trace=True``.
    """

    # Two flat buffers, one quantity after the other; the arrays are built from them on access.
    _values: np.ndarray
    _codes: np.ndarray
    shape: tuple[int, ...]  #: broadcast shape of the query; () for a single pair
    _bodies: tuple[Side, Side]

    trace: Trace | None = None

    def __init__(
        self,
        values: np.ndarray,
        codes: np.ndarray,
        shape: tuple[int, ...],
        bodies: tuple[Side, Side],
        trace: Trace | None = None,
    ) -> None:
        own = self.__dict__
        own["_values"], own["_codes"], own["shape"], own["_bodies"] = values, codes, shape, bodies
        if trace is not None:
            own["trace"] = trace

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Contact cannot be changed: {name!r}")

    def _scalars(self, buffer: np.ndarray, k: int) -> np.ndarray:
        count = math.prod(self.shape)
        return _finished(buffer[k * count : (k + 1) * count].reshape(self.shape))

    def _vectors(self, k: int) -> np.ndarray:
        count = math.prod(self.shape)
        return _finished(self._values[k * count : (k + 3) * count].reshape((*self.shape, 3)))

    distance = lazy(lambda self: self._scalars(self._values, 0))
    lower = lazy(lambda self: self._scalars(self._values, 1))
    upper = lazy(lambda self: self._scalars(self._values, 2))
    normal = lazy(lambda self: self._vectors(3))
    point_a = lazy(lambda self: self._vectors(6))
    status = lazy(lambda self: self._scalars(self._codes, 0))
    evaluations = lazy(lambda self: self._scalars(self._codes, 1))

    @lazy
    def iterations(self) -> np.ndarray:
        longer = self._codes.size > CODES * math.prod(self.shape)
        return self._scalars(self._codes, 2) if longer else self.evaluations

    @lazy
    def point_b(self) -> np.ndarray:
        return _finished(np.asarray(self.point_a + self.distance[..., None] * self.normal))

    @property
    def converged(self) -> np.ndarray:
        """(...) array of bool: the result has the requested accuracy."""
        return self.status <= Status.BEYOND

    @property
    def message(self) -> str:
        """Message of the worst status in the result."""
        return Status(int(np.max(self.status, initial=0))).message

    @lazy
    def curvature_a(self) -> Curvature:
        """Principal curvatures and directions of A at `point_a`, world frame."""
        return methods.curvature(self, 0)

    @lazy
    def curvature_b(self) -> Curvature:
        """Principal curvatures and directions of B at `point_b`, world frame."""
        return methods.curvature(self, 1)

    @lazy
    def relative_curvature(self) -> Curvature:
        """Curvature of the gap between the bodies, as used in Hertz's theory.

        Two spheres give 1/R_a + 1/R_b, sphere and half-space 1/R.
        """
        return relative(self.normal, self.curvature_a, self.curvature_b)

    # ---- derivatives ---------------------------------------------------------------------------
    def jacobian(self, of: str = "distance", by: str = "pose_b", frame: str = "hybrid") -> np.ndarray:
        """Derivative of distance, normal or a contact point by a pose or the parameters of a shape.

        Parameters
        ----------
        of : {"distance", "normal", "point_a", "point_b"}
        by : {"pose_a", "pose_b", "shape_a", "shape_b"}
        frame : {"hybrid", "body", "spatial"}
            Frame of the twist (v, omega) by which a pose is varied.  "hybrid" is the velocity of the body's
            reference point and its angular velocity, along the axes of the world; "body" the same along those of
            the body; "spatial" has the velocity of the point that is at the origin of the world.

        Returns
        -------
        (..., 6) or (..., 3, 6) array
            By a pose.  By a shape, the last axis has one entry per parameter, in the order of
            ``shape.parameter_names``.

        Notes
        -----
        Exact, by the envelope theorem and one 2x2 system; valid apart, touching and overlapping, where
        `differentiable` is True.  Elsewhere the numbers are finite, but not derivatives.

        Examples
        --------
        >>> import tangency as tg
        >>> c = tg.contact(tg.Sphere(1.0), tg.Ellipsoid([3, 2, 1]), pose_b=(None, [0, 0, 5]))
        >>> c.jacobian("distance", "pose_b").tolist()
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        """
        return methods.jacobian(self, of, by, frame)

    def hessian(self, by: tuple[str, str] = ("pose_b", "pose_b"), frame: str = "hybrid") -> np.ndarray:
        """Second derivative of the distance by two poses, or by a pose and the parameters of a shape.

        Parameters
        ----------
        by : tuple of two of {"pose_a", "pose_b", "shape_a", "shape_b"}
            Variables of the rows and columns; not both may be shapes.
        frame : {"hybrid", "body", "spatial"}
            As in :meth:`jacobian`.

        Returns
        -------
        (..., 6, 6) array
            By two poses.  It is the second derivative of the distance along motions of constant twist: in the
            hybrid frame the position c + v and the rotation exp(omega) R; in the others a screw.

        Examples
        --------
        >>> import tangency as tg
        >>> c = tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=(None, [0, 0, 4]))
        >>> c.hessian().diagonal().tolist()
        [0.25, 0.25, 0.0, 0.0, 0.0, 0.0]
        """
        return methods.hessian(self, by, frame)

    def rates(self, twist_a: ArrayLike | None = None, twist_b: ArrayLike | None = None, frame: str = "hybrid") -> Rates:
        """Velocities of the contact while the bodies move with the given twists (v, omega).

        Parameters
        ----------
        twist_a, twist_b : (..., 6) array_like, optional
            Twists of A and B; None for a body at rest.
        frame : {"hybrid", "body", "spatial"}
            As in :meth:`jacobian`.

        Returns
        -------
        Rates
            Rate of the gap; velocities of normal and contact points; sliding, rolling and spinning.

        Examples
        --------
        >>> import tangency as tg
        >>> wheel, ground = tg.Sphere(0.5), tg.HalfSpace([0, 0, 1])
        >>> c = tg.contact(ground, wheel, pose_b=(None, [0, 0, 0.5]))
        >>> r = c.rates(twist_b=[1, 0, 0, 0, 2, 0])  # rolls without sliding
        >>> r.sliding.tolist(), r.surface_a.tolist(), r.surface_b.tolist()
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
        """
        return methods.rates(self, twist_a, twist_b, frame)

    def jvp(
        self,
        of: str = "distance",
        *,
        pose_a: ArrayLike | None = None,
        pose_b: ArrayLike | None = None,
        shape_a: ArrayLike | None = None,
        shape_b: ArrayLike | None = None,
        frame: str = "hybrid",
    ) -> np.ndarray:
        """Directional derivative: the Jacobian times twists of the poses and changes of shape parameters.

        Examples
        --------
        >>> import tangency as tg
        >>> c = tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=(None, [0, 0, 4]))
        >>> c.jvp("normal", pose_b=[1, 0, 0, 0, 0, 0]).tolist()
        [0.25, 0.0, 0.0]
        """
        tangents = {"pose_a": pose_a, "pose_b": pose_b, "shape_a": shape_a, "shape_b": shape_b}
        return methods.jvp(self, of, tangents, frame)

    def vjp(self, cotangent: ArrayLike, of: str = "distance", by: str = "pose_b", frame: str = "hybrid") -> np.ndarray:
        """Adjoint derivative: the transposed Jacobian times `cotangent`, (...) or (..., 3).

        Examples
        --------
        >>> import tangency as tg
        >>> c = tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=(None, [0, 0, 4]))
        >>> c.vjp(2.0).tolist()
        [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]
        """
        return methods.vjp(self, cotangent, of, by, frame)

    @lazy
    def _conditions(self) -> tuple[np.ndarray, np.ndarray]:
        return methods.conditions(self)

    @property
    def differentiable(self) -> np.ndarray:
        """(...) array of bool: normal and points are differentiable functions of the poses here.

        False if the contact did not converge or is beyond `max_distance`; where two faces, or two parallel edges,
        touch; where a contact point is an end of an edge or on the rim of a face; at a focal point of both surfaces
        (K + d singular); in an overlap with two normals of the same depth.
        """
        return self._conditions[1]

    @property
    def condition(self) -> np.ndarray:
        """(...) array: how strongly normal and points react to the poses, relative to the size of the bodies.

        The largest norm of (K + d)^-1, W (K + d)^-1 and W_A (K + d)^-1 W_B in units of the size; infinite where
        these do not exist.  Errors of the normal grow by this factor.
        """
        return self._conditions[0]

    def __getitem__(self, index: Index) -> Contact:
        """Select contacts from a stack."""
        if not self.shape:
            raise TypeError("a single Contact cannot be indexed")
        # Applied to the leading axes only: an ellipsis must not reach the components of vectors.
        picked = np.arange(math.prod(self.shape)).reshape(self.shape)[index]
        at = np.unravel_index(picked, self.shape)
        first, second = (
            (body.broadcast_to(self.shape)[at], *Poses(rows, leading).at(self.shape, at))
            for body, rows, leading in self._bodies
        )
        arrays = (self.distance, self.lower, self.upper, self.normal, self.point_a)
        values = np.concatenate([array[at].ravel() for array in arrays])
        codes = np.concatenate([array[at].ravel() for array in (self.status, self.evaluations, self.iterations)])
        trace = None if self.trace is None else self.trace.at(at)
        return Contact(values, codes, np.shape(picked), (first, second), trace)

    def __len__(self) -> int:
        return length(self)

    def __repr__(self) -> str:
        return summary(self)
