"""Depth of two bodies that overlap: a growing polytope proves, Newton polishes.

The set D of all w = x_B - x_A contains the origin; the depth is the distance from the origin to the
boundary of D, and F(n) = min n.w over D.  The convex hull of evaluated w(n) lies inside D, so its
nearest face proves depth >= its distance (`upper` = minus that), while every n proves depth <= -F(n).
Looking always behind the nearest face (EPA) is a global search: a face that is farther away than the
best depth cannot hide a better one.
"""

import math

from ...compiled.jit import jit
from ...kernels.jet import JET, hessian_of
from ...kernels.simplex import WEIGHT, blend
from ...kernels.simplex import nearest as nearest_point
from ...kernels.vectors import add, axpy, congruence, cross, dot, frame, norm, scale, sub, sym_add, unit
from .kink import climb_kink
from .pair import core_of, evaluate, moved, newton_step
from .separation import POINT, put

VERTICES, FACES, EDGES = 520, 1100, 1100
FALLS = 4  # climbs in vain: then there is no curvature to climb by
COVERED = 2.0  # a closed face that is proved by the cap around the best normal
SPARE = 5  # rows behind the vertices, for a simplex
CLOSE = 1e-6  # between the points of both bodies with a common normal, of their size, where they touch in one point
# Columns of a face: corners, normal, proved distance, height of its highest corner; whether a new
# vertex sees it; whether it can grow no more.
_A, _B, _C, _N, _D, _TOP, _SEEN, _CLOSED, FACE_COLUMNS = 0, 1, 2, 3, 6, 7, 8, 9, 10


@jit
def _cap(pair, f, jets, reach):
    """Angle around a local maximum f of F within which nothing is better; 0 if that is not known.

    The jets are those of the last evaluation, at the maximum or next to it.

    On a great circle through n with the normal u the curvature of an ellipsoid is C / h^3, C constant
    (Hess h along the circle is det S u'S^-1 u / h^3), and h grows by at most the largest semi-axis
    per radian: K decreases at most like (1 + a t / h)^-3.  With G(t) = F(t) - n(t).w the identity
    G'' + G = -K gives F(t) <= F + (-F - K_least) (1 - cos t): no gain as long as K_least >= -F.
    `reach` holds the largest semi-axes, 0 for bodies of another kind; f is F of the whole bodies.
    """
    if not (reach[0] > 0.0 and reach[1] > 0.0 and f < 0.0):
        return 0.0
    a, b = hessian_of(jets, 0), congruence(pair.rotation, hessian_of(jets, JET))
    k = sym_add(a, b)
    trace = k[0] + k[3] + k[5]
    minors = k[0] * k[3] - k[1] * k[1] + k[0] * k[5] - k[2] * k[2] + k[3] * k[5] - k[4] * k[4]
    least = 0.5 * trace - math.sqrt(max(0.25 * trace * trace - minors, 0.0))
    ratio = 0.9 * least / -f  # what is missing to 1 outweighs a residual slope
    if not ratio > 1.0:
        return 0.0
    grows = ratio ** (1.0 / 3.0) - 1.0
    return max(grows * min(jets[0] / reach[0], jets[JET] / reach[1]) - 2e-5, 0.0)


@jit
def climb(pair, n, bends, size, tolerance, rounding, budget, jets, scratch):
    """Local maximum of F from n: (found, f, distance, normal, foot, evaluations)."""
    f, w, x = evaluate(pair, n, jets)
    evaluations = 1
    while evaluations < budget:
        tangential = axpy(w, -dot(n, w), n)
        g = norm(tangential)
        foot = axpy(x, 0.5, tangential)
        d, gain, shift_a, concave = newton_step(pair, jets, n, f, w)
        if g <= 1e-6 * size and concave and gain <= tolerance and norm(d) < 1e-5:
            return True, f, f + gain, unit(add(n, d)), add(x, shift_a), evaluations
        if g <= rounding or max(jets[4], jets[7], jets[9], jets[14], jets[17], jets[19]) <= 1e-9 * size:
            # Stationary, or a corner against a corner: no curvature to climb by.
            return g <= rounding and concave, f, f, n, foot, evaluations
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
            return False, f, f, n, foot, evaluations
        n, f, w, x = trial, ft, wt, xt
    return False, f, f, n, x, evaluations


@jit
def _ascend(pair, n, bends, size, tolerance, rounding, jets, scratch, simplex):
    """As `climb`, also to a kink."""
    found, f, distance, m, foot, evaluations = climb(pair, n, bends, size, tolerance, rounding, 60, jets, scratch)
    if not found:
        found, f, distance, m, foot, used = climb_kink(pair, m, tolerance, rounding, jets, simplex)
        evaluations += used
    return found, f, distance, m, foot, evaluations


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
    # The smallest of the corners' heights over a plane through the origin bounds the distance of the
    # face, however badly a needle of a face knows its normal.
    ha, hb, hc = dot(n, a), dot(n, _corner(v, j)), dot(n, _corner(v, k))
    height = min(ha, hb, hc)
    if height < -1e-13 * max(norm(a), norm(e1)):
        return False
    faces[_A, count], faces[_B, count], faces[_C, count] = float(i), float(j), float(k)
    faces[_N, count], faces[_N + 1, count], faces[_N + 2, count] = n
    faces[_D, count], faces[_TOP, count], faces[_CLOSED, count] = height, max(ha, hb, hc), 0.0
    return True


@jit
def _tetrahedron(v, faces, rounding):
    """Faces of the first four vertices, wound outward; 0 if they are flat."""
    a, b, c, d = _corner(v, 0), _corner(v, 1), _corner(v, 2), _corner(v, 3)
    ab, ac, ad = sub(b, a), sub(c, a), sub(d, a)
    volume = dot(cross(ab, ac), ad)
    longest = max(norm(ab), norm(ac), norm(ad))
    if not abs(volume) > 8.0 * rounding * longest * longest:
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
    """Raise a flat simplex around the origin to a tetrahedron: (evaluations, best F, its n).

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
    evaluations, best, best_n = 0, -1e300, (v[0, 4], v[0, 5], v[0, 6])
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
        if max(f, g) > best:
            best, best_n = (f, n) if f >= g else (g, back)
    return evaluations, best, best_n


@jit
def _expand(v, new, faces, count, edges, margin):
    """Hull of the polytope and vertex `new`: the new number of faces, or 0 with nothing changed.

    Faces that the vertex sees from higher than `margin` go; nothing is changed where it sees none, or
    a face would arise without area or with the origin outside.  With a negative margin the surface may
    become slightly hollow: as long as the origin sees every face from inside it proves the same.
    """
    p = _corner(v, new)
    for t in range(count):
        height = faces[_N, t] * p[0] + faces[_N + 1, t] * p[1] + faces[_N + 2, t] * p[2]
        faces[_SEEN, t] = height - faces[_TOP, t] - margin
    horizon, seen = 0, 0
    for t in range(count):
        if faces[_SEEN, t] > 0.0:
            if horizon + 3 > EDGES:
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
            faces[_SEEN, count + outer] = 0.0
            outer += 1
    if outer < 3 or seen == count:
        return 0
    # The last faces take the places of those that the new vertex sees.
    total = count + outer
    for t in range(count - 1, -1, -1):
        if faces[_SEEN, t] > 0.0:
            total -= 1
            for c in range(FACE_COLUMNS):
                faces[c, t] = faces[c, total]
    return total


@jit
def penetrate(
    pair, n, corners, followed, bends, size, tolerance, rounding, budget, reach, jets, scratch, v, faces, edges
):  # fmt: skip
    """Global depth: (proved, found, lower, upper, distance, normal, foot, evaluations).

    The first `corners` rows of `v` are the simplex that `separate` found, n its best normal or, if
    `followed`, a guess next to which an answer is enough.  `found` tells that the answer is a local
    maximum to the tolerance, `proved` that it is the global one.
    """
    origin = blend(v, corners, POINT)
    found, lower, distance, n, foot, evaluations = _ascend(
        pair, n, bends, size, tolerance, rounding, jets, scratch, v[VERTICES : VERTICES + SPARE]
    )
    core = core_of(pair)
    cap, covered = _cap(pair, lower - core, jets, reach) if found else 0.0, False
    upper = 0.0
    if lower >= -tolerance:
        _, w, _ = evaluate(pair, n, jets)
        if norm(axpy(w, -dot(n, w), n)) > CLOSE * size:
            # Faces or edges touch: n does not tell where, but the bodies meet in a point that is known.
            foot = origin
        return True, True, lower, upper, distance, n, foot, evaluations + 1
    if followed and found:
        return False, True, lower, upper, distance, n, foot, evaluations
    count = _tetrahedron(v, faces, rounding) if corners == 4 else 0
    if count == 0:
        used, f, m = _complete(pair, v, corners, jets, rounding)
        evaluations += used
        if f >= -tolerance:
            # D has no volume: its plane touches the origin, the cores meet in the point that gave the proof.
            return True, True, f, upper, f, m, origin, evaluations
        count = _tetrahedron(v, faces, rounding)
    vertices, behind, refused, reopened, flat, falls = 4, False, 0, 0, not found, 0
    while count > 0 and evaluations < budget and vertices < VERTICES:
        nearest, nearby, closed = -1, 1e300, 1e300
        for t in range(count):
            if faces[_CLOSED, t] == 1.0:
                closed = min(closed, faces[_D, t])
            elif faces[_CLOSED, t] == 0.0 and faces[_D, t] < nearby:
                nearest, nearby = t, faces[_D, t]
        if nearby < -lower and _covered(faces, nearest, n, -lower, cap):
            faces[_CLOSED, nearest], covered = COVERED, True
            continue
        if covered:
            closed = min(closed, -distance)
        upper = min(upper, -max(min(nearby, closed), 0.0))
        if upper - lower <= tolerance:
            if flat:
                foot = _foot(v, vertices, n, lower, size, rounding)
            return True, True, lower, upper, distance, n, foot, evaluations
        if nearest < 0 or nearby >= -lower:
            if closed >= -lower or reopened > 2:
                break
            # All else is farther away; around the closed faces the polytope may have changed.
            reopened += 1
            for t in range(count):
                if faces[_CLOSED, t] == 1.0:
                    faces[_CLOSED, t] = 0.0
            continue
        # Behind the face, and in turn where its corners' normals point to.
        m = (-faces[_N, nearest], -faces[_N + 1, nearest], -faces[_N + 2, nearest])
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
            return False, False, lower, upper, distance, n, foot, evaluations
        put(v, vertices, w, m, x)
        if f > lower + tolerance and falls < FALLS:
            # Behind this face lies something better: climb there.
            found, lower, distance, n, foot, used = _ascend(
                pair, m, bends, size, tolerance, rounding, jets, scratch, v[VERTICES : VERTICES + SPARE]
            )
            evaluations += used
            flat = not found
            falls += 1 if flat else 0
            cap, covered = _cap(pair, lower - core, jets, reach) if found else 0.0, False
            for t in range(count):
                if faces[_CLOSED, t] == COVERED:
                    faces[_CLOSED, t] = 0.0
        elif f > lower + tolerance or (flat and f > lower):
            found, flat, lower, distance, n = False, True, f, f, m
        grown, margin = _expand(v, vertices, faces, count, edges, rounding), -10.0 * rounding
        while grown == 0 and margin > -1e-5 * size:
            # A face without area arises where neighbours lie in one plane: take them away together.
            grown, margin = _expand(v, vertices, faces, count, edges, margin), 10.0 * margin
        if grown > 0:
            count, refused = grown, 0
            vertices += 1
        else:
            refused += 1
            if behind and -f - nearby <= 2.0 * rounding:
                # The nearest face lies on the boundary of D: nothing is nearer.
                if flat:
                    lower, distance, n = f, f, m
                    foot = _foot(v, vertices, n, lower, size, rounding)
                return True, True, lower, max(upper, lower), distance, n, foot, evaluations
            if refused > 3:
                faces[_CLOSED, nearest], refused = 1.0, 0
    if not found:
        found, f, reached, m, x, used = _ascend(
            pair, n, bends, size, tolerance, rounding, jets, scratch, v[VERTICES : VERTICES + SPARE]
        )
        evaluations += used
        if found and f >= lower - tolerance:
            lower, distance, n, foot, flat = f, reached, m, x, False
    if flat:
        foot = _foot(v, vertices, n, lower, size, rounding)
    found = found or upper - lower <= 1e-8 * size
    return False, found, lower, upper, distance, n, foot, evaluations


@jit
def _covered(faces, t, n, depth, cap):
    """Whether all directions in which the polytope at face t is nearer than `depth` lie in the cap around n.

    If the plane n.x = H touches the boundary at H < depth, the ray along n meets the polytope at t <= H,
    in a face with distance = t cos(angle to n): the angle is at most acos(distance / depth).
    """
    cosine = -(faces[_N, t] * n[0] + faces[_N + 1, t] * n[1] + faces[_N + 2, t] * n[2])
    open_angle = math.acos(min(max(faces[_D, t] / depth, 0.0), 1.0))
    return math.acos(min(max(cosine, -1.0), 1.0)) + open_angle < cap  # never for a cap of 0


@jit
def _foot(v, vertices, n, f, size, rounding):
    """Contact point on A at a flat place of D with the normal -n.

    The corners of the polytope next to the plane n.w = f, projected on it, surround the foot of the
    origin; their weights, found as in GJK, blend the points on A.  The band of corners is widened
    until they do.
    """
    m = v[vertices : vertices + SPARE]
    band, best, x = 4.0 * rounding, 1e300, (v[0, POINT], v[0, POINT + 1], v[0, POINT + 2])
    while band <= 1e-6 * size:
        count, p = 0, (0.0, 0.0, 0.0)
        for step in range(20):
            lowest, pick = 1e300, -1
            for i in range(vertices):
                w = _corner(v, i)
                if dot(n, w) - f <= band:
                    height = dot(p, w) if step > 0 else 0.0
                    if height < lowest:
                        lowest, pick = height, i
            if pick < 0 or (step > 0 and dot(p, p) - lowest <= rounding * norm(p)):
                break
            w = _corner(v, pick)
            t = axpy(w, -dot(n, w), n)
            m[count, 0], m[count, 1], m[count, 2] = t
            m[count, WEIGHT] = 0.0
            m[count, 4], m[count, 5], m[count, 6] = v[pick, POINT], v[pick, POINT + 1], v[pick, POINT + 2]
            count, _ = nearest_point(m, count + 1)
            p = blend(m, count, 0)
            if count == 4 or norm(p) <= rounding:
                break
        if count > 0 and norm(p) < best:
            best, x = norm(p), axpy(blend(m, count, 4), 0.5, p)
        if best <= 1e-9 * size:
            break
        band *= 30.0
    return x


@jit
def _face_secant(v, faces, t):
    """Mean normal of a face's corners, weighted as its point nearest to the origin: inverse interpolation."""
    i, j, k = int(faces[_A, t]), int(faces[_B, t]), int(faces[_C, t])
    n = (faces[_N, t], faces[_N + 1, t], faces[_N + 2, t])
    p = scale(n, faces[_D, t])
    a, b, c = sub(_corner(v, i), p), sub(_corner(v, j), p), sub(_corner(v, k), p)
    m = scale((v[i, 4], v[i, 5], v[i, 6]), max(dot(cross(b, c), n), 0.0))
    m = axpy(m, max(dot(cross(c, a), n), 0.0), (v[j, 4], v[j, 5], v[j, 6]))
    m = axpy(m, max(dot(cross(a, b), n), 0.0), (v[k, 4], v[k, 5], v[k, 6]))
    length = norm(m)
    return scale(m, 1.0 / length) if length > 0.5 * norm(cross(sub(b, a), sub(c, a))) else scale(n, -1.0)
