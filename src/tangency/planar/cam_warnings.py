"""What a designer should look at in a cam, its run and the measurement that it came from."""

from __future__ import annotations

import numpy as np

from .cam.limits import cam_limits
from .cam.run import CamRun
from .pitch.periodic import FULL
from .pitch.smooth_fit import SmoothedCurve

SHARP = 0.1  # smallest radius of curvature over the size of the cam that needs no warning
STEEP = {False: 30.0, True: 45.0}  # [degrees] usual limits of the pressure angle, translating and swinging
LARGE = 1.0  # [m] radius above which the unit of a file is probably wrong
SHALLOW = 1e-3  # travel over the size of the cam below which it probably is
MISFIT = 3.0  # scatter over the stated one that contradicts it
COARSE = 0.05  # stated tolerance over the travel above which smoothing hides the lift
OUTLIER, NOTICED = 8.0, 2e-3  # residual of a wrong value, over the usual one and over the travel


def cam_warnings(run: CamRun, measured: SmoothedCurve | None = None) -> list[str]:
    """Sentences about the geometry, the run and the measured values; empty if nothing is unusual."""
    return [*(_of_measurement(run, measured) if measured is not None else []), *_of_geometry(run), *_of_contact(run)]


def _of_geometry(run: CamRun) -> list[str]:
    motion, limits = run.cam.motion, cam_limits(run.cam.motion)
    steep = STEEP[motion.follower.swings]
    out = []
    if np.degrees(limits.pressure_angle) > steep and not motion.follower.flat:
        out.append(
            f"The pressure angle of {np.degrees(limits.pressure_angle):.3g} degrees exceeds the usual limit of "
            f"{steep:g}; a larger base circle or a wider segment lowers it."
        )
    size = float(np.linalg.norm(motion.outline(180), axis=1).max())
    if limits.sharpest < SHARP * size:
        out.append(f"The cam is nearly undercut: its smallest radius of curvature is {1e3 * limits.sharpest:.3g} mm.")
    if size > LARGE:
        out.append(f"The cam has a radius of {size:.3g} m: lengths are in metres unless a file names another unit.")
    if not motion.follower.swings and motion.travel < SHALLOW * size:
        out.append(
            f"The travel of {1e3 * motion.travel:.3g} mm is less than a thousandth of the size of the cam, "
            f"{1e3 * size:.3g} mm: check their units."
        )
    return out


def _of_contact(run: CamRun) -> list[str]:
    if not run.openings:
        return []
    count = len(run.openings)
    return [
        f"The follower leaves the cam: {count} {'loss' if count == 1 else 'losses'} of contact in "
        f"{run.alpha[-1] / FULL:.3g} revolutions. "
        "A stiffer or more preloaded spring, less mass or less speed keeps it on."
    ]


def _of_measurement(run: CamRun, measured: SmoothedCurve) -> list[str]:
    travel, unit, stated = run.cam.motion.travel, measured.unit, measured.tolerance
    if stated is not None and measured.scatter > MISFIT * stated:
        return [
            f"The values scatter by {measured.scatter:.3g} {unit} about the curve, but {stated:.3g} {unit} was stated: "
            "the tolerance, a stated dwell or single values are wrong."
        ]
    smoothed = max(travel, float(np.ptp(measured.residuals)))
    if stated is not None and stated > max(2.0 * measured.scatter, COARSE * smoothed):
        return [f"The stated tolerance of {stated:.3g} {unit} smooths the lift away: check its unit."]
    size = np.abs(measured.residuals)
    worst, usual = int(size.argmax()), 1.5 * float(np.median(size))
    if size[worst] > max(OUTLIER * usual, NOTICED * travel):
        return [
            f"Value {worst + 1} of {len(size)} lies {size[worst]:.3g} {unit} from the curve, most others within "
            f"{2.0 * usual:.2g} {unit}: check it."
        ]
    return []
