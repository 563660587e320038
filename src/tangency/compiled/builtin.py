"""Origin of a class: compiled formulas of built-in classes are cached on disk, those of user-defined ones are not."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def is_builtin(cls: Any, *packages: str) -> bool:
    """Whether a class with a kernel comes from a file of these packages.

    Its module name is not sufficient: a class defined in a doctest or a console carries the name of the module it is
    defined in, and is a new class each time.
    """
    own = [value for name, value in vars(cls.Kernel).items() if not name.startswith("_")]
    typed = any(isinstance(f, FunctionType) and f.__code__.co_filename.startswith("<") for f in own)
    return cls.__module__.startswith(packages) and not typed
