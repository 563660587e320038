"""Report of a cam as a self-contained HTML page: numbers, warnings and charts; needs matplotlib, tangency[viz]."""

from __future__ import annotations

import html
from importlib.resources import files
from string import Template

import numpy as np

from .cam.limits import cam_limits, rigid_limit, spring_force
from .cam.outlines import follower_name
from .cam.run import CamRun
from .cam.sweep import SpeedSweep
from .cam_charts import cam_chart, force_chart, geometry_chart, motion_chart, sweep_chart
from .cam_warnings import cam_warnings
from .pitch.periodic import FULL
from .pitch.smooth_fit import SmoothedCurve


def cam_numbers(run: CamRun, measured: SmoothedCurve | None = None) -> list[tuple[str, str]]:
    """Names and values for the table of a report."""
    cam, motion = run.cam, run.cam.motion
    limits, swings = cam_limits(motion), motion.follower.swings
    travel = f"{np.degrees(motion.travel):.5g} degrees" if swings else f"{1e3 * motion.travel:.5g} mm"
    rows = [
        ("follower", follower_name(motion.follower)),
        ("travel", travel),
        (
            "pressure angle",
            f"at most {np.degrees(limits.pressure_angle):.4g} degrees, where the cam is at "
            f"{np.degrees(limits.pressure_alpha):.4g} degrees",
        ),
        ("sharpest place", _radius(limits.sharpest, limits.sharpest_alpha)),
        ("hollow place", _radius(limits.hollow, limits.hollow_alpha)),
    ]
    if np.isfinite(limits.undercut_radius) and motion.follower.radius > 0:
        rows.append(("undercutting", f"begins with a roller of {1e3 * limits.undercut_radius:.5g} mm"))
    if motion.follower.flat:
        rows.append(("contact on face", f"from {1e3 * limits.face[0]:.4g} to {1e3 * limits.face[1]:.4g} mm"))
    if measured is not None:
        rows.append(("measured points", str(measured)))
    turns = max(float(run.alpha[-1]) / FULL, 1e-300)
    openings = len(run.openings)
    rows += [
        ("rigid limit", rigid_limit(cam)),
        ("lift-offs", f"{len(run.lift_offs)} in {turns:.4g} revolutions"),
        ("losses", f"{openings} losses of contact, rebounds included"),
        ("largest gap", f"{1e3 * run.highest_gap:.6g} mm"),
        ("penetration", f"at most {1e3 * max(float(run.forces.penetration.max()), 0.0):.3g} mm"),
        ("normal force", f"{float(run.forces.normal.min()):.6g} to {float(run.forces.normal.max()):.6g} N"),
        ("spring force", spring_force(run)),
    ]
    return rows


def _radius(radius: float, alpha: float) -> str:
    return f"radius {1e3 * radius:.5g} mm, at {np.degrees(alpha):.4g} degrees" if np.isfinite(radius) else "none"


def cam_report(run: CamRun, sweep: SpeedSweep | None = None, measured: SmoothedCurve | None = None) -> str:
    """HTML page of a cam: profile, motion, pressure angle, curvature, forces and sweep; opens without network access.

    Parameters
    ----------
    run : CamRun
        A run of the cam with its follower.
    sweep : SpeedSweep, optional
        Its sweep over the speed.
    measured : SmoothedCurve, optional
        The fit to measured points or to a table that the cam came from.

    Returns
    -------
    str

    Examples
    --------
    >>> from tangency import planar
    >>> from tangency.planar.cam_report import cam_report
    >>> run = planar.run_cam(planar.CamTappet(), 1.0)
    >>> cam_report(run).startswith("<!doctype html>")
    True
    """
    if not isinstance(run, CamRun):
        raise TypeError(f"run must be a CamRun, see run_cam, got {run!r}")
    cam = run.cam
    table = "".join(
        f"<tr><td>{html.escape(name)}</td><td>{html.escape(value)}</td></tr>"
        for name, value in cam_numbers(run, measured)
    )
    notes = "".join(f'<p class="warning">{html.escape(text)}</p>' for text in cam_warnings(run, measured))
    charts = [
        ("Cam", cam_chart(run)),
        ("Numbers", f"<table>{table}</table>{notes}"),
        ("Motion at this speed", motion_chart(cam.motion, cam.speed)),
        ("Pressure angle and curvature", geometry_chart(cam.motion)),
        ("Force and gap", force_chart(run)),
    ]
    if sweep is not None:
        charts.append(("Sweep over the speed", sweep_chart(sweep)))
    unit = "N m/rad" if cam.motion.follower.swings else "N/m"
    summary = (
        f"{cam.speed:g} rad/s ({cam.speed * 30 / np.pi:.4g} rev/min), spring {cam.spring:g} {unit}, "
        f"mass {cam.mass:g} {'kg m²' if cam.motion.follower.swings else 'kg'}, "
        f"{run.alpha[-1] / FULL:.3g} revolutions. The cam turns clockwise; angles count from the start of the run."
    )
    page = files(__package__).joinpath("cam_report.html").read_text(encoding="utf-8")
    return Template(page).substitute(
        title=html.escape(f"Cam with {follower_name(cam.motion.follower)}"),
        summary=html.escape(summary),
        sections="\n".join(f"<section><h2>{html.escape(name)}</h2>{body}</section>" for name, body in charts),
    )
