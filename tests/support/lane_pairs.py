"""Stacks of spheres, ellipsoids and superellipsoids, and bounds on their distances without the library."""

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from manufactured import random_radii, unit
from tangency.contacts import dispatch

FIELDS = ("distance", "lower", "upper", "normal", "point_a", "status", "evaluations")
KINDS = ("spheres", "ellipsoids", "superellipsoids", "sphere and ellipsoid", "ellipsoid and superellipsoid")


def pairs(rng, kind, count, aspect=8.0):
    """Pairs from far apart to concentric."""
    radii_a, radii_b = random_radii(rng, count, aspect), random_radii(rng, count, aspect)
    eps_a, eps_b = rng.uniform(0.2, 1.8, (count, 2)), rng.uniform(0.2, 1.8, (count, 2))
    ball, a, b = tg.Sphere(radii_a[:, 0]), tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
    bodies = {
        "spheres": (ball, tg.Sphere(radii_b[:, 0])),
        "ellipsoids": (a, b),
        "superellipsoids": (tg.Superellipsoid(radii_a, eps_a), tg.Superellipsoid(radii_b, eps_b)),
        "sphere and ellipsoid": (ball, b),
        "ellipsoid and superellipsoid": (a, tg.Superellipsoid(radii_b, eps_b)),
    }[kind]
    position = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-3.0, 0.5, (count, 1))
    position[::50] = 0.0
    return *bodies, Rotation.random(count, rng=rng).as_matrix(), position


def same(c, d, index=slice(None)):
    return all(np.array_equal(getattr(c, name)[index], getattr(d, name)) for name in FIELDS)


def contradictions(c, d):
    """Pairs whose proved bounds contradict each other."""
    return int(((c.lower > d.upper) | (d.lower > c.upper)).sum())


def robust(monkeypatch, *args, **options):
    """Result of the robust solver only."""
    with monkeypatch.context() as patch:
        patch.setattr(dispatch, "_lanes", lambda a, b: None)
        return tg.contact(*args, **options)


def extended(a, b, turn, position, n):
    """F(n) and |w(n)| in extended precision: two bounds on the distance that do not use the library."""
    real = np.longdouble
    n, turn, position = n.astype(real), turn.astype(real), position.astype(real)
    n = n / np.sqrt((n * n).sum(axis=-1, keepdims=True))
    for _ in range(3):
        turn = 1.5 * turn - 0.5 * np.einsum("kij,klj,klm->kim", turn, turn, turn)

    def norm(x, y, q):
        top = np.maximum(x, y)
        value = top * ((x / top) ** q + (y / top) ** q) ** (1 / q)
        return value, (x / value) ** (q - 1), (y / value) ** (q - 1)

    def jet(body, m):
        count = len(m)
        radii = np.broadcast_to(body.radii, (count, 3)).astype(real)
        q = np.full((count, 2), real(2))
        if isinstance(body, tg.Superellipsoid):
            # The exponents as the body holds them, already rounded.
            q = np.stack([body._fields["q1"], body._fields["q2"]], axis=-1).astype(real)
        u = np.abs(radii * m)
        rho, gx, gy = norm(u[:, 0], u[:, 1], q[:, 1])
        h, gr, gz = norm(rho, u[:, 2], q[:, 0])
        return h, np.stack([gr * gx, gr * gy, gz], axis=-1) * radii * np.sign(m)

    h_a, x_a = jet(a, n)
    h_b, x_b = jet(b, -np.einsum("kji,kj->ki", turn, n))
    w = position + np.einsum("kij,kj->ki", turn, x_b) - x_a
    return (n * position).sum(axis=-1) - h_a - h_b, np.sqrt((w * w).sum(axis=-1))


def spiral(count):
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    rho = np.sqrt(1.0 - z * z)
    return np.stack([rho * np.cos(angle), rho * np.sin(angle), z], axis=-1)


def best_separation(radii_a, radii_b, turn, position, count, climbs=3, steps=40):
    """Largest F(n) that sampling all directions and climbing from the best can find."""
    s_b = np.einsum("kij,kj,klj->kil", turn, radii_b**2, turn)

    def supports(n):
        # Not as the root of n.S n, which has lost its digits where n is nearly normal to a needle.
        local = np.einsum("kji,kj->ki", turn, n)
        return np.linalg.norm(radii_a * n, axis=-1), np.linalg.norm(radii_b * local, axis=-1)

    def f(n):
        return (n * position).sum(axis=-1) - sum(supports(n))

    x, y, z = spiral(count).T
    quadratic = np.stack([x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z])
    entries = np.stack([s_b[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))], axis=-1)
    value = position @ np.stack([x, y, z]) - np.sqrt(radii_a**2 @ quadratic[:3])
    value -= np.sqrt(np.maximum(entries @ quadratic, 0.0))
    starts = [spiral(count)[k] for k in np.argpartition(-value, climbs, axis=1)[:, :climbs].T]
    for axis in range(3):
        e = np.zeros((len(position), 3))
        e[:, axis] = 1.0
        starts += [e, -e, turn[:, :, axis], -turn[:, :, axis]]
    best = np.full(len(position), -np.inf)
    for n in starts:
        now, part = f(n), np.ones(len(n))
        for _ in range(steps):
            h_a, h_b = supports(n)
            k = np.eye(3) * (radii_a**2 / h_a[:, None])[:, None, :] + s_b / h_b[:, None, None]
            w = position - np.einsum("kij,kj->ki", k, n)
            k = k + np.eye(3) * (1e-14 * np.trace(k, axis1=1, axis2=2))[:, None, None]
            g = w - (w * n).sum(axis=-1, keepdims=True) * n
            m = unit(n + part[:, None] * np.linalg.solve(k, g[..., None])[..., 0])
            there = f(m)
            better = there > now
            n, now = np.where(better[:, None], m, n), np.where(better, there, now)
            part = np.where(better, np.minimum(2.0 * part, 1e3), 0.5 * part)
        best = np.maximum(best, now)
    return best
