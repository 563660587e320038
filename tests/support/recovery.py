"""Synthetic clouds with known answers, for the tests of fitting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

MODELS = ("sphere", "ellipsoid", "superellipsoid", "power_ellipsoid", "ovoid", "superovoid")
#: Models that each model contains.
SIMPLER = {
    "ellipsoid": ("sphere",),
    "superellipsoid": ("ellipsoid",),
    "power_ellipsoid": ("ellipsoid",),
    "ovoid": ("ellipsoid",),
    "superovoid": ("power_ellipsoid", "ovoid"),
}
EVEN = [np.diag(d) for d in ((1.0, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]


@dataclass(frozen=True)
class Truth:
    """A placed body with its parameters, in the order in which fits report them (a >= b, thick end up)."""

    model: str
    shape: tg.Shape
    parameters: dict[str, float]
    rotation: np.ndarray
    position: np.ndarray


def _radii(rng, count=3):
    """Different enough for the order of the axes to be known."""
    while True:
        r = np.sort(np.exp(rng.uniform(-0.7, 0.5, count)))[::-1]
        if (r[:-1] / r[1:] > 1.12).all():
            return r


def _tapers(rng):
    tx, ty = (
        np.array([1.0, rng.uniform(0.04, 0.25), rng.uniform(-0.1, 0.05), rng.uniform(-0.08, 0.08)]) for _ in range(2)
    )
    return tx, ty


def random_body(rng: np.random.Generator, model: str) -> tuple[tg.Shape, dict[str, float]]:
    if model == "sphere":
        r = float(np.exp(rng.uniform(-1, 1)))
        return tg.Sphere(r), {"r": r}
    if model in ("ellipsoid", "power_ellipsoid"):
        r = _radii(rng)
        own = dict(zip("abc", r))
        if model == "ellipsoid":
            return tg.Ellipsoid(r), own
        g = rng.uniform(1.7, 4.0, 3)
        return tg.PowerEllipsoid(r, g), own | dict(zip(("g1", "g2", "g3"), g))
    (a, b), c = _radii(rng, 2), float(np.exp(rng.uniform(-0.5, 0.5)))
    own = {"a": a, "b": b, "c": c}
    if model == "superellipsoid":
        e = rng.uniform(0.4, 1.3, 2)
        while abs(e[0] - 1) < 0.08 or abs(e[1] - 1) < 0.08 or abs(e[0] - e[1]) < 0.1:
            e = rng.uniform(0.4, 1.3, 2)  # with equal exponents no axis is the special one
        return tg.Superellipsoid([a, b, c], e), own | {"e1": e[0], "e2": e[1]}
    while True:
        tx, ty = _tapers(rng)
        try:
            if model == "ovoid":
                shape: tg.Shape = tg.Ovoid([a, b, c], tx, ty)
                break
            g = np.array([*rng.uniform(1.8, 3.5, 2), rng.uniform(1.6, 1.9)])
            if rng.random() < 0.5:  # the other branch: profiles straight at z = 0
                g[2] = rng.uniform(2.3, 3.5)
                tx[2], ty[2] = -rng.uniform(0.03, 0.15), -rng.uniform(0.03, 0.15)
            shape = tg.Superovoid([a, b, c], g, tx, ty)
            own |= dict(zip(("g1", "g2", "g3"), g))
            break
        except tg.ShapeError:
            continue
    own |= {f"c{k}x": tx[k] for k in (1, 2, 3)} | {f"c{k}y": ty[k] for k in (1, 2, 3)}
    return shape, own


def random_truth(rng: np.random.Generator, model: str) -> Truth:
    shape, own = random_body(rng, model)
    return Truth(model, shape, own, Rotation.random(rng=rng).as_matrix(), rng.normal(size=3) * 5.0)


def surface_points(rng: np.random.Generator, shape: tg.Shape, count: int) -> np.ndarray:
    """Points spread evenly over the area: rays through triangles between many normals."""
    from scipy.spatial import ConvexHull

    n = rng.normal(size=(4000, 3))
    corners = shape.point(n / np.linalg.norm(n, axis=1, keepdims=True))
    triangles = corners[ConvexHull(corners).simplices]
    area = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    chosen = triangles[rng.choice(len(area), count, p=area / area.sum())]
    shares = rng.dirichlet(np.ones(3), count)
    inner = np.einsum("ki,kij->kj", shares, chosen)
    return tg.signed_distance(shape, inner).foot


def cloud(rng: np.random.Generator, truth: Truth, count: int, noise: float, missing: float) -> np.ndarray:
    """Points of a body in its pose, one side missing, isotropic noise in units of the longest semi-axis."""
    points = surface_points(rng, truth.shape, int(count / (1.0 - missing)) + 1)
    side = rng.normal(size=3)
    height = points @ (side / np.linalg.norm(side))
    points = points[np.argsort(height)[:count]]
    size = float(np.max(np.abs(truth.shape.aabb())))
    points = points + noise * size * rng.normal(size=points.shape)
    return points @ truth.rotation.T + truth.position


def errors(truth: Truth, found) -> dict[str, float]:
    """Error of every parameter: shape, position, small turns about the body's axes (symmetries allowed for)."""
    result = {name: found.parameters[name] - value for name, value in truth.parameters.items() if name in found.names}
    moved = found.pose.translation - truth.position
    result |= dict(zip("xyz", moved))
    if truth.model != "sphere":
        same = EVEN if truth.model in ("ellipsoid", "superellipsoid", "power_ellipsoid") else [EVEN[0], EVEN[3]]
        matrix = found.pose.rotation.as_matrix()
        turns = [Rotation.from_matrix(truth.rotation @ s).inv() * Rotation.from_matrix(matrix) for s in same]
        best = min((turn.as_rotvec() for turn in turns), key=np.linalg.norm)
        result |= dict(zip(("rx", "ry", "rz"), best))
    return result


def lump(rng: np.random.Generator, count: int) -> np.ndarray:
    """A cloud that no model fits exactly: part of a bumpy, hollow or pinched body, with noise, anywhere."""
    u = rng.normal(size=(2 * count, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    axes = rng.normal(size=(4, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    heights = u @ axes.T
    waves = np.cos(rng.uniform(1, 5, 4) * heights + rng.uniform(0, 6, 4)).mean(axis=1)
    reach = 1.0 + 10.0 ** rng.uniform(-2, -0.4) * waves
    points = u * reach[:, None] * np.exp(rng.uniform(-0.6, 0.6, 3))
    if rng.random() < 0.3:  # cut flat
        points = np.clip(points, -0.8, 0.8)
    points *= 1.0 + rng.uniform(-0.5, 0.5) * points[:, 2:] / np.abs(points[:, 2]).max()  # an egg, or a pear
    side = points @ axes[0]
    points = points[np.argsort(side)[: int(2 * count * rng.uniform(0.5, 1.0))]]
    points = points[rng.permutation(len(points))[:count]]
    points = points + 10.0 ** rng.uniform(-5, -1.5) * rng.normal(size=points.shape)
    return 10.0 ** rng.uniform(-2, 2) * (Rotation.random(rng=rng).apply(points) + 5.0 * rng.normal(size=3))


def _level(parameters: dict[str, float], p: np.ndarray) -> np.ndarray:
    """Implicit function of a model, below 1 inside (Lopes thesis, Eq. 2.19; Barr's form with e1 and e2)."""
    v = {"a": parameters.get("r"), "b": parameters.get("r"), "c": parameters.get("r")} | parameters
    x, y, z = np.abs(p[..., 0] / v["a"]), np.abs(p[..., 1] / v["b"]), p[..., 2] / v["c"]
    if "e1" in v:
        return (x ** (2 / v["e2"]) + y ** (2 / v["e2"])) ** (v["e2"] / v["e1"]) + np.abs(z) ** (2 / v["e1"])
    inner = np.clip(z, -1.0, 1.0)
    tx, ty = (1.0 + sum(v.get(f"c{k}{axis}", 0.0) * inner**k for k in (1, 2, 3)) for axis in "xy")
    g = [v.get(f"g{k}", 2.0) for k in (1, 2, 3)]
    return (x / tx) ** g[0] + (y / ty) ** g[1] + np.abs(z) ** g[2]


def _on_rays(parameters: dict[str, float], d: np.ndarray) -> np.ndarray:
    """Surface points on rays from the centre, by bisection."""
    size = 4.0 * max(parameters.get(name, 0.0) for name in ("r", "a", "b", "c"))
    low, high = np.zeros(d.shape[:-1]), np.full(d.shape[:-1], size)
    for _ in range(48):
        middle = 0.5 * (low + high)
        inside = _level(parameters, middle[..., None] * d) < 1.0
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return (0.5 * (low + high))[..., None] * d


def distances_by_force(found, points: np.ndarray) -> np.ndarray:
    """Signed distances computed from the parameters and the pose that a fit reports, without any code of the package.

    Many surface points on rays; next to the nearest ones ever finer fans of rays.
    """
    from scipy.spatial import cKDTree

    p = found.pose.inv().apply(points)
    k = np.arange(20000) + 0.5
    height, angle = 1.0 - k / 10000.0, np.pi * (1.0 + 5.0**0.5) * k
    ring = np.sqrt(1.0 - height * height)
    d = np.stack([ring * np.cos(angle), ring * np.sin(angle), height], axis=-1)
    _, nearest = cKDTree(_on_rays(found.parameters, d)).query(p, 4)
    best = d[nearest]  # (points, starts, 3)
    least = np.linalg.norm(_on_rays(found.parameters, best) - p[:, None], axis=-1)
    fan = np.stack(np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]), axis=-1).reshape(-1, 2)
    width = 0.02
    for _ in range(45):
        e = np.cross(best, np.where(np.abs(best[..., :1]) < 0.6, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
        e /= np.linalg.norm(e, axis=-1, keepdims=True)
        f = np.cross(best, e)
        trial = best[:, :, None] + width * (fan[:, :1] * e[:, :, None] + fan[:, 1:] * f[:, :, None])
        trial /= np.linalg.norm(trial, axis=-1, keepdims=True)
        away = np.linalg.norm(_on_rays(found.parameters, trial) - p[:, None, None], axis=-1)
        which = away.argmin(axis=-1)[..., None]
        best = np.take_along_axis(trial, which[..., None], 2)[:, :, 0]
        least = np.take_along_axis(away, which, 2)[..., 0]
        width *= 0.7
    return np.where(_level(found.parameters, p) < 1.0, -1.0, 1.0) * least.min(axis=1)
