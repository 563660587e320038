"""Calls of the compiled formulas of a law by address, and how their arguments are laid out.

Each law is compiled *separately* (in about a second) into a function with a fixed C signature.  Loops over contacts
are compiled *once* and call each law by the address of that function, as solvers call shapes (``kernels/jet.py``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..compiled.jit import DOUBLES, inside


def call_law(inputs: int, outputs: int) -> Any:
    """Function ``call(address, row, size, numbers)`` for compiled code: the law's `outputs` numbers, as a tuple."""

    @intrinsic
    def call(typingctx: Any, address: Any, row: Any, size: Any, numbers: Any) -> Any:
        double, integer, byte = ir.DoubleType(), ir.IntType(64), ir.IntType(8).as_pointer()
        pointer = double.as_pointer()
        given, answer = types.UniTuple(types.float64, inputs), types.UniTuple(types.float64, outputs)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.FunctionType(byte, [byte, pointer, integer, *[double] * inputs, pointer])
            function = builder.inttoptr(args[0], kind.as_pointer())
            out = cgutils.alloca_once(builder, double, size=ir.Constant(integer, outputs))
            values = [builder.extract_value(args[3], k) for k in range(inputs)]
            builder.call(function, [ir.Constant(byte, None), args[1], args[2], *values, out])
            found = [builder.load(builder.gep(out, [ir.Constant(integer, k)])) for k in range(outputs)]
            return context.make_tuple(builder, answer, found)

        return answer(types.int64, DOUBLES, types.int64, given), codegen

    return call


def numbers_of(kernel: Any) -> list[float]:
    """The fields of a kernel in the order in which compiled code reads them."""
    found: list[float] = []
    for value in kernel:
        if isinstance(value, tuple):
            found += numbers_of(value)
        elif hasattr(value, "shape") and value.ndim:
            found += [float(len(value)), *value.tolist()]
        else:
            found.append(float(value))
    return found


def takes(function: Callable, known: tuple[str, ...], owner: str) -> tuple[str, ...]:
    """Names of the arguments of a formula after `self`, each of which must be known."""
    names = list(inspect.signature(function).parameters)
    wrong = [name for name in names[1:] if name not in known]
    if not names or wrong:
        got = ", ".join(names) or "nothing"
        raise TypeError(f"{owner}.{function.__name__} must take self and any of {', '.join(known)}, got {got}")
    return tuple(names[1:])


def with_all(function: Callable, known: tuple[str, ...], owner: str) -> Any:
    """The formula as a compiled function of all `known` arguments, in this order; those not taken are ignored."""
    used = takes(function, known, owner)
    names: dict[str, Any] = {"formula": inside(function), "__name__": __name__}
    exec(f"def whole(self, {', '.join(known)}):\n    return formula(self, {', '.join(used)})", names)
    return inside(names["whole"])
