"""impact(): first contact of moving bodies, with proved bounds on the time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..derivatives.refinement import refined
from ..geometry.pose import PoseLike
from ..io import validate
from ..motions import Motion
from ..shapes.shape import Shape
from ..solvers.question import EACH, Side, pick
from .impact_answer import answered
from .impact_options import NO_POSES, as_motion, checked
from .impact_result import Impact
from .impact_search import Moving, contacts_of
from .options import check_pair
from .result import Contact


def impact(
    a: Shape,
    b: Shape,
    motion_a: Motion | PoseLike,
    motion_b: Motion | PoseLike,
    t0: ArrayLike,
    t1: ArrayLike,
    tol: float = 1e-9,
    *,
    max_evaluations: int | None = None,
    threads: int | None = None,
) -> Impact:
    """First contact of two moving bodies between the times t0 and t1, with proved bounds on its time.

    Parameters
    ----------
    a, b : Shape
        Each a single body or a stack of bodies; one of them may be a half-space or a cavity, at rest or moving.
    motion_a, motion_b : Motion or pose
        :class:`Drift`, :class:`Screw`, :class:`PosePath`, :class:`BoundedMotion`, or a pose for a body at rest; stacks
        broadcast against each other and the shapes.
    t0, t1 : (...) array_like
        First and last time of interest [s].
    tol : float
        Bodies closer than `tol` times their size (half diagonals of both bounding boxes) count as touching; the
        distance at the returned time is no larger than that, in either direction.
    max_evaluations : int, optional
        Number of evaluations of both support functions after which a search gives up; default 10 000, in a cavity
        1 000 000, since each of its proofs takes hundreds.
    threads : int, optional
        Number of threads for large stacks; default all cores.  Results do not depend on it.

    Returns
    -------
    Impact

    Examples
    --------
    >>> import math, tangency as tg
    >>> rod, ball = tg.Ellipsoid([1.0, 0.2, 0.2]), tg.Sphere(0.1)
    >>> spin = tg.Drift(angular_velocity=[0, 0, math.pi / 2])       # a quarter turn per second
    >>> hit = tg.impact(rod, ball, spin, (None, [0, 0.9, 0]), 0.0, 1.0)
    >>> round(float(hit.time), 9), tg.ImpactStatus(int(hit.status)).name
    (0.856120703, 'IMPACT')
    """
    check_pair(a, b)
    options = checked(motion_a, "motion_a", t0, t1, tol, max_evaluations, threads)
    motions = options.motion, as_motion(motion_b, "motion_b")
    batch = validate.broadcast(
        {
            "a": a.batch_shape,
            "b": b.batch_shape,
            "motion_a": motions[0].batch_shape,
            "motion_b": motions[1].batch_shape,
            "t0": options.begin.shape,
            "t1": options.end.shape,
        }
    )
    sides = []
    for shape, motion in zip((a, b), motions):
        side = Side(shape, pick(shape.batch_shape, batch), NO_POSES, EACH)
        sides.append(Moving(side, motion, pick(motion.batch_shape, batch)))
    count = math.prod(batch)
    searches = [options.search(sides, batch, np.arange(count))]
    found = answered(searches, count)

    def contact(times: np.ndarray) -> Contact:
        out, rows = contacts_of(searches, times.reshape(-1))
        first, second = ((shape, part, batch) for shape, part in zip((a, b), rows))
        return refined(Contact(out.values, out.codes, batch, (first, second)))

    return Impact(found.values, found.codes, batch, contact)
