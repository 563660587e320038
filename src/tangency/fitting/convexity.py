"""The convex bodies of a tapered model: whether a body is one of them, and how far away their limit is.

Convexity is a condition at every height and for every share of the two terms (``shapes/taper_convexity.py``).
Least squares see it at many heights as *walls*, quantities that must not become negative; whether a step may be
taken is decided by the test of the shape itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..shapes.taper_convexity import bulges, dent
from .models import Model

BULGE, LEAST_BULGE = 2e-3, 5e-4  # relative Q of a fitted body at the heights below, and anywhere
THIN = 0.03  # least taper
NEAR, FAR = 0.05, 0.25  # relative Q below which the exact test is asked, and above which a wall is out of reach
STEP = 1e-6  # of differences: walls steer, they are no part of the distances
HALVES = 12

_HALF = np.concatenate([np.geomspace(1e-6, 2e-3, 6, endpoint=False),
                        0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 35))[1:-1]])  # fmt: skip
HEIGHTS = np.concatenate([-_HALF[::-1], _HALF])
_COARSE = np.arange(len(HEIGHTS)) % 3 == 0
_POWERS = np.vander([-1.0, *HEIGHTS, 1.0], 4, increasing=True)


@dataclass(frozen=True, eq=False)
class Walls:
    """What is left before a body is not convex any more, at the heights that matter next to one body."""

    model: Model
    heights: np.ndarray
    chosen: np.ndarray  # numbers of those quantities that are within reach
    values: np.ndarray
    slopes: np.ndarray  #: (walls, unknowns)

    def at(self, z: np.ndarray) -> np.ndarray:
        """The same quantities for other parameters."""
        form = self.model.form(z[: len(self.model.names)])
        return _room(form[None], self.heights)[0][self.chosen] if len(self.chosen) else np.empty(0)


def walls(model: Model, z: np.ndarray) -> Walls:
    """The walls around a convex body; z holds its parameters, and then the pose, to which walls are blind."""
    if not model.tapers:
        return Walls(model, np.empty(0), np.empty(0, int), np.empty(0), np.empty((0, len(z))))
    form = model.form(z[: len(model.names)])
    bulge = _bulges(form[None], HEIGHTS)[0].min(axis=0)
    lowest = np.r_[True, bulge[1:] <= bulge[:-1]] & np.r_[bulge[:-1] <= bulge[1:], True]
    heights = HEIGHTS[(bulge < FAR) & (lowest | _COARSE)]
    if bulge.min() < NEAR:
        heights = np.append(heights, _lowest(form)[1])
    forms = form + STEP * np.vstack([np.zeros(len(form)), model.matrix.T])
    room = _room(forms, heights)
    chosen = np.flatnonzero(room[0] < FAR)
    slopes = ((room[1:] - room[0]).T / STEP)[chosen]
    pose = np.zeros((len(chosen), len(z) - slopes.shape[1]))
    return Walls(model, heights, chosen, room[0][chosen], np.hstack([slopes, pose]))


def is_convex(model: Model, s: np.ndarray) -> bool:
    """Whether a body is convex, with a hair to spare: that of the shape's own test, which no rounding exhausts."""
    if not model.tapers:
        return True
    form = model.form(s)
    if _widths(form[None]).min() < THIN * (1.0 - 1e-9):
        return False
    least = _bulges(form[None], HEIGHTS).min()
    return bool(least >= BULGE * (1.0 - 1e-9) and (least >= NEAR or _lowest(form)[0] >= LEAST_BULGE))


def made_convex(model: Model, s: np.ndarray) -> np.ndarray:
    """The parameters of a *start*, its tapers as much weaker as they must be for the body to be convex."""
    if is_convex(model, s):
        return s
    tapers = model.is_taper
    low, high = 0.0, 1.0
    for _ in range(HALVES):
        part = 0.5 * (low + high)
        low, high = (part, high) if is_convex(model, np.where(tapers, part * s, s)) else (low, part)
    return np.where(tapers, low * s, s)


def _room(forms: np.ndarray, heights: np.ndarray) -> np.ndarray:
    found = _bulges(forms, heights)
    return np.hstack([found.reshape(len(forms), -1) - BULGE, _widths(forms) - THIN])


def _bulges(forms: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Relative Q of the bodies, (bodies, 3, heights)."""
    z = np.broadcast_to(heights, (len(forms), len(heights)))
    found, _ = bulges(2.0 / forms[:, 3:6], np.ones(len(forms)), _taper(forms, 6), _taper(forms, 9), z)
    return np.swapaxes(found, 0, 1)


def _widths(forms: np.ndarray) -> np.ndarray:
    """Both tapers at many heights."""
    return (1.0 + forms[:, 6:].reshape(-1, 2, 3) @ _POWERS[:, 1:].T).reshape(len(forms), -1)


def _lowest(form: np.ndarray) -> tuple[float, float]:
    """Least relative Q, as the shape's own test finds it, and its height."""
    f = form[None]
    value, at, _ = dent(2.0 / f[:, 3:6], np.ones(1), _taper(f, 6), _taper(f, 9))
    return float(value[0]), float(at[0])


def _taper(forms: np.ndarray, start: int) -> np.ndarray:
    return np.column_stack([np.ones(len(forms)), forms[:, start : start + 3]])
