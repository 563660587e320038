"""The patch of two bodies that touch in a face or along a line: several points, each with its own depth.

One common normal then belongs to many pairs of points, and the solver may answer with any of them.  Body B is therefore
tilted a little, once about each of several axes across the normal: the contact goes to the end of the patch on that
side.  The points found are taken back to the true place of B, and along the curvature there to the true normal.  So the
depth at each is a support value, and the point its gradient: forces that depend on such depths are conservative.
Bodies that are not flat touch in one point, and tilting is not asked for.
"""

import math

import numpy as np

from ..compiled.jit import call_shape, element, jit
from ..kernels.jet import JET
from ..kernels.vectors import add, axpy, cross, dot, mat_mul, mat_t_mul, norm, scale, sub, sym_mul, unit
from ..solvers.certified.pair import place_of, turn_of
from .touch import DISTANCE, HOLLOW, NORMAL, PLANE, POINT, ROUND, ROW, touch

TILTS = 8
FIRST = 0.4  # angle of the first axis from an axis of B [rad]: tilts along the edges of a box would have two answers
TOL = 1e-10  # of the contact solver
# The tilt, times the size of the smaller body, is so many depths: a point that far from the deepest one is out of
# contact before another tilt of the bodies hides it.
DEPTHS = 8.0
LEAST, MOST = 1e-6, 0.1  # tilts [rad]
SAME = 0.2  # points nearer than this part of the smaller body share one spring, the more the nearer they are
# Columns of a point of a patch: in the middle of the depth, from A to B; depth; share of a spring.
DEPTH, SHARE = 3, 4
PATCH_POINT = 5


@jit
def is_flat(pieces, a, b):
    """Whether two shapes may touch in a patch."""
    flat = pieces[7]
    return flat[a] != 0 and flat[b] != 0


@jit
def _tilted(v, axis, angle):
    """v turned about a unit vector (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    return axpy(axpy(scale(v, c), s, cross(axis, v)), (1.0 - c) * dot(axis, v), axis)


@jit
def _across(turn, n):
    """Unit vector across n that turns with the body: of its axes the one that is least along n, made normal to n."""
    best, e = 2.0, (1.0, 0.0, 0.0)
    for c in range(3):
        axis = (turn[c], turn[3 + c], turn[6 + c])
        if abs(dot(axis, n)) < best:
            best, e = abs(dot(axis, n)), axis
    return unit(axpy(e, -dot(e, n), n))


@jit
def _levelled(pieces, p, turn, sign, m, n, jets):
    """From the place of shape p where its outward normal is sign m to the one with sign n, nearby.

    The step to it, and by how much the support value exceeds that of a plane; both by the curvature at m.
    """
    if pieces[1][p] == PLANE or pieces[1][p] == ROUND:
        return (0.0, 0.0, 0.0), 0.0  # straight, or as good as straight over so small a tilt
    rows = pieces[3]
    size = rows.shape[1]
    v = mat_t_mul(turn, scale(m, sign))
    call_shape(pieces[2][p], element(rows, p * size), size, v[0], v[1], v[2], element(jets, 0))
    change = mat_t_mul(turn, scale(sub(n, m), sign))
    step = sym_mul((jets[4], jets[5], jets[6], jets[7], jets[8], jets[9]), change)
    return mat_mul(turn, step), 0.5 * dot(change, step)


@jit
def _set_pose(poses, b, columns, home):
    for c in range(3):
        column = columns[c]
        poses[b, c], poses[b, 4 + c], poses[b, 8 + c] = column
    poses[b, 3], poses[b, 7], poses[b, 11] = home


@jit
def find_patch(pieces, a, b, row, where, points):
    """Points of the patch of the shapes a and b, which touch as `row` says, into `points`; how many.

    `where` tells at which part of the way from A to B a force acts.
    """
    kind, bounds, poses = pieces[1], pieces[4], pieces[6]
    n = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    x = (row[POINT], row[POINT + 1], row[POINT + 2])
    size = norm((bounds[b, 0], bounds[b, 1], bounds[b, 2]))
    if kind[a] != PLANE:
        size = min(size, norm((bounds[a, 0], bounds[a, 1], bounds[a, 2])))
    angle = min(max(-DEPTHS * row[DISTANCE] / size, LEAST), MOST)
    turn, home = turn_of(poses, b), place_of(poses, b)
    columns = ((turn[0], turn[3], turn[6]), (turn[1], turn[4], turn[7]), (turn[2], turn[5], turn[8]))
    t = _across(turn, n)
    s = cross(n, t)
    table, jets, count = np.empty((1, ROW)), np.empty(JET), 0
    for k in range(TILTS):
        along = FIRST + 2.0 * math.pi * k / TILTS
        axis = axpy(scale(t, math.cos(along)), math.sin(along), s)
        tilted = (_tilted(columns[0], axis, angle), _tilted(columns[1], axis, angle), _tilted(columns[2], axis, angle))
        _set_pose(poses, b, tilted, add(x, _tilted(sub(home, x), axis, angle)))
        table[0] = row
        good = touch(pieces, a, b, 1e300, TOL, table, 0)
        distance = table[0, DISTANCE]
        if not good or not distance < 0.0:
            continue
        m = (table[0, NORMAL], table[0, NORMAL + 1], table[0, NORMAL + 2])
        x_a = (table[0, POINT], table[0, POINT + 1], table[0, POINT + 2])
        x_b = add(x, _tilted(sub(axpy(x_a, distance, m), x), axis, -angle))
        outward = -1.0 if kind[a] == HOLLOW else 1.0
        _, more_a = _levelled(pieces, a, turn_of(poses, a), outward, m, n, jets)
        step, more_b = _levelled(pieces, b, turn, -1.0, _tilted(m, axis, -angle), n, jets)
        depth = dot(n, sub(x_a, x_b)) + outward * more_a + more_b
        p = axpy(add(x_b, step), (1.0 - where) * depth - dot(n, step), n)
        points[count, 0], points[count, 1], points[count, 2] = p
        points[count, DEPTH] = depth
        count += 1
    _set_pose(poses, b, columns, home)
    _share(points, count, SAME * size)
    return count


@jit
def _share(points, count, near):
    """Points that lie together share one spring."""
    for k in range(count):
        total = 0.0
        for m in range(count):
            r2 = 0.0
            for c in range(3):
                r2 += (points[k, c] - points[m, c]) ** 2
            x = r2 / (near * near)
            if x < 1.0:
                total += (1.0 - x) ** 2
        points[k, SHARE] = 1.0 / total
