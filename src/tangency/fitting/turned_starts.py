"""Starts for nearly spherical clouds, whose axes say little about a richer body: many orientations are tried."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from .models import Model
from .parameter_layout import RADII
from .problem import State

NEARLY_SPHERICAL = 0.25  # logarithm of the ratio of axes below which a body counts as nearly spherical
PREDICTED = 128  # most orientations: how many are tried, ``enough_starts.py`` decides
POINTS = 150  # used for it
SPREAD = {"log": 0.15, "exponent": 0.3, "taper": 0.1}  # of the parameters of nearly spherical bodies
OUTLIER = 5.0  # medians of the distances at which a point counts no more


def turned_starts(
    model: Model, ellipsoid: State, sphere: State, points: np.ndarray, weights: np.ndarray
) -> list[State]:
    """Starts in random orientations; none if the ellipsoid is not nearly spherical.

    From a sphere, which has no axes, each follows from one linearised step.
    """
    if np.ptp(ellipsoid.s) > NEARLY_SPHERICAL:
        return []
    points, weights = points[:POINTS], weights[:POINTS]
    radius, away = float(np.exp(sphere.s[0])), points - sphere.position
    distance = np.linalg.norm(away, axis=1)
    normal = away / np.maximum(distance, 1e-9)[:, None]
    error = distance - radius
    most = OUTLIER * float(np.median(np.abs(error))) + 1e-12
    root = np.sqrt(weights) * (np.abs(error) <= most)
    axes = ellipsoid.rotation @ _turns()
    local = normal @ axes  # (orientations, points, 3)
    form = model.base.copy()
    form[RADII] = np.log(radius)
    s = model.parameters(form)
    flat = local.reshape(-1, 3)
    own = model.distance_slopes(s, radius * flat, flat).reshape(*local.shape[:2], -1)
    slopes = np.concatenate([own, np.broadcast_to(-normal, local.shape)], axis=2) * root[:, None]
    right = root * error
    # The parameters are known to be small: otherwise a cap would not determine them.
    known = np.concatenate([_spread(model), np.full(3, SPREAD["log"])])
    ridge = np.diag((0.3 * np.sqrt((right**2).mean()) / known) ** 2 * len(right) / 100.0)
    left = np.einsum("knp,knq->kpq", slopes, slopes) + ridge
    step = -np.linalg.solve(left, np.einsum("knp,n->kp", slopes, right)[..., None])[..., 0]
    room = 1e-6 * (model.high - model.low)
    ends = np.clip(s + step[:, : len(s)], model.low + room, model.high - room)
    return [State(end, sphere.position + shift, turn) for end, shift, turn in zip(ends, step[:, len(s) :], axes)]


def _spread(model: Model) -> np.ndarray:
    """Typical size of the parameters of a body that is nearly a sphere."""
    kinds = ["taper" if taper else "log" if k < 3 else "exponent" for k, taper in enumerate(model.is_taper)]
    return np.array([SPREAD[kind] for kind in kinds])


@cache
def _turns() -> np.ndarray:
    return Rotation.random(PREDICTED, rng=np.random.default_rng(1)).as_matrix()
