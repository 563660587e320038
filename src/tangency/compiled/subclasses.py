"""Checks for user-defined classes with overrides that compiled code would not use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def check_class(thing: Any, name: str, honoured: tuple[str, ...], instead: str) -> None:
    """Refuse an object whose class or attributes override something that would not be used.

    Parameters
    ----------
    thing : object
        Instance of a class of tangency, or of a derived class.
    name : str
        Name of the object in the message.
    honoured : tuple of str
        Names that a derived class may override, besides special methods and the fields of a dataclass.
    instead : str
        What to do instead; end of the message.
    """
    for kind, key in overridden(type(thing), honoured):
        raise TypeError(f"{name}: {kind.__name__} overrides {key!r}, which would not be used; {instead}")
    known = _known(type(thing))
    for key, value in getattr(thing, "__dict__", {}).items():
        if callable(value) and key in known and key not in _fields(type(thing)):
            raise TypeError(f"{name}: its attribute {key!r} was replaced, which would not be used; {instead}")


def overridden(kind: type, honoured: tuple[str, ...]) -> Iterator[tuple[type, str]]:
    """Names of tangency's classes, except `honoured` ones, that a user-defined class among the bases overrides."""
    known = _known(kind)
    for base in kind.__mro__:
        if _is_own(base) or base is object:
            continue
        fields = vars(base).get("__dataclass_fields__", {})
        for key in vars(base):
            special = key.startswith("__") and key.endswith("__")
            if key in known and not special and key not in honoured and key not in fields:
                yield base, key


def _known(kind: type) -> set[str]:
    own = [base for base in kind.__mro__ if _is_own(base)]
    return {key for base in own for key in vars(base)} | {key for base in own for key in _fields(base)}


def _is_own(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "tangency"


def _fields(kind: type) -> Any:
    return getattr(kind, "__dataclass_fields__", {})
