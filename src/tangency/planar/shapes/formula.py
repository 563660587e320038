"""Planar shapes from a generating potential g(phi): a formula, or g with its two derivatives."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ... import validate
from ..._jit import OPTIONS
from ...symbolic import compiled, parse, straight_line, symbol
from ..jet import jet_of_potential
from ..shape import Shape

ANGLE = ("phi",)


def from_potential(g: Any, g_phi: Any = None, g_phiphi: Any = None, /, **parameters: Any) -> Shape:
    """Planar shape from its generating potential g(phi) (Römer 3-D, Proposition 1).

    Parameters
    ----------
    g : str, sympy.Expr or callable
        An expression in the symbol phi, from which the derivatives follow, ``Piecewise`` included; or a
        function ``g(phi, ...)`` of floats.  A string is evaluated as Python: never pass one from a
        stranger.
    g_phi, g_phiphi : callable, optional
        First and second derivative, needed if `g` is a function.  All three are compiled, so floats and
        the math module only; phi lies between -pi and pi.
    **parameters : (...) array_like
        Values of all other symbols or of the functions' further arguments; arrays make a stack.

    Examples
    --------
    >>> from tangency import planar
    >>> ellipse = planar.from_potential("sqrt((a*cos(phi))**2 + (b*sin(phi))**2)", a=3, b=2)
    >>> ellipse.point([0, 1]).round(12).tolist()
    [0.0, 2.0]
    """
    parameters = {name: validate.array(value, name) for name, value in parameters.items()}
    derivatives = (g_phi, g_phiphi)
    if callable(g) and not hasattr(g, "free_symbols"):
        missing = [name for name, f in zip(("g_phi", "g_phiphi"), derivatives) if not callable(f)]
        if missing:
            raise TypeError(
                f"g is a function, so {' and '.join(missing)} must be functions too "
                "(a SymPy expression or a string needs no derivatives)"
            )
        return _function_class((g, *derivatives), tuple(parameters))(**parameters)
    if any(f is not None for f in derivatives):
        raise TypeError("g is an expression: its derivatives are generated, pass none")
    return _expression_class(parse(g, "g", ANGLE, parameters), tuple(parameters))(**parameters)


@lru_cache(maxsize=256)
def _expression_class(g: Any, fields: tuple[str, ...]) -> type[Shape]:
    phi = symbol("phi", ANGLE)
    lines, results = straight_line([g, g.diff(phi), g.diff(phi, 2)], "g")
    floats = [f"float({result})" if result.lstrip("-").isdigit() else result for result in results]
    source = ["def values(self, phi):", *(f"    {line}" for line in lines), f"    return {', '.join(floats)}"]
    return _formula_class(compiled(source, "values"), fields, (_expression_class, (g, fields)))


@lru_cache(maxsize=256)
def _function_class(functions: tuple[Callable, ...], fields: tuple[str, ...]) -> type[Shape]:
    calls, names = [], {}
    for k, (name, function) in enumerate(zip(("g", "g_phi", "g_phiphi"), functions)):
        plain = getattr(function, "py_func", function)
        arguments = list(inspect.signature(plain).parameters)[1:]
        strange = [a for a in arguments if a not in fields]
        if strange:
            raise TypeError(f"{name} takes {', '.join(strange)}, for which no value was passed")
        names[f"f{k}"] = function if plain is not function else register_jitable(**OPTIONS)(function)
        calls.append(f"f{k}({', '.join(['phi', *(f'self.{a}' for a in arguments)])})")
    source = ["def values(self, phi):", f"    return {', '.join(calls)}"]
    return _formula_class(compiled(source, "values", names), fields, (_function_class, (functions, fields)))


def _formula_class(values: Callable, fields: tuple[str, ...], rebuild: tuple[Callable, tuple]) -> type[Shape]:
    """A shape class with float fields; `rebuild` makes it again in another process."""
    make: Any = namedtuple  # a type checker wants to see the fields
    kernel = make("Kernel", fields)
    kernel.__annotations__ = dict.fromkeys(fields, float)
    kernel.__qualname__ = "FromPotential.Kernel"
    kernel.jet = jet_of_potential(register_jitable(**OPTIONS)(values))

    def reduce(self: Any) -> tuple[Callable, tuple]:
        return _again, (*rebuild, {k: np.array(v) for k, v in self._fields.items()})

    return type("FromPotential", (Shape,), {"Kernel": kernel, "__module__": "from_formula", "__reduce__": reduce})


def _again(function: Callable, arguments: tuple, fields: dict[str, np.ndarray]) -> Shape:
    return function(*arguments)(**fields)
