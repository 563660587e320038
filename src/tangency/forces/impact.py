"""Free impact of a mass with one contact under a normal law, integrated with SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ..geometry.curvature import CurvatureLike
    from .normal_base import NormalLaw


class FreeImpact(NamedTuple):
    """Result of a free impact."""

    restitution: float  #: speed after over speed before
    duration: float  #: [s]
    deepest: float  #: [m]


def free_impact(law: NormalLaw, mass: float, speed: float, curvature: CurvatureLike = (1.0, 1.0)) -> FreeImpact:
    """Solve m x'' = -F(x, x') from contact to its end.

    The impact ends when the depth vanishes, or after a long time if the force vanishes while the body is still inside.
    """
    from scipy.integrate import solve_ivp

    def motion(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -float(law.force(y[0], y[1], speed, curvature)) / mass]

    def ends(_: float, y: np.ndarray) -> float:
        return float(y[0])

    ends.terminal, ends.direction = True, -1.0  # type: ignore[attr-defined]
    deep = depth_storing(law, 0.5 * mass * speed * speed, curvature)
    start = 1e-9 * deep
    run = solve_ivp(
        motion,
        (0.0, 1e4 * deep / speed),
        [start, speed],
        "LSODA",
        rtol=1e-9,
        atol=[1e-11 * deep, 1e-10 * speed],
        events=ends,
    )
    if not run.success:
        raise RuntimeError(f"the free impact could not be integrated: {run.message}")
    return FreeImpact(float(-run.y[1, -1] / speed), float(run.t[-1] + start / speed), float(run.y[0].max()))


def depth_storing(law: NormalLaw, energy: float, curvature: CurvatureLike = (1.0, 1.0)) -> float:
    """Depth at which the elastic part of a law stores the given energy [m]."""
    return _depth(lambda depth: law.elastic_energy(depth, curvature), energy, "stores the energy", "J")


def depth_under(law: NormalLaw, force: float, curvature: CurvatureLike = (1.0, 1.0)) -> float:
    """Depth at which a law carries the given force at rest [m]."""
    return _depth(lambda depth: law.force(depth, 0.0, 1.0, curvature), force, "carries the force", "N")


def _depth(function: Callable[[Any], np.ndarray], goal: float, does: str, unit: str) -> float:
    """Smallest depth on a grid at which the function reaches the goal, then refined."""
    from scipy.optimize import brentq

    depths = np.geomspace(1e-18, 1e6, 241)
    reached = np.flatnonzero(function(depths) >= goal)
    at = int(reached[0]) if len(reached) else 0
    if at == 0:
        raise ValueError(f"no depth between 1e-18 and 1e6 m {does} of {goal:.3g} {unit}")
    low, high = depths[at - 1 : at + 1]
    return float(brentq(lambda depth: float(function(depth)) - goal, low, high, rtol=1e-12, xtol=1e-30))
