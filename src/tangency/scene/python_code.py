"""Scenes as Python programs."""

from __future__ import annotations

import keyword
import re
from typing import Any

from .bodies import Scene
from .catalogue import BODIES, CATALOGUE
from .write import body_table

#: Words of the catalogue whose function in the library has another name; the others are classes or have their own name.
_CALLS = {
    "superellipsoid": "Superellipsoid",
    "harmonic_shape": "HarmonicShape",
    "spline_shape": "SplineShape",
    "offset": "Offset",
    "minkowski_sum": "MinkowskiSum",
    "affine": "Affine",
    "support": "from_support",
    "potential": "from_potential",
}


def scene_python(scene: Scene, pair: tuple[str, str], originals: dict[str, dict[str, Any]] | None = None) -> str:
    """A program that makes the bodies of a scene and prints the contact of two of them.

    Parameters
    ----------
    scene : Scene
    pair : tuple of str
        Names of the bodies A and B.
    originals : dict, optional
        As in :func:`scene_toml`.
    """
    lines = ["from scipy.spatial.transform import Rotation", "", "import tangency as tg", ""]
    names: dict[str, str] = {}
    for body in scene.bodies:
        table = body_table(body, (originals or {}).get(body.name))
        name = names[body.name] = _variable(body.name, set(names.values()))
        turn = table.get("orientation")
        rotation = "None" if turn is None else f"Rotation.from_quat({turn['quaternion']})"
        lines += [
            f"{name} = {shape_python(table)}",
            f"pose_of_{name} = ({rotation}, {table.get('position', [0.0, 0.0, 0.0])})",
        ]
    a, b = (names[name] for name in pair)
    options = "".join(f", {key}={value!r}" for key, value in scene.options.items())
    lines += ["", f"contact = tg.contact({a}, {b}, pose_of_{a}, pose_of_{b}{options})", "print(contact)"]
    if "Rotation.from_quat" not in "".join(lines[1:]):
        lines = lines[2:]
    return "\n".join(lines) + "\n"


def shape_python(table: dict[str, Any]) -> str:
    """The call that makes the shape of a table.

    Examples
    --------
    >>> from tangency.scene.python_code import shape_python
    >>> shape_python({"shape": "offset", "body": {"shape": "segment", "half_length": 2.0}, "distance": 0.5})
    'tg.Offset(body=tg.Segment(half_length=2.0), distance=0.5)'
    """
    if "mesh" in table:
        options = "".join(f", {key}={table[key]!r}" for key in ("scale", "crease") if key in table)
        return f"tg.MeshWall.from_file({table['mesh']!r}{options})"
    word = table["shape"]
    make = CATALOGUE[word]
    call = _CALLS.get(word, make.__name__)
    if word == "superellipsoid" and "exponents" in table:
        call += ".from_exponents"
    if word in ("harmonic_shape", "spline_shape") and "body" in table:
        call += ".from_shape"
    keys = [key for key in table if key not in _NOT_SHAPE and (word in ("support", "potential") or key in _keys(make))]
    inner = [
        f"{key}={shape_python(table[key])}"
        if key in BODIES and isinstance(table[key], dict)
        else f"{key}={table[key]!r}"
        for key in keys
        if key != "expression"
    ]
    if "expression" in table:
        inner.insert(0, repr(table["expression"]))
    if word in ("harmonic_shape", "spline_shape") and "body" in table:  # whole numbers, and other names in Python
        number = "degree" if word == "harmonic_shape" else "cells"
        inner = [shape_python(table["body"]), str(int(table[number]))]
    text = f"tg.{call}({', '.join(inner)})"
    if table.get("cavity"):
        return f"tg.Cavity({text})" if table.get("ends", True) else f"tg.Cavity({text}, ends=False)"
    return text


def _keys(make: Any) -> tuple[str, ...]:
    import inspect

    return tuple(inspect.signature(make).parameters)


def _variable(name: str, taken: set[str]) -> str:
    """A variable for a body: its name as far as Python allows."""
    word = re.sub(r"\W+", "_", name.strip().lower()).strip("_") or "body"
    if word[0].isdigit() or keyword.iskeyword(word) or word in ("tg", "contact", "print"):
        word = f"body_{word}"
    number, found = 2, word
    while found in taken:
        found, number = f"{word}_{number}", number + 1
    return found


_NOT_SHAPE = ("shape", "name", "position", "orientation", "color", "cavity", "ends")
