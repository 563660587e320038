"""Walls from mesh files, as bodies of a scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..io.spelling import nearest
from ..shapes import MeshWall
from ..shapes.mesh_wall import CREASE
from .bodies import SceneError
from .orientation import is_number

WORD = "mesh_wall"
KEYS = ("file", "scale", "crease")


def is_mesh_wall(word: Any) -> bool:
    """Whether the word for a shape means a mesh wall; case, blanks, dashes and underscores do not matter."""
    plain = WORD.replace("_", "")
    return isinstance(word, str) and "".join(letter for letter in word.lower() if letter.isalnum()) == plain


def wall_of(table: dict[str, Any], where: str, folder: Path, extra: tuple[str, ...]) -> MeshWall:
    """The wall that a table describes; its file is relative to the folder of the scene."""
    for key in table:
        if key not in ("shape", *KEYS):
            raise SceneError(f"{where}: unknown key {key!r} for shape {WORD}{nearest(key, {*KEYS, *extra})}")
    if "file" not in table:
        raise SceneError(f"{where}: shape {WORD} needs the key 'file' (it takes {', '.join(KEYS)})")
    file, scale, crease = table["file"], table.get("scale", 1.0), table.get("crease", CREASE)
    if not isinstance(file, str) or not file:
        raise SceneError(f"{where}: file must be the path of a mesh, got {file!r}")
    for key, value in (("scale", scale), ("crease", crease)):
        if not is_number(value):
            raise SceneError(f"{where}: {key} must be a number, got {value!r}")
    try:
        return MeshWall.from_file(folder / file, scale=scale, crease=crease)
    except (TypeError, ValueError) as error:
        named = str(error).startswith(("scale", "crease"))
        raise SceneError(f"{where}: {error}" if named else f"{where}: file must be a mesh: {error}") from None
