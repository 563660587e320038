"""Calls of compiled functions from Python in a tenth of a microsecond, for single pairs.

Numba looks up the type of every argument and counts the references of every array, about 0.1 us each.  A *direct*
function has fixed types, which are not looked up, and takes numbers in one of three forms:

`FLOATS`
    The address of the data of an array of float64.  Nothing is checked.
`RECORD`
    The address of the contents of a `bytes` object, as `integers` and as `floats`.  Nothing is checked.
`ARRAY`
    The address and the shape, for NumPy arrays from outside: `shape` says whether the address may be used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PointerModel
from numba.extending import NativeValue, make_attribute_wrapper, models, register_model, unbox

from .jit import entry

OTHER = -1  # shape of an array that is not of float64, C-contiguous and aligned, or has not one or two axes
# Shape of three numbers, of a row of four, of 3x3 and 4x4 matrices: 1000 rows + columns.
VECTOR, QUATERNION, MATRIX, FRAME = 3, 1004, 3003, 4004
_LARGEST = 999  # entries along an axis

# Fields of an array object (PyArrayObject_fields) and of its dtype (PyArray_Descr), after the head that all objects
# share.  Their places are part of the binary interface of NumPy: macros compile them into every extension module.
_HEAD = object.__basicsize__
_DATA, _AXES, _SIZES, _DTYPE, _FLAGS = _HEAD, _HEAD + 8, _HEAD + 16, _HEAD + 40, _HEAD + 48
_TYPE, _BYTE_ORDER = _HEAD + 9, _HEAD + 10
_CONTENTS = bytes.__basicsize__ - 1  # of a `bytes` object, whose size includes a final zero
_PLAIN = 0x0101  # flags C_CONTIGUOUS and ALIGNED

_byte, _int, _word = ir.IntType(8), ir.IntType(32), ir.IntType(64)


class Data(types.CPointer):
    """The address of the data of a NumPy array of float64."""

    def __init__(self) -> None:
        super().__init__(types.float64)
        self.name = "data"

    @property
    def key(self) -> str:
        """What equality of types looks at."""
        return self.name


class Record(types.Type):
    """The address of the contents of a `bytes` object."""

    def __init__(self) -> None:
        super().__init__("record")


class PlainArray(types.Type):
    """Address and shape of a NumPy array."""

    def __init__(self) -> None:
        super().__init__("plain array")


FLOATS, RECORD, ARRAY = Data(), Record(), PlainArray()

register_model(Data)(PointerModel)


def _with_fields(kind: type, **fields: Any) -> None:
    """Give values of a type these fields, in compiled code."""

    class Model(models.StructModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, list(fields.items()))

    register_model(kind)(Model)
    for name in fields:
        make_attribute_wrapper(kind, name, name)


_with_fields(Record, integers=types.CPointer(types.int64), floats=types.CPointer(types.float64))
_with_fields(PlainArray, data=types.CPointer(types.float64), shape=types.int64)


def _field(builder: Any, item: Any, offset: int, kind: Any) -> Any:
    """The field of a C structure."""
    place = builder.gep(builder.bitcast(item, _byte.as_pointer()), [ir.Constant(_word, offset)])
    return builder.load(builder.bitcast(place, kind.as_pointer()))


def array_data(builder: Any, array: Any, kind: Any) -> Any:
    """The address of the data of a NumPy array, as a pointer of this kind."""
    return _field(builder, array, _DATA, kind)


@unbox(Data)
def _unbox_data(kind: Any, array: Any, c: Any) -> NativeValue:
    return NativeValue(array_data(c.builder, array, ir.DoubleType().as_pointer()))


@unbox(Record)
def _unbox_record(kind: Any, content: Any, c: Any) -> NativeValue:
    result = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    start = c.builder.gep(content, [ir.Constant(_word, _CONTENTS)])
    result.integers = c.builder.bitcast(start, _word.as_pointer())
    result.floats = c.builder.bitcast(start, ir.DoubleType().as_pointer())
    return NativeValue(result._getvalue())


@unbox(PlainArray)
def _unbox_array(kind: Any, array: Any, c: Any) -> NativeValue:
    builder, both = c.builder, c.builder.and_

    def equal(value: Any, expected: int) -> Any:
        return builder.icmp_signed("==", value, ir.Constant(value.type, expected))

    result = cgutils.create_struct_proxy(kind)(c.context, builder)
    result.data, result.shape = _field(builder, array, _DATA, ir.DoubleType().as_pointer()), ir.Constant(_word, OTHER)
    dtype, axes = _field(builder, array, _DTYPE, _byte.as_pointer()), _field(builder, array, _AXES, _int)
    double = both(equal(_field(builder, dtype, _TYPE, _byte), ord("d")),
                  equal(_field(builder, dtype, _BYTE_ORDER, _byte), ord("=")))  # fmt: skip
    flags = builder.and_(_field(builder, array, _FLAGS, _int), ir.Constant(_int, _PLAIN))
    plain = both(double, equal(flags, _PLAIN))
    largest, thousand = ir.Constant(_word, _LARGEST), ir.Constant(_word, 1000)
    for count in (1, 2):
        with builder.if_then(both(plain, equal(axes, count))):
            sizes = _field(builder, array, _SIZES, _word.as_pointer())
            code, small = ir.Constant(_word, 0), ir.Constant(ir.IntType(1), 1)
            for axis in range(count):
                size = _field(builder, sizes, 8 * axis, _word)
                small = both(small, builder.icmp_signed("<=", size, largest))
                code = builder.add(builder.mul(code, thousand), size)
            result.shape = builder.select(small, code, ir.Constant(_word, OTHER))
    return NativeValue(result._getvalue())


class Direct:
    """A compiled function with fixed types of arguments; cached on disk like an `entry`."""

    def __init__(self, function: Callable, signature: tuple) -> None:
        self._entry: Any = entry(function)
        self._signature = signature

    @cached_property
    def call(self) -> Callable:
        """The function for Python, compiled on first use."""
        self._entry.compile(self._signature)
        return self._entry.overloads[self._signature].entry_point


def direct(*signature: Any) -> Callable[[Callable], Direct]:
    """Decorator: compile a function for arguments of these types."""
    return lambda function: Direct(function, signature)
