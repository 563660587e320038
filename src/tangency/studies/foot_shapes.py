"""The shod foot of chapter 6 of Lopes' thesis in the sagittal plane: 6 ellipses, or 31 points on the sole around them.

Two segments, hinged at the ball of the foot, which is the origin of both; x forward, z up, toes up is a positive pitch.
The numbers are chosen here; the thesis gives them only as a drawing, Fig. 6.3.
"""

from __future__ import annotations

import numpy as np

SEGMENTS = ("hind", "toes")
#: (n, 4) arrays: centre x, z and semi-axes along x, z of the ellipses of each segment [m]; two form the heel.
ELLIPSES = {
    "hind": np.array(
        [
            [-0.190, -0.002, 0.030, 0.028],
            [-0.140, -0.008, 0.035, 0.022],
            [-0.085, -0.012, 0.035, 0.018],
            [-0.025, -0.012, 0.035, 0.018],
        ]
    ),
    "toes": np.array([[0.015, -0.014, 0.030, 0.016], [0.055, -0.010, 0.025, 0.014]]),
}
POINTS = {"hind": 23, "toes": 8}
#: Angles of the normals from x at both ends of the sole of a segment: around the heel, around the toes.
ARCS = {"hind": (-0.95 * np.pi, -0.45 * np.pi), "toes": (-0.55 * np.pi, -0.05 * np.pi)}
SOLE = -0.03  # height of the flat sole [m]
HALF_WIDTH = 0.04  # lateral semi-axis of the ellipsoids [m]; no effect in the plane


def lowest(segment: str, pitch: float) -> float:
    """Largest depth of the segment below its origin [m]."""
    e, down = ELLIPSES[segment], np.array([-np.sin(pitch), -np.cos(pitch)])
    return float((e[:, :2] @ down + np.hypot(e[:, 2] * down[0], e[:, 3] * down[1])).max())


def sole(segment: str, count: int) -> np.ndarray:
    """(count, 2) equally spaced points on the lower side of the hull of the ellipses."""
    e, angle = ELLIPSES[segment], np.linspace(*ARCS[segment], 4001)
    n = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    reach = np.hypot(n[:, :1] * e[:, 2], n[:, 1:] * e[:, 3])
    best = (n @ e[:, :2].T + reach).argmax(axis=1)
    edge = e[best, :2] + n * e[best, 2:] ** 2 / reach[np.arange(len(n)), best][:, None]
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(edge, axis=0), axis=1))])
    at = np.linspace(0.0, arc[-1], count)
    return np.stack([np.interp(at, arc, edge[:, 0]), np.interp(at, arc, edge[:, 1])], axis=1)
