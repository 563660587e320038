"""Mechanisms in a scene file: a table ``[[mechanism]]`` with a file, or with tables for links, shapes and springs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..io.spelling import nearest
from ..shapes.shape import Shape
from .bodies import SceneError
from .formulas import TIME, Formula, formula_of
from .lines import within
from .orientation import is_number, numbers, rotation_of
from .physics import physics_of

_TABLES = ("link", "shape", "spring", "limit", "passive", "loop")
KEYS = (
    "name",
    "file",
    "floating",
    "collisions",
    "position",
    "orientation",
    "start",
    "velocity",
    "loop_rate",
    "limits",
    "prescribed",
    "torque",
    "close_loops",
    "material",
    *_TABLES,
)
#: Keys of a link besides its pose: their shapes, None for text.
LINK: dict[str, tuple[int, ...] | None] = {
    "name": None,
    "parent": None,
    "joint": None,
    "axis": (3,),
    "density": (),
    "mass": (),
    "centre_of_mass": (3,),
    "armature": (),
}
PLACE = ("position", "orientation")
JOINT = ("t", "q", "v")  # symbols in the formula of a torque: time, position and velocity of the joint
ELEMENTS = {
    "spring": ("joint", "stiffness", "damping", "rest"),
    "limit": ("joint", "low", "high", "stiffness", "damping"),
    "passive": ("joint", "low", "high", "coefficients", "damping"),
    "loop": ("a", "b", "point_a", "point_b"),
}


@dataclass(frozen=True)
class Mechanism:
    """Links on joints in a scene, see :class:`tangency.dynamics.Mechanism`.

    Attributes
    ----------
    name : str
    file : Path, optional
        URDF or MJCF file, instead of links.
    links : tuple of dict
        Arguments of ``dynamics.Link`` without shapes.
    shapes : tuple of (link, shape, pose)
    elements : tuple of (kind, dict)
        Springs, limits, passive torques and loops.
    options : dict
        Further arguments of ``dynamics.Mechanism``.
    """

    name: str
    file: Path | None
    links: tuple[dict[str, Any], ...] = ()
    shapes: tuple[tuple[str, Shape, Any], ...] = ()
    elements: tuple[tuple[str, dict[str, Any]], ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def mechanism_of(table: dict[str, Any], number: int, make_shape: Callable[..., Shape], folder: Path) -> Mechanism:
    """A mechanism from its table; `make_shape` reads a shape from its keys, files are relative to `folder`."""
    name = table.get("name")
    if not isinstance(name, str) or not name.strip():
        raise SceneError(f"mechanism {number}: name must be text, got {name!r}")
    where = f"mechanism {name!r}"
    _known(table, KEYS, where)
    if ("file" in table) == ("link" in table):
        raise SceneError(f"{where}: give either a file or tables [[mechanism.link]]")
    file = None
    if "file" in table:
        if not isinstance(table["file"], str):
            raise SceneError(f"{where}: file must be text, got {table['file']!r}")
        file = folder / table["file"]
        if not file.is_file():
            with within("file"):
                raise SceneError(f"{where}: file: no such file: {file}")
    options: dict[str, Any] = {"pose": _pose(table, where)}
    for key in ("floating", "collisions", "close_loops"):
        if not isinstance(table.get(key, False), bool):
            raise SceneError(f"{where}: {key} must be true or false, got {table[key]!r}")
        options[key] = table.get(key, False)
    for key in ("loop_rate", "limits"):
        if key in table:
            options[key] = float(numbers(table[key], key, (), where))
    for key, argument in (("start", "position"), ("velocity", "velocity")):
        given = table.get(key, {})
        if isinstance(given, list):
            options[argument] = numbers(given, key, (len(given),), where)
            continue
        if not isinstance(given, dict) or not all(map(is_number, given.values())):
            raise SceneError(
                f"{where}: {key} must look like {{ knee = 0.3 }}, or list the numbers of all joints, got {given!r}"
            )
        options[argument] = {joint: float(value) for joint, value in given.items()} or None
    for key, symbols in (("prescribed", TIME), ("torque", JOINT)):
        if key in table:
            with within(key):
                options[key] = _formulas(table[key], symbols, f"{where}, {key}")
    if "material" in table:
        options |= physics_of(table, where, ("material",))
    parts: dict[str, list[Any]] = {key: [] for key in _TABLES}
    for key in _TABLES:
        for k, entry in enumerate(_tables(table, key, where)):
            with within(key, k):
                parts[key].append(_entry(key, entry, make_shape, where))
    elements = [(key, entry) for key in ELEMENTS for entry in parts[key]]
    return Mechanism(name, file, tuple(parts["link"]), tuple(parts["shape"]), tuple(elements), options)


def _formulas(given: Any, symbols: tuple[str, ...], where: str) -> dict[str, Formula]:
    """Formulas by the name of a joint."""
    if not isinstance(given, dict) or not given:
        raise SceneError(f"{where} must look like {{ crank = '2*t' }}, got {given!r}")
    return {joint: formula_of(value, symbols, joint, where) for joint, value in given.items()}


def _tables(table: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    given = table.get(key, [])
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise SceneError(f"{where}: {key} must be written as [[mechanism.{key}]] tables, with double brackets")
    return given


def _entry(key: str, table: dict[str, Any], make_shape: Callable[..., Shape], where: str) -> Any:
    """One table [[mechanism.link]], [[mechanism.shape]], ..."""
    own = f"{where}, {key} {table.get('name', table.get('link', table.get('joint', '')))!r}"
    if key == "shape":
        if not isinstance(table.get("link"), str):
            raise SceneError(f"{own}: link must name a link, got {table.get('link')!r}")
        parameters = {k: v for k, v in table.items() if k not in ("link", *PLACE)}
        return table["link"], make_shape(parameters, own, ("link", *PLACE)), _pose(table, own)
    if key == "link":
        _known(table, (*LINK, "inertia", *PLACE), own)
        made: dict[str, Any] = {"pose": _pose(table, own)}
        for k, shape in LINK.items():
            if k in table:
                made[k] = _text(table[k], k, own) if shape is None else numbers(table[k], k, shape, own)
        if "inertia" in table:
            made["inertia"] = numbers(table["inertia"], "inertia", None, own)
        if "name" not in made:
            raise SceneError(f"{own}: the key 'name' is missing")
        return made
    _known(table, ELEMENTS[key], own)
    words = ("joint", "a", "b")
    made = {k: _text(v, k, own) if k in words else numbers(v, k, None, own) for k, v in table.items()}
    made = {k: float(v) if k not in words and v.shape == () else v for k, v in made.items()}
    needed = ("joint",) if key != "loop" else ("a",)
    for k in (*needed, *(("low", "high", "coefficients") if key == "passive" else ())):
        if k not in made:
            raise SceneError(f"{own}: the key {k!r} is missing")
    return {"b": None, **made} if key == "loop" else made


def _text(value: Any, key: str, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise SceneError(f"{where}: {key} must be text, got {value!r}")
    return value


def _pose(table: dict[str, Any], where: str) -> Any:
    position = numbers(table.get("position", [0.0, 0.0, 0.0]), "position", (3,), where)
    with within("orientation"):
        return rotation_of(table.get("orientation"), where), position


def _known(table: dict[str, Any], names: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in names:
            raise SceneError(f"{where}: unknown key {key!r}{nearest(key, names)}")
