"""Artificial scans of the heads of long bones, for the study of chapter 3 of Lopes' thesis without measured data."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..geometry.moments import spread
from ..shapes import Ovoid
from ..shapes.shape import ShapeError

RADIUS = (21.0, 25.0)  # [mm] range of the mean radius of femoral heads
UNEQUAL = 0.02  # standard deviation of the ratio of the axes
TAPERS = (0.06, 0.05, 0.05)  # largest |c1|, |c2|, |c3|, as in Table 3.6
TEXTURE, WAVES, FREQUENCIES = 0.4, 40, (4.0, 9.0)  # [mm] RMS of the unevenness, its waves and their numbers per radius
NOISE = 0.1  # [mm] of the scanner
COVERED = (0.65, 0.8)  # share of the surface that belongs to the joint
POINTS = 4000  # on a whole head


def heads(count: int, seed: int) -> dict[str, np.ndarray]:
    """Clouds of points [mm] of ovoids with uneven surfaces, each with a part missing."""
    rng = np.random.default_rng(seed)
    return {f"head {k + 1}": _head(rng) for k in range(count)}


def _head(rng: np.random.Generator) -> np.ndarray:
    shape = _ovoid(rng)
    n = spread(POINTS) @ Rotation.random(rng=rng).as_matrix()
    wave = rng.normal(size=(WAVES, 3))
    wave *= (rng.uniform(*FREQUENCIES, WAVES) / np.linalg.norm(wave, axis=1))[:, None]
    height = np.sin(n @ wave.T + rng.uniform(0.0, 2.0 * np.pi, WAVES)).sum(axis=1)
    height *= TEXTURE / height.std()
    points = shape.point(n) + height[:, None] * n + rng.normal(0.0, NOISE, n.shape)
    points = points[n @ _direction(rng) < 2.0 * rng.uniform(*COVERED) - 1.0]
    return Rotation.random(rng=rng).apply(points) + rng.uniform(-100.0, 100.0, 3)


def _ovoid(rng: np.random.Generator) -> Ovoid:
    while True:
        radii = rng.uniform(*RADIUS) * np.exp(rng.normal(0.0, UNEQUAL, 3))
        tapers = [[1.0, *(rng.uniform(-most, most) for most in TAPERS)] for _ in range(2)]
        try:
            return Ovoid(radii, *tapers)
        except ShapeError:  # not convex
            continue


def _direction(rng: np.random.Generator) -> np.ndarray:
    found = rng.normal(size=3)
    return found / np.linalg.norm(found)
