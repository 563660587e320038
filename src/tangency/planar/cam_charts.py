"""Charts of a cam for its report, as SVG; needs matplotlib, tangency[viz]."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from .cam.motion import CamMotion
from .cam.run import CamRun
from .cam.sweep import SpeedSweep
from .draw import BODY, INK, MARK, SECOND, SOFT, _draw_cam, _figure, _force_axis, _legend, _plain
from .pitch.periodic import FULL

COUNT = 1441  # samples of one turn
#: Colours of the charts as variables of the page, which has others in the dark.
THEME = {INK: "ink", "#000000": "ink", SOFT: "soft", MARK: "mark", BODY: "body", SECOND: "second"}
THEME |= {"#ffffff": "panel", "#e6e9ed": "line", "#dfe8f0": "fill"}


def _svg(figure: Any, name: str) -> str:
    """The figure as an SVG element for an HTML page: text stays text, nothing refers to the network."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    target = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        FigureCanvasSVG(figure).print_svg(target, metadata={"Date": None})
    text = target.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text)
    text = re.sub(r"#[0-9a-f]{6}\b(?=[;\"])", _variable, text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)


def _variable(found: re.Match[str]) -> str:
    return f"var(--{THEME[found[0]]})" if found[0] in THEME else found[0]


def _turn(motion: CamMotion) -> tuple[np.ndarray, np.ndarray]:
    alpha = np.linspace(0.0, FULL, COUNT)
    return alpha, np.degrees(alpha)


def _angle_axis(axes: Any, label: bool) -> None:
    axes.set(xlim=(0, 360), xticks=np.arange(0, 361, 45), xlabel="angle of the cam [degrees]" if label else "")


def cam_chart(run: CamRun) -> str:
    """The cam with its follower at the highest lift, pitch curve and evolute."""
    figure = _figure(5.4, 6.0)
    _draw_cam(figure.add_subplot(), run)
    return _svg(figure, "cam and follower")


def motion_chart(motion: CamMotion, speed: float) -> str:
    """Lift, velocity, acceleration and jerk over one turn."""
    alpha, degrees = _turn(motion)
    _, first, second = motion.values(alpha)
    swings = motion.follower.swings
    lift = np.degrees(motion.lift(alpha)) if swings else 1e3 * motion.lift(alpha)
    unit = "rad" if swings else "m"
    rows = [
        (lift, f"lift [{'degrees' if swings else 'mm'}]"),
        (speed * first, f"velocity [{unit}/s]"),
        (speed**2 * second, f"acceleration [{unit}/s²]"),
        (1e-3 * speed**3 * motion.jerk(alpha), f"jerk [10³ {unit}/s³]"),
    ]
    figure = _figure(7.6, 8.4)
    for k, (values, label) in enumerate(rows):
        axes = figure.add_subplot(4, 1, k + 1)
        axes.plot(degrees, values, color=(BODY, INK, MARK, SECOND)[k], linewidth=1.5)
        _plain(axes, "", label)
        _angle_axis(axes, k == 3)
    return _svg(figure, "lift, velocity, acceleration and jerk")


def geometry_chart(motion: CamMotion) -> str:
    """Pressure angle and curvature over one turn."""
    alpha, degrees = _turn(motion)
    at = motion.contact(alpha)
    figure = _figure(7.6, 4.4)
    upper, lower = figure.add_subplot(2, 1, 1), figure.add_subplot(2, 1, 2)
    upper.plot(degrees, np.degrees(at.pressure_angle), color=MARK, linewidth=1.5)
    _plain(upper, "", "pressure angle [degrees]")
    _angle_axis(upper, False)
    lower.plot(degrees, 1e-3 * at.curvature, color=BODY, linewidth=1.5)
    lower.axhline(0.0, color=SOFT, linewidth=0.8)
    _plain(lower, "", "curvature of the cam [1/mm]")
    _angle_axis(lower, True)
    return _svg(figure, "pressure angle and curvature")


def force_chart(run: CamRun) -> str:
    """Contact force and gap over the revolutions of a run, with the force of a rigid follower."""
    figure = _figure(7.6, 4.8)
    upper, lower = figure.add_subplot(2, 1, 1), figure.add_subplot(2, 1, 2)
    turns, cam = run.alpha / FULL, run.cam
    q, _, q2 = cam.motion.values(run.alpha)
    rigid = (cam.spring * (q + cam.rest) + cam.whole_mass * cam.speed**2 * q2) / cam.motion.contact(run.alpha).lever
    upper.plot(turns, np.maximum(rigid, 0.0), color=SECOND, linewidth=1.0, label="rigid, without friction")
    upper.plot(turns, run.forces.normal, color=INK, linewidth=0.9, label="normal force")
    _plain(upper, "", "force [N]")
    _force_axis(upper, run.time, run.forces.normal)
    _legend(upper)
    lower.plot(turns, 1e3 * np.maximum(run.gap, 0.0), color=MARK, linewidth=1.2)
    lower.set_ylim(bottom=0.0, top=None if run.highest_gap > 0 else 1.0)
    _plain(lower, "revolutions", "gap [mm]")
    return _svg(figure, "force and gap")


def sweep_chart(sweep: SpeedSweep) -> str:
    """Losses of contact, largest gap and largest force against speed."""
    figure = _figure(7.6, 6.4)
    rows = [figure.add_subplot(3, 1, k + 1) for k in range(3)]
    rows[0].plot(sweep.speed, sweep.openings, color=SOFT, marker=".", label="losses of contact")
    rows[0].plot(sweep.speed, sweep.lift_offs, color=BODY, marker=".", label="without rebounds")
    _plain(rows[0], "", "per revolution")
    _legend(rows[0])
    rows[1].plot(sweep.speed, 1e3 * sweep.highest_gap, color=MARK, marker=".")
    _plain(rows[1], "", "largest gap [mm]")
    rows[2].semilogy(sweep.speed, np.maximum(sweep.largest_force, 1e-3), color=INK, marker=".")
    _plain(rows[2], "speed of the cam [rad/s]", "largest force [N]")
    return _svg(figure, "sweep over the speed")
