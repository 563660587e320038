"""Picture of the scene: shaded bodies, contact points, distances and normals."""

from __future__ import annotations

import io
import textwrap
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from ..scene import PairContact, Scene
from .raster import Buffer, Camera
from .shade import render
from .stage import Stage, counted, prepare

BACKGROUND = "#f6f7f9"
INK = "#1b2430"
MARK = "#c2185b"
LETTER = 9  # width of a letter below the title, at most [pixels]
HALO = [withStroke(linewidth=3.2, foreground="white", alpha=0.8)]


def picture(scene: Scene, pairs: list[PairContact], width: int = 1500, height: int = 1000) -> bytes:
    """PNG of a scene with its contacts.

    Each body's nearest contact is drawn in full: both points, the distance between them, the normal
    (an arrow at the point on A, from A to B).  For other pairs only the distances are drawn, as thin lines,
    and in a crowded scene nothing.
    """
    stage = prepare(scene, pairs, frequency=36)
    camera = framing(stage, width / height)
    image, buffer = render(stage, camera, width, height, BACKGROUND)

    figure = Figure(figsize=(width / 100, height / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.imshow(image, extent=(0, width, height, 0), interpolation="nearest")
    axes.set(xlim=(0, width), ylim=(height, 0))
    view = _View(stage, camera, buffer, width, height)
    _draw_pairs(axes, view)
    _draw_names(axes, view)
    axes.text(28, 44, stage.title, fontsize=19, color=INK, weight="bold")
    summary = f"{len(stage.bodies) + len(stage.planes)} bodies, {counted(pairs)}; "
    summary += "arrows: normals, from A to B, at each body's nearest contact; numbers: distance [m]"
    for k, line in enumerate(textwrap.wrap(summary, max((width - 56) // LETTER, 20))):
        axes.text(28, 70 + 18 * k, line, fontsize=11.5, color="#5b6673")
    target = io.BytesIO()
    canvas.print_png(target, metadata={"Software": "tangency"})
    return target.getvalue()


def framing(stage: Stage, aspect: float) -> Camera:
    """Camera in front of the scene, slightly above, with all bodies in the picture."""
    direction = np.array([0.30, -1.0, 0.48])
    direction /= np.linalg.norm(direction)
    target, distance, fov = stage.centre, 5.0 * stage.radius, np.radians(26.0)
    points = stage.framed
    for _ in range(6):
        camera = Camera(target + distance * direction, target, np.array([0.0, 0.0, 1.0]), fov)
        xy, _ = camera.project(points, 2000, 2000)
        low, high = xy.min(axis=0) / 1000 - 1, xy.max(axis=0) / 1000 - 1
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        scale = distance * np.tan(0.5 * fov)
        # Slightly below the middle: the title is above.
        target = target + scale * (middle[0] * camera.axes[0] - (middle[1] - 0.05) * camera.axes[1])
        distance *= max(half[0] / aspect / 0.86, half[1] / 0.77)
    return Camera(target + distance * direction, target, np.array([0.0, 0.0, 1.0]), fov)


class _View(NamedTuple):
    """A scene as a camera sees it."""

    stage: Stage
    camera: Camera
    buffer: Buffer
    width: int  #: of the picture, in pixels
    height: int

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pixel coordinates and distance along the view."""
        return self.camera.project(points, self.width, self.height)


def _draw_pairs(axes: Axes, view: _View) -> None:
    stage, buffer = view.stage, view.buffer
    full = stage.nearest
    crowded = len(stage.pairs) > 45
    for k, pair in enumerate(stage.pairs):
        if k not in full and not crowded:
            _draw_line(axes, pair, view, color=INK, lw=0.7, alpha=0.3)
    for k in full:
        pair = stage.pairs[k]
        contact = pair.contact
        arrow = contact.point_a + np.outer([0.0, stage.arrow(pair)], contact.normal)
        (start, tip), depth = view.project(arrow)
        clear = 0.45 if hidden_points(buffer, start[None], depth[:1], 0.02 * stage.radius)[0] else 1.0
        head = {"arrowstyle": "-|>,head_width=0.22,head_length=0.5", "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", tip, start, arrowprops={**head, "color": MARK, "alpha": clear})
        ends = _draw_line(axes, pair, view, color=MARK, lw=1.9, alpha=0.95)
        axes.plot(*ends.T, ls="", marker="o", ms=6.2, color=MARK, mec="white", mew=1.1, alpha=clear)
        side = 12 if tip[0] >= start[0] else -12
        text = f"{float(contact.distance):.3g}"
        axes.text(
            ends[1, 0] + side,
            ends[1, 1] + 15,
            text,
            fontsize=10,
            color=MARK,
            weight="bold",
            ha="left" if side > 0 else "right",
            path_effects=HALO,
        )


def _draw_line(axes: Axes, pair: PairContact, view: _View, *, color: str, lw: float, alpha: float) -> np.ndarray:
    """Draw the distance between the contact points, dotted where a body hides it; returns its ends in pixels."""
    a, b = np.asarray(pair.contact.point_a), np.asarray(pair.contact.point_b)
    xy, depth = view.project(a + np.linspace(0, 1, 80)[:, None] * (b - a))
    hidden = hidden_points(view.buffer, xy, depth, 0.01 * view.stage.radius)
    for part, style in ((~hidden, "-"), (hidden, (0, (1, 2.5)))):
        axes.plot(*np.where(part[:, None], xy, np.nan).T, color=color, lw=lw, ls=style, alpha=alpha)
    axes.plot(*xy[[0, -1]].T, ls="", marker="o", ms=2.4, color=color, alpha=alpha)
    return xy[[0, -1]]


def _draw_names(axes: Axes, view: _View) -> None:
    stage, buffer, width, height = view.stage, view.buffer, view.width, view.height
    for body, mesh in zip(stage.bodies, stage.meshes):
        xy, _ = view.project(mesh.vertices)
        top = xy[xy[:, 1].argmin()]
        axes.text(top[0], top[1] - 8, body.name, fontsize=12.5, color=INK, ha="center", va="bottom", path_effects=HALO)
    for k, body in enumerate(stage.planes, len(stage.meshes)):
        # Where the plane is visible, as low in the picture as possible, near the left or right edge.
        spots = [(u * width, v * height) for v in (0.95, 0.8, 0.65, 0.5) for u in (0.07, 0.93)]
        seen = [(x, y) for x, y in spots if buffer.body[int(2 * y), int(2 * x)] == k]
        if seen:
            axes.text(*seen[0], body.name, fontsize=12.5, color="#5b6673", ha="center", path_effects=HALO)


def hidden_points(buffer: Buffer, xy: np.ndarray, depth: np.ndarray, margin: float) -> np.ndarray:
    """Which points lie behind a surface; the buffer has twice the resolution of the pixels."""
    height, width = buffer.depth.shape
    x = np.clip(2 * xy[:, 0], 0, width - 1).astype(int)
    y = np.clip(2 * xy[:, 1], 0, height - 1).astype(int)
    return buffer.depth[y, x] < depth - margin
