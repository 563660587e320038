"""Normal laws in compiled code: the force, its elastic part and the elastic energy, from depth, rate and curvatures.

A kernel is a NamedTuple of floats, 1-D arrays and other kernels with a method ``response(self, depth, rate,
impact_speed, k1, k2)`` that returns the three numbers, or with the two methods ``force`` and ``energy``, each of
which takes any subset of these arguments.  It is called only for depths > 0 and positive, finite curvatures k1 >= k2.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.extending import overload

from ..compiled.explain import Formula
from ..compiled.formula_addresses import FormulaAddresses
from ..compiled.jit import LEAN, element, entry, inner, jit
from ..kernels.jet import _read, put_nan
from .compiled_law import call_law, with_all

NORMAL_ARGUMENTS = ("depth", "rate", "impact_speed", "k1", "k2")
NORMAL_ROW = 8  # largest row of a built-in law
#: Relative curvatures are clipped to this range [1/m], which is wide in practice but keeps everything finite.
LEAST_CURVATURE, LARGEST_CURVATURE = 1e-12, 1e12
_OUT = 3


def respond(kernel: Any, depth: Any, rate: Any, impact_speed: Any, k1: Any, k2: Any) -> Any:
    """(force, elastic force, elastic energy) of any kernel, including nested ones."""
    return kernel.response(depth, rate, impact_speed, k1, k2)


@overload(respond, jit_options=LEAN, strict=False)
def _respond(kernel, depth, rate, impact_speed, k1, k2):
    return kernel.instance_class.response


def _evaluate(layout, data, size, depth, rate, impact_speed, k1, k2, out):
    """Function through which compiled code calls a normal law."""
    result = numba.carray(out, (_OUT,))
    if not depth > 0.0:
        result[0] = result[1] = result[2] = 0.0
        return
    kernel, _ = _read(layout, numba.carray(data, (size,)), 0)
    low = min(max(min(k1, k2), LEAST_CURVATURE), LARGEST_CURVATURE)
    high = min(max(max(k1, k2), LEAST_CURVATURE), LARGEST_CURVATURE)
    force, elastic, energy = respond(kernel, depth, rate, impact_speed, high, low)
    # No attraction (Römer 3-D, below Eq. 96); NaN and -inf stay what they are.
    result[0] = 0.0 if -np.inf < force < 0.0 else force
    result[1], result[2] = elastic, energy


def _guarded(layout, data, size, depth, rate, impact_speed, k1, k2, out):
    # User-defined formulas may raise exceptions; compiled callers then get NaN.
    try:
        _evaluate_once(layout, data, size, depth, rate, impact_speed, k1, k2, out)
    except Exception:
        put_nan(out, _OUT)


_evaluate_once = inner(_evaluate)
_EXAMPLE = {"depth": 0.25, "rate": 0.5, "impact_speed": 0.75, "k1": 2.0, "k2": 1.0}
NORMAL_FORMULAS = FormulaAddresses(
    entry(_evaluate),
    jit(_guarded),
    len(NORMAL_ARGUMENTS),
    "force and energy return one number each",
    {"force": Formula(_EXAMPLE, (1,)), "energy": Formula(_EXAMPLE, (1,))},
)
call_normal = call_law(len(NORMAL_ARGUMENTS), _OUT)


def join_normal(kernel: type) -> None:
    """Add a method ``response`` to `kernel`, built from its methods ``force`` and ``energy``."""
    for name, arguments, meaning in (
        ("force", "depth, rate, impact_speed, k1 and k2", "the normal force [N]"),
        ("energy", "depth, k1 and k2", "the energy stored by the elastic part of the force [J]"),
    ):
        if not hasattr(kernel, name):
            raise TypeError(
                f"{kernel.__qualname__} needs a method {name}(self, ...) that takes any of {arguments}: {meaning}"
            )
    owner = kernel.__qualname__
    force = with_all(kernel.force, NORMAL_ARGUMENTS, owner)  # type: ignore[attr-defined]
    energy = with_all(kernel.energy, ("depth", "k1", "k2"), owner)  # type: ignore[attr-defined]

    def response(self, depth, rate, impact_speed, k1, k2):
        elastic = force(self, depth, 0.0, impact_speed, k1, k2)
        whole = elastic if rate == 0.0 else force(self, depth, rate, impact_speed, k1, k2)
        return whole, elastic, energy(self, depth, k1, k2)

    kernel.response = response  # type: ignore[attr-defined]


@jit
def normal_response(address, row, depth, rate, impact_speed, k1, k2):
    """Force, its elastic part [N] and elastic energy [J], see :func:`normal_force`; all 0 without penetration."""
    return call_normal(address, element(row, 0), row.shape[0], (depth, rate, impact_speed, k1, k2))


@jit
def normal_force(address, row, depth, rate, impact_speed, k1, k2):
    """Force that pushes the bodies apart [N]: >= 0, and 0 without penetration.

    `depth` [m] is the penetration, `rate` [m/s] its time derivative (> 0: approaching), `impact_speed`
    [m/s] the rate when this contact began, `k1` and `k2` [1/m] the principal relative curvatures.
    """
    return normal_response(address, row, depth, rate, impact_speed, k1, k2)[0]


@jit
def elastic_energy(address, row, depth, k1, k2):
    """Energy stored by the elastic part [J], at constant curvatures."""
    return normal_response(address, row, depth, 0.0, 1.0, k1, k2)[2]


@jit
def contact_stiffness(address, row, k1, k2):
    """K of a law whose elastic part is K depth^n [N/m^n]: the elastic force at a depth of 1 m."""
    return normal_response(address, row, 1.0, 0.0, 1.0, k1, k2)[1]


@entry
def normal_responses(address, row, depth, rate, impact_speed, k1, k2, out):
    """:func:`normal_response` for flat arrays of equal size."""
    for i in range(depth.size):
        found = normal_response(address, row, depth[i], rate[i], impact_speed[i], k1[i], k2[i])
        out[i, 0], out[i, 1], out[i, 2] = found
