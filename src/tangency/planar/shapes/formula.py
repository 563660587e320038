"""Planar shapes from a generating potential g(phi): a formula, or g with its two derivatives."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import ArrayLike

from ...compiled.jit import LEAN
from ...shapes.formulas.support import (
    Formula,
    compiled,
    field_name,
    formula_values,
    parse,
    straight_line,
    symbol,
    sympy_module,
    with_values,
)
from ..jet import jet_of_potential
from ..radii import extreme_radius, quick_extreme_radius
from ..shape import Shape

ANGLE = ("phi",)
BESIDE = 1e-9  # [rad] distance from the ends of the turn
ONE_BY_ONE = 16  # most bodies of a stack that are each searched from many starts


def from_potential(
    g: Formula | Callable[..., float],
    g_phi: Callable[..., float] | None = None,
    g_phiphi: Callable[..., float] | None = None,
    /,
    *,
    check: bool = True,
    **parameters: ArrayLike,
) -> Shape:
    """Planar shape from its generating potential g(phi) (Römer 3-D, Proposition 1).

    Parameters
    ----------
    g : str, sympy.Expr or callable
        An expression in the symbol phi, which may contain ``Piecewise`` and is differentiated automatically;
        or a function ``g(phi, ...)`` of floats.  A string may contain only
        arithmetic and functions of SymPy.
    g_phi, g_phiphi : callable, optional
        First and second derivatives, needed if `g` is a function.  All three are compiled, so they may use
        only floats and the math module; phi lies between -pi and pi.
    check : bool
        False skips the test, by samples, that g is 2 pi-periodic and the body convex;
        :func:`tangency.planar.check` can then report problems.
    **parameters : (...) array_like
        Values of all other symbols or of the functions' further arguments; arrays make a stack.

    Returns
    -------
    Shape

    Examples
    --------
    >>> from tangency import planar
    >>> ellipse = planar.from_potential("sqrt((a*cos(phi))**2 + (b*sin(phi))**2)", a=3, b=2)
    >>> ellipse.point([0, 1]).round(12).tolist()
    [0.0, 2.0]
    """
    values, check = formula_values(parameters, check)
    derivatives = (g_phi, g_phiphi)
    if callable(g) and not hasattr(g, "free_symbols"):
        missing = [name for name, f in zip(("g_phi", "g_phiphi"), derivatives) if not callable(f)]
        if missing:
            raise TypeError(
                f"g is a function, so {' and '.join(missing)} must be functions too "
                "(a SymPy expression or a string needs no derivatives)"
            )
        shape = with_values(_function_class((g, *derivatives), tuple(values)), values)
        return _checked(shape) if check else shape
    if any(f is not None for f in derivatives):
        raise TypeError("g is an expression, which is differentiated automatically: pass no derivatives")
    expression = parse(g, "g", ANGLE, values)
    shape = with_values(_expression_class(expression, tuple(values)), values)
    if not check:
        return shape
    _checked(shape)
    if not expression.has(sympy_module().Piecewise):  # pieces need to be right from -pi to pi only
        _require_periodic(expression, values)
    return shape


def _require_periodic(expression: Any, values: dict[str, np.ndarray]) -> None:
    """Refuse a formula that differs one revolution later, even if its values at -pi and pi agree."""
    function = sympy_module().lambdify([symbol(name, ANGLE) for name in (*ANGLE, *values)], expression, "numpy")
    try:
        with np.errstate(all="ignore"):
            for phi in (0.3, -1.1, 2.3):
                one, two = (np.asarray(function(at, *values.values())) for at in (phi, phi + 2.0 * np.pi))
                wrong = np.abs(two - one) > 1e-7 * np.abs(one)
                if wrong.any():
                    k = np.unravel_index(wrong.argmax(), wrong.shape)
                    raise ValueError(
                        f"g must be 2 pi-periodic, but g({phi:g}) = {one[k]:.6g} and g({phi:g} + 2 pi) = {two[k]:.6g}; "
                        "a formula that holds from -pi to pi only can be written as a Piecewise"
                    )
    except (NameError, TypeError):  # a function without counterpart in NumPy
        return


def _checked(shape: Shape) -> Shape:
    """The shape, or an error if samples of its potential are not periodic or not convex."""
    count = len(shape.rows)
    if not count:
        return shape
    samples = int(np.clip(200_000 // count, 24, 720))
    # Not on the axes, where many formulas have special cases; the first and the last next to -pi and pi.
    inside = -np.pi + (np.arange(samples) + 0.37) * (2.0 * np.pi / samples)
    phi = np.concatenate([[-np.pi + BESIDE], inside, [np.pi - BESIDE]])
    g, g1, g2 = (v.reshape(len(phi), count) for v in shape.potential(phi.reshape(-1, *(1,) * len(shape.batch_shape))))
    size = np.abs(g).max(axis=0)
    jump, turn = g[0] - g[-1], g1[0] - g1[-1]
    slack = 1e-7 * size + 4.0 * BESIDE * np.abs(g1[[0, -1]]).max(axis=0)
    if (np.abs(jump) > slack).any():
        raise ValueError(f"g must be 2 pi-periodic, but it jumps by {jump[np.abs(jump).argmax()]:.6g} at phi = pi")
    # Where g' jumps up, the boundary has a straight side; where it jumps down, it is not convex.
    slack = 1e-7 * size + 4.0 * BESIDE * np.abs(g2[[0, -1]]).max(axis=0)
    if (turn < -slack).any():
        raise ValueError(f"g must be 2 pi-periodic, but g' jumps by {turn.min():.6g} at phi = pi")
    search = extreme_radius if count <= ONE_BY_ONE else quick_extreme_radius
    lowest, place = (v.reshape(count) for v in search(shape, 0))
    if (lowest < -1e-9 * size - 1e-12 * np.abs(g2).max(axis=0)).any():
        body = int(lowest.argmin())
        raise ValueError(
            f"the potential must describe a convex body: g + g'' falls to {lowest[body]:.6g} at "
            f"phi = {place[body]:.6g} (Römer 3-D, Eq. 3)"
        )
    # No boundary point lies beyond the tangent at the next one: finds jumps between pieces.
    n = np.stack([np.cos(phi), np.sin(phi)])[:, :, None]
    x = np.stack([g * n[0] - g1 * n[1], g * n[1] + g1 * n[0]])
    step = x[:, 1:] - x[:, :-1]
    beyond = np.maximum((n[:, :-1] * step).sum(axis=0), -(n[:, 1:] * step).sum(axis=0))
    if (beyond > 1e-9 * size).any():
        worst = np.unravel_index((beyond / size).argmax(), beyond.shape)
        raise ValueError(
            f"the potential must describe a convex body: near phi = {phi[worst[0]]:.4g} g or g' jumps, or g_phi and "
            "g_phiphi are not its derivatives"
        )
    return shape


@lru_cache(maxsize=256)
def _expression_class(g: Any, fields: tuple[str, ...]) -> type[Shape]:
    phi = symbol("phi", ANGLE)
    lines, results = straight_line([g, g.diff(phi), g.diff(phi, 2)], "g")
    source = ["def values(self, phi):", *(f"    {line}" for line in lines), f"    return {', '.join(results)}"]
    return _formula_class(compiled(source, "values"), fields, (_expression_class, (g, fields)))


@lru_cache(maxsize=256)
def _function_class(functions: tuple[Callable, ...], fields: tuple[str, ...]) -> type[Shape]:
    calls, names = [], {}
    for k, (name, function) in enumerate(zip(("g", "g_phi", "g_phiphi"), functions)):
        plain = getattr(function, "py_func", function)
        arguments = list(inspect.signature(plain).parameters)[1:]
        strange = [a for a in arguments if a not in fields]
        if strange:
            raise TypeError(f"{name} takes {', '.join(strange)}, but no value was passed for it")
        names[f"f{k}"] = function if plain is not function else register_jitable(**LEAN)(function)
        calls.append(f"f{k}({', '.join(['phi', *(f'self.{field_name(a)}' for a in arguments)])})")
    source = ["def values(self, phi):", f"    return {', '.join(calls)}"]
    return _formula_class(compiled(source, "values", names), fields, (_function_class, (functions, fields)))


def _formula_class(values: Callable, fields: tuple[str, ...], rebuild: tuple[Callable, tuple]) -> type[Shape]:
    """A shape class with float fields; `rebuild` recreates it in another process."""
    make: Any = namedtuple  # a type checker cannot see the fields
    fields = tuple(map(field_name, fields))
    kernel = make("Kernel", fields)
    kernel.__annotations__ = dict.fromkeys(fields, float)
    kernel.__qualname__ = "FromPotential.Kernel"
    kernel.jet = jet_of_potential(register_jitable(**LEAN)(values))

    def reduce(self: Any) -> tuple[Callable, tuple]:
        return _again, (*rebuild, {k: np.array(v) for k, v in self._fields.items()})

    return type("FromPotential", (Shape,), {"Kernel": kernel, "__module__": "from_formula", "__reduce__": reduce})


def _again(function: Callable, arguments: tuple, fields: dict[str, np.ndarray]) -> Shape:
    return function(*arguments)(**fields)
