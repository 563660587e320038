"""Volume of each body inside a box: exact for bodies that are not cut, by points inside those that are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..periodic import periods_of
from ..trajectory import Trajectory
from .selection import placed, solids, whole_axes

FREQUENCY = 6  # of the grid of normals: 720 triangles
RADIAL = 6  # points between the centre and each triangle
AT_A_TIME = 128  # bodies
GOLDEN = 0.5 * (5.0**0.5 - 1.0)


def volumes_inside(run: Trajectory, frame: int, mask: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Volume (N,) of each selected body inside the box from `low` to `high`; zero for the others."""
    found, whole = np.zeros(len(run.names)), whole_axes(run, low, high)
    for numbers, piece in solids(run, mask):
        volume = np.broadcast_to(piece.shape.volume, numbers.shape)
        turn, place = placed(run, frame, numbers, piece)
        share = np.ones(len(numbers))
        bottom, top = piece.shape.aabb((turn, place))
        cut = _cut(run, whole, (low, high), bottom, top, share)
        for start in range(0, len(cut), AT_A_TIME):
            part = cut[start : start + AT_A_TIME]
            points, weights = _points(piece.shape, part)
            world = np.einsum("kij,kpj->kpi", turn[part], points) + place[part, None]
            share[part] = (weights * _inside(run, whole, (low, high), world)).sum(axis=1)
        np.add.at(found, numbers, share * volume)
    return found


def _cut(
    run: Trajectory, whole: np.ndarray, box: Any, bottom: np.ndarray, top: np.ndarray, share: np.ndarray
) -> np.ndarray:
    """Bodies that are neither inside nor outside the box; set the share of those outside to 0."""
    inside, periods = np.ones(len(share), bool), periods_of(run.periodic)
    for c in np.flatnonzero(~whole):
        low, high, first, last = box[0][c], box[1][c], bottom[:, c], top[:, c]
        if periods[c] > 0.0:  # the image whose lower end is at or just above the lower side
            away = -periods[c] * np.floor((first - low) / periods[c])
            first, last = first + away, last + away
            share[(first > high) & (last < low + periods[c])] = 0.0
        else:
            share[(first > high) | (last < low)] = 0.0
        inside &= (first >= low) & (last <= high)
    return np.flatnonzero(~inside & (share > 0.0))


def _inside(run: Trajectory, whole: np.ndarray, box: Any, points: np.ndarray) -> np.ndarray:
    """Whether points (..., 3) or an image of them lie inside the box."""
    inside, periods = np.ones(points.shape[:-1], bool), periods_of(run.periodic)
    for c in np.flatnonzero(~whole):
        x, low, high = points[..., c], box[0][c], box[1][c]
        if periods[c] > 0.0:
            x = x - low
            x, low, high = x - periods[c] * np.floor(x / periods[c]), 0.0, high - low
        inside &= (x >= low) & (x < high)  # not by differences: next to a side, rounding would put a point in no region
    return inside


def _points(shape: Any, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (K, P, 3) inside bodies, evenly distributed, and their weights (K, P), whose sum is 1."""
    from ...viz.mesh import geodesic

    sphere = geodesic(FREQUENCY)
    stack = shape.take(part) if shape.batch_shape else shape.broadcast_to((1,))
    corners = stack[:, None].point(sphere.vertices)[:, sphere.triangles]  # body, triangle, corner
    centre = np.reshape(stack.centroid, (len(stack), 1, 1, 3))
    away = corners - centre
    volume = np.abs(np.linalg.det(away))
    # The triangles lie inside a round body: enlarged, they enclose its volume.
    grown = np.cbrt(6.0 * np.reshape(stack.volume, -1) / volume.sum(axis=1))[:, None, None, None]
    # One point in each of several shells of equal volume, at other depths below each triangle.
    depth = np.mod(GOLDEN * np.arange(len(sphere.triangles)), 1.0)
    levels = ((np.arange(RADIAL) + depth[:, None]) / RADIAL) ** (1.0 / 3.0)
    middle = away.mean(axis=2)[:, :, None] * levels[:, :, None]
    weights = np.repeat(volume[:, :, None], RADIAL, axis=2).reshape(len(stack), -1)
    points = (centre + grown * middle).reshape(len(stack), -1, 3)
    weights = weights / weights.sum(axis=1, keepdims=True)
    wide = (len(part), points.shape[1])
    return np.broadcast_to(points, (*wide, 3)), np.broadcast_to(weights, wide)
