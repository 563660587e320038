"""Every step of a solver, recorded by ``trace=True``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..shapes.stack import Index

MAX_TRACED_STEPS = 1 << 25  # largest number of steps in a trace, over all pairs
SHOWN = 10  # steps printed at the start and at the end of a long trace


@dataclass(frozen=True, repr=False)
class Trace:
    """Every step of a solver; the leading axes of each array are those of the query, then the steps.

    Attributes
    ----------
    normal, point_a, point_b : (..., steps, 3) array, in the plane (..., steps, 2)
        Iterates, world frame; the points need not yet lie on one line along the normal.  `steps` is the number
        of steps of the slowest pair.
    distance, residual : (..., steps) array
        Estimate of the distance [m], and residual of the method's own equations.
    count : (...) array of int
        Number of steps of each pair; later rows are zero.
    """

    steps: np.ndarray
    count: np.ndarray

    normal = property(lambda self: self._vector(0))
    point_a = property(lambda self: self._vector(1))
    point_b = property(lambda self: self._vector(2))
    distance = property(lambda self: self.steps[..., -2])
    residual = property(lambda self: self.steps[..., -1])

    def _vector(self, k: int) -> np.ndarray:
        size = (self.steps.shape[-1] - 2) // 3
        return self.steps[..., k * size : (k + 1) * size]

    def at(self, index: Index) -> Trace:
        """Steps of some of the pairs."""
        return Trace(self.steps[index], self.count[index])

    def __repr__(self) -> str:
        if self.count.shape:
            steps = f"{int(self.count.min())} to {int(self.count.max())}" if self.count.size else "no"
            return f"Trace(shape={self.count.shape}, {steps} steps)"
        count = int(self.count)
        lines = [f"{'step':>4}  {'distance [m]':>22}  {'residual':>9}  normal"]
        for k in range(count):
            normal = ", ".join(f"{value + 0.0:9.6f}" for value in self.normal[k].round(6))
            lines.append(f"{k + 1:>4}  {self.distance[k]:>22.15g}  {self.residual[k]:>9.2e}  [{normal}]")
        if count > 2 * SHOWN:
            lines[SHOWN + 1 : -SHOWN] = [" ..."]
        return f"Trace of {count} steps\n" + "\n".join(lines)


def kept_trace(trace: np.ndarray, batch: tuple[int, ...], iterations: np.ndarray) -> Trace:
    """The part of the buffer `trace` that was filled, as a `Trace`."""
    made = np.ascontiguousarray(trace[:, : int(iterations.max(initial=0))])
    return Trace(made.reshape(*batch, *made.shape[1:]), iterations.reshape(batch))


def trace_steps(count: int, steps: int) -> int:
    """`steps`, or an error if a trace of `steps` steps for `count` pairs is too long."""
    if count * steps > MAX_TRACED_STEPS:
        raise ValueError(
            f"trace would hold {count} x {steps} steps; limit them, as solver=tg.solvers.RomerTwo(max_iterations=50) "
            "does, or pass fewer pairs"
        )
    return steps
