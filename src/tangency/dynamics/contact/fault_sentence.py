"""The sentence about a law that returned a number that is not finite, from what compiled code noted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .law_faults import ARGUMENTS, KIND, NORMAL, RESULT, SHAPES, VALUE, WHICH
from .laws import curved, stretched

if TYPE_CHECKING:
    from ..assembly import Assembly

_NORMAL_RESULTS = ("force", "force at rate 0", "energy")
_FRICTION_RESULTS = ("force", "force", "force", "stretch", "stretch", "stretch", "energy", "power")


def fault_sentence(assembly: Assembly, time: float) -> str:
    """The fault that compiled code noted, in one sentence; '' if there is none."""
    fault = assembly.fault
    if fault[KIND] == 0.0:
        return ""
    a, b = (int(assembly.owner[int(shape)]) for shape in fault[SHAPES : SHAPES + 2])
    which = int(fault[WHICH])
    normal, friction = assembly.law_names[which]
    got = fault[ARGUMENTS:].tolist()
    if fault[KIND] == NORMAL:
        law, result = f"the normal law {normal}", _NORMAL_RESULTS[int(fault[RESULT])]
        rate = got[1] if result != "force at rate 0" else 0.0
        given = f"depth = {got[0]:.6g} m, rate = {rate:.6g} m/s, impact_speed = {got[2]:.6g} m/s"
        if curved(assembly.laws, which):
            given += f", k1 = {got[3]:.6g} 1/m, k2 = {got[4]:.6g} 1/m"
        deep = _beyond(assembly, got[0], a, b)
    else:
        law, result = f"the friction law {friction}", _FRICTION_RESULTS[int(fault[RESULT])]
        slip, stretch = (f"[{', '.join(f'{value:.6g}' for value in got[k : k + 3])}]" for k in (1, 4))
        given, deep = f"load = {got[0]:.6g} N, slip = {slip} m/s", ""
        if stretched(assembly.laws, which):
            given += f", stretch = {stretch} m"
    return (
        f"{law} of {assembly.names[a]!r} and {assembly.names[b]!r} returned {fault[VALUE]:g} as its "
        f"{result.partition(' ')[0]} at t = {time:.6g} s, for {given}{deep}; its formulas must give finite numbers "
        "for all contacts (tangency.forces.check tests them)"
    )


def _beyond(assembly: Assembly, depth: float, a: int, b: int) -> str:
    """A remark if the depth is larger than a body, which no law is meant for."""
    size = min((float(r) for r in assembly.reach[[a, b]] if r > 0.0), default=math.inf)
    if not depth > size:
        return ""
    return f", deeper than the smaller body, whose radius is {size:.3g} m: a step or a speed may be too large"
