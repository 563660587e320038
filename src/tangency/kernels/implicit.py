"""The implicit function of a kernel: f, its gradient and its Hessian at a point.

A kernel may have a method ``implicit(self, x)`` that returns (f, grad f, Hess f), with f < 0 inside the body,
0 on its surface and > 0 outside; vectors are 3-tuples, the Hessian is (xx, xy, xz, yy, yz, zz).  These ten
numbers have the layout of a jet, so ``kernels/jet.py`` compiles them without changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba.extending import overload

from ..compiled.jit import LEAN, jit

MIN_BASE = 1e-100  # replaces zero where a negative power would be infinite


def implicit(kernel: Any, x: Any) -> Any:
    """(f, grad f, Hess f) of any kernel that has them; in compiled code, resolved from the kernel's type."""
    return kernel.implicit(x)


@overload(implicit, jit_options=LEAN, strict=False)
def _implicit(kernel, x):
    return kernel.instance_class.implicit


class ImplicitKernel(NamedTuple):
    """A kernel whose jet is the implicit function of `body`; its row of numbers is that of the body."""

    body: Any

    def jet(self, x):
        return implicit(self.body, x)


@jit
def power_term(x, a, g):
    """|x/a|^g with its first and second derivatives in x.

    For g < 2 the second derivative is unbounded at x = 0; it is then that of |x/a| = MIN_BASE, below 1e100 / a^2.
    """
    u = abs(x) / a
    p = max(u, MIN_BASE) ** (g - 2.0)
    slope = g * (p * u if u >= MIN_BASE else u ** (g - 1.0)) / a
    return p * u * u, slope if x > 0.0 else -slope, g * (g - 1.0) * p / (a * a)
