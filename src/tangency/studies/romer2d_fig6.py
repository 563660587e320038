"""Römer 2-D, section 6.1 and Fig. 6: a rigid foot that rolls on flat ground.

The paper prints the potential (85), the equations (86) to (89) and no numbers.  The study checks what the text says of
the shape, rolls the foot over its sole, and reports what rolling needs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import planar
from ..io.progress import Progress
from . import picture
from .study import Result, Study, Table

R, RATE = 0.1, 12.0  # [m]; [rad/s] fast enough to roll over the sole from its heel


def run(size: int, seed: int, progress: Progress) -> Result:
    """The foot and its motion, from `size` angles; the study is deterministic."""
    size = max(size, 180)
    progress.step("rolling over the sole")
    shape = planar.foot_shape(R)
    foot = planar.RollingFoot(shape)
    low, high = foot.sole or (-math.pi, math.pi)
    alpha = np.linspace(low, high, size + 1)
    f, f1, f2 = foot.rolling.height(alpha)
    a = alpha - math.pi / 5
    printed = R * (1 + 0.9 * np.cos(a) + np.sin(2 * a) / 6 + np.sin(3 * a) / 15)  # Eq. (85)
    around = np.linspace(-math.pi, math.pi, 8 * size + 1)
    whole = np.add(*foot.rolling.height(around)[::2])
    at = foot.rolling.at(alpha)
    over = foot.run(alpha=low, rate=RATE, duration=3.0)
    rocking = planar.RollingFoot(shape, centre_of_mass=shape.centroid)
    rest = rocking.balance()
    swing = rocking.run(alpha=0.35, duration=5.0)
    table = Table(
        ("quantity", "printed", "reproduced"),
        [
            ("f_P against Eq. (85), largest difference [m]", "0", f"{np.abs(f - printed).max():.0e}"),
            ("smallest radius of curvature, sole, Eq. (37) [R]", "> 0", f"{(f + f2).min() / R:.4f}"),
            ("smallest radius of curvature, whole boundary [R]", "> 0", f"{whole.min() / R:.4f}"),
            ("length of the sole: way of the contact point, Eq. (25) [R]", "", f"{np.ptp(at.contact[:, 0]) / R:.4f}"),
            ("equilibria on the sole, P as centre of mass, f_P' = 0 [rad]", "", _list(foot.balance())),
            ("equilibria on the sole, centroid as centre of mass [rad]", "", _list(rest)),
            (f"rolls over its sole from the heel at {RATE:g} rad/s", "yes", "yes" if over.end_alpha > 0 else "no"),
            ("normal force meanwhile, Eq. (88b) [m g]", ">= 0", _range(over.force[:, 1] / (foot.mass * foot.gravity))),
            ("friction that rolling needs, Eq. (89b)", "", f"{over.friction_demand.max():.4f}"),
            ("energy drift over the roll, Eq. (86)", "0", f"{over.balance_error / over.energy[0]:.0e}"),
            ("rocking about the stable equilibrium from 0.35 rad: period [s]", "", f"{_period(swing, rest[1]):.4f}"),
        ],
        f"R = {R:g} m, mass 1 kg, uniform plate",
    )
    notes = [
        "The paper states that the coefficients were tuned for positive curvature; it is positive all around, "
        "not on the sole alone.",
        "P lies high above the centroid, so as centre of mass it has a single, unstable equilibrium on the sole.",
        "The paper gives neither mass nor inertia nor an initial state; accelerations do not depend on the mass.",
    ]
    columns = ("alpha", "f", "f1", "radius", "x_p", "z_p", "x_c")
    records = [[float(v) for v in row] for row in zip(alpha, f, f1, f + f2, *at.reference.T, at.contact[:, 0])]
    return Result([table], notes, columns, records, lambda: _figure(shape, foot, at, over))


def _list(values: np.ndarray) -> str:
    return ", ".join(f"{value:.4f}" for value in values)


def _range(values: np.ndarray) -> str:
    return f"{values.min():.3f} to {values.max():.3f}"


def _period(run: planar.FootRun, rest: float) -> float:
    """Mean time between passages through the equilibrium in the same direction."""
    up = np.flatnonzero((run.alpha[:-1] < rest) & (run.alpha[1:] >= rest))
    part = (rest - run.alpha[up]) / (run.alpha[up + 1] - run.alpha[up])
    times = run.time[up] + part * (run.time[up + 1] - run.time[up])
    return float(np.diff(times).mean())


def _figure(shape: planar.Shape, foot: planar.RollingFoot, at: Any, over: planar.FootRun) -> Any:
    made = picture.figure(11.0, 4.8)
    left, right = made.subplots(1, 2, width_ratios=(1.3, 1.0))
    angle = np.linspace(-math.pi, math.pi, 721)
    outline = shape.point(np.stack([np.cos(angle), np.sin(angle)], axis=-1))
    for k, colour in ((0, picture.SOFT), (len(over.time) // 2, picture.INK), (-1, picture.SOFT)):
        c, s = math.cos(over.alpha[k]), math.sin(over.alpha[k])
        left.plot(*(outline @ np.array([[c, -s], [s, c]]) + over.reference[k]).T, color=colour, linewidth=1.8)
    left.plot(*at.reference.T, ":", color=picture.SECOND, label="path of P")
    left.axhline(0.0, color=picture.INK, linewidth=1.0)
    left.set_aspect("equal")
    picture.plain(left, "x [m]", "z [m]", "Fig. 6a")
    left.legend(frameon=False)
    weight = foot.mass * foot.gravity
    right.plot(over.alpha, over.force[:, 1] / weight, color=picture.INK, label="normal force / m g")
    right.plot(over.alpha, over.force[:, 0] / weight, color=picture.MARK, label="force along the ground / m g")
    picture.plain(right, "alpha [rad]", "", "Forces, Eq. (88)")
    right.legend(frameon=False)
    return made


STUDY = Study(
    "romer2d-fig6",
    "Römer 2-D, section 6.1 and Fig. 6: a rolling foot",
    run,
    720,
    "angles",
    duration="3 s",
)
