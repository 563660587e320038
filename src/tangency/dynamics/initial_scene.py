"""Warnings from the initial scene: units other than metres, bodies too wide for their cavity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..shapes import Cavity, Cone
from ..shapes.bounds import half_lengths
from ..shapes.walls import WALLS

if TYPE_CHECKING:
    from .assembly import Assembly

MAX_RADIUS = 5.0  # radius of the smallest free body [m], with gravity
LIGHTEST = 10.0  # density [kg/m^3], with gravity: less than that of foam
MAX_GRAVITY = 1000.0  # gravity [m/s^2]
MAX_EXCESS_WIDTH = 1e-9  # relative amount by which a body may be wider than a cavity
DIRECTIONS = 200  # in which the width of a body is evaluated


def scene_warnings(assembly: Assembly) -> list[str]:
    """Warnings from the initial scene: units other than metres, bodies too wide for their cavity."""
    return _unit_warnings(assembly) + misfits(assembly)


def _unit_warnings(assembly: Assembly) -> list[str]:
    """Warnings about numbers that suggest units other than metres, kilograms and seconds."""
    gravity = float(np.linalg.norm(assembly.gravity))
    sizes = assembly.reach[assembly.free & (assembly.reach > 0.0)]
    if gravity > MAX_GRAVITY:
        return [f"gravity is {gravity:.4g} m/s^2: lengths are expected in metres, are they in millimetres?"]
    if gravity > 1.0 and len(sizes) and sizes.min() > MAX_RADIUS:
        return [
            f"the smallest free body has a radius of {sizes.min():.4g} m, under a gravity of {gravity:.4g} m/s^2: "
            "lengths are expected in metres, are they in millimetres?"
        ]
    for body in assembly.world.bodies:
        if gravity > 1.0 and body.free and body.density is not None and body.density < LIGHTEST:
            return [
                f"{body.name!r} has a density of {float(body.density):.4g} kg/m^3, under a gravity of {gravity:.4g} "
                "m/s^2: is it in g/cm^3? (Steel has 7800 kg/m^3.)"
            ]
    return []


def misfits(assembly: Assembly) -> list[str]:
    """Sentences about bodies that do not fit into a cavity: their contact jumps from one side to the other."""
    found, bodies = [], assembly.world.bodies
    cavities = {k: [p.shape for p in body.pieces if isinstance(p.shape, Cavity)] for k, body in enumerate(bodies)}
    first = np.cumsum([0, *(len(body.names) for body in bodies)])
    for i, j in ((i, j) for i in cavities if cavities[i] for j in range(len(bodies)) if i != j):
        solids = [_widest(p.shape) for p in bodies[j].pieces if not isinstance(p.shape, WALLS)]
        if assembly.law_table.between(first[i], first[j]) < 0:
            continue
        if any(_too_wide(solid, cavity) for cavity in cavities[i] for solid in solids):
            found.append(
                f"{bodies[j].name!r} is wider than the cavity of {bodies[i].name!r} and does not fit into it: only its "
                "deepest point is pushed, which jumps from one side to the other; use a wider cavity"
            )
    return found


def _widest(shape: Any) -> Any:
    """The shape of a stack whose smallest width is the largest."""
    return shape[int(half_lengths(shape.bounds).min(axis=1).argmax())] if shape.batch_shape else shape


def _too_wide(body: Any, cavity: Any) -> bool:
    """Whether a body does not fit into a cavity in any pose: its smallest width or its length is larger."""
    hollow = cavity.hollow
    inner, outer = half_lengths(body.bounds)[0], half_lengths(hollow.bounds)[0]  # half widths along their own axes
    if not cavity.ends:
        if isinstance(hollow, Cone):
            return False  # it widens without end
        outer = outer[:2]  # across the axis of the tube
    elif inner.max() > (1.0 + MAX_EXCESS_WIDTH) * float(hollow.bounding_radius):
        return True
    if not inner.min() > (1.0 + MAX_EXCESS_WIDTH) * outer.min():
        return False
    # A body can be narrower in oblique directions than along its axes.
    n = np.random.default_rng(0).normal(size=(DIRECTIONS, 3))
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    return bool((body.support(n) + body.support(-n)).min() > 2.0 * (1.0 + MAX_EXCESS_WIDTH) * outer.min())
