"""The names of shapes in a scene file, and the function that makes each.

The parameters of these functions are the keys in the file; to add a shape, add a line to `CATALOGUE`.
"""

from __future__ import annotations

import ast
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


def harmless(expression: object) -> str:
    """`expression` if it is plain arithmetic: a scene file from an untrusted source must not run code."""
    if not isinstance(expression, str) or len(expression) > 2000:
        raise ValueError(f"expression must be a formula in quotes, at most 2000 characters, got {expression!r:.60}")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        raise ValueError(
            f"expression must be a formula such as 'sqrt(4*nx**2 + ny**2 + nz**2)', got {expression!r}"
        ) from None
    for node in ast.walk(tree):
        plain = isinstance(node, _FORMULA)
        if isinstance(node, ast.Call):
            plain = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords
        elif isinstance(node, ast.Constant):
            plain = isinstance(node.value, int | float) and not isinstance(node.value, bool) and abs(node.value) < 1e9
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            # SymPy would never finish 9**9**9.
            plain = isinstance(node.right, ast.Constant | ast.Name | ast.UnaryOp) or (
                isinstance(node.right, ast.BinOp) and not isinstance(node.right.op, ast.Pow)
            )
        elif isinstance(node, ast.Name):
            plain = not node.id.startswith("_")
        if not plain:
            words = ", ".join(sorted(_FUNCTIONS))
            raise ValueError(f"expression must be arithmetic with {words}, got {ast.unparse(node)!r} in {expression!r}")
    return expression
