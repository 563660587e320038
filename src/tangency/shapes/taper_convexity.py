"""Test for convexity of tapered bodies, and where it fails.

A body is convex if its sections are and if, in every direction of the section's plane, their support
function is a concave function of the height.  By ``kernels/tapered.py`` that is Q > 0 for all heights and
all shares f1 = 1 - f2 of the two terms; times 1 + f1/(g1 - 1) + f2/(g2 - 1) it is a quadratic of f1, whose
minimum has a closed form, so one variable is left to search.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import entry, jit, plain_rows
from ..kernels.tapered import polynomial
from .shape import ShapeError

SAMPLES = 65
NEAREST = 1e-12  # below this |z/c|, a dent is smaller than rounding
ROUNDING_OF_Q = 1e-12  # tolerance relative to the terms of Q
VANISHING = 1e-200  # below this, the terms of Q are zero except for rounding
BODIES_AT_ONCE = 500  # bodies processed at once
ROUNDS, FINER = 18, 7  # of the search near a sample, and heights per round

_ENDS = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, SAMPLES))[1:-1]
_HALF = np.concatenate([np.geomspace(NEAREST, _ENDS[0], 16, endpoint=False), _ENDS])
GRID = np.concatenate([-_HALF[::-1], _HALF])  # heights zeta where the search starts


def _taper(c: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and two derivatives; c has shape (N, 4), z (N, K)."""
    c0, c1, c2, c3 = (c[:, k, None] for k in range(4))
    return c0 + z * (c1 + z * (c2 + z * c3)), c1 + z * (2 * c2 + 3 * z * c3), 2 * c2 + 6 * z * c3


def bulges(
    exponents: np.ndarray, kappa: np.ndarray, tx: np.ndarray, ty: np.ndarray, z: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Relative Q at the shares f1 = 0, f1 = 1 and at its minimum in between, each smooth; and the shares, (3, N, K)."""
    values, shares = np.empty((3, *z.shape)), np.empty((3, *z.shape))
    rows = (exponents, kappa.reshape(-1, 1), tx, ty, z)
    _bulges(*(plain_rows(v, v.shape) for v in rows), values, shares)
    return values, shares


@jit
def _relative(g, kappa, tx, ty, z):
    """Relative Q at the height z for the shares f1 = 0, f1 = 1 and the minimising share; and that share."""
    g1, g2, g3 = g
    k1, k2 = 1.0 / (g1 - 1.0), 1.0 / (g2 - 1.0)
    e0, e1 = 1.0 + k2, k1 - k2
    q1, q2 = g1 * k1, g2 * k2
    u, side = abs(z), math.copysign(1.0, z)
    x, x1, x2 = polynomial(tx, z)
    y, y1, y2 = polynomial(ty, z)
    alpha, beta, bend_x, bend_y = side * x1 / x, side * y1 / y, x2 / x, y2 / y
    mu = kappa * g3 * u ** (g3 - 1.0) / -math.expm1(g3 * math.log(u))
    # E Q = polynomial of f = f1 of degree 2, E = E0 + E1 f: coefficients of f^0, f^1, f^2
    push = mu * (g3 - 1.0) / u + mu * mu * (1.0 - kappa) / kappa
    skew = q1 * q2 * (alpha - beta) ** 2
    r0, r1 = push - g2 * bend_y, g2 * bend_y - g1 * bend_x  # terms times E
    p0 = mu * mu + 2.0 * mu * q2 * beta + e0 * r0
    p1 = 2.0 * mu * (q1 * alpha - q2 * beta) - skew + e1 * r0 + e0 * r1
    p2 = skew + e1 * r1
    # Squares, not absolute values: the quotient stays smooth where a derivative of a taper changes sign.
    lean = (2.0 * mu * q1 * alpha) ** 2 + (2.0 * mu * q2 * beta) ** 2
    size = (
        mu * mu
        + skew
        + math.sqrt(lean + (1.0 + k1 + k2) ** 2 * (push * push + (g1 * bend_x) ** 2 + (g2 * bend_y) ** 2))
    )
    if size < VANISHING:  # straight profile of an exponent far above 2: no dent, and Q / size would divide by zero
        return 1.0, 1.0, 1.0, 0.0
    if p2 > 0.0:
        inner = min(max(-p1 / (2.0 * p2), 0.0), 1.0)
    else:
        inner = 1.0 if p1 + p2 < 0.0 else 0.0
    return p0 / size, (p0 + p1 + p2) / size, (p0 + inner * (p1 + inner * p2)) / size, inner


@jit
def _body(exponents, tx, ty, k):
    return (
        (exponents[k, 0], exponents[k, 1], exponents[k, 2]),
        (tx[k, 0], tx[k, 1], tx[k, 2], tx[k, 3]),
        (ty[k, 0], ty[k, 1], ty[k, 2], ty[k, 3]),
    )


@entry
def _bulges(exponents, kappas, tx, ty, heights, values, shares):
    for k in range(heights.shape[0]):
        g, x, y = _body(exponents, tx, ty, k)
        for i in range(heights.shape[1]):
            v0, v1, v2, inner = _relative(g, kappas[k, 0], x, y, heights[k, i])
            values[0, k, i], values[1, k, i], values[2, k, i] = v0, v1, v2
            shares[0, k, i], shares[1, k, i], shares[2, k, i] = 0.0, 1.0, inner


@jit
def _of_kind(kind, found):
    """Relative Q and share of one of the three kinds of :func:`bulges`."""
    v0, v1, v2, inner = found
    return (v0, 0.0) if kind == 0 else (v1, 1.0) if kind == 1 else (v2, inner)


@entry
def _minima(exponents, kappas, tx, ty, grid, values, heights, shares):
    count = grid.shape[0]
    raw = np.empty((3, count))
    for k in range(exponents.shape[0]):
        g, x, y = _body(exponents, tx, ty, k)
        kappa = kappas[k, 0]
        for i in range(count):
            found = _relative(g, kappa, x, y, grid[i])
            for kind in range(3):
                column = kind * count + i
                raw[kind, i], shares[k, column] = _of_kind(kind, found)
                values[k, column], heights[k, column] = raw[kind, i], grid[i]
        for column in range(3 * count):
            kind, i = column // count, column % count
            before, after = max(i - 1, 0), min(i + 1, count - 1)
            if raw[kind, before] < raw[kind, i] or raw[kind, after] < raw[kind, i]:
                values[k, column] = math.inf
                continue
            low, high = grid[before], grid[after]
            for _ in range(ROUNDS):  # successively finer grids around the lowest sample
                step = (high - low) / (FINER - 1)
                best, at = math.inf, low
                for j in range(FINER):
                    z = low + j * step
                    z = math.copysign(max(abs(z), NEAREST), z)
                    value, share = _of_kind(kind, _relative(g, kappa, x, y, z))
                    if value < best:
                        best, at = value, z
                    if value < values[k, column]:
                        values[k, column], heights[k, column], shares[k, column] = value, z, share
                low, high = max(at - step, low), min(at + step, high)


def minima(
    exponents: np.ndarray, kappa: np.ndarray, tx: np.ndarray, ty: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All local minima over the height of relative Q of N bodies, with heights zeta and shares f1, (N, K).

    Each kind of :func:`bulges` is searched for itself: a minimum of one between two samples may hide behind another
    kind that is lower there.  The value is infinite where there is no minimum.
    """
    found = tuple(np.empty((len(exponents), 3 * len(GRID))) for _ in range(3))
    rows = (exponents, kappa.reshape(-1, 1), tx, ty)
    _minima(*(plain_rows(v, v.shape) for v in rows), GRID, *found)
    return found[0], found[1], found[2]


def dent(
    exponents: np.ndarray, kappa: np.ndarray, tx: np.ndarray, ty: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Smallest relative Q of N bodies, and the height zeta and share f1 at which it occurs."""
    if len(exponents) > BODIES_AT_ONCE:
        blocks = [slice(k, k + BODIES_AT_ONCE) for k in range(0, len(exponents), BODIES_AT_ONCE)]
        value, at, share = zip(*(dent(exponents[k], kappa[k], tx[k], ty[k]) for k in blocks))
        return np.concatenate(value), np.concatenate(at), np.concatenate(share)
    values, heights, shares = minima(exponents, kappa, tx, ty)
    rows, best = np.arange(len(values)), values.argmin(axis=1)
    return values[rows, best], heights[rows, best], shares[rows, best]


def thinnest(taper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest value of the tapers (N, 4) between zeta = -1 and 1, and its zeta."""
    c1, c2, c3 = taper[:, 1], taper[:, 2], taper[:, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(c2 * c2 - 3 * c1 * c3, 0.0))
        far = -(c2 + np.where(c2 < 0, -root, root))
        candidates = np.stack([far / (3 * c3), c1 / far], axis=1)
    candidates = np.where(np.isfinite(candidates), np.clip(candidates, -1.0, 1.0), 1.0)
    z = np.concatenate([np.full((len(taper), 1), -1.0), np.full((len(taper), 1), 1.0), candidates], axis=1)
    value = _taper(taper, z)[0]
    best = value.argmin(axis=1)
    rows = np.arange(len(taper))
    return value[rows, best], z[rows, best]


def require_convex_taper(
    radii: np.ndarray, exponents: np.ndarray, kappa: np.ndarray, taper_x: np.ndarray, taper_y: np.ndarray
) -> None:
    """Raise a ShapeError that names the body, the height and the point where convexity fails."""
    batch = np.broadcast_shapes(*(v.shape[:-1] for v in (radii, exponents, taper_x, taper_y)), kappa.shape)
    count = int(np.prod(batch))
    r, g, tx, ty = (
        np.broadcast_to(v, (*batch, v.shape[-1])).reshape(count, -1) for v in (radii, exponents, taper_x, taper_y)
    )
    kappa = np.broadcast_to(kappa, batch).reshape(count)
    for name, taper in (("taper_x", tx), ("taper_y", ty)):
        low, z = thinnest(taper)
        if (low <= 0).any():
            k = int(low.argmin())
            raise ShapeError(
                f"{name} must be > 0 between z = -c and c, but {_of(batch, k)}it falls to {low[k]:.6g} at "
                f"z = {z[k] * r[k, 2]:.6g} (z/c = {z[k]:.6g}), got {taper[k].tolist()}"
            )
    value, z, share = dent(g, kappa, tx, ty)
    if (value < -ROUNDING_OF_Q).any():
        k = int(value.argmin())
        x, y, height = (f"{v:.6g}" for v in _surface_point(r[k], g[k], kappa[k], tx[k], ty[k], z[k], share[k]))
        raise ShapeError(
            f"exponents, taper_x and taper_y must describe a convex body, but {_of(batch, k)}the surface is "
            f"concave at the height z = {height} (z/c = {z[k]:.6g}), around the point ({x}, {y}, {height}): "
            "make the tapers flatter or more similar there, or reduce the exponent along z (above 2 the profile "
            "is straight at z = 0, and only certain tapers keep the body convex)"
        )


def _of(batch: tuple[int, ...], k: int) -> str:
    if not batch:
        return ""
    index = tuple(int(i) for i in np.unravel_index(k, batch))
    return f"for body {index[0] if len(index) == 1 else index} "


def _surface_point(r, g, kappa, tx, ty, z, share) -> np.ndarray:
    m = (1.0 - abs(z) ** g[2]) ** kappa
    width, depth = r[0] * np.polyval(tx[::-1], z), r[1] * np.polyval(ty[::-1], z)
    return np.array([width * (share * m) ** (1 / g[0]), depth * ((1 - share) * m) ** (1 / g[1]), z * r[2]])
