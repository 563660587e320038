"""The polytope that grows inside D, the set of all x_B - x_A: its vertices are w(n), and it contains the origin.

Vertices are rows written by `separation.put`; faces are columns of an array, see below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined, jit, uncounted
from ...compiled.small_arrays import on_stack
from ...kernels.simplex import WEIGHT, nearest
from ...kernels.vectors import axpy, cross, dot, frame, norm, scale, sub, unit
from .pair import evaluate
from .simplex_rows import COLUMNS, NORMAL, put

VERTICES, FACES = 520, 1100
ENCLOSING = 20  # maximum number of corners tried to enclose the origin
NEEDLE = 1e-3  # sine of the angle at a corner below which the normal of a face is computed with more care
# Entries of a face: corners, normal, proved distance, height of its highest corner; whether a new vertex sees
# it; its state.
A, B, C, FACE_NORMAL, DISTANCE, TOP, SEEN, CLOSED, FACE_COLUMNS = 0, 1, 2, 3, 6, 7, 8, 9, 10
OPEN, FULL, COVERED = 0.0, 1.0, 2.0  # may be expanded; at the limit of precision; proved by the cap of the best normal


class Polytope(NamedTuple):
    """Arrays for one polytope."""

    vertices: np.ndarray
    faces: np.ndarray
    edges: np.ndarray  #: of the faces that a new vertex replaces


_no_vertices, _no_faces, _no_edges = on_stack(0, COLUMNS), on_stack(FACE_COLUMNS, 0), on_stack(0, 2)


@inlined
def no_polytope():
    """For pairs that may not need one."""
    return Polytope(_no_vertices(), _no_faces(), _no_edges())


@jit
def room_for_polytope():
    """Arrays for a polytope with `VERTICES` vertices; they are large."""
    return Polytope(np.empty((VERTICES, COLUMNS)), np.empty((FACE_COLUMNS, FACES)), np.empty((FACES, 2)))


@uncounted
def face_normal(faces, t):
    """Outward normal of face t."""
    return (faces[FACE_NORMAL, t], faces[FACE_NORMAL + 1, t], faces[FACE_NORMAL + 2, t])


@uncounted
def corner(v, i):
    """Position of vertex i."""
    return (v[i, 0], v[i, 1], v[i, 2])


@uncounted
def vertex_normal(v, i):
    """The normal n whose w(n) is vertex i."""
    return (v[i, NORMAL], v[i, NORMAL + 1], v[i, NORMAL + 2])


@uncounted
def area(a, b, c):
    """(b - a) x (c - a), from the two shorter edges: the longest one would lose accuracy for needles."""
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    p, q, r = dot(ab, ab), dot(bc, bc), dot(ca, ca)
    if p >= q and p >= r:
        return cross(bc, ca)
    return cross(ca, ab) if q >= r else cross(ab, bc)


@uncounted
def _add_face(faces, count, v, i, j, k):
    """Append a face, its outward normal given by the winding; False if it has no area or the origin is outside."""
    a = corner(v, i)
    e1, e2 = sub(corner(v, j), a), sub(corner(v, k), a)
    n = cross(e1, e2)
    length = norm(n)
    if length < NEEDLE * norm(e1) * norm(e2):
        n = area(a, corner(v, j), corner(v, k))
        length = norm(n)
    if not length > 1e-13 * norm(e1) * norm(e2) or count >= FACES:
        return False
    n = scale(n, 1.0 / length)
    # The smallest height of the corners along n is a lower bound on the distance of the face, even if the
    # normal of a needle-like face is inaccurate.
    ha, hb, hc = dot(n, a), dot(n, corner(v, j)), dot(n, corner(v, k))
    height = min(ha, hb, hc)
    if height < -1e-13 * max(norm(a), norm(e1)):
        return False
    faces[A, count], faces[B, count], faces[C, count] = float(i), float(j), float(k)
    faces[FACE_NORMAL, count], faces[FACE_NORMAL + 1, count], faces[FACE_NORMAL + 2, count] = n
    faces[DISTANCE, count], faces[TOP, count], faces[CLOSED, count] = height, max(ha, hb, hc), OPEN
    return True


@uncounted
def tetrahedron(v, faces, rounding):
    """Create the faces of the first four vertices, wound outward: their number, or 0 if the vertices are coplanar."""
    a, b, c, d = corner(v, 0), corner(v, 1), corner(v, 2), corner(v, 3)
    base = area(a, b, c)
    volume = dot(base, sub(d, a))
    largest = max(norm(base), norm(area(a, b, d)), norm(area(a, c, d)), norm(area(b, c, d)))
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


@uncounted
def _lightest(v, count):
    """Move the corner with the smallest weight to the end."""
    least = 0
    for i in range(1, count):
        if v[i, WEIGHT] < v[least, WEIGHT]:
            least = i
    for c in range(v.shape[1]):
        v[least, c], v[count - 1, c] = v[count - 1, c], v[least, c]


@uncounted
def complete(pair, v, count, jets, rounding):
    """Extend a flat simplex around the origin to a tetrahedron: (evaluations, best F, its n).

    Corners that add no dimension are removed, those with the smallest weight first; new ones are found on both
    sides of the plane (or line) of the others, so that the origin stays inside.
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
    evaluations, best, best_n = 0, -1e300, vertex_normal(v, 0)
    for i in range(count, 4):
        a = corner(v, 0)
        n = vertex_normal(v, 0)
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


@uncounted
def _across(v, count):
    """Unit vector perpendicular to the edges of a point, segment or triangle."""
    if count < 2:
        return (0.0, 0.0, 1.0)
    e = sub(corner(v, 1), corner(v, 0))
    n = cross(e, sub(corner(v, 2), corner(v, 0))) if count == 3 else e
    if count == 3 and norm(n) > 0.0:
        return unit(n)
    n, _ = frame(unit(e))
    return n


@uncounted
def enclose(pair, v, faces, jets, rounding):
    """Faces of a tetrahedron around the origin, from four corners close to it: (0 or 4, evaluations).

    A simplex that contains the origin only up to rounding errors may not contain it after `complete`.
    """
    corners, evaluations = 4, 0
    for _ in range(ENCLOSING):
        corners, p = nearest(v, corners)
        if corners == 4:
            return tetrahedron(v, faces, rounding), evaluations
        n = unit(p) if norm(p) > 0.0 else _across(v, corners)
        f, w, x = evaluate(pair, n, jets)
        evaluations += 1
        if not (-1e300 < f < 0.0):
            break
        put(v, corners, w, n, x)
        corners += 1
    return 0, evaluations


@uncounted
def expand(v, new, faces, count, edges, margin):
    """Add vertex `new` to the polytope: the new number of faces, or 0 if nothing was changed.

    Faces that lie more than `margin` below the vertex are replaced.  Nothing is changed if there are none, or if a
    new face would have no area or have the origin outside.  With a negative margin the surface may become slightly
    concave; the proof holds as long as the origin is inside every face.
    """
    p = corner(v, new)
    for t in range(count):
        height = faces[FACE_NORMAL, t] * p[0] + faces[FACE_NORMAL + 1, t] * p[1] + faces[FACE_NORMAL + 2, t] * p[2]
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
    # The last faces overwrite those that the new vertex sees.
    total = count + outer
    for t in range(count - 1, -1, -1):
        if faces[SEEN, t] > 0.0:
            total -= 1
            for c in range(FACE_COLUMNS):
                faces[c, t] = faces[c, total]
    return total


@uncounted
def is_covered(faces, t, n, depth, cap):
    """Whether all directions in which D could end nearer than `depth` behind face t lie in the cap around n.

    If the supporting plane m.x = H of D has H < depth, the ray along m leaves the polytope at some s <= H, through a
    face with distance = s cos(angle between m and its normal): this angle is at most acos(distance / depth).
    """
    if cap == 0.0:
        return False
    cosine = -dot(face_normal(faces, t), n)
    open_angle = math.acos(min(max(faces[DISTANCE, t] / depth, 0.0), 1.0))
    return math.acos(min(max(cosine, -1.0), 1.0)) + open_angle < cap


@uncounted
def face_secant(v, faces, t):
    """Mean of the normals at the corners of a face, weighted by the barycentric coordinates of its nearest point."""
    i, j, k = int(faces[A, t]), int(faces[B, t]), int(faces[C, t])
    n = face_normal(faces, t)
    p = scale(n, faces[DISTANCE, t])
    a, b, c = sub(corner(v, i), p), sub(corner(v, j), p), sub(corner(v, k), p)
    m = scale(vertex_normal(v, i), max(dot(cross(b, c), n), 0.0))
    m = axpy(m, max(dot(cross(c, a), n), 0.0), vertex_normal(v, j))
    m = axpy(m, max(dot(cross(a, b), n), 0.0), vertex_normal(v, k))
    length = norm(m)
    return scale(m, 1.0 / length) if length > 0.5 * norm(cross(sub(b, a), sub(c, a))) else scale(n, -1.0)


@uncounted
def best_elsewhere(v, vertices, n, k):
    """Normal of the vertex with the largest F near the k-th of three directions across n, or -n if there is none."""
    t, s = frame(n)
    angle = 2.0 * math.pi * k / 3.0
    towards = axpy(scale(t, math.cos(angle)), math.sin(angle), s)
    best, found = -1e300, scale(n, -1.0)
    for i in range(vertices):
        m = vertex_normal(v, i)
        f = dot(m, corner(v, i))
        if f > best and dot(m, towards) > 0.5:
            best, found = f, m
    return found
