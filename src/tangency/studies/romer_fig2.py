"""Römer 3-D, Example 4 and Fig. 2: an analytic generating potential whose boundary has two sharp ends.

Eq. (8) is the potential of the curve inside an ellipse at the distance of its smallest radius of
curvature, d = b^2 / a.  The paper concludes from R(0) = R(pi) = 0, Eq. (9), that the boundary has kinks
and is only G0.  Near phi = 0, however, R = 3/2 (b/a)^2 (a^2 - b^2)/a phi^2 + ..., so the arc length is
s ~ phi^3 and the normal turns like phi ~ s^(1/3): infinitely fast, but continuously.  The apparent kink
is a point of infinite curvature of a G1 boundary; the study measures the exponent.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import planar
from ..io.progress import Progress
from . import picture
from .study import Result, Study, Table

A, B = 1.0, 0.5  # b / a = 1/2 as in Fig. 2


class Example4(planar.Shape):
    """The object of Fig. 2."""

    class Kernel(NamedTuple):
        a: float
        b: float

        def potential(self, phi):
            c, s = math.cos(phi), math.sin(phi)
            h = math.sqrt((self.a * c) ** 2 + (self.b * s) ** 2)
            aa, bb = self.a * self.a, self.b * self.b
            return h - bb / self.a, (bb - aa) * s * c / h, aa * bb / h**3 - h  # Eq. (8) and its derivatives


def exponent(phi: np.ndarray, radius: np.ndarray) -> float:
    """Exponent p of phi ~ s^p near phi = 0, with s the integral of the radius of curvature."""
    arc = np.concatenate([[0.0], np.cumsum(0.5 * (radius[1:] + radius[:-1]) * np.diff(phi))])
    small = (phi > 0.02) & (phi < 0.05)
    return float(np.polyfit(np.log(arc[small]), np.log(phi[small]), 1)[0])


def run(size: int, seed: int, progress: Progress) -> Result:
    """Boundary, radius of curvature and the exponent, from `size` normals; the study is deterministic."""
    size = max(size, 720)
    progress.step("computing the boundary")
    body, ellipse = Example4(a=A, b=B), planar.Ellipse([A, B])
    phi = np.linspace(-np.pi, np.pi, size + 1)
    n = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    x, outer, radius = body.point(n), ellipse.point(n), body.radius_of_curvature(n)
    ends = body.radius_of_curvature([[1.0, 0.0], [-1.0, 0.0]])
    near = np.linspace(0.0, 0.05, size + 1)
    turning = exponent(near, body.radius_of_curvature(np.stack([np.cos(near), np.sin(near)], axis=-1)))
    spread = np.abs(np.linalg.norm(outer - x, axis=-1) - B * B / A).max()
    found = planar.continuity(body)
    table = Table(
        ("quantity", "printed", "reproduced"),
        [
            ("R(0) [m], Eq. (9)", "0", f"{ends[0] + 0.0:.1e}"),
            ("R(pi) [m], Eq. (9)", "0", f"{ends[1] + 0.0:.1e}"),
            ("distance to the ellipse, less b^2/a [m]", "0", f"{spread:.1e}"),
            ("continuity of the boundary", "G0", found.order),
            ("exponent p of phi ~ s^p at phi = 0 (kink: 0, smooth: 1)", "0", f"{turning:.3f}"),
            ("half length, half height [m]", "", f"{x[:, 0].max():.6g}, {x[:, 1].max():.6g}"),
        ],
        f"a = {A:g} m, b = {B:g} m",
    )
    notes = [
        "The two ends are not kinks in the strict sense: R vanishes like phi^2, so the arc length grows like phi^3 "
        "and the normal turns continuously, like s^(1/3). The curvature is infinite there, which looks like a kink: "
        "the boundary is G1 but not G2, while the paper says G0.",
        "Eq. (3), g + g'' > 0, is therefore sufficient for G1, but isolated zeros do not contradict it.",
    ]
    records = [[float(v) for v in row] for row in zip(phi, *x.T, radius, *outer.T)]
    columns = ("phi", "x", "y", "radius", "ellipse_x", "ellipse_y")
    return Result([table], notes, columns, records, lambda: _figure(phi, x, outer, radius, body))


def _figure(phi: np.ndarray, x: np.ndarray, outer: np.ndarray, radius: np.ndarray, body: planar.Shape) -> Any:
    made = picture.figure(11.0, 4.6)
    left, right = made.subplots(1, 2, width_ratios=(1.35, 1.0))
    left.plot(*outer.T, color=picture.INK, linestyle="--", linewidth=2.2, label="ellipse")
    left.fill(*x.T, facecolor="#dfe8f0", edgecolor=picture.BODY, linewidth=2.0, label="object, Eq. (8)")
    for angle in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False):
        n = np.array([math.cos(angle), math.sin(angle)])
        p = body.point(n)
        left.plot(*np.stack([p, p + B * B / A * n]).T, color=picture.SOFT, linewidth=0.8)
    left.plot(0, 0, "+", color=picture.INK, markersize=9)
    left.set_aspect("equal")
    picture.plain(left, "x / a", "y / a", "Example 4")
    left.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    right.plot(phi, radius, color=picture.BODY)
    right.plot([-np.pi, 0.0, np.pi], [0.0, 0.0, 0.0], "o", color=picture.MARK)
    picture.plain(right, "phi [rad]", "R / a", "Radius of curvature, Eq. (7)")
    return made


STUDY = Study(
    "romer-fig2",
    "Römer 3-D, Example 4 and Fig. 2: an analytic potential, a boundary with kinks",
    run,
    3600,
    "normals",
    duration="1 s",
)
