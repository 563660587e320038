"""The table ``[measure]`` of a scene file: region, bodies and layers for ``tangency simulate --measure``."""

from __future__ import annotations

from typing import Any

from ..io.spelling import nearest
from .bodies import SceneError
from .groups import corners_of

_KEYS = ("region", "bodies", "layers")


def measure_of(table: Any) -> dict[str, Any]:
    """Region (two corners), names of bodies and number of layers, as far as they are given."""
    where = "[measure]"
    if not isinstance(table, dict):
        raise SceneError(f"measure must be a table, got {table!r}")
    for key in table:
        if key not in _KEYS:
            raise SceneError(f"unknown key {key!r} in {where}{nearest(key, _KEYS)}")
    found: dict[str, Any] = {}
    if "region" in table:
        low, high = corners_of(table["region"], "region", where)
        if not (low < high).all():
            raise SceneError(f"{where}: region must have low < high, got {table['region']!r}")
        found["region"] = low, high
    if "bodies" in table:
        names = [table["bodies"]] if isinstance(table["bodies"], str) else table["bodies"]
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise SceneError(f"{where}: bodies must be names of bodies or groups, got {table['bodies']!r}")
        found["bodies"] = names
    if "layers" in table:
        layers = table["layers"]
        if isinstance(layers, bool) or not isinstance(layers, int) or layers < 1:
            raise SceneError(f"{where}: layers must be a whole number >= 1, got {layers!r}")
        found["layers"] = layers
    return found
