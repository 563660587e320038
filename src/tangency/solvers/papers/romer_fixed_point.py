"""Römer 3-D, Fig. 7: three fixed-point iterations on the normal, without derivatives.

Scheme (c) is Algorithm III.  Its points P' and Q', where the normals of two successive iterates are
closest to each other, enter only through the line between them; since w = PQ, Eqs. (87) and (88) together
give

    P'Q' = w_i - t.(w_i - w_(i-1)) / |n_i x n_(i-1)|^2 n_i,    t = n_i - (n_i.n_(i-1)) n_(i-1)

which is w + k n with k the radius of curvature of the Minkowski difference along the last step: a secant
method that uses the same k in both tangent directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from ...compiled.jit import jit
from ...kernels.vectors import add, axpy, cross, dot, sub, unit
from .loop import NormalIteration, direction


@jit
def mean_direction(n, w):
    """Eq. (86): halfway between the normal and the line between the two points."""
    return unit(add(n, direction(w, n)))


_NORMAL, _W, USED = 0, 3, 6  # memory of Algorithm III: last normal, last w; the rest is free


@jit
def last_normal(state):
    """Normal of the last step; zero at the start."""
    return (state[_NORMAL], state[_NORMAL + 1], state[_NORMAL + 2])


@jit
def centres_of_curvature(n, w, state):
    """Eqs. (87)-(89); the first step is Eq. (86)."""
    before, w_before = last_normal(state), (state[_W], state[_W + 1], state[_W + 2])
    first = dot(before, before) == 0.0
    state[_NORMAL], state[_NORMAL + 1], state[_NORMAL + 2] = n
    state[_W], state[_W + 1], state[_W + 2] = w
    if first:
        return mean_direction(n, w)
    t = axpy(n, -dot(n, before), before)
    sine = cross(n, before)
    k = -dot(t, sub(w, w_before)) / dot(sine, sine)  # Eq. (87)
    return unit(axpy(w, k, n))  # Eqs. (88), (89)


@dataclass(frozen=True)
class RomerThree(NormalIteration):
    """Römer 3-D, Algorithm III: fixed-point iteration towards the centres of curvature (Fig. 7c).

    Needs boundary points only, no curvature; the most robust of the paper's four.

    Parameters
    ----------
    max_iterations : int
        Maximum number of iterations per pair.

    Examples
    --------
    >>> import tangency as tg
    >>> c = tg.contact(tg.Ellipsoid([1, 2, 3]), tg.Sphere(1.0), pose_b=(None, [3, 3, 3]), solver="romer-3")
    >>> print(f"{c.distance:.9f}", c.message)
    2.277151786 Apart or touching: the distance is proved to lie between lower and upper.
    """

    name: ClassVar[str] = "romer-3"

    class Kernel(NamedTuple):
        max_iterations: int

        def step(self, pair, n, f, w, jets, state):
            return centres_of_curvature(n, w, state), 0


@dataclass(frozen=True)
class RomerDirect(NormalIteration):
    """Römer 3-D, Fig. 7a: the next normal points along the line between the two points; unstable.

    Parameters
    ----------
    max_iterations : int
        Maximum number of iterations per pair.
    """

    name: ClassVar[str] = "romer-direct"

    class Kernel(NamedTuple):
        max_iterations: int

        def step(self, pair, n, f, w, jets, state):
            return direction(w, n), 0


@dataclass(frozen=True)
class RomerMean(NormalIteration):
    """Römer 3-D, Fig. 7b, Eq. (86): halfway between normal and line; slow, mostly stable.

    Parameters
    ----------
    max_iterations : int
        Maximum number of iterations per pair.
    """

    name: ClassVar[str] = "romer-mean"

    class Kernel(NamedTuple):
        max_iterations: int

        def step(self, pair, n, f, w, jets, state):
            return mean_direction(n, w), 0
