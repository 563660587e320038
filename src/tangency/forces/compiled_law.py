"""From the formulas of a law to compiled code that is called by its address.

A law is compiled *alone* (about half a second) into a function with a fixed C signature; loops over contacts are
compiled *once* and reach every law through the address of that function, as solvers reach shapes (``kernels/jet.py``).
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..compiled.jit import DOUBLES, address_of, jit


class Twins(NamedTuple):
    """The two compiled forms of one C signature, see ``compiled/jit.py``."""

    cached: Any  #: kept on disk, for built-in laws
    local: Any  #: of this process, for laws of a user; formulas that raise give NaN
    inputs: int  #: numbers that go in
    hint: str  #: what the formulas return, end of the message if they do not compile


_addresses: dict[Any, int] = {}
_lock = threading.Lock()


def compile_law(kernel: Any, builtin: bool, twins: Twins) -> int:
    """Address of the compiled formulas of kernels with the layout of `kernel`."""
    layout = types.TypeRef(numba.typeof(kernel))
    key = layout, twins.inputs
    with _lock:
        if key not in _addresses:
            signature = (layout, DOUBLES, types.int64, *[types.float64] * twins.inputs, DOUBLES)
            try:
                _addresses[key] = address_of(twins.cached if builtin else twins.local, signature)
            except Exception as error:  # Numba raises many kinds
                raise TypeError(
                    f"the formulas of {type(kernel).__qualname__} could not be compiled: {_reason(error)} "
                    f"(use floats, tuples and the math module; {twins.hint})"
                ) from None
        return _addresses[key]


_NOISE = (
    "Failed in",
    "During:",
    "This error",
    "This is not",
    "To see",
    "For more",
    "If you",
    "There are",
    "def ",
    "<source",
    "^",
    "~",
    "[",
)


def _reason(error: Exception) -> str:
    """One sentence on why formulas do not compile: the innermost cause and its place."""
    lines = [line.strip(" -*:") for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith(_NOISE) and "tangency/" not in line]
    begin = ("Untyped", "Unknown", "Use of", "No implementation", "Cannot")
    causes = [line for line in lines if line.startswith(begin)]
    place = [line for line in lines if line.startswith("File ")]
    return "; ".join(dict.fromkeys([*(causes or lines)[:1], *place[-1:]]))


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
    """The formula as a compiled function of all `known` arguments, in this order, whichever it takes."""
    used = takes(function, known, owner)
    names: dict[str, Any] = {"formula": jit(function), "__name__": __name__}
    exec(f"def whole(self, {', '.join(known)}):\n    return formula(self, {', '.join(used)})", names)
    return jit(names["whole"])
