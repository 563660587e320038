"""Contact patch of two bodies that touch over a face or along a line: several points, each with its own depth.

Many pairs of points then share one common normal, and the solver may return any of them.  Body B is therefore tilted
slightly, once about each of several axes perpendicular to the normal: the contact moves to the end of the patch on
that side.  The points found are mapped back to the true pose of B, and along the curvature there to the true normal.
The depth at each is then a support value and the point its gradient, so forces that depend on these depths are
conservative.  Bodies that are not flat touch at one point and are not tilted.
"""

import math
from typing import Any, NamedTuple

from ...compiled.jit import call_shape, element, jit
from ...compiled.small_arrays import on_stack
from ...kernels.jet import JET, hessian_of
from ...kernels.poses import place_of, turn_of
from ...kernels.rotations import set_pose
from ...kernels.vectors import add, axpy, cross, dot, mat_mul, mat_t_mul, norm, scale, sub, sym_mul, unit
from ...shapes.bounds import bounds_at
from ..tables import HOLLOW, MESH, PLANE, ROUND
from .columns import DISTANCE, ROW, contact_points, normal
from .solve import solve_placed

TILTS = 8
FIRST_AXIS = 0.4  # angle of the first axis from an axis of B [rad]: tilts about the edges of a box would be ambiguous
TOL = 1e-10  # of the contact solver
# Tilt times the size of the smaller body, in depths: a point that far above the deepest one leaves the contact
# before a further tilt of the bodies hides it.
DEPTHS = 8.0
MIN_TILT, MAX_TILT = 1e-6, 0.1  # [rad]
SHARED_WITHIN = 0.2  # points closer than this, relative to the smaller body, share one spring
_DEPTH, _SHARE = 3, 4  # columns of a point of a patch, after its three coordinates
_COLUMNS = 5


class PatchPoint(NamedTuple):
    """A point of a patch."""

    point: Any  #: point of application of the force
    depth: float
    share: float  #: fraction of a spring: nearby points share one


#: Array for the points of one patch, on the stack of the function that calls it.
patch_room = on_stack(TILTS, _COLUMNS)
_one_row, _one_pose, _one_jet = on_stack(1, ROW), on_stack(1, 12), on_stack(JET)


@jit
def patch_point(patch, k):
    """Point k of those found by `find_patch`."""
    return PatchPoint((patch[k, 0], patch[k, 1], patch[k, 2]), patch[k, _DEPTH], patch[k, _SHARE])


@jit
def _tilted(v, axis, angle):
    """v turned about a unit vector (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    return axpy(axpy(scale(v, c), s, cross(axis, v)), (1.0 - c) * dot(axis, v), axis)


@jit
def _across(turn, n):
    """Unit vector perpendicular to n that turns with the body: its axis least parallel to n, made orthogonal to n."""
    best, e = 2.0, (1.0, 0.0, 0.0)
    for c in range(3):
        axis = (turn[c], turn[3 + c], turn[6 + c])
        if abs(dot(axis, n)) < best:
            best, e = abs(dot(axis, n)), axis
    return unit(axpy(e, -dot(e, n), n))


@jit
def _levelled(shapes, p, turn, sign, m, n, jets):
    """From the point of shape p with the outward normal sign m to the nearby one with sign n.

    Returns the step, and by how much the support value exceeds that of a plane; both from the curvature at m.
    """
    if shapes.kind[p] == PLANE or shapes.kind[p] == ROUND or shapes.kind[p] == MESH:
        return (0.0, 0.0, 0.0), 0.0  # straight, or practically straight over such a small tilt
    size = shapes.rows.shape[1]
    v = mat_t_mul(turn, scale(m, sign))
    call_shape(shapes.address[p], element(shapes.rows, p * size), size, v[0], v[1], v[2], element(jets, 0))
    change = mat_t_mul(turn, scale(sub(n, m), sign))
    step = sym_mul(hessian_of(jets, 0), change)
    return mat_mul(turn, step), 0.5 * dot(change, step)


@jit
def find_patch(shapes, a, b, shift, row, where, patch):
    """Write the points of the patch of the shapes a and b, whose contact is `row`, to `patch`; return their number.

    Shape b is moved by `shift`.  `where` is the relative position of the point of application between A (0) and B (1).
    """
    kind, poses, n = shapes.kind, shapes.poses, normal(row)
    x, _ = contact_points(row)
    size = norm(bounds_at(shapes.bounds, b).half)
    if kind[a] != PLANE:
        size = min(size, norm(bounds_at(shapes.bounds, a).half))
    angle = min(max(-DEPTHS * row[DISTANCE] / size, MIN_TILT), MAX_TILT)
    turn, home = turn_of(poses, b), add(place_of(poses, b), shift)
    columns = ((turn[0], turn[3], turn[6]), (turn[1], turn[4], turn[7]), (turn[2], turn[5], turn[8]))
    t = _across(turn, n)
    s = cross(n, t)
    rows, pose, jets, count = _one_row(), _one_pose(), _one_jet(), 0
    for k in range(TILTS):
        along = FIRST_AXIS + 2.0 * math.pi * k / TILTS
        axis = axpy(scale(t, math.cos(along)), math.sin(along), s)
        tilted = (_tilted(columns[0], axis, angle), _tilted(columns[1], axis, angle), _tilted(columns[2], axis, angle))
        set_pose(pose, 0, tilted, add(x, _tilted(sub(home, x), axis, angle)))
        for c in range(ROW):
            rows[0, c] = row[c]
        placed = element(poses, a * 12), element(pose, 0)
        good = solve_placed(shapes, a, b, placed, 1e300, TOL, element(rows, 0), True)
        distance = rows[0, DISTANCE]
        if not good or not distance < 0.0:
            continue
        m = normal(rows[0])
        x_a, x_b = contact_points(rows[0])
        x_b = add(x, _tilted(sub(x_b, x), axis, -angle))
        outward = -1.0 if kind[a] == HOLLOW else 1.0
        _, more_a = _levelled(shapes, a, turn_of(poses, a), outward, m, n, jets)
        step, more_b = _levelled(shapes, b, turn, -1.0, _tilted(m, axis, -angle), n, jets)
        depth = dot(n, sub(x_a, x_b)) + outward * more_a + more_b
        p = axpy(add(x_b, step), (1.0 - where) * depth - dot(n, step), n)
        patch[count, 0], patch[count, 1], patch[count, 2] = p
        patch[count, _DEPTH] = depth
        count += 1
    _share(patch, count, SHARED_WITHIN * size)
    return count


@jit
def _share(patch, count, near):
    """Write the shares of nearby points, which share one spring."""
    for k in range(count):
        total = 0.0
        for m in range(count):
            r2 = 0.0
            for c in range(3):
                r2 += (patch[k, c] - patch[m, c]) ** 2
            x = r2 / (near * near)
            if x < 1.0:
                total += (1.0 - x) ** 2
        patch[k, _SHARE] = 1.0 / total
