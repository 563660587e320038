"""Support functions of planar bodies in extended precision, from definitions; the counterpart of `extended.py`."""

from __future__ import annotations

from functools import cache

import numpy as np

import planar_families
from extended import LONG, field, length, power_norm
from tangency import planar


def support(shape: planar.Shape, n: np.ndarray) -> np.ndarray:
    """h(n) of a stack (N,) at directions (N, 2), all in extended precision."""
    return (DEFINITIONS.get(type(shape)) or _formulas()[type(shape)])(shape, n)


def circle(shape, n):
    return field(shape, "radius") * length(n)


def ellipse(shape, n):
    return length(np.asarray(shape.radii, LONG) * n)


def superellipse(shape, n):
    """Römer 3-D, Eq. (13): the norm dual to that of exponent p."""
    u, v = np.moveaxis(np.abs(np.asarray(shape.radii, LONG) * n), -1, 0)
    p = np.asarray(shape.exponent, LONG)
    return power_norm(u, v, p / (p - 1))


def polygon(shape, n):
    """The highest corner, in extended precision among the best four in double precision."""
    corners = np.broadcast_to(shape.points, (*n.shape[:-1], *shape.points.shape[-2:]))
    if corners.shape[-2] > 4:
        height = corners[..., 0] * np.asarray(n[..., :1], float) + corners[..., 1] * np.asarray(n[..., 1:], float)
        best = np.argpartition(height, -4, axis=-1)[..., -4:]
        corners = np.take_along_axis(corners, best[..., None], axis=-2)
    return (corners * n[..., None, :]).sum(axis=-1).max(axis=-1) + field(shape, "radius") * length(n)


def fourier(shape, n):
    size = length(n)
    wave = (n[..., 0] + 1j * n[..., 1]) / size
    k = np.arange(1, shape.cosine.shape[-1] + 1)
    powers = np.stack([wave**j for j in k], axis=-1)
    parts = np.asarray(shape.cosine, LONG) * powers.real + np.asarray(shape.sine, LONG) * powers.imag
    return size * (field(shape, "mean") + parts.sum(axis=-1))


def piecewise(shape, n):
    breaks, c = np.asarray(shape.breaks, LONG), np.asarray(shape.coefficients, LONG)
    full = 4 * np.arcsin(LONG(1))
    t = (np.arctan2(n[..., 1], n[..., 0])[..., None] - breaks) % full
    piece = t.argmin(axis=-1)[..., None]
    t = np.take_along_axis(t, piece, axis=-1)
    c = np.take_along_axis(np.broadcast_to(c, (*n.shape[:-1], *c.shape[-2:])), piece[..., None], axis=-2)[..., 0, :]
    return length(n) * (c * t ** np.arange(c.shape[-1])).sum(axis=-1)


def offset(shape, n):
    return support(shape.body, n) + field(shape, "distance") * length(n)


def minkowski(shape, n):
    return support(shape.a, n) + support(shape.b, n)


def affine(shape, n):
    matrix, c = np.asarray(shape.matrix, LONG), np.asarray(shape.translation, LONG)
    return support(shape.body, (matrix * n[..., :, None]).sum(axis=-2)) + (c * n).sum(axis=-1)


def egg(shape, n):
    """cos(3 phi) = 4 cos(phi)^3 - 3 cos(phi)"""
    size = length(n)
    c = n[..., 0] / size
    return size * (field(shape, "radius") + field(shape, "skew") * c * (4 * c * c - 3))


def oval(shape, n):
    return length(np.stack(np.broadcast_arrays(field(shape, "a"), field(shape, "b")), axis=-1) * n)


def formula(shape, n):
    return oval(shape, n) + LONG("0.1") * field(shape, "b") * n[..., 0]


def functions(shape, n):
    """sin(3 phi) = 3 sin(phi) - 4 sin(phi)^3"""
    size = length(n)
    s = n[..., 1] / size
    return size * (field(shape, "a") + field(shape, "b") * s * (3 - 4 * s * s))


DEFINITIONS = {
    planar.Circle: circle,
    planar.Ellipse: ellipse,
    planar.Superellipse: superellipse,
    planar.Polygon: polygon,
    planar.FourierShape: fourier,
    planar.PiecewiseShape: piecewise,
    planar.Offset: offset,
    planar.MinkowskiSum: minkowski,
    planar.Affine: affine,
    planar_families.Egg: egg,
    planar_families.Oval: oval,
}


@cache
def _formulas():
    """The classes that `planar_families` makes of formulas."""
    rng = np.random.default_rng(0)
    made = {planar_families.formula: formula, planar_families.functions: functions}
    return {type(make(rng, ())): function for make, function in made.items()}
