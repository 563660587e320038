"""Built-in laws for many contacts at a time: the same formulas in a loop over the lanes of a block.

The formulas are placed into the loop, so that LLVM vectorises it where they have no branches and no calls of the C
library; otherwise the calls are saved.  Blocks are as in ``kernels/block.py``.  Lanes without a contact may hold any
numbers.  User-defined laws are called for one contact at a time: their formulas may raise exceptions.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from ..compiled.formula_addresses import FormulaAddresses
from ..compiled.jit import DOUBLES, LEAN, entry
from ..kernels.block import LANES
from ..kernels.jet import _read
from .friction_kernel import step_of
from .normal_kernel import LARGEST_CURVATURE, LEAST_CURVATURE

# Rows of a block for a normal law: depth, rate, impact speed, curvatures; elastic force, elastic energy, force.
_DEPTH, _RATE, _IMPACT, _K1, _K2, _ELASTIC, _ENERGY, _PRESSED = range(8)
_NORMAL_ROWS = 8
# For friction: normal force, slip, stretch; force on B, stretch after the step and its energy.
_LOAD, _SLIP, _STRETCH, _FORCE, _AFTER, _STORED = 0, 1, 4, 7, 10, 13
_FRICTION_ROWS = 14

_INLINED: dict[str, Any] = {**LEAN, "forceinline": True}


def _press(kernel: Any, depth: Any, rate: Any, impact_speed: Any, k1: Any, k2: Any) -> Any: ...


@overload(_press, jit_options=_INLINED, strict=False)
def _press_inlined(kernel, depth, rate, impact_speed, k1, k2):
    return kernel.instance_class.response


def _rub(kernel: Any, load: Any, slip: Any, stretch: Any, dt: Any) -> Any: ...


@overload(_rub, jit_options=_INLINED, strict=False)
def _rub_inlined(kernel, load, slip, stretch, dt):
    return step_of(kernel.instance_class)


def _normal(layout, data, size, step, block):
    """Normal law in all lanes; `step` is not used."""
    kernel, _ = _read(layout, numba.carray(data, (size,)), 0)
    s = numba.carray(block, (_NORMAL_ROWS * LANES,))
    for l in range(LANES):
        depth, k1, k2 = s[_DEPTH * LANES + l], s[_K1 * LANES + l], s[_K2 * LANES + l]
        low = min(max(min(k1, k2), LEAST_CURVATURE), LARGEST_CURVATURE)
        high = min(max(max(k1, k2), LEAST_CURVATURE), LARGEST_CURVATURE)
        found = _press(kernel, depth, s[_RATE * LANES + l], s[_IMPACT * LANES + l], high, low)
        s[_ELASTIC * LANES + l], s[_ENERGY * LANES + l] = found[1], found[2]
        s[_PRESSED * LANES + l] = 0.0 if -np.inf < found[0] < 0.0 else found[0]


def _friction(layout, data, size, step, block):
    """Friction law in all lanes, over a step."""
    kernel, _ = _read(layout, numba.carray(data, (size,)), 0)
    s = numba.carray(block, (_FRICTION_ROWS * LANES,))
    for l in range(LANES):
        load = s[_LOAD * LANES + l]
        slip = s[_SLIP * LANES + l], s[(_SLIP + 1) * LANES + l], s[(_SLIP + 2) * LANES + l]
        stretch = s[_STRETCH * LANES + l], s[(_STRETCH + 1) * LANES + l], s[(_STRETCH + 2) * LANES + l]
        force, after, stored = _rub(kernel, load, slip, stretch, step)
        pressed = load > 0.0
        for c in range(3):
            s[(_FORCE + c) * LANES + l] = force[c] if pressed else 0.0
            s[(_AFTER + c) * LANES + l] = after[c] if pressed else 0.0
        s[_STORED * LANES + l] = stored if pressed else 0.0


def _compiler(function: Any) -> FormulaAddresses:
    return FormulaAddresses(entry(function), None, 1, "", {})  # built-in formulas compile


NORMAL_LANES, FRICTION_LANES = _compiler(_normal), _compiler(_friction)


@intrinsic
def call_lanes(typingctx: Any, address: Any, row: Any, size: Any, step: Any, block: Any) -> Any:
    """Call the law at `address`, with the parameters `row`, for all lanes of a block."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double, integer, byte = ir.DoubleType(), ir.IntType(64), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(byte, [byte, double.as_pointer(), integer, double, double.as_pointer()])
        function = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(function, [ir.Constant(byte, None), *args[1:]])
        return context.get_dummy_value()

    return types.void(types.int64, DOUBLES, types.int64, types.float64, DOUBLES), codegen
