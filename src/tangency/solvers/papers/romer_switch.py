"""Römer 3-D, Algorithm IV: Algorithm III until two successive normals are nearly equal, then Algorithm II."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ...kernels.vectors import dot
from .romer_fixed_point import USED, centres_of_curvature, last_normal
from .romer_newton import InCoordinates, common_normal

SWITCHED = USED  # index in the memory, after the numbers of Algorithm III


@dataclass(frozen=True)
class RomerFour(InCoordinates):
    """Römer 3-D, Algorithm IV: Algorithm III first, Algorithm II near the solution.

    Parameters
    ----------
    max_iterations : int
        Maximum number of iterations per pair.
    coordinates : {"spherical", "tangent"}
        Coordinates of the Newton steps: the paper's angles with their poles, or a step on the tangent plane.
    switch : float
        Algorithm II is used once the scalar product of two successive normals exceeds this value; from -1 to 1.

    Examples
    --------
    >>> import tangency as tg
    >>> method = tg.solvers.RomerFour(coordinates="tangent", switch=0.999)
    >>> c = tg.contact(tg.Ellipsoid([1, 2, 3]), tg.Sphere(1.0), pose_b=(None, [3, 3, 3]), solver=method)
    >>> bool(c.converged)
    True
    """

    switch: float = 0.99
    name: ClassVar[str] = "romer-4"

    class Kernel(NamedTuple):
        max_iterations: int
        spherical: bool
        switch: float

        def step(self, pair, n, f, w, jets, state):
            if dot(n, last_normal(state)) > self.switch:
                state[SWITCHED] = 1.0
            if state[SWITCHED] > 0.5:
                return common_normal(pair, n, f, w, jets, self.spherical)
            return centres_of_curvature(n, w, state), 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.switch, bool) or not isinstance(self.switch, int | float) or not abs(self.switch) <= 1.0:
            raise ValueError(f"switch must be a number from -1 to 1, as scalar products are, got {self.switch!r}")

    @property
    def kernel(self) -> Any:
        return self.Kernel(self.max_iterations, self.coordinates == "spherical", float(self.switch))
