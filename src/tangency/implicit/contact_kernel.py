"""Common normals of many pairs of implicit surfaces, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import element, entry, jit
from ..kernels.trace import TRACE
from .newton import Formula, Stop, SurfacePair, Work, common_normal


class Surfaces(NamedTuple):
    """Surface A, or B, of all pairs."""

    address: int  #: of the compiled implicit function
    rows: np.ndarray  #: its parameters, one row or one for each pair


class Stops(NamedTuple):
    """:class:`Stop` of all pairs."""

    steps: np.ndarray
    sizes: np.ndarray
    iterations: int


class Found(NamedTuple):
    """Results of the iterations."""

    points: np.ndarray  #: (pairs, 6) on both surfaces; initially the start
    codes: np.ndarray  #: (pairs, 3) outcome, iterations, singular steps
    jets: np.ndarray  #: (pairs, 20) f, gradient and Hessian of both surfaces there


@entry
def many_normals(a, b, poses, tangents, stops, found):
    """Newton's method for all pairs of :class:`Surfaces`; `poses` are rotations (pairs, 9) and positions of B in A."""
    a, b, stops, found = Surfaces(*a), Surfaces(*b), Stops(*stops), Found(*found)
    rotations, positions = poses
    matrix, step, nowhere = np.empty((12, 7)), np.empty(6), np.empty((0, TRACE))
    for k in range(len(found.points)):
        t = rotations[k]
        turn = (t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8])
        place = (positions[k, 0], positions[k, 1], positions[k, 2])
        pair = SurfacePair(_formula(a, k), _formula(b, k), turn, place)
        stop, work = Stop(stops.steps[k], stops.sizes[k], stops.iterations), Work(found.jets[k], matrix, step)
        end, iterations, singular = common_normal(pair, found.points[k], tangents, stop, work, nowhere)
        found.codes[k, 0], found.codes[k, 1], found.codes[k, 2] = end, iterations, singular


@jit
def _formula(surfaces, k):
    """The implicit function of pair k."""
    size = surfaces.rows.shape[1]
    return Formula(surfaces.address, element(surfaces.rows, k * size if len(surfaces.rows) > 1 else 0), size)
