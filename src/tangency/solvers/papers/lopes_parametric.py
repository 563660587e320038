"""Lopes' method in surface parameters: four equations for two angles of each surface (Lopes 2010, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...compiled.jit import entry
from ...contacts.status import TRACE
from ...implicit.newton import BROKEN
from ...implicit.parametric import STATE, enter, parametric_normal
from ..buffers import at
from ..certified.pair import JETS, make_pair
from ..method import Method
from ..question import Buffers, Pick, Question, Side
from ..scales import scales
from .lopes_implicit import check_start
from .points import claim, first_points, implicit_address, surfaces, to_world


@dataclass(frozen=True)
class LopesParametric(Method):
    """Newton's method for two angles of each surface (Lopes 2010, Eqs. 3, 6a, 6b).

    For shapes with an implicit function whose box has its centre inside the body.  The angles are those of rays from
    that centre (angle-centre parameterization); near a pole the polar axis is changed.

    Parameters
    ----------
    start : str
        As for :class:`LopesImplicit`; the rays through the points start the iteration.
    max_iterations : int

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

    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], Any]:
        addresses = implicit_address(a, "a", self.name), implicit_address(b, "b", self.name)
        bodies = a.body(), b.body()
        options = (self.start == "midpoint", self.max_iterations)
        asked = (question.guess, question.tol, order)
        return lambda start, stop: lopes_parametric(*bodies, *addresses, *options, *asked, start, stop, *out)


@entry
def lopes_parametric(a, b, fa, fb, midpoint, most, guess, tol, order, start, stop, values, codes, trace):
    """Contacts of the pairs order[start..stop]; bodies as in `certified`, fa and fb their implicit functions."""
    jets, q, state = np.empty(JETS), np.empty(6), np.empty((2, STATE))
    m, x, nowhere = np.empty((12, 7)), np.empty(6), np.empty((0, TRACE))
    for position in range(start, stop):
        k = at(order, position)
        pair, turn, home = make_pair(a, b, k)
        surface_a, surface_b = surfaces(a, b, fa, fb, k)
        box_a, box_b = a[2][at(a[3], k)], b[2][at(b[3], k)]
        size, rounding, tolerance = scales(box_a, box_b, pair[9], tol)
        short = max(tolerance, rounding)
        n = first_points(pair, box_a, box_b, guess[0][at(guess[1], k)], turn, midpoint, jets, q)
        c_a, c_b = (box_a[3], box_a[4], box_a[5]), (box_b[3], box_b[4], box_b[5])
        inside = enter(surface_a, state, 0, c_a, (q[0], q[1], q[2]), jets)
        inside = enter(surface_b, state, 1, c_b, (q[3], q[4], q[5]), jets) and inside
        steps = trace[k] if trace.shape[0] > 0 else nowhere
        end, iterations, evaluations = BROKEN, 0, 0
        if inside:
            end, iterations, evaluations = parametric_normal(
                surface_a, surface_b, pair[8], pair[9], state, q, short, size, most, jets, m, x, steps
            )
        to_world(steps, iterations, turn, home)
        claim(pair, turn, home, n, jets, q, end, values, codes, k, iterations, evaluations + 2)
