"""Walls from mesh files, as bodies of a scene: ``mesh = "drum.stl"`` instead of a shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..io.spelling import nearest
from ..shapes import MeshWall
from ..shapes.mesh_wall import CREASE
from .bodies import SceneError
from .orientation import is_number

KEYS = ("mesh", "scale", "crease")
_EXCLUDED = ("shape", "part", "cavity", "ends")


def wall_of(table: dict[str, Any], where: str, folder: Path, others: tuple[str, ...]) -> MeshWall:
    """The wall that the table of a body describes; its file is relative to the folder of the scene."""
    for key in table:
        if key in _EXCLUDED:
            raise SceneError(f"{where}: {key} must not be given together with mesh")
        if key not in KEYS and key not in others:
            raise SceneError(f"{where}: unknown key {key!r} for a mesh wall{nearest(key, {*KEYS, *others})}")
    file, scale, crease = table["mesh"], table.get("scale", 1.0), table.get("crease", CREASE)
    if not isinstance(file, str) or not file:
        raise SceneError(f"{where}: mesh must be the path of a file, got {file!r}")
    for key, value in (("scale", scale), ("crease", crease)):
        if not is_number(value):
            raise SceneError(f"{where}: {key} must be a number, got {value!r}")
    try:
        return MeshWall.from_file(folder / file, scale=scale, crease=crease)
    except (TypeError, ValueError) as error:
        named = str(error).startswith(("scale", "crease"))
        raise SceneError(f"{where}: {error}" if named else f"{where}: mesh must be a readable file: {error}") from None
