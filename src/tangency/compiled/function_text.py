"""Text that identifies a user-defined Python function, for checkpoints: its code and the values it captures."""

from __future__ import annotations

import dis
import functools
import hashlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from .captured import globals_of, is_library, names_of

_OWN_MEMORY = {"STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR"}


def function_text(function: Any) -> str:
    """Digest of a function: code, defaults and captured numbers, texts, tuples, arrays, rotations and functions.

    Not included are values that the function itself changes (counters, for instance), lists, dictionaries, other
    objects, and code that is not Python.  Two functions with equal text may therefore differ in those.
    """
    return hashlib.sha256("\n".join(_of_value(function, set())).encode()).hexdigest()


def _of_value(value: Any, done: set[int]) -> Iterator[str]:
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"array {value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    elif isinstance(value, Rotation):
        yield from _of_value(value.as_quat(), done)
    elif isinstance(value, frozenset):  # its order differs from one process to the next
        yield f"frozenset {sorted(map(repr, value))}"
    elif id(value) in done:
        yield "again"
    elif isinstance(value, tuple):
        yield f"{type(value).__name__} {len(value)}"
        for item in value:
            yield from _of_value(item, done)
    elif isinstance(value, type | types.ModuleType | types.BuiltinFunctionType | np.ufunc):
        yield f"{getattr(value, '__module__', '')} {getattr(value, '__qualname__', value.__name__)}"
    else:
        done.add(id(value))
        yield from _of_callable(value, done)


def _of_callable(value: Any, done: set[int]) -> Iterator[str]:
    value = getattr(value, "py_func", value)
    if isinstance(value, functools.partial):
        yield from _of_value((value.func, value.args, *sorted(value.keywords.items())), done)
    elif isinstance(value, types.MethodType):
        yield from _of_function(value.__func__, done)
        yield from _of_attributes(value.__self__, value.__func__, done)
    elif isinstance(value, types.FunctionType):
        yield from _of_function(value, done)
    elif callable(value) and isinstance(type(value).__call__, types.FunctionType):
        yield from _of_function(type(value).__call__, done)
        yield from _of_attributes(value, type(value).__call__, done)
    else:
        yield f"{type(value).__module__} {type(value).__qualname__}"


def _of_function(function: Any, done: set[int]) -> Iterator[str]:
    if is_library(function.__module__):
        yield f"{function.__module__} {function.__qualname__}"
        return
    code = function.__code__
    yield from _of_code(code)
    yield from _of_value((function.__defaults__, *sorted((function.__kwdefaults__ or {}).items())), done)
    changed = _changed(code)
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        if name not in changed:
            try:
                value = cell.cell_contents
            except ValueError:  # not yet assigned
                continue
            yield name
            yield from _of_value(value, done)
    for name in sorted(set(globals_of(code)) & set(function.__globals__) - changed):
        yield name
        yield from _of_value(function.__globals__[name], done)


def _of_attributes(owner: Any, function: Any, done: set[int]) -> Iterator[str]:
    """Attributes that a method reads and does not change."""
    names = set(names_of(function.__code__)) - _changed(function.__code__)
    for name, value in sorted(getattr(owner, "__dict__", {}).items()):
        if name in names:
            yield name
            yield from _of_value(value, done)


def _of_code(code: types.CodeType) -> Iterator[str]:
    yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars}"
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _of_code(constant)
        else:
            yield from _of_value(constant, set())


def _all_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _all_codes(constant)


def _changed(code: types.CodeType) -> set[str]:
    return {s.argval for part in _all_codes(code) for s in dis.get_instructions(part) if s.opname in _OWN_MEMORY}
