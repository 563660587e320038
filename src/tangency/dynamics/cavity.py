"""Cavity: material all around a convex hollow, for bodies that move inside."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import validate
from .._jit import entry, jit
from ..kernels.vectors import add, mat_mul, mat_t_mul, norm, scale, unit
from ..moments import spread
from ..pose import draft
from ..shape import BOUNDS, Shape, bounded
from ..shapes.sphere import Sphere
from ..solvers.certified import EPSILON, UNITS
from ..solvers.hollow import nearest_wall
from ..solvers.pair import JETS, make_pair
from ..solvers.sides import ONE

DIRECTIONS = np.ascontiguousarray(spread(96))  # looked at before the lowest ones are followed
TOLERANCE = 1e-10  # tangential residual, times the size of the hollow; the distance errs by its square


class CavityContact(NamedTuple):
    """Contact of a cavity A and a body B inside; conventions as in :class:`tangency.Contact`."""

    distance: float  #: clearance [m]; < 0 where B enters the wall
    normal: np.ndarray  #: (3,) from the wall A to the body B: into the hollow
    point_a: np.ndarray  #: (3,) on the wall [m]
    point_b: np.ndarray  #: (3,) on the body [m]
    converged: bool  #: whether both points lie on one line along the normal, to all digits that count
    evaluations: int  #: how often both shapes were evaluated


class Cavity:
    """Everything outside a convex body: a bowl, a drum, a pipe's inside, a joint socket.

    Parameters
    ----------
    hollow : Shape
        The empty space, one bounded convex body.

    Notes
    -----
    The distance of a body B to the wall is the minimum over all directions n of h_H(n) - h_B(n) - n.r.
    If B is sharper than the wall everywhere there is one contact; a body that is blunter, such as a bar across
    a bowl, may touch at several places, of which the deepest counts: one contact for each shape.

    Examples
    --------
    >>> import tangency as tg
    >>> bowl = tg.dynamics.Cavity(tg.Sphere(1.0))
    >>> c = bowl.contact(tg.Sphere(0.25), pose_b=(None, [0, 0, -0.7]))
    >>> round(c.distance, 12), (c.normal.round(9) + 0.0).tolist()
    (0.05, [0.0, 0.0, 1.0])
    """

    def __init__(self, hollow: Shape) -> None:
        self.hollow = bounded(hollow, "hollow")
        validate.single({"hollow": hollow.batch_shape})

    def contact(self, body: Shape, pose_a: Any = None, pose_b: Any = None, guess: Any = None) -> CavityContact:
        """Clearance of a body inside.

        Parameters
        ----------
        body : Shape
            One bounded body.
        pose_a, pose_b : optional
            Poses of the hollow and of the body, as in :func:`tangency.contact`.
        guess : (3,) array_like, optional
            Normal of an earlier answer, to start from; all directions are looked at all the same.
        """
        bounded(body, "body")
        poses = []
        for pose, name in ((pose_a, "pose_a"), (pose_b, "pose_b")):
            placed = draft(pose, name).filled()
            validate.single({name: placed.shape})
            poses.append(np.array(placed.rows))
        validate.single({"body": body.batch_shape})
        start = np.zeros(3) if guess is None else validate.directions(guess, "guess")[0]
        validate.single({"guess": start.shape[:-1]})
        sides = [(s.address, s.rows, s.bounds, ONE, p, ONE) for s, p in zip((self.hollow, body), poses)]
        distance, n, x, converged, evaluations = hollow_contact(*sides, point_address(), start, DIRECTIONS)
        normal, point = np.array(n), np.array(x)
        return CavityContact(distance, normal, point, point + distance * normal, bool(converged), int(evaluations))

    def __repr__(self) -> str:
        return f"Cavity({self.hollow!r})"


@cache
def point_address() -> int:
    """Address of a compiled shape that is a point if its row is zero."""
    return Sphere(1.0).address


@jit
def inside(a, b, point, guess, directions, jets):
    """Contact of the hollow A and the body B, one of each as `certified` takes them, in the world.

    `point` is the address of a point.  Returns (distance, normal from A to B, point on A, converged, evaluations);
    a `guess` of zero is none.
    """
    pair, turn, home = make_pair(a, b, 0)
    box_a, box_b = a[2][a[3][0]], b[2][b[3][0]]
    size, size_b = norm((box_a[0], box_a[1], box_a[2])), norm((box_b[0], box_b[1], box_b[2]))
    rounding = UNITS * EPSILON * (box_a[7] + box_b[7] + norm(pair[9]))
    followed = norm(guess) > 0.5
    n = (0.0, 0.0, 1.0)
    if followed:
        n = unit(scale(mat_t_mul(turn, guess), -1.0))
    tolerance = max(TOLERANCE * size, rounding)
    rest = np.zeros((2, 1, 12))
    rest[:, 0, 0], rest[:, 0, 5], rest[:, 0, 10] = 1.0, 1.0, 1.0
    one = np.zeros(1, np.int64)
    wall = (
        (a[0], a[1], a[2], a[3], rest[0], one),
        (point, np.zeros((1, 1)), np.zeros((1, BOUNDS)), one, rest[1], one),
    )
    value, n, x, slope, evaluations = nearest_wall(
        pair, wall, n, followed, directions, size_b, tolerance, rounding, jets
    )
    converged = slope <= max(1e-6 * size, 4.0 * rounding) and abs(value) < 1e300
    return value, unit(scale(mat_mul(turn, n), -1.0)), add(mat_mul(turn, x), home), converged, evaluations


@entry
def hollow_contact(a, b, point, guess, directions):
    """As `inside`, from Python."""
    return inside(a, b, point, (guess[0], guess[1], guess[2]), directions, np.empty(JETS))
