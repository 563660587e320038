"""Small arrays on the stack of a compiled function: nothing is allocated, nothing is counted.

Such an array ends with the function that made it.  A function that returns one must be `inlined`.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array


def on_stack(*shape: int, dtype: Any = types.float64) -> Any:
    """A compiled function without arguments that returns a new array of this shape, its numbers undefined."""

    def array(typingctx: Any) -> Any:
        kind = types.Array(dtype, len(shape), "C")

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            item, word = context.get_data_type(dtype), ir.IntType(64)
            itemsize = context.get_abi_sizeof(item)
            data = cgutils.alloca_once(builder, item, size=ir.Constant(word, max(math.prod(shape), 1)))
            strides = [itemsize * math.prod(shape[k + 1 :]) for k in range(len(shape))]
            made = context.make_array(kind)(context, builder)
            populate_array(
                made,
                data=data,
                shape=[ir.Constant(word, size) for size in shape],
                strides=[ir.Constant(word, stride) for stride in strides],
                itemsize=ir.Constant(word, itemsize),
                meminfo=None,
            )
            return made._getvalue()

        return kind(), codegen

    return intrinsic(array)
