"""Pictures of the planar examples as PNG (Römer 2-D, Figs. 6 and 8); needs matplotlib, tangency[viz]."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .cam.outlines import cam_outline, follower_name, follower_parts
from .cam.run import CamRun
from .pitch.periodic import FULL
from .pose import turned
from .radii import direction
from .rolling.foot_run import FootRun, ground_points
from .shape import Shape

INK, SOFT, MARK, BODY, SECOND = "#1b2430", "#8a95a3", "#c2185b", "#2f6f9f", "#e08a1e"


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=110, layout="constrained")
    figure.set_facecolor("white")
    return figure


def _png(figure: Any) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    target = io.BytesIO()
    FigureCanvasAgg(figure).print_png(target, metadata={"Software": "tangency"})
    return target.getvalue()


def _plain(axes: Any, x: str, y: str) -> None:
    axes.set(xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e9ed", linewidth=0.8)
    axes.set_axisbelow(True)


def _legend(axes: Any) -> None:
    """Add a legend above the axes, clear of all curves."""
    axes.legend(frameon=False, fontsize=8.5, loc="lower left", bbox_to_anchor=(0.0, 0.98), ncols=3, borderaxespad=0.2)


def shape_picture(shape: Shape, n: ArrayLike = (0.0, -1.0)) -> bytes:
    """PNG of a shape, its evolute, and the point with the normal `n` and its osculating circle.

    Examples
    --------
    >>> from tangency import planar
    >>> from tangency.planar.draw import shape_picture
    >>> shape_picture(planar.Ellipse([3, 2]))[:4]
    b'\\x89PNG'
    """
    figure = _figure(7.0, 6.0)
    axes = figure.add_subplot()
    _outline(axes, shape, (1.0, 0.0), (0.0, 0.0))
    u = np.asarray(n, float) / np.linalg.norm(n)
    _osculating(axes, shape, u, (1.0, 0.0), np.zeros(2))
    axes.plot(0, 0, "+", color=INK, markersize=9)
    axes.set_aspect("equal")
    axes.set_title(type(shape).__name__, loc="left", weight="bold", color=INK)
    _plain(axes, "x [m]", "y [m]")
    axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=4)
    return _png(figure)


def _outline(axes: Any, shape: Shape, turn: Any, position: Any, sole: Any = None) -> None:
    """Draw boundary and evolute; with `sole`, a range of normal angles, the rest of the boundary is grey."""
    turn, position = np.asarray(turn), np.asarray(position)
    n = direction(np.linspace(-np.pi, np.pi, 1441))
    x = turned(turn, shape.point(n)) + position
    axes.plot(*x.T, color=SOFT if sole else INK, linewidth=1.8, label=None if sole else "boundary")
    if sole:
        y = turned(turn, shape.point(direction(np.linspace(sole[0], sole[1], 721)))) + position
        axes.plot(*y.T, color=INK, linewidth=2.6, label="sole")
    centres = turned(turn, shape.evolute(n)) + position
    low, high = x.min(axis=0), x.max(axis=0)
    room = 0.5 * (high - low)
    inside = ((centres > low - room) & (centres < high + room)).all(axis=1)
    axes.plot(*np.where(inside[:, None], centres, np.nan).T, color=BODY, linewidth=1.0, label="evolute")


def _osculating(axes: Any, shape: Shape, n: np.ndarray, turn: Any, position: np.ndarray) -> None:
    turn = np.asarray(turn)
    x, centre = (turned(turn, v) + position for v in (shape.point(n), shape.evolute(n)))
    radius = float(shape.radius_of_curvature(n))
    circle = centre + radius * direction(np.linspace(0, FULL, 241))
    axes.plot(*circle.T, color=MARK, linewidth=0.8, linestyle=":", label="circle of curvature")
    axes.plot(*x, "o", color=MARK, markersize=6, label="contact point")


def foot_picture(run: FootRun) -> bytes:
    """PNG of the foot at its start with evolute and path (Fig. 6); forces, angle and required friction over time."""
    figure = _figure(12.0, 8.0)
    grid = figure.add_gridspec(3, 2, width_ratios=(1.25, 1.0))
    scene = figure.add_subplot(grid[:, 0])
    foot = run.foot
    shape = foot.rolling.shape
    low, high = (max(min(v, np.pi), -np.pi) - 0.5 * np.pi for v in foot.sole or (-np.pi, np.pi))
    for k, faint in ((0, False), (int(np.abs(run.alpha - run.alpha[0]).argmax()), True)):
        angle, position = -run.alpha[k], run.reference[k]
        turn = np.array([np.cos(angle), np.sin(angle)])
        if faint:
            x = turned(turn, shape.point(direction(np.linspace(-np.pi, np.pi, 721)))) + position
            scene.plot(*x.T, color=SOFT, linewidth=1.0, linestyle="--", label="farthest from the start")
        else:
            _outline(scene, shape, turn, position, (low, high))
            _osculating(scene, shape, direction(run.sole_angle[k] - 0.5 * np.pi), turn, position)
    path = run.reference
    scene.plot(*path.T, color=SECOND, linestyle=":", linewidth=1.8, label="path of the centre of mass")
    scene.plot(*run.reference[0], "o", color=SECOND, markersize=5)
    # The circle of curvature may be far larger than the body, so it does not set the scale.
    reach = float(np.linalg.norm(shape.point(direction(np.linspace(-np.pi, np.pi, 181))), axis=-1).max())
    scene.set(
        xlim=(path[:, 0].min() - 1.15 * reach, path[:, 0].max() + 1.15 * reach),
        ylim=(min(run.contact[:, 1].min(), 0.0) - 0.15 * reach, path[:, 1].max() + 1.3 * reach),
    )
    scene.plot(*ground_points(run, 1.3 * reach).T, color=INK, linewidth=1.2)
    scene.set_aspect("equal")
    scene.set_title("Rolling foot", loc="left", weight="bold", color=INK)
    _plain(scene, "x [m]", "y [m]")
    scene.legend(frameon=False, fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3)
    rows = [figure.add_subplot(grid[k, 1]) for k in range(3)]
    rows[0].plot(run.time, run.alpha, color=BODY)
    _plain(rows[0], "", "alpha [rad]")
    rows[1].plot(run.time, run.force[:, 1], color=INK, label="normal")
    rows[1].plot(run.time, run.force[:, 0], color=MARK, label="along the ground")
    _plain(rows[1], "", "force [N]")
    _legend(rows[1])
    for axes in rows:
        for phase, colour in (("slip", "#fbe3c6"), ("flight", "#dbe8f2")):
            for start, end in _spans(run, phase):
                axes.axvspan(start, end, color=colour, linewidth=0)
    rows[2].plot(run.time, run.friction_demand, color=SECOND, label="needed to roll, or in use")
    if np.isfinite(foot.friction):
        rows[2].axhline(foot.friction, color=INK, linewidth=0.9, linestyle="--", label="available")
    _plain(rows[2], "time [s]", "friction |Fx| / Fy")
    _legend(rows[2])
    if (run.phase != "roll").any():
        rows[0].set_title("orange: slip, blue: flight", loc="left", fontsize=9, color=SOFT)
    if run.end != "time":
        for axes in rows:
            axes.axvline(run.end_time, color=MARK, linewidth=0.8)
        rows[0].set_title(f"{run.end} at t = {run.end_time:.4g} s", loc="right", fontsize=9, color=MARK)
    return _png(figure)


def _spans(run: FootRun, phase: str) -> list[tuple[float, float]]:
    """First and last times of each stretch of a phase."""
    inside = np.concatenate([[False], run.phase == phase, [False]])
    starts, ends = np.flatnonzero(np.diff(inside.astype(int)) == 1), np.flatnonzero(np.diff(inside.astype(int)) == -1)
    return [(float(run.time[i]), float(run.time[j - 1])) for i, j in zip(starts, ends)]


def cam_picture(run: CamRun) -> bytes:
    """PNG of the cam with follower and pitch curve, distance and gap over time (Fig. 8), and the contact force."""
    figure = _figure(12.0, 8.0)
    grid = figure.add_gridspec(3, 2, width_ratios=(1.0, 1.35))
    scene = figure.add_subplot(grid[:, 0])
    _draw_cam(scene, run)
    rows = [figure.add_subplot(grid[k, 1]) for k in range(3)]
    turns = run.alpha / FULL
    unit, scale = ("rad", 1.0) if run.cam.motion.follower.swings else ("mm", 1e3)
    rows[0].plot(turns, scale * run.touching, color=SOFT, linewidth=1.0, label="while touching")
    rows[0].plot(turns, scale * run.distance, color=BODY, label="follower")
    _plain(rows[0], "", f"position [{unit}]")
    rows[1].plot(turns, 1e3 * np.maximum(run.gap, 0.0), color=MARK)
    _plain(rows[1], "", "gap [mm]")
    rows[1].set_ylim(bottom=0.0, top=None if run.highest_gap > 0 else 1.0)
    rows[2].plot(turns, run.forces.normal, color=INK, linewidth=0.9)
    _plain(rows[2], "revolutions", "normal force [N]")
    _force_axis(rows[2], run.time, run.forces.normal)
    for event in run.lift_offs:
        for axes in rows[:2]:
            axes.axvline(event.alpha / FULL, color=SECOND, linewidth=0.9, linestyle=":")
    _legend(rows[0])
    count = len(run.lift_offs)
    text = f"{count} lift-off{'' if count == 1 else 's'} (dotted) in {turns[-1]:.3g} revolutions"
    rows[1].set_title(text, loc="right", fontsize=9, color=INK)
    return _png(figure)


def _force_axis(axes: Any, time: np.ndarray, force: np.ndarray) -> None:
    """Linear scale; logarithmic above the forces between impacts, if impacts would hide these."""
    # At even times: the samples of a run are concentrated in its impacts.
    even = np.interp(np.linspace(time[0], time[-1], 2001), time, force)
    pressed = even[even > 0]
    usual = float(np.median(pressed)) if len(pressed) else 0.0
    if not force.max(initial=0.0) > 30.0 * usual > 0.0:
        axes.set_ylim(bottom=0.0)
        return
    from matplotlib.ticker import FuncFormatter

    # The linear part covers most of the forces between impacts, and ends at a power of ten.
    linear = 10.0 ** np.ceil(np.log10(2.0 * usual))
    axes.set_yscale("symlog", linthresh=linear)
    axes.set_ylim(bottom=0.0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_title(f"logarithmic above {linear:g} N", loc="right", fontsize=9, color=INK)


def _draw_cam(scene: Any, run: CamRun) -> None:
    """Draw the cam at its nose with the follower on top; lengths in millimetres."""
    motion = run.cam.motion
    alpha = np.linspace(0.0, FULL, 1441)
    q = motion.values(alpha).value
    top = np.array([alpha[q.argmax()]])
    turn = np.array([np.cos(-top[0]), np.sin(-top[0])])
    cam = cam_outline(motion, 1440)
    fill = "none" if motion.follower.inside else "#dfe8f0"
    scene.fill(*(1e3 * turned(turn, cam)).T, facecolor=fill, edgecolor=INK, linewidth=1.8, label="cam")
    at = motion.contact(alpha)
    back = np.stack([np.cos(alpha - top[0]), np.sin(alpha - top[0])], axis=-1)
    if not motion.follower.flat:
        path = turned(back, motion.follower.path(q).point)
        scene.plot(*(1e3 * path).T, color=BODY, linestyle="--", linewidth=1.0, label="pitch curve")
    with np.errstate(divide="ignore", invalid="ignore"):
        centres = turned(back, at.point - at.normal / at.curvature[:, None])
    near = np.linalg.norm(centres, axis=-1) < 1.2 * np.linalg.norm(cam, axis=1).max()
    scene.plot(*(1e3 * np.where(near[:, None], centres, np.nan)).T, color=SECOND, linewidth=1.0, label="evolute")
    for part in follower_parts(motion, motion.values(top).value, np.zeros(1)):
        x, y, angle = part.poses[0]
        outline = turned(np.array([np.cos(angle), np.sin(angle)]), part.outline) + part.poses[0, :2]
        scene.plot(*(1e3 * outline).T, color=INK, linewidth=1.4)
        scene.plot(1e3 * x, 1e3 * y, "+", color=INK, markersize=8)
    scene.plot(*(1e3 * motion.contact(top).point[0]), "o", color=MARK, markersize=6, label="contact point")
    scene.plot(0, 0, "+", color=INK, markersize=8)
    scene.set_aspect("equal")
    scene.set_title(f"Cam and {follower_name(motion.follower)}", loc="left", weight="bold", color=INK)
    _plain(scene, "x [mm]", "y [mm]")
    scene.legend(frameon=False, fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=4)
