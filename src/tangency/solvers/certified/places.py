"""What kind of place two bodies have at the normal of the last evaluation: smooth, flat, an edge or a corner.

All functions read the jets of that evaluation, see ``pair.py``.
"""

from __future__ import annotations

from ...compiled.jit import call_shape, element, uncounted
from ...kernels.jet import JET, hessian_of, point_of
from ...kernels.vectors import add, axpy, mat_t_mul, norm, sub, unit
from .pair import EDGE

UNEVEN = 1e-3  # ratio of the two radii of curvature below which a Newton step may end far from where it should
FLAT = 1e3  # radius of curvature, in sizes, above which a place counts as flat


@uncounted
def has_no_curvature(jets, size):
    """Whether both bodies have a corner at the last evaluated normal."""
    a, b = hessian_of(jets, 0), hessian_of(jets, JET)
    return max(a[0], a[3], a[5], b[0], b[3], b[5]) <= 1e-9 * size


@uncounted
def is_flat(jets, size):
    """Whether one of the bodies is flat, or nearly, at the last evaluated normal."""
    a, b = hessian_of(jets, 0), hessian_of(jets, JET)
    return not max(a[0] + a[3] + a[5], b[0] + b[3] + b[5]) <= FLAT * size


@uncounted
def is_alone(jets, size):
    """Whether at most one of the bodies is flat there; between two flat places, the contact point is uncertain."""
    a, b = hessian_of(jets, 0), hessian_of(jets, JET)
    return min(a[0] + a[3] + a[5], b[0] + b[3] + b[5]) <= FLAT * size


@uncounted
def all_radii(jets):
    """Sum of the radii of curvature of both bodies at the last evaluated normal."""
    a, b = hessian_of(jets, 0), hessian_of(jets, JET)
    return a[0] + a[3] + a[5] + b[0] + b[3] + b[5]


@uncounted
def _is_edge(w, core):
    """Whether a core has an edge or corner, or nearly, where the body with this core radius has the Hessian w."""
    total = w[0] + w[3] + w[5]
    minors = w[0] * w[3] - w[1] * w[1] + w[0] * w[5] - w[2] * w[2] + w[3] * w[5] - w[4] * w[4]
    # Sum and product of the radii of curvature of the core.
    product, total = minors - core * total + core * core, total - 2.0 * core
    return not product > UNEVEN * total * total + EDGE * core * core


@uncounted
def is_level(pair, jets, size):
    """Whether no body is flat there, or one, and the other body has no edge or corner.

    Otherwise the points of the other body jump with the normal, and that of the flat place follows them.
    """
    a, b = hessian_of(jets, 0), hessian_of(jets, JET)
    if a[0] + a[3] + a[5] > FLAT * size:
        return b[0] + b[3] + b[5] <= FLAT * size and not _is_edge(b, pair.core_b)
    return not (b[0] + b[3] + b[5] > FLAT * size and _is_edge(a, pair.core_a))


@uncounted
def has_edge(pair, jets):
    """Whether one of the cores has an edge, a corner or a flat place at the normal of the last evaluation.

    F may have a kink next to it, and Newton steps must be evaluated.  Ellipsoids have no such places.
    """
    a, b = pair.longest
    return (a == 0.0 and _is_edge(hessian_of(jets, 0), pair.core_a)) or (
        b == 0.0 and _is_edge(hessian_of(jets, JET), pair.core_b)
    )


@uncounted
def _is_corner(jets, begin, core, size):
    """Whether the core of the body whose jet begins there has a corner at the normal of the last evaluation."""
    w = hessian_of(jets, begin)
    return abs(w[0] + w[3] + w[5] - 2.0 * core) <= EDGE * size


@uncounted
def corners_of(pair, jets, size):
    """Whether the core of A, and that of B, has a corner at the normal of the last evaluation."""
    return _is_corner(jets, 0, pair.core_a, size), _is_corner(jets, JET, pair.core_b, size)


@uncounted
def keeps_corners(pair, n, d, jets, size, scratch):
    """Whether edges at n are corners and the short step d stays within their normals, so that F is smooth there.

    `jets` are those at n.  Only bodies with a corner are evaluated.
    """
    a, b = pair.longest
    m = unit(add(n, d))
    if a == 0.0 and _is_edge(hessian_of(jets, 0), pair.core_a):
        if not _is_corner(jets, 0, pair.core_a, size):
            return False
        call_shape(pair.address_a, pair.row_a, pair.size_a, m[0], m[1], m[2], element(scratch, 0))
        if not norm(axpy(sub(point_of(scratch, 0), point_of(jets, 0)), -pair.core_a, sub(m, n))) <= EDGE * size:
            return False
    if b == 0.0 and _is_edge(hessian_of(jets, JET), pair.core_b):
        if not _is_corner(jets, JET, pair.core_b, size):
            return False
        u, v = mat_t_mul(pair.rotation, m), mat_t_mul(pair.rotation, n)
        call_shape(pair.address_b, pair.row_b, pair.size_b, -u[0], -u[1], -u[2], element(scratch, JET))
        if not norm(axpy(sub(point_of(scratch, JET), point_of(jets, JET)), pair.core_b, sub(u, v))) <= EDGE * size:
            return False
    return True
