"""spherical_region(): the part of a scan that is most nearly a whole sphere, such as the head of a femur."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ..io import numbers, validate
from ..io.clouds import Cloud
from .directions import spread
from .normals import outward_normals
from .sampling import poisson_disk

PAIRS = 20000  # pairs of points with normals, each of which determines a sphere
SCORED = 400  # spheres whose coverage is measured
POINTS = 2500  # points on which they are compared
SMALLEST, LARGEST = 0.01, 0.5  # radius in diagonals of the cloud's bounding box
CELLS = 200  # directions in which coverage is measured
CLOSE, STEEP = 0.05, 0.9  # relative distance and cosine between normal and radius of points on a sphere
ROUNDS = 30
NEIGHBOURS = 10


def spherical_region(
    cloud: Cloud | np.ndarray,
    *,
    radius: tuple[float, float] | None = None,
    hollow: bool = False,
    tolerance: float = 0.1,
    angle: float = 32.0,
) -> np.ndarray:
    """Indices of the points on the most complete sphere in a scan.

    Parameters
    ----------
    cloud : Cloud or (N, 3) array_like
        A mesh, points with normals, or points.
    radius : (float, float), optional
        Range of the radius.  Default: from 1 % to 50 % of the diagonal of the bounding box.
    hollow : bool
        Whether the sphere is a hollow, such as the socket of a hip, whose normals point to its centre.
    tolerance : float
        Largest distance from the sphere, relative to its radius, of points that belong to the region.
    angle : float
        Largest angle between the normal of a point and its radius [degree].

    Returns
    -------
    (M,) array of int
        Indices of the connected region.

    Notes
    -----
    Pairs of points with normals determine spheres (Schnabel, Wahl and Klein 2007).  The best one is that whose points
    cover the largest part of the sphere, seen from its centre; its connected region and the sphere through it are then
    improved in turns.  No radius or place has to be known.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> from tangency.fitting import spherical_region
    >>> n = np.random.default_rng(0).normal(size=(600, 3))
    >>> ball, rod = tg.Sphere(1.0).point(n), tg.capsule(0.3, 3.0).point(n) - [0, 0, 3.5]
    >>> ball = ball[ball[:, 2] > -0.9]
    >>> chosen = spherical_region(np.concatenate([ball, rod]))
    >>> bool(np.isin(np.arange(len(ball)), chosen).mean() > 0.95)
    True
    """
    points = validate.numbers(getattr(cloud, "points", cloud), "cloud")
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise ValueError(f"cloud must be finite points of shape (N, 3), got {validate.short(points)}")
    numbers.number(tolerance, "tolerance", above=0.0, most=0.5)
    steep = float(np.cos(np.radians(numbers.number(angle, "angle", above=0.0, most=90.0))))
    normals = outward_normals(cloud) * (-1.0 if hollow else 1.0)
    diagonal = float(np.linalg.norm(np.ptp(points, axis=0)))
    ends = validate.numbers((SMALLEST * diagonal, LARGEST * diagonal) if radius is None else radius, "radius")
    if ends.shape != (2,) or not 0.0 < ends[0] < ends[1]:
        raise ValueError(f"radius must be a range (low, high) with 0 < low < high, got {radius!r}")
    centre, size = _most_complete(points, normals, *ends.tolist())
    graph = _neighbours(cloud, points)
    for _ in range(ROUNDS):
        region = _region(points, normals, graph, centre, size, CLOSE, STEEP)
        old = centre, size
        centre, size = _sphere(points[region], centre, size)
        if np.linalg.norm(centre - old[0]) + abs(size - old[1]) <= 1e-9 * size:
            break
    return _region(points, normals, graph, centre, size, tolerance, steep)


def _most_complete(points: np.ndarray, normals: np.ndarray, low: float, high: float) -> tuple[np.ndarray, float]:
    """Centre and radius of the sphere whose points cover most of it."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, len(points), PAIRS)
    reach = np.exp(rng.uniform(np.log(0.5 * low), np.log(1.5 * high), PAIRS))
    # Partners at all distances: the point nearest to a random place that far away
    away = rng.normal(size=(PAIRS, 3))
    away *= (reach / np.linalg.norm(away, axis=1))[:, None]
    _, second = cKDTree(points).query(points[first] + away)
    dp, dn = points[first] - points[second], normals[first] - normals[second]
    square = (dn**2).sum(axis=1)
    size = (dp * dn).sum(axis=1) / np.maximum(square, 1e-12)
    a, b = points[first] - size[:, None] * normals[first], points[second] - size[:, None] * normals[second]
    fits = (square > 0.05) & (size > low) & (size < high)
    fits &= np.linalg.norm(a - b, axis=1) < 2.0 * CLOSE * np.abs(size)
    if not fits.any():
        raise ValueError("cloud contains no spherical region: no two of its points have normals of a common sphere")
    centres, sizes = 0.5 * (a + b)[fits], size[fits]
    some = poisson_disk(points, count=min(POINTS, len(points)))
    p, n = points[some], normals[some]
    # Spheres with many points first, then those that cover most
    counts = np.array([_on(p, n, c, r, CLOSE, STEEP).sum() for c, r in zip(centres, sizes)])
    order = np.argsort(-counts, kind="stable")[:SCORED]
    best, most = order[0], -1.0
    cells = np.array(spread(CELLS))
    for k in order:
        on = _on(p, n, centres[k], sizes[k], CLOSE, STEEP)
        toward = (p[on] - centres[k]) / sizes[k]
        covered = len(np.unique((toward @ cells.T).argmax(axis=1))) if on.any() else 0
        if covered > most:
            best, most = k, covered
    return centres[best], float(sizes[best])


def _on(p: np.ndarray, n: np.ndarray, centre: np.ndarray, size: float, close: float, steep: float) -> np.ndarray:
    away = p - centre
    distance = np.linalg.norm(away, axis=1)
    along = (away * n).sum(axis=1)
    return (np.abs(distance - size) <= close * size) & (along >= steep * distance)


def _neighbours(cloud: Cloud | np.ndarray, points: np.ndarray) -> csr_array:
    """Which points are neighbours: along the edges of a mesh, else the nearest ones."""
    faces = getattr(cloud, "faces", None)
    if faces is not None and len(faces):
        rows, columns = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).T
    else:
        _, near = cKDTree(points).query(points, min(NEIGHBOURS, len(points)))
        rows, columns = np.repeat(np.arange(len(points)), near.shape[1]), near.ravel()
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(points), len(points)))


def _region(
    points: np.ndarray,
    normals: np.ndarray,
    graph: csr_array,
    centre: np.ndarray,
    size: float,
    close: float,
    steep: float,
) -> np.ndarray:
    """The largest connected part of the points on a sphere."""
    on = np.flatnonzero(_on(points, normals, centre, size, close, steep))
    if not len(on):
        raise ValueError("cloud contains no spherical region: no point lies on the best sphere")
    _, part = connected_components(graph[on][:, on], directed=False)
    return on[part == np.bincount(part).argmax()]


def _sphere(points: np.ndarray, centre: np.ndarray, size: float) -> tuple[np.ndarray, float]:
    """Sphere with the least squared distances, by Gauss-Newton steps."""
    for _ in range(20):
        away = points - centre
        distance = np.linalg.norm(away, axis=1)
        rows = np.column_stack([-away / distance[:, None], -np.ones(len(points))])
        step = np.linalg.lstsq(rows, size - distance, rcond=None)[0]
        centre, size = centre + step[:3], size + step[3]
        if np.abs(step).max() <= 1e-12 * size:
            break
    return centre, float(size)
