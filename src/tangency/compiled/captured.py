"""Values that user-defined formulas capture from outside: globals, closures, defaults.

Compiled code keeps the values that they had when it was compiled.  These are recorded, and a later change raises an
error instead of silently giving results for the old value.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

_LIBRARIES = {"builtins", "cmath", "math", "numba", "numpy", "scipy", "sympy", "tangency", "typing"}


#: Properties of a shape that are evaluated once.
_PROPERTIES = ("core_radius", "bounding_radius", "magnitude", "longest")


class _Seen(NamedTuple):
    """A name, how to read its value, and the value when the formulas were compiled."""

    name: str
    read: Callable[[], Any]
    value: Any
    copy: np.ndarray | None  # of an array, which may be modified in place

    def now(self) -> Any:
        try:
            return self.read()
        except (KeyError, ValueError, AttributeError):  # deleted
            return None

    def same(self) -> bool:
        now = self.now()
        if self.copy is not None:
            return isinstance(now, np.ndarray) and _equal(now, self.copy)
        return now is self.value or (_plain(now) and type(now) is type(self.value) and now == self.value)


class Captured:
    """Outside values used by the formulas of a class and its kernel."""

    def __init__(self, owner: type) -> None:
        self._name = owner.__qualname__
        self._seen: list[_Seen] = []
        done: set[int] = set()
        kernel: type = owner.Kernel  # type: ignore[attr-defined]
        for name, value in getattr(owner, "_formulas", {}).items():
            self._seen.append(_Seen(f"Kernel.{name}", partial(getattr, kernel, name), value, None))
        formulas = list(vars(kernel).values())
        formulas += [vars(base)[name] for base in owner.__mro__ for name in _PROPERTIES if name in vars(base)]
        for value in formulas:
            self._seen += _outside(_function(value), done)

    def change(self) -> str:
        """Message about the first value that has changed; '' if there is none."""
        for item in self._seen:
            if not item.same():
                before = item.value if item.copy is None else item.copy
                return (
                    f"the formulas of {self._name} use {item.name}, which was {before!r:.80} when they were compiled "
                    f"and is {item.now()!r:.80} now: make it a field of the kernel or a parameter, or define the "
                    "formulas again"
                )
        return ""


def _plain(value: Any) -> bool:
    return isinstance(value, int | float | complex | str | tuple | np.generic)


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def _function(value: Any) -> Any:
    """The plain Python function behind a method or a compiled function, or None."""
    value = getattr(value, "fget", getattr(value, "__func__", value))
    value = getattr(value, "py_func", value)
    return value if isinstance(value, types.FunctionType) else None


def _outside(function: Any, done: set[int]) -> Iterator[_Seen]:
    if function is None or id(function) in done:
        return
    done.add(id(function))
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    for name, cell in cells.items():
        yield from _value(name, partial(getattr, cell, "cell_contents"), (), done)
    if is_library(function.__module__):
        return
    names = set(names_of(function.__code__))
    for name in sorted(set(globals_of(function.__code__)) & set(function.__globals__)):
        yield from _value(name, partial(function.__globals__.__getitem__, name), names, done)
    if function.__defaults__:
        yield from _value(f"the defaults of {function.__name__}", partial(getattr, function, "__defaults__"), (), done)


def _value(name: str, read: Callable[[], Any], names: Any, done: set[int]) -> Iterator[_Seen]:
    try:
        value = read()
    except ValueError:  # an empty cell
        return
    if isinstance(value, types.ModuleType):
        if not is_library(value.__name__):
            for attribute in sorted(set(names) & set(vars(value))):
                where = f"{name}.{attribute}"
                yield from _value(where, partial(getattr, value, attribute), (), done)
        return
    inner = _function(value)
    if not (inner is not None and is_library(inner.__module__)):
        yield _Seen(name, read, value, value.copy() if isinstance(value, np.ndarray) else None)
    yield from _outside(inner, done)


def globals_of(code: types.CodeType) -> Iterator[str]:
    """Names of globals that the code looks up, without attributes and methods of the same name."""
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from globals_of(constant)


def names_of(code: types.CodeType) -> Iterator[str]:
    """All names in the code, also of attributes."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_of(constant)


def is_library(module: Any) -> bool:
    """Whether a module belongs to Python, to tangency or to a library that it builds on."""
    return str(module).split(".")[0] in _LIBRARIES


def formulas_text(shape: Any) -> str:
    """Text that identifies the compiled formulas of a user-defined shape and of its parts."""
    parts = [formulas_text(part) for part in getattr(shape, "_fields", {}).values() if hasattr(part, "_fields")]
    kernel = getattr(type(shape), "Kernel", None)
    if kernel is not None and not type(shape)._builtin:
        parts += [_code_text(_function(value), set()) for value in vars(kernel).values()]
    return " ".join(parts)


def _code_text(function: Any, done: set[int]) -> str:
    if function is None or id(function) in done:
        return ""
    done.add(id(function))
    code = function.__code__
    cells = [_function(cell.cell_contents) for cell in function.__closure__ or ()]
    constants = [value for value in code.co_consts if not isinstance(value, types.CodeType)]
    own = f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames}"
    return " ".join([own, *(_code_text(cell, done) for cell in cells)])


_captured: dict[type, Captured] = {}


def captured_by(owner: type) -> Captured:
    """Values that the formulas of a class with a kernel captured when they were first compiled."""
    if owner not in _captured:
        _captured[owner] = Captured(owner)
    return _captured[owner]
