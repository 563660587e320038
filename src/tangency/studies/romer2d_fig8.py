"""Römer 2-D, section 6.2 and Fig. 8: a cam whose roller tappet lifts off once per revolution.

The parameters are printed; the figure shows the distance z_M and the gap over three revolutions, the text says that the
roller lifts off during every revolution, returns by the spring and collides with the cam.  The study runs the cam with
the corrected friction (k = 0.01 m/s), with the printed one (k = 100 m/s, almost none), and over the speed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from .. import planar
from ..io.progress import Progress
from . import picture
from .study import Result, Study, Table

SPEEDS = (78.0, 100.0, 120.0, 150.0, 200.0)


def run(size: int, seed: int, progress: Progress) -> Result:
    """`size` revolutions at the printed speed, and the losses of contact over the speed; deterministic."""
    progress.step("running the cam")
    cam = planar.CamTappet()
    turns = max(size, 2)
    here = planar.run_cam(cam, float(turns))
    slippery = planar.run_cam(replace(cam, slip_speed=100.0), float(turns))
    pitch, radius = cam.motion.cam, cam.motion.follower.radius
    alpha = np.linspace(0.0, 2.0 * math.pi, 7201)
    at = pitch.at(alpha)  # type: ignore[union-attr]
    # Eq. (90): u^3 v^4 / 3 with u + v = 2 pi / 3 is largest at u = 3/7 of it.
    width = 2.0 * math.pi / 3.0
    top = 2.0 + (3 / 7) ** 3 * (4 / 7) ** 4 * width**7 / 3.0
    progress.step("sweeping the speed")
    sweep = planar.sweep_speed(cam, SPEEDS)
    hollow = at.curvature < 0
    table = Table(
        ("quantity", "printed", "corrected k = 0.01 m/s", "printed k = 100 m/s"),
        [
            ("largest distance z_M that the cam asks for [R]", "", f"{top:.4f}", f"{top:.4f}"),
            (
                "largest distance z_M reached, Fig. 8a [R]",
                "",
                *_both(here, slippery, lambda r: r.distance.max() / radius),
            ),
            ("lift-offs per revolution", "1", *_both(here, slippery, lambda r: len(r.lift_offs) / turns)),
            (
                "losses of contact per revolution, with rebounds",
                "",
                *_both(here, slippery, lambda r: len(r.openings) / turns),
            ),
            ("largest gap, Fig. 8b [mm]", "", *_both(here, slippery, lambda r: 1e3 * r.highest_gap)),
            ("largest normal force [N]", "", *_both(here, slippery, lambda r: r.forces.normal.max())),
            ("deepest penetration [micrometres]", "", *_both(here, slippery, lambda r: -1e6 * r.gap.min())),
        ],
        f"{turns} revolutions at {cam.speed:g} rad/s, parameters as printed",
    )
    shape = Table(
        ("quantity", "printed", "reproduced"),
        [
            ("g and its two derivatives are continuous", "C2", "C2" if _smooth(pitch) else "not C2"),
            (
                "a section of the cam is concave",
                "yes",
                f"yes, {np.degrees(hollow.mean() * 2 * math.pi):.1f} degrees of alpha",
            ),
            ("smallest curvature [1/R]", "< 0", f"{at.curvature.min() * radius:.4f}"),
            ("the contact point is unique, Eqs. (72), (73)", "yes", "yes" if pitch.uniqueness() else "no"),  # type: ignore[union-attr]
            ("speed at which a rigid roller leaves the cam [rad/s]", "", f"{cam.rigid_lift_off_speed():.2f}"),
        ],
        "The cam of Eq. (90)",
    )
    losses = Table(
        ("speed [rad/s]", "lift-offs per turn", "losses of contact per turn", "largest gap [mm]", "periodic"),
        [
            (f"{w:g}", f"{a:g}", f"{b:g}", f"{1e3 * gap:.3f}", "yes" if same else "no")
            for w, a, b, gap, same in zip(
                sweep.speed, sweep.lift_offs, sweep.openings, sweep.highest_gap, sweep.periodic.tolist()
            )
        ],
        "Over the speed, four turns after four others",
    )
    notes = [
        "The roller leaves the cam once per revolution at the printed speed, as the text says, and bounces.",
        "The two values of k differ in the spin of the roller, hardly in z_M and the gap: friction moves the lift "
        "through the pressure angle only.",
        "At 150 and 200 rad/s the motion never repeats; averages over more turns differ.",
    ]
    columns = ("alpha", "distance", "gap", "normal_force")
    records = [[float(v) for v in row] for row in zip(here.alpha, here.distance, here.gap, here.forces.normal)]
    return Result([table, shape, losses], notes, columns, records, lambda: _figure(here))


def _both(one: planar.CamRun, two: planar.CamRun, value: Any) -> tuple[str, str]:
    return f"{value(one):.4g}", f"{value(two):.4g}"


def _smooth(pitch: Any) -> bool:
    """Whether g'' has the same limits on both sides of the breaks."""
    sides = [np.array(pitch.values(pitch.function.breaks + side).second) for side in (-1e-7, 1e-7)]
    return bool(np.abs(sides[0] - sides[1]).max() < 1e-5 * float(pitch.values(0.0).value))


def _figure(run_: planar.CamRun) -> Any:
    made = picture.figure(9.0, 5.6)
    top, bottom = made.subplots(2, 1, sharex=True)
    turns = run_.alpha / (2.0 * math.pi)
    top.plot(turns, 1e3 * run_.distance, color=picture.INK, label="z_M")
    top.plot(turns, 1e3 * run_.touching, ":", color=picture.SOFT, label="in contact")
    picture.plain(top, "", "z_M [mm]", "Fig. 8a")
    top.legend(frameon=False)
    bottom.plot(turns, 1e3 * run_.gap, color=picture.BODY)
    picture.plain(bottom, "revolutions", "gap [mm]", "Fig. 8b")
    return made


STUDY = Study(
    "romer2d-fig8",
    "Römer 2-D, section 6.2 and Fig. 8: a cam whose roller tappet lifts off",
    run,
    3,
    "revolutions",
    duration="10 s",
)
