"""What a contact query answers: the conventions, the statuses, the result.  Read this file first.

Two bodies are A and B.  `normal` is the unit vector from A to B.  `distance` is signed: > 0 apart,
0 touching, < 0 overlapping.  Always ``point_b = point_a + distance * normal``; each point lies on the
surface of its own body, also in overlap.  World frame, SI units.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from .shape import Shape
from .tangent import Curvature, relative


class Status(IntEnum):
    """How a query ended; ``status.message`` is a sentence.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.Status(0).name
    'APART'
    """

    APART = 0
    OVERLAP_PROVED = 1
    OVERLAP = 2
    OVERLAP_FOLLOWED = 3
    BEYOND = 4
    NOT_CONVERGED = 5
    NOT_A_NUMBER = 6

    @property
    def message(self) -> str:
        """What happened, and what to try."""
        return _MESSAGES[self]

    @property
    def converged(self) -> bool:
        """Whether the answer is as good as asked for."""
        return self <= Status.BEYOND


_MESSAGES = {
    Status.APART: "Apart or touching: the distance is proved to lie between lower and upper.",
    Status.OVERLAP_PROVED: "Overlap: no shorter separating translation exists; proved by lower and upper.",
    Status.OVERLAP: (
        "Overlap: the depth is the best of a global search; a shorter separating translation is excluded only as "
        "far as upper says."
    ),
    Status.OVERLAP_FOLLOWED: (
        "Overlap: the common normal next to the guess; leave out guess to search for a shorter separating translation."
    ),
    Status.BEYOND: "Farther apart than max_distance: only lower and upper are meant to be used.",
    Status.NOT_CONVERGED: (
        "The evaluations ran out before the bounds met; lower and upper hold all the same. Try a larger tol; "
        "if a shape is your own, run tangency.check on it."
    ),
    Status.NOT_A_NUMBER: "A shape returned a value that is not a finite number: run tangency.check on it.",
}


@dataclass(frozen=True, repr=False, eq=False)
class Contact:
    """Answer of :func:`tangency.contact`; every array has the broadcast shape of the query in front.

    Attributes
    ----------
    distance : (...) array
        Signed distance [m].
    normal : (..., 3) array
        Common unit normal, from A to B.
    point_a, point_b : (..., 3) array
        Contact points, each on its own body [m].
    lower, upper : (...) array
        Proved bounds on the distance, rounding errors included [m].  In overlap `lower` is proved by
        the normal, `upper` by points inside both bodies.
    status : (...) array of int
        Codes of :class:`Status`.
    iterations, evaluations : (...) array of int
        Steps of the solver, and how often both shapes were evaluated.
    """

    distance: np.ndarray
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    status: np.ndarray
    iterations: np.ndarray
    evaluations: np.ndarray
    _bodies: tuple[tuple[Shape, np.ndarray], tuple[Shape, np.ndarray]] = field(compare=False)

    def __post_init__(self) -> None:
        for f in fields(self):
            if f.name != "_bodies":
                array = np.asarray(getattr(self, f.name))
                array.flags.writeable = False
                object.__setattr__(self, f.name, array)

    @property
    def shape(self) -> tuple[int, ...]:
        """Broadcast shape of the query; () for a single pair."""
        return self.distance.shape

    @property
    def converged(self) -> np.ndarray:
        """(...) array of bool: the answer is as good as asked for."""
        return self.status <= Status.BEYOND

    @property
    def message(self) -> str:
        """Sentence of the worst status in the result."""
        return Status(int(np.max(self.status, initial=0))).message

    @cached_property
    def curvature_a(self) -> Curvature:
        """Principal curvatures and directions of A at `point_a`, world frame."""
        return self._curvature(0, self.normal)

    @cached_property
    def curvature_b(self) -> Curvature:
        """Principal curvatures and directions of B at `point_b`, world frame."""
        return self._curvature(1, -self.normal)

    @cached_property
    def relative_curvature(self) -> Curvature:
        """Curvature of the gap between the bodies, the one in Hertz's theory.

        Two spheres give 1/R_a + 1/R_b, sphere and half-space 1/R.
        """
        return relative(self.normal, self.curvature_a, self.curvature_b)

    def _curvature(self, side: int, normal: np.ndarray) -> Curvature:
        shape, rotation = self._bodies[side]
        local = shape.curvature(np.einsum("...ji,...j->...i", rotation, normal))
        directions = np.einsum("...ij,...kj->...ki", rotation, local.directions)
        return Curvature(local.values, local.radii, directions)

    def __getitem__(self, index: Any) -> Contact:
        """Part of a stack of contacts."""
        if not self.shape:
            raise TypeError("a single Contact cannot be indexed")
        # Resolved on the leading axes alone: an ellipsis must not reach the components of vectors.
        picked = np.arange(self.distance.size).reshape(self.shape)[index]
        at = np.unravel_index(picked, self.shape)
        bodies = [
            (body.broadcast_to(self.shape)[at], np.broadcast_to(rotation, (*self.shape, 3, 3))[at])
            for body, rotation in self._bodies
        ]
        arrays = {f.name: getattr(self, f.name)[at] for f in fields(self) if f.name != "_bodies"}
        return Contact(**arrays, _bodies=(bodies[0], bodies[1]))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single Contact has no len()")
        return self.shape[0]

    def __repr__(self) -> str:
        if self.shape:
            return (
                f"Contact(shape={self.shape}, {int(self.converged.sum())} of {self.distance.size} converged, "
                f"{int((self.distance < 0).sum())} overlapping)"
            )
        lines = [
            f"distance     {float(self.distance):.16g}",
            f"lower, upper {float(self.lower):.16g}, {float(self.upper):.16g}",
            f"normal       {self.normal.tolist()}",
            f"point_a      {self.point_a.tolist()}",
            f"point_b      {self.point_b.tolist()}",
            f"status       {Status(int(self.status)).name}: {self.message}",
            f"evaluations  {int(self.evaluations)}",
        ]
        return "Contact\n  " + "\n  ".join(lines)
