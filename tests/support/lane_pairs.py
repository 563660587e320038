"""Stacks of spheres, ellipsoids and superellipsoids, and their bounds in extended precision."""

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from manufactured import random_radii
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
