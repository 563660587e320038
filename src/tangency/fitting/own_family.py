"""Families of a user's own shapes: any shape, or any class of shapes, whose parameters can be changed."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..geometry.moments import Moments
from ..geometry.polytope import moments_of_polytope
from ..shapes import Affine
from ..shapes.shape import Shape, ShapeError
from ..shapes.walls import WALLS
from .convex_margins import Convexity
from .directions import spread
from .families import Family

STEP = 6e-6  # relative step of central differences: their error is 1e-10 for smooth formulas
TURNS = 24  # rotations tried for affine images
SHARES = (1.0, 0.5, 0.2, 0.05)  # of the cloud's size, as first values of unknown lengths
PLAIN = (1.0, 0.1, 2.0)  # first values of unknown ratios
TRIES = 8  # of values near the first ones, to learn which parameters are lengths
MOST = 600  # combinations of first values, in order and at random
FIRST = 6  # of them that are tried in every orientation
SCATTER = 0.5  # logarithm of the factor by which random starts change a parameter
SIGN = 0.25  # probability that they change its sign
DRAWS = 20  # of random parameters until they describe a convex body
_SYMMETRIC = ("xx", "xy", "xz", "yy", "yz", "zz")
_ROWS, _COLUMNS = [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]


def family_of(model: Shape | type[Shape], size: float) -> Family:
    """The family of a shape, whose parameters are the first values, or of a class, for a cloud of this size."""
    if isinstance(model, Shape):
        _require_body(model)
        return _affine_images(model) if isinstance(model, Affine) else _around(model, type(model).__name__, None)
    first = _first_shapes(model, size)
    return _around(first[0], model.__name__, [_values(shape) for shape in first])


def _require_body(shape: Shape) -> None:
    if isinstance(shape, WALLS):
        raise TypeError(f"model must be a bounded body, got a {type(shape).__name__}")
    if shape.batch_shape:
        raise ValueError(f"model must be a single body, got a stack of shape {shape.batch_shape}")


def _derived(shape: Shape) -> bool:
    """Whether the shape knows its parameters and the derivatives by them."""
    try:
        return len(shape.parameter_names) > 0
    except TypeError:
        return False


def _names(shape: Shape) -> tuple[str, ...]:
    if _derived(shape):
        return shape.parameter_names
    if not shape._fields or shape._arrays or any(isinstance(field, Shape) for field in shape._fields.values()):
        raise TypeError(
            f"model must have parameters: {type(shape).__name__} has no parameter_names, and the fields of its Kernel "
            "are not all numbers"
        )
    return tuple(shape._fields)


def _values(shape: Shape) -> np.ndarray:
    return np.array(shape.parameters if _derived(shape) else [float(value) for value in shape._fields.values()])


def _around(shape: Shape, name: str, first: list[np.ndarray] | None) -> Family:
    names, start, derived = _names(shape), _values(shape), _derived(shape)
    kind = type(shape)

    def build(p: np.ndarray) -> Shape:
        return shape.with_parameters(p) if derived else kind(**dict(zip(names, p.tolist())))

    def slopes(body: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
        return body.parameter_jet(n).support if derived else _differences(build, _values(body), n)

    try:
        lengths = _lengths(build, slopes, start)
    except ShapeError as error:
        raise without_number(name, names, start, error) from None
    known = [start] if first is None else first

    def grown(p: np.ndarray, half: np.ndarray) -> np.ndarray:
        own = np.asarray(build(p)._box()[0])
        grow = float((half.prod() / own.prod()) ** (1 / 3)) if lengths.any() and (own > 0.0).all() else 1.0
        return np.where(lengths, grow * p, p)

    def guesses(half: np.ndarray) -> list[np.ndarray]:
        return [grown(p, half) for p in known[:FIRST]]

    required = None if shape._is_builtin() else Convexity()
    signed = _signed(build, start)

    def scattered(rng: np.random.Generator, half: np.ndarray) -> np.ndarray | None:
        for _ in range(DRAWS):
            p = known[rng.integers(len(known))] * np.exp(rng.normal(0.0, SCATTER, len(names)))
            p = np.where(signed & (rng.random(len(names)) < SIGN), -p, p)
            try:
                if required is None or _convex(build(p), required):
                    return grown(p, half)
            except (ValueError, ArithmeticError):
                continue
        return None

    free = np.full(len(names), np.inf)
    convexity = None if required is None else Convexity
    return Family(name, names, lengths, -free, free, build, slopes, guesses, convexity=convexity, scattered=scattered)


def _differences(build: Any, p: np.ndarray, n: np.ndarray) -> np.ndarray:
    """dh/dp by central differences at fixed normals."""
    found = np.empty((len(n), len(p)))
    for k in range(len(p)):
        step = STEP * max(abs(p[k]), 1e-3 * float(np.abs(p).max()), 1e-12)
        up, down = p.copy(), p.copy()
        up[k], down[k] = p[k] + step, p[k] - step
        (p_up, h_up), (p_down, h_down) = (_support_or(build, moved, p, n) for moved in (up, down))
        found[:, k] = (h_up - h_down) / (p_up[k] - p_down[k])
    return found


def _support_or(build: Any, p: np.ndarray, other: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Parameters and support function there; at the other ones if there is no body at the first."""
    try:
        return p, build(p).support(n)
    except (ValueError, ArithmeticError):
        return other, build(other).support(n)


def without_number(name: str, names: tuple[str, ...], values: np.ndarray, error: ShapeError) -> ShapeError:
    """The error for first values at which the formulas of a shape fail."""
    shown = ", ".join(f"{one} = {value:.6g}" for one, value in zip(names, values))
    return ShapeError(
        f"model: a fit of {name} cannot start from {shown}: {error}. Start from a shape with other parameters, or "
        f"exclude these by a bound, such as bounds={{{names[-1]!r}: (low, None)}}"
    )


def _lengths(build: Any, slopes: Any, start: np.ndarray) -> np.ndarray:
    """Which parameters are lengths: by Euler's theorem the sum of p dh/dp over these is h.

    Special values may hide it, such as equal lengths of which only the sum matters; others nearby do not.
    """
    n, rng = np.array(spread(122)), np.random.default_rng(0)
    for k in range(TRIES):
        p = start * (1.0 + 0.1 * rng.normal(size=len(start))) if k else start
        try:
            shape = build(p)
            h, columns = shape.support(n), slopes(shape, n, n) * p
        except (ValueError, ArithmeticError):
            if not k:
                raise
            continue
        weights, *_ = np.linalg.lstsq(columns, h, rcond=1e-10)
        mask = np.abs(weights - 1.0) < 0.1
        if np.abs(columns[:, mask].sum(axis=1) - h).max() < 1e-4 * np.abs(h).max():
            return mask
    return np.zeros(len(start), bool)


def _signed(build: Any, p: np.ndarray) -> np.ndarray:
    """Which parameters have a sign that matters: a length that enters by its square has none."""
    n = np.array(spread(122))
    h = build(p).support(n)
    matters = np.zeros(len(p), bool)
    for k in range(len(p)):
        flipped = p.copy()
        flipped[k] = -p[k]
        other, there = _support_or(build, flipped, p, n)
        matters[k] = other is flipped and np.abs(there - h).max() > 1e-9 * np.abs(h).max()
    return matters


def _affine_images(model: Affine) -> Family:
    """All affine images of a body, up to rotations and shifts: symmetric matrices."""
    body = model.body
    left, stretch, _ = np.linalg.svd(np.asarray(model.matrix))
    start = (left * stretch) @ left.T
    identity = np.eye(3)

    def matrix(p: np.ndarray) -> np.ndarray:
        full = np.empty((3, 3))
        full[_ROWS, _COLUMNS] = full[_COLUMNS, _ROWS] = p
        return full

    def build(p: np.ndarray) -> Shape:
        full = matrix(p)
        if not np.linalg.eigvalsh(full)[0] > 0.0:
            raise ValueError("the matrix of an affine image must be positive definite")
        return Affine(body, full)

    def slopes(shape: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
        x = body.point(n @ matrix(_matrix_of(shape)))
        both = n[:, :, None] * x[:, None, :]
        both = both + np.swapaxes(both, 1, 2)
        both[:, range(3), range(3)] *= 0.5
        return both[:, _ROWS, _COLUMNS]

    def guesses(half: np.ndarray) -> list[np.ndarray]:
        own = np.maximum(np.asarray(body._box()[0]), 1e-300)
        scaled = start * float((half.prod() / np.asarray(build(_pack(start))._box()[0]).prod()) ** (1 / 3))
        return [_pack(identity * (half / own)), _pack(scaled)]

    def margins(p: np.ndarray, shape: Shape) -> np.ndarray:
        values = np.linalg.eigvalsh(matrix(p))
        return values / values[-1] - 1e-4

    def placed(cloud: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        # Second moments determine the matrix except for a rotation between the body and the cloud.
        own, other = body.moments(), moments_of_polytope(cloud)
        if not other.volume > 0.0:
            return []
        inner, outer = _root(own, -1.0), _root(other, 1.0)
        found = []
        for turn in Rotation.random(TURNS, rng=np.random.default_rng(0)).as_matrix():
            image = outer @ turn @ inner
            left, stretch, right = np.linalg.svd(image)
            position = other.centroid - image @ own.centroid
            found.append((_pack((right.T * stretch) @ right), position, left @ right))
        return found

    free = np.full(6, np.inf)
    name = f"Affine of {type(body).__name__}"
    lengths = np.ones(6, bool)
    return Family(
        name, _SYMMETRIC, lengths, -free, free, build, slopes, guesses, margins, placed=placed, orientations=1
    )


def _root(moments: Moments, power: float) -> np.ndarray:
    """Root of the second central moments of a body per volume, or its inverse."""
    c = moments.centroid
    values, axes = np.linalg.eigh(moments.second / moments.volume - np.outer(c, c))
    return (axes * np.sqrt(values) ** power) @ axes.T


def _pack(matrix: np.ndarray) -> np.ndarray:
    return matrix[_ROWS, _COLUMNS]


def _matrix_of(shape: Shape) -> np.ndarray:
    assert isinstance(shape, Affine)
    return _pack(np.asarray(shape.matrix))


def _convex(shape: Shape, required: Convexity) -> bool:
    margins = required.margins(np.empty(0), lambda: shape)
    return margins is not None and bool((margins >= 0.0).all())


def _first_shapes(kind: type[Shape], size: float) -> list[Shape]:
    """Bodies of a class with plausible parameters, for a cloud of this size."""
    names = list(kind.Kernel._fields) if hasattr(kind, "Kernel") else []
    # Not the signature of the class: before Python 3.11.4 that is the one of the inherited `__new__`.
    _, *own = inspect.signature(kind.__init__).parameters.values()
    arguments = [p for p in own if p.name not in ("values", "fields")]
    if arguments:  # a constructor of its own
        names = [p.name for p in arguments if p.default is p.empty]
    choices = [share * size for share in SHARES] + list(PLAIN)
    found: list[tuple[float, Shape]] = []
    required = Convexity()
    for values in _combinations(choices, len(names)):
        try:
            shape = kind(**dict(zip(names, values)))
            half = np.asarray(shape._box()[0])
            if shape.batch_shape or not (half > 0.0).all():
                continue
            if not shape._is_builtin() and not _convex(shape, required):
                continue
        except (TypeError, ValueError, ArithmeticError):
            continue
        found.append((float(np.abs(np.log(half / size)).sum()), shape))
    if not found:
        raise ValueError(
            f"model: no first values were found for {kind.__name__}({', '.join(names)}); give a shape of this class, "
            "whose parameters are then the first values"
        )
    found.sort(key=lambda pair: pair[0])
    return [shape for _, shape in found]


def _combinations(choices: list[float], count: int) -> Iterator[tuple[float, ...]]:
    """All combinations of values, or as many in order and at random."""
    yield from itertools.islice(itertools.product(choices, repeat=count), MOST)
    if len(choices) ** count > MOST:
        yield from map(tuple, np.random.default_rng(0).choice(choices, (MOST, count)).tolist())
