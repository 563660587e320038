"""The names of shapes in a scene file, and the function that makes each.

The parameters of these functions are the keys in the file; to add a shape, add a line to `CATALOGUE`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import shapes
from ..shapes.shape import Shape


def _superellipsoid(radii: Any, epsilon: Any = None, exponents: Any = None) -> Shape:
    if (epsilon is None) == (exponents is None):
        raise ValueError("superellipsoid needs either epsilon or exponents (2/epsilon), not both")
    if epsilon is None:
        return shapes.Superellipsoid.from_exponents(radii, exponents)
    return shapes.Superellipsoid(radii, epsilon)


def _harmonic(coefficients: Any = None, body: Any = None, degree: Any = None) -> Shape:
    if (coefficients is None) == (body is None) or (body is None) != (degree is None):
        raise ValueError("harmonic_shape needs either coefficients, or a body and a degree")
    if body is None:
        return shapes.HarmonicShape(coefficients)
    return shapes.HarmonicShape.from_shape(body, _whole(degree))


def _spline(coefficients: Any = None, body: Any = None, cells: Any = None) -> Shape:
    if (coefficients is None) == (body is None) or (body is None) != (cells is None):
        raise ValueError("spline_shape needs either coefficients, or a body and cells")
    if body is None:
        return shapes.SplineShape(coefficients)
    return shapes.SplineShape.from_shape(body, _whole(cells))


def _whole(value: Any) -> Any:
    return int(value) if np.shape(value) == () and float(value).is_integer() else value


def _offset(body: Any, distance: Any) -> Shape:
    return shapes.Offset(body, distance)


def _minkowski_sum(a: Any, b: Any) -> Shape:
    return shapes.MinkowskiSum(a, b)


def _affine(body: Any, matrix: Any, translation: Any = (0.0, 0.0, 0.0)) -> Shape:
    return shapes.Affine(body, matrix, translation)


def _support(expression: Any, **parameters: Any) -> Shape:
    from ..shapes.formulas.support import from_support

    return from_support(harmless(expression), **parameters)


def _potential(expression: Any, **parameters: Any) -> Shape:
    from ..shapes.formulas.potential import from_potential

    return from_potential(harmless(expression), **parameters)


CATALOGUE: dict[str, Callable[..., Shape]] = {
    "half_space": shapes.HalfSpace,
    "plane": shapes.HalfSpace,
    "sphere": shapes.Sphere,
    "ellipsoid": shapes.Ellipsoid,
    "superellipsoid": _superellipsoid,
    "power_ellipsoid": shapes.PowerEllipsoid,
    "superovoid": shapes.Superovoid,
    "ovoid": shapes.Ovoid,
    "tapered_superellipsoid": shapes.TaperedSuperellipsoid,
    "harmonic_shape": _harmonic,
    "spline_shape": _spline,
    "capsule": shapes.capsule,
    "rounded_box": shapes.rounded_box,
    "box": shapes.Box,
    "cylinder": shapes.Cylinder,
    "cone": shapes.Cone,
    "hull": shapes.Hull,
    "segment": shapes.Segment,
    "offset": _offset,
    "minkowski_sum": _minkowski_sum,
    "affine": _affine,
    "support": _support,
    "potential": _potential,
}
TEXTS = {"expression"}  # parameters that are text
BODIES = {"body", "a", "b"}  # parameters that are shapes

_FORMULA = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Pow,
    ast.USub,
    ast.UAdd,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
)
DEEPEST = 100  # levels of a formula: SymPy calls itself for each
MOST_POWER = 100  # largest exponent in a formula
_FUNCTIONS = {
    "sqrt",
    "Abs",
    "abs",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "Min",
    "Max",
}


def _depth(tree: ast.AST) -> int:
    """Number of levels of a formula."""
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [inner for node in level for inner in ast.iter_child_nodes(node)]
    return depth


def _largest(node: ast.AST) -> float:
    """Upper bound on an exponent, with 1 for every symbol: SymPy would never finish 9**9**9 or 9**999999999."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return abs(node.value)
    if isinstance(node, ast.Name):
        return 1.0
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("sin", "cos", "tanh"):
        return 1.0
    if isinstance(node, ast.UnaryOp):
        return _largest(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _largest(node.left), _largest(node.right)
        if isinstance(node.op, ast.Add | ast.Sub):
            return left + right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div) and isinstance(node.right, ast.Constant | ast.Name) and right > 0:
            return left / right
    return math.inf


def harmless(expression: object) -> str:
    """`expression` if it is plain arithmetic: a scene file from an untrusted source must not run code."""
    if not isinstance(expression, str) or len(expression) > 2000:
        raise ValueError(f"expression must be a formula in quotes, at most 2000 characters, got {expression!r:.60}")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(
            f"expression must be a formula such as 'sqrt(4*nx**2 + ny**2 + nz**2)', got {expression!r}"
        ) from None
    if _depth(tree) > DEEPEST:
        raise ValueError(f"expression must not be nested deeper than {DEEPEST} levels, got {expression!r:.60}")
    for node in ast.walk(tree):
        plain = isinstance(node, _FORMULA)
        if isinstance(node, ast.Call):
            plain = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords
        elif isinstance(node, ast.Constant):
            plain = isinstance(node.value, int | float) and not isinstance(node.value, bool) and abs(node.value) < 1e9
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            plain = _largest(node.right) <= MOST_POWER
        elif isinstance(node, ast.Name):
            plain = not node.id.startswith("_")
        if not plain:
            words = ", ".join(sorted(_FUNCTIONS))
            words += f", and exponents up to {MOST_POWER}"
            raise ValueError(f"expression must be arithmetic with {words}, got {ast.unparse(node)!r} in {expression!r}")
    return expression
