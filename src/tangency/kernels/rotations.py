"""Checks of poses from outside, and the nearest rigid motions, as rows of [R | t]."""

import math

from ..compiled.jit import entry, jit, lane, peek

ROW = 12  # numbers per pose: the 3x4 matrix [R | t], row by row
DEFECT, DETERMINANT, FARTHEST, LAST = 0, 1, 2, 3  # columns of the report of a check


@jit
def set_pose(poses, k, columns, home):
    """Write pose k from the three columns of R and t."""
    for c in range(3):
        poses[k, c], poses[k, 4 + c], poses[k, 8 + c] = columns[c]
    set_place(poses, k, home)


@jit
def set_place(poses, k, home):
    """Write the position of pose k."""
    poses[k, 3], poses[k, 7], poses[k, 11] = home


@jit
def _settle(p, k):
    """Replace R of pose k by the nearest rotation; return its defect and determinant.

    The defect is the largest entry of R R' - I, infinite if an entry is not a finite number.  Two steps
    of Newton's method, R -> (3 R - R R'R) / 2, make a pose read from a file with nine digits rigid.
    """
    a, b, c, d, e, f, g, h, i = p[k, 0], p[k, 1], p[k, 2], p[k, 4], p[k, 5], p[k, 6], p[k, 8], p[k, 9], p[k, 10]
    squares = max(abs(a * a + b * b + c * c - 1.0), abs(d * d + e * e + f * f - 1.0), abs(g * g + h * h + i * i - 1.0))
    products = max(abs(a * d + b * e + c * f), abs(a * g + b * h + c * i), abs(d * g + e * h + f * i))
    defect = max(squares, products)
    if not (defect < 1e300 and abs(a + b + c + d + e + f + g + h + i) < 1e300):
        return math.inf, 1.0
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if 2e-15 < defect < 1e-3:
        for _ in range(2):
            xx, yy, zz = a * a + b * b + c * c, d * d + e * e + f * f, g * g + h * h + i * i
            xy, xz, yz = a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i
            square = (xx, xy, xz, yy, yz, zz)
            a, d, g = _better((a, d, g), square)
            b, e, h = _better((b, e, h), square)
            c, f, i = _better((c, f, i), square)
        p[k, 0], p[k, 1], p[k, 2], p[k, 4], p[k, 5], p[k, 6], p[k, 8], p[k, 9], p[k, 10] = a, b, c, d, e, f, g, h, i
    return defect, determinant


@jit
def _better(column, square):
    """Newton step for a column v of R: (3 v - R R'v) / 2, with the symmetric `square` R R'."""
    x, y, z = column
    xx, xy, xz, yy, yz, zz = square
    return (
        1.5 * x - 0.5 * (xx * x + xy * y + xz * z),
        1.5 * y - 0.5 * (xy * x + yy * y + yz * z),
        1.5 * z - 0.5 * (xz * x + yz * y + zz * z),
    )


@jit
def _farthest(p, k):
    x, y, z = abs(p[k, 3]), abs(p[k, 7]), abs(p[k, 11])
    return max(x, y, z) if x + y + z < math.inf else math.inf


@lane
def _fine(p, k):
    """Whether pose k is a rigid motion to machine precision: a quick test that nearly all poses pass.

    The first two rows are orthogonal unit vectors and the third one is their cross product.
    """
    a, b, c, d, e, f, g, h, i = p[k, 0], p[k, 1], p[k, 2], p[k, 4], p[k, 5], p[k, 6], p[k, 8], p[k, 9], p[k, 10]
    xx, yy, xy = a * a + b * b + c * c - 1.0, d * d + e * e + f * f - 1.0, a * d + b * e + c * f
    x, y, z = b * f - c * e - g, c * d - a * f - h, a * e - b * d - i
    defect = xx * xx + yy * yy + xy * xy + x * x + y * y + z * z
    return (defect <= 4e-30) & (abs(p[k, 3]) + abs(p[k, 7]) + abs(p[k, 11]) < 1e60)


@entry
def from_frames(given, start, stop, p, report):
    """Poses start..stop from 4x4 matrices (rows of sixteen)."""
    worst, least, farthest, last = 0.0, 1.0, 0.0, 0.0
    for k in range(start, stop):
        for c in range(ROW):
            p[k, c] = peek(given, 16 * k + c)
        row = abs(given[k, 12]) + abs(given[k, 13]) + abs(given[k, 14]) + abs(given[k, 15] - 1.0)
        last = max(last, row) if row < math.inf else math.inf
        if not _fine(p, k):
            defect, determinant = _settle(p, k)
            worst, least, farthest = max(worst, defect), min(least, determinant), max(farthest, _farthest(p, k))
    report[DEFECT], report[DETERMINANT], report[FARTHEST], report[LAST] = worst, least, farthest, last


@entry
def from_parts(rotations, step, positions, stride, start, stop, p, report):
    """Poses start..stop from rotations (rows of nine) and positions (rows of three); pose k takes row k * step."""
    worst, least, farthest = 0.0, 1.0, 0.0
    for k in range(start, stop):
        i, j = 9 * k * step, 3 * k * stride
        for c in range(3):
            p[k, 4 * c] = peek(rotations, i + 3 * c)
            p[k, 4 * c + 1] = peek(rotations, i + 3 * c + 1)
            p[k, 4 * c + 2] = peek(rotations, i + 3 * c + 2)
            p[k, 4 * c + 3] = peek(positions, j + c)
        if not _fine(p, k):
            defect, determinant = _settle(p, k)
            worst, least, farthest = max(worst, defect), min(least, determinant), max(farthest, _farthest(p, k))
    report[DEFECT], report[DETERMINANT], report[FARTHEST], report[LAST] = worst, least, farthest, 0.0


@jit
def _turn(p, k, q):
    """Write R of pose k from a unit quaternion, scalar last.

    It has the bits of SciPy's ``Rotation.as_matrix``; `quaternions.matrix` has others.
    """
    x, y, z, w = q
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    p[k, 0], p[k, 1], p[k, 2] = xx - yy - zz + ww, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)
    p[k, 4], p[k, 5], p[k, 6] = 2.0 * (x * y + z * w), -xx + yy - zz + ww, 2.0 * (y * z - x * w)
    p[k, 8], p[k, 9], p[k, 10] = 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), -xx - yy + zz + ww


@entry
def from_quaternions(rotations, step, positions, stride, start, stop, p, report):
    """As `from_parts`, with rotations as unit quaternions, scalar last (rows of four)."""
    worst, least, farthest = 0.0, 1.0, 0.0
    for k in range(start, stop):
        i, j = 4 * k * step, 3 * k * stride
        q = (peek(rotations, i), peek(rotations, i + 1), peek(rotations, i + 2), peek(rotations, i + 3))
        _turn(p, k, q)
        set_place(p, k, (peek(positions, j), peek(positions, j + 1), peek(positions, j + 2)))
        if not _fine(p, k):
            defect, determinant = _settle(p, k)
            worst, least, farthest = max(worst, defect), min(least, determinant), max(farthest, _farthest(p, k))
    report[DEFECT], report[DETERMINANT], report[FARTHEST], report[LAST] = worst, least, farthest, 0.0


@jit
def from_frame(given, p):
    """Write the pose of one 4x4 matrix (sixteen numbers); False if it needs the full check."""
    for c in range(ROW):
        p[0, c] = given[c]
    return _fine(p, 0) and abs(given[12]) + abs(given[13]) + abs(given[14]) + abs(given[15] - 1.0) <= 1e-12


@jit
def from_turn(rotation, position, p):
    """Write the pose of one rotation (nine numbers) and one position; False if it needs the full check."""
    for i in range(3):
        for j in range(3):
            p[0, 4 * i + j] = rotation[3 * i + j]
        p[0, 4 * i + 3] = position[i]
    return _fine(p, 0)


@jit
def from_quaternion(q, position, p):
    """The same from a unit quaternion, scalar last."""
    _turn(p, 0, (q[0], q[1], q[2], q[3]))
    for i in range(3):
        p[0, 4 * i + 3] = position[i]
    return _fine(p, 0)
