"""A motion as a self-contained HTML page: moving outlines and charts, without libraries or network access."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from .cam.outlines import Part, cam_outline, follower_name, follower_parts
from .cam.run import CamRun
from .pitch.periodic import FULL
from .pose import turned
from .radii import direction
from .rolling.foot_run import FootRun, ground_frame, ground_points

FRAMES = 900  # most frames in a page


def foot_page(run: FootRun) -> str:
    """HTML page of a rolling foot; opens from a file, without network access."""
    pick = _pick(len(run.time))
    shape = run.foot.rolling.shape
    outline = shape.point(direction(np.linspace(-np.pi, np.pi, 361)))
    pose = np.column_stack([run.reference[pick], -run.alpha[pick]])
    length = 0.5 * float(np.ptp(outline[:, 1])) / max(float(np.abs(run.force).max()), 1e-300)
    tangent, normal = ground_frame(run)
    push = run.force[:, :1] * tangent + run.force[:, 1:] * normal
    arrow = np.column_stack([run.contact[pick], length * push[pick]])
    left, right = outline[:, 0].min() + run.reference[:, 0].min(), outline[:, 0].max() + run.reference[:, 0].max()
    size = float(np.linalg.norm(outline, axis=1).max())
    ground = ground_points(run, 2.0 * size)
    data = {
        "bodies": [
            {"outline": _flat(outline), "fill": "body", "poses": _flat(pose), "cross": True},
        ],
        "lines": [
            {"points": _flat(ground), "style": "ground"},
            {"points": _flat(run.reference[pick]), "style": "path"},
        ],
        "arrows": [{"frames": _flat(arrow), "name": "force of the ground"}],
        "points": [{"frames": _flat(run.contact[pick])}],
        "charts": [
            _chart("angle alpha [rad]", run.time, alpha=run.alpha),
            _chart("force [N]", run.time, normal=run.force[:, 1], tangential=run.force[:, 0]),
            _chart("energy [J]", run.time, total=run.energy, friction=run.friction_loss, impacts=run.impact_loss),
        ],
        "box": [
            left,
            min(float(run.contact[:, 1].min()), 0.0) - 0.1 * size,
            right,
            float(run.reference[:, 1].max() + size),
        ],
        "time": _flat(run.time[pick]),
        "clock": "s",
        "slow": 1.0,
    }
    text = f"mass {run.foot.mass:g} kg, {run.time[-1]:.3g} s. {run.message}"
    return _page("Rolling foot", text, data)


def cam_page(run: CamRun) -> str:
    """HTML page of a cam with its follower; opens from a file, without network access."""
    # Even steps in time: the samples of the run are concentrated at events.
    grid = np.linspace(0.0, run.time[-1], min(FRAMES, max(int(run.alpha[-1] / FULL * 240), 2)))
    pick = np.clip(np.searchsorted(run.time, grid), 0, len(run.time) - 1)
    motion, alpha, zero = run.cam.motion, run.alpha[pick], np.zeros(len(pick))
    cam = cam_outline(motion, 480)
    parts = follower_parts(motion, run.coordinate[pick], run.roller_angle[pick])
    contact = motion.contact(alpha).point
    corners = np.concatenate([_corners(part) for part in parts])
    size = float(np.linalg.norm(cam, axis=1).max())
    low, high = np.minimum(corners.min(axis=0), -size), np.maximum(corners.max(axis=0), size)
    unit, scale = ("rad", 1.0) if motion.follower.swings else ("mm", 1e3)
    data = {
        "bodies": [
            {
                "outline": _flat(cam),
                "fill": "body",
                "poses": _flat(np.column_stack([zero, zero, -alpha])),
                "cross": True,
            },
            *(
                {
                    "outline": _flat(part.outline),
                    "fill": "second",
                    "poses": _flat(part.poses),
                    "cross": True,
                    "mark": part.rotates,
                }
                for part in parts
            ),
        ],
        "lines": [{"points": _flat(np.array([[0.0, 1.1 * low[1]], [0.0, 1.1 * high[1]]])), "style": "axis"}],
        "arrows": [],
        "points": [{"frames": _flat(contact)}],
        "charts": [
            _chart(f"position [{unit}]", run.time, position=scale * run.distance, touching=scale * run.touching),
            _chart("gap [mm]", run.time, gap=1e3 * np.maximum(run.gap, 0.0)),
            _chart("normal force [N]", run.time, normal=run.forces.normal),
        ],
        "box": [*(low - 0.05 * size).tolist(), *(high + 0.05 * size).tolist()],
        "time": _flat(run.time[pick]),
        "clock": "s",
        "slow": 0.02,
    }
    count = len(run.lift_offs)
    text = (
        f"{run.cam.speed:g} rad/s, spring {run.cam.spring:g} {'N m/rad' if motion.follower.swings else 'N/m'}, "
        f"{follower_name(motion.follower)}: "
        f"{count} lift-off{'' if count == 1 else 's'} in {run.alpha[-1] / FULL:.3g} revolutions, "
        f"largest gap {1e3 * run.highest_gap:.4g} mm"
    )
    return _page("Cam and follower", text, data)


def _corners(part: Part) -> np.ndarray:
    """(N, 2) places that the outline of a part reaches, for the size of the view."""
    some = part.poses[:: max(len(part.poses) // 60, 1)]
    turn = np.stack([np.cos(some[:, 2]), np.sin(some[:, 2])], axis=-1)
    return np.concatenate([turned(t, part.outline) + p[:2] for t, p in zip(turn, some)])


def _pick(count: int) -> np.ndarray:
    return np.unique(np.linspace(0, count - 1, min(count, FRAMES)).astype(int))


def _flat(array: Any) -> list[float]:
    return [float(f"{v:.7g}") for v in np.asarray(array, float).ravel()]


def _chart(name: str, time: np.ndarray, **series: np.ndarray) -> dict[str, Any]:
    lines = [{"name": key, "values": _flat(value)} for key, value in series.items()]
    return {"name": name, "time": _flat(time), "series": lines}


def _page(title: str, summary: str, data: dict[str, Any]) -> str:
    folder = files(__package__)
    # The data must not contain "<", which could end the script element.
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return Template(folder.joinpath("animation.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(title),
        summary=html.escape(summary),
        data=text,
        script=folder.joinpath("animation.js").read_text(encoding="utf-8"),
    )
