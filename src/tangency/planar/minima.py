"""Local minima of functions of an angle, by sampling and refinement, so that narrow minima are not missed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FULL = 2.0 * np.pi
INSIDE = 32  # samples within each piece between two breaks, however short
MAX_SAMPLES = 20_000  # most of these samples in total
VALLEYS = 64  # most minima that are refined, the deepest first


def piece_samples(breaks: np.ndarray, side: float) -> np.ndarray:
    """Angles within each piece between neighbouring breaks of a turn, and at the distance `side` from each break."""
    if not len(breaks):
        return np.zeros(0)
    breaks = np.unique(breaks)
    width = np.diff(np.append(breaks, breaks[0] + FULL))
    count = max(min(INSIDE, MAX_SAMPLES // len(breaks)), 3)
    inside = breaks[:, None] + width[:, None] * (np.arange(1, count) / count)
    return np.concatenate([breaks - side, breaks + side, inside.ravel()])


def local_minima(function: Callable[[np.ndarray], np.ndarray], samples: np.ndarray) -> np.ndarray:
    """Angles of the local minima near sampled ones, from ascending samples of one turn.

    Each is refined by a search that halves its step if neither neighbour is lower.
    """
    values = function(samples)
    valley = (values < np.roll(values, 1)) & (values <= np.roll(values, -1))
    valley[values.argmin()] = True
    gaps = np.diff(samples, append=samples[:1] + FULL)
    chosen = np.flatnonzero(valley)
    chosen = chosen[values[chosen].argsort()[:VALLEYS]]
    at, lowest = samples[chosen], values[chosen]
    step = np.maximum(gaps, np.roll(gaps, 1))[chosen]
    for _ in range(80):
        trial = np.stack([at - step, at + step])
        found = function(trial.ravel()).reshape(trial.shape)
        which = found.argmin(axis=0)
        better = found.min(axis=0) < lowest
        at = np.where(better, np.take_along_axis(trial, which[None], axis=0)[0], at)
        lowest = np.where(better, found.min(axis=0), lowest)
        step = np.where(better, step, 0.5 * step)
        if (step < 1e-12).all():
            break
    return np.sort(at)
