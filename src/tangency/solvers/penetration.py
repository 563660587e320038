"""Depth of two bodies that overlap: a growing polytope proves, Newton polishes.

The set D of all w = x_B - x_A contains the origin; the depth is the distance from the origin to the
boundary of D, and F(n) = min n.w over D.  The convex hull of evaluated w(n) lies inside D, so its
nearest face proves depth >= its distance (`upper` = minus that), while every n proves depth <= -F(n).
Looking always behind the nearest face (EPA) is a global search: a face that is farther away than the
best depth cannot hide a better one.
"""

from .._jit import jit
from ..kernels.simplex import WEIGHT
from ..kernels.vectors import add, axpy, cross, dot, frame, norm, scale, sub, unit
from .pair import evaluate, moved, newton_step
from .separation import NORMAL, POINT, put

VERTICES, FACES, EDGES = 520, 1100, 1100
# Columns of a face: corners, normal, distance; whether a new vertex sees it; whether it can grow no more.
_A, _B, _C, _N, _D, _SEEN, _CLOSED, FACE_COLUMNS = 0, 1, 2, 3, 6, 7, 8, 9


@jit
def climb(pair, n, bends, size, tolerance, rounding, budget, jets, scratch):
    """Local maximum of F from n: (found, f, distance, normal, middle, evaluations)."""
    f, w, x = evaluate(pair, n, jets)
    evaluations = 1
    distance, middle = f, axpy(x, 0.5, w)
    while evaluations < budget:
        g = norm(axpy(w, -dot(n, w), n))
        d, gain, shift_a, concave = newton_step(pair, jets, n, f, w)
        middle = axpy(x, 0.5, w)
        if g <= 1e-6 * size and concave and gain <= tolerance and norm(d) < 1e-3:
            n = unit(add(n, d))
            return True, f, f + gain, n, axpy(add(x, shift_a), 0.5 * f, n), evaluations
        if g <= rounding or max(jets[4], jets[7], jets[9], jets[14], jets[17], jets[19]) <= 1e-9 * size:
            # Stationary, or a corner against a corner: no curvature to climb by.
            return g <= rounding and concave, f, f, n, middle, evaluations
        length = 1.0
        accepted = False
        while evaluations < budget and length > 1e-4:
            trial = moved(pair, n, scale(d, length), bends, scratch)
            ft, wt, xt = evaluate(pair, trial, jets)
            evaluations += 1
            gt = norm(axpy(wt, -dot(trial, wt), trial))
            if ft > f + 1e-4 * length * gain or (ft > f - rounding and gt < 0.5 * g):
                accepted = True
                break
            length *= 0.2
        if not accepted:
            return False, f, f, n, middle, evaluations
        n, f, w, x = trial, ft, wt, xt
        distance = f
    return False, f, distance, n, axpy(x, 0.5, w), evaluations


@jit
def _corner(v, i):
    return (v[i, 0], v[i, 1], v[i, 2])


@jit
def _add_face(faces, count, v, i, j, k):
    """Append a face with outward normal by its winding; False if it has no area."""
    a = _corner(v, i)
    e1, e2 = sub(_corner(v, j), a), sub(_corner(v, k), a)
    n = cross(e1, e2)
    length = norm(n)
    if not length > 1e-13 * norm(e1) * norm(e2) or count >= FACES:
        return False
    n = scale(n, 1.0 / length)
    if dot(n, a) < -1e-13 * max(norm(a), norm(e1)):
        return False
    faces[count, _A], faces[count, _B], faces[count, _C] = float(i), float(j), float(k)
    faces[count, _N], faces[count, _N + 1], faces[count, _N + 2] = n
    faces[count, _D], faces[count, _CLOSED] = dot(n, a), 0.0
    return True


@jit
def _tetrahedron(v, faces, rounding):
    """Faces of the first four vertices, wound outward; 0 if they are flat."""
    a, b, c, d = _corner(v, 0), _corner(v, 1), _corner(v, 2), _corner(v, 3)
    ab, ac, ad = sub(b, a), sub(c, a), sub(d, a)
    volume = dot(cross(ab, ac), ad)
    longest = max(norm(ab), norm(ac), norm(ad))
    if not abs(volume) > 1e-10 * longest**3 or not longest > rounding:
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
def _complete(pair, v, count, jets, rounding):
    """Raise a flat simplex around the origin to a tetrahedron; the number of evaluations spent.

    Corners that add no dimension go first, lightest first; new ones are looked for on both sides of
    the plane (or line) of the rest, so that the origin stays inside.
    """
    if count == 4:
        _lightest(v, 4)
        count = 3
    if count == 3:
        e, d = sub(_corner(v, 1), _corner(v, 0)), sub(_corner(v, 2), _corner(v, 0))
        longest = max(norm(e), norm(d))
        if not norm(cross(e, d)) > 1e-8 * longest * longest:
            _lightest(v, 3)
            count = 2
    if count == 2 and not norm(sub(_corner(v, 1), _corner(v, 0))) > rounding:
        count = 1
    evaluations = 0
    for i in range(count, 4):
        a = _corner(v, 0)
        n = (v[0, 4], v[0, 5], v[0, 6])
        if i == 2:
            n, _ = frame(unit(sub(_corner(v, 1), a)))
        elif i == 3:
            n = unit(cross(sub(_corner(v, 1), a), sub(_corner(v, 2), a)))
        back = scale(n, -1.0)
        f, w, x = evaluate(pair, n, jets)
        put(v, i, w, n, x)
        g, w, x = evaluate(pair, back, jets)
        if g < f:
            put(v, i, w, back, x)
        evaluations += 2
    return evaluations


@jit
def _expand(v, new, faces, count, edges, margin):
    """Hull of the polytope and vertex `new`: the new number of faces, or 0 with nothing changed.

    Faces that the vertex sees from higher than `margin` go; nothing is changed where it sees none, or
    a face would arise without area or with the origin outside.  With a negative margin the surface may
    become slightly hollow: as long as the origin sees every face from inside it proves the same.
    """
    p = _corner(v, new)
    horizon, kept = 0, 0
    for t in range(count):
        n = (faces[t, _N], faces[t, _N + 1], faces[t, _N + 2])
        visible = dot(n, p) - faces[t, _D] > margin
        faces[t, _SEEN] = 1.0 if visible else 0.0
        if not visible:
            kept += 1
        elif horizon + 3 > EDGES:
            return 0
        else:
            for c in range(3):
                edges[horizon, 0] = faces[t, c]
                edges[horizon, 1] = faces[t, (c + 1) % 3]
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
            outer += 1
    if outer < 3 or kept == 0:
        return 0
    # Drop what the new vertex sees; the new faces stand behind the old ones.
    total = count + outer
    for t in range(count, total):
        faces[t, _SEEN] = 0.0
    kept = 0
    for t in range(total):
        if faces[t, _SEEN] == 0.0:
            if kept != t:
                for c in range(FACE_COLUMNS):
                    faces[kept, c] = faces[t, c]
            kept += 1
    return kept


@jit
def penetrate(pair, n, corners, bends, size, tolerance, rounding, budget, jets, scratch, v, faces, edges):
    """Global depth: (proved, found, lower, upper, distance, normal, middle, evaluations).

    The first `corners` rows of `v` are the simplex that `separate` found, n its best normal.
    `found` tells that the answer is a local maximum to the tolerance, `proved` that it is the global one.
    """
    found, lower, distance, n, middle, evaluations = climb(
        pair, n, bends, size, tolerance, rounding, 60, jets, scratch
    )
    upper = 0.0
    if lower >= -tolerance:
        return True, True, lower, upper, distance, n, middle, evaluations
    count = _tetrahedron(v, faces, rounding) if corners == 4 else 0
    if count == 0:
        evaluations += _complete(pair, v, corners, jets, rounding)
        count = _tetrahedron(v, faces, rounding)
    vertices, behind, refused = 4, False, 0
    while count > 0 and evaluations < budget and vertices < VERTICES:
        nearest, reach, closed = -1, 1e300, 1e300
        for t in range(count):
            if faces[t, _CLOSED] == 1.0:
                closed = min(closed, faces[t, _D])
            elif faces[t, _D] < reach:
                nearest, reach = t, faces[t, _D]
        upper = min(upper, -max(min(reach, closed), 0.0))
        if nearest < 0 or (reach >= -lower and upper - lower > tolerance):
            break
        if upper - lower <= tolerance:
            if not found:
                # A flat place: the points are those below the origin on the nearest face.
                distance, middle = lower, _face_middle(v, faces, nearest)
            return True, True, lower, upper, distance, n, middle, evaluations
        # Behind the face, and in turn where its corners' normals point to.
        m = (-faces[nearest, _N], -faces[nearest, _N + 1], -faces[nearest, _N + 2])
        behind = not behind
        if not behind and max(jets[4], jets[7], jets[9], jets[14], jets[17], jets[19]) <= 1e-9 * size:
            behind = True
        if not behind:
            m = _face_secant(v, faces, nearest)
        if refused > 1:
            # Neither could be added to the polytope: look between the face and the best normal.
            m, behind = unit(add(m, n)), False
        f, w, x = evaluate(pair, m, jets)
        evaluations += 1
        if not abs(f) < 1e300:
            return False, False, lower, upper, distance, n, middle, evaluations
        put(v, vertices, w, m, x)
        if f > lower + tolerance:
            # Behind this face lies something better: climb there.
            found, lower, distance, n, middle, used = climb(
                pair, m, bends, size, tolerance, rounding, 60, jets, scratch
            )
            evaluations += used
            lower = max(lower, f)
        if behind and -f - reach <= rounding:
            # The nearest face lies on the boundary of D: nothing is nearer.
            if f >= lower - tolerance and not found:
                n, distance = m, f
                middle = _face_middle(v, faces, nearest)
                lower = max(lower, f)
            return True, True, lower, max(upper, lower), distance, n, middle, evaluations
        grown, margin = _expand(v, vertices, faces, count, edges, rounding), -10.0 * rounding
        while grown == 0 and margin > -1e-5 * size:
            # A face without area arises where neighbours lie in one plane: take them away together.
            grown, margin = _expand(v, vertices, faces, count, edges, margin), 10.0 * margin
        if grown > 0:
            count, refused = grown, 0
            vertices += 1
        else:
            refused += 1
            if refused > 3:
                faces[nearest, _CLOSED], refused = 1.0, 0
    found = found or upper - lower <= 1e-8 * size
    return False, found, lower, upper, distance, n, middle, evaluations


@jit
def _weights(v, faces, t):
    """Corners of a face and their weights in its point nearest to the origin."""
    i, j, k = int(faces[t, _A]), int(faces[t, _B]), int(faces[t, _C])
    n = (faces[t, _N], faces[t, _N + 1], faces[t, _N + 2])
    p = scale(n, faces[t, _D])
    a, b, c = sub(_corner(v, i), p), sub(_corner(v, j), p), sub(_corner(v, k), p)
    u = max(dot(cross(b, c), n), 0.0)
    s = max(dot(cross(c, a), n), 0.0)
    r = max(dot(cross(a, b), n), 0.0)
    total = u + s + r
    if not total > 0.0:
        u, s, r, total = 1.0, 1.0, 1.0, 3.0
    return (i, j, k), (u / total, s / total, r / total)


@jit
def _blend(v, corners, weights, column):
    p = (0.0, 0.0, 0.0)
    for q in range(3):
        i = corners[q]
        p = axpy(p, weights[q], (v[i, column], v[i, column + 1], v[i, column + 2]))
    return p


@jit
def _face_middle(v, faces, t):
    """Half-way between the points on A and B that belong to the nearest point of a face."""
    corners, weights = _weights(v, faces, t)
    return axpy(_blend(v, corners, weights, POINT), 0.5, _blend(v, corners, weights, 0))


@jit
def _face_secant(v, faces, t):
    """Mean normal of a face's corners, weighted as its nearest point: inverse interpolation."""
    corners, weights = _weights(v, faces, t)
    n = _blend(v, corners, weights, NORMAL)
    length = norm(n)
    return scale(n, 1.0 / length) if length > 0.5 else (-faces[t, _N], -faces[t, _N + 1], -faces[t, _N + 2])
