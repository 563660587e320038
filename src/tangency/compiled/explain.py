"""Why a user's formulas cannot be compiled, in the words of Python: misspelt names with their lines, wrong results."""

from __future__ import annotations

import builtins
import dis
import inspect
import linecache
import traceback
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any, NamedTuple

from ..io.spelling import suggestion

_MISSING = object()


class Formula(NamedTuple):
    """How to try a formula in plain Python."""

    arguments: tuple | Mapping[str, Any]  #: examples, by position, or by name for formulas that take any subset
    counts: tuple[int, ...] = ()  #: how many numbers it may return; empty for any number


Formulas = Mapping[str, Formula]


def explained(kernel: Any, formulas: Formulas) -> str:
    """One sentence on what is wrong with the formulas of a kernel, with the line; '' if nothing is found."""
    for function in _functions(kernel):
        if found := _misspelt(function, type(kernel)):
            return found
    nested = (explained(value, formulas) for value in kernel if isinstance(value, tuple) and hasattr(value, "_fields"))
    return next(filter(None, nested), "") or _run(kernel, formulas)


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
def _run(kernel: Any, formulas: Formulas) -> str:
    """What happens if the formulas run as plain Python."""
    for name, formula in formulas.items():
        if not hasattr(kernel, name):
            continue
        call, given = getattr(kernel, name), formula.arguments
        try:
            if isinstance(given, tuple):
                result = call(*given)
            else:
                result = call(**{key: given[key] for key in inspect.signature(call).parameters})
        except (ArithmeticError, ValueError):  # of these numbers, not of the formulas
            continue
        except Exception as error:
            return _raised(error)
        if wrong := _malformed(name, result, formula.counts):
            return wrong
    return ""


def _raised(error: Exception) -> str:
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [(frame.f_code, line) for frame, line in frames if "tangency" not in frame.f_globals.get("__name__", "")]
    return f"{type(error).__name__}: {error}" + (f", {place(*own[-1])}" if own else "")


def _malformed(name: str, result: Any, counts: tuple[int, ...]) -> str:
    """What is wrong with the result of a formula."""
    values = list(_flat(result))
    wrong = next((value for value in values if not _is_number(value)), _MISSING)
    if counts and isinstance(result, tuple) != (counts != (1,)):
        wrong = result
    if wrong is not _MISSING or (counts and len(values) not in counts):
        wanted = "one number" if counts == (1,) else f"{' or '.join(map(str, counts))} numbers".strip()
        return f"{name} must return {wanted}, got {(result if wrong is _MISSING else wrong)!r}"
    return ""


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (type(value).__module__ == "numpy" and not getattr(value, "shape", ()))
