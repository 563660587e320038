"""Convexity of tapered models: test of a body, and its distance from the limit of convexity.

Convexity is a condition at every height and for every share of the two terms (``shapes/taper_convexity.py``).
In least squares it is represented at many heights by *walls*, quantities that must not become negative; whether a step
is accepted is decided by the test of the shape itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..shapes.taper_convexity import GRID, bulges, minima
from .middle_walls import middle_walls
from .models import Model
from .parameter_layout import EXPONENTS, LINEAR, SQUARE, TAPER_X, TAPER_Y, TAPERS

if TYPE_CHECKING:
    from .open_model import OpenModel, OpenWalls

BULGE = 2e-3  # smallest relative Q of every body: slightly inside the limit
MIN_TAPER = 0.03  # smallest taper
MANY_WALLS_BELOW, NO_WALL_ABOVE = 0.02, 0.25  # below the first relative Q many heights are walls, above the second none
DIFFERENCE = 1e-6  # of differences: walls only guide the steps, they do not affect the distances
MAX_HALVINGS = 12

_SPARSE, _SPARSER = (np.arange(len(GRID)) % k == 0 for k in (2, 6))
_POWERS = np.vander([-1.0, *GRID[::4], 1.0], 4, increasing=True)[:, 1:]


@dataclass(frozen=True, eq=False)
class Walls:
    """Margins of convexity at the relevant heights near one body."""

    model: Model
    heights: np.ndarray
    every: np.ndarray  # all quantities
    chosen: np.ndarray  # indices of the quantities within reach
    values: np.ndarray
    slopes: np.ndarray  #: (walls, unknowns)

    def misses(self, z: np.ndarray) -> np.ndarray:
        """Violation by other parameters of these walls, or of one between them (<= 0)."""
        if not len(self.chosen):
            return np.empty(0)
        form = self.model.form(z[: len(self.model.names)])
        found = np.minimum(_room(form[None], self.heights)[0] - np.minimum(self.every, 0.0), 0.0)
        if len(self.heights):
            values, at = _minima(form)
            kinds = found[: 3 * len(self.heights)].reshape(3, -1)
            for value, height in zip(values - BULGE, at):
                nearest = np.abs(self.heights - height).argmin()
                kinds[:, nearest] = np.minimum(kinds[:, nearest], value)
        return found[self.chosen]


def walls(model: Model | OpenModel, z: np.ndarray) -> Walls | OpenWalls:
    """The walls around a convex body; z contains its parameters, then the pose, on which walls do not depend."""
    none = np.empty(0)
    if not isinstance(model, Model):
        return model.walls(z)
    if not model.tapers:
        return Walls(model, none, none, np.empty(0, int), none, np.empty((0, len(z))))
    form = model.form(z[: len(model.names)])
    bulge = _bulges(form[None], GRID)[0].min(axis=0)
    lowest, at = _minima(form)
    grid = GRID[(bulge < MANY_WALLS_BELOW) & _SPARSE | (bulge < NO_WALL_ABOVE) & _SPARSER]
    heights = np.concatenate([grid, at[lowest < NO_WALL_ABOVE]])
    # Towards smaller c2, where the limit at z = 0 is a square root that ends at zero
    steps = np.where(model.matrix[SQUARE].any(axis=0), -DIFFERENCE, DIFFERENCE)
    forms = form + np.vstack([np.zeros(len(form)), steps[:, None] * model.matrix.T])
    room = _room(forms, heights)
    within = room[0] < NO_WALL_ABOVE
    if not np.ptp(model.matrix[LINEAR], axis=0).any():
        within[-2:] = False  # equal slopes
    chosen = np.flatnonzero(within)
    slopes = ((room[1:] - room[0]).T / steps)[chosen]
    pose = np.zeros((len(chosen), len(z) - slopes.shape[1]))
    return Walls(model, heights, room[0], chosen, room[0][chosen], np.hstack([slopes, pose]))


def is_convex(model: Model | OpenModel, s: np.ndarray) -> bool:
    """Whether a body is convex, by the test of the shape itself, with a small margin."""
    if not isinstance(model, Model):
        return model.is_convex(s)
    if not model.tapers:
        return True
    form = model.form(s)
    if _widths(form[None]).min() < MIN_TAPER * (1.0 - 1e-9):
        return False
    return bool(_minima(form)[0].min() >= BULGE * (1.0 - 1e-6))


def made_convex(model: Model | OpenModel, s: np.ndarray) -> np.ndarray:
    """The parameters of a *start*, with its tapers reduced as far as needed to make the body convex."""
    if not isinstance(model, Model) or is_convex(model, s):
        return s
    tapers = model.is_taper
    low, high = 0.0, 1.0
    for _ in range(MAX_HALVINGS):
        part = 0.5 * (low + high)
        low, high = (part, high) if is_convex(model, np.where(tapers, part * s, s)) else (low, part)
    return np.where(tapers, low * s, s)


def _room(forms: np.ndarray, heights: np.ndarray) -> np.ndarray:
    found = _bulges(forms, heights)
    others = _widths(forms) - MIN_TAPER, middle_walls(forms, BULGE)
    return np.hstack([found.reshape(len(forms), -1) - BULGE, *others])


def _bulges(forms: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Relative Q of the bodies, (bodies, 3, heights)."""
    z = np.broadcast_to(heights, (len(forms), len(heights)))
    found, _ = bulges(2.0 / forms[:, EXPONENTS], np.ones(len(forms)), _taper(forms, TAPER_X), _taper(forms, TAPER_Y), z)
    return np.swapaxes(found, 0, 1)


def _widths(forms: np.ndarray) -> np.ndarray:
    """Both tapers at many heights."""
    return (1.0 + forms[:, TAPERS].reshape(-1, 2, 3) @ _POWERS.T).reshape(len(forms), -1)


def _minima(form: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Local minima of relative Q along the height, and their heights."""
    return _minima_of(form.tobytes())


@lru_cache(maxsize=4)  # a rejected step is evaluated twice
def _minima_of(form: bytes) -> tuple[np.ndarray, np.ndarray]:
    f = np.frombuffer(form)[None]
    values, at, _ = minima(2.0 / f[:, EXPONENTS], np.ones(1), _taper(f, TAPER_X), _taper(f, TAPER_Y))
    real = values[0] < np.inf
    return values[0][real], at[0][real]


def _taper(forms: np.ndarray, which: slice) -> np.ndarray:
    out = np.ones((len(forms), 4))
    out[:, 1:] = forms[:, which]
    return out
