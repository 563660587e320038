"""The impact log of a streamed run, read when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ..impacts import Impacts

_NAMES = frozenset(f.name for f in fields(Impacts))


class LateImpacts(Impacts):
    """An impact log on disk.  Its length is known; the first use of any column reads all of them."""

    def __init__(self, count: int, read: Callable[[], Impacts]) -> None:
        for name, value in (("_count", count), ("_read", read)):
            object.__setattr__(self, name, value)  # the base class is frozen

    def __getattr__(self, name: str) -> Any:
        if name not in _NAMES:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        made = self._read()
        for column in _NAMES:
            object.__setattr__(self, column, getattr(made, column))
        return getattr(made, name)

    def __len__(self) -> int:
        return int(self._count)
