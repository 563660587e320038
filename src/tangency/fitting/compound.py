"""fit_bodies(): several convex bodies for one cloud."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..io import numbers
from ..io.clouds import Cloud
from ..scene.write import body_text
from .check_cloud import check_cloud, check_normals
from .chosen_model import chosen_model, unknowns
from .fit_body import fit
from .fitted_scene import in_metres
from .lines_of_sight import parts_of
from .normals import outward_normals
from .orientation import enclosed
from .result import FitResult
from .select import unknowns_of
from .statistics import Statistics, statistics
from .surface_distance import signed_distance

MOST = 8  # parts that are tried
AROUND = 0.7  # smallest share of the full solid angle that the cloud must enclose
ROUNDS = 3  # of fitting and assigning points to the nearest body
SETTLED = 0.005  # share of points that change their body at which the rounds end
FEW = 500  # points of a part used until then


@dataclass(frozen=True)
class CompoundFit:
    """Several bodies fitted to one cloud by :func:`fit_bodies`.

    Attributes
    ----------
    fits : tuple of FitResult
        One fit per part, each to its own points.
    labels : (N,) array of int
        Number of the body of every point.
    residuals : (N,) array
        Signed distances of the points from their bodies.
    hidden : tuple of float
        Share of pairs of points that do not see each other within one, two, ... parts; 0 for convex parts.
    """

    fits: tuple[FitResult, ...]
    labels: np.ndarray
    residuals: np.ndarray
    hidden: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.fits)

    @property
    def statistics(self) -> Statistics:
        """Statistics of the residuals."""
        return statistics(self.residuals)

    @property
    def rms(self) -> float:
        """Root of the mean squared distance."""
        return self.statistics.rms

    def signed_distance(self, points: ArrayLike) -> np.ndarray:
        """Distance from the nearest body: < 0 inside one of them."""
        return np.min([signed_distance(one.shape, points, one.pose).distance for one in self.fits], axis=0)

    def scene_bodies(self, name: str = "part", *, unit: float = 1.0, density: float | None = None) -> str:
        """All bodies as tables of a scene file, named after `name`; `unit` is that of the cloud [m]."""
        placed = [in_metres(one, unit) for one in self.fits]
        more: dict[str, Any] = {} if density is None else {"density": density}
        return "\n".join(body_text(f"{name} {k}", shape, pose, **more) for k, (shape, pose) in enumerate(placed, 1))

    def __repr__(self) -> str:
        bodies = "body" if len(self) == 1 else "bodies"
        lines = [f"{len(self)} {bodies} fitted to {len(self.labels)} points, rms {self.rms:.6g}"]
        for k, one in enumerate(self.fits):
            lines.append(f"  {k + 1}: {one.model}, {len(one.residuals)} points, {one.status.name}, rms {one.rms:.6g}")
        return "\n".join(lines)


def fit_bodies(
    points: ArrayLike | Cloud,
    count: int | None = None,
    models: Sequence[Any] = ("superellipsoid",),
    *,
    normals: ArrayLike | None = None,
    loss: str = "linear",
) -> CompoundFit:
    """Divide a cloud into parts that are nearly convex, and fit a body to each.

    Parameters
    ----------
    points : (N, 3) array_like or Cloud
        Points all around the surface of a body that need not be convex; normals, or the triangles of a mesh, help.
    count : int, optional
        Number of parts.  Default: the smallest number for which the parts are nearly convex.
    models : sequence
        Models as in :func:`tangency.fit`; each part takes the one with the smallest Bayesian information criterion.
    normals : (N, 3) array_like, optional
        Outward normals; by default those of the cloud, of its mesh, or estimated from neighbours.  If all point
        inwards, they are turned around.
    loss : str
        As in :func:`tangency.fit`, for the final fits.

    Returns
    -------
    CompoundFit

    Notes
    -----
    Two points of the surface belong to one convex part if the line between them stays inside the body
    (``fitting/lines_of_sight.py``).  Then bodies are fitted and every point is assigned to the nearest one, in turns.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> from tangency.fitting import fit_bodies
    >>> n = np.random.default_rng(0).normal(size=(600, 3))
    >>> ball = tg.Sphere(1.0).point(n)
    >>> left, right = ball[ball[:, 0] < 0.8] - [0.8, 0, 0], ball[ball[:, 0] > -0.8] + [0.8, 0, 0]
    >>> found = fit_bodies(np.concatenate([left, right]), models=["sphere"])
    >>> len(found), [round(float(one.shape.radius), 6) for one in found.fits]
    (2, [1.0, 1.0])
    """
    if isinstance(models, str):
        raise ValueError(f"models must be a list of at least one model, got {models!r}")
    chosen = [chosen_model(model, "models") for model in models]
    if not chosen:
        raise ValueError("models must contain at least one model, got none")
    parts = MOST if count is None else numbers.count(count, "count")
    cloud = check_cloud(points, [unknowns(model) for model in chosen])
    given = normals if normals is not None else getattr(points, "normals", None)
    faces = getattr(points, "faces", None)
    given = check_normals(given, cloud)
    outward = outward_normals(Cloud(cloud, given, faces))
    if enclosed(cloud, outward) < AROUND:
        raise ValueError(
            "points must lie all around a body, and normals must point out of it: which side is inside cannot be told; "
            + ("give more points, normals or a mesh" if given is None else "give other normals, or none")
        )
    labels, hidden = parts_of(cloud, outward, count, parts)
    least = max(unknowns(model) for model in chosen) + 1
    for _ in range(ROUNDS if labels.max() > 0 else 0):
        bodies = [_best(_some(cloud[labels == k]), chosen, "soft_l1") for k in range(labels.max() + 1)]
        away = np.abs([signed_distance(one.shape, cloud, one.pose).distance for one in bodies])
        nearest = away.argmin(axis=0)
        if np.bincount(nearest, minlength=len(bodies)).min() < least:
            break
        changed = float((nearest != labels).mean())
        labels = nearest
        if changed <= SETTLED:
            break
    fits = [_best(cloud[labels == k], chosen, loss) for k in range(labels.max() + 1)]
    residuals = np.empty(len(cloud))
    for k, one in enumerate(fits):
        residuals[labels == k] = one.residuals
    return CompoundFit(tuple(fits), labels, residuals, tuple(hidden))


def _some(points: np.ndarray) -> np.ndarray:
    return points[np.random.default_rng(0).permutation(len(points))[:FEW]]


def _best(points: np.ndarray, models: list[Any], loss: str) -> FitResult:
    """The fit with the smallest Bayesian information criterion."""
    found = [fit(points, model, loss=loss) for model in models]
    count = len(points)

    def criterion(one: FitResult) -> float:
        return count * math.log(max(one.rms, 1e-300) ** 2) + unknowns_of(one) * math.log(count)

    return min(found, key=criterion)
