"""Half-space against spheres, ellipsoids and superellipsoids, a block of lanes at a time (``explicit/plane.py``)."""

import math

import numpy as np

from ...compiled.jit import entry, jit, lane, select
from ...kernels import power_jet as body
from ...kernels.block import LANES, add, axpy, dot, get3, get9, larger, mat_mul, mat_t_mul, put3, scale
from ...kernels.load_lanes import load_pose, load_radii
from ...kernels.poses import at, place_of, turn_of
from ...kernels.power_jet import power_jet
from ...kernels.rounding import ROUNDING
from ...kernels.vectors import mat_mul as turned
from ...kernels.vectors import unit
from ...shapes.half_space import plane_at
from ..explicit.plane import APART, OVERLAP
from ..tables import Answer, Buffers, Parameters, Part, write
from .load import load_exponents
from .rows import new_block

# Rows: the body with its jet, its pose; normal, offset and size of the plane; the answer.
_TURN, _HOME, _N, _OFFSET, _SIZE = (body.BODY + k for k in (0, 9, 12, 15, 16))
_DISTANCE, _ROUNDING, _POINT, _STATUS, _ROWS = (body.BODY + k for k in (17, 18, 19, 22, 23))


@jit
def _load_plane(s, plane, pairs):
    """Unit normal and offset in the world, and the sum of the lengths that enter the rounding error."""
    planes, poses = plane.rows, plane.poses
    for l in range(LANES):
        i, p = at(plane.pick, pairs[l]), at(plane.pick_pose, pairs[l])
        normal, offset = plane_at(planes, i)
        n, home = unit(turned(turn_of(poses, p), normal)), place_of(poses, p)
        put3(s, _N, l, n)
        s[_OFFSET * LANES + l] = offset + (n[0] * home[0] + n[1] * home[1] + n[2] * home[2])
        s[_SIZE * LANES + l] = abs(offset) + math.sqrt(home[0] ** 2 + home[1] ** 2 + home[2] ** 2)


@lane
def _aim(s):
    """Direction towards the plane, in the frame of the body."""
    for l in range(LANES):
        put3(s, body.NORMAL, l, scale(mat_t_mul(get9(s, _TURN, l), get3(s, _N, l)), -1.0))


@lane
def _ellipsoid(s):
    """Support value and point of an ellipsoid."""
    for l in range(LANES):
        a, n = get3(s, body.RADII, l), get3(s, body.NORMAL, l)
        u = (a[0] * n[0], a[1] * n[1], a[2] * n[2])
        h = math.sqrt(dot(u, u))
        s[body.SUPPORT * LANES + l] = h
        put3(s, body.POINT, l, scale((a[0] * u[0], a[1] * u[1], a[2] * u[2]), 1.0 / h))


@lane
def _answer(s, flipped, reach):
    """Distance, contact point of A, status; `flipped` is 1.0 if the body is A.

    `reach` times the longest semi-axis bounds the points of the body.
    """
    for l in range(LANES):
        n, centre, a = get3(s, _N, l), get3(s, _HOME, l), get3(s, body.RADII, l)
        distance = dot(n, centre) - s[body.SUPPORT * LANES + l] - s[_OFFSET * LANES + l]
        x = add(mat_mul(get9(s, _TURN, l), get3(s, body.POINT, l)), centre)
        size = larger(a[0], larger(a[1], a[2])) * reach + math.sqrt(dot(centre, centre))
        rounding = ROUNDING * (size + s[_SIZE * LANES + l])
        s[_DISTANCE * LANES + l] = distance
        s[_ROUNDING * LANES + l] = rounding
        s[_STATUS * LANES + l] = select(distance >= -rounding, float(APART), float(OVERLAP))
        put3(s, _POINT, l, axpy(x, (flipped - 1.0) * distance, n))


@entry
def plane_lanes(plane, bodies, flipped, part, out):
    """Contacts of some pairs; A is the half-space, or the body if `flipped`."""
    plane, bodies, part = Parameters(*plane), Parameters(*bodies), Part(*part)
    values, codes = Buffers(*out).values, Buffers(*out).codes
    s, pairs = new_block(_ROWS), np.empty(LANES, np.int64)
    rows, stop = bodies.rows, part.stop
    powers, side = rows.shape[1] == 5, 1.0 if flipped else 0.0
    one_plane = plane.pick.size == 1 and plane.pick_pose.size == 1
    for k in range(part.start, stop, LANES):
        for l in range(LANES):
            pairs[l] = at(part.order, min(k + l, stop - 1))  # copies of the last pair fill the block
        if k == part.start or not one_plane:
            _load_plane(s, plane, pairs)
        for l in range(LANES):
            load_radii(s, body.RADII, l, rows, at(bodies.pick, pairs[l]))
            load_pose(s, _TURN, _HOME, l, bodies.poses, at(bodies.pick_pose, pairs[l]))
        if powers:
            for l in range(LANES):
                load_exponents(s, body.Q1, l, rows, at(bodies.pick, pairs[l]))
        _aim(s)
        if powers:
            power_jet(s)
        else:
            _ellipsoid(s)
        _answer(s, side, 1.7320508075688774 if powers else 1.0)
        for l in range(min(LANES, stop - k)):
            n, distance, rounding = get3(s, _N, l), s[_DISTANCE * LANES + l], s[_ROUNDING * LANES + l]
            n, status = scale(n, 1.0 - 2.0 * side), int(s[_STATUS * LANES + l])
            lower, upper = distance - rounding, distance + rounding
            write(values, codes, pairs[l], Answer(distance, lower, upper, n, get3(s, _POINT, l), status, 1))
