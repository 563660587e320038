"""Bodies that come and go during a run: pouring from a region, removal at an outlet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..io.spelling import Spelled


@dataclass(frozen=True, eq=False)
class Pour(Spelled):
    """The bodies of a group appear in a region one after the other, at random places where they overlap nothing.

    Parameters
    ----------
    group : str
        Name of a group without poses, ``Group(name, shape, None, ...)``; its velocities are those at the start.
    low, high : (3,) array_like
        Corners of the region; the bodies lie inside it [m].
    rate : float
        Bodies per second.  Less appear while the region is full.
    start : float
        Time from which bodies are poured [s]; the first one comes when 1 / `rate` has passed.
    seed : int
        Of the random places and orientations.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> from tangency.dynamics import Body, Group, Interaction, Pour, World, simulate
    >>> grains = Group("grains", tg.Sphere(np.full(20, 0.02)), None, density=2500, velocity=[0, 0, -1])
    >>> world = World(
    ...     [Body("ground", tg.HalfSpace([0, 0, 1])), grains],
    ...     interaction=Interaction(tg.forces.KelvinVoigt(stiffness=1e4, damping=5.0)),
    ...     pours=[Pour("grains", [-0.1, -0.1, 0.4], [0.1, 0.1, 0.5], rate=200)],
    ... )
    >>> run = simulate(world, 0.1, "fast", step=1e-4, output_interval=0.05)
    >>> [int(run.present(frame)[1:].sum()) for frame in range(3)]
    [0, 10, 20]
    """

    group: str
    low: ArrayLike
    high: ArrayLike
    rate: float
    start: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not isinstance(self.group, str) or not self.group:
            raise TypeError(f"group must be the name of a group, got {self.group!r}")
        corners = as_box(self.low, self.high)
        if not np.isfinite(corners).all():
            raise ValueError(f"low and high must be finite, got {validate.short(corners)}")
        put(self, "low", corners[0])
        put(self, "high", corners[1])
        rate = validate.positive(validate.array(self.rate, "rate"), "rate")
        start = validate.array(self.start, "start")
        if rate.shape or start.shape or not start >= 0.0:
            raise ValueError(f"rate and start must be single numbers, start >= 0, got {self.rate!r} and {self.start!r}")
        put(self, "rate", float(rate))
        put(self, "start", float(start))
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed must be a whole number >= 0, got {self.seed!r}")


@dataclass(frozen=True, eq=False)
class Outlet(Spelled):
    """A region in which bodies are removed when their centre of mass is inside.

    Parameters
    ----------
    low, high : (3,) array_like
        Corners of the region [m]; infinite numbers leave it open on a side.  Bodies are looked for every twenty steps,
        so it must be thicker than the way that a body travels in these; else the run warns.
        In a periodic box the images in the box are looked for, and finite corners must lie inside the box.

    Examples
    --------
    >>> from tangency.dynamics import Outlet
    >>> below = Outlet([-float("inf")] * 3, [float("inf"), float("inf"), -0.5])
    """

    low: ArrayLike
    high: ArrayLike

    def __post_init__(self) -> None:
        low, high = as_box(self.low, self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)


def as_box(low: ArrayLike, high: ArrayLike) -> np.ndarray:
    """Two corners (2, 3), which may be infinite."""
    try:
        corners = np.array([low, high], float)
    except (TypeError, ValueError):
        corners = np.zeros(0)
    if corners.shape != (2, 3) or np.isnan(corners).any() or not (corners[0] < corners[1]).all():
        raise ValueError(f"low and high must be 3 numbers each, low < high, got {low!r} and {high!r}")
    return corners
