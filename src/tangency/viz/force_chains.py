"""Force chains: the contacts of one frame as lines between the centres of the bodies; needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from ..dynamics import measures
from ..dynamics.measures.selection import frame_of, selected
from ..dynamics.periodic import nearest_images, wrapped

if TYPE_CHECKING:
    from ..dynamics import Trajectory

WIDEST = 7.0  # of a line [points], for five times the mean force
INK, STRONG, WEAK = "#1b2430", "#c8553d", "#8a94a0"


def force_chains(run: Trajectory, frame: int, axes: Axes | None, plane: str, bodies: object, least: float) -> Axes:
    """See :meth:`tangency.dynamics.Trajectory.plot_force_chains`."""
    if not (isinstance(plane, str) and len(plane) == 2 and set(plane) <= set("xyz") and plane[0] != plane[1]):
        raise ValueError(f"plane must name two axes, such as 'xz', got {plane!r}")
    if not least >= 0.0:
        raise ValueError(f"least must be at least 0, got {least!r}")
    number = frame_of(run, frame)
    if axes is None:
        axes = Figure(figsize=(5.6, 5.0), layout="constrained").subplots()
    across = ["xyz".index(letter) for letter in plane]
    chain, mask = measures.network(run, frame=number, bodies=bodies), selected(run, bodies, number)
    mean = float(chain.normal_force.mean()) if len(chain.normal_force) else 0.0
    kept = chain.normal_force > least * mean
    centre = run.centre_of_mass[number]
    lines, forces = [], []
    point = chain.point[kept] + wrapped(chain.point[kept], run.periodic)
    for body in (chain.body_a[kept], chain.body_b[kept]):
        # From the contact to the centre, in a periodic box to that of the nearest image; walls have no centre.
        own = mask[body]
        away = nearest_images(centre[body[own]] - point[own], run.periodic)
        lines.append(np.stack([point[own], point[own] + away], axis=1))
        forces.append(chain.normal_force[kept][own])
    segments, force = np.concatenate(lines)[:, :, across], np.concatenate(forces)
    order = np.argsort(force, kind="stable")  # the strongest on top
    share = np.clip(force[order] / (5.0 * mean) if mean > 0.0 else force[order], 0.0, 1.0)
    colors = [STRONG if strong else WEAK for strong in force[order] > mean]
    widths = np.maximum(WIDEST * share, 0.15)
    axes.add_collection(LineCollection(list(segments[order]), linewidths=widths, colors=colors, capstyle="round"))
    shown = centre[mask] + wrapped(centre[mask], run.periodic)
    axes.plot(*shown[:, across].T, ls="", marker="o", ms=1.6, color=INK, mew=0)
    axes.set_aspect("equal")
    axes.autoscale_view()
    title = f"t = {run.time[number]:.4g} s, mean normal force {mean:.3g} N; stronger ones red"
    axes.set(xlabel=f"{plane[0]} [m]", ylabel=f"{plane[1]} [m]", title=title)
    axes.title.set_fontsize(9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes
