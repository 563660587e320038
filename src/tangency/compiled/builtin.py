"""Whose formulas a class holds: those of built-in classes are kept on disk once compiled, a user's are not."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def is_builtin(cls: Any, *packages: str) -> bool:
    """Whether a class with a kernel comes from a file of these packages.

    Its module alone does not tell: a class that is typed into a doctest or a console carries the name of the module
    that it is typed in, and is another class each time.
    """
    own = [value for name, value in vars(cls.Kernel).items() if not name.startswith("_")]
    typed = any(isinstance(f, FunctionType) and f.__code__.co_filename.startswith("<") for f in own)
    return cls.__module__.startswith(packages) and not typed
