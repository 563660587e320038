"""Scenes from TOML files.

::

    title = "two bodies"

    [[body]]
    name = "egg"
    shape = "ellipsoid"
    radii = [0.3, 0.2, 0.2]
    position = [0, 0, 1]
    orientation = { axis = [0, 1, 0], angle_deg = 30 }

    [[body]]
    name = "rod"
    shape = "offset"
    body = { shape = "segment", half_length = 0.5 }
    distance = 0.1

    [contact]
    tol = 1e-10
    pairs = [["egg", "rod"]]

Every error is reported in one sentence: file, line, body, key, what was expected and the value.
"""

from __future__ import annotations

import inspect
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..io.spelling import nearest
from ..shapes import Cavity
from ..shapes.shape import Shape
from .bodies import Body, Scene, SceneError
from .catalogue import BODIES, CATALOGUE, TEXTS
from .changes import changed
from .compound import Compound
from .groups import Group, group_of
from .lines import SceneFile, mistakes_in, within
from .measure import measure_of
from .mechanisms import Mechanism, mechanism_of
from .mesh_walls import wall_of
from .orientation import is_number, numbers, rotation_of
from .physics import PHYSICS, physics_of, simulation_of

FILE_KEYS = ("title", "body", "group", "mechanism", "contact", "simulation", "measure")
BODY_KEYS = ("name", "shape", "part", "position", "orientation", "color", "cavity", "ends", *PHYSICS)
PART_KEYS = ("name", "shape", "position", "orientation", "cavity", "ends")


def load_scene(path: str | os.PathLike[str], changes: Mapping[str, Any] | None = None) -> Scene:
    """Scene from a TOML file.

    Parameters
    ----------
    path : path
    changes : dict, optional
        Values that replace those of the file, by keys such as ``"simulation.friction.coefficient"`` or
        ``"body.egg.position"``.

    Raises
    ------
    SceneError
        With one sentence that names the file, the line, the body, the key, what was expected and the value.
    """
    path = Path(path)
    try:
        file = SceneFile(path, path.read_text(encoding="utf-8-sig"), dict(changes or {}))
        data = tomllib.loads(file.text)
        with mistakes_in(file):
            return _scene(changed(data, file.changes), file)
    except FileNotFoundError:
        raise SceneError(f"{path}: no such file") from None
    except OSError as error:
        raise SceneError(f"{path}: cannot read the file: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SceneError(f"{path}: not a UTF-8 text file ({_encoding(error)})") from None
    except tomllib.TOMLDecodeError as error:
        hint = "; each body is written as [[body]], with double brackets" if _single_brackets(file.text) else ""
        raise SceneError(f"{path}: not valid TOML: {error}{hint}") from None
    except RecursionError:
        raise SceneError(f"{path}: tables or lists are nested too deeply") from None


def _single_brackets(text: str) -> bool:
    """Whether a body is written as [body], which TOML accepts only once."""
    return re.search(r"^[ \t]*\[[ \t]*body[ \t]*\]", text, re.MULTILINE) is not None


def _encoding(error: UnicodeDecodeError) -> str:
    """What a file that is not UTF-8 may be, and what to do."""
    start, data = error.start, error.object
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:64].count(0) > 8:
        return "it looks like UTF-16 or UTF-32: save it as UTF-8"
    line = data[:start].count(b"\n") + 1
    return f"byte 0x{data[start]:02x} in line {line}: save it as UTF-8"


def _scene(data: dict[str, Any], file: SceneFile) -> Scene:
    _known(data, FILE_KEYS, "the file")
    title = data.get("title", file.path.stem)
    if not isinstance(title, str):
        raise SceneError(f"title must be text, got {title!r}")
    tables = data.get("body", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SceneError("bodies must be written as [[body]] tables, with double brackets")
    bodies: list[Body | Compound] = []
    taken: set[str] = set()
    for number, table in enumerate(tables, 1):
        with within("body", number - 1):
            bodies.append(_body(table, number, taken, file.path.parent))
            taken.add(bodies[-1].name)
    groups = _groups(data.get("group", []))
    mechanisms = _mechanisms(data.get("mechanism", []), file)
    _distinct([body.name for body in bodies], [group.name for group in groups])
    options = data.get("contact", {})
    if not isinstance(options, dict):
        raise SceneError(f"contact must be a table, got {options!r}")
    with within("contact"):
        pairs, chosen = _contact(options)
    with within("simulation"):
        simulation = simulation_of(data.get("simulation", {}))
    with within("measure"):
        measure = measure_of(data.get("measure", {}))
    # Only the pairs and the number of bodies can still be wrong.
    with within("contact"):
        single = tuple(body for body in bodies if isinstance(body, Body))
        compounds = tuple(body for body in bodies if isinstance(body, Compound))
        return Scene(single, title, pairs, chosen, simulation, file, groups, measure, mechanisms, compounds)


def _groups(tables: Any) -> tuple[Group, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SceneError("groups must be written as [[group]] tables, with double brackets")
    groups = []
    for number, table in enumerate(tables, 1):
        with within("group", number - 1):
            groups.append(group_of(table, number, shape_of))
    return tuple(groups)


def _mechanisms(tables: Any, file: SceneFile) -> tuple[Mechanism, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SceneError("mechanisms must be written as [[mechanism]] tables, with double brackets")
    made = []
    for number, table in enumerate(tables, 1):
        with within("mechanism", number - 1):
            made.append(mechanism_of(table, number, shape_of, file.path.parent))
    return tuple(made)


def _distinct(bodies: list[str], groups: list[str]) -> None:
    names, seen = [*bodies, *groups], set()
    for k, name in enumerate(names):
        if name not in seen:
            seen.add(name)
        else:
            message = f"body names must be unique, got {name!r} {names.count(name)} times"
            kind, number = ("body", k) if k < len(bodies) else ("group", k - len(bodies))
            raise SceneError(message, (kind, number, "name"))


def _contact(options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Pairs and options from the table [contact]."""
    _known(options, ("tol", "pairs"), "[contact]")
    pairs = options.get("pairs")
    if pairs is not None:
        if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
            raise SceneError(f'[contact]: pairs must look like [["a", "b"], ["a", "c"]], got {pairs!r}')
        pairs = tuple((first, second) for first, second in pairs)
    chosen = {}
    if "tol" in options:
        if not is_number(options["tol"]) or not 0 < options["tol"] < 1:
            raise SceneError(f"[contact]: tol must be a number between 0 and 1, got {options['tol']!r}")
        chosen["tol"] = float(options["tol"])
    return pairs, chosen


def _body(table: dict[str, Any], number: int, taken: set[str], folder: Path) -> Body | Compound:
    name = name_of(table, number, taken)
    if not isinstance(name, str) or not name.strip():
        raise SceneError(f"body {number}: name must be text, got {name!r}")
    where = f"body {name!r}"
    if "mesh" in table:
        shape: Shape = wall_of(table, where, folder, BODY_KEYS)
    elif "part" in table:
        return _compound(table, name, where)
    else:
        parameters = {key: value for key, value in table.items() if key not in BODY_KEYS or key == "shape"}
        shape = _around(shape_of(parameters, where, BODY_KEYS), table, where)
    return Body(name, shape, _pose(table, where), table.get("color"), physics_of(table, where))


def _compound(table: dict[str, Any], name: str, where: str) -> Compound:
    """A body of several shapes."""
    for key in table:
        if key not in BODY_KEYS or key in ("shape", "cavity", "ends"):
            hint = nearest(key, set(BODY_KEYS) - {"shape", "cavity", "ends"})
            hint = "; it is a key of its parts" if key in PART_KEYS or _is_key_of_a_part(key, table) else hint
            raise SceneError(f"{where}: unknown key {key!r} for a body of several parts{hint}")
    tables = table["part"]
    if not isinstance(tables, list) or not tables or not all(isinstance(part, dict) for part in tables):
        raise SceneError(f"{where}: part must be written as [[body.part]] tables, with double brackets")
    parts: list[Body] = []
    for number, part in enumerate(tables, 1):
        own = f"{where}, part {number}"
        with within("part", number - 1):
            label = part.get("name", str(number))
            if not isinstance(label, str) or not label.strip():
                raise SceneError(f"{own}: name must be text, got {label!r}")
            if f"{name}/{label}" in [other.name for other in parts]:
                raise SceneError(f"{own}: name must differ from those of the other parts, got {label!r}")
            parameters = {key: value for key, value in part.items() if key not in PART_KEYS or key == "shape"}
            shape = _around(shape_of(parameters, own, PART_KEYS), part, own)
            parts.append(Body(f"{name}/{label}", shape, _pose(part, own)))
    frame = Body(name, parts[0].shape, _pose(table, where), table.get("color"))  # checks pose and colour
    return Compound(name, tuple(parts), frame.pose, frame.color, physics_of(table, where))


def _is_key_of_a_part(key: str, table: dict[str, Any]) -> bool:
    words = [_find(str(part.get("shape", ""))) for part in table["part"] if isinstance(part, dict)]
    return any(key in inspect.signature(CATALOGUE[word]).parameters for word in words if word is not None)


def _pose(table: dict[str, Any], where: str) -> Any:
    position = numbers(table.get("position", [0.0, 0.0, 0.0]), "position", (3,), where)
    with within("orientation"):
        return rotation_of(table.get("orientation"), where), position


def name_of(table: dict[str, Any], number: int, taken: set[str]) -> Any:
    """The name of a body: its own, that of its shape, or its number."""
    kind = table.get("shape")
    return table.get("name", kind if isinstance(kind, str) and kind not in taken else f"body {number}")


def body_numbers(data: dict[str, Any]) -> dict[str, int]:
    """Place of each body among the tables ``[[body]]`` of a file, by name."""
    found: dict[str, int] = {}
    for number, table in enumerate(data.get("body", []), 1):
        found[name_of(table, number, set(found))] = number - 1
    return found


def _around(shape: Shape, table: dict[str, Any], where: str) -> Shape:
    """The shape, or with ``cavity = true`` everything around it."""
    for key in ("cavity", "ends"):
        if not isinstance(table.get(key, True), bool):
            raise SceneError(f"{where}: {key} must be true or false, got {table[key]!r}")
    if not table.get("cavity", False):
        if "ends" in table:
            raise SceneError(f"{where}: ends is only for a cavity; set cavity = true as well")
        return shape
    try:
        return Cavity(shape, ends=table.get("ends", True))
    except TypeError as error:
        raise SceneError(f"{where}: {error}") from None


def shape_of(table: Any, where: str, extra: tuple[str, ...] = ()) -> Shape:
    """The shape that a table describes."""
    if not isinstance(table, dict):
        raise SceneError(f"{where} must be a table such as {{ shape = 'sphere', radius = 1 }}, got {table!r}")
    if "shape" not in table:
        raise SceneError(f"{where}: the key 'shape' is missing; expected one of {', '.join(sorted(CATALOGUE))}")
    word = table["shape"]
    if not isinstance(word, str):
        raise SceneError(f"{where}: shape must be text, got {word!r}")
    kind = _find(word)
    if kind is None:
        raise SceneError(f"{where}: unknown shape {word!r}{nearest(word, CATALOGUE)}")
    make = CATALOGUE[kind]
    expected = inspect.signature(make).parameters
    free = any(parameter.kind is parameter.VAR_KEYWORD for parameter in expected.values())
    names = [name for name, parameter in expected.items() if parameter.kind is not parameter.VAR_KEYWORD]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key == "shape":
            continue
        if key not in names and not free:
            raise SceneError(f"{where}: unknown key {key!r} for shape {kind}{nearest(key, {*names, *extra})}")
        if key in BODIES and key in names:
            with within(key):
                values[key] = shape_of(value, f"{where}, {key}")
        elif key in TEXTS:
            values[key] = value
        else:
            values[key] = numbers(value, key, None, where)
    for name in names:
        if name not in values and expected[name].default is inspect.Parameter.empty:
            raise SceneError(f"{where}: shape {kind} needs the key {name!r} (it takes {', '.join(names)})")
    try:
        return make(**values)
    except ImportError as error:
        raise SceneError(f"{where}: shape {kind} needs SymPy, install tangency[symbolic] ({error})") from None
    except (TypeError, ValueError) as error:
        raise SceneError(f"{where}: {error}") from None


def _find(word: str) -> str | None:
    """Key of the catalogue for `word`; case, blanks, dashes and underscores do not matter."""
    plain = {key.replace("_", ""): key for key in CATALOGUE}
    return plain.get("".join(letter for letter in word.lower() if letter.isalnum()))


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(name, str) for name in value)


def _known(table: dict[str, Any], names: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in names:
            raise SceneError(f"unknown key {key!r} in {where}{nearest(key, names)}")
