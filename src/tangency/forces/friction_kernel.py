"""Friction laws in compiled code: the force on B, and the stretch of laws with a state.

A kernel is a NamedTuple as in ``normal_kernel.py`` with a method ``force(self, load, slip)`` that returns the force on
B, a 3-tuple.  A law with a state has ``force(self, load, slip, stretch)``, which returns the force and the time
derivative of `stretch`, a tangential vector [m]; ``stretch_after(self, load, slip, stretch, dt)``, the state after a
step of fixed size; ``energy(self, stretch)``, the stored energy [J]; and optionally ``power(self, stretch, rate)``, the
rate of that energy [W].

`slip` is the tangential velocity of B relative to A at the contact, `load` the normal force, > 0.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.extending import overload

from ..compiled.explain import Formula
from ..compiled.formula_addresses import FormulaAddresses
from ..compiled.jit import LEAN, element, entry, inner, inside, jit
from ..kernels.jet import _read, put_nan
from ..kernels.vectors import axpy, dot, norm, scale
from .compiled_law import call_law, takes, with_all

FRICTION_ARGUMENTS = ("load", "slip", "stretch")
FRICTION_ROW = 8  # largest row of a built-in law
RATE = -1.0  # passed as the step: return the rate of the stretch, not the stretch after the step
_NONE = (0.0, 0.0, 0.0)
_IN, _OUT = 8, 8
_STEPS: dict[type, Any] = {}  # results of `step_of`
_STEP = 1e-5  # of difference quotients, relative to the stretch


def resist(kernel: Any, load: Any, slip: Any, stretch: Any, dt: Any) -> Any:
    """(force, stretch after `dt` or its rate, elastic energy, stored power) of any kernel; see `RATE`."""
    return kernel.response(load, slip, stretch, dt)


@overload(resist, jit_options=LEAN, strict=False)
def _resist(kernel, load, slip, stretch, dt):
    return kernel.instance_class.response


def _evaluate(layout, data, size, load, vx, vy, vz, zx, zy, zz, dt, out):
    """Function through which compiled code calls a friction law."""
    kernel, _ = _read(layout, numba.carray(data, (size,)), 0)
    force, change, energy, power = resist(kernel, load, (vx, vy, vz), (zx, zy, zz), dt)
    result = numba.carray(out, (_OUT,))
    for i in range(3):
        result[i], result[3 + i] = force[i], change[i]
    result[6], result[7] = energy, power


def _guarded(layout, data, size, load, vx, vy, vz, zx, zy, zz, dt, out):
    # User-defined formulas may raise exceptions; compiled callers then get NaN.
    try:
        _evaluate_once(layout, data, size, load, vx, vy, vz, zx, zy, zz, dt, out)
    except Exception:
        put_nan(out, _OUT)


_evaluate_once = inner(_evaluate)
_VECTOR = (0.36, 0.48, 0.8)
_EXAMPLE = {"load": 0.25, "slip": _VECTOR, "stretch": _VECTOR, "dt": 0.5, "rate": _VECTOR}
FRICTION_FORMULAS = FormulaAddresses(
    entry(_evaluate),
    jit(_guarded),
    _IN,
    "force returns (x, y, z), or two such tuples if it takes stretch; energy returns one number",
    {
        "force": Formula(_EXAMPLE, (3, 6)),
        "stretch_after": Formula(_EXAMPLE, (3,)),
        "energy": Formula(_EXAMPLE, (1,)),
        "power": Formula(_EXAMPLE, (1,)),
    },
)
call_friction = call_law(_IN, _OUT)


def has_state(kernel: type) -> bool:
    """Whether the force of a kernel depends on a stretch."""
    return "stretch" in takes(kernel.force, FRICTION_ARGUMENTS, kernel.__qualname__)  # type: ignore[attr-defined]


def join_friction(kernel: type) -> None:
    """Add a method ``response`` to `kernel`, built from its other methods."""
    owner = kernel.__qualname__
    if not hasattr(kernel, "force"):
        raise TypeError(f"{owner} needs a method force(self, load, slip) that returns the force on B, (x, y, z)")
    force = with_all(kernel.force, FRICTION_ARGUMENTS, owner)
    if not has_state(kernel):

        def response(self, load, slip, stretch, dt):
            return (force(self, load, slip, stretch) if load > 0.0 else _NONE), _NONE, 0.0, 0.0

        def without_state(self, load, slip, stretch, dt):
            return force(self, load, slip, stretch), _NONE, 0.0

        kernel.response, _STEPS[kernel] = response, without_state  # type: ignore[attr-defined]
        return
    for name, what in (("stretch_after", "(self, load, slip, stretch, dt)"), ("energy", "(self, stretch)")):
        if not hasattr(kernel, name):
            raise TypeError(f"{owner} needs a method {name}{what}: its force depends on a stretch")
    after = with_all(kernel.stretch_after, (*FRICTION_ARGUMENTS, "dt"), owner)  # type: ignore[attr-defined]
    energy = with_all(kernel.energy, ("stretch",), owner)  # type: ignore[attr-defined]
    power = _power_by_differences(energy)
    if hasattr(kernel, "power"):
        power = with_all(kernel.power, ("stretch", "rate"), owner)

    def step(self, load, slip, stretch, dt):
        new = after(self, load, slip, stretch, dt)
        found, _ = force(self, load, slip, new)
        return found, new, energy(self, new)

    one_step = inside(step)

    def with_state(self, load, slip, stretch, dt):
        if not load > 0.0:
            return _NONE, _NONE, (energy(self, stretch) if dt == RATE else 0.0), 0.0
        if dt == RATE:
            found, rate = force(self, load, slip, stretch)
            return found, rate, energy(self, stretch), power(self, stretch, rate)
        found, new, stored = one_step(self, load, slip, stretch, dt)
        return found, new, stored, 0.0

    kernel.response, _STEPS[kernel] = with_state, step  # type: ignore[attr-defined]


def step_of(kernel: type) -> Any:
    """Function (self, load > 0, slip, stretch, dt) of a kernel: force on B, stretch after the step, its energy."""
    return _STEPS[kernel]


def _power_by_differences(energy):
    @jit
    def power(self, stretch, rate):
        speed = norm(rate)
        if not speed > 0.0:
            return 0.0
        step = _STEP * max(norm(stretch), 1e-9) / speed
        return (energy(self, axpy(stretch, step, rate)) - energy(self, axpy(stretch, -step, rate))) / (2.0 * step)

    return power


@jit
def friction_response(address, row, load, slip, stretch, dt):
    """Force on B [N], stretch after the step `dt` [m] (with `RATE`: its rate), elastic energy and its rate."""
    a = call_friction(
        address,
        element(row, 0),
        row.shape[0],
        (load, slip[0], slip[1], slip[2], stretch[0], stretch[1], stretch[2], dt),
    )
    return (a[0], a[1], a[2]), (a[3], a[4], a[5]), a[6], a[7]


@jit
def friction_force(address, row, load, slip, stretch):
    """Friction force on B [N] and time derivative of `stretch` [m/s], two 3-tuples."""
    force, rate, _, _ = friction_response(address, row, load, slip, stretch, RATE)
    return force, rate


@jit
def turned(stretch, normal):
    """`stretch` projected onto the plane normal to `normal`, with its length preserved."""
    flat = axpy(stretch, -dot(stretch, normal), normal)
    old, new = norm(stretch), norm(flat)
    return scale(flat, old / new) if new > 0.0 else flat


@jit
def stretch_after(address, row, load, normal, slip, stretch, dt):
    """The state after a step of fixed size: turned into the tangent plane, then updated by the law.

    For fixed-step integrators; zero without load, so that a new contact starts unstretched.
    """
    return friction_response(address, row, load, slip, turned(stretch, normal), dt)[1]


@entry
def friction_forces(address, row, load, slip, stretch, out, rates):
    """:func:`friction_force` for n loads and (n, 3) vectors."""
    for i in range(load.size):
        v = (slip[i, 0], slip[i, 1], slip[i, 2])
        s = (stretch[i, 0], stretch[i, 1], stretch[i, 2])
        force, rate = friction_force(address, row, load[i], v, s)
        for k in range(3):
            out[i, k] = force[k]
            rates[i, k] = rate[k]


@entry
def stretches_after(address, row, load, normal, slip, stretch, dt, out):
    """:func:`stretch_after` for n loads and (n, 3) vectors."""
    for i in range(load.size):
        n = (normal[i, 0], normal[i, 1], normal[i, 2])
        v = (slip[i, 0], slip[i, 1], slip[i, 2])
        s = (stretch[i, 0], stretch[i, 1], stretch[i, 2])
        new = stretch_after(address, row, load[i], n, v, s, dt)
        for k in range(3):
            out[i, k] = new[k]
