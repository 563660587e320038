"""Scenes and bodies as TOML files."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform

from ..shapes.shape import Shape
from .bodies import Body, Scene, SceneError
from .compound import Compound
from .formulas import Formula
from .shape_table import shape_table
from .toml import BODY_KEYS, PART_KEYS, name_of

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def scene_toml(scene: Scene, originals: dict[str, dict[str, Any]] | None = None) -> str:
    """The text of a scene file that gives the same scene; comments of the original file are not kept.

    Parameters
    ----------
    scene : Scene
    originals : dict, optional
        By the name of the body, the table that its shape was made from: needed for formulas that do not come
        from the file of the scene.

    Raises
    ------
    SceneError
        If the scene holds what a file cannot, such as a shape of a class of your own.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.scene import Body, Scene, scene_toml
    >>> print(scene_toml(Scene((Body("ball", tg.Sphere(1.0)), Body("wall", tg.HalfSpace([1, 0, 0]))), "two")))
    title = "two"
    <BLANKLINE>
    [[body]]
    name = "ball"
    shape = "sphere"
    radius = 1.0
    <BLANKLINE>
    [[body]]
    name = "wall"
    shape = "half_space"
    normal = [1.0, 0.0, 0.0]
    offset = 0.0
    <BLANKLINE>
    """
    data = {} if scene.source is None else scene.source.tables()
    parts = {"group": scene.groups, "mechanism": scene.mechanisms, "simulation": scene.simulation}
    for key, value in {**parts, "measure": scene.measure}.items():
        if value and key not in data:
            raise SceneError(f"the table {key} can only be written again if the scene comes from a file")
    originals = {**original_tables(data), **(originals or {})}
    lines = [f"title = {_value(scene.title)}"]
    for body in scene.bodies:
        lines += ["", "[[body]]", *_pairs(body_table(body, originals.get(body.name)))]
    for compound in scene.compounds:
        lines += ["", "[[body]]", *_pairs(compound_table(compound, originals))]
    for key in ("group", "mechanism"):
        for table in data.get(key, []):
            lines += ["", f"[[{key}]]", *_pairs(table)]
    for key, table in (("contact", _contact(scene)), *((key, data.get(key)) for key in ("simulation", "measure"))):
        if table:
            lines += ["", f"[{key}]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def original_tables(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The shape's keys of every body of a file, by the name of the body."""
    found: dict[str, dict[str, Any]] = {}
    for number, table in enumerate(data.get("body", []), 1):
        name = name_of(table, number, set(found))
        found[name] = {key: value for key, value in table.items() if key == "shape" or key not in BODY_KEYS}
        for place, part in enumerate(table.get("part", []), 1):
            own = {key: value for key, value in part.items() if key == "shape" or key not in PART_KEYS}
            found[f"{name}/{part.get('name', place)}"] = own
    return found


def body_table(body: Body, original: dict[str, Any] | None = None) -> dict[str, Any]:
    """The table of a body in a scene file."""
    try:
        return {"name": body.name, **shape_table(body.shape, original), **_placed(body), **body.physics}
    except SceneError as error:
        raise SceneError(f"body {body.name!r}: {error}") from None


def compound_table(compound: Compound, originals: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The table of a body of several shapes in a scene file."""
    parts = [body_table(part, originals.get(part.name)) for part in compound.parts]
    for part in parts:
        part["name"] = part["name"].removeprefix(f"{compound.name}/")
    return {"name": compound.name, **_placed(compound), **compound.physics, "part": parts}


def _placed(body: Body | Compound) -> dict[str, Any]:
    """Pose and colour of a body."""
    table: dict[str, Any] = {}
    place = np.asarray(body.pose.translation)
    if place.any():
        table["position"] = (place + 0.0).tolist()
    quaternion = body.pose.rotation.as_quat(canonical=True)
    if quaternion[:3].any():
        table["orientation"] = {"quaternion": (quaternion + 0.0).tolist()}
    if body.color is not None:
        table["color"] = body.color
    return table


def body_text(name: str, shape: Shape, pose: RigidTransform | None = None, **more: Any) -> str:
    """A body as a table ``[[body]]``, with further keys such as the density.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.scene import body_text
    >>> print(body_text("ball", tg.Sphere(0.1), density=1000.0), end="")
    [[body]]
    name = "ball"
    shape = "sphere"
    radius = 0.1
    density = 1000.0
    """
    return table_text("[[body]]", {**body_table(Body(name, shape, pose)), **more})


def table_text(head: str, table: dict[str, Any]) -> str:
    """A table of a TOML file."""
    return "\n".join([head, *_pairs(table)]) + "\n"


def _contact(scene: Scene) -> dict[str, Any]:
    table = dict(scene.options)
    if scene.pairs is not None:
        table["pairs"] = [list(pair) for pair in scene.pairs]
    return table


def _pairs(table: dict[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items()]


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, Formula):
        return _value(value.text)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, np.ndarray | np.generic):
        return _value(value.tolist())
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(_pairs(value)) + " }" if value else "{}"
    raise SceneError(f"a scene file cannot hold {value!r}")
