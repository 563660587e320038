"""Lopes' method: six equations for two points with a common normal, on implicit surfaces (Lopes 2010, section 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...compiled.jit import entry, jit
from ...implicit.newton import (
    CONVERGED,
    HOUSEHOLDER,
    PLATE,
    Stop,
    SurfacePair,
    Work,
    common_normal,
    evaluate_both,
    gradient_of,
    point_on_a,
    point_on_b,
    set_points,
)
from ...kernels.jet import JET
from ...kernels.poses import at
from ...kernels.trace import TRACE, to_world
from ...kernels.vectors import add, dot, mat_mul, norm, scale, sub
from ..certified.pair import JETS, place
from ..method import Method
from ..question import Side
from ..tables import Buffers, Part, Pick, Question, vector_at, write, write_iterations
from ..tolerances import scales
from .points import claim, first_points, implicit_address, opposed, surfaces

TANGENTS = {"householder": HOUSEHOLDER, "auxiliary": PLATE}
STARTS = ("centre-line", "midpoint")
MIRRORED = 1e-6  # relative residual up to which a mirrored point counts as lying on the surface


@dataclass(frozen=True)
class LopesImplicit(Method):
    """Newton's method for the six coordinates of two points with a common normal (Lopes 2010, Eqs. 8-24).

    For shapes with an implicit function.  It converges quadratically from a good start; from others it may converge to
    any stationary pair of points or diverge.  If its equations are singular, the shortest step is made
    (pseudo-inverse).

    Parameters
    ----------
    tangents : str
        ``"householder"`` (Eqs. 15-17) or ``"auxiliary"`` vector (square plate, Eqs. 18-20).
    candidates : bool
        Whether the points mirrored at the centres of the bodies are tried as well (Eqs. 21-24): of the pairs with
        opposite outward normals, the one with the largest signed distance is iterated again.
    start : str
        If there is no guess: ``"centre-line"``, the boundary points whose normals are along the line of centres, or
        ``"midpoint"``, the midpoint between the centres for both points, as in the paper.
    max_iterations : int
        Maximum number of iterations of each of the one or two runs.

    Examples
    --------
    >>> import tangency as tg
    >>> a, b = tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 1, 2])
    >>> c = tg.contact(a, b, pose_b=(None, [5, 1, 0]), solver="lopes-implicit")
    >>> bool(abs(c.distance - tg.contact(a, b, pose_b=(None, [5, 1, 0])).distance) < 1e-11), int(c.iterations) < 10
    (True, True)
    """

    tangents: str = "householder"
    candidates: bool = True
    start: str = "centre-line"
    max_iterations: int = 50

    name: ClassVar[str] = "lopes-implicit"

    def __post_init__(self) -> None:
        if not isinstance(self.tangents, str) or self.tangents not in TANGENTS:
            raise ValueError(f"tangents must be one of {', '.join(TANGENTS)}, got {self.tangents!r}")
        if not isinstance(self.candidates, bool):
            raise TypeError(f"candidates must be True or False, got {self.candidates!r}")
        check_start(self.start, self.max_iterations)

    @property
    def steps(self) -> int:
        return 2 * self.max_iterations

    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], None]:
        addresses = implicit_address(a, "a", self.name), implicit_address(b, "b", self.name)
        bodies = a.body(), b.body()
        options = Options(
            *addresses, TANGENTS[self.tangents], self.candidates, self.start == "midpoint", self.max_iterations
        )
        return lambda start, stop: lopes_implicit(*bodies, options, question, Part(order, start, stop), out)


class Options(NamedTuple):
    """Options of the compiled loop."""

    implicit_a: int  #: addresses of the implicit functions
    implicit_b: int
    tangents: int
    candidates: bool
    midpoint: bool
    max_iterations: int


def check_start(start: str, max_iterations: int) -> None:
    """Reject invalid options."""
    if start not in STARTS:
        raise ValueError(f"start must be one of {', '.join(STARTS)}, got {start!r}")
    if type(max_iterations) is not int or not 1 <= max_iterations <= 1_000_000:
        raise ValueError(f"max_iterations must be a whole number between 1 and 1000000, got {max_iterations!r}")


@jit
def mirrored(surfaces, placed, jets, q, other, mirror):
    """The four-candidate check (Lopes 2010, Eqs. 21-24): whether another pair of points is better than that in q.

    If a body is symmetric about its centre, the point mirrored at the centre has the opposite normal.  Two of the
    four pairs have opposite outward normals; the contact is the one with the largest signed distance along its own
    normal.  (Eq. (24) takes the smallest distance along the normal of the point found, which is right only if that
    point faces the other body.)  The better pair is written to q.
    """
    rotation, r = surfaces.rotation, surfaces.position
    centre_a, centre_b = placed.bounds_a.centre, placed.bounds_b.centre
    p, s = point_on_a(q), point_on_b(q)
    set_points(mirror, sub(scale(centre_a, 2.0), p), sub(scale(centre_b, 2.0), s))
    evaluate_both(surfaces.a, surfaces.b, mirror, other)
    best, chosen, found = -np.inf, 0, -np.inf
    for m in range(4):
        flip_a, flip_b = m & 1, m >> 1
        possible = True
        for side in range(2):
            if (flip_a if side == 0 else flip_b) == 0:
                continue
            j, half = side * JET, placed.bounds_a.half if side == 0 else placed.bounds_b.half
            g, h = gradient_of(jets, j), gradient_of(other, j)
            slope, defect = 0.0, 0.0
            for i in range(3):
                slope += g[i] ** 2
                defect += (g[i] + h[i]) ** 2
            if defect > MIRRORED**2 * slope or abs(other[j]) > MIRRORED * norm(half) * slope**0.5:
                possible = False
        if not possible:
            continue
        u, x = (other, mirror) if flip_a else (jets, q)
        v, y = (other, mirror) if flip_b else (jets, q)
        g, h = gradient_of(u, 0), mat_mul(rotation, gradient_of(v, JET))
        if not dot(g, h) < 0.0:
            continue
        there = add(r, mat_mul(rotation, point_on_b(y)))
        distance = dot(g, sub(there, point_on_a(x))) / norm(g)
        if m == 0:
            found = distance
        if distance > best:
            best, chosen = distance, m
    if chosen == 0 or best <= found:
        return False
    set_points(q, point_on_a(mirror) if chosen & 1 else p, point_on_b(mirror) if chosen >> 1 else s)
    return True


@entry
def lopes_implicit(a, b, options, question, part, out):
    """Claimed contacts of some pairs."""
    jets, other, q, mirror, before = np.empty(JETS), np.empty(JETS), np.empty(6), np.empty(6), np.empty(6)
    work, nowhere = Work(jets, np.empty((12, 7)), np.empty(6)), np.empty((0, TRACE))
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        placed = place(a, b, k)
        pair = placed.pair
        formula_a, formula_b = surfaces(a, b, options.implicit_a, options.implicit_b, k)
        both = SurfacePair(formula_a, formula_b, pair.rotation, pair.position)
        size, rounding, tolerance = scales(placed.bounds_a, placed.bounds_b, pair.position, question.tol)
        stop = Stop(max(tolerance, rounding), size, options.max_iterations)
        n = first_points(placed, vector_at(question.guess, k), options.midpoint, jets, q)
        steps = out.trace[k] if out.trace.shape[0] > 0 else nowhere
        end, iterations, _ = common_normal(both, q, options.tangents, stop, work, steps)
        evaluations = 2 + iterations
        if options.candidates and end == CONVERGED:
            evaluations += 1
            before[:] = q
            if mirrored(both, placed, jets, q, other, mirror):
                end, more, _ = common_normal(both, q, options.tangents, stop, work, steps[iterations:])
                iterations, evaluations = iterations + more, evaluations + 1 + more
                if end != CONVERGED or not opposed(pair, jets):  # return to the first common normal
                    q[:] = before
                    evaluate_both(both.a, both.b, q, jets)
                    end = CONVERGED
        to_world(steps, iterations, placed.turn, placed.home)
        write(out.values, out.codes, k, claim(placed, n, jets, q, end, evaluations))
        write_iterations(out, k, iterations)
