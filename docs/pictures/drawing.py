"""What all pictures share: colours, outlines, arrows, and where they are saved."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import tangency as tg

STATIC = Path(__file__).parents[1] / "_static"
INK, GREY = "#1b2430", "#8a94a0"
BLUE, ORANGE, GREEN, RED, PURPLE = "#4c78a8", "#f58518", "#3f8f4f", "#c2185b", "#8e5ea2"


def directions(angle: np.ndarray) -> np.ndarray:
    """Unit vectors in the plane of the paper, z = 0."""
    return np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)


def outline(shape: tg.Shape, angle: float = 0.0, centre: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    """Cross-section at z = 0 of a body with that symmetry plane, turned by `angle` about z."""
    n = directions(np.linspace(0, 2 * np.pi, 1441))
    turn = Rotation.from_euler("z", angle).as_matrix()
    return (shape.point(n @ turn) @ turn.T)[:, :2] + centre


def sheet(axes: Axes) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()


def plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GREY)
    axes.tick_params(colors=INK, length=3)


def arrow(axes: Axes, start: np.ndarray, end: np.ndarray, color: str) -> None:
    style = {"arrowstyle": "-|>,head_width=0.2,head_length=0.45", "lw": 1.6, "color": color, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end[:2], start[:2], arrowprops=style)


def save(figure: Figure, name: str) -> None:
    figure.savefig(STATIC / f"{name}.png", dpi=130, facecolor="white", metadata={"Software": "tangency"})
