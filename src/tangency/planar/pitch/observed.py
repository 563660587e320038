"""Boundary points as observations of a pitch function or a support function, given an approximate curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..radii import direction
from .penalised_spline import Observations
from .periodic import FULL, Polynomials

SAMPLES = 1440  # of the curve, for a first guess of the nearest point


class Seen(NamedTuple):
    """Observations that follow from points and an approximate curve, and their distances from it."""

    observations: Observations
    distance: np.ndarray


Observer = Callable[[Polynomials], Seen]


class PitchPoints(NamedTuple):
    """Boundary points as observations of a pitch function."""

    points: np.ndarray
    radius: float
    side: float

    def observe(self, table: Polynomials) -> Seen:
        alpha = _nearest(table, self.points, lambda a: _centre(table, a))
        for _ in range(20):
            g, g1, g2 = table.values(alpha)
            radial, ahead = direction(alpha - 0.5 * np.pi), direction(alpha)
            away = g[:, None] * radial - self.points
            first = g1[:, None] * radial + g[:, None] * ahead
            second = (g2 - g)[:, None] * radial + 2.0 * g1[:, None] * ahead
            slope = (first * first).sum(-1) + (away * second).sum(-1)
            step = (away * first).sum(-1) / np.maximum(slope, 0.05 * (first * first).sum(-1))
            alpha = alpha - np.clip(step, -0.05, 0.05)
            if np.abs(step).max() < 1e-13:
                break
        centre = _centre(table, alpha)
        radial = direction(alpha - 0.5 * np.pi)
        away = centre - self.points
        length = np.maximum(np.linalg.norm(away, axis=1), 1e-300)
        value = table.values(alpha).value
        if self.radius == 0.0:  # the point itself lies on the curve; its distance is measured along the normal
            first = table.values(alpha).first
            weight = value / np.hypot(value, first)
            distance = ((self.points - centre) * radial).sum(-1) * weight
            angle = np.arctan2(self.points[:, 1], self.points[:, 0]) + 0.5 * np.pi
            weight = np.maximum(weight, 0.05)
            return Seen(Observations(angle, np.hypot(*self.points.T), weight), distance)
        weight = (away * radial).sum(-1) / length
        weight = np.sign(weight) * np.maximum(np.abs(weight), 0.05)
        miss = length - self.radius
        return Seen(Observations(alpha, value - miss / weight, np.abs(weight)), -self.side * miss)


class SupportPoints(NamedTuple):
    """Boundary points as observations of a support function."""

    points: np.ndarray

    def observe(self, table: Polynomials) -> Seen:
        phi = _nearest(table, self.points, lambda a: _boundary(table, a))
        for _ in range(20):
            g, g1, g2 = table.values(phi)
            normal, along = direction(phi), direction(phi + 0.5 * np.pi)
            out = (self.points * normal).sum(-1)
            step = ((self.points * along).sum(-1) - g1) / np.maximum(out + g2, 1e-3 * np.abs(g))
            phi = phi + np.clip(step, -0.05, 0.05)
            if np.abs(step).max() < 1e-13:
                break
        target = (self.points * direction(phi)).sum(-1)
        return Seen(Observations(phi, target, np.ones(len(phi))), target - table.values(phi).value)


def _centre(table: Polynomials, alpha: np.ndarray) -> np.ndarray:
    return table.values(alpha).value[:, None] * direction(alpha - 0.5 * np.pi)


def _boundary(table: Polynomials, phi: np.ndarray) -> np.ndarray:
    g, g1, _ = table.values(phi)
    return g[:, None] * direction(phi) + g1[:, None] * direction(phi + 0.5 * np.pi)


def _nearest(table: Polynomials, points: np.ndarray, curve: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Angles at which samples of the curve are nearest to the points."""
    from scipy.spatial import cKDTree

    angles = np.arange(SAMPLES) * (FULL / SAMPLES)
    return angles[cKDTree(curve(angles)).query(points)[1]]


def normals(points: np.ndarray) -> np.ndarray:
    """Approximate outward normals of points in counter-clockwise order."""
    reach = max(2, len(points) // 180)
    along = np.roll(points, -reach, axis=0) - np.roll(points, reach, axis=0)
    normal = np.stack([along[:, 1], -along[:, 0]], axis=-1)
    return normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
