"""Lopes' method in surface parameters: four equations for two angles of each surface (Lopes 2010, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...compiled.jit import entry
from ...implicit.newton import BROKEN, Stop, SurfacePair, Work, point_on_a, point_on_b
from ...implicit.parametric import STATE, enter, parametric_normal
from ...kernels.poses import at
from ...kernels.trace import TRACE, to_world
from ..certified.pair import JETS, place
from ..method import Method
from ..question import Side
from ..tables import Buffers, Part, Pick, Question, vector_at, write, write_iterations
from ..tolerances import scales
from .lopes_implicit import check_start
from .points import claim, first_points, implicit_address, surfaces


@dataclass(frozen=True)
class LopesParametric(Method):
    """Newton's method for two angles of each surface (Lopes 2010, Eqs. 3, 6a, 6b).

    For shapes with an implicit function whose bounding box has its centre inside the body.  The angles are those of
    rays from that centre (angle-centre parameterization); near a pole the polar axis is changed.

    Parameters
    ----------
    start : str
        As for :class:`LopesImplicit`; the iteration starts with the rays through these points.
    max_iterations : int
        Maximum number of iterations.

    Examples
    --------
    >>> import tangency as tg
    >>> a, b = tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 1, 2])
    >>> c = tg.contact(a, b, pose_b=(None, [5, 1, 0]), solver="lopes-parametric")
    >>> bool(abs(c.distance - tg.contact(a, b, pose_b=(None, [5, 1, 0])).distance) < 1e-11)
    True
    """

    start: str = "centre-line"
    max_iterations: int = 50

    name: ClassVar[str] = "lopes-parametric"

    def __post_init__(self) -> None:
        check_start(self.start, self.max_iterations)

    @property
    def steps(self) -> int:
        return self.max_iterations

    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], None]:
        addresses = implicit_address(a, "a", self.name), implicit_address(b, "b", self.name)
        bodies = a.body(), b.body()
        options = Options(*addresses, self.start == "midpoint", self.max_iterations)
        return lambda start, stop: lopes_parametric(*bodies, options, question, Part(order, start, stop), out)


class Options(NamedTuple):
    """Options of the compiled loop."""

    implicit_a: int  #: addresses of the implicit functions
    implicit_b: int
    midpoint: bool
    max_iterations: int


@entry
def lopes_parametric(a, b, options, question, part, out):
    """Claimed contacts of some pairs."""
    jets, q, state = np.empty(JETS), np.empty(6), np.empty((2, STATE))
    work, nowhere = Work(jets, np.empty((12, 7)), np.empty(6)), np.empty((0, TRACE))
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        placed = place(a, b, k)
        pair = placed.pair
        surface_a, surface_b = surfaces(a, b, options.implicit_a, options.implicit_b, k)
        size, rounding, tolerance = scales(placed.bounds_a, placed.bounds_b, pair.position, question.tol)
        stop = Stop(max(tolerance, rounding), size, options.max_iterations)
        n = first_points(placed, vector_at(question.guess, k), options.midpoint, jets, q)
        inside = enter(surface_a, state, 0, placed.bounds_a.centre, point_on_a(q), jets)
        inside = enter(surface_b, state, 1, placed.bounds_b.centre, point_on_b(q), jets) and inside
        steps = out.trace[k] if out.trace.shape[0] > 0 else nowhere
        end, iterations, evaluations = BROKEN, 0, 0
        if inside:
            both = SurfacePair(surface_a, surface_b, pair.rotation, pair.position)
            end, iterations, evaluations = parametric_normal(both, state, q, stop, work, steps)
        to_world(steps, iterations, placed.turn, placed.home)
        write(out.values, out.codes, k, claim(placed, n, jets, q, end, evaluations + 2))
        write_iterations(out, k, iterations)
