"""Shaded pictures of a motion at given times, with the contact forces; needs matplotlib, tangency[viz]."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..io.progress import Progress
from ..io.whole_files import folder_for, write_whole
from .mesh import Mesh, patch, plane
from .motion_stage import REACH, MotionStage, prepare_motion
from .player import pace_of, usual_force
from .png import BACKGROUND, HALO, INK, MARK, hidden_points
from .raster import Buffer, Camera
from .shade import SUN, render, rgb
from .stage import Stage

if TYPE_CHECKING:
    from ..dynamics import Trajectory

VEIL = 0.62  # transparency of the wall of a cavity
FOV = math.radians(26.0)


def snapshots(
    run: Trajectory,
    times: ArrayLike,
    *,
    contacts: bool,
    columns: int | None,
    size: tuple[int, int],
    view: tuple[float, float],
    colors: Mapping[str, str] | None,
) -> Figure:
    """See :meth:`tangency.dynamics.Trajectory.snapshots`."""
    stage = prepare_motion(run, 20, colors)
    picked = _frames_of(run, times)
    columns = min(len(picked), 3) if columns is None else columns
    if isinstance(columns, bool) or not isinstance(columns, int) or columns < 1:
        raise ValueError(f"columns must be a whole number >= 1, got {columns!r}")
    rows = -(-len(picked) // columns)
    figure = Figure(figsize=(columns * size[0] / 100, rows * size[1] / 100), dpi=100, facecolor=BACKGROUND)
    camera = _camera(stage, size[0] / size[1], view)
    for k, frame in enumerate(picked):
        row, column = divmod(k, columns)
        axes = figure.add_axes((column / columns, 1.0 - (row + 1) / rows, 1.0 / columns, 1.0 / rows))
        draw_frame(axes, run, stage, camera, int(frame), size, contacts)
    return figure


def film(
    run: Trajectory,
    folder: str | os.PathLike[str],
    *,
    fps: float,
    speed: float | None,
    size: tuple[int, int],
    contacts: bool,
    view: tuple[float, float],
    colors: Mapping[str, str] | None,
    progress: bool,
) -> list[Path]:
    """See :meth:`tangency.dynamics.Trajectory.frames`."""
    for name, value in (("fps", fps), ("speed", speed)):
        if value is not None and not (isinstance(value, int | float) and 0.0 < value < math.inf):
            raise ValueError(f"{name} must be a number > 0, got {value!r}")
    folder_for(folder, "folder")
    stage = prepare_motion(run, 20, colors)
    step = (pace_of(run.time) if speed is None else speed) / fps
    times = run.time[0] + step * np.arange(int((run.time[-1] - run.time[0]) / step + 1e-9) + 1)
    camera = _camera(stage, size[0] / size[1], view)
    paths = []
    with Progress() as shown:
        for k, frame in enumerate(_frames_of(run, times)):
            if progress:
                shown.step(f"drawing frame {k + 1} of {len(times)}")
            figure = Figure(figsize=(size[0] / 100, size[1] / 100), dpi=100)
            draw_frame(figure.add_axes((0.0, 0.0, 1.0, 1.0)), run, stage, camera, int(frame), size, contacts)
            target = io.BytesIO()
            FigureCanvasAgg(figure).print_png(target, metadata={"Software": "tangency"})
            paths.append(write_whole(Path(folder) / f"frame_{k:04d}.png", target.getvalue()))
    return paths


def _frames_of(run: Trajectory, times: Any) -> np.ndarray:
    """Indices of the frames nearest to the given times."""
    if isinstance(times, int) and not isinstance(times, bool):
        if times < 1:
            raise ValueError(f"times must be a number of pictures >= 1, got {times}")
        wanted = np.linspace(run.time[0], run.time[-1], times)
    else:
        wanted = np.atleast_1d(np.asarray(times, float))
    if wanted.ndim != 1 or not len(wanted) or not np.isfinite(wanted).all():
        raise ValueError(f"times must be a list of times [s] or a number of pictures, got {times!r}")
    begin, end = float(run.time[0]), float(run.time[-1])
    slack = (end - begin) / max(len(run.time) - 1, 1)
    if wanted.min() < begin - slack or wanted.max() > end + slack:
        raise ValueError(f"times must lie within the run, from {begin:g} to {end:g} s, got {times!r}")
    later = np.clip(np.searchsorted(run.time, wanted), 1, max(len(run.time) - 1, 1))
    if len(run.time) == 1:
        return np.zeros(len(wanted), int)
    return np.where(wanted - run.time[later - 1] <= run.time[later] - wanted, later - 1, later)


def _camera(stage: MotionStage, aspect: float, view: tuple[float, float]) -> Camera:
    """Camera on the given side, with the relevant part of the scene in the picture."""
    azimuth, elevation = (math.radians(float(angle)) for angle in view)
    if not -1.56 < elevation < 1.56:
        raise ValueError(f"view must have an elevation between -89 and 89 degrees, got {view[1]!r}")
    level = math.cos(elevation)
    back = np.array([level * math.cos(azimuth), level * math.sin(azimuth), math.sin(elevation)])
    up = np.array([0.0, 0.0, 1.0])
    target, distance = stage.centre, 5.0 * stage.radius
    for _ in range(6):
        camera = Camera(target + distance * back, target, up, FOV)
        xy, _ = camera.project(stage.framed, 2000, 2000)
        low, high = xy.min(axis=0) / 1000 - 1, xy.max(axis=0) / 1000 - 1
        middle, half = 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-6)
        scale = distance * math.tan(0.5 * FOV)
        target = target + scale * (middle[0] * camera.axes[0] - (middle[1] - 0.04) * camera.axes[1])
        distance *= max(half[0] / aspect / 0.9, half[1] / 0.84)
    return Camera(target + distance * back, target, up, FOV)


def draw_frame(
    axes: Axes, run: Trajectory, stage: MotionStage, camera: Camera, frame: int, size: tuple[int, int], contacts: bool
) -> None:
    """Draw one frame with its time."""
    width, height = size
    scene, hollow = _staged(run, stage, camera, frame)
    image, buffer = render(scene, camera, width, height, BACKGROUND)
    if hollow.any():  # walls of cavities are translucent
        veil = hollow[buffer.body].reshape(height, 2, width, 2).mean(axis=(1, 3))[..., None] * VEIL
        image = (1.0 - veil) * image + veil * rgb(BACKGROUND)
    axes.set_axis_off()
    axes.imshow(image, extent=(0, width, height, 0), interpolation="nearest", aspect="auto")
    axes.set(xlim=(0, width), ylim=(height, 0))
    if contacts:
        _draw_forces(axes, run, stage, camera, buffer, frame, size)
    axes.text(14, 26, f"t = {run.time[frame]:.4g} s", fontsize=12, color=INK, path_effects=HALO)


def _staged(run: Trajectory, stage: MotionStage, camera: Camera, frame: int) -> tuple[Stage, np.ndarray]:
    """The bodies of one frame in the world, and which indices of a `Buffer` are walls of cavities.

    Walls between the camera and the scene are omitted.
    """
    turns = Rotation.from_quat(run.quaternion[frame]).as_matrix() if run.names else np.zeros((0, 3, 3))
    meshes, colors, hollow, present = [], [], [], run.present(frame)
    for item in stage.surfaces:
        for k, i in enumerate(item.bodies):
            if not present[i]:
                continue
            mesh, turn = item.mesh_of(k), turns[i]
            placed = Mesh(mesh.vertices @ turn.T + run.position[frame, i], mesh.normals @ turn.T, mesh.triangles)
            meshes.append(placed.inside_out if item.hollow else placed)
            colors.append(stage.colors[i])
            hollow.append(item.hollow)
    planes: list[Any] = []
    paints, limits = [], []
    for ground in stage.grounds:
        i, piece = ground.body, ground.piece
        place = run.position[frame, i] + turns[i] @ piece.position
        placed_plane = piece._replace(rotation=turns[i] @ piece.rotation, position=place)
        normal, offset = plane(placed_plane)
        if normal @ camera.eye > offset:
            planes.append(placed_plane)
            # In a corner, walls in the shade are darker.
            relief = 0.5 * (1.0 - max(float(normal @ SUN), 0.0)) if len(stage.grounds) > 1 else 0.0
            paints.append("#" + "".join(f"{round(v):02x}" for v in 255.0 * (1.0 - relief) * rgb(stage.colors[i])))
            limits.append(ground.limits)
    patches = [patch(item, stage.centre, REACH * stage.radius) for item in planes]
    scene = Stage("", [], planes, meshes, patches, colors, paints, stage.centre, stage.radius, [], limits)
    return scene, np.array([*hollow, *([False] * (len(planes) + 1))], bool)  # the last one, -1, is the background


def _draw_forces(
    axes: Axes, run: Trajectory, stage: MotionStage, camera: Camera, buffer: Buffer, frame: int, size: tuple[int, int]
) -> None:
    now = run.contacts.at(frame)
    if not len(now):
        return
    along = now.force * (stage.arrow / usual_force(run.contacts.force))
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along *= np.minimum(1.0, 0.9 * stage.radius / np.maximum(length, 1e-300))
    start, depth = camera.project(now.point, *size)
    tip, _ = camera.project(now.point + along, *size)
    hidden = hidden_points(buffer, start, depth, 0.02 * stage.radius)
    head = {"arrowstyle": "-|>,head_width=0.16,head_length=0.36", "lw": 1.4, "shrinkA": 0, "shrinkB": 0, "color": MARK}
    few = len(run.names) <= 40
    for k in np.flatnonzero(np.linalg.norm(tip - start, axis=1) > 3.0):
        if few or not hidden[k]:
            axes.annotate("", tip[k], start[k], arrowprops={**head, "alpha": 0.5 if hidden[k] else 1.0})
    for part, alpha in ((~hidden, 1.0), (hidden, 0.5 if few else 0.0)):
        axes.plot(*start[part].T, ls="", marker="o", ms=3.6, color=MARK, mec="white", mew=0.6, alpha=alpha)
