"""The steps of a solver, with the bounds on the distance that each of them proves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contacts.query import contact
from ..contacts.result import Contact
from ..scene import Body
from ..shapes.walls import WALLS
from ..solvers import SOLVERS

LONGEST = 400  # steps kept for the stepper


@dataclass(frozen=True)
class Steps:
    """What a solver did, step by step.

    Any direction proves a lower bound of the signed distance: the gap between the supporting planes.  Any two points of
    the bodies prove an upper bound: their distance.  Both are evaluated at the normal of each step, with the support
    points that belong to it, whatever points the method itself uses; the best so far are kept.  In overlap the upper
    bound stays at or above zero: only the certified solver proves more.

    Attributes
    ----------
    normal, point_a, point_b : (N, 3) arrays
        Normal of each step, and the support points of the bodies.
    lower, upper : (N,) arrays
        Best bounds up to each step [m].
    result : Contact or None
        What the method returned.
    message : str
        How it ended, or why there are no steps.
    """

    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    result: Contact | None
    message: str

    @classmethod
    def none(cls, message: str) -> Steps:
        """No steps, and why."""
        empty = np.empty((0, 3))
        return cls(empty, empty, empty, empty[:, 0], empty[:, 0], None, message)

    def __len__(self) -> int:
        return len(self.lower)


def steps_of(solver: str, a: Body, b: Body) -> Steps:
    """All steps of the solver `solver` for two bodies.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.lab.steps import steps_of
    >>> from tangency.scene import Body
    >>> found = steps_of("romer-1", Body("a", tg.Ellipsoid([3, 2, 1])), Body("b", tg.Sphere(1.0), (None, [4, 3, 2])))
    >>> bool(found.upper[-1] - found.lower[-1] < 1e-9)
    True
    """
    if solver not in SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(SOLVERS)}, got {solver!r}")
    for body in (a, b):
        if isinstance(body.shape, WALLS):
            return Steps.none(
                f"{body.name!r} is a {type(body.shape).__name__}: its contact has a closed form or a search of its own"
            )
    try:
        result = contact(a.shape, b.shape, a.pose, b.pose, solver=solver, trace=True)
    except (ImportError, ValueError, TypeError) as error:
        return Steps.none(str(error))
    trace = result.trace
    assert trace is not None
    count = min(int(trace.count), LONGEST)
    normal = trace.normal[:count]
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    usable = np.isfinite(length[:, 0]) & (length[:, 0] > 0)
    normal = normal[usable] / length[usable]
    if not len(normal):
        return Steps.none(f"the solver {solver} keeps no steps: {result.message}")
    points = [support(body, sign * normal) for body, sign in ((a, 1.0), (b, -1.0))]
    gap = points[1] - points[0]
    lower = np.maximum.accumulate((gap * normal).sum(axis=-1))
    upper = np.minimum.accumulate(np.linalg.norm(gap, axis=-1))
    return Steps(normal, points[0], points[1], lower, upper, result, result.message)


def support(body: Body, normals: np.ndarray) -> np.ndarray:
    """The points of a body that lie farthest along the normals, world frame."""
    return body.shape.point(normals @ body.rotation) @ body.rotation.T + body.position
