"""Why a user's formulas cannot be compiled, in the words of Python: misspelt names with their lines, wrong results."""

from __future__ import annotations

import builtins
import dis
import inspect
import linecache
import re
import traceback
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from ..io.spelling import suggestion

_SAMPLE = (0.36, 0.48, 0.8, 0.25, 0.5, 0.75, 0.1, 0.2)  # inputs of a formula
_MISSING = object()


def explained(kernel: Any, inputs: int) -> str:
    """One sentence on what is wrong with the formulas of a kernel, with the line; '' if nothing is found."""
    for function in _functions(kernel):
        if found := _misspelt(function, type(kernel)):
            return found
    nested = (explained(value, inputs) for value in kernel if isinstance(value, tuple) and hasattr(value, "_fields"))
    return next(filter(None, nested), "") or _run(kernel, inputs)


def _functions(kernel: Any) -> Iterator[Callable]:
    """Formulas of a kernel that a user wrote."""
    for value in vars(type(kernel)).values():
        function = getattr(value, "py_func", value)
        if inspect.isfunction(function) and not (function.__module__ or "").startswith("tangency."):
            yield inspect.unwrap(function)


def place(code: CodeType, line: int) -> str:
    """The line of some code, as text."""
    text = linecache.getline(code.co_filename, line).strip()
    return f"in line {line} of {code.co_filename}" + (f", {text!r}" if text else "")


# ---- names ---------------------------------------------------------------------------------------
def _misspelt(function: Callable, kernel: type) -> str:
    """A name in a formula that does not exist: a global, an attribute of a module, or a field of the kernel."""
    code, scope = function.__code__, {**vars(builtins), **function.__globals__}
    own = code.co_varnames[0] if code.co_argcount else ""
    holder: Any = _MISSING  # what the instruction before left on the stack, if known
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = step.positions.lineno if step.positions and step.positions.lineno else line
        before, holder = holder, _MISSING
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            if step.argval not in scope:
                hint = suggestion(step.argval, [*code.co_varnames, *function.__globals__, *_math()])
                return f"the name {step.argval!r} is not defined{hint}, {place(code, line)}"
            holder = scope[step.argval]
        elif step.opname.startswith("LOAD_FAST") and step.argval == own:
            holder = kernel
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and (before is kernel or inspect.ismodule(before)):
            holder = getattr(before, step.argval, _MISSING)
            if holder is _MISSING:
                names = [name for name in dir(before) if not name.startswith("_")]
                what = f"{own!r} has no field" if before is kernel else f"module {before.__name__!r} has no"
                return f"{what} {step.argval!r}{suggestion(step.argval, names)}, {place(code, line)}"
        elif step.opname in ("PUSH_NULL", "PRECALL", "CACHE", "RESUME", "NOP", "COPY_FREE_VARS"):
            holder = before
    return ""


def _math() -> list[str]:
    import math

    return [f"math.{name}" for name in dir(math) if not name.startswith("_")]


# ---- results -------------------------------------------------------------------------------------
def _run(kernel: Any, inputs: int) -> str:
    """What happens if the formulas run as plain Python."""
    own = {function.__name__ for function in _functions(kernel)}
    calls: list[tuple[str, tuple, int]] = []  # a formula, its arguments and how many numbers it returns
    if hasattr(kernel, "jet"):
        sizes = {"support": 1, "point": inputs, "hessian": 6 if inputs == 3 else 1}
        calls = [(name, (_SAMPLE[:inputs],), size) for name, size in sizes.items() if name in own]
        calls.append(("jet", (_SAMPLE[:inputs],), 3))
    elif hasattr(kernel, "response"):
        calls = [("response", _SAMPLE[:inputs], 0)]
    for name, given, size in calls:
        try:
            result = getattr(kernel, name)(*given)
        except (ArithmeticError, ValueError):  # of these numbers, not of the formulas
            continue
        except Exception as error:
            return _raised(error)
        if wrong := _malformed(name, result, size):
            return wrong
    return ""


def _raised(error: Exception) -> str:
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [(frame.f_code, line) for frame, line in frames if "tangency" not in frame.f_globals.get("__name__", "")]
    return f"{type(error).__name__}: {error}" + (f", {place(*own[-1])}" if own else "")


def _malformed(name: str, result: Any, size: int) -> str:
    """What is wrong with the result of a formula; `size` 0 allows any number of numbers."""
    values = list(_flat(result))
    wrong = next((value for value in values if not _is_number(value)), _MISSING)
    if name not in ("jet", "response") and isinstance(result, tuple) != (size > 1):
        wrong = result
    if wrong is not _MISSING or (name not in ("jet", "response") and len(values) != size):
        wanted = "numbers" if name in ("jet", "response") else "one number" if size == 1 else f"{size} numbers"
        return f"{name} must return {wanted}, got {(result if wrong is _MISSING else wrong)!r}"
    return ""


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or type(value).__module__ == "numpy"


# ---- what Numba says -----------------------------------------------------------------------------
def unsupported(text: str) -> str:
    """The line to which a message of Numba points, as a sentence; '' if it points to none."""
    places = re.findall(r'File "([^"]+)", line (\d+)', text) + re.findall(r"Raised from (\S+) \((\d+)\)", text)
    own = [(file, int(line)) for file, line in places if "tangency/" not in file.replace("\\", "/")]
    if not own:
        return ""
    file, line = own[-1]
    source = linecache.getline(file, line).strip()
    return f"line {line} of {file}{f', {source!r},' if source else ''} uses something that formulas cannot use"
