"""What planar contacts are worth: besides bounds and statuses (`judgement.py`) every point, normal and curvature.

A contact point lies on its body with the normal n if n.x = h(n), and m.x <= h(m) for all other directions m.
"""

from __future__ import annotations

import numpy as np

import judgement
import tangency as tg
from extended import LONG, length, support
from judgement import ANGLES, Report
from queries import Queries
from tangency import planar
from tangency.kernels.rounding import EPSILON

#: Angles from the normal at which a point may be seen to lie outside of its body.
BESIDE = 10.0 ** np.arange(-16.0, 0.5)
BESIDE = np.concatenate([[0.0], BESIDE, -BESIDE, ANGLES[::4]])
ON_BODY = 4.0  # a point lies on its body to so many allowances for rounding


def turned(n: np.ndarray, angle: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * n[..., 0] - s * n[..., 1], s * n[..., 0] + c * n[..., 1]], axis=-1)


def excess(shape: planar.Shape, x: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height of points x (N, 2) above the tangents with the normals n, and above any tangent; in the body's frame."""
    height = (n * x).sum(axis=-1) - support(shape, n)
    near = turned(np.asarray(n, float), BESIDE[:, None])
    rough = (near * np.asarray(x, float)).sum(axis=-1) - shape.support(near)
    worst = turned(n, np.asarray(BESIDE, LONG)[rough.argmax(axis=0)])
    worst = worst / length(worst)[..., None]
    return height, np.maximum(height, (worst * x).sum(axis=-1) - support(shape, worst))


def radius_by_differences(shape: planar.Shape, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Radius of curvature h + h'' by second differences of the definition, and an estimate of its error."""
    h = support(shape, n)
    found = []
    for step in (LONG(2e-4), LONG(1e-4), LONG(5e-5)):
        sides = support(shape, turned(n, step)) + support(shape, turned(n, -step))
        found.append(h + (sides - 2 * h) / step**2)
    last = (4 * found[2] - found[1]) / 3
    before = (4 * found[1] - found[0]) / 3
    return last, np.abs(last - before) + np.abs(found[2] - found[1]) + 1e-9 * np.abs(h)


def judge(rng: np.random.Generator, name: str, queries: Queries, report: Report, **options) -> planar.Contact:
    """Ask for the contacts, and judge everything in them."""
    c = judgement.judge(rng, name, queries, report, **options)
    judge_points(name, queries, c, report, options.get("tol", 1e-14))
    return c


def judge_points(name: str, queries: Queries, c: planar.Contact, report: Report, tol: float = 1e-14) -> None:
    """Judge distance, points, normals and curvatures of converged contacts."""
    away = np.linalg.norm(queries.pose_b[1] - queries.pose_a[1], axis=-1)
    bodies, poses = (queries.a, queries.b), judgement.placed(queries, c)
    size = sum(body.bounding_radius for body in bodies) + away
    rounding = queries.a.rounding + queries.b.rounding + judgement.ROUNDING * away
    diagonals = sum(np.linalg.norm(body.bounds[:, :2], axis=1) for body in bodies)
    good = c.converged & (c.status != tg.Status.BEYOND)
    n = np.asarray(c.normal, LONG)
    n = n / length(n)[..., None]

    def complain(what: str, wrong: np.ndarray, amount: np.ndarray) -> None:
        report.complain(name, queries, c, what, wrong & good, amount / size)

    f = judgement.gap_along(queries, c, n)
    complain("distance is not F(normal)", np.abs(f - c.distance) > rounding + tol * diagonals, np.abs(f - c.distance))
    sides = (
        ("a", bodies[0], poses[0], c.point_a, n, c.curvature_a),
        ("b", bodies[1], poses[1], c.point_b, -n, c.curvature_b),
    )
    for side, body, (r, t), point, m, curvature in sides:
        x = (r * (point - t)[..., :, None]).sum(axis=-2)
        m = (r * m[..., :, None]).sum(axis=-2)
        # Placed in the world: the coordinates themselves are rounded.
        room = ON_BODY * rounding + tol * diagonals + 8 * EPSILON * np.abs(point).max(axis=-1)
        height, outside = excess(body, x, m)
        complain(f"point_{side} lies outside", outside > room, outside)
        complain(f"point_{side} lies inside", height < -room, -height)
        radius, error = radius_by_differences(body, m)
        smooth = error < 1e-4 * np.abs(radius)
        wrong = smooth & ~(np.abs(radius * curvature - 1) < 1e-3)
        complain(f"curvature_{side} is wrong", wrong, np.abs(radius))
