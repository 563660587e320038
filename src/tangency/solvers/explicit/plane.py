"""Half-space against any body: the support function is the answer (Römer 3-D, section 5)."""

import math

import numpy as np

from ...compiled.jit import call_shape, element, entry
from ...contacts.status import Status
from ...kernels.jet import JET
from ...kernels.rounding import ROUNDING
from ...kernels.vectors import add, axpy, dot, mat_mul, mat_t_mul, norm, scale, unit
from ..buffers import at, write
from ..certified.pair import place_of, turn_of
from ..scales import is_coarse

APART, OVERLAP, NOT_A_NUMBER = int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.NOT_A_NUMBER)
NOT_CONVERGED = int(Status.NOT_CONVERGED)


@entry
def half_space(plane, body, flipped, order, start, stop, values, codes):
    """Contacts of the pairs order[start..stop] of a half-space and a body, in the world.

    The half-space is (rows, pick, poses, pick) with rows of normal and offset, the body as in `certified`.
     A is the half-space, or the body if `flipped`.
    """
    planes, pick, poses, pick_pose = plane
    size = body[1].shape[1]
    jet = np.empty(JET)
    for position in range(start, stop):
        k = at(order, position)
        i, p, j, q = at(pick, k), at(pick_pose, k), at(body[3], k), at(body[5], k)
        n = unit(mat_mul(turn_of(poses, p), (planes[i, 0], planes[i, 1], planes[i, 2])))
        home = place_of(poses, p)
        turn, centre = turn_of(body[4], q), place_of(body[4], q)
        m = mat_t_mul(turn, n)
        call_shape(body[0], element(body[1], j * size), size, -m[0], -m[1], -m[2], element(jet, 0))
        distance = dot(n, centre) - jet[0] - (planes[i, 3] + dot(n, home))
        x = add(mat_mul(turn, (jet[1], jet[2], jet[3])), centre)
        rounding = ROUNDING * (norm(centre) + norm(home) + abs(planes[i, 3])) + body[2][j, 7]
        status = APART if distance >= -rounding else OVERLAP
        if is_coarse(body[2][j]):
            status = NOT_CONVERGED
        if not math.isfinite(distance + x[0] + x[1] + x[2]):
            distance, x, status, rounding = 0.0, home, NOT_A_NUMBER, math.inf
        if flipped:
            write(values, codes, k, distance, distance - rounding, distance + rounding, scale(n, -1.0), x, status, 1)
        else:
            x = axpy(x, -distance, n)
            write(values, codes, k, distance, distance - rounding, distance + rounding, n, x, status, 1)
