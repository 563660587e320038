"""Classes of users that change what compiled code would not see."""

from __future__ import annotations

from typing import Any


def check_class(thing: Any, name: str, honoured: tuple[str, ...], instead: str) -> None:
    """Refuse an object whose class overrides what is not asked, or whose attributes hide it.

    Parameters
    ----------
    thing : object
        Of a class of tangency, or derived from one.
    name : str
        What the message calls it.
    honoured : tuple of str
        Names that a derived class may override, besides special methods and the fields of a dataclass: they are used.
    instead : str
        What is possible; end of the message.
    """
    kinds = type(thing).__mro__
    own = [kind for kind in kinds if kind.__module__.partition(".")[0] == "tangency"]
    known = {key for kind in own for key in vars(kind)} | {key for kind in own for key in _fields(kind)}
    for kind in kinds:
        if kind in own or kind is object:
            continue
        fields = vars(kind).get("__dataclass_fields__", {})
        for key in vars(kind):
            special = key.startswith("__") and key.endswith("__")
            if key in known and not special and key not in honoured and key not in fields:
                raise TypeError(f"{name}: {kind.__name__} overrides {key!r}, which would not be used; {instead}")
    for key, value in getattr(thing, "__dict__", {}).items():
        if callable(value) and key in known and key not in _fields(type(thing)):
            raise TypeError(f"{name}: its attribute {key!r} was replaced, which would not be used; {instead}")


def _fields(kind: type) -> Any:
    return getattr(kind, "__dataclass_fields__", {})
