"""Pictures of the walking person: forces, angles, steps and excitations, and a page that plays the walk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...dynamics import Trajectory
from ...dynamics.body import Piece
from ...dynamics.impacts import no_impacts
from ...shapes import Ellipsoid
from .. import picture
from .cycle import HEIGHT, Cycle
from .excitations import Excitations
from .muscles import MUSCLES
from .person import ACTUATED, LEG, ROOT, SHANK, SIDES, THIGH, TRUNK
from .simulation import Walk

COLOURS = {"points": picture.MARK, "ellipsoids": picture.BODY}
#: Names of joints, sign and whether they are shown as flexion.
SHOWN = (("hip flexion", 1.0), ("knee flexion", -1.0), ("ankle dorsiflexion", 1.0))
EVERY = 0.02  # time over which steps are averaged [s]
#: Ellipsoids for the eye: width and the middle of the limb in units of its length.
LIMBS = {"trunk": (0.11, TRUNK.length, 0.5), "thigh": (0.065, THIGH.length, -0.5), "shank": (0.045, SHANK.length, -0.5)}
TINTS = {"right": "#c2185b", "left": "#2f6f9f", "": "#8a95a3"}


def figure(cycle: Cycle, walks: dict[str, Walk], legs: list[Excitations]) -> Any:
    """Torque-driven walks on all kinds of feet, and the excitations of one."""
    made = picture.figure(11.0, 14.0)
    strip, forces, angles, bottom = made.subfigures(4, 1, height_ratios=(1.25, 2.0, 1.0, 1.6))
    _draw_person(strip.subplots(1, 1), cycle, walks["ellipsoids"])
    _draw_forces(forces.subplots(2, 2, sharex=True, sharey="row"), cycle, walks)
    for k, (plot, (name, sign)) in enumerate(zip(angles.subplots(1, 3, sharex=True), SHOWN)):
        plot.plot(cycle.time, sign * np.degrees(cycle.position[:, ROOT + k]), color=picture.SOFT, linewidth=3.0)
        for kind, walk in walks.items():
            plot.plot(walk.motion.time, sign * np.degrees(walk.q[:, ROOT + k]), color=COLOURS[kind], linewidth=1.3)
        picture.plain(plot, "t [s]", "deg", f"right {name}")
    below, right = bottom.subplots(1, 2, width_ratios=(1.0, 1.3))
    _draw_steps(below, walks)
    _draw_excitations(bottom, right, legs[0])
    return made


def _draw_forces(axes: Any, cycle: Cycle, walks: dict[str, Walk]) -> None:
    for row, (c, title) in enumerate(((1, "up / weight"), (0, "forward / weight"))):
        for side, name in enumerate(SIDES):
            plot = axes[row, side]
            plot.plot(
                cycle.time, cycle.force[:, side, c] / cycle.weight, color=picture.SOFT, linewidth=3.0, label="to follow"
            )
            for kind, walk in walks.items():
                force = walk.force[:, side, c] / cycle.weight
                plot.plot(walk.motion.time, force, color=COLOURS[kind], linewidth=1.3, label=kind)
            picture.plain(plot, "t [s]" if row else "", "" if side else title, "" if row else f"{name} foot")
    axes[0, 0].legend(frameon=False, fontsize=8)


def _draw_person(axes: Any, cycle: Cycle, walk: Walk) -> None:
    """Stick figures: trunk, legs and feet, the right leg in front."""
    for k in range(0, len(walk.q), 10):
        hip, trunk = walk.q[k, :2], walk.q[k, 2]
        head = hip + TRUNK.length * HEIGHT * np.array([-np.sin(trunk), np.cos(trunk)])
        axes.plot(*zip(hip, head), color=picture.INK, linewidth=2.0)
        for side, colour in ((1, picture.SOFT), (0, picture.MARK)):
            own = walk.q[k, ROOT + LEG * side :][:ACTUATED]
            thigh, shank = trunk + own[0], trunk + own[0] + own[1]
            knee = hip + THIGH.length * HEIGHT * np.array([np.sin(thigh), -np.cos(thigh)])
            ankle = knee + SHANK.length * HEIGHT * np.array([np.sin(shank), -np.cos(shank)])
            foot = shank + own[2]
            ball = ankle + np.array([[np.cos(foot), -np.sin(foot)], [np.sin(foot), np.cos(foot)]]) @ [0.165, -0.045]
            axes.plot(*zip(hip, knee, ankle, ball), color=colour, linewidth=1.6)
    axes.axhline(0.0, color=picture.INK, linewidth=0.8)
    axes.set_aspect("equal")
    picture.plain(axes, "x [m]", "z [m]", f"Simulated on ellipsoids, every 0.1 s; {cycle.speed:.2f} m/s")


def _draw_steps(axes: Any, walks: dict[str, Walk]) -> None:
    for kind, walk in walks.items():
        time = walk.motion.time
        every = max(1, round(EVERY / float(time[1] - time[0])))
        count = np.maximum(np.diff(walk.steps[::every]), 1)
        edges = time[::every]
        axes.stairs(1e3 * np.diff(edges) / count, edges, color=COLOURS[kind], linewidth=1.2, label=kind, baseline=None)
        axes.axhline(1e3 * time[-1] / walk.steps[-1], color=COLOURS[kind], linestyle=":")
    axes.legend(frameon=False, fontsize=8)
    picture.plain(axes, "t [s]", "mean step in 20 ms [ms]", "Steps of the integrator")


def _draw_excitations(figure: Any, axes: Any, leg: Excitations) -> None:
    edges = np.concatenate([leg.time, [2.0 * leg.time[-1] - leg.time[-2]]]) - 0.5 * (leg.time[1] - leg.time[0])
    drawn = axes.pcolormesh(edges, np.arange(len(MUSCLES) + 1), leg.excitation.T, vmin=0.0, vmax=1.0, cmap="Greys")
    axes.set_yticks(np.arange(len(MUSCLES)) + 0.5, [m.name for m in MUSCLES], fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel="t [s]")
    axes.set_title("Excitations, right leg", loc="left", weight="bold", color=picture.INK)
    figure.colorbar(drawn, ax=axes)


def page(motion: Trajectory, title: str) -> str:
    """An animated page of a walk, with limbs for the eye."""
    from ...viz.player import motion_page

    pieces, colors = [], {}
    for name, own in zip(motion.names, motion.pieces):
        side, _, part = name.rpartition("/")[2].rpartition(" ")
        width, length, middle = LIMBS.get(part, (0.0, 0.0, 0.0))
        if name.startswith("person/") and width:
            size = length * HEIGHT
            limb = Piece(Ellipsoid([width, width, 0.52 * size]), np.eye(3), np.array([0.0, 0.0, middle * size]))
            own = (*own, limb)
        if name.startswith("person/") and own:
            colors[name.removeprefix("person/")] = TINTS.get(side, TINTS[""])
        pieces.append(own)
    return motion_page(_visible(replace(motion, pieces=pieces)), title=title, colors=colors)


def _visible(motion: Trajectory) -> Trajectory:
    """The bodies that have shapes: not the guides of fibres and the first joints of the trunk."""
    keep = [i for i, own in enumerate(motion.pieces) if own]
    number = np.full(len(motion.names), -1)
    number[keep] = np.arange(len(keep))
    arrays = {
        name: getattr(motion, name)[:, keep]
        for name in ("position", "quaternion", "centre_of_mass", "velocity", "angular_velocity")
    }
    c = motion.contacts
    contacts = replace(c, body_a=number[c.body_a], body_b=number[c.body_b])
    names, pieces = tuple(motion.names[i].removeprefix("person/") for i in keep), [motion.pieces[i] for i in keep]
    rest: Any = {"impacts": no_impacts(), "masses": None, "joints": None, "rods": ()}
    return replace(motion, names=names, pieces=pieces, contacts=contacts, **arrays, **rest)
