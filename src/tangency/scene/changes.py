"""Values that replace those of a scene file, by keys such as ``simulation.friction.coefficient`` or ``body.egg.mass``.

Tables of a list, as ``[[body]]`` and ``[[group]]``, are named by their ``name`` or by their number from 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from ..io.spelling import nearest
from .bodies import SceneError


def changed(data: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a scene file with other values; all tables on the way to a key must exist."""
    data = deepcopy(data)
    for key, value in changes.items():
        *way, last = key.split(".")
        table: Any = data
        for depth, step in enumerate(way):
            table = _inside(table, step, key, ".".join(way[:depth]) or "the file")
        if not isinstance(table, dict):
            raise SceneError(f"{key!r} must be a key of a table, got {'.'.join(way)} = {table!r}")
        table[last] = value
    return data


def _inside(table: Any, step: str, key: str, where: str) -> Any:
    """The table named `step` in a table or in a list of tables."""
    if isinstance(table, dict) and step in table:
        return table[step]
    if isinstance(table, list):
        names = [item.get("name") if isinstance(item, dict) else None for item in table]
        if step in names:
            return table[names.index(step)]
        if step.isdecimal() and int(step) < len(table):
            return table[int(step)]
        known = [str(name) for name in names if name is not None]
    else:
        known = list(table) if isinstance(table, dict) else []
    raise SceneError(f"{key!r} must name tables of the scene, but {where} has no {step!r}{nearest(step, known)}")
