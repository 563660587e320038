"""Methods whose unknowns are one point of each surface: where they start, and what they claim in the end."""

from __future__ import annotations

import math

from ...compiled.jit import element, jit
from ...contacts.status import CLAIMED, Status
from ...implicit.newton import CONVERGED, RAN_OUT
from ...kernels.jet import JET
from ...kernels.vectors import add, dot, mat_mul, mat_t_mul, norm, scale, sub
from ..buffers import at, write
from ..certified.pair import evaluate
from ..question import Side

_FAILED, _BROKEN = int(Status.NOT_CONVERGED), int(Status.BROKE_DOWN)


def implicit_address(side: Side, name: str, method: str) -> int:
    """Address of the compiled implicit function of a side; refuses bodies without one."""
    if not getattr(side.shape, "has_implicit", False):
        raise TypeError(
            f"{name} must have an implicit function for solver={method!r} (its Kernel a method implicit(self, x)), "
            f"got {side.shape!r}"
        )
    return side.shape.implicit_address


@jit
def surfaces(a, b, fa, fb, k):
    """Both surfaces of pair k, as `implicit/newton.py` takes them."""
    rows_a, rows_b = a[1], b[1]
    size_a, size_b = rows_a.shape[1], rows_b.shape[1]
    return (
        (fa, element(rows_a, at(a[3], k) * size_a), size_a),
        (fb, element(rows_b, at(b[3], k) * size_b), size_b),
    )


@jit
def first_points(pair, box_a, box_b, row, turn, midpoint, jets, q):
    """Start: boundary points with the guessed normal, else with that of the line of centres; the normal.

    Without a guess, and if `midpoint` is asked for, both points are the middle between the centres (Lopes 2010,
    section 7).  `box` holds half lengths and centre of a body's box.
    """
    rotation, r = pair[8], pair[9]
    c_a, c_b = (box_a[3], box_a[4], box_a[5]), (box_b[3], box_b[4], box_b[5])
    n = mat_t_mul(turn, (row[0], row[1], row[2]))
    guessed = norm(n) > 0.5
    line = sub(add(r, mat_mul(rotation, c_b)), c_a)
    if not guessed:
        length = norm(line)
        n = scale(line, 1.0 / length) if length > 0.0 else (1.0, 0.0, 0.0)
    evaluate(pair, n, jets)
    for i in range(3):
        q[i], q[3 + i] = jets[1 + i], jets[JET + 1 + i]
    if midpoint and not guessed:
        middle = add(c_a, scale(line, 0.5))
        there = mat_t_mul(rotation, sub(middle, r))
        for i in range(3):
            q[i], q[3 + i] = middle[i], there[i]
    return n


@jit
def opposed(pair, jets):
    """Whether the outward normals of both surfaces point against each other."""
    h = mat_mul(pair[8], (jets[JET + 1], jets[JET + 2], jets[JET + 3]))
    return dot((jets[1], jets[2], jets[3]), h) < 0.0


@jit
def claim(pair, turn, home, start, jets, q, end, values, codes, k, iterations, evaluations):
    """Write what an iteration ended with: normal of A at its point, the distance along it.

    Two surfaces touch with opposite normals; equal ones solve the equations as well, and are no contact.
    """
    rotation, r = pair[8], pair[9]
    p, s = (q[0], q[1], q[2]), add(r, mat_mul(rotation, (q[3], q[4], q[5])))
    g = (jets[1], jets[2], jets[3])
    slope = norm(g)
    known = slope > 0.0 and math.isfinite(slope + norm(p) + norm(s))
    n = scale(g, 1.0 / slope) if known else start
    distance = dot(n, sub(s, p)) if known else 0.0
    if not known:
        p = (0.0, 0.0, 0.0)
    status = _BROKEN
    if end == RAN_OUT:
        status = _FAILED
    elif end == CONVERGED and known and opposed(pair, jets):
        status = CLAIMED
    n = mat_mul(turn, n)
    n = scale(n, 1.0 / norm(n))
    write(values, codes, k, distance, 0.0, 0.0, n, add(home, mat_mul(turn, p)), status, evaluations)
    codes[2 * (codes.size // 3) + k] = iterations


@jit
def to_world(rows, count, turn, home):
    """Steps of a trace, from the frame of A to the world."""
    for k in range(min(count, rows.shape[0])):
        for j in range(0, 9, 3):
            v = mat_mul(turn, (rows[k, j], rows[k, j + 1], rows[k, j + 2]))
            if j > 0:
                v = add(v, home)
            for i in range(3):
                rows[k, j + i] = v[i]
