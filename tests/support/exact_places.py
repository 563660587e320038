"""Problems whose contact is known, at every kind of place: smooth, flat, sharp, on faces, edges, rims, at their ends.

A place is a body, an outward normal and a point of the body with that normal.  Two places that face each other at a gap
make a contact with known distance, normal and points: docs/accuracy.md, "problems with known answers".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

UP = np.array([0.0, 0.0, 1.0])


class Place(NamedTuple):
    """A stack of bodies, outward unit normals, and the points with these normals."""

    body: tg.Shape
    normal: np.ndarray
    point: np.ndarray


class Problem(NamedTuple):
    """Two stacks of bodies and their poses, and the exact answers."""

    a: tg.Shape
    b: tg.Shape
    pose_a: tuple[np.ndarray, np.ndarray]
    pose_b: tuple[np.ndarray, np.ndarray]
    gap: np.ndarray
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray

    def contact(self) -> tg.Contact:
        return tg.contact(self.a, self.b, self.pose_a, self.pose_b)


Maker = Callable[[np.random.Generator, int], Place]


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def _box(normal: str, where: str) -> Maker:
    def make(rng: np.random.Generator, count: int) -> Place:
        half, rows, k = rng.uniform(0.3, 1.0, (count, 3)), np.arange(count), rng.integers(3, size=count)
        sign, share = rng.choice([-1.0, 1.0], (count, 3)), rng.uniform(-0.8, 0.8, (2, count))
        n, x = rng.uniform(0.1, 1.0, (count, 3)), sign * half
        if normal == "face":
            n[rows, (k + 1) % 3] = n[rows, (k + 2) % 3] = 0.0
        elif normal == "edge":
            n[rows, k] = 0.0
        if where == "inside":
            along = {"face": ((k + 1) % 3, (k + 2) % 3), "edge": (k,)}[normal]
            for axis, part in zip(along, share):
                x[rows, axis] *= part
        elif where == "edge":
            x[rows, (k + 1) % 3] *= share[0]
        return Place(tg.Box(half), unit(sign * n), x)

    return make


def _segment(normal: str, where: str) -> Maker:
    def make(rng: np.random.Generator, count: int) -> Place:
        half, side, n = rng.uniform(0.3, 1.0, count), rng.choice([-1.0, 1.0], count), rng.normal(size=(count, 3))
        n[:, 2] = side * np.abs(n[:, 2]) if normal == "end" else 0.0
        share = rng.uniform(0.0, 0.8, count) if where == "inside" else 1.0
        return Place(tg.Segment(half), unit(n), (share * side * half)[:, None] * UP)

    return make


def _round(kind: str, normal: str, where: str) -> Maker:
    """Cylinders, cones and frusta; the rim is that of either end, of a cone that of the base."""

    def make(rng: np.random.Generator, count: int) -> Place:
        base, half, around = *rng.uniform(0.3, 1.0, (2, count)), rng.uniform(0.0, 2.0 * np.pi, count)
        top = {"cylinder": base, "cone": 0.0 * base}.get(kind, base * rng.uniform(0.2, 0.8, count))
        body = tg.Cylinder(base, half) if kind == "cylinder" else tg.Cone(base, half, top)
        side = -np.ones(count) if kind == "cone" else rng.choice([-1.0, 1.0], count)
        out = unit(np.stack([np.cos(around), np.sin(around), 0.0 * around], axis=1))
        straight = unit(2.0 * half[:, None] * out + (base - top)[:, None] * UP)
        end, share = side[:, None] * UP, rng.uniform(0.05, 0.95, (count, 1))
        x = np.where(side > 0.0, top, base)[:, None] * out + half[:, None] * end
        if where == "tip":
            x = half[:, None] * UP
        elif where == "inside" and normal == "end":
            x = x * np.where([True, True, False], np.sqrt(0.9 * share), 1.0)
        elif where == "inside":
            x += share * (np.where(side > 0.0, base, top)[:, None] * out - half[:, None] * end - x)
        tilted = unit((1.0 - share) * (UP if where == "tip" else end) + share * straight)
        return Place(body, {"end": end, "side": straight}.get(normal, tilted), x)

    return make


def _superellipsoid(low: float, high: float, zero: list[int], tiny: bool = False) -> Maker:
    """Normals with some components zero, or between 1e-18 and 1e-6."""

    def make(rng: np.random.Generator, count: int) -> Place:
        body = tg.Superellipsoid(rng.uniform(0.3, 1.0, (count, 3)), rng.uniform(low, high, (count, 2)))
        n = rng.normal(size=(count, 3))
        n[:, zero] *= 10.0 ** rng.uniform(-18.0, -6.0, (count, len(zero))) if tiny else 0.0
        n = unit(n) + 0.0
        return Place(body, n, body.point(n))

    return make


def _ellipsoid(rng: np.random.Generator, count: int) -> Place:
    body, n = tg.Ellipsoid(rng.uniform(0.3, 1.0, (count, 3))), unit(rng.normal(size=(count, 3)))
    return Place(body, n, body.point(n))


def _radii(rng: np.random.Generator, count: int, kind: str) -> np.ndarray:
    """Semi-axes of slender or flat bodies, 1:100 to 1:1000, in any order."""
    thin, other = 10.0 ** rng.uniform(-3.0, -2.0, (2, count))
    middle = other if kind == "slender" else rng.uniform(0.3, 1.0, count)
    return rng.permuted(np.stack([np.ones(count), middle, thin], axis=1), axis=1)


def _somewhere(rng: np.random.Generator, radii: np.ndarray) -> np.ndarray:
    """Normals, half of them uniform, half of them those of uniform places on the stretched sphere."""
    u = unit(rng.normal(size=radii.shape))
    return unit(np.where(rng.random((len(u), 1)) < 0.5, u, u / radii))


def _thin(kind: str, family: str) -> Maker:
    """Slender and flat bodies; points of ellipsoids in closed form."""

    def make(rng: np.random.Generator, count: int) -> Place:
        radii = _radii(rng, count, kind)
        n = _somewhere(rng, radii)
        if family == "ellipsoid":
            stretched = radii * n
            return Place(tg.Ellipsoid(radii), n, radii * unit(stretched))
        if family == "superellipsoid":
            body: tg.Shape = tg.Superellipsoid(radii, rng.uniform(0.6, 1.4, (count, 2)))
        else:
            taper = rng.uniform(-0.2, 0.2, (2, count))
            none = np.zeros(count)
            tapers = [np.stack([none + 1.0, c, none, none], axis=1) for c in taper]
            body = tg.Ovoid(radii, *tapers)
        return Place(body, n, body.point(n))

    return make


PLACES: dict[str, Maker] = {"ellipsoid": _ellipsoid, "superellipsoid": _superellipsoid(0.2, 1.8, [])}
for _normal, _ends in (("face", ("inside", "edge", "corner")), ("edge", ("inside", "corner")), ("corner", ("corner",))):
    for _where in _ends:
        PLACES[f"box: {_normal} at {_where}"] = _box(_normal, _where)
for _normal, _where in (("side", "inside"), ("side", "end"), ("end", "end")):
    PLACES[f"segment: {_normal} at {_where}"] = _segment(_normal, _where)
for _kind in ("cylinder", "cone", "frustum"):
    for _normal, _where in (("end", "inside"), ("end", "rim"), ("side", "inside"), ("side", "rim"), ("rim", "rim")):
        PLACES[f"{_kind}: {_normal} at {_where}"] = _round(_kind, _normal, _where)
PLACES["cone: tip at tip"], PLACES["cone: side at tip"] = _round("cone", "tip", "tip"), _round("cone", "side", "tip")
for _name, _zero in (("plane x", [0]), ("plane z", [2]), ("axis x", [1, 2]), ("axis z", [0, 1])):
    PLACES[f"flat: {_name}"] = _superellipsoid(0.2, 0.95, _zero)
    PLACES[f"nearly flat: {_name}"] = _superellipsoid(0.2, 0.95, _zero, True)
    PLACES[f"sharp: {_name}"] = _superellipsoid(1.05, 1.8, _zero)
for _kind in ("slender", "flat"):
    for _family in ("ellipsoid", "superellipsoid", "ovoid"):
        PLACES[f"{_kind} {_family}"] = _thin(_kind, _family)


def _frames(n: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    t = unit(np.cross(n, rng.normal(size=n.shape)))
    return np.stack([n, t, np.cross(n, t)], axis=2)


def facing(rng: np.random.Generator, first: str, second: str, count: int, gaps: list[float]) -> Problem:
    """Random problems with these two places in contact, at random gaps of the given ones."""
    a, n, x = PLACES[first](rng, count)
    b, m, y = PLACES[second](rng, count)
    turn_a, gap = Rotation.random(count, rng=rng).as_matrix(), rng.choice(gaps, count)
    n, x = np.einsum("kij,kj->ki", turn_a, n), np.einsum("kij,kj->ki", turn_a, x)
    turn_b = np.einsum("kij,klj->kil", _frames(-n, rng), _frames(m, rng))
    opposite = x + gap[:, None] * n
    place = opposite - np.einsum("kij,kj->ki", turn_b, y)
    return Problem(a, b, (turn_a, np.zeros((count, 3))), (turn_b, place), gap, n, x, opposite)
