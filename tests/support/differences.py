"""Derivatives of contacts by differences: of contacts solved in 50-digit arithmetic, and of the library's own."""

from __future__ import annotations

import mpmath as mp
import numpy as np
from scipy.spatial.transform import Rotation

import reference
import tangency as tg

EPS = mp.mpf(10) ** -12  # step of a difference; its error is of the order of the square
STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def rotated(omega, v):
    """exp(omega) v, by Rodrigues' formula."""
    angle = mp.sqrt(sum(w * w for w in omega))
    if not angle:
        return v
    k = [w / angle for w in omega]
    kv = [k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2], k[0] * v[1] - k[1] * v[0]]
    dot, c, s = sum(p * q for p, q in zip(k, v)), mp.cos(angle), mp.sin(angle)
    return [v[i] * c + kv[i] * s + k[i] * dot * (1 - c) for i in range(3)]


class ExactContact:
    """Contact of two single bodies, near a known normal: Newton's method on the sphere, in 80 digits."""

    def __init__(self, a, b, pose_a, pose_b, normal):
        self.supports = reference.support(a), reference.support(b)
        self.poses = [([reference.numbers(row) for row in r], reference.numbers(t)) for r, t in (pose_a, pose_b)]
        self.normal = reference.numbers(normal)

    def _jet(self, side, twist, m):
        """h, x and W of a body after the motion (v, omega), at the world direction m."""
        rotation, place = self.poses[side]
        back = rotated([-w for w in twist[3:]], m)
        local = [sum(rotation[i][j] * back[i] for i in range(3)) for j in range(3)]
        # About zero, because `derivatives` takes floats
        h, x, w = reference.derivatives(lambda *d: self.supports[side](*(p + q for p, q in zip(local, d))), (0, 0, 0))
        turn = [rotated(twist[3:], [rotation[i][j] for i in range(3)]) for j in range(3)]  # columns
        point = [sum(turn[j][i] * x[j] for j in range(3)) for i in range(3)]
        wide = [
            [sum(turn[p][i] * w[p][q] * turn[q][j] for p in range(3) for q in range(3)) for j in range(3)]
            for i in range(3)
        ]
        return h, point, wide, [place[i] + twist[i] for i in range(3)]

    def at(self, twist):
        """distance, normal, point_a, point_b after the hybrid motions twist = (of A, of B)."""
        n = self.normal
        for _ in range(6):
            size = mp.sqrt(sum(v * v for v in n))
            n = [v / size for v in n]
            _, x_a, w_a, c_a = self._jet(0, twist[:6], n)
            _, x_b, w_b, c_b = self._jet(1, twist[6:], [-v for v in n])
            w = [c_b[i] + x_b[i] - c_a[i] - x_a[i] for i in range(3)]
            f = sum(p * q for p, q in zip(n, w))
            g = [w[i] - f * n[i] for i in range(3)]
            if mp.sqrt(sum(v * v for v in g)) < mp.mpf(10) ** -36:
                break
            # (K + f) on the tangent plane, and n n' across it
            k = mp.matrix(3, 3)
            for i in range(3):
                for j in range(3):
                    k[i, j] = w_a[i][j] + w_b[i][j] + (f if i == j else 0) + n[i] * n[j] * (1 - f)
            step = mp.lu_solve(k, mp.matrix(g))
            n = [n[i] + step[i] for i in range(3)]
        return f, n, [c_a[i] + x_a[i] for i in range(3)], [c_b[i] + x_b[i] for i in range(3)]

    def along(self, twist):
        """First derivatives of all four quantities along hybrid twists of both, and the second of the distance."""
        xi = [mp.mpf(float(v)) for v in twist]
        up, here, down = (self.at([s * EPS * v for v in xi]) for s in (1, 0, -1))
        second = (up[0] - 2 * here[0] + down[0]) / EPS**2
        first = [(up[0] - down[0]) / (2 * EPS)]
        first += [np.array([float((p - q) / (2 * EPS)) for p, q in zip(u, v)]) for u, v in zip(up[1:], down[1:])]
        return [float(first[0]), *first[1:]], float(second)


def moved(pose, twist):
    """Pose after a hybrid motion; stacks of either."""
    rotation, place = pose
    return Rotation.from_rotvec(twist[..., 3:]).as_matrix() @ rotation, place + twist[..., :3]


def by_stencil(function, size, step):
    """Derivative of a function of a vector, by differences of eighth order; the derivatives are the last axis."""
    columns = []
    for axis in np.eye(size):
        columns.append(sum(w * (function(k * step * axis) - function(-k * step * axis)) for k, w in STENCIL) / step)
    return np.stack(columns, axis=-1)


def by_contacts(a, b, poses, c, of, by, step):
    """Derivative of a quantity of the contacts c by a pose: differences of the library's own contacts."""
    side = ("pose_a", "pose_b").index(by)

    def value(twist):
        placed = list(poses)
        placed[side] = moved(poses[side], twist)
        return getattr(tg.contact(a, b, *placed, guess=c), of)

    return by_stencil(value, 6, step)
