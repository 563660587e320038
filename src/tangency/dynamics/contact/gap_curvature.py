"""Principal curvatures of the gap between two touching shapes, in compiled code."""

import math

from ...compiled.jit import element, jit
from ...kernels.poses import place_of, turn_of
from ...kernels.principal_radii import Surface
from ...kernels.surface_radii import LOOSE, radii_at
from ...kernels.vectors import dot, frame, mat_mul, mat_t_mul, scale, sub
from ...shapes.bounds import bounds_at
from ...shapes.cavity import wall_at
from ..tables import HOLLOW, MESH, PLANE, ROUND
from .columns import contact_points, normal, write_curvatures

EDGE = 1e-6  # radius of curvature assumed at edges and corners, relative to the size of the body
TIP = 1e-6  # angle to the normal of the side of a cone beyond which a normal is one at its tip [rad]


@jit
def _curvature(shapes, p, n, axes, x, jets):
    """Curvature operator (xx, xy, yy) of shape p at the point x with world normal n, in the tangent vectors `axes`."""
    rows, poses, (t, s) = shapes.rows, shapes.poses, axes
    if shapes.kind[p] == PLANE or shapes.kind[p] == MESH:  # edges of a wall count as flat
        return 0.0, 0.0, 0.0
    if shapes.kind[p] == ROUND:
        # Curved about the axis only; the radius is the distance from the axis over the cosine of the side.
        wall = wall_at(rows, p)
        y = mat_t_mul(turn_of(poses, p), sub(x, place_of(poses, p)))
        rho = math.hypot(y[0], y[1])
        k = -wall.sine / max(rho, EDGE * wall.offset)
        if abs(mat_t_mul(turn_of(poses, p), n)[2] + wall.cosine) > TIP:
            return k, 0.0, k  # at the tip of a cone, which is sharp in every direction
        e = mat_mul(turn_of(poses, p), (-y[1] / rho, y[0] / rho, 0.0)) if rho > 0.0 else t
        return k * dot(e, t) ** 2, k * dot(e, t) * dot(e, s), k * dot(e, s) ** 2
    turn, size = turn_of(poses, p), rows.shape[1]
    hollow = 1 if shapes.kind[p] == HOLLOW else 0
    # Forces need the curvature of an affine image to a few digits only, so it is not looked at in the body's frame.
    body = Surface(shapes.address[p], shapes.implicit[p], element(rows, p * size), size, shapes.surface[p], hollow, 0)
    half = bounds_at(shapes.bounds, p).half
    length = half[0] + half[1] + half[2]
    found = radii_at(body, length, mat_t_mul(turn, n), mat_t_mul(turn, sub(x, place_of(poses, p))), jets, LOOSE)
    along = mat_mul(turn, found.axis)
    cos, sin = dot(along, t), dot(along, s)
    # Edges and corners count as slightly rounded.
    sign, edge = -1.0 if hollow else 1.0, EDGE * length
    k1, k2 = sign / (max(sign * found.large, 0.0) + edge), sign / (max(sign * found.small, 0.0) + edge)
    return k1 * cos * cos + k2 * sin * sin, (k1 - k2) * cos * sin, k1 * sin * sin + k2 * cos * cos


@jit
def gap_curvature(shapes, a, b, shift, jets, row, record):
    """Write the principal curvatures of the gap between a and b, moved by `shift`, at the normal in `row`."""
    n = normal(row)
    axes = frame(n)
    x_a, x_b = contact_points(row)
    p = _curvature(shapes, a, n, axes, x_a, jets)
    q = _curvature(shapes, b, scale(n, -1.0), axes, sub(x_b, shift), jets)
    xx, xy, yy = p[0] + q[0], p[1] + q[1], p[2] + q[2]
    mean, spread = 0.5 * (xx + yy), math.hypot(0.5 * (xx - yy), xy)
    write_curvatures(record, mean + spread, mean - spread)
