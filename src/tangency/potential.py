"""Shapes from a generating potential g(phi, theta), after Römer 3-D."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from numba.extending import register_jitable

from . import validate
from ._jit import OPTIONS
from .kernels.vectors import axpy, sym_add, sym_scale
from .shape import Shape
from .symbolic import compiled, formula_class, homogeneous, parse, straight_line, support_class, symbol, sympy_module

ANGLES = ("phi", "theta")
CAP = 0.003  # [rad] around the poles, where 1 / sin(phi)^2 would amplify rounding errors


def from_potential(
    g: Any,
    g_phi: Any = None,
    g_theta: Any = None,
    g_phiphi: Any = None,
    g_phitheta: Any = None,
    g_thetatheta: Any = None,
    /,
    **parameters: Any,
) -> Shape:
    """Shape from its generating potential g(phi, theta) (Römer 3-D, Eq. 16).

    The normal is (sin phi cos theta, sin phi sin theta, cos phi).

    Parameters
    ----------
    g : str, sympy.Expr or callable
        An expression in the symbols phi and theta, from which the derivatives follow; or a function
        ``g(phi, theta, ...)`` of floats, with its five derivatives as further functions.
    g_phi, g_theta, g_phiphi, g_phitheta, g_thetatheta : callable, optional
        Needed if `g` is a function.  All are compiled, so floats and the math module only.
    **parameters : (...) array_like
        Values of all other symbols or of the functions' further arguments; arrays make a stack.

    Notes
    -----
    Where an expression can be written in nx, ny, nz without a singularity it is, and the poles are
    points like any other.  Otherwise, within 0.003 rad of a pole point and Hessian are interpolated
    along the meridian through eight places around it.  For a body that is analytic there and not
    longer than 10:1 the point then has about 9 to 13 digits, the Hessian 8 to 10; for one that only
    satisfies Eqs. (15), (17) and (18) the Hessian has about 3.

    Examples
    --------
    >>> import tangency as tg
    >>> shape = tg.from_potential("sqrt((a*sin(phi))**2 + (c*cos(phi))**2)", a=3, c=1)
    >>> shape.point([[0, 0, 1], [0, 1, 0]]).tolist()
    [[0.0, 0.0, 1.0], [0.0, 3.0, 0.0]]
    """
    parameters = {name: validate.array(value, name) for name, value in parameters.items()}
    derivatives = (g_phi, g_theta, g_phiphi, g_phitheta, g_thetatheta)
    if callable(g) and not hasattr(g, "free_symbols"):
        missing = [f"g_{name}" for name, f in zip(_NAMES, derivatives) if not callable(f)]
        if missing:
            raise TypeError(
                f"g is a function, so {', '.join(missing)} must be functions too "
                "(a SymPy expression or a string needs no derivatives)"
            )
        return _function_class((g, *derivatives), tuple(parameters))(**parameters)
    if any(f is not None for f in derivatives):
        raise TypeError("g is an expression: its derivatives are generated, pass none")
    expression = parse(g, "g", ANGLES, parameters)
    cartesian = _cartesian(expression)
    if cartesian is not None:
        return support_class(homogeneous(cartesian, parameters), tuple(parameters))(**parameters)
    return _potential_class(expression, tuple(parameters))(**parameters)


_NAMES = ("phi", "theta", "phiphi", "phitheta", "thetatheta")


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
    orders = [(), (phi,), (theta,), (phi, phi), (phi, theta), (theta, theta)]
    lines, results = straight_line([g.diff(*order) if order else g for order in orders], "g")
    source = ["def values(self, phi, theta):", *(f"    {line}" for line in lines), f"    return {', '.join(results)}"]
    jet = _jet_of(register_jitable(**OPTIONS)(compiled(source, "values")))
    return formula_class("FromPotential", fields, jet, (_potential_class, (g, fields)))


@lru_cache(maxsize=256)
def _function_class(functions: tuple[Callable, ...], fields: tuple[str, ...]) -> type[Shape]:
    calls, names = [], {}
    for k, (name, function) in enumerate(zip(("g", *(f"g_{n}" for n in _NAMES)), functions)):
        plain = getattr(function, "py_func", function)
        arguments = list(inspect.signature(plain).parameters)[2:]
        strange = [a for a in arguments if a not in fields]
        if strange:
            raise TypeError(f"{name} takes {', '.join(strange)}, for which no value was passed")
        names[f"f{k}"] = function if plain is not function else register_jitable(**OPTIONS)(function)
        calls.append(f"f{k}({', '.join(['phi', 'theta', *(f'self.{a}' for a in arguments)])})")
    source = ["def values(self, phi, theta):", f"    return {', '.join(calls)}"]
    jet = _jet_of(register_jitable(**OPTIONS)(compiled(source, "values", names)))
    return formula_class("FromPotential", fields, jet, (_function_class, (functions, fields)))


def _jet_of(values: Callable) -> Callable:
    """Jet of the homogeneous support function |n| g from g and its derivatives."""

    @register_jitable(**OPTIONS)
    def regular(self, phi, theta, c, s, ct, st):
        g, gp, gt, gpp, gpt, gtt = values(self, phi, theta)
        ep, et, en = (c * ct, c * st, -s), (-st, ct, 0.0), (s * ct, s * st, c)  # Eq. (14)
        t = gt / s
        x = axpy(axpy((gp * ep[0], gp * ep[1], gp * ep[2]), t, et), g, en)  # Eq. (16)
        e = g + gpp  # Eq. (21c)
        f = (gpt - c * t) / s  # f / s, Eq. (21d)
        q = g + (c * gp + gtt / s) / s  # g / s^2, Eq. (21e)
        return g, x, (
            e * ep[0] * ep[0] + 2.0 * f * ep[0] * et[0] + q * et[0] * et[0],
            e * ep[0] * ep[1] + f * (ep[0] * et[1] + ep[1] * et[0]) + q * et[0] * et[1],
            e * ep[0] * ep[2] + f * ep[2] * et[0],
            e * ep[1] * ep[1] + 2.0 * f * ep[1] * et[1] + q * et[1] * et[1],
            e * ep[1] * ep[2] + f * ep[2] * et[1],
            e * ep[2] * ep[2],
        )  # fmt: skip

    def jet(self, n):
        rho = math.hypot(n[0], n[1])
        r = math.hypot(rho, n[2])
        phi, theta = math.atan2(rho, n[2]), math.atan2(n[1], n[0])
        ct, st = (n[0] / rho, n[1] / rho) if rho > 0.0 else (1.0, 0.0)
        s = rho / r
        if s >= math.sin(CAP):
            g, x, w = regular(self, phi, theta, n[2] / r, s, ct, st)
            return r * g, x, sym_scale(w, 1.0 / r)
        # Lagrange's interpolation along the meridian, at +-1, +-3, +-5, +-7 caps from the pole.
        up = 1.0 if n[2] > 0.0 else -1.0
        here = math.atan2(rho, abs(n[2])) / CAP
        x, w = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for k in range(-7, 8, 2):
            weight = 1.0
            for j in range(-7, 8, 2):
                if j != k:
                    weight *= (here - j) / (k - j)
            side = 1.0 if k > 0 else -1.0
            angle = abs(k) * CAP
            phi_k = angle if up > 0.0 else math.pi - angle
            theta_k = theta if k > 0 else math.atan2(-st, -ct)
            _, x_k, w_k = regular(self, phi_k, theta_k, up * math.cos(angle), math.sin(angle), side * ct, side * st)
            x, w = axpy(x, weight, x_k), sym_add(w, sym_scale(w_k, weight))
        return r * values(self, phi, theta)[0], x, sym_scale(w, 1.0 / r)

    return jet
