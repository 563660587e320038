"""Gaps between moving bodies as a constraint for ``scipy.optimize``, with exact Jacobian and Hessian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..contacts.bodies import Bodies


class Placed(NamedTuple):
    """Where the variables x place the bodies, and how they move with them: what a `motion` returns."""

    poses: Any  #: of all bodies, as in :func:`tangency.contact`
    twists: np.ndarray  #: (bodies, 6, variables): hybrid twist (v, omega) of each body by each variable
    changes: np.ndarray | None = None  #: (bodies, 6, variables, variables): derivative of `twists`; None: no Hessian


class Gaps:
    """Distances of pairs of bodies as a function of variables x, with derivatives.

    Parameters
    ----------
    bodies : Bodies
    pairs : (M, 2) array_like of int
        Numbers of the bodies of each pair.
    motion : callable
        ``motion(x)`` returns a :class:`Placed`: poses of all bodies and their twists by the variables.
    **options
        As in :meth:`tangency.Bodies.contact`.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> from tangency.interop.optimize import Gaps, Placed
    >>> bodies = tg.Bodies([tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0)])
    >>> slide = np.zeros((2, 6, 3))
    >>> slide[1, :3] = np.eye(3)  # x is the position of the sphere
    >>> gaps = Gaps(bodies, [[0, 1]], lambda x: Placed((None, [[0, 0, 0], x]), slide, np.zeros((2, 6, 3, 3))))
    >>> gaps([0, 0, 4]).tolist(), gaps.jacobian([0, 0, 4]).tolist()
    ([2.0], [[0.0, 0.0, 1.0]])
    """

    def __init__(
        self, bodies: Bodies, pairs: ArrayLike, motion: Callable[[np.ndarray], Placed], **options: Any
    ) -> None:
        if not isinstance(bodies, Bodies):
            raise TypeError(f"bodies must be a tangency.Bodies, got {type(bodies).__name__}")
        self.bodies, self.pairs, self.motion, self.options = bodies, np.asarray(pairs), motion, options
        self._last: tuple[bytes, Any] | None = None

    def _at(self, x: Any) -> tuple[Any, Placed]:
        """Contacts at x; SciPy asks for values and derivatives at the same place one after the other."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        if self._last is None or self._last[0] != x.tobytes():
            placed = Placed(*self.motion(x))
            self._last = x.tobytes(), (self.bodies.contact(self.pairs, placed.poses, **self.options), placed)
        return self._last[1]

    def __call__(self, x: ArrayLike) -> np.ndarray:
        """Distances, (M,)."""
        return np.array(self._at(x)[0].distance)

    def jacobian(self, x: ArrayLike) -> np.ndarray:
        """Their derivatives, (M, variables)."""
        c, placed = self._at(x)
        parts = [
            np.einsum("mk,mkv->mv", c.jacobian("distance", by), placed.twists[self.pairs[:, side]])
            for side, by in enumerate(("pose_a", "pose_b"))
        ]
        return parts[0] + parts[1]

    def hessian(self, x: ArrayLike, weights: Any) -> np.ndarray:
        """Second derivative (variables, variables) of the sum of `weights` (M,) times distances."""
        c, placed = self._at(x)
        if placed.changes is None:
            raise ValueError("motion must return the changes of its twists, as a third value, for second derivatives")
        sides, names = (0, 1), ("pose_a", "pose_b")
        total: Any = 0.0
        for i in sides:
            first, numbers = placed.twists[self.pairs[:, i]], self.pairs[:, i]
            gradient = c.jacobian("distance", names[i])
            total = total + np.einsum("m,mk,mkvw->vw", weights, gradient, placed.changes[numbers])
            for j in sides:
                change = c.hessian((names[i], names[j]))
                if i == j:
                    # Derivative of the gradient: the Hessian plus half of the commutator of two rotations
                    half = 0.5 * np.cross(np.eye(3), gradient[:, None, 3:])
                    change = change.copy()
                    change[:, 3:, 3:] += np.swapaxes(half, -1, -2)
                total = total + np.einsum("m,mkv,mkl,mlw->vw", weights, first, change, placed.twists[self.pairs[:, j]])
        return 0.5 * (total + total.T)

    def constraint(self, lower: ArrayLike = 0.0, upper: ArrayLike = np.inf, *, exact: bool = True) -> Any:
        """``scipy.optimize.NonlinearConstraint`` that keeps all distances between `lower` and `upper`.

        With ``exact=False`` the Hessian is approximated by BFGS; `motion` then need not return `changes`.
        """
        from scipy.optimize import BFGS, NonlinearConstraint

        return NonlinearConstraint(self, lower, upper, jac=self.jacobian, hess=self.hessian if exact else BFGS())
