"""Half-space against any body, in closed form: one support value (Römer 3-D, section 5)."""

import math

from ...compiled.jit import call_shape, element, entry, jit
from ...compiled.small_arrays import on_stack
from ...contacts.status import Status
from ...kernels.jet import JET, point_of
from ...kernels.poses import at, place_of, turn_of
from ...kernels.rounding import ROUNDING
from ...kernels.vectors import add, axpy, dot, mat_mul, mat_t_mul, norm, scale, unit
from ...shapes.bounds import bounds_at
from ...shapes.half_space import plane_at
from ..tables import Answer, Body, Buffers, Parameters, Part, write
from ..tolerances import is_coarse

APART, OVERLAP, NOT_A_NUMBER = int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.NOT_A_NUMBER)
NOT_CONVERGED = int(Status.NOT_CONVERGED)

_jet = on_stack(JET)


@entry
def half_space(plane, body, flipped, part, out):
    """Contacts of some pairs of a half-space and a body, in the world frame; all tables are plain tuples.

    The rows of `plane` hold normal and offset.  A is the half-space, or the body if `flipped`.
    """
    half_space_pairs(Parameters(*plane), Body(*body), flipped, Part(*part), Buffers(*out))


@jit
def half_space_pairs(plane, body, flipped, part, out):
    """The same, called from compiled code."""
    size, jet = body.rows.shape[1], _jet()
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        i, p, j, q = at(plane.pick, k), at(plane.pick_pose, k), at(body.pick, k), at(body.pick_pose, k)
        bounds = bounds_at(body.bounds, j)
        n, offset = plane_at(plane.rows, i)
        n = unit(mat_mul(turn_of(plane.poses, p), n))
        home = place_of(plane.poses, p)
        turn, centre = turn_of(body.poses, q), place_of(body.poses, q)
        m = mat_t_mul(turn, n)
        call_shape(body.address, element(body.rows, j * size), size, -m[0], -m[1], -m[2], element(jet, 0))
        distance = dot(n, centre) - jet[0] - (offset + dot(n, home))
        x = add(mat_mul(turn, point_of(jet, 0)), centre)
        rounding = ROUNDING * (norm(centre) + norm(home) + abs(offset)) + bounds.rounding
        status = APART if distance >= -rounding else OVERLAP
        if is_coarse(bounds):
            status = NOT_CONVERGED
        if not math.isfinite(distance + x[0] + x[1] + x[2]):
            distance, x, status, rounding = 0.0, home, NOT_A_NUMBER, math.inf
        if flipped:
            n = scale(n, -1.0)
        else:
            x = axpy(x, -distance, n)
        write(out.values, out.codes, k, Answer(distance, distance - rounding, distance + rounding, n, x, status, 1))
