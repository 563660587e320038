"""Shapes from a generating potential g(phi, theta) (Römer 3-D)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import ArrayLike

from ...compiled.jit import LEAN
from ...geometry.directions import ring
from ..checks.convexity import require_convex, require_size
from ..checks.poles import first_failure, pole_problem
from ..shape import Shape, ShapeError
from .pole import potential_jet, remainders_from_values, remainders_of
from .support import (
    Formula,
    compiled,
    field_name,
    formula_class,
    formula_values,
    homogeneous,
    parse,
    straight_line,
    support_class,
    symbol,
    sympy_module,
    with_values,
)

ANGLES = ("phi", "theta")
CAP = "cap_around_poles"  # the kernel's field, see shapes/formulas/pole.py
CAPS = (0.02, 2e-3, 2e-4)  # [rad] around the poles, where Taylor's formula is used


def from_potential(
    g: Formula | Callable[..., float],
    g_phi: Callable[..., float] | None = None,
    g_theta: Callable[..., float] | None = None,
    g_phiphi: Callable[..., float] | None = None,
    g_phitheta: Callable[..., float] | None = None,
    g_thetatheta: Callable[..., float] | None = None,
    /,
    *,
    check: bool = True,
    **parameters: ArrayLike,
) -> Shape:
    """Shape from its generating potential g(phi, theta) (Römer 3-D, Eq. 16).

    The normal is (sin phi cos theta, sin phi sin theta, cos phi).

    Parameters
    ----------
    g : str, sympy.Expr or callable
        An expression in the symbols phi and theta, which is differentiated automatically; or a function
        ``g(phi, theta, ...)`` of floats, with its five derivatives as further functions.
    g_phi, g_theta, g_phiphi, g_phitheta, g_thetatheta : callable, optional
        Needed if `g` is a function.  All are compiled, so they may use only floats and the math module.
    check : bool
        False skips the tests of Eqs. (15), (17) and (19); :func:`tangency.check` can then report problems.
    **parameters : (...) array_like
        Values of all other symbols or of the functions' further arguments; arrays make a stack.  Any
        name except phi, theta and check is allowed.

    Returns
    -------
    Shape

    Raises
    ------
    ShapeError
        If g has no unique value (Eq. 15) or point (Eq. 17) at a pole, is not 2 pi-periodic in theta, or a
        radius of curvature is negative (Eq. 19) by more than 1e-9 of the size; the message names the location.
        If only Eq. (18) fails, the body is convex and its curvature jumps at the pole, which
        :func:`tangency.continuity` reports.

    Notes
    -----
    An expression that can be written in nx, ny, nz without a singularity is rewritten so, and the poles are
    then ordinary points.  Otherwise Taylor's formula with its exact remainder is used near the poles
    (``shapes/formulas/pole.py``), and points and Hessians are accurate to rounding there.  Functions
    provide no third derivatives; these are approximated by polynomials along the meridian, and the Hessian is accurate
    to about nine digits near the poles.

    Examples
    --------
    >>> import tangency as tg
    >>> shape = tg.from_potential("sqrt((a*sin(phi))**2 + (c*cos(phi))**2)", a=3, c=1)
    >>> shape.point([[0, 0, 1], [0, 1, 0]]).tolist()
    [[0.0, 0.0, 1.0], [0.0, 3.0, 0.0]]
    >>> tg.from_potential("1 + sin(phi)*cos(2*theta)/50")
    Traceback (most recent call last):
    tangency.shapes.shape.ShapeError: Eq. (17) of Römer 3-D fails at phi = 0: ...
    """
    values, check = formula_values(parameters, check)
    derivatives = (g_phi, g_theta, g_phiphi, g_phitheta, g_thetatheta)
    if callable(g) and not hasattr(g, "free_symbols"):
        missing = [f"g_{name}" for name, f in zip(_NAMES, derivatives) if not callable(f)]
        if missing:
            raise TypeError(
                f"g is a function, so {', '.join(missing)} must be functions too "
                "(a SymPy expression or a string needs no derivatives)"
            )
        cls = _function_class((g, *derivatives), (*values, CAP))
    else:
        if any(f is not None for f in derivatives):
            raise TypeError("g is an expression, which is differentiated automatically: pass no derivatives")
        expression = parse(g, "g", ANGLES, values)
        cartesian = _cartesian(expression)
        if cartesian is not None:
            shape = with_values(support_class(homogeneous(cartesian, values), tuple(values)), values)
            if check:
                require_size(shape, "g")
                _require_poles(shape)
                require_convex(shape, "g")
            return shape
        cls = _potential_class(expression, (*values, CAP))
    problem = pole_problem(with_values(cls, {**values, CAP: np.full((), -1.0)}))
    if check and problem:
        raise ShapeError(problem)
    shape = with_values(cls, {**values, CAP: np.zeros(()) if problem else _caps(cls, values)})
    if check:
        require_convex(shape, "g")
    return shape


_NAMES = ("phi", "theta", "phiphi", "phitheta", "thetatheta")


def _require_poles(shape: Shape) -> None:
    """Raise a ShapeError if a potential in nx, ny, nz has a kink at a pole."""
    found = first_failure(shape)
    if found is not None:
        failure, number = found
        index = tuple(map(int, np.unravel_index(number, shape.batch_shape))) if shape.batch_shape else ()
        raise ShapeError(f"{failure}{f', body {index}' if index else ''}")


def _caps(cls: type[Shape], values: dict[str, np.ndarray]) -> np.ndarray:
    """For each body, the largest cap on whose rim Taylor's formula agrees with Eqs. (16) and (21), or 0.

    They disagree if g has singularities nearby, as Eq. (52) has at the poles.
    """
    direct = with_values(cls, {**values, CAP: np.zeros(())})
    found = np.zeros(direct.batch_shape)
    for cap in CAPS:
        shape = with_values(cls, {**values, CAP: np.full((), cap)})
        rim = ring(0.999999 * cap, 24, 0.1)
        rim = np.concatenate([rim, rim * [1, 1, -1]]).reshape(-1, *(1,) * len(shape.batch_shape), 3)
        inside, outside = (body._evaluate(body.address, rim, "n") for body in (shape, direct))
        gap, top = np.abs(inside - outside).max(axis=0), np.abs(outside).max(axis=(0, -1))
        same = (gap[..., 1:4].max(axis=-1) <= 1e-14 / cap * top) & (gap[..., 4:].max(axis=-1) <= 1e-14 / cap**2 * top)
        found = np.where((found == 0) & same, cap, found)
    return found


def _cartesian(expression: Any) -> Any:
    """The potential in nx, ny, nz of a unit vector; None if that is singular at the poles."""
    sympy = sympy_module()
    phi, theta = (symbol(name, ANGLES) for name in ANGLES)
    x, y, z = (sympy.Symbol(name, real=True) for name in ("nx", "ny", "nz"))
    q = sympy.Symbol("_q", positive=True)  # sin(phi)^2
    s = sympy.sqrt(q)
    map_to = {sympy.sin(phi): s, sympy.cos(phi): z, sympy.sin(theta): y / s, sympy.cos(theta): x / s}
    first = sympy.expand_trig(expression).subs(map_to)
    for candidate in (first, sympy.expand(first), sympy.expand(first.subs(z**2, 1 - q))):
        powers = [p.exp for p in candidate.atoms(sympy.Pow) if p.base == q]
        if not candidate.has(phi, theta) and all(e.is_integer and e.is_nonnegative for e in powers):
            return candidate.subs(q, x * x + y * y)
    return None


@lru_cache(maxsize=256)
def _potential_class(g: Any, fields: tuple[str, ...]) -> type[Shape]:
    phi, theta = (symbol(name, ANGLES) for name in ANGLES)

    def function(name: str, orders: list[tuple]) -> Callable:
        source = [f"def {name}(self, phi, theta, up):"]
        # sin(pi - phi) must vanish exactly at the south pole; SymPy simplifies it to sin(phi).
        for head, h in (("    if up > 0.0:", g), ("    else:", g.subs(phi, sympy.pi - phi))):
            lines, results = straight_line([h.diff(*order) if order else h for order in orders], "g")
            source += [head, *(f"        {line}" for line in lines), f"        return {', '.join(results)}"]
        return register_jitable(**LEAN)(compiled(source, name))

    sympy = sympy_module()
    values = function("values", [(), (phi,), (theta,), (phi, phi), (phi, theta), (theta, theta)])
    higher = function("higher", [(phi, phi), (phi, phi, theta), (phi, phi, theta, theta)])
    jet = potential_jet(values, remainders_of(higher))
    return formula_class("FromPotential", fields, jet, (_potential_class, (g, fields)))


@lru_cache(maxsize=256)
def _function_class(functions: tuple[Callable, ...], fields: tuple[str, ...]) -> type[Shape]:
    calls, names = [], {}
    for k, (name, function) in enumerate(zip(("g", *(f"g_{n}" for n in _NAMES)), functions)):
        plain = getattr(function, "py_func", function)
        arguments = list(inspect.signature(plain).parameters)[2:]
        strange = [a for a in arguments if a not in fields]
        if strange:
            raise TypeError(f"{name} takes {', '.join(strange)}, but no value was passed for it")
        names[f"f{k}"] = function if plain is not function else register_jitable(**LEAN)(function)
        # Derivatives in the angle from the pole: their sign changes at the south pole.
        sign = "up * " if name in ("g_phi", "g_phitheta") else ""
        calls.append(f"{sign}f{k}({', '.join(['phi', 'theta', *(f'self.{field_name(a)}' for a in arguments)])})")
    source = ["def values(self, p, theta, up):", "    phi = p if up > 0.0 else math.pi - p"]
    source.append(f"    return {', '.join(calls)}")
    values = register_jitable(**LEAN)(compiled(source, "values", names))
    jet = potential_jet(values, remainders_from_values(values))
    return formula_class("FromPotential", fields, jet, (_function_class, (functions, fields)))
