"""Sentences about formulas that cannot be used: each names the argument and the part of the formula."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Mapping
from typing import Any

from ...io.spelling import suggestion

#: Functions to suggest for unknown ones.
FUNCTIONS = (
    *("sqrt", "Abs", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"),
    *("Min", "Max", "Piecewise", "sign", "cbrt", "root"),
)
_INSTEAD = {"hypot": "sqrt(x**2 + y**2)", "fabs": "Abs", "pow": "x**y", "ln": "log", "sgn": "sign"}
#: What Python would decide once, before SymPy sees the formula.
_DECISIONS = (ast.IfExp, ast.BoolOp, ast.Not, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
#: What a formula may consist of, besides calls, numbers and names.
_ARITHMETIC = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Tuple,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.Load,
)
#: Functions and operations that are no subclasses of SymPy's Function.
_OTHER_FUNCTIONS = (
    *("abs", "pow", "min", "max", "real_root", "Rational", "Integer", "Float", "Add", "Mul", "Pow"),
    *("And", "Or", "Not", "Xor", "Eq", "Ne", "Lt", "Le", "Gt", "Ge"),
    *("Integral", "Sum", "Product", "Limit", "Derivative", "Subs", "Lambda"),
)


def refuse_python(text: str, argument: str) -> None:
    """Raise an error if a part of the formula is a decision of Python, which SymPy would not see."""
    for node in ast.walk(_tree(text) or ast.Expression(ast.Constant(0))):
        if isinstance(node, _DECISIONS) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            raise TypeError(
                f"{argument} must be a formula without if, and, or, not and lambda, got {_part(node)!r}: use "
                "Piecewise, Min or Max"
            )


def refuse_code(text: str, argument: str, names: Mapping[str, str]) -> None:
    """Raise an error unless a formula is arithmetic with functions of SymPy, which evaluates strings as Python code.

    `names` are those to print instead of the symbols in the text.
    """
    if "#" in text:
        raise ValueError(f"{argument} must be a formula without comments, got a '#'")
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        plain = isinstance(node, _ARITHMETIC)
        if isinstance(node, ast.Call):
            plain = isinstance(node.func, ast.Name) and _is_function(node.func.id) and not node.keywords
        elif isinstance(node, ast.Constant):
            plain = isinstance(node.value, int | float | complex)
        elif isinstance(node, ast.Name):
            plain = not node.id.startswith("__")
        if not plain:
            part = re.sub(r"\w+", lambda word: names.get(word[0], word[0]), _part(node))
            why = f" (nothing in a formula has an attribute {node.attr!r})" if isinstance(node, ast.Attribute) else ""
            raise ValueError(f"{argument} must be arithmetic with functions of SymPy, got {part!r}{why}")


def _is_function(name: str) -> bool:
    """Whether a name may be called in a formula; an unknown one is reported later, by `refuse_unknown`."""
    import sympy

    if name in FUNCTIONS or name in _OTHER_FUNCTIONS:
        return True
    if name.startswith("__") or hasattr(builtins, name):
        return False
    known = getattr(sympy, name, None)
    return known is None or (isinstance(known, type) and issubclass(known, sympy.Function))


def reason(expression: object, error: Exception) -> str:
    """Why a formula cannot be read, to be appended to a sentence."""
    if isinstance(expression, str):
        try:
            ast.parse(expression.strip(), mode="eval")
        except SyntaxError as wrong:
            at = f" at character {wrong.offset}" if wrong.offset else ""
            return f" ({wrong.msg}{at})"
    if isinstance(error, AttributeError):
        return f" (nothing in a formula has an attribute {error.name!r})"
    return ""


def refuse_unknown(expression: Any, argument: str) -> None:
    """Raise an error that names a function which SymPy does not know."""
    from sympy.core.function import AppliedUndef

    unknown = sorted({function.func.__name__ for function in expression.atoms(AppliedUndef)})
    if unknown:
        name = unknown[0]
        hint = f"; use {_INSTEAD[name]}" if name in _INSTEAD else suggestion(name, FUNCTIONS)
        raise TypeError(f"{argument} uses {name}, which is not a function that SymPy knows{hint}")


def refuse_unevaluated(expression: Any, argument: str) -> None:
    """Raise an error that names an operation which SymPy has not carried out, such as an integral."""
    import sympy

    kinds = (sympy.Integral, sympy.Sum, sympy.Product, sympy.Limit, sympy.Derivative, sympy.Subs)
    found = sorted({type(part).__name__ for part in expression.atoms(*kinds)})
    if found:
        raise TypeError(
            f"{argument} uses {found[0]}, which is not evaluated: pass its result, as a SymPy expression from .doit()"
        )


def refuse_infinite(found: Any, expression: object, argument: str, read: Callable[[object], Any]) -> None:
    """Raise an error if a formula, or a part of it, is infinite, complex or not a number."""
    import sympy

    names = {
        sympy.zoo: "divides by zero",
        sympy.oo: "is infinite",
        sympy.nan: "is not a number",
        sympy.I: "is complex",
        sympy.DiracDelta: "is infinite somewhere",
    }

    def trouble(value: Any) -> str:
        if not isinstance(value, sympy.Expr):  # the name of a function
            return ""
        return next((text for kind, text in names.items() if value.has(kind)), "")

    if not trouble(found):
        return
    worst = expression
    if isinstance(expression, str):
        # Children come after their parents: the last part that has the trouble is the smallest.
        for node in ast.walk(_tree(expression) or ast.Expression(ast.Constant(0))):
            if isinstance(node, ast.BinOp | ast.Call | ast.Name | ast.UnaryOp):
                try:
                    if trouble(read(_part(node))):
                        worst = _part(node)
                except Exception:  # a part alone may be no expression
                    continue
    where = f", in which {worst} {trouble(found)}" if worst != expression else f", which {trouble(found)}"
    raise ValueError(f"{argument} must be real and finite, got {str(expression)!r}{where}")


def _tree(text: str) -> ast.AST | None:
    try:
        return ast.parse(text.strip(), mode="eval")
    except SyntaxError:  # SymPy reads some formulas that are not Python
        return None


def _part(node: ast.AST) -> str:
    return ast.unparse(node)
