"""Jet of a tapered body: its sections z = const are superellipses whose semi-axes are polynomials of the height.

With zeta = z / c and u = |zeta| the surface is (Lopes thesis, Eq. 2.19, for kappa = 1)

    |x / A|^g1 + |y / B|^g2 = m,   A = a tx(zeta),  B = b ty(zeta),  m = (1 - u^g3)^kappa.

The support function is h(n) = max over zeta of c nz zeta + S(zeta), where S is the support function of
the section in the direction (nx, ny): a maximum of a concave function of one variable.  All quantities
are represented by logarithms, and the height by t = log(u^g3 / (1 - u^g3)), which resolves the ends
(u = 1) and the middle (u = 0) as well as the rest.  Lengths are in units of a, b, c and the direction is
(a nx, b ny, c nz) over its largest component, so that no logarithm is large.  Derivatives in u follow from the
envelope theorem:

    dS/du   = lam m (g1 f1 alpha + g2 f2 beta - mu)
    -d2S/du2 = lam m Q,   Q as in `bulge`

where lam is the multiplier, f1 and f2 = 1 - f1 the shares of x and y in m, alpha = tx'/tx, beta = ty'/ty and
mu = -m'/m.  The body is convex if and only if Q > 0 for all heights and all shares.

The point is computed from the shares, |x / A|^g1 = m f1, and so lies on the surface whatever the errors of the
shares and the height; these enter h = n.x only to second order.
"""

import math

from ..compiled.jit import jit

MIN_COMPONENT = 1e-60  # replaces zero in px, py
LEAST_TOP = 1e-300
MAX_T = 345.0  # largest t; in the middle t = -MAX_T g3, where u is 1e-150 for any exponent
MIN_Q = 1e-100  # replaces zero in Q, where a radius of curvature would be infinite
MAX_STEPS = 100
LAST_STEP = 1e-8  # a step below this is the last


@jit
def polynomial(c, z):
    """Value and two derivatives of c0 + c1 z + c2 z^2 + c3 z^3."""
    return (
        c[0] + z * (c[1] + z * (c[2] + z * c[3])),
        c[1] + z * (2.0 * c[2] + 3.0 * z * c[3]),
        2.0 * c[2] + 6.0 * z * c[3],
    )


@jit
def section(l1, l2, q1, q2, log_m, tau):
    """Multiplier log(lam) of a section, from a guess tau; shares f1, f2 of both terms in m, and their logarithms.

    Root of log(exp(q1 (l1 - tau)) + exp(q2 (l2 - tau))) = log m: convex and decreasing, so Newton's method
    increases monotonically after its first step; for q1 = q2 one step suffices.
    """
    spread = q1 - q2
    f1, f2, log_f1, log_f2 = 1.0, 0.0, 0.0, 0.0
    for _ in range(MAX_STEPS):
        e1, e2 = q1 * (l1 - tau) - log_m, q2 * (l2 - tau) - log_m
        top = max(e1, e2)
        f1, f2 = math.exp(e1 - top), math.exp(e2 - top)
        total = f1 + f2
        rest = math.log(total)
        f1, f2, log_f1, log_f2 = f1 / total, f2 / total, e1 - top - rest, e2 - top - rest
        step = (top + rest) / (q1 * f1 + q2 * f2)
        tau += step
        turn = spread * step  # change of the shares; the next step is of the order of its square
        if abs(turn) < 1e-8:
            shift = f1 * f2 * turn
            return tau, f1 - shift, f2 + shift, log_f1 - f2 * turn, log_f2 + f1 * turn
    return tau, f1, f2, log_f1, log_f2


@jit
def bulge(exponents, kappa, shares, slopes, bends, mu, u):
    """Q = -S'' / (lam m) for the shares f1, f2, with slopes tx'/tx, ty'/ty and bends tx''/tx, ty''/ty of the tapers."""
    (g1, g2, g3), (f1, f2), (alpha, beta), (bend_x, bend_y) = exponents, shares, slopes, bends
    k1, k2 = f1 / (g1 - 1.0), f2 / (g2 - 1.0)
    e1, e2, e = g1 * k1, g2 * k2, 1.0 + k1 + k2
    return (
        mu * mu * (1.0 / e + (1.0 - kappa) / kappa)
        + (2.0 * mu * (e1 * alpha + e2 * beta) - e1 * e2 * (alpha - beta) ** 2) / e
        + mu * (g3 - 1.0) / u
        - g1 * f1 * bend_x
        - g2 * f2 * bend_y
    )


@jit
def state(kernel, px, py, side, t, tau):
    """All quantities of a section at the height `side` u, with t = log(u^g3 / (1 - u^g3)); derivatives are in u."""
    e = math.exp(-abs(t))
    soft = math.log1p(e)
    log_p, log_rest = (-soft, -t - soft) if t > 0.0 else (t - soft, -soft)
    log_u = log_p / kernel.g3
    u = math.exp(log_u)
    tx, tx1, tx2 = polynomial((kernel.x0, kernel.x1, kernel.x2, kernel.x3), side * u)
    ty, ty1, ty2 = polynomial((kernel.y0, kernel.y1, kernel.y2, kernel.y3), side * u)
    l1, l2 = math.log(px * tx / kernel.g1), math.log(py * ty / kernel.g2)
    log_m = kernel.kappa * log_rest
    q1, q2 = kernel.g1 / (kernel.g1 - 1.0), kernel.g2 / (kernel.g2 - 1.0)
    tau, f1, f2, log_f1, log_f2 = section(l1, l2, q1, q2, log_m, tau)
    # u^(g3-1) / (1 - u^g3) = exp(t) / u
    mu = kernel.kappa * kernel.g3 * math.exp(t - log_u)
    x = tx * math.exp((log_m + log_f1) / kernel.g1)
    y = ty * math.exp((log_m + log_f2) / kernel.g2)
    return (
        u,
        mu,
        tau,
        math.exp(tau + log_m),
        f1,
        f2,
        x,
        y,
        side * tx1 / tx,
        side * ty1 / ty,
        tx2 / tx,
        ty2 / ty,
        math.exp(log_rest),
    )


@jit
def solve_height(kernel, px, py, pz):
    """Side and state of the section that contains the boundary point for the direction p, with px and py > 0.

    Root in t of log of N / (lam m mu) with N = pz + lam m (g1 f1 alpha + g2 f2 beta): decreasing
    through zero once, because S is concave.  Newton's method within a bracket.
    """
    bottom = -MAX_T * kernel.g3
    _, _, tau, lam, f1, f2, _, _, alpha, beta, _, _, _ = state(kernel, px, py, 1.0, bottom, 0.0)
    slope = pz + lam * (kernel.g1 * f1 * alpha + kernel.g2 * f2 * beta)
    side = math.copysign(1.0, slope)
    middle = lam * (kernel.g1 * f1 + kernel.g2 * f2)  # S at zeta = 0
    if abs(slope) <= 1e-100 * middle:
        return 0.0, state(kernel, px, py, 1.0, bottom, tau)
    q3 = kernel.g3 / (kernel.g3 - 1.0)
    low, high, stride, last = bottom, MAX_T, 1.0, 1e300
    t = min(max(q3 * math.log(abs(slope) / middle), low), high)
    for _ in range(MAX_STEPS):
        now = state(kernel, px, py, side, t, tau)
        u, mu, tau, lam, f1, f2, _, _, alpha, beta, bend_x, bend_y, rest = now
        lift = side * pz + lam * (kernel.g1 * f1 * alpha + kernel.g2 * f2 * beta)
        after = t
        newton = False
        if lift > 0.0:
            g = math.log(lift / (lam * mu))
            if g == 0.0:
                return side, now
            if g > 0.0:
                low = t
            else:
                high = t
            k1, k2 = f1 / (kernel.g1 - 1.0), f2 / (kernel.g2 - 1.0)
            e1, e2, e = kernel.g1 * k1, kernel.g2 * k2, 1.0 + k1 + k2
            lean = e1 * alpha + e2 * beta
            pull = (lean + mu) / e + (kernel.g3 - 1.0) / u + mu * (1.0 - kernel.kappa) / kernel.kappa
            # mu pull - Q without its terms in mu^2, which cancel and would leave only rounding near the ends
            rest_q = (e1 * e2 * (alpha - beta) ** 2 - mu * lean) / e + kernel.g1 * f1 * bend_x + kernel.g2 * f2 * bend_y
            rate = (lam * rest_q / lift - pull) * u * rest / kernel.g3
            if rate < 0.0:
                after = t - g / rate
                # Steps that do not contract may oscillate between the ends of the bracket.
                newton = low <= after <= high and abs(g) <= 0.5 * last
            last = abs(g)
        else:
            high = t
        if not newton:
            # Doubling steps until both ends of the bracket are known, then bisection.
            if low > bottom and high < MAX_T:
                after = 0.5 * (low + high)
            elif high == t:
                after = max(t - stride, low)
            else:
                after = min(t + stride, high)
            stride *= 2.0
        move = abs(after - t)
        t = after
        if newton and move < LAST_STEP:
            # Quadratic convergence: after one more state only rounding remains.
            return side, state(kernel, px, py, side, t, tau)
        if not low < high:
            break
    return side, state(kernel, px, py, side, t, tau)


@jit
def tapered_jet(kernel, n):
    """(h, x, W) of a tapered body: W is a sum of two positive terms of rank one, the section's and the height's."""
    a, b, c = kernel.a, kernel.b, kernel.c
    p1, p2, p3 = abs(a * n[0]), abs(b * n[1]), c * n[2]
    top = max(p1, p2, abs(p3), LEAST_TOP)
    px, py, pz = max(p1 / top, MIN_COMPONENT), max(p2 / top, MIN_COMPONENT), p3 / top
    side, now = solve_height(kernel, px, py, pz)
    u, mu, _, lam, f1, f2, x, y, alpha, beta, bend_x, bend_y, _ = now
    g1, g2 = kernel.g1, kernel.g2
    k1, k2 = f1 / (g1 - 1.0), f2 / (g2 - 1.0)
    e = 1.0 + k1 + k2
    # Part of the section, as for the power ellipsoid: D - (D p)(D p)' / p'D p with D_i = x_i / ((g_i - 1) p_i)
    xx = x / ((g1 - 1.0) * px) * (g2 * k2 / e)
    yy = y / ((g2 - 1.0) * py) * (g1 * k1 / e)
    xy = -xx * px / py if py >= px else -yy * py / px
    # Part of the height: v v' / (lam m Q) with v = d(x, y, z)/du; both divided by powers of 1 + mu
    i = 1.0 / (1.0 + mu)
    pull = (g1 * k1 * alpha + g2 * k2 * beta + mu) / e  # d log(lam) / du
    vx = x * i * (alpha + (alpha - pull) / (g1 - 1.0))
    vy = y * i * (beta + (beta - pull) / (g2 - 1.0))
    vz = i * (1.0 if side == 0.0 else side)
    bulged = bulge((g1, g2, kernel.g3), kernel.kappa, (f1, f2), (alpha, beta), (bend_x, bend_y), mu, u)
    q = bulged * i * i
    j = 1.0 / (lam * max(q, MIN_Q))
    x = x if px > MIN_COMPONENT else 0.0
    y = y if py > MIN_COMPONENT else 0.0
    z = side * u
    # From the units of the semi-axes to lengths
    a, b, r = math.copysign(a, n[0]), math.copysign(b, n[1]), 1.0 / top
    return (
        top * (px * x + py * y + pz * z),
        (a * x, b * y, c * z),
        (
            (xx + vx * vx * j) * (a * a * r),
            (xy + vx * vy * j) * (a * b * r),
            vx * vz * j * (a * c * r),
            (yy + vy * vy * j) * (b * b * r),
            vy * vz * j * (b * c * r),
            vz * vz * j * (c * c * r),
        ),
    )
