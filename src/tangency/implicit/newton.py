"""Newton's method for the common normal of two implicit surfaces: six equations, six unknowns (Lopes 2010, 3.3).

The unknowns q are a point of each surface, each in its own frame.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import call_shape, element, jit
from ..kernels.jet import JET, hessian_of
from ..kernels.jet import point_of as gradient_of
from ..kernels.linear import eliminate, shortest
from ..kernels.tangents import householder, householder_rate, plate, plate_rate
from ..kernels.trace import write_step
from ..kernels.vectors import add, dot, mat_mul, mat_t_mul, norm, scale, sub, sym_mul

CONVERGED, RAN_OUT, BROKEN = 0, 1, 2  # outcomes of an iteration
HOUSEHOLDER, PLATE = 0, 1  # constructions of tangents
STALL = 1e-7  # relative to the size: steps below this that no longer shrink are rounding errors


class Formula(NamedTuple):
    """The compiled implicit function of one surface."""

    address: int
    row: Any  #: pointer to its parameters
    size: int  #: number of these parameters


class SurfacePair(NamedTuple):
    """Two surfaces in the frame of A."""

    a: Formula
    b: Formula
    rotation: Any  #: R, orientation of B
    position: Any  #: r


class Stop(NamedTuple):
    """Stopping criteria of an iteration."""

    step: float  #: stop when the step of both points together is not longer than this [m]
    size: float  #: of the pair [m]: much longer steps are useless
    iterations: int  #: largest number


class Work(NamedTuple):
    """Memory of an iteration."""

    jets: np.ndarray  #: (20,) f, gradient and Hessian of both surfaces at the last points
    matrix: np.ndarray  #: (12, 7) the linear equations, and space to solve them
    step: np.ndarray  #: (6,)


@jit
def point_on_a(q):
    """The point of A, in its frame."""
    return (q[0], q[1], q[2])


@jit
def point_on_b(q):
    """The point of B, in its frame."""
    return (q[3], q[4], q[5])


@jit
def set_points(q, p, s):
    """Write the points of A and B to q."""
    for i in range(3):
        q[i], q[3 + i] = p[i], s[i]


@jit
def evaluate_at(formula, x, jets, first):
    """Write f, gradient and Hessian of one surface at x to `jets`, starting at `first`."""
    call_shape(formula.address, formula.row, formula.size, x[0], x[1], x[2], element(jets, first))


@jit
def evaluate_both(a, b, q, jets):
    """f, gradient and Hessian of both surfaces at the points in q; each in its own frame."""
    evaluate_at(a, point_on_a(q), jets, 0)
    evaluate_at(b, point_on_b(q), jets, JET)


@jit
def assemble(jets, q, rotation, r, kind, m):
    """Write equations (9) and their Jacobian (12) to the 6 x 7 matrix m; return the norm of the left-hand sides.

    All vectors are in the frame of B, where its tangents are simplest.
    """
    p, s = point_on_a(q), point_on_b(q)
    n_p, n_q = gradient_of(jets, 0), gradient_of(jets, JET)
    h_p, h = hessian_of(jets, 0), hessian_of(jets, JET)
    n = mat_t_mul(rotation, n_p)
    d = add(mat_t_mul(rotation, sub(r, p)), s)  # Eq. (11)
    t, b = householder(n_q) if kind == HOUSEHOLDER else plate(n_q)
    total = 0.0
    for i in range(2):
        v = t if i == 0 else b
        w = mat_mul(rotation, v)
        along = sym_mul(h_p, w)
        f, g = dot(n, v), dot(d, v)
        total += f * f + g * g
        m[i, 6], m[2 + i, 6] = -f, -g
        for k in range(3):
            m[i, k] = along[k]
            m[2 + i, k] = -w[k]
            m[2 + i, 3 + k] = v[k]
            m[4 + i, k], m[4 + i, 3 + k] = 0.0, 0.0
    for k in range(3):
        dn = (h[0], h[1], h[2]) if k == 0 else ((h[1], h[3], h[4]) if k == 1 else (h[2], h[4], h[5]))
        dt, db = householder_rate(n_q, dn) if kind == HOUSEHOLDER else plate_rate(n_q, dn)
        m[0, 3 + k], m[1, 3 + k] = dot(n, dt), dot(n, db)
        m[2, 3 + k] += dot(d, dt)
        m[3, 3 + k] += dot(d, db)
        m[4, k], m[5, 3 + k] = n_p[k], n_q[k]
    m[4, 6], m[5, 6] = -jets[0], -jets[JET]
    return math.sqrt(total + jets[0] * jets[0] + jets[JET] * jets[JET])


@jit
def record(row, jets, q, rotation, r, residual):
    """One step of a trace, in the frame of A: normal, both points, distance, residual."""
    p, s = point_on_a(q), add(r, mat_mul(rotation, point_on_b(q)))
    n = gradient_of(jets, 0)
    n = scale(n, 1.0 / max(norm(n), 1e-300))
    write_step(row, n, p, s, dot(n, sub(s, p)), residual)


@jit
def common_normal(pair, q, kind, stop, work, trace):
    """Newton's method (Eq. 8) from the points in q, which is updated.

    Rows of `trace` are filled as far as there are any.  Returns how it ended, iterations, and how often the
    equations were singular.
    """
    a, b, rotation, r = pair.a, pair.b, pair.rotation, pair.position
    jets, m, x = work.jets, work.matrix, work.step
    evaluate_both(a, b, q, jets)
    last, singular = math.inf, 0
    v = m[6:]
    for k in range(stop.iterations):
        residual = assemble(jets, q, rotation, r, kind, m)
        if not math.isfinite(residual):
            return BROKEN, k, singular
        if k < trace.shape[0]:
            record(trace[k], jets, q, rotation, r, residual)
        if not eliminate(m, 6, x):
            assemble(jets, q, rotation, r, kind, m)
            shortest(m, 6, v, x)
            singular += 1
        length = 0.0
        for i in range(6):
            length += x[i] * x[i]
        length = math.sqrt(length)
        if not length < 1e3 * stop.size:
            return BROKEN, k + 1, singular
        for i in range(6):
            q[i] += x[i]
        evaluate_both(a, b, q, jets)
        if length <= stop.step or (length < STALL * stop.size and length > 0.5 * last):
            return CONVERGED, k + 1, singular
        last = length
    return RAN_OUT, stop.iterations, singular
