"""Principal radii of curvature of a body at its contact point, found as its kind asks for."""

from __future__ import annotations

import math
from typing import Any

from ..compiled.jit import call_shape, element, jit
from .implicit_radii import radii_by_function, radii_of_image
from .jet import hessian_of, point_of
from .principal_radii import EDGED, INFINITE, PLANE, POWER, SAME, SMOOTH, Radii, eigen
from .support_set import NONE, ROUGH, support_set
from .vectors import frame, norm, scale, sub

LOOSE, STRICT, SINGLE = 0, 1, 2
"""How a body is looked at: n and x may be those of a solver; they are exact; those of a solver, at a single point."""

WIDER = 2  # times that the search for an edge or face is repeated with normals farther away
MOST = 1e100  # of a finite radius that a kernel gives at a flat place
ROUNDING = 1e-7  # of the size: a radius that is zero, in formulas whose second derivatives are differences


def kind_of(body: Any) -> int:
    """How the radii of curvature of a bounded shape are found."""
    if not body._is_builtin():
        return EDGED
    if body.smooth:
        return SMOOTH
    return POWER if body.has_implicit else EDGED


@jit
def _by_normals(body, length, m, x, work, look):
    """Radii of a smooth body, or of one with edges and faces, from its normals m and nearby."""
    call_shape(body.address, body.row, body.size, m[0], m[1], m[2], element(work, 0))
    large, small, axis = eigen(m, hessian_of(work, 0))
    point, tilt = point_of(work, 0), NONE
    single, near = body.kind == EDGED and look == SINGLE, norm(sub(x, point)) <= SAME * length
    # The point of a solver is less accurate at edges; steps that follow will tell.
    rough = body.kind == EDGED and look == LOOSE and norm(sub(x, point)) <= ROUGH * length
    known = body.kind == SMOOTH or single or near or rough
    beyond = 0.0 if known else math.inf
    if body.kind == EDGED and not single:
        found = support_set(body, m, x, length, large, work, look == STRICT, 1.0)
        if look == LOOSE and not near:
            # The normal of a solver may miss that of an edge or face by more than the normals tried.
            for k in range(WIDER):
                if found.rank < 1 or not found.sure:
                    found = support_set(body, m, x, length, large, work, False, 100.0 ** (k + 1))
        if found.rank > 0:
            large, small, axis = INFINITE, found.across if found.rank == 1 else INFINITE, found.axis
            known, beyond, point, tilt = found.inside, found.beyond, found.point, found.tilt
        elif found.rank < 0:
            known, beyond = False, math.inf
        if found.rank < 1 and body.hollow == 2:  # all normals but those of the side belong to the tip of a cone
            large, small = 0.0, 0.0
    return Radii(large, small, axis, known, beyond, point, tilt, point)


@jit
def radii_at(body, length, n, x, work, look):
    """Radii of a body whose outward normal is n, at its point x; both in its own frame, and so is the result.

    `length` is the size of the pair; `work` is room for jets; `look` is one of LOOSE, STRICT and SINGLE.
    """
    if body.kind == PLANE:
        return Radii(INFINITE, INFINITE, frame(n)[0], True, 0.0, x, NONE, x)
    sign = -1.0 if body.hollow else 1.0
    m = scale(n, sign)
    if body.kind == POWER:
        found = radii_of_image(body, length, m, x, work) if body.core else radii_by_function(body, length, m, x, work)
    else:
        found = _by_normals(body, length, m, x, work, look)
    large, small, axis, known, beyond, point, tilt, within = found
    if small < 0.0 and small >= -ROUNDING * length:
        small, large = 0.0, max(large, 0.0)
    if not (large >= 0.0 and small >= 0.0):  # formulas that do not describe a convex body, or give no number
        known, beyond = False, math.inf
        if not (abs(large) < math.inf and abs(small) < math.inf and norm(axis) > 0.5):
            large, small, axis = 0.0, 0.0, frame(m)[0]
    tilt = scale(tilt, sign)
    return Radii(sign * min(large, MOST), sign * min(small, MOST), axis, known, beyond, point, tilt, within)
