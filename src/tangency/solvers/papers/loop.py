"""The loop shared by all methods that iterate on the normal: start, step, stop, trace, claim.

A method has a ``Kernel``, a NamedTuple of its options with a method
``step(self, pair, n, f, w, jets, state) -> (next n, evaluations)``.  From the unit vector n, with F(n), w(n)
and the jets of both bodies there, it computes the next unit vector, which contains NaN if its equations are
singular.  `state` is memory kept between steps, zero at the start of each pair; `evaluations` is the number of
evaluations made by the step itself.  Everything is in the frame of A and refers to the bodies, not their cores.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba.extending import overload

from ...compiled.arrivals import admit, defined_here
from ...compiled.builtin import is_builtin
from ...compiled.captured import captured_by
from ...compiled.jit import LEAN, entry, jit, unique_name
from ...contacts.status import CLAIMED, Status
from ...kernels.poses import at
from ...kernels.trace import write_step
from ...kernels.vectors import add, axpy, dot, mat_mul, mat_t_mul, norm, scale, unit
from ..certified.pair import JETS, between_centres, evaluate, place, whole
from ..method import Method
from ..question import Side
from ..tables import Answer, Buffers, Part, Pick, Question, number_at, vector_at, write, write_iterations
from ..tolerances import scales

MAX_ITERATIONS = 1_000_000
MEMORY = 8  # size of the memory kept between steps
_BEYOND, _FAILED = int(Status.BEYOND), int(Status.NOT_CONVERGED)
_NAN, _BROKEN = int(Status.NOT_A_NUMBER), int(Status.BROKE_DOWN)


@dataclass(frozen=True)
class NormalIteration(Method):
    """A method that iterates on the normal."""

    max_iterations: int = 1000  #: maximum number of iterations per pair; the default is the paper's limit

    Kernel: ClassVar[type]  #: options and step, compiled
    _builtin: ClassVar[bool]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "Kernel" in cls.__dict__:
            cls._builtin = is_builtin(cls, "tangency.solvers.")
            unique_name(cls.Kernel, cls._builtin)
            defined_here(cls.Kernel)

    def __post_init__(self) -> None:
        most = self.max_iterations
        if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MAX_ITERATIONS:
            raise ValueError(f"max_iterations must be a whole number between 1 and {MAX_ITERATIONS}, got {most!r}")

    @property
    def steps(self) -> int:
        return self.max_iterations

    @property
    def kernel(self) -> Any:
        """The compiled options."""
        return self.Kernel(self.max_iterations)

    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], None]:
        admit(type(self))
        kernel, bodies = self.kernel, (a.body(), b.body())
        iterate: Any = _cached if self._builtin else _local
        if not self._builtin and (change := captured_by(type(self)).change()):
            raise RuntimeError(change)
        return lambda start, stop: iterate(kernel, *bodies, question, Part(order, start, stop), out)


def step(kernel, pair, n, f, w, jets, state):
    """Step of a method; compiled code resolves it statically from the type of the kernel."""
    return kernel.step(pair, n, f, w, jets, state)


@overload(step, jit_options=LEAN, strict=False)
def _step(kernel, pair, n, f, w, jets, state):
    return kernel.instance_class.step


@jit
def centre_line(placed):
    """Initial normal of study A: from the centre of A's bounding box to that of B's; x if they coincide."""
    c = between_centres(placed)
    length = norm(c)
    return scale(c, 1.0 / length) if length > 0.0 else (1.0, 0.0, 0.0)


def _iterate(kernel, a, b, question, part, out):
    """Claimed common normals of some pairs.

    Stops when Römer 3-D, Eq. (90), holds with the tolerance in place of sqrt(eps), after at least one
    iteration; both points share the remaining part of w across the normal equally.
    """
    jets, state = np.empty(JETS), np.empty(MEMORY)
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        placed = place(a, b, k)
        pair, turn, home = whole(placed.pair), placed.turn, placed.home
        _, rounding, tolerance = scales(placed.bounds_a, placed.bounds_b, pair.position, question.tol)
        tolerance = max(tolerance, rounding)
        limit = number_at(question.limits, k) + rounding
        n = mat_t_mul(turn, vector_at(question.guess, k))
        n = unit(n) if norm(n) > 0.5 else centre_line(placed)
        state[:] = 0.0
        f, w, x = evaluate(pair, n, jets)
        status, iterations, evaluations = _FAILED, 0, 1
        if not math.isfinite(f + norm(w)):
            status, f, w, x = _NAN, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        while status == _FAILED and iterations < kernel.max_iterations:
            following, used = step(kernel, pair, n, f, w, jets, state)
            evaluations += used
            if not abs(norm(following) - 1.0) < 1e-6:
                status = _BROKEN
                break
            next_f, next_w, next_x = evaluate(pair, following, jets)
            evaluations += 1
            if not math.isfinite(next_f + norm(next_w)):
                status = _NAN
                break
            n, f, w, x = following, next_f, next_w, next_x
            # Römer 3-D, Eq. (90), without its cancellation: |w| - |F| = |g|^2 / (|w| + |F|).
            residual = norm(axpy(w, -f, n))
            length = norm(w) + abs(f)
            if out.trace.size:
                note(out.trace[k, iterations], placed, n, x, w, f, residual)
            iterations += 1
            if length <= tolerance or residual * residual <= tolerance * length:
                status = CLAIMED
            elif f > limit:
                status = _BEYOND
        foot = add(mat_mul(turn, axpy(x, 0.5, axpy(w, -f, n))), home)
        write(out.values, out.codes, k, Answer(f, f, f, unit(mat_mul(turn, n)), foot, status, evaluations))
        write_iterations(out, k, iterations)


_cached, _local = entry(_iterate), jit(_iterate)


@jit
def note(row, placed, n, x, w, f, residual):
    """Write a row of a trace, in the world frame."""
    turn, home = placed.turn, placed.home
    n_world, x_a, x_b = unit(mat_mul(turn, n)), add(mat_mul(turn, x), home), add(mat_mul(turn, add(x, w)), home)
    write_step(row, n_world, x_a, x_b, f, residual)


@jit
def direction(w, n):
    """Unit vector along w; n if w vanishes, because the bodies then touch along n."""
    length = norm(w)
    return scale(w, 1.0 / length) if length > 0.0 else n


@jit
def tangential(w, n):
    """Part of w across the unit vector n."""
    return axpy(w, -dot(w, n), n)
