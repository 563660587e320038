"""The polytope that grows inside D, the set of all x_B - x_A: vertices w(n), faces that the origin sees from inside.

Vertices are rows as `separation.put` writes them; faces are columns of an array, see below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined, jit
from ...compiled.stack import on_stack
from ...kernels.simplex import WEIGHT, nearest
from ...kernels.vectors import axpy, cross, dot, frame, norm, scale, sub, unit
from .pair import evaluate
from .separation import COLUMNS, put

VERTICES, FACES = 520, 1100
ENCLOSING = 20  # corners that are tried to hold the origin
NEEDLE = 1e-3  # sine of the angle at a corner below which a face needs care
# Columns of a face: corners, normal, proved distance, height of its highest corner; whether a new
# vertex sees it; whether it can grow no more.
A, B, C, NORMAL, DISTANCE, TOP, SEEN, CLOSED, FACE_COLUMNS = 0, 1, 2, 3, 6, 7, 8, 9, 10
OPEN, FULL, COVERED = 0.0, 1.0, 2.0  # can grow; cannot, for want of digits; proved by the cap around the best normal


class Polytope(NamedTuple):
    """Room for one polytope."""

    vertices: np.ndarray
    faces: np.ndarray
    edges: np.ndarray  #: of the hole that a new vertex makes


_no_vertices, _no_faces, _no_edges = on_stack(0, COLUMNS), on_stack(FACE_COLUMNS, 0), on_stack(0, 2)


@inlined
def no_polytope():
    """For pairs that may not need one."""
    return Polytope(_no_vertices(), _no_faces(), _no_edges())


@jit
def room_for_polytope():
    """Room for `VERTICES` vertices; it is large."""
    return Polytope(np.empty((VERTICES, COLUMNS)), np.empty((FACE_COLUMNS, FACES)), np.empty((FACES, 2)))


@jit
def face_normal(faces, t):
    """Outward normal of face t."""
    return (faces[NORMAL, t], faces[NORMAL + 1, t], faces[NORMAL + 2, t])


@jit
def corner(v, i):
    return (v[i, 0], v[i, 1], v[i, 2])


@jit
def _area(a, b, c):
    """(b - a) x (c - a), from the two shorter edges: the third loses the digits of a needle."""
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    p, q, r = dot(ab, ab), dot(bc, bc), dot(ca, ca)
    if p >= q and p >= r:
        return cross(bc, ca)
    return cross(ca, ab) if q >= r else cross(ab, bc)


@jit
def _add_face(faces, count, v, i, j, k):
    """Append a face with outward normal by its winding; False if it has no area."""
    a = corner(v, i)
    e1, e2 = sub(corner(v, j), a), sub(corner(v, k), a)
    n = cross(e1, e2)
    length = norm(n)
    if length < NEEDLE * norm(e1) * norm(e2):
        n = _area(a, corner(v, j), corner(v, k))
        length = norm(n)
    if not length > 1e-13 * norm(e1) * norm(e2) or count >= FACES:
        return False
    n = scale(n, 1.0 / length)
    # The smallest of the corners' heights over a plane through the origin bounds the distance of the
    # face, however badly a needle of a face knows its normal.
    ha, hb, hc = dot(n, a), dot(n, corner(v, j)), dot(n, corner(v, k))
    height = min(ha, hb, hc)
    if height < -1e-13 * max(norm(a), norm(e1)):
        return False
    faces[A, count], faces[B, count], faces[C, count] = float(i), float(j), float(k)
    faces[NORMAL, count], faces[NORMAL + 1, count], faces[NORMAL + 2, count] = n
    faces[DISTANCE, count], faces[TOP, count], faces[CLOSED, count] = height, max(ha, hb, hc), OPEN
    return True


@jit
def tetrahedron(v, faces, rounding):
    """Faces of the first four vertices, wound outward; 0 if they are flat."""
    a, b, c, d = corner(v, 0), corner(v, 1), corner(v, 2), corner(v, 3)
    base = _area(a, b, c)
    volume = dot(base, sub(d, a))
    largest = max(norm(base), norm(_area(a, b, d)), norm(_area(a, c, d)), norm(_area(b, c, d)))
    if not abs(volume) > 8.0 * rounding * largest:
        return 0
    order = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    for t in range(4):
        i, j, k = order[t]
        if volume < 0.0:
            j, k = k, j
        if not _add_face(faces, t, v, i, j, k):
            return 0
    return 4


@jit
def _lightest(v, count):
    """Move the corner of the smallest weight behind the others."""
    least = 0
    for i in range(1, count):
        if v[i, WEIGHT] < v[least, WEIGHT]:
            least = i
    for c in range(v.shape[1]):
        v[least, c], v[count - 1, c] = v[count - 1, c], v[least, c]


@jit
def complete(pair, v, count, jets, rounding):
    """Raise a flat simplex around the origin to a tetrahedron: (evaluations, best F, its n).

    Corners that add no dimension go first, lightest first; new ones are looked for on both sides of
    the plane (or line) of the rest, so that the origin stays inside.
    """
    if count == 4:
        _lightest(v, 4)
        count = 3
    if count == 3:
        e, d = sub(corner(v, 1), corner(v, 0)), sub(corner(v, 2), corner(v, 0))
        longest = max(norm(e), norm(d))
        if not norm(cross(e, d)) > 1e-8 * longest * longest:
            _lightest(v, 3)
            count = 2
    if count == 2 and not norm(sub(corner(v, 1), corner(v, 0))) > rounding:
        count = 1
    evaluations, best, best_n = 0, -1e300, (v[0, 4], v[0, 5], v[0, 6])
    for i in range(count, 4):
        a = corner(v, 0)
        n = (v[0, 4], v[0, 5], v[0, 6])
        if i == 2:
            n, _ = frame(unit(sub(corner(v, 1), a)))
        elif i == 3:
            n = unit(cross(sub(corner(v, 1), a), sub(corner(v, 2), a)))
        back = scale(n, -1.0)
        f, w, x = evaluate(pair, n, jets)
        put(v, i, w, n, x)
        g, w, x = evaluate(pair, back, jets)
        if g < f:
            put(v, i, w, back, x)
        evaluations += 2
        if max(f, g) > best:
            best, best_n = (f, n) if f >= g else (g, back)
    return evaluations, best, best_n


@jit
def enclose(pair, v, faces, jets, rounding):
    """Faces of a tetrahedron around the origin, from four corners next to it: (0 or 4, evaluations).

    A simplex that holds the origin but for rounding errors can become one that does not when it is completed.
    """
    corners, evaluations = 4, 0
    for _ in range(ENCLOSING):
        corners, p = nearest(v, corners)
        if corners == 4:
            return tetrahedron(v, faces, rounding), evaluations
        if not norm(p) > 0.0:
            break
        n = unit(p)
        f, w, x = evaluate(pair, n, jets)
        evaluations += 1
        if not (-1e300 < f < 0.0):
            break
        put(v, corners, w, n, x)
        corners += 1
    return 0, evaluations


@jit
def expand(v, new, faces, count, edges, margin):
    """Hull of the polytope and vertex `new`: the new number of faces, or 0 with nothing changed.

    Faces that the vertex sees from higher than `margin` go; nothing is changed where it sees none, or
    a face would arise without area or with the origin outside.  With a negative margin the surface may
    become slightly hollow: as long as the origin sees every face from inside it proves the same.
    """
    p = corner(v, new)
    for t in range(count):
        height = faces[NORMAL, t] * p[0] + faces[NORMAL + 1, t] * p[1] + faces[NORMAL + 2, t] * p[2]
        faces[SEEN, t] = height - faces[TOP, t] - margin
    horizon, seen = 0, 0
    for t in range(count):
        if faces[SEEN, t] > 0.0:
            if horizon + 3 > edges.shape[0]:
                return 0
            seen += 1
            for c in range(3):
                edges[horizon, 0] = faces[c, t]
                edges[horizon, 1] = faces[(c + 1) % 3, t]
                horizon += 1
    outer = 0
    for s in range(horizon):
        inner = False
        for t in range(horizon):
            if edges[t, 0] == edges[s, 1] and edges[t, 1] == edges[s, 0]:
                inner = True
                break
        if not inner:
            if not _add_face(faces, count + outer, v, int(edges[s, 0]), int(edges[s, 1]), new):
                return 0
            faces[SEEN, count + outer] = 0.0
            outer += 1
    if outer < 3 or seen == count:
        return 0
    # The last faces take the places of those that the new vertex sees.
    total = count + outer
    for t in range(count - 1, -1, -1):
        if faces[SEEN, t] > 0.0:
            total -= 1
            for c in range(FACE_COLUMNS):
                faces[c, t] = faces[c, total]
    return total


@jit
def is_covered(faces, t, n, depth, cap):
    """Whether all directions in which the polytope at face t is nearer than `depth` lie in the cap around n.

    If the plane n.x = H touches the boundary at H < depth, the ray along n meets the polytope at t <= H,
    in a face with distance = t cos(angle to n): the angle is at most acos(distance / depth).
    """
    cosine = -dot(face_normal(faces, t), n)
    open_angle = math.acos(min(max(faces[DISTANCE, t] / depth, 0.0), 1.0))
    return math.acos(min(max(cosine, -1.0), 1.0)) + open_angle < cap  # never for a cap of 0


@jit
def face_secant(v, faces, t):
    """Mean normal of a face's corners, weighted as its point nearest to the origin: inverse interpolation."""
    i, j, k = int(faces[A, t]), int(faces[B, t]), int(faces[C, t])
    n = face_normal(faces, t)
    p = scale(n, faces[DISTANCE, t])
    a, b, c = sub(corner(v, i), p), sub(corner(v, j), p), sub(corner(v, k), p)
    m = scale((v[i, 4], v[i, 5], v[i, 6]), max(dot(cross(b, c), n), 0.0))
    m = axpy(m, max(dot(cross(c, a), n), 0.0), (v[j, 4], v[j, 5], v[j, 6]))
    m = axpy(m, max(dot(cross(a, b), n), 0.0), (v[k, 4], v[k, 5], v[k, 6]))
    length = norm(m)
    return scale(m, 1.0 / length) if length > 0.5 * norm(cross(sub(b, a), sub(c, a))) else scale(n, -1.0)


@jit
def best_elsewhere(v, vertices, n, k):
    """Normal of the vertex with the largest F in the k-th of three directions across n, or -n if there is none."""
    t, s = frame(n)
    angle = 2.0 * math.pi * k / 3.0
    towards = axpy(scale(t, math.cos(angle)), math.sin(angle), s)
    best, found = -1e300, scale(n, -1.0)
    for i in range(vertices):
        m = (v[i, 4], v[i, 5], v[i, 6])
        f = dot(m, corner(v, i))
        if f > best and dot(m, towards) > 0.5:
            best, found = f, m
    return found
