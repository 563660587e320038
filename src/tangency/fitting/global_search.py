"""Starts from a global search, in the spirit of the thesis' genetic algorithm (Lopes thesis, 3.2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import differential_evolution
from scipy.spatial.transform import Rotation

from .convexity import is_convex
from .models import MODELS, Model
from .parameter_layout import EXPONENTS, RADII, TAPER_X, TAPER_Y
from .problem import State

if TYPE_CHECKING:
    from .hierarchy import Search

POINTS, MEMBERS, GENERATIONS = 200, 6, 120


def evolve(search: Search, name: str) -> list[tuple[Model, State]]:
    """One start by differential evolution around the ellipsoid for every branch of a model."""
    search.fit("ellipsoid")
    return [(model, _evolve(search, model)) for model in MODELS[name]]


def _evolve(search: Search, model: Model) -> State:
    middle = search.known["ellipsoid"].state
    some = search.points[search.few[:POINTS]]
    m = len(model.names)
    lengths = model.matrix[RADII].any(axis=0)
    radius = middle.s.mean()
    low, high = np.where(lengths, radius - 1.0, model.low), np.where(lengths, radius + 1.0, model.high)
    reach = 0.5 * np.exp(radius)
    limits = [*zip(low, high), *zip(middle.position - reach, middle.position + reach), *[(-1.6, 1.6)] * 3]

    def error(z: np.ndarray) -> float:
        if not is_convex(model, z[:m]):
            return 10.0
        turn = Rotation.from_rotvec(z[m + 3 :]).as_matrix()
        local = (some - z[m : m + 3]) @ (middle.rotation @ turn)
        return float(np.minimum(np.abs(radial_distance(model, z[:m], local)), 1.0).mean())

    found = differential_evolution(error, limits, popsize=MEMBERS, maxiter=GENERATIONS, tol=1e-3, rng=0, polish=False)
    turn = Rotation.from_rotvec(found.x[m + 3 :]).as_matrix()
    return State(found.x[:m], found.x[m : m + 3], middle.rotation @ turn)


def radial_distance(model: Model, s: np.ndarray, local: np.ndarray) -> np.ndarray:
    """Approximate distance along the ray from the centre, by one step of the implicit function (thesis, Eq. 3.1)."""
    form = model.form(s)
    x, y, z = np.abs(local / np.exp(form[RADII])).T
    with np.errstate(over="ignore"):
        if model.barr:
            e1, e2 = form[EXPONENTS]
            value = (x ** (2 / e2) + y ** (2 / e2)) ** (e2 / e1) + z ** (2 / e1)
            power = e1 / 2.0
        else:
            zeta = np.clip(local[:, 2] / np.exp(form[RADII][2]), -1.0, 1.0)
            tx, ty = (1.0 + zeta * (c1 + zeta * (c2 + zeta * c3)) for c1, c2, c3 in (form[TAPER_X], form[TAPER_Y]))
            a, b, c = 2 / form[EXPONENTS]
            value = (x / tx) ** a + (y / ty) ** b + z**c
            power = float(np.mean(form[EXPONENTS])) / 2.0
        return np.linalg.norm(local, axis=1) * (1.0 - np.maximum(value, 1e-12) ** -power)
