"""Loads data into the cache before they are needed.

A loop that computes much for each of many rows, spread over memory, waits for every row.  If another loop asks for all
rows first, the waiting times overlap.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_READ, _STAYS, _DATA = 0, 3, 1  # arguments of LLVM's instruction: for reading, likely to be used again, data


@intrinsic
def fetch(typingctx: Any, table: Any, row: Any, column: Any) -> Any:
    """Ask for the cache line of ``table[row, column]``, C-contiguous, without waiting for it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        width = builder.extract_value(array.shape, 1)
        place = builder.gep(array.data, [builder.add(builder.mul(args[1], width), args[2])])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        how = [ir.Constant(number, value) for value in (_READ, _STAYS, _DATA)]
        builder.call(function, [builder.bitcast(place, byte), *how])
        return context.get_dummy_value()

    return types.void(table, types.intp, types.intp), codegen
