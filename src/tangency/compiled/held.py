"""Tables that are handed to compiled code once and used by many calls.

For every call from Python, Numba unpacks each array of a tuple, about 0.4 us; for every call of a compiled function, it
copies the description of each of them.  Tables with a hundred arrays are therefore *held*: `store` writes them to a
buffer, functions get the address of the buffer, and `opened` reads those tables there that a function uses.

References to the arrays are not counted: whoever stores them keeps them alive.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel.models import OpaqueModel
from numba.extending import NativeValue, intrinsic, register_model, unbox

from .direct import array_data

_BUFFER = 2048  # numbers in a buffer: a hundred arrays have about a thousand


class Held(types.Type):
    """The address of a buffer that holds tables of this type; in Python, an array."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(f"held {hashlib.sha256(str(kind).encode()).hexdigest()[:16]}")  # the types take pages


register_model(Held)(OpaqueModel)


@unbox(Held)
def _unbox_held(kind: Any, array: Any, c: Any) -> NativeValue:
    return NativeValue(array_data(c.builder, array, ir.IntType(8).as_pointer()))


def _part(builder: Any, pointer: Any, k: int) -> Any:
    return builder.gep(pointer, [ir.Constant(ir.IntType(32), 0), ir.Constant(ir.IntType(32), k)])


def _read(builder: Any, kind: Any, pointer: Any) -> Any:
    """The value at an address, number by number: those that are not used are not read."""
    parts = pointer.type.pointee
    if isinstance(parts, (ir.ArrayType, ir.BaseStructType)):
        value = ir.Constant(parts, ir.Undefined)
        for k in range(len(parts)):
            inner = kind.types[k] if isinstance(kind, types.BaseTuple) else None
            part = _read(builder, inner, _part(builder, pointer, k))
            if isinstance(kind, types.Array) and k < 2:  # the owner of the memory, and the object in Python
                part = ir.Constant(part.type, None)
            value = builder.insert_value(value, part, k)
        return value
    number = builder.load(pointer)
    number.set_metadata("invariant.load", builder.module.add_metadata([]))  # nobody changes the buffer in a call
    return number


@intrinsic
def store(typingctx: Any, tables: Any, buffer: Any) -> Any:
    """Write tables to a buffer, an array of float64; returns the number of bytes needed, and writes nothing if more."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, kind = context.make_array(buffer)(context, builder, args[1]), args[0].type
        size = ir.Constant(ir.IntType(64), context.get_abi_sizeof(kind))
        room = builder.mul(array.nitems, ir.Constant(ir.IntType(64), 8))
        with builder.if_then(builder.icmp_signed("<=", size, room)):
            builder.store(args[0], builder.bitcast(array.data, kind.as_pointer()))
        return size

    return types.int64(tables, buffer), codegen


@intrinsic
def opened(typingctx: Any, held: Any) -> Any:
    """The tables in a buffer."""
    kind = held.kind

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _read(builder, kind, builder.bitcast(args[0], context.get_value_type(kind).as_pointer()))

    return kind(held), codegen


class Holder:
    """Stores tables of one type, for functions that take them as a `Held` argument without a check of its type."""

    def __init__(self, writer: Any) -> None:
        """From an entry that returns ``store(tables, buffer)``, for these tables alone."""
        self._writer = writer

    def hold(self, tables: tuple) -> np.ndarray:
        """A buffer with these tables, which are plain tuples; the caller keeps them alive."""
        buffer = np.zeros(_BUFFER)
        if self._writer(tables, buffer) > buffer.nbytes:
            raise AssertionError("the buffer is too small for the tables")
        if len(self._writer.overloads) != 1:
            raise AssertionError(f"tables must always have the same types, got {tuple(self._writer.overloads)}")
        return buffer

    @property
    def kind(self) -> Held:
        """Type of the argument, once tables have been stored."""
        ((tables, _),) = self._writer.overloads
        return Held(tables)
