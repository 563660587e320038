"""Point of smallest norm in a simplex of at most four points (the subproblem of GJK).

A simplex is stored in the first `count` rows of an array: columns 0-2 hold the point, `WEIGHT` its
barycentric weight after a call; the other columns are carried along.  Vertices of weight zero are dropped.
"""

import math

from ..compiled.jit import uncounted
from .vectors import add, axpy, cross, dot, norm, scale, sub

WEIGHT = 3  # column of the barycentric weight
ROUNDING_OF_ORIGIN = 2e-15  # rounding error of a point at the origin, relative to the corners
SURE_VOLUME = 1e-14  # of the largest length cubed: a volume whose sign is sure
FLAT = 1e-15  # sine of the angle between two edges below which a triangle counts as a line


@uncounted
def _row(m, i):
    return (m[i, 0], m[i, 1], m[i, 2])


@uncounted
def _segment(a, b):
    """Weight of b in the point of segment ab nearest to the origin, and that point."""
    e = sub(b, a)
    ee = dot(e, e)
    if not ee > 0.0 or dot(a, e) >= 0.0:
        return 0.0, a
    if dot(b, e) <= 0.0:
        return 1.0, b
    # Measured from the nearer end; the point is formed by products, which keep its direction however short it is.
    if dot(a, a) <= dot(b, b):
        return -dot(a, e) / ee, scale(cross(cross(e, a), e), 1.0 / ee)
    return 1.0 - dot(b, e) / ee, scale(cross(cross(e, b), e), 1.0 / ee)


@uncounted
def _foot(a, b, c):
    """Whether the foot of the origin lies in triangle abc, whose shortest edge is ab; weights of a, b, c, and the foot.

    Outside, a weight is 1 if the foot is surely on the inner side of the edge opposite to that corner, else 0.
    All products are with the shortest edge: those of two long edges of a needle have lost the short one's digits.
    """
    ab, ac, bc = sub(b, a), sub(c, a), sub(c, b)
    normal = cross(ab, ac)
    nn = dot(normal, normal)
    if not nn > FLAT * FLAT * dot(ab, ab) * dot(ac, ac):
        return False, 0.0, 0.0, 0.0, a
    v, w = dot(cross(ac, a), normal) / nn, dot(cross(a, ab), normal) / nn
    u = 1.0 - v - w
    # A foot outside by e lengthens the nearest point by only e^2 / (2 height).  While that is less
    # than rounding, the plane gives a better direction than an edge or a corner.
    far = math.sqrt(max(dot(a, a), dot(b, b), dot(c, c)))
    area = math.sqrt(nn)
    e = math.sqrt(2e-15 * far * abs(dot(a, normal)) / area) + 4e-15 * far
    u_least, v_least, w_least = e * norm(bc), e * norm(ac), e * norm(ab)
    u_side, v_side, w_side = u * area, v * area, w * area
    if not (u_side >= -u_least and v_side >= -v_least and w_side >= -w_least):
        u, v, w = 1.0 if u_side > u_least else 0.0, 1.0 if v_side > v_least else 0.0, 1.0 if w_side > w_least else 0.0
        return False, u, v, w, a
    # What the weights lack of the foot, which is shorter than the corners.
    p = axpy(axpy(a, v, ab), w, ac)
    v, w = max(v + dot(cross(ac, p), normal) / nn, 0.0), max(w + dot(cross(p, ab), normal) / nn, 0.0)
    u = max(1.0 - v - w, 0.0)
    total = u + v + w
    u, v, w = u / total, v / total, w / total
    height = dot(axpy(axpy(scale(a, u), v, b), w, c), normal)
    return True, u, v, w, scale(normal, height / nn)


@uncounted
def _triangle(a, b, c):
    """Weights of a, b, c in the point of the triangle nearest to the origin, and that point."""
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    c_c, a_a, b_b = dot(ab, ab), dot(bc, bc), dot(ca, ca)
    if c_c <= a_a and c_c <= b_b:
        inside, u, v, w, foot = _foot(a, b, c)
    elif a_a <= b_b:
        inside, v, w, u, foot = _foot(b, c, a)
    else:
        inside, w, u, v, foot = _foot(c, a, b)
    if inside:
        return u, v, w, foot
    # The nearest edge is one that the foot sees from outside.
    try_a, try_b, try_c = u == 0.0, v == 0.0, w == 0.0
    best, p = math.inf, a
    if try_c:
        t, p = _segment(a, b)
        best, u, v, w = dot(p, p), 1.0 - t, t, 0.0
    if try_a:
        t, q = _segment(b, c)
        if dot(q, q) < best:
            best, p, u, v, w = dot(q, q), q, 0.0, 1.0 - t, t
    if try_b:
        t, q = _segment(c, a)
        if dot(q, q) < best:
            p, u, v, w = q, t, 0.0, 1.0 - t
    return u, v, w, p


@uncounted
def _volume(a, b, c):
    """a.(b x c), from the shortest edge of the triangle: for a needle, all other products cancel."""
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    p, q, r = dot(ab, ab), dot(bc, bc), dot(ca, ca)
    if q <= p and q <= r:
        return dot(a, cross(b, bc))
    return dot(b, cross(c, ca)) if r <= p else dot(c, cross(a, ab))


@uncounted
def _holds_origin(m):
    """Whether refined weights of a tetrahedron give the origin: volumes of a needle may have the wrong sign.

    The refinement uses edges from an end of the shortest one, and at the far end of a needle the edge between both
    corners there: edges to them are nearly parallel.
    """
    base, other, shortest = 0, 1, 1e300
    for i in range(4):
        for j in range(i):
            length = norm(sub(_row(m, i), _row(m, j)))
            if length < shortest:
                base, other, shortest = i, j, length
    i, j = 0, 0
    for k in range(4):
        if k not in (base, other):
            i, j = j, k
    a = _row(m, base)
    e, f, g = sub(_row(m, other), a), sub(_row(m, i), a), sub(_row(m, j), a)
    h = sub(_row(m, j), _row(m, i))
    at_far_end = dot(h, h) < dot(g, g)
    if at_far_end:
        g = h
    fg, ge, ef = cross(f, g), cross(g, e), cross(e, f)
    volume = dot(e, fg)
    if volume == 0.0:
        return False
    far = max(norm(a), norm(_row(m, other)), norm(_row(m, i)), norm(_row(m, j)))
    for _ in range(4):
        p = blend(m, 4, 0)
        if norm(p) <= ROUNDING_OF_ORIGIN * far:
            return True
        u, v, w = dot(p, fg) / volume, dot(p, ge) / volume, dot(p, ef) / volume
        m[other, WEIGHT] -= u
        m[i, WEIGHT] -= v - w if at_far_end else v
        m[j, WEIGHT] -= w
        m[base, WEIGHT] = 1.0 - m[other, WEIGHT] - m[i, WEIGHT] - m[j, WEIGHT]
        if min(m[0, WEIGHT], m[1, WEIGHT], m[2, WEIGHT], m[3, WEIGHT]) < 0.0:
            return False
    return False


@uncounted
def nearest(m, count):
    """Reduce the simplex to the face that carries the nearest point.

    Returns the new count and the nearest point, computed from the face's plane: its direction is accurate
    even for a needle-shaped face, but its length is no bound; for that, blend the corners with their
    weights.  A count of 4 means that the origin lies inside.
    """
    a = _row(m, 0)
    if count == 1:
        m[0, WEIGHT] = 1.0
        return 1, a
    b = _row(m, 1)
    if count == 2:
        t, p = _segment(a, b)
        m[0, WEIGHT] = 1.0 - t
        m[1, WEIGHT] = t
        return _drop(m, count), p
    c = _row(m, 2)
    if count == 3:
        u, v, w, p = _triangle(a, b, c)
        m[0, WEIGHT] = u
        m[1, WEIGHT] = v
        m[2, WEIGHT] = w
        return _drop(m, count), p
    d = _row(m, 3)
    # Signed volumes of the four sub-tetrahedra with the origin.
    va = -_volume(b, c, d)
    vb = _volume(a, c, d)
    vc = -_volume(a, b, d)
    vd = _volume(a, b, c)
    total = va + vb + vc + vd
    s = 1.0 if total > 0.0 else -1.0
    if total != 0.0 and va * s >= 0.0 and vb * s >= 0.0 and vc * s >= 0.0 and vd * s >= 0.0:
        m[0, WEIGHT] = va / total
        m[1, WEIGHT] = vb / total
        m[2, WEIGHT] = vc / total
        m[3, WEIGHT] = vd / total
        if _holds_origin(m):
            return 4, (0.0, 0.0, 0.0)
    # The nearest face is one that the origin sees from outside, as far as the signs of the volumes are sure.
    far = math.sqrt(max(dot(a, a), dot(b, b), dot(c, c), dot(d, d)))
    sure = SURE_VOLUME * far * far * far
    if va * s > sure and vb * s > sure and vc * s > sure and vd * s > sure:
        sure = math.inf
    best, p = math.inf, a
    if not vd * s > sure:
        u, v, w, p = _triangle(a, b, c)
        best = dot(p, p)
        m[0, WEIGHT], m[1, WEIGHT], m[2, WEIGHT], m[3, WEIGHT] = u, v, w, 0.0
    if not vc * s > sure:
        u, v, w, q = _triangle(a, b, d)
        if dot(q, q) < best:
            best, p = dot(q, q), q
            m[0, WEIGHT], m[1, WEIGHT], m[2, WEIGHT], m[3, WEIGHT] = u, v, 0.0, w
    if not vb * s > sure:
        u, v, w, q = _triangle(a, c, d)
        if dot(q, q) < best:
            best, p = dot(q, q), q
            m[0, WEIGHT], m[1, WEIGHT], m[2, WEIGHT], m[3, WEIGHT] = u, 0.0, v, w
    if not va * s > sure:
        u, v, w, q = _triangle(b, c, d)
        if dot(q, q) < best:
            p = q
            m[0, WEIGHT], m[1, WEIGHT], m[2, WEIGHT], m[3, WEIGHT] = 0.0, u, v, w
    return _drop(m, count), p


@uncounted
def _drop(m, count):
    kept = 0
    for i in range(count):
        if m[i, WEIGHT] > 0.0:
            if kept != i:
                for j in range(m.shape[1]):
                    m[kept, j] = m[i, j]
            kept += 1
    return kept


@uncounted
def blend(m, count, column):
    """Weighted mean of the three columns that start at `column`."""
    p = (0.0, 0.0, 0.0)
    for i in range(count):
        p = add(p, scale((m[i, column], m[i, column + 1], m[i, column + 2]), m[i, WEIGHT]))
    return p
