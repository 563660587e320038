"""Energies and contact forces of a motion over time; needs matplotlib, tangency[viz]."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .stage import PALETTE

if TYPE_CHECKING:
    from ..dynamics import Trajectory

COLORS = {
    "kinetic": "#4c78a8",
    "gravitational": "#54a24b",
    "elastic": "#f58518",
    "springs": "#b279a2",
    "dissipated": "#e45756",
    "work": "#9d755d",
    "mechanical": "#1b2430",
}
INK, GREY = "#1b2430", "#8a94a0"


def energy_plot(run: Trajectory, axes: Axes | None = None) -> Axes:
    """See :meth:`tangency.dynamics.Trajectory.plot_energy`."""
    if axes is None:
        axes = Figure(figsize=(7.6, 3.6), layout="constrained").subplots()
    _require_axes(axes, "axes")
    _plain(axes)
    kinds = {name: values for name, values in run.energy.items() if np.any(values)}
    if kinds:
        kinds["mechanical"] = run.mechanical_energy
    for name, values in kinds.items():
        style: dict[str, Any] = {"lw": 1.7} if name != "mechanical" else {"lw": 1.2, "ls": (0, (5, 3))}
        style |= {"marker": "o", "ms": 4} if len(run.time) == 1 else {}  # a line of one point is invisible
        axes.plot(run.time, values, label=name, color=COLORS[name], **style)
    axes.set(xlabel="time [s]", ylabel="energy [J]")
    if kinds:
        axes.legend(frameon=False, fontsize=9)
    return axes


def pair_forces(run: Trajectory) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]:
    """Normal force and friction (F,) each, for every pair of bodies that ever touches [N].

    Several contacts of a pair are added up; friction is the tangential part of the force.
    """
    c = run.contacts
    frame = np.repeat(np.arange(len(run.time)), np.diff(c.first))
    across = c.force - np.einsum("ci,ci->c", c.force, c.normal)[:, None] * c.normal
    friction = np.linalg.norm(across, axis=1)
    pairs, which = np.unique(np.stack([c.body_a, c.body_b], axis=1), axis=0, return_inverse=True)
    table = np.zeros((2, len(pairs), len(run.time)))
    np.add.at(table[0], (which.reshape(-1), frame), c.normal_force)
    np.add.at(table[1], (which.reshape(-1), frame), friction)
    return {(int(a), int(b)): (table[0, k], table[1, k]) for k, (a, b) in enumerate(pairs)}


def force_plots(run: Trajectory, axes: Sequence[Axes] | np.ndarray | None = None, most: int = 8) -> np.ndarray:
    """See :meth:`tangency.dynamics.Trajectory.plot_forces`."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ValueError(f"most must be a whole number >= 1, got {most!r}")
    given = Figure(figsize=(7.6, 5.2), layout="constrained").subplots(2, 1, sharex=True) if axes is None else axes
    both = np.asarray(given, dtype=object).ravel()
    if both.shape != (2,):
        raise ValueError(f"axes must be two Axes, got {both.size}")
    for k, one in enumerate(both):
        _require_axes(one, f"axes[{k}]")
    forces = pair_forces(run)
    style: dict[str, Any] = {"marker": "o", "ms": 4} if len(run.time) == 1 else {}
    ranked = sorted(forces, key=lambda pair: -float(forces[pair][0].max()))
    for k, (one, label) in enumerate(zip(both, ("normal force [N]", "friction [N]"))):
        _plain(one)
        one.set_ylabel(label)
        for n, pair in enumerate(ranked[:most]):
            color = PALETTE[n % len(PALETTE)]
            one.plot(run.time, forces[pair][k], label=_label(run, pair), color=color, lw=1.5, **style)
        rest = ranked[most:]
        if rest:
            total, text = sum(forces[pair][k] for pair in rest), f"{len(rest)} other pair{'s' if len(rest) > 1 else ''}"
            one.plot(run.time, total, label=text, color=GREY, lw=1.2, ls=(0, (4, 2)), **style)
        if not ranked:
            one.set(xlim=(run.time[0], run.time[-1]) if run.time[-1] > run.time[0] else None, ylim=(0.0, 1.0))
            one.text(0.5, 0.5, "no contacts", transform=one.transAxes, ha="center", va="center", color=GREY)
    both[1].set_xlabel("time [s]")
    if ranked:
        both[0].legend(frameon=False, fontsize=9)
    return both


def _require_axes(value: object, name: str) -> None:
    if not isinstance(value, Axes):
        hint = "; to write a file, call figure.savefig of the result" if isinstance(value, str | os.PathLike) else ""
        raise TypeError(f"{name} must be matplotlib Axes, got {value!r}{hint}")


def _label(run: Trajectory, pair: tuple[int, int]) -> str:
    """Names, escaped for matplotlib, which reads dollars as formulas and hides labels that start with an underscore."""
    name = " – ".join(run.names[i] for i in pair).replace("$", r"\$")
    return f" {name}" if name.startswith("_") else name


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GREY)
    axes.tick_params(colors=INK, length=3)
