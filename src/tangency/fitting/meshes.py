"""From an image to a cloud (Lopes thesis, Fig. 3.1): surface of a segmented volume, smoothing, holes, even samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..io import numbers, validate
from ..io.clouds import Cloud
from ..io.mesh_files import mesh_normals
from .sampling import poisson_disk

SHRINK, GROW = 0.5, -0.53  # the two steps of Taubin's filter, which together keep the size
OVERSAMPLING = 6  # random samples per point that is kept


def mesh_from_volume(
    volume: ArrayLike, level: float = 0.5, *, spacing: ArrayLike = (1.0, 1.0, 1.0), fill: bool = True, smooth: int = 10
) -> Cloud:
    """Surface of a segmented volume by marching cubes (Lorensen and Cline 1987), as a smooth mesh.

    Parameters
    ----------
    volume : (I, J, K) array_like
        Voxels: a segmentation (0 and 1, or bool), or grey values.
    level : float
        Value at the surface; larger values are inside.
    spacing : (3,) array_like
        Size of a voxel; the point of voxel (i, j, k) is (i, j, k) times it.
    fill : bool
        Whether to close voids inside the body, and to keep only its largest connected part.
    smooth : int
        Steps of :func:`smooth_mesh`.

    Returns
    -------
    Cloud
        A mesh with outward normals.

    Notes
    -----
    Needs scikit-image: ``pip install 'tangency[images]'``.

    Examples
    --------
    >>> import numpy as np, pytest
    >>> _ = pytest.importorskip("skimage")
    >>> from tangency.fitting import mesh_from_volume
    >>> i, j, k = np.ogrid[:21, :21, :21]
    >>> mesh = mesh_from_volume((i - 10) ** 2 + (j - 10) ** 2 + (k - 10) ** 2 < 64)
    >>> abs(float(np.linalg.norm(mesh.points - 10, axis=1).mean()) - 8) < 0.3
    True
    """
    try:
        from skimage.measure import marching_cubes
    except ImportError:
        raise ImportError("surfaces of volumes need scikit-image: pip install 'tangency[images]'") from None
    voxels = np.asarray(volume)
    if voxels.ndim != 3 or min(voxels.shape) < 2:
        raise ValueError(f"volume must have three axes of at least two voxels, got shape {voxels.shape}")
    step = validate.positive(validate.vectors(spacing, "spacing"), "spacing")
    values = voxels.astype(float)
    if not np.isfinite(values).all():
        raise ValueError("volume must be finite, got values that are not")
    if not values.min() < level < values.max():
        raise ValueError(f"level must lie between the smallest and largest value {values.min()} and {values.max()}")
    if fill:
        values = _filled(values, level)
    low = min(values.min(), 2.0 * level - values.max())
    padded = np.pad(values, 1, constant_values=low)  # the surface is closed where the body leaves the image
    points, faces, _, _ = marching_cubes(padded, level, spacing=tuple(step))
    points = points.astype(float) - step
    faces = faces.astype(np.int64)
    a, b, c = (points[faces[:, k]] for k in range(3))
    if np.einsum("ij,ij->", a, np.cross(b, c)) < 0.0:
        faces = faces[:, ::-1].copy()
    mesh = Cloud(points, mesh_normals(points, faces), faces)
    return smooth_mesh(mesh, smooth) if smooth else mesh


def _filled(values: np.ndarray, level: float) -> np.ndarray:
    """The largest connected part, without voids."""
    from scipy import ndimage

    inside = values > level
    parts, count = ndimage.label(inside)
    if count > 1:
        sizes = np.bincount(parts.ravel())
        sizes[0] = 0
        other = inside & (parts != sizes.argmax())
        values = np.where(other, min(values.min(), 2.0 * level - values.max()), values)
        inside = inside & ~other
    voids = ndimage.binary_fill_holes(inside) & ~inside
    return np.where(voids, values.max(), values)


def smooth_mesh(mesh: Cloud, steps: int = 10) -> Cloud:
    """The mesh without the steps of its voxels, by Taubin's filter (1995), which hardly changes the size."""
    if mesh.faces is None or not len(mesh.faces):
        raise ValueError("mesh must have faces, got only points")
    numbers.count(steps, "steps", 0)
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    rows, columns = np.concatenate([edges, edges[:, ::-1]]).T
    count = len(mesh.points)
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(count, count))
    share = 1.0 / np.maximum(graph.sum(axis=1), 1.0)
    points = mesh.points
    for _ in range(steps):
        for factor in (SHRINK, GROW):
            points = points + factor * (share[:, None] * (graph @ points) - points)
    return Cloud(points, mesh_normals(points, mesh.faces), mesh.faces)


def close_holes(mesh: Cloud) -> Cloud:
    """The mesh with every hole closed by triangles around its middle; these corners come last.

    For closed surfaces; leave open scans open, because :func:`tangency.fit` does not need what it cannot see.
    """
    if mesh.faces is None or not len(mesh.faces):
        raise ValueError("mesh must have faces, got only points")
    directed = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    count = len(mesh.points)
    forward, backward = directed[:, 0] * count + directed[:, 1], directed[:, 1] * count + directed[:, 0]
    rim = directed[~np.isin(forward, backward)]  # edges with a triangle on one side only
    if not len(rim):
        return mesh
    graph = csr_array((np.ones(len(rim)), (rim[:, 0], rim[:, 1])), shape=(count, count))
    _, part = connected_components(graph, directed=False)
    loops, number = np.unique(part[rim[:, 0]], return_inverse=True)
    middles = np.stack([mesh.points[rim[number == k, 0]].mean(axis=0) for k in range(len(loops))])
    fans = np.column_stack([rim[:, 1], rim[:, 0], count + number])
    points, faces = np.vstack([mesh.points, middles]), np.vstack([mesh.faces, fans])
    return Cloud(points, mesh_normals(points, faces), faces)


def sample_mesh(mesh: Cloud, count: int, *, seed: int = 0) -> Cloud:
    """About `count` points, evenly spread over the triangles of a mesh: random ones, thinned by Poisson disks.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.fitting import sample_mesh, surface_mesh
    >>> cloud = sample_mesh(surface_mesh(tg.Ellipsoid([3, 2, 1])), 500)
    >>> 480 <= len(cloud) <= 520, cloud.normals.shape[1]
    (True, 3)
    """
    if mesh.faces is None or not len(mesh.faces):
        raise ValueError("mesh must have faces, got only points")
    wanted = numbers.count(count, "count")
    rng: Any = np.random.default_rng(seed)
    a, b, c = (mesh.points[mesh.faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    area = np.linalg.norm(across, axis=1)
    face = rng.choice(len(area), OVERSAMPLING * wanted, p=area / area.sum())
    u, v = rng.uniform(size=(2, len(face), 1))
    u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
    cloud = Cloud(a[face] + u * (b - a)[face] + v * (c - a)[face], across[face] / area[face][:, None])
    return cloud.take(poisson_disk(cloud.points, count=wanted, seed=seed))
