"""Spline potentials as a model of fits (Römer 3-D, Remark 22).

The coefficients of a :class:`~tangency.SplineShape` are redundant: many sets of them give the same body.  The
parameters of the model are therefore support values in fixed directions, between which the spline is the smoothest one.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..geometry.moments import spread
from ..shapes import Ellipsoid, SplineShape
from ..shapes.shape import Shape
from .convex_margins import LinearConvexity
from .families import Family
from .limits import Limits, Tie

CELLS = 4  # of the spline, along each axis
PARTS = 4  # into which the edges of an octahedron are divided: 4 PARTS^2 + 2 directions
LEAST_RADIUS = 2e-3  # smallest radius of curvature, in sizes
SAMPLES = 1500  # normals at which the smoothness is measured
RIDGE = 1e-6  # of coefficients that do not affect the sphere, relative to the others


@cache
def directions() -> np.ndarray:
    """The directions of the parameters: x, -x, y, -y, z, -z, then the other corners of a divided octahedron."""
    k = np.arange(-PARTS, PARTS + 1)
    grid = np.stack(np.meshgrid(k, k, k, indexing="ij"), axis=-1).reshape(-1, 3)
    corners = grid[np.abs(grid).sum(axis=1) == PARTS]
    corners = corners[np.abs(corners).max(axis=1) < PARTS]
    axes = np.stack([sign * np.eye(3)[axis] for axis in range(3) for sign in (1.0, -1.0)])
    return np.concatenate([axes, corners / np.linalg.norm(corners, axis=1, keepdims=True)])


@cache
def _from_values() -> np.ndarray:
    """Coefficients of the smoothest spline (P, K) from support values in the K directions."""
    bend = (
        SplineShape._design(CELLS, spread(SAMPLES)).toarray().reshape(SAMPLES, 10, -1)[:, 4:].reshape(6 * SAMPLES, -1)
    )
    energy = bend.T @ bend
    energy /= energy.diagonal().max()
    energy[np.diag_indices(len(energy))] += RIDGE
    rows = SplineShape._design(CELLS, directions())[::10].toarray()
    # The least energy with the given values, by Lagrange's multipliers
    count = len(rows)
    system = np.block([[energy, rows.T], [rows, np.zeros((count, count))]])
    right = np.vstack([np.zeros((len(energy), count)), np.eye(count)])
    return np.linalg.solve(system, right)[: len(energy)]


def spline_family() -> Family:
    """All convex bodies whose potential is the smoothest spline through support values in 66 directions."""
    count = 4 * PARTS**2 + 2
    axes = ("px", "mx", "py", "my", "pz", "mz")
    names = (*axes, *(f"s{k}" for k in range(len(axes) + 1, count + 1)))
    free = np.full(count, np.inf)

    def build(p: np.ndarray) -> Shape:
        return SplineShape._unchecked(_from_values() @ p)

    def slopes(shape: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
        return SplineShape._design(CELLS, np.ascontiguousarray(n))[::10] @ _from_values()

    def design(n: np.ndarray) -> np.ndarray:
        return (SplineShape._design(CELLS, np.ascontiguousarray(n)) @ _from_values()).reshape(len(n), 10, -1)

    def guesses(half: np.ndarray) -> list[np.ndarray]:
        half = np.maximum(half, 0.5 * half.max())  # the search does the rest
        return [Ellipsoid(half).support(directions())]

    return Family(
        "spline",
        names,
        np.ones(count, bool),
        -free,
        free,
        build,
        slopes,
        guesses,
        # The position is the middle of the bounding box: else a shift would be counted twice.
        branches=(Limits(ties=tuple(Tie(axes[k + 1], 1.0, axes[k]) for k in (0, 2, 4))),),
        convexity=lambda: LinearConvexity(LEAST_RADIUS, design),
        turns=False,
        orientations=1,
        contains={"sphere": lambda p: guesses(np.full(3, p[0]))[0]},
    )
