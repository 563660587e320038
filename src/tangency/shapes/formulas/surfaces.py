"""from_implicit() and from_parametric(): convex bodies from the formulas of their surfaces."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import ArrayLike

from ...compiled.jit import LEAN
from ...geometry.directions import trouble
from ...geometry.moments import spread
from ...io import validate
from ..checks.convexity import require_convex
from ..checks.formula import jets, normal_text
from ..parameters import Carried
from ..shape import Shape, ShapeError
from .anchors import FUNCTIONS, factored, from_anchors, periodic, zeros_of
from .implicit_jet import implicit_jet
from .lost_digits import lost_digits
from .parametric_jet import parametric_jet
from .support import (
    compiled,
    field_name,
    formula_class,
    formula_values,
    parse,
    straight_line,
    symbol,
    sympy_module,
    with_values,
    without_signs,
)
from .surface_survey import Hollow, concave_implicit, concave_parametric

SPACE, CHART = ("x", "y", "z"), ("u", "v")
CENTRE, RANGES = ("cx", "cy", "cz", "reach"), ("u0", "u1", "v0", "v1", "round")
NORMALS = 300  # besides those on axes and coordinate planes, for which points are looked for
RAYS = 80  # along which the surface is looked for
GRID = 12  # of parameters u and v, for the start of Newton's method
LEAST, MOST = -40, 40  # powers of two of the size at which a surface is looked for


def from_implicit(F: Any, *, centre: ArrayLike = (0.0, 0.0, 0.0), check: bool = True, **parameters: ArrayLike) -> Shape:
    """Convex body from the implicit equation of its surface, F(x, y, z) = 0 (Römer 3-D, Remarks 11 and 22).

    Parameters
    ----------
    F : str or SymPy expression
        In x, y, z and the names of `parameters`; of one sign inside the body.
    centre : (3,) array_like
        A point inside the body [m].
    check : bool
        False skips the test for convexity; :func:`tangency.check` can then report problems.
    **parameters : float
        Values of all other symbols.

    Returns
    -------
    Shape
        The point with a normal is found on the surface by Newton's method, to rounding where the surface is curved.
        The surface may be flat (no curvature in one or all directions) at points or along curves.  Support values are
        exact there too; points lose digits, unless the flat place lies in a coordinate plane.  It may be sharp, with
        infinite curvature, as from Abs(x)**1.2, if every normal has one point.

    Raises
    ------
    ShapeError
        If a ray from the centre does not meet the surface, the surface is concave anywhere (Eq. 19), or no point is
        found for a normal, as at an edge; the message names the place.

    Examples
    --------
    >>> import tangency as tg
    >>> body = tg.from_implicit("(x/a)**2 + (y/b)**2 + z**2 - 1", a=3, b=2)
    >>> body.point([0, 1, 0]).round(12).tolist()
    [0.0, 2.0, 0.0]
    """
    values, check = _single(parameters, check)
    expression = without_signs(parse(F, "F", SPACE, values))
    place = validate.vectors(centre, "centre")
    if place.shape != (3,):
        raise ValueError(f"centre must be a single point, got shape {place.shape}")
    inside, reach = _survey(expression, values, place)
    fields = {**values, **dict(zip(CENTRE, map(np.array, (*place, reach))))}
    expression = expression if inside < 0.0 else -expression
    shape = with_values(_implicit_class(expression, tuple(values)), fields)
    if check:
        _require_nowhere_concave("F", concave_implicit(expression, values, SPACE, place, reach))
        _require_points(shape)
        require_convex(shape, "F")
    return shape


def _require_nowhere_concave(name: str, found: Hollow | None) -> None:
    if found is not None:
        raise ShapeError(f"{name} must describe a convex body, but {found} (Eq. (19) of Römer 3-D)")


def _require_points(shape: Shape) -> None:
    """A ShapeError if Newton's method finds no point for a normal."""
    n = trouble(NORMALS).copy()  # compiled code takes arrays that may be written
    missing = np.isnan(jets(shape, (), n)[0])
    if missing.any():
        raise ShapeError(
            f"F must have a point for every normal, but none was found {normal_text(n[missing.argmax()])}, where the "
            "surface may have an edge or a tip with many normals, or be so sharp that rounded coordinates do not "
            "determine its normal; write sharp places in x, y and z, such as Abs(x)**1.1, and turn or move the body"
        )


def _single(parameters: Any, check: object) -> tuple[dict[str, np.ndarray], bool]:
    values, checked = formula_values(parameters, check)
    for name, value in values.items():
        if value.ndim:
            raise ValueError(f"{name} must be a single number, got an array of shape {value.shape}")
        if name in (*CENTRE, *RANGES):
            raise TypeError(f"{name} is used by the shape itself: rename the parameter")
    return values, checked


def _survey(expression: Any, values: dict[str, np.ndarray], centre: np.ndarray) -> tuple[float, float]:
    """Value at the centre, and a distance within which most rays meet the surface."""
    sympy = sympy_module()

    symbols = [symbol(name, SPACE) for name in (*SPACE, *values)]
    function = sympy.lambdify(symbols, expression, "numpy")
    numbers = [float(value) for value in values.values()]

    def f(p: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(function(*p.T, *numbers), float), p.shape[:-1])

    inside = float(f(centre[None])[0])
    if not np.isfinite(inside) or inside == 0.0:
        raise ShapeError(
            f"F must be nonzero at the centre {centre.tolist()}, which must lie inside the body, got {inside}"
        )
    rays = np.concatenate([np.eye(3), -np.eye(3), spread(RAYS)])
    lengths = 2.0 ** np.arange(LEAST, MOST + 1)
    outside = np.stack([f(centre + length * rays) * np.sign(inside) < 0.0 for length in lengths])
    missed = ~outside.any(axis=0)
    if missed.any():
        raise ShapeError(
            f"F must describe a bounded body around the centre {centre.tolist()}, but the ray from there along "
            f"{rays[missed.argmax()].round(6).tolist()} does not leave it; if the body is elsewhere, "
            "pass a centre inside it"
        )
    return inside, float(np.median(lengths[outside.argmax(axis=0)]))


@lru_cache(maxsize=256)
def _implicit_class(expression: Any, fields: tuple[str, ...]) -> type[Shape]:
    x = [symbol(name, SPACE) for name in SPACE]
    gradient = [expression.diff(v) for v in x]
    hessian = [gradient[i].diff(x[j]) for i in range(3) for j in range(i, 3)]
    lines, results = straight_line([expression, *gradient, *hessian], "F")
    source = ["def values(self, p):", "    x, y, z = p", *(f"    {line}" for line in lines)]
    source.append(f"    return {results[0]}, ({', '.join(results[1:4])}), ({', '.join(results[4:])})")
    jet = implicit_jet(register_jitable(**LEAN)(compiled(_without_errors(source), "values")))
    rebuild = (_implicit_class, (expression, fields))
    cls = formula_class("FromImplicit", (*fields, *CENTRE), jet, rebuild)
    cls._parameters = dict.fromkeys(map(field_name, fields), 0)
    cls._carried = _carried(expression, fields)  # type: ignore[method-assign]
    cls._rebuilt = _rebuilt  # type: ignore[method-assign, assignment]
    return cls


def _without_errors(source: list[str]) -> list[str]:
    """The same with negative powers of zero that are infinite; with whole exponents compiled code raises an error."""
    return [re.sub(r"\*\*\((-\d+)\)", r"**(\1.0)", line) for line in source]


def _rebuilt(self: Any, **arguments: Any) -> Shape:
    kept = {name: self._fields[name] for name in (*CENTRE, *RANGES) if name in self._fields}
    return type(self)(**arguments, **kept)


def _carried(expression: Any, fields: tuple[str, ...]) -> Callable:
    """The method `Shape._carried`: the boundary moves along its normal, by -(dF/dp) / |grad F|."""

    @lru_cache(maxsize=1)
    def functions() -> Callable:
        sympy = sympy_module()

        x = [symbol(name, SPACE) for name in SPACE]
        rates = [expression.diff(symbol(name, SPACE)) for name in fields]
        gradient = [expression.diff(v) for v in x]
        table = [gradient, *([g.diff(v) for v in x] for g in gradient)]
        table += [[rate, *(rate.diff(v) for v in x)] for rate in rates]
        return sympy.lambdify([*x, *(symbol(name, SPACE) for name in fields)], table, "numpy", cse=True)

    def carried(self: Any, n: np.ndarray, x: np.ndarray) -> Carried:
        flat, normals = x.reshape(-1, 3), n.reshape(-1, 3)
        rows = functions()(*flat.T, *(self._fields[field_name(name)] for name in fields))
        rows = [np.stack([np.broadcast_to(value, len(flat)) for value in row], axis=-1) for row in rows]
        size, hessian = np.linalg.norm(rows[0], axis=1)[:, None], np.stack(rows[1:4], axis=1)
        point, tilt = np.zeros((2, *n.shape[:-1], len(fields), 3))
        for k, row in enumerate(rows[4:]):
            moved = -row[:, :1] / size * normals
            point[..., k, :] = moved.reshape(n.shape)
            tilt[..., k, :] = ((row[:, 1:] + np.einsum("kij,kj->ki", hessian, moved)) / size).reshape(n.shape)
        return Carried(point, tilt)

    return carried


def from_parametric(
    x: Sequence[Any],
    *,
    u: tuple[float, float],
    v: tuple[float, float] = (0.0, 2.0 * np.pi),
    check: bool = True,
    **parameters: ArrayLike,
) -> Shape:
    """Convex body from a parametric surface x(u, v) that encloses it.

    Parameters
    ----------
    x : sequence of three str or SymPy expressions
        Coordinates x, y, z of the surface [m] in u, v and the names of `parameters`.
    u, v : (float, float)
        Ranges of the parameters.  If x has the same values at both ends of `v`, as for an angle, v is periodic.  At the
        ends of `u` the surface may shrink to a point, as at the poles of a sphere.
    check : bool
        False skips the tests that the surface is closed and convex, and that the formulas keep their digits;
        :func:`tangency.check` can then report problems.
    **parameters : float
        Values of all other symbols.

    Returns
    -------
    Shape
        The point with the normal n is where n.x(u, v) is largest, found by Newton's method.  At a pole that does not
        lie on a coordinate axis the curvature comes from differences of points and has about nine digits.  Where
        powers of sines, cosines or sums such as 1 - u make the curvature zero or infinite, it keeps its digits; where
        other formulas do, it is that of the nearest rounded u and v.

    Raises
    ------
    ShapeError
        If the surface is not closed or not convex; the message names the place.

    Warns
    -----
    RuntimeWarning
        If points differ from the formulas evaluated with 50 digits by more than 1e-10 of the size, or radii of
        curvature by more than 1e-7 of themselves, beside values of u and v at which a part of the formulas is zero or
        has an extreme value.  Sums that cancel there, such as 1 - u**p, lose digits.

    Examples
    --------
    >>> import math, tangency as tg
    >>> ball = tg.from_parametric(("r*sin(u)*cos(v)", "r*sin(u)*sin(v)", "r*cos(u)"), u=(0, math.pi), r=2)
    >>> ball.support([[0, 0, 1], [1, 0, 0]]).round(12).tolist()
    [2.0, 2.0]
    """
    values, check = _single(parameters, check)
    if isinstance(x, str) or not isinstance(x, Sequence) or len(x) != 3:
        raise TypeError(f"x must be three expressions of u and v, got {x!r}")
    expressions = _three(x, values)
    (u0, u1), (v0, v1) = _range(u, "u"), _range(v, "v")
    closed = _closed(expressions, values, (u0, u1, v0, v1), check)
    ranges = dict(zip(RANGES, map(np.array, (u0, u1, v0, v1, float(closed)))))
    shape = with_values(_parametric_class(expressions, tuple(values)), {**values, **ranges})
    if check:
        _require_nowhere_concave("x", concave_parametric(expressions, values, CHART, (u0, u1, v0, v1), closed))
        require_convex(shape, "x")
        _require_enclosed(shape, expressions, values, (u0, u1, v0, v1))
        for sentence in shape._inaccuracies():
            warnings.warn(sentence, RuntimeWarning, stacklevel=2)
    return shape


def _three(x: Sequence[Any], values: dict[str, np.ndarray]) -> tuple[Any, ...]:
    """The three expressions; each parameter must occur in one of them."""
    found = []
    for k, one in enumerate(x):
        used = {name: value for name, value in values.items() if _mentions(one, name)}
        found.append(without_signs(parse(one, f"x[{k}]", CHART, used)))
    unused = [name for name in values if not any(symbol(name, CHART) in e.free_symbols for e in found)]
    if unused:
        raise TypeError(f"x does not contain {', '.join(unused)}")
    return tuple(found)


def _mentions(expression: Any, name: str) -> bool:
    text = expression if isinstance(expression, str) else str(expression)
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None


def _range(given: Any, name: str) -> tuple[float, float]:
    pair = validate.array(given, name)
    if pair.shape != (2,) or not pair[0] < pair[1]:
        raise ValueError(f"{name} must be a range (low, high) with low < high, got {given!r}")
    return float(pair[0]), float(pair[1])


def _on_grid(expressions: tuple[Any, ...], values: dict[str, np.ndarray], u: Any, v: Any) -> np.ndarray:
    """Points of the surface at parameters of one shape."""
    sympy = sympy_module()

    symbols = [symbol(name, CHART) for name in (*CHART, *values)]
    function = sympy.lambdify(symbols, list(expressions), "numpy")
    u, v = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
    found = function(u, v, *(float(value) for value in values.values()))
    return np.stack([np.broadcast_to(np.asarray(one, float), u.shape) for one in found], axis=-1)


def _closed(expressions: Any, values: Any, ranges: tuple[float, ...], check: bool) -> bool:
    """Whether the surface is periodic in v; an error if it is not closed."""
    u0, u1, v0, v1 = ranges
    u, v = np.linspace(u0, u1, 33), np.linspace(v0, v1, 33)
    size = np.ptp(_on_grid(expressions, values, u[:, None], v).reshape(-1, 3), axis=0).max()
    last = _on_grid(expressions, values, u, v1)
    seam = np.abs(_on_grid(expressions, values, u, v0) - last).max()
    # At a rounded end, such as 2 pi, powers of sines are far from zero; how far, shows beside it.
    beside = max(np.abs(_on_grid(expressions, values, u, np.nextafter(v1, to)) - last).max() for to in (-9e9, 9e9))
    closed = bool(seam <= max(1e-9 * size, 8.0 * beside))
    if check and closed:
        for end, inside in ((u0, u1), (u1, u0)):
            # At a rounded end, such as pi, a pole is a small ring if the surface is flat there; it grows quickly.
            beside = end + 1e-8 * (inside - end)
            rim, ring = (np.ptp(_on_grid(expressions, values, at, v), axis=0).max() for at in (end, beside))
            if rim > max(1e-9 * size, 0.5 * ring):
                raise ShapeError(f"x must be a closed surface, but at u = {end:g} it has an open rim")
    return closed


def _require_enclosed(shape: Shape, expressions: Any, values: Any, ranges: tuple[float, ...]) -> None:
    """Every point of the surface lies on the convex body; otherwise the surface has dents."""
    u0, u1, v0, v1 = ranges
    u, v = np.meshgrid(np.linspace(u0, u1, 41)[1:-1], np.linspace(v0, v1, 41)[:-1])
    points = _on_grid(expressions, values, u, v).reshape(-1, 3)
    normals = spread(1500)
    depth = (shape.support(normals) - points @ normals.T).min(axis=1)
    size = float(np.asarray(shape.bounding_radius))
    worst = int(depth.argmax())
    if depth[worst] > 0.02 * size:  # coarser than the distance between the normals
        raise ShapeError(
            f"x must be a convex surface, but its point {points[worst].round(6).tolist()} lies {depth[worst]:.3g} "
            "below the convex hull"
        )


@lru_cache(maxsize=256)
def _parametric_class(expressions: tuple[Any, ...], fields: tuple[str, ...]) -> type[Shape]:
    u, v = (symbol(name, CHART) for name in CHART)
    surface = [factored(e, (u, v)) for e in expressions]
    slopes = {p: periodic(surface, p) for p in (u, v)}
    singular = [(0.5 * math.pi / float(slopes[p]), zeros_of(surface, p)) for p in (u, v)]

    def function(name: str, orders: list[tuple]) -> Callable:
        table = [e.diff(*order) if order else e for order in orders for e in surface]
        flat, parts = from_anchors([factored(e, (u, v)) for e in table], slopes)
        lines, results = straight_line(flat, "x")
        triples = [f"({', '.join(results[3 * k : 3 * k + 3])})" for k in range(len(orders))]
        source = [f"def {name}(self, u_at, v_at):", *(f"    {line}" for line in (*parts, *lines))]
        source.append(f"    return {', '.join(triples)}")
        return register_jitable(**LEAN)(compiled(_without_errors(source), name, FUNCTIONS))

    place = function("place", [()])
    values = function("values", [(), (u,), (v,), (u, u), (u, v), (v, v)])
    jet = parametric_jet(place, values, GRID, singular)
    cls = formula_class("FromParametric", (*fields, *RANGES), jet, (_parametric_class, (expressions, fields)))

    def inaccuracies(self: Any) -> list[str]:
        loss = lost_digits(self, expressions, {name: self._fields[field_name(name)] for name in fields}, CHART)
        return [] if loss is None else [str(loss)]

    cls._inaccuracies = inaccuracies  # type: ignore[method-assign]
    cls._runs_in_python = False  # beside poles
    return cls
