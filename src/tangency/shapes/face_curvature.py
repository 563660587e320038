"""Curvature of shapes on faces and along edges, where many points share a normal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..compiled.jit import call_shape, element, entry, plain_rows
from ..geometry.curvature import Curvature
from ..kernels.jet import JET, hessian_of, point_of
from ..kernels.poses import at
from ..kernels.principal_radii import EDGED, Surface, eigen
from ..kernels.support_set import PROBES, support_set
from ..kernels.vectors import add, cross, scale


@entry
def _at_middle(address, rows, sizes, pick, normals, values, radii, directions):
    """Replace the curvature at each normal that belongs to an edge or face by that in its middle."""
    size, work = rows.shape[1], np.empty(PROBES * JET)
    for k in range(normals.shape[0]):
        i = at(pick, k)
        body = Surface(address, 0, element(rows, i * size), size, EDGED, 0, 0)
        n = (normals[k, 0], normals[k, 1], normals[k, 2])
        call_shape(address, body.row, size, n[0], n[1], n[2], element(work, 0))
        x, large = point_of(work, 0), eigen(n, hessian_of(work, 0))[0]
        found = support_set(body, n, x, sizes[i], large, work, False, 1.0)
        if found.rank < 1:
            continue
        values[k, 0], values[k, 1], radii[k, 0], radii[k, 1] = 0.0, 0.0, math.inf, math.inf
        if found.rank == 1:
            middle = scale(add(found.corners[0], found.corners[1]), 0.5)
            across = max(support_set(body, n, middle, sizes[i], large, work, False, 1.0).across, 0.0)
            values[k, 0], radii[k, 0] = 1.0 / across if across > 0.0 else math.inf, across
        second = cross(n, found.axis)
        for c in range(3):
            directions[k, 0, c], directions[k, 1, c] = second[c], found.axis[c]


def on_faces(shape: Any, n: np.ndarray, found: Curvature) -> Curvature:
    """`found`, the curvature of a shape at unit normals n, corrected on faces and along edges."""
    batch = found.values.shape[:-1]
    count = math.prod(batch)
    rows = np.broadcast_to(np.arange(len(shape.rows)).reshape(shape.batch_shape), batch).reshape(-1)
    sizes = np.broadcast_to(shape.bounding_radius, shape.batch_shape).reshape(-1).astype(np.float64)
    values, radii = found.values.reshape(count, 2).copy(), found.radii.reshape(count, 2).copy()
    directions = found.directions.reshape(count, 2, 3).copy()
    normals = plain_rows(np.broadcast_to(n, (*batch, 3)), (-1, 3))
    if count:
        pick = np.array(rows[:1] if len(shape.rows) == 1 else rows)
        _at_middle(shape.address, shape.rows, sizes, pick, normals, values, radii, directions)
    return Curvature(values.reshape(*batch, 2), radii.reshape(*batch, 2), directions.reshape(*batch, 2, 3))
