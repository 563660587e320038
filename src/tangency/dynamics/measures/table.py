"""Measures of all frames by name, as columns of numbers: for ``tangency simulate --measure``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...io.spelling import suggestion
from ..trajectory import Trajectory
from .coordination import coordination
from .energy import kinetic_energy
from .flow import flow_at
from .network import fabric, stress
from .orientation import orientation
from .packing import packing
from .repose import TooFewColumns, angle_of_repose

_PARTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def _packing(run: Trajectory, frame: int, region: Any, bodies: Any) -> dict[str, float]:
    return {"packing": packing(run, region, frame=frame, bodies=bodies)}


def _coordination(run: Trajectory, frame: int, region: Any, bodies: Any) -> dict[str, float]:
    found = coordination(run, frame=frame, bodies=bodies)
    named = {"coordination": found.mean, "coordination_mechanical": found.mechanical, "rattlers": found.rattlers}
    return {name: float(value) for name, value in named.items()}


def _orientation(run: Trajectory, frame: int, region: Any, bodies: Any) -> dict[str, float]:
    found = orientation(run, frame=frame, bodies=bodies)
    return {"order": found.order, **{f"director_{axis}": float(v) for axis, v in zip("xyz", found.director)}}


def _stress(run: Trajectory, frame: int, region: Any, bodies: Any) -> dict[str, float]:
    found = stress(run, region, frame=frame, bodies=bodies)
    return {"pressure": float(np.trace(found)) / 3.0, **_parts("stress", 0.5 * (found + found.T))}


def _fabric(run: Trajectory, frame: int, region: Any, bodies: Any) -> dict[str, float]:
    return _parts("fabric", fabric(run, frame=frame, bodies=bodies))


def _energy(run: Trajectory, frame: int, region: Any, bodies: Any) -> dict[str, float]:
    found = kinetic_energy(run, frame=frame, bodies=bodies)
    return {f"kinetic_{name}": value for name, value in found._asdict().items()}


def _flow(run: Trajectory, frame: int, region: Any, bodies: Any) -> dict[str, float]:
    count, mass = flow_at(run, frame, bodies)
    return {"flow_bodies": count, "flow_mass": mass}


def _repose(run: Trajectory, frame: int, region: Any, bodies: Any) -> dict[str, float]:
    try:
        return {"repose": angle_of_repose(run, frame=frame, bodies=bodies).angle}
    except TooFewColumns:  # as long as few bodies have been poured
        return {"repose": np.nan}


def _parts(name: str, tensor: np.ndarray) -> dict[str, float]:
    return {f"{name}_{'xyz'[i]}{'xyz'[j]}": float(tensor[i, j]) for i, j in _PARTS}


#: Functions of a trajectory, a frame, a region and a selection of bodies, which return numbers by name.
MEASURES: dict[str, Callable[[Trajectory, int, Any, Any], dict[str, float]]] = {
    "packing": _packing,
    "coordination": _coordination,
    "orientation": _orientation,
    "stress": _stress,
    "fabric": _fabric,
    "energy": _energy,
    "flow": _flow,
    "repose": _repose,
}
_SIX = tuple(f"{'xyz'[i]}{'xyz'[j]}" for i, j in _PARTS)
COLUMNS: dict[str, tuple[str, ...]] = {
    "packing": ("packing",),
    "coordination": ("coordination", "coordination_mechanical", "rattlers"),
    "orientation": ("order", "director_x", "director_y", "director_z"),
    "stress": ("pressure", *(f"stress_{part}" for part in _SIX)),
    "fabric": tuple(f"fabric_{part}" for part in _SIX),
    "energy": ("kinetic_translation", "kinetic_rotation", "kinetic_fluctuation"),
    "flow": ("flow_bodies", "flow_mass"),
    "repose": ("repose",),
}
EMPTY_TOO = ("flow",)  # measured even if no body is left


def known_measures(names: str | Iterable[str]) -> list[str]:
    """The names of measures, from a list or a text with commas."""
    found = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)]
    for name in found:
        if name not in MEASURES:
            raise ValueError(f"measures must be among {', '.join(MEASURES)}, got {name!r}{suggestion(name, MEASURES)}")
    return found


def measured(
    run: Trajectory, names: str | Iterable[str], *, region: Any = None, bodies: Any = None
) -> dict[str, np.ndarray]:
    """Several measures of every frame.

    Parameters
    ----------
    run : Trajectory
    names : str or sequence of str
        Of "packing", "coordination", "orientation", "stress", "fabric", "energy", "flow" and "repose"; as
        text, separated by commas.
    region, bodies : optional
        As in :func:`packing`.

    Returns
    -------
    dict of (F,) arrays
        Columns by name, first ``time`` and ``bodies``, the number of selected bodies.  NaN where no body is selected,
        for instance before any has been poured; "repose" also where they cover too small an area for a slope.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.dynamics import Group, World, measures, simulate
    >>> balls = Group("balls", tg.Sphere(0.1), (None, [[0, 0, 0.1], [0.5, 0, 0.6]]))
    >>> run = simulate(World([balls], gravity=[0, 0, 0], pairs=[]), 1.0, "fast", step=0.1)
    >>> list(measures.measured(run, "coordination"))
    ['time', 'bodies', 'coordination', 'coordination_mechanical', 'rattlers']
    """
    from .selection import selected

    chosen = known_measures(names)
    rows: list[dict[str, float]] = []
    for frame, time in enumerate(run.time):
        row = {"time": float(time), "bodies": 0.0}
        try:
            row["bodies"] = float(selected(run, bodies, frame).sum())
        except ValueError:
            if run.present(frame).all():
                raise
            for name in (name for name in chosen if name in EMPTY_TOO):
                row |= MEASURES[name](run, frame, region, bodies)
            rows.append(row)
            continue
        for name in chosen:
            row |= MEASURES[name](run, frame, region, bodies)
        rows.append(row)
    columns = ["time", "bodies", *(column for name in chosen for column in COLUMNS[name])]
    return {column: np.array([row.get(column, np.nan) for row in rows]) for column in columns}
