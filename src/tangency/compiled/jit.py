"""The only file that configures Numba.

Everything compiled in tangency goes through the names below, so that seven known traps are closed in
one place (each is pinned by a test in ``tests/compiled``):

1. two kernel classes with equal names are confused          -> :func:`unique_name`
2. cached code does not notice edits in other files          -> files named after the sources, ``compiled/sources.py``
3. a user's class in the disk cache can break it for others  -> compiled in memory, ``formula_addresses.py``
4. integer fields or read-only arrays compile once more      -> :func:`plain_rows`
5. many processes fill one cache at once                     -> one file per function, written atomically
6. code of different processes has the same symbols          -> ``compiled/cache.py``
7. a function counts references as its first caller does     -> a version of each for both kinds of callers

Each shape is compiled *separately* (about half a second) into a function with a fixed C signature; solvers
are compiled *once* and call shapes by the address of that function.  A new shape therefore never requires
a solver to be recompiled, and n shapes need n compilations, not n * n.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.targetconfig import ConfigStack
from numba.extending import intrinsic

from .cache import DiskCache, number_symbols_apart
from .linked import Linked, Optimised, link_into_callers, with_machine_code

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
#: For functions that are called by compiled code only.
LEAN: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
DOUBLES = types.CPointer(types.float64)

_counter = itertools.count()


#: All entry points created so far.
ENTRIES: list[Any] = []

number_symbols_apart()


class _Sorted(set):
    """A set with a fixed order: that of a plain set, and so the symbols made from it, differs between processes."""

    def __iter__(self) -> Any:
        return iter(sorted(super().__iter__()))

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}"

    def copy(self) -> _Sorted:
        return _Sorted(self)


def _lazily(function: Callable, **options: Any) -> Callable:
    dispatcher = numba.njit(**OPTIONS, **options)(function)
    # What is called in a loop that is to be vectorised
    link_into_callers(dispatcher, Optimised if {"fastmath", "forceinline"} & options.keys() else Linked)
    resolve = dispatcher.get_call_template

    # Otherwise f(x, 1) and f(x, 2) would be compiled separately, as literals, for no benefit.
    def plain(args: Any, kws: Any) -> Any:
        return resolve(tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()})

    dispatcher.get_call_template = plain
    if "_nrt" not in options:
        _compile_as_called(dispatcher, lambda: _lazily(function, **options, _nrt=False))
    return dispatcher


def _compile_as_called(dispatcher: Any, uncounted_twin: Callable[[], Any]) -> None:
    """Give callers that do not count references another version of a function, which does not count them either.

    Numba compiles a function once for all callers, with the counting of the first one.  If that does not count, a
    caller that does gives back references, to arrays that the function returns, that were never taken.
    """
    resolve, find = dispatcher.get_call_template, dispatcher.get_overload
    made: list[Any] = []

    def twin() -> Any:
        flags = ConfigStack.top_or_none()
        if flags is None or flags.nrt:
            return None
        if not made:
            made.append(uncounted_twin())
        return made[0]

    def get_call_template(args: Any, kws: Any) -> Any:
        other = twin()
        return resolve(args, kws) if other is None else other.get_call_template(args, kws)

    def get_overload(sig: Any) -> Any:
        other = twin()
        return find(sig) if other is None else other.get_overload(sig)

    dispatcher.get_call_template, dispatcher.get_overload = get_call_template, get_overload


def jit(function: Callable) -> Any:
    """Compile `function` when first called from compiled code; not cached on its own."""
    return _lazily(function)


def inlined(function: Callable) -> Any:
    """As :func:`jit`, but inlined at the call: for small functions of tuples of arrays.

    Every array of a tuple is counted anew, with atomic instructions, by a function that is called with it.
    """
    return numba.njit(inline="always", **OPTIONS)(function)


def uncounted(function: Callable) -> Any:
    """As :func:`jit`, for loops that allocate nothing and get :func:`borrowed` arrays: references are not counted."""
    return _lazily(function, _nrt=False)


def uncounted_inside(function: Callable) -> Any:
    """As :func:`uncounted`, placed into its caller by LLVM: tuples of many arrays are copied for every call."""
    return _lazily(function, _nrt=False, forceinline=True)


def inside(function: Callable) -> Callable:
    """As :func:`jit`, placed into its caller by LLVM: a call in a loop prevents its vectorisation."""
    return _lazily(function, forceinline=True)


def lane(function: Callable) -> Callable:
    """As :func:`jit`, for loops over lanes: products and sums may be fused (see ``kernels/block.py``)."""
    return _lazily(function, fastmath=_Sorted({"contract", "nsz"}))


def lane_part(function: Callable) -> Callable:
    """As :func:`lane`, for long functions called in such a loop: if not inlined, they prevent its vectorisation."""
    return _lazily(function, fastmath=_Sorted({"contract", "nsz"}), forceinline=True)


def inner(function: Callable) -> Callable:
    """Compile for compiled callers only, without wrappers for Python, which takes less time."""
    dispatcher = numba.njit(**LEAN)(function)
    link_into_callers(dispatcher)
    return dispatcher


def entry(function: Callable) -> Callable:
    """Compile an entry point that takes only arrays and numbers; cached on disk (see ``compiled/cache.py``)."""
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher._cache = DiskCache(function)
    with_machine_code(dispatcher)
    ENTRIES.append(dispatcher)
    return dispatcher


def plain_rows(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`array` in the form that compiled code expects: C-contiguous, float64 and writeable, to avoid recompilation."""
    rows = np.ascontiguousarray(array, dtype=np.float64).reshape(shape)
    return rows if rows.flags.writeable else rows.copy()


def unique_name(cls: type, builtin: bool) -> None:
    """Give a kernel class a unique name; a built-in one keeps a stable name for the disk cache."""
    owner = cls.__qualname__.replace(".", "_").replace("<locals>", "local")
    cls.__name__ = owner if builtin else f"{owner}_{next(_counter)}"


@intrinsic
def element(typingctx: Any, array: Any, index: Any) -> Any:
    """Pointer to ``array.flat[index]`` of a C-contiguous float64 array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.gep(data, [args[1]])

    return DOUBLES(array, types.intp), codegen


@intrinsic
def doubles_at(typingctx: Any, address: Any) -> Any:
    """Pointer to the float64 numbers at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.DoubleType().as_pointer())

    return DOUBLES(types.int64), codegen


@intrinsic
def peek(typingctx: Any, array: Any, index: Any) -> Any:
    """``array.flat[index]`` of a C-contiguous float64 array, for index >= 0, without a test for negative indices."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return types.float64(array, types.intp), codegen


@intrinsic
def borrowed(typingctx: Any, tables: Any) -> Any:
    """The same arrays, inside nested tuples, without counting references to them: the caller keeps them alive.

    Every function that is called with a tuple of arrays counts each of them, with atomic instructions; in a loop this
    can take longer than the work, and threads that share the arrays wait for each other.
    """

    def release(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value)
            array.meminfo, array.parent = (ir.Constant(part.type, None) for part in (array.meminfo, array.parent))
            return array._getvalue()
        if isinstance(kind, types.BaseTuple):
            for k, part in enumerate(kind.types):
                value = builder.insert_value(value, release(context, builder, part, builder.extract_value(value, k)), k)
        return value

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return release(context, builder, signature.args[0], args[0])

    return tables(tables), codegen


@intrinsic
def select(typingctx: Any, condition: Any, x: Any, y: Any) -> Any:
    """``x if condition else y`` of two floats, without a branch: both are computed."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.trunc(args[0], ir.IntType(1)), args[1], args[2])

    return types.float64(types.boolean, types.float64, types.float64), codegen


@intrinsic
def call_shape(typingctx: Any, address: Any, row: Any, size: Any, nx: Any, ny: Any, nz: Any, out: Any) -> Any:
    """Call the compiled shape at `address` (see ``kernels/jet.py`` for its signature)."""
    double, integer, byte = ir.DoubleType(), ir.IntType(64), ir.IntType(8).as_pointer()
    pointer = double.as_pointer()

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(byte, [byte, pointer, integer, double, double, double, pointer])
        function = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(function, [ir.Constant(byte, None), *args[1:]])
        return context.get_dummy_value()

    f8 = types.float64
    return types.void(types.int64, DOUBLES, types.int64, f8, f8, f8, DOUBLES), codegen


def _reinterpret(name: str, source: Any, target: Any, kind: ir.Type, text: str) -> Any:
    def reinterpret(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], kind)

        return target(source), codegen

    reinterpret.__name__, reinterpret.__doc__ = name, text
    return intrinsic(reinterpret)


bits = _reinterpret("bits", types.float64, types.int64, ir.IntType(64), "The 64 bits of a float, as an integer.")
from_bits = _reinterpret("from_bits", types.int64, types.float64, ir.DoubleType(), "The float with these 64 bits.")


@intrinsic
def call_contact(typingctx: Any, address: Any, whole: Any, pointers: Any, limit: Any, tol: Any) -> Any:
    """Call the compiled contact of two shapes at `address` (see ``dynamics/contact/solve.py`` for its signature)."""
    double, integer = ir.DoubleType(), ir.IntType(64)
    counts = len(whole), len(pointers)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = [integer] * counts[0] + [double.as_pointer()] * counts[1] + [double, double]
        function = builder.inttoptr(args[0], ir.FunctionType(integer, kinds).as_pointer())
        values = [builder.extract_value(args[1], k) for k in range(counts[0])]
        values += [builder.extract_value(args[2], k) for k in range(counts[1])]
        return builder.call(function, [*values, args[3], args[4]])

    return types.int64(types.int64, whole, pointers, types.float64, types.float64), codegen


def contact_signature(whole: int, pointers: int) -> tuple:
    """Types of the arguments of a function that :func:`call_contact` calls."""
    return (types.int64,) * whole + (DOUBLES,) * pointers + (types.float64, types.float64)


def address_of(function: Any, signature: tuple) -> int:
    """Address of a compiled function for the given argument types; compiled on first use."""
    function.compile(signature)
    result = function.overloads[signature]
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)
