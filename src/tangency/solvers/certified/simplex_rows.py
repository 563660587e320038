"""Rows of a simplex or polytope: w and its weight (``kernels/simplex.py``), then n, x_A and K."""

from __future__ import annotations

from ...compiled.jit import uncounted
from ...kernels.simplex import WEIGHT

NORMAL, POINT, CURVATURE, COLUMNS = 4, 7, 10, 16  # columns
INDEX = COLUMNS  # of parts of F only: the row of the simplex that a part was taken from
CORNERS = 5  # rows of a simplex: four corners and one spare


@uncounted
def put(m, i, w, n, x):
    """Write row i of a simplex or polytope."""
    m[i, 0], m[i, 1], m[i, 2] = w
    m[i, WEIGHT] = 0.0
    m[i, NORMAL], m[i, NORMAL + 1], m[i, NORMAL + 2] = n
    m[i, POINT], m[i, POINT + 1], m[i, POINT + 2] = x


@uncounted
def put_curvature(m, i, k):
    m[i, CURVATURE], m[i, CURVATURE + 1], m[i, CURVATURE + 2] = k[0], k[1], k[2]
    m[i, CURVATURE + 3], m[i, CURVATURE + 4], m[i, CURVATURE + 5] = k[3], k[4], k[5]
