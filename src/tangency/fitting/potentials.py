"""Harmonic potentials as a model of fits, and potentials from points and meshes (Römer 3-D, Remark 22)."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..io.clouds import Cloud, read_cloud
from ..shapes import Ellipsoid, HarmonicShape, SplineShape
from ..shapes.shape import Shape
from .convex_margins import LinearConvexity
from .families import Family
from .limits import Limits
from .normals import outward_normals

DEGREE = 6  # of the model "harmonic"
LEAST_RADIUS = 2e-3  # smallest radius of curvature of the model, in sizes


def from_points(
    points: ArrayLike | Cloud, *, degree: int | None = None, cells: int | None = None, hull: bool = False
) -> Shape:
    """Convex body closest to the points of a surface: a potential of spherical harmonics, or of splines.

    Parameters
    ----------
    points : (N, 3) array_like or Cloud
        Points on the surface; the normals of a cloud are used to start.
    degree : int, optional
        Highest degree of the harmonics; default 8.
    cells : int, optional
        Cells per axis of a :class:`~tangency.SplineShape`, instead of harmonics.
    hull : bool
        Fit the convex hull of the points instead, for clouds that are not convex.

    Returns
    -------
    HarmonicShape or SplineShape
        Its attribute ``fitted`` states the error.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> n = np.random.default_rng(0).normal(size=(500, 3))
    >>> body = tg.from_points(tg.Ellipsoid([1.2, 1.0, 0.9]).point(n), degree=6)
    >>> abs(float(body.support([1, 0, 0])) - 1.2) < 1e-3
    True
    """
    if degree is not None and cells is not None:
        raise ValueError(f"give either degree or cells, got degree={degree!r} and cells={cells!r}")
    normals = None if getattr(points, "normals", None) is None else outward_normals(points)  # type: ignore[arg-type]
    cloud: Any = getattr(points, "points", points)
    if cells is not None:
        return SplineShape.from_points(cloud, cells, normals=normals, hull=hull)
    return HarmonicShape.from_points(cloud, 8 if degree is None else degree, normals=normals, hull=hull)


def from_mesh(mesh: Cloud | str | os.PathLike[str], **options: Any) -> Shape:
    """Convex body closest to the vertices of a mesh, from a file or a :class:`~tangency.fitting.Cloud`.

    Options are those of :func:`from_points`.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.fitting import surface_mesh
    >>> mesh = surface_mesh(tg.Ellipsoid([1.2, 1.0, 0.9]), corners=500)
    >>> abs(float(tg.from_mesh(mesh, degree=6).volume) - 4.5239) < 1e-3
    True
    """
    cloud = mesh if isinstance(mesh, Cloud) else read_cloud(mesh)
    return from_points(Cloud(cloud.points, outward_normals(cloud), cloud.faces), **options)


def harmonic_family() -> Family:
    """All convex bodies whose potential is a sum of harmonics up to the degree `DEGREE`."""
    pairs = [(l, m) for l in range(DEGREE + 1) for m in range(-l, l + 1)]
    names = tuple(f"h{l}_{m}" for l, m in pairs)
    free = np.full(len(names), np.inf)

    def slopes(shape: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
        return shape.parameter_jet(n).support

    def design(n: np.ndarray) -> np.ndarray:
        return HarmonicShape._design(DEGREE, n).reshape(len(n), 10, -1)

    def guesses(half: np.ndarray) -> list[np.ndarray]:
        # Not more slender than a series of this degree describes well: the search does the rest.
        half = np.maximum(half, 0.5 * half.max())
        return [np.asarray(HarmonicShape.from_shape(Ellipsoid(half), DEGREE).coefficients)]

    return Family(
        "harmonic",
        names,
        np.ones(len(names), bool),
        -free,
        free,
        HarmonicShape._unchecked,
        slopes,
        guesses,
        # Harmonics of degree 1 move the body, which the position does already.
        branches=(Limits(fixed={name: 0.0 for name, (l, _) in zip(names, pairs) if l == 1}),),
        convexity=lambda: LinearConvexity(LEAST_RADIUS, design),
        turns=False,
        orientations=1,
        contains={"sphere": lambda p: guesses(np.full(3, p[0]))[0]},
    )
