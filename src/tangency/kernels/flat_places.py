"""Steps along flat places, where a boundary point moves like a small power of the normal."""

import math

from ..compiled.jit import jit


@jit
def power_step(u, du, beta):
    """u + du measured in t, where u = t^beta with beta > 1 and the body is smooth in t.

    Never farther than |u| + |du|; for beta <= 1 the step is not changed.
    """
    if beta <= 1.0 or u == 0.0:
        return u + du
    z = 1.0 + du / (beta * u)
    v = min(abs(u) * abs(z) ** beta, abs(u) + abs(du))
    return math.copysign(v, u * z)


@jit
def bend_ratios(n, d, radii, beta_x, beta_y, beta_z):
    """Bent step for a body whose coordinates follow x_i ~ n_i^(1/beta_i) near n_i = 0.

    The two smaller components (measured in `radii`) are moved as ratios to the largest.
    """
    x, y, z = n
    px, py, pz = x + d[0], y + d[1], z + d[2]
    ax, ay, az = abs(radii[0] * x), abs(radii[1] * y), abs(radii[2] * z)
    if az >= ax and az >= ay:
        if pz * z <= 0.0:
            return (px, py, pz)
        u = power_step(x / z, px / pz - x / z, beta_x)
        v = power_step(y / z, py / pz - y / z, beta_y)
        return (u * pz, v * pz, pz)
    if ax >= ay:
        if px * x <= 0.0:
            return (px, py, pz)
        u = power_step(y / x, py / px - y / x, beta_y)
        v = power_step(z / x, pz / px - z / x, beta_z)
        return (px, u * px, v * px)
    if py * y <= 0.0:
        return (px, py, pz)
    u = power_step(x / y, px / py - x / y, beta_x)
    v = power_step(z / y, pz / py - z / y, beta_z)
    return (u * py, py, v * py)


@jit
def bend_nested(n, d, radii, beta_z, beta_xy):
    """Bent step for a body whose sections in xy have one power and whose profile along z has another.

    Relative to z, the larger of x and y follows the profile; the smaller one follows the larger as in the section.
    """
    x, y, z = n
    px, py, pz = x + d[0], y + d[1], z + d[2]
    ax, ay, az = abs(radii[0] * x), abs(radii[1] * y), abs(radii[2] * z)
    if az < ax or az < ay:
        return bend_ratios(n, d, radii, beta_xy, beta_xy, beta_z)
    if pz * z <= 0.0:
        return (px, py, pz)
    big, small, p_big, p_small = (x, y, px, py) if ax >= ay else (y, x, py, px)
    bent = power_step(big / z, p_big / pz - big / z, beta_z) * pz
    if p_big * big > 0.0:
        other = power_step(small / big, p_small / p_big - small / big, beta_xy) * bent
    else:
        other = power_step(small / z, p_small / pz - small / z, beta_z) * pz
    return (bent, other, pz) if ax >= ay else (other, bent, pz)


@jit
def merge(flat, a, b):
    """Combine the bent directions a, b of one straight step `flat`: the larger bend plus the new part of the other."""
    ca = (a[0] - flat[0], a[1] - flat[1], a[2] - flat[2])
    cb = (b[0] - flat[0], b[1] - flat[1], b[2] - flat[2])
    aa = ca[0] * ca[0] + ca[1] * ca[1] + ca[2] * ca[2]
    bb = cb[0] * cb[0] + cb[1] * cb[1] + cb[2] * cb[2]
    if bb > aa:
        ca, cb, aa = cb, ca, bb
    t = 0.0
    if aa > 0.0:
        t = 1.0 - (ca[0] * cb[0] + ca[1] * cb[1] + ca[2] * cb[2]) / aa
    return (flat[0] + t * ca[0] + cb[0], flat[1] + t * ca[1] + cb[1], flat[2] + t * ca[2] + cb[2])
