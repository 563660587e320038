"""Cubic splines in space, restricted to the unit sphere: twice continuously differentiable, no poles, no seams.

The cube from -1 to 1 is divided into equal cells; the spline is the tensor product of uniform cubic B-splines.
"""

from ..compiled.jit import entry, jit
from .vectors import norm


@jit
def cubic_weights(t, per_length):
    """The four B-splines that are nonzero on a cell, at its fraction t, with two derivatives."""
    r = 1.0 - t
    q = per_length * per_length
    return (
        (
            r * r * r / 6.0,
            (4.0 + t * t * (3.0 * t - 6.0)) / 6.0,
            (4.0 + r * r * (3.0 * r - 6.0)) / 6.0,
            t * t * t / 6.0,
        ),
        (
            -0.5 * r * r * per_length,
            t * (1.5 * t - 2.0) * per_length,
            -r * (1.5 * r - 2.0) * per_length,
            0.5 * t * t * per_length,
        ),
        (r * q, (3.0 * t - 2.0) * q, (3.0 * r - 2.0) * q, t * q),
    )


@jit
def cell_of(x, cells):
    """Index of the cell that contains x, and the fraction of the cell below x."""
    place = 0.5 * (x + 1.0) * cells
    i = min(max(int(place), 0), cells - 1)
    return i, place - i


@jit
def spline_sum(c, cells, n):
    """Value, gradient and Hessian of the spline with the coefficients c[(i M + j) M + k], M = cells + 3."""
    per_length = 0.5 * cells
    i, s = cell_of(n[0], cells)
    j, t = cell_of(n[1], cells)
    k, u = cell_of(n[2], cells)
    wx, dx, ddx = cubic_weights(s, per_length)
    wy, dy, ddy = cubic_weights(t, per_length)
    (w0, w1, w2, w3), (d0, d1, d2, d3), (e0, e1, e2, e3) = cubic_weights(u, per_length)
    count = cells + 3
    p, px, py, pz = 0.0, 0.0, 0.0, 0.0
    pxx, pxy, pxz, pyy, pyz, pzz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(4):
        # Sums over y and z: value, z, zz, y, yz, yy
        q, qz, qzz, qy, qyz, qyy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for b in range(4):
            o = ((i + a) * count + j + b) * count + k
            c0, c1, c2, c3 = c[o], c[o + 1], c[o + 2], c[o + 3]
            f = w0 * c0 + w1 * c1 + w2 * c2 + w3 * c3
            fz = d0 * c0 + d1 * c1 + d2 * c2 + d3 * c3
            fzz = e0 * c0 + e1 * c1 + e2 * c2 + e3 * c3
            q += wy[b] * f
            qz += wy[b] * fz
            qzz += wy[b] * fzz
            qy += dy[b] * f
            qyz += dy[b] * fz
            qyy += ddy[b] * f
        p += wx[a] * q
        pz += wx[a] * qz
        pzz += wx[a] * qzz
        py += wx[a] * qy
        pyz += wx[a] * qyz
        pyy += wx[a] * qyy
        px += dx[a] * q
        pxz += dx[a] * qz
        pxy += dx[a] * qy
        pxx += ddx[a] * q
    return p, (px, py, pz), (pxx, pxy, pxz, pyy, pyz, pzz)


@entry
def spline_rows(cells, normals, columns, rows):
    """Write the indices (J, 64) of coefficients that act at unit vectors, and their parts of the ten derivatives."""
    per_length = 0.5 * cells
    count = cells + 3
    for line in range(len(normals)):
        i, s = cell_of(normals[line, 0], cells)
        j, t = cell_of(normals[line, 1], cells)
        k, u = cell_of(normals[line, 2], cells)
        wx, dx, ddx = cubic_weights(s, per_length)
        wy, dy, ddy = cubic_weights(t, per_length)
        wz, dz, ddz = cubic_weights(u, per_length)
        for a in range(4):
            for b in range(4):
                for d in range(4):
                    at = 16 * a + 4 * b + d
                    columns[line, at] = ((i + a) * count + j + b) * count + k + d
                    row = rows[line, at]
                    row[0] = wx[a] * wy[b] * wz[d]
                    row[1] = dx[a] * wy[b] * wz[d]
                    row[2] = wx[a] * dy[b] * wz[d]
                    row[3] = wx[a] * wy[b] * dz[d]
                    row[4] = ddx[a] * wy[b] * wz[d]
                    row[5] = dx[a] * dy[b] * wz[d]
                    row[6] = dx[a] * wy[b] * dz[d]
                    row[7] = wx[a] * ddy[b] * wz[d]
                    row[8] = wx[a] * dy[b] * dz[d]
                    row[9] = wx[a] * wy[b] * ddz[d]


@jit
def unit_and_length(n):
    length = norm(n)
    i = 1.0 / length
    return (n[0] * i, n[1] * i, n[2] * i), length
