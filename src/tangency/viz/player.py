"""A motion as a self-contained HTML page that plays it, without libraries.

Lengths in the page are relative to the centre and the radius of the scene, so that single precision
suffices at any scale.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .inline import as_json, filled, packed, parts
from .mesh import geodesic
from .motion_stage import MotionStage, prepare_motion
from .stage import grid_width

if TYPE_CHECKING:
    from ..dynamics import Trajectory

MAX_CHARACTERS = 64_000_000  # most characters for poses and contacts; beyond, frames are omitted
MAX_CURVE_POINTS = 1200  # most points of an energy curve
FAR_AWAY = 1e4  # coordinates of bodies that are not there, in radii of the scene
BALL = 8  # frequency of the sphere for contact points


def motion_page(
    run: Trajectory,
    *,
    title: str = "Motion",
    fps: float = 30.0,
    speed: float | None = None,
    colors: Mapping[str, str] | None = None,
) -> str:
    """HTML page that plays a trajectory; opens from a file, without network access.

    Parameters
    ----------
    run : Trajectory
        The motion.
    title : str
        Title of the page.
    fps : float
        Most frames per second of playback.
    speed : float, optional
        Seconds of motion per second of playback; default from :func:`pace_of`.
    colors : mapping of str to str, optional
        Colours ``#rrggbb`` of bodies by name.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.viz import motion_page
    >>> ball = tg.dynamics.Body("ball", tg.Sphere(0.1), (None, [0, 0, 5]))
    >>> page = motion_page(tg.dynamics.simulate(tg.dynamics.World([ball]), 1.0), title="A ball that falls")
    >>> page.count("<script"), "https:" in page
    (2, False)
    """
    for name, value in (("fps", fps), ("speed", speed)):
        if value is not None and not (isinstance(value, int | float) and 0.0 < value < math.inf):
            raise ValueError(f"{name} must be a number > 0, got {value!r}")
    stage = prepare_motion(run, colors=colors)
    pace = pace_of(run.time) if speed is None else float(speed)
    picked = pick(run, int(stage.moving.sum()), fps / pace)
    return filled(
        "player.html",
        style=parts("look.css"),
        title=html.escape(title),
        summary=html.escape(_summary(run, len(picked))),
        data=as_json(_data(run, stage, picked, pace)),
        script=parts("vectors.js", "orbit.js", "light.js", "energy_strip.js", "player.js"),
    )


def pace_of(time: np.ndarray) -> float:
    """Seconds of motion per second of playback: 1, or a round number if that took less than 1.5 s or over a minute."""
    duration = float(time[-1] - time[0])
    if not duration > 0.0 or 1.5 <= duration <= 60.0:
        return 1.0
    rough = duration / (5.0 if duration < 1.5 else 60.0)
    power = 10.0 ** math.floor(math.log10(rough))
    return float(min((step * power for step in (1.0, 2.0, 5.0, 10.0)), key=lambda step: abs(math.log(step / rough))))


def pick(run: Trajectory, moving: int, rate: float) -> np.ndarray:
    """Frames that are shown: at most `rate` a second, the first and the last among them, within `MAX_CHARACTERS`."""
    _, first = np.unique(np.floor((run.time - run.time[0]) * rate + 0.5), return_index=True)
    chosen = np.union1d(first, [0, len(run.time) - 1])
    sizes = 4.0 / 3.0 * (20.0 * moving + 24.0 * np.diff(run.contacts.first)[chosen])
    every = math.ceil(float(sizes.sum()) / MAX_CHARACTERS)
    return chosen if every <= 1 else np.union1d(chosen[::every], chosen[-1:])


def _summary(run: Trajectory, frames: int) -> str:
    bodies = f"{len(run.names)} bod{'y' if len(run.names) == 1 else 'ies'}"
    return f"{bodies}, {run.time[0]:g} to {run.time[-1]:g} s, {frames} frame{'' if frames == 1 else 's'}"


def _data(run: Trajectory, stage: MotionStage, picked: np.ndarray, pace: float) -> dict[str, Any]:
    centre, radius = stage.centre, stage.radius
    grid = grid_width(radius)
    moving = np.flatnonzero(stage.moving)
    position = np.stack([_places(run, int(frame), centre, radius)[moving] for frame in picked])
    quaternion = np.stack([run.quaternion[frame][moving] for frame in picked])
    spheres = sorted({BALL, *(_frequency(item.mesh) for item in stage.surfaces if not item.own)})
    grids = {str(f): geodesic(f) for f in spheres}
    grids |= {f"wall {k}": item.mesh for k, item in enumerate(stage.surfaces) if item.own}
    some = np.unique(np.linspace(0, len(run.time) - 1, MAX_CURVE_POINTS).astype(int))
    kinds = {name: values[some] for name, values in run.energy.items() if np.any(values)}
    if kinds:
        kinds["mechanical"] = run.mechanical_energy[some]
    # Heights are relative to the lowest point of the motion: the world's origin may be far away.
    lowest = run.energy["gravitational"].min()
    kinds |= {name: kinds[name] - lowest for name in ("gravitational", "mechanical") if name in kinds}
    return {
        "spheres": {
            name: {"normals": packed(grid.normals), "triangles": packed(grid.triangles, "<u2")}
            for name, grid in grids.items()
        },
        "ball": BALL,
        "surfaces": [_surface(item, k, radius) for k, item in enumerate(stage.surfaces)],
        "grounds": [
            {"body": item.body, "corners": (item.corners / radius).tolist(), "normal": item.normal.tolist()}
            for item in stage.grounds
        ],
        "bodies": [
            {"name": name, "color": color, "middle": (middle / radius).tolist(), "reach": reach / radius}
            for name, color, middle, reach in zip(run.names, stage.colors, stage.middle, stage.reach)
        ],
        "start": {"position": packed(_places(run, 0, centre, radius)), "quaternion": packed(run.quaternion[0])},
        "moving": moving.tolist(),
        "time": packed(run.time[picked], "<f8"),
        "position": packed(position),
        "quaternion": packed((quaternion * 32767.0).round(), "<i2"),
        "contacts": _contacts(run, stage, picked),
        "springs": _springs(run, stage),
        "energy": {"time": packed(run.time[some], "<f8"), "kinds": {k: packed(v) for k, v in kinds.items()}},
        "framed": packed((stage.framed - centre) / radius),
        "origin": (-centre / radius).tolist(),
        "grid": grid / radius,
        "grid_text": f"{grid:g} m",
        "pace": pace,
    }


def _places(run: Trajectory, frame: int, centre: np.ndarray, radius: float) -> np.ndarray:
    """Positions of all bodies in a frame, in radii of the scene."""
    places = (run.position[frame] - centre) / radius
    places[~run.present(frame)] = FAR_AWAY
    return np.asarray(places)


def _frequency(mesh: Any) -> int:
    return round(math.sqrt((len(mesh.vertices) - 2) / 10))


def _surface(item: Any, number: int, radius: float) -> dict[str, Any]:
    """Vertices as integers between -32767 and 32767, relative to half the width of their bounding box."""
    low, high = item.mesh.vertices.min(axis=0), item.mesh.vertices.max(axis=0)
    half = np.maximum(0.5 * (high - low), 1e-30 * radius)
    steps = ((item.mesh.vertices - 0.5 * (low + high)) / half * 32767.0).round()
    unit = radius if item.scales is None else 1.0  # of the mesh; the sizes of bodies that share it are in radii
    scales = np.ones((len(item.bodies), 3)) if item.scales is None else item.scales / radius
    return {
        "sphere": f"wall {number}" if item.own else _frequency(item.mesh),
        "vertices": packed(steps, "<i2"),
        "half": (half / unit).tolist(),
        "sizes": packed(scales),
        "middle": (item.middle / radius).tolist(),
        "turn": item.turn.ravel().tolist(),
        "hollow": item.hollow,
        "bodies": item.bodies,
    }


def _contacts(run: Trajectory, stage: MotionStage, picked: np.ndarray) -> dict[str, Any]:
    """Points and forces of the picked frames; `scale` converts forces to arrows."""
    contacts = run.contacts
    first, last = contacts.first[picked], contacts.first[picked + 1]
    empty = np.zeros((0, 3))
    force, point = (
        np.concatenate([empty, *(part[a:b] for a, b in zip(first, last))]) for part in (contacts.force, contacts.point)
    )
    usual = usual_force(force)
    table = np.concatenate([(point - stage.centre) / stage.radius, force / usual], axis=1)
    return {
        "first": np.concatenate([[0], np.cumsum(last - first)]).tolist(),
        "table": packed(table),
        "arrow": stage.arrow / stage.radius,
        "usual": usual,
    }


def usual_force(forces: np.ndarray) -> float:
    """90th percentile of contact forces (C, 3) [N], which sets the scale of arrows."""
    size = np.linalg.norm(forces, axis=1)
    size = size[size > 0.0]
    return float(np.percentile(size, 90)) if len(size) else 1.0


def _springs(run: Trajectory, stage: MotionStage) -> list[dict[str, Any]]:
    rows = []
    for spring in run.springs:
        far = (np.asarray(spring.point_b) - (stage.centre if spring.b is None else 0.0)) / stage.radius
        b = -1 if spring.b is None else run.number(spring.b)
        near = (np.asarray(spring.point_a) / stage.radius).tolist()
        rows.append({"a": run.number(spring.a), "b": b, "point_a": near, "point_b": far.tolist()})
    return rows
