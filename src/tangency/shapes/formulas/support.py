"""Shapes from formulas: derivatives by SymPy, common subexpressions once, compiled like built-in shapes."""

from __future__ import annotations

import keyword
import math
import random
import re
from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..checks.convexity import require_convex
from ..shape import Shape
from ..tables import Stack

if TYPE_CHECKING:
    from sympy import Expr

#: What SymPy reads: an expression, or a string or number of one.
Formula: TypeAlias = "Expr | str | float"

NORMAL = ("nx", "ny", "nz")
AnyShape = TypeVar("AnyShape", bound=Stack)  # in space or in the plane


def from_support(h: Formula, /, *, check: bool = True, **parameters: ArrayLike) -> Shape:
    """Shape from a SymPy expression of its support function h(nx, ny, nz).

    Parameters
    ----------
    h : str or sympy.Expr
        Support function in the symbols nx, ny, nz.  One that is not homogeneous of degree 1 is taken
        to hold for unit normals and extended by h(t n) = t h(n).  A string is evaluated as Python:
        never pass one from a stranger.
    check : bool
        False leaves out the search for places where the body is not convex; then
        :func:`tangency.check` reports what is wrong.
    **parameters : (...) array_like
        Values of all other symbols; arrays make a stack.  Any name will do but nx, ny, nz and check.

    Returns
    -------
    Shape
        Point and Hessian are exact derivatives.  Their rounding error is that of the formulas as
        SymPy writes them.

    Raises
    ------
    ShapeError
        If a radius of curvature is negative by more than 1e-9 of the size; the message names the normal.  Also if the
        body is a single point, as of h = 0: ``tangency.Hull([[0, 0, 0]])`` is one.

    Examples
    --------
    >>> import tangency as tg
    >>> shape = tg.from_support("sqrt(a**2*nx**2 + b**2*ny**2 + nz**2)", a=3, b=2)
    >>> shape.point([0, 1, 0]).tolist()
    [0.0, 2.0, 0.0]
    """
    values, check = formula_values(parameters, check)
    expression = homogeneous(parse(h, "h", NORMAL, values), values)
    shape = with_values(support_class(expression, tuple(values)), values)
    if check:
        require_convex(shape, "h")
    return shape


def formula_values(parameters: Mapping[str, ArrayLike], check: object) -> tuple[dict[str, np.ndarray], bool]:
    """The parameters of a formula as arrays, and the option `check`."""
    if not isinstance(check, bool):
        raise TypeError(f"check must be True or False, got {check!r} (a parameter of the formula needs another name)")
    return {name: validate.array(value, name) for name, value in parameters.items()}, check


def sympy_module() -> Any:
    """SymPy, or a sentence on how to get it."""
    try:
        import sympy
    except ImportError:
        raise ImportError("shapes from formulas need SymPy: pip install 'tangency[symbolic]'") from None
    return sympy


def field_name(name: str) -> str:
    """The kernel's field for a parameter: its name, or name_ where Python or a kernel has another use for it."""
    taken = keyword.iskeyword(name) or name.startswith("_") or name in _TAKEN or hasattr(tuple, name)
    return f"{name.lstrip('_')}_" if taken else name


_TAKEN = {"jet", "bend", "support", "point", "hessian", "implicit", "self", "math", "n"}


def with_values(cls: type[AnyShape], values: dict[str, np.ndarray]) -> AnyShape:
    """The shape of a formula class with these parameters."""
    return cls(**{field_name(name): value for name, value in values.items()})


def symbol(name: str, variables: tuple[str, ...]) -> Any:
    """The symbol of a variable, or of a parameter, printed as the kernel's field."""
    return sympy_module().Symbol(name if name in variables else f"self.{field_name(name)}", real=True)


def parse(expression: object, argument: str, variables: tuple[str, ...], parameters: dict[str, Any]) -> Any:
    """`expression` in the symbols of `variables` and `parameters`, all real."""
    sympy = sympy_module()
    clash = [name for name in parameters if name in variables]
    if clash:
        raise TypeError(f"{', '.join(clash)} in {argument} stands for the normal: a parameter needs another name")
    symbols = {name: symbol(name, variables) for name in (*variables, *parameters)}
    # Whatever SymPy or Python mean by these names, here they are numbers.
    safe = {name: f"own_{k}_" for k, name in enumerate(symbols)}
    text = _renamed(expression, safe) if isinstance(expression, str) else expression
    try:
        result = sympy.sympify(text, locals={safe[name]: value for name, value in symbols.items()})
    except (sympy.SympifyError, SyntaxError, TypeError, AttributeError) as error:
        raise ValueError(f"{argument} must be a SymPy expression or a string of one, got {expression!r}") from error
    if not isinstance(result, sympy.Expr):
        raise TypeError(f"{argument} must be a SymPy expression or a string of one, got {expression!r}")
    known = set(symbols.values())
    strange = sorted({s.name for s in result.free_symbols - known} - set(symbols))
    if strange:
        values = ", ".join(f"{name}=..." for name in strange)
        raise TypeError(f"{argument} contains {', '.join(strange)} besides {', '.join(variables)}: pass {values}")
    # Symbols of the caller's own making may carry other assumptions.
    result = result.subs({s: symbols[s.name] for s in result.free_symbols - known})
    unused = [name for name in parameters if symbols[name] not in result.free_symbols]
    if unused:
        raise TypeError(f"{argument} = {expression} does not contain {', '.join(unused)}")
    if result.has(sympy.zoo, sympy.oo, sympy.nan, sympy.I, sympy.DiracDelta):
        raise ValueError(f"{argument} must be real and finite, got {expression!r}, which is {result}")
    # The derivatives of max(x, y) at x = y: those of one of them, so that the point lies on the body.
    result = result.replace(sympy.Max, lambda *a: _pick(a, sympy.Ge)).replace(sympy.Min, lambda *a: _pick(a, sympy.Le))
    return result


def _pick(values: tuple, better: Any) -> Any:
    """The largest or smallest value, one of them where several are equal."""
    sympy = sympy_module()
    best = values[-1]
    for value in reversed(values[:-1]):
        best = sympy.Piecewise((value, sympy.And(*(better(value, other) for other in values))), (best, True))
    return best


def _renamed(text: str, names: dict[str, str]) -> str:
    """The formula with every name in `names` replaced, unless it is called as a function."""

    def new(found: re.Match) -> str:
        return names.get(found[1], found[1])

    return re.sub(r"(?<![\w.])([^\W\d]\w*)(?![\w]|\s*\()", new, text)


def homogeneous(expression: Any, parameters: dict[str, Any]) -> Any:
    """The expression itself if h(t n) = t h(n), else its extension from unit vectors."""
    sympy = sympy_module()
    n = [symbol(name, NORMAL) for name in NORMAL]
    # Some bodies of a stack may be homogeneous by chance: all must be.
    function = sympy.lambdify([*n, *(symbol(name, NORMAL) for name in parameters)], expression, "numpy")
    values = [np.asarray(value, dtype=complex) for value in parameters.values()]
    source = random.Random(1)
    for _ in range(3):
        at = [source.uniform(-1.0, 1.0) for _ in range(3)]
        try:
            with np.errstate(all="ignore"):
                one, two = (np.asarray(function(*(complex(t * v) for v in at), *values)) for t in (1.0, 1.7))
        except (NameError, TypeError):  # a function that straight_line() will name
            return expression
        if not (abs(two - 1.7 * one) <= 1e-9 * abs(two)).all():
            length = sympy.sqrt(sum(v * v for v in n))
            return length * expression.subs({v: v / length for v in n}, simultaneous=True)
    return expression


def _without_signs(expression: Any) -> Any:
    """The same without |x| and sign(x) of terms that SymPy does not know to be real, which it cannot derive."""
    sympy = sympy_module()
    for kind, right, left in ((sympy.Abs, lambda x: x, lambda x: -x), (sympy.sign, lambda x: 1, lambda x: -1)):
        pieces = [(e, e.args[0]) for e in expression.atoms(kind) if not e.args[0].is_extended_real]
        expression = expression.subs({e: sympy.Piecewise((right(x), x >= 0), (left(x), True)) for e, x in pieces})
    return expression


def straight_line(expressions: list[Any], argument: str) -> tuple[list[str], list[str]]:
    """Assignments of common subexpressions, and the expressions in their terms, as Python source."""
    sympy = sympy_module()
    from sympy.printing.pycode import PythonCodePrinter

    def step(x: Any, *_: Any) -> Any:
        return sympy.Piecewise((1, x > 0), (0, True))

    # Second derivatives of |x| and max(x, y): zero but for the kink itself.
    cleaned = [sympy.sympify(e).replace(sympy.DiracDelta, lambda *_: sympy.Integer(0)) for e in expressions]
    cleaned = [e.replace(sympy.Heaviside, step) for e in cleaned]
    left = {f.func.__name__ for e in cleaned for d in e.atoms(sympy.Derivative) for f in d.expr.atoms(sympy.Function)}
    if left:
        raise TypeError(f"{argument} uses {', '.join(sorted(left))}, of which there is no derivative")
    printer = PythonCodePrinter({"fully_qualified_modules": True})
    common, reduced = sympy.cse(cleaned, symbols=sympy.numbered_symbols("_"), list=True)
    try:
        lines = [f"{name} = {printer.doprint(value)}" for name, value in common]
        # A zero among the derivatives would be an integer, and a tuple of both does not compile.
        results = [f"float({printer.doprint(value)})" for value in reduced]
    except NotImplementedError as error:
        name = re.split(r"[\s.:]", str(error).splitlines()[0].rstrip("'> "))[-1]
        raise TypeError(f"{argument} uses {name}, which has no counterpart in Python's math module") from None
    return lines, results


def compiled(source: list[str], name: str, names: dict[str, Any] | None = None) -> Callable:
    """The function `name` from lines of source."""
    scope: dict[str, Any] = {"math": math, **(names or {})}
    exec("\n".join(source), scope)
    return scope[name]


def formula_class(name: str, fields: tuple[str, ...], jet: Callable, rebuild: tuple[Callable, tuple]) -> type[Shape]:
    """A shape class with float fields and the given jet; `rebuild` makes it again in another process."""
    make: Any = namedtuple  # a type checker wants to see the fields
    fields = tuple(map(field_name, fields))
    kernel = make("Kernel", fields)
    kernel.__annotations__ = dict.fromkeys(fields, float)
    kernel.__qualname__ = f"{name}.Kernel"
    kernel.jet = jet

    def reduce(self: Any) -> tuple[Callable, tuple]:
        return _again, (*rebuild, {k: np.array(v) for k, v in self._fields.items()})

    return type(name, (Shape,), {"Kernel": kernel, "__module__": "from_formula", "__reduce__": reduce})


def _again(function: Callable, arguments: tuple, fields: dict[str, np.ndarray]) -> Shape:
    return function(*arguments)(**fields)


@lru_cache(maxsize=256)
def support_class(expression: Any, fields: tuple[str, ...]) -> type[Shape]:
    """The shape class of a homogeneous support function; the same expression compiles once."""
    n = [symbol(name, NORMAL) for name in NORMAL]
    expression = _without_signs(expression)
    gradient = [expression.diff(v) for v in n]
    hessian = [gradient[i].diff(n[j]) for i in range(3) for j in range(i, 3)]
    lines, results = straight_line([expression, *gradient, *hessian], "h")
    source = ["def jet(self, n):", "    nx, ny, nz = n", *(f"    {line}" for line in lines)]
    source.append(f"    return {results[0]}, ({', '.join(results[1:4])}), ({', '.join(results[4:])})")
    return formula_class("FromSupport", fields, compiled(source, "jet"), (support_class, (expression, fields)))
