"""Römer 3-D, Algorithms I and II: Newton's method for the closest points and for the common normal.

The unknowns of both are the angles (phi, theta) of the normal in the frame of A (the paper's master), Eq. (78),
which are singular at the poles; ``coordinates="tangent"`` uses the tangent plane of the sphere instead, which has
no poles.  All derivatives follow from x' = W: with e_1, e_2 the derivatives of n with respect to the coordinates,

    dw = -K dn,   d(w.w / 2) = -(K w).e_i,   d^2(w.w / 2) = K e_i . K e_j - e_i . M e_j - (K w).e_ij

where M is the derivative of K along w.  As K is homogeneous of degree -1, M = -F K + (derivative along g).
Only the latter needs third derivatives of the support functions; it is approximated by a central difference of K
with two evaluations, whose error vanishes with g, so that convergence stays quadratic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ...compiled.jit import jit
from ...kernels.vectors import add, axpy, dot, norm, scale, sym_add, sym_mul, sym_scale, unit
from ..certified.pair import curvature, evaluate
from .loop import NormalIteration, tangential

STEP = 1e-5  # of the central difference that approximates the third derivative
COORDINATES = ("spherical", "tangent")


@dataclass(frozen=True)
class InCoordinates(NormalIteration):
    """A Newton method for the two coordinates of the normal.

    Parameters
    ----------
    max_iterations : int
        Maximum number of iterations per pair.
    coordinates : {"spherical", "tangent"}
        The paper's angles with their poles, or a step on the tangent plane.
    """

    coordinates: str = "spherical"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coordinates not in COORDINATES:
            raise ValueError(f"coordinates must be one of {', '.join(COORDINATES)}, got {self.coordinates!r}")

    @property
    def kernel(self) -> Any:
        return self.Kernel(self.max_iterations, self.coordinates == "spherical")


@jit
def spherical_frame(n):
    """Angles of n, the unit vectors e_phi and e_theta, and sin(phi); theta = 0 at the poles."""
    s = math.hypot(n[0], n[1])
    phi, theta = math.atan2(s, n[2]), math.atan2(n[1], n[0])
    c, d = math.cos(theta), math.sin(theta)
    return phi, theta, (n[2] * c, n[2] * d, -s), (-d, c, 0.0), s


@jit
def from_angles(phi, theta):
    s = math.sin(phi)
    # The cosine is computed as a sine: exactly 0 on the equator, where planar bodies are (``planar/in_space.py``).
    return (s * math.cos(theta), s * math.sin(theta), math.sin(0.5 * math.pi - phi))  # Eq. (78)


@jit
def solve_two(a, b, c, d, p, q):
    """x, y of a x + b y = p, c x + d y = q; not finite if singular."""
    determinant = a * d - b * c
    return (d * p - b * q) / determinant, (a * q - c * p) / determinant


@jit
def closest_points(pair, n, f, w, jets, spherical, power):
    """Algorithm I, Eqs. (81)-(83): Newton step for the minimum of w.w / 2, or of another power of |w|."""
    k = curvature(pair, n, jets)
    g = tangential(w, n)
    m = sym_scale(k, -f)
    length, used = norm(g), 0
    if length > 0.0:
        u = scale(g, STEP / length)
        ahead, behind = add(n, u), axpy(n, -1.0, u)
        evaluate(pair, ahead, jets)
        forward = curvature(pair, ahead, jets)
        evaluate(pair, behind, jets)
        difference = sym_add(forward, sym_scale(curvature(pair, behind, jets), -1.0))
        m = sym_add(m, sym_scale(difference, 0.5 * length / STEP))
        used = 2
    slope = sym_mul(k, g)  # K w = K g
    phi, theta, e, t, s = spherical_frame(n)
    if spherical:
        # Second derivatives of n: -n, cos(phi) e_theta, and the horizontal part of -n.
        bend_pp, bend_pt, bend_tt = scale(n, -1.0), scale(t, n[2]), (-n[0], -n[1], 0.0)
        t = scale(t, s)
    else:
        bend_pp, bend_pt, bend_tt = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    ke, kt = sym_mul(k, e), sym_mul(k, t)
    me, mt = sym_mul(m, e), sym_mul(m, t)
    h_pp = dot(ke, ke) - dot(me, e) - dot(slope, bend_pp)
    h_pt = dot(ke, kt) - dot(me, t) - dot(slope, bend_pt)
    h_tt = dot(kt, kt) - dot(mt, t) - dot(slope, bend_tt)
    p, q = dot(slope, e), dot(slope, t)
    if power != 2.0:  # |w|^power has another Hessian but the same stationary points
        more = (power - 2.0) / dot(w, w)
        h_pp, h_pt, h_tt = h_pp + more * p * p, h_pt + more * p * q, h_tt + more * q * q
    x, y = solve_two(h_pp, h_pt, h_pt, h_tt, p, q)
    if spherical:
        return from_angles(phi + x, theta + y), used
    return unit(axpy(axpy(n, x, e), y, t)), used


@jit
def common_normal(pair, n, f, w, jets, spherical):
    """Algorithm II, Eqs. (84) and (85): Newton step for a w without tangential components."""
    k = curvature(pair, n, jets)
    phi, theta, e, t, s = spherical_frame(n)
    ke, kt = sym_mul(k, e), sym_mul(k, t)
    p, q = dot(w, e), dot(w, t)
    if spherical:
        # Derivatives of e_phi: -n and cos(phi) e_theta; of e_theta: 0 and -sin(phi) n - cos(phi) e_phi.
        x, y = solve_two(dot(ke, e) + f, s * dot(ke, t) - n[2] * q, dot(ke, t), s * (dot(kt, t) + f) + n[2] * p, p, q)
        return from_angles(phi + x, theta + y), 0
    x, y = solve_two(dot(ke, e) + f, dot(ke, t), dot(ke, t), dot(kt, t) + f, p, q)
    return unit(axpy(axpy(n, x, e), y, t)), 0


@dataclass(frozen=True)
class RomerOne(InCoordinates):
    """Römer 3-D, Algorithm I: Newton's method for the closest points.

    Finds stationary points of the distance between points with opposite normals, including saddles and maxima; by
    far the least reliable of the paper's four.  An iteration takes three evaluations, because third derivatives are
    approximated by differences.

    Parameters
    ----------
    max_iterations : int
        Maximum number of iterations per pair.
    coordinates : {"spherical", "tangent"}
        The paper's angles with their poles, or a step on the tangent plane.
    power : float
        Power of the distance that is minimised; 2 in the paper's Eq. (81).

    Examples
    --------
    >>> import tangency as tg
    >>> c = tg.contact(tg.Sphere(1.0), tg.Ellipsoid([3, 2, 1]), pose_b=(None, [5, 0, 0]), solver="romer-1")
    >>> float(c.distance), int(c.iterations)
    (1.0, 1)
    """

    power: float = 2.0
    name: ClassVar[str] = "romer-1"

    class Kernel(NamedTuple):
        max_iterations: int
        spherical: bool
        power: float

        def step(self, pair, n, f, w, jets, state):
            return closest_points(pair, n, f, w, jets, self.spherical, self.power)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.power, bool) or not isinstance(self.power, int | float) or not 0.0 < self.power < math.inf:
            raise ValueError(f"power must be a number > 0, got {self.power!r}")

    @property
    def kernel(self) -> Any:
        return self.Kernel(self.max_iterations, self.coordinates == "spherical", float(self.power))


@dataclass(frozen=True)
class RomerTwo(InCoordinates):
    """Römer 3-D, Algorithm II: Newton's method for the common normal.

    Converges quadratically near the solution; from far away it may end at any common normal, even that of the farthest
    points.

    Parameters
    ----------
    max_iterations : int
        Maximum number of iterations per pair.
    coordinates : {"spherical", "tangent"}
        The paper's angles with their poles, or a step on the tangent plane.

    Examples
    --------
    >>> import tangency as tg
    >>> a, b, pose = tg.Ellipsoid([1, 2, 3]), tg.Sphere(1.0), (None, [3, 3, 3])
    >>> c = tg.contact(a, b, pose_b=pose, solver=tg.solvers.RomerTwo(coordinates="tangent"), trace=True)
    >>> c.trace.residual[: c.iterations].round(6).tolist()
    [0.23693, 0.005572, 3e-06]
    """

    name: ClassVar[str] = "romer-2"

    class Kernel(NamedTuple):
        max_iterations: int
        spherical: bool

        def step(self, pair, n, f, w, jets, state):
            return common_normal(pair, n, f, w, jets, self.spherical)
