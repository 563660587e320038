"""Laws that return a number that is not finite: compiled code notes the arguments, Python makes a sentence of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...compiled.jit import jit
from ...forces.friction_kernel import RATE
from .laws import curved, friction_of, normal_of, stretched

if TYPE_CHECKING:
    from ..assembly import Assembly

# Columns of a fault: kind of law, 0 for no fault; both shapes; number of the law; which of its results is not finite,
# and its value; its arguments, as in `normal_of` and `friction_of`.
KIND, _SHAPES, _WHICH, _RESULT, _VALUE, _ARGUMENTS = 0, 1, 3, 4, 5, 6
FAULT = _ARGUMENTS + 8
NORMAL, FRICTION = 1.0, 2.0
INFINITE = math.inf
_NORMAL_RESULTS = ("force", "force at rate 0", "energy")
_FRICTION_RESULTS = ("force", "force", "force", "stretch", "stretch", "stretch", "energy", "power")


@jit
def _note(fault, kind, pair, which, results, arguments):
    for value in arguments:
        if not abs(value) < INFINITE:
            return  # not the fault of the law
    fault[KIND], fault[_SHAPES], fault[_SHAPES + 1], fault[_WHICH] = kind, pair[0], pair[1], which
    for k in range(len(results) - 1, -1, -1):
        if not abs(results[k]) < INFINITE:
            fault[_RESULT], fault[_VALUE] = k, results[k]
    for k in range(len(arguments)):
        fault[_ARGUMENTS + k] = arguments[k]


@jit
def note_normal(fault, pair, laws, which, approach):
    """Note that the normal law `which` gives a number that is not finite for an :class:`Approach`."""
    depth, rate, impact, k1, k2 = approach
    results = normal_of(laws, which, depth, rate, impact, k1, k2)
    _note(fault, NORMAL, pair, which, results, (depth, rate, impact, k1, k2))


@jit
def note_friction(fault, pair, laws, which, load, slip, stretch, dt):
    """The same for the friction law; arguments as in `friction_of`, but with the stretch after a step."""
    f, change, energy, power = friction_of(laws, which, load, slip, stretch, dt)
    if dt != RATE and abs(change[0]) + abs(change[1]) + abs(change[2]) < INFINITE:
        stretch = change
    results = (f[0], f[1], f[2], change[0], change[1], change[2], energy, power)
    arguments = (load, slip[0], slip[1], slip[2], stretch[0], stretch[1], stretch[2], dt)
    _note(fault, FRICTION, pair, which, results, arguments)


def fault_sentence(assembly: Assembly, time: float) -> str:
    """The fault that compiled code noted, in one sentence; '' if there is none."""
    fault = assembly.fault
    if fault[KIND] == 0.0:
        return ""
    a, b = (int(assembly.owner[int(shape)]) for shape in fault[_SHAPES : _SHAPES + 2])
    which = int(fault[_WHICH])
    normal, friction = assembly.law_names[which]
    got = fault[_ARGUMENTS:].tolist()
    if fault[KIND] == NORMAL:
        law, result = f"the normal law {normal}", _NORMAL_RESULTS[int(fault[_RESULT])]
        rate = got[1] if result != "force at rate 0" else 0.0
        given = f"depth = {got[0]:.6g} m, rate = {rate:.6g} m/s, impact_speed = {got[2]:.6g} m/s"
        if curved(assembly.laws, which):
            given += f", k1 = {got[3]:.6g} 1/m, k2 = {got[4]:.6g} 1/m"
        deep = _beyond(assembly, got[0], a, b)
    else:
        law, result = f"the friction law {friction}", _FRICTION_RESULTS[int(fault[_RESULT])]
        slip, stretch = (f"[{', '.join(f'{value:.6g}' for value in got[k : k + 3])}]" for k in (1, 4))
        given, deep = f"load = {got[0]:.6g} N, slip = {slip} m/s", ""
        if stretched(assembly.laws, which):
            given += f", stretch = {stretch} m"
    return (
        f"{law} of {assembly.names[a]!r} and {assembly.names[b]!r} returned {fault[_VALUE]:g} as its "
        f"{result.partition(' ')[0]} at t = {time:.6g} s, for {given}{deep}; its formulas must give finite numbers "
        "for all contacts (tangency.forces.check tests them)"
    )


def _beyond(assembly: Assembly, depth: float, a: int, b: int) -> str:
    """A remark if the depth is larger than a body, which no law is meant for."""
    size = min((float(r) for r in assembly.reach[[a, b]] if r > 0.0), default=math.inf)
    if not depth > size:
        return ""
    return f", deeper than the smaller body, whose radius is {size:.3g} m: a step or a speed may be too large"
