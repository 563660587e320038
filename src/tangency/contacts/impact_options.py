"""Checks of the arguments of a search for first contacts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import plain_rows
from ..geometry.pose import ROW
from ..io import validate
from ..motions import Motion
from ..motions.steady import at_rest
from ..shapes.cavity import Cavity
from ..solvers.question import pick
from ..solvers.tables import Rows
from .impact_search import Moving, Search
from .options import check_options

NO_POSES = np.zeros((0, ROW))
MOST_EVALUATIONS, IN_CAVITIES = 10_000, 1_000_000  # after which a search gives up


class Options(NamedTuple):
    """Checked arguments of a search."""

    motion: Motion
    begin: np.ndarray
    end: np.ndarray
    tol: float
    budget: int | None  #: None for the default
    threads: int | None

    def search(self, sides: list[Moving], batch: tuple[int, ...], pairs: np.ndarray) -> Search:
        """A search for the first contacts of some of all pairs."""
        times = [Rows(plain_rows(given, (-1, 1)), pick(given.shape, batch)) for given in (self.begin, self.end)]
        for moving in sides:
            moving.motion.require(self.begin, self.end, "t0 and t1")
        hollow = any(issubclass(moving.side.kind, Cavity) for moving in sides)
        budget = self.budget or (IN_CAVITIES if hollow else MOST_EVALUATIONS)
        return Search(sides[0], sides[1], times[0], times[1], self.tol, budget, self.threads, pairs)


def checked(
    motion: Any, name: str, t0: ArrayLike, t1: ArrayLike, tol: float, max_evaluations: Any, threads: Any
) -> Options:
    """The arguments of a search, checked; the motion has this name."""
    tolerance, workers = check_options(tol, threads)
    moving = as_motion(motion, name)
    begin, end = validate.array(t0, "t0"), validate.array(t1, "t1")
    validate.broadcast({"t0": begin.shape, "t1": end.shape})
    if not (begin <= end).all():
        raise ValueError(f"t1 must not be smaller than t0, got {validate.short(begin)} to {validate.short(end)}")
    budget = max_evaluations
    if budget is not None:
        if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or budget < 1:
            raise ValueError(f"max_evaluations must be a whole number >= 1, or None for the default, got {budget!r}")
        budget = int(budget)
    return Options(moving, begin, end, tolerance, budget, workers)


def as_motion(motion: Any, name: str) -> Motion:
    """A motion; a pose is a body at rest."""
    if isinstance(motion, Motion):
        return motion
    if callable(motion) and not hasattr(motion, "as_matrix"):
        raise TypeError(
            f"{name} must be a motion or a pose, got a function: its speed must be bounded, as in "
            "tg.BoundedMotion(function, speed, angular_speed)"
        )
    return at_rest(motion, name)
