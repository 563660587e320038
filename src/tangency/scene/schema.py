"""JSON Schema of scene files, for editors that complete and check TOML; made from the catalogue."""

from __future__ import annotations

import inspect
from typing import Any

from . import physics
from .catalogue import BODIES, CATALOGUE, TEXTS
from .groups import GROUP_KEYS, GROUP_PHYSICS
from .mechanisms import ELEMENTS, LINK
from .springs_and_loads import SPRING, STEADY
from .toml import PART_KEYS

_NUMBER = {"type": "number"}
_BOOLEAN = {"type": "boolean"}
_TEXT = {"type": "string"}
_INTEGER = {"type": "integer"}
_NUMBERS = {"$ref": "#/definitions/numbers"}
_VECTOR = {"$ref": "#/definitions/vector"}
_CORNERS = {"$ref": "#/definitions/corners"}
_FORMULA = {"$ref": "#/definitions/formula"}
_FORMULAS = {"type": "array", "items": _FORMULA, "minItems": 3, "maxItems": 3}
_LAW = {"$ref": "#/definitions/law"}
_WHOLE = {"type": "integer", "minimum": 0}
_CAVITY = {"cavity": {**_BOOLEAN, "description": "the body is everything around the shape"}, "ends": _BOOLEAN}


def scene_schema() -> dict[str, Any]:
    """The schema (draft 7), as a dictionary for ``json.dumps``.

    Examples
    --------
    >>> from tangency.scene.schema import scene_schema
    >>> sorted(scene_schema()["properties"])
    ['body', 'contact', 'group', 'measure', 'mechanism', 'simulation', 'title']
    """
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "tangency scene",
        "description": "Bodies, contacts and simulations: docs/scenes.md, docs/dynamics.md.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "title": {"type": "string", "description": "title of picture and page"},
            "body": {"type": "array", "items": {"$ref": "#/definitions/body"}},
            "group": {"type": "array", "items": {"$ref": "#/definitions/group"}},
            "mechanism": {"type": "array", "items": {"$ref": "#/definitions/mechanism"}},
            "contact": _table(
                {"tol": {**_NUMBER, "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "pairs": _list(_names(2))}
            ),
            "simulation": _simulation(),
            "measure": _table(
                {
                    "region": _CORNERS,
                    "bodies": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
                    "layers": {"type": "integer", "minimum": 1},
                }
            ),
        },
        "definitions": _definitions(),
    }


def _definitions() -> dict[str, Any]:
    return {
        "numbers": {
            "description": "a number, or a list of numbers, to any depth",
            "anyOf": [_NUMBER, {"type": "array", "items": {"$ref": "#/definitions/numbers"}}],
        },
        "range": _table({"low": _NUMBERS, "high": _NUMBERS}, required=("low", "high")),
        "vector": _list(_NUMBER, 3),
        "corners": _table({"low": _VECTOR, "high": _VECTOR}, required=("low", "high")),
        "orientation": {
            "description": "one of four forms; a quaternion is x, y, z, w",
            "oneOf": [
                _table({"axis": _VECTOR, "angle_deg": _NUMBER}, required=("axis", "angle_deg")),
                _table({"quaternion": _list(_NUMBER, 4)}, required=("quaternion",)),
                _table({"euler": {"type": "string", "pattern": "^([xyz]{1,3}|[XYZ]{1,3})$"}, "angles_deg": _NUMBERS},
                       required=("euler", "angles_deg")),
                _table({"matrix": _list(_VECTOR, 3)}, required=("matrix",)),
            ],
        },
        "law": {
            "description": "a law of contact and its arguments",
            "type": "object",
            "properties": {"law": {"type": "string", "description": "name of the law"}},
            "additionalProperties": {"anyOf": [_NUMBER, {"type": "string"}, _list(_NUMBER)]},
        },
        "formula": {"description": "a number, or a formula such as 0.1*sin(6*t)", "type": ["number", "string"]},
        "shape": _with_shape({}, _NUMBERS),
        "body": {
            "if": {"required": ["mesh"]},
            "then": _mesh_wall(),
            "else": {
                "if": {"required": ["part"]}, "then": _compound(), "else": _with_shape(_body_keys(), _NUMBERS)
            },
        },
        "group": _with_shape(_group_keys(), {"anyOf": [_NUMBERS, {"$ref": "#/definitions/range"}]}, ("name",)),
        "mechanism": _mechanism(),
    }  # fmt: skip


def _mesh_wall() -> dict[str, Any]:
    """A wall from a file."""
    others = {key: value for key, value in _body_keys().items() if key not in _CAVITY}
    return _table({**others, "mesh": _TEXT, "scale": _NUMBER, "crease": _NUMBER}, required=("mesh",))


def _compound() -> dict[str, Any]:
    """A body of several shapes."""
    own = {key: value for key, value in _body_keys().items() if key not in _CAVITY}
    part = {key: value for key, value in _body_keys().items() if key in PART_KEYS}
    return _table({**own, "part": {**_list(_with_shape(part, _NUMBERS)), "minItems": 1}}, required=("part",))


def _mechanism() -> dict[str, Any]:
    place = {"position": _VECTOR, "orientation": {"$ref": "#/definitions/orientation"}}
    joints = {"type": "object", "additionalProperties": _NUMBER}
    words = ("joint", "a", "b")
    link = {key: _TEXT if shape is None else _VECTOR if shape else _NUMBER for key, shape in LINK.items()}
    tables = {
        "link": _table({**link, "inertia": _NUMBERS, **place}, required=("name",)),
        "shape": _with_shape({"link": _TEXT, **place}, _NUMBERS, ("link",)),
        **{kind: _table({key: _TEXT if key in words else _NUMBERS for key in keys}) for kind, keys in ELEMENTS.items()},
    }
    own: dict[str, Any] = {"name": _TEXT, "file": _TEXT, "floating": _BOOLEAN, "collisions": _BOOLEAN, **place}
    state = {"anyOf": [joints, _list(_NUMBER)]}
    formulas = {"type": "object", "additionalProperties": _FORMULA, "minProperties": 1}
    own |= {"start": state, "velocity": state, "loop_rate": _NUMBER, "limits": _NUMBER, "close_loops": _BOOLEAN}
    own |= {"prescribed": formulas, "torque": formulas, "material": _physics()["material"]}
    return _table({**own, **{key: _list(table) for key, table in tables.items()}}, required=("name",))


def _with_shape(others: dict[str, Any], value: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """A table with the keys of a shape, which depend on its word, and others."""
    words = sorted(CATALOGUE)
    cases = []
    for word in words:
        keys, needed, free = _shape_keys(word, value)
        then: dict[str, Any] = {"properties": {"shape": True, **dict.fromkeys(others, True), **keys}}
        then["additionalProperties"] = value if free else False
        if needed:
            then["required"] = needed
        if word == "superellipsoid":
            then["oneOf"] = [{"required": ["epsilon"]}, {"required": ["exponents"]}]
        cases.append({"if": {"properties": {"shape": {"const": word}}, "required": ["shape"]}, "then": then})
    return {
        "type": "object",
        "properties": {"shape": {"type": "string", "enum": words}, **others},
        "required": ["shape", *required],
        "allOf": cases,
    }


def _shape_keys(word: str, value: dict[str, Any]) -> tuple[dict[str, Any], list[str], bool]:
    """The keys of a shape, those that are needed, and whether it takes any others."""
    keys: dict[str, Any] = {}
    needed, free = [], False
    for name, parameter in inspect.signature(CATALOGUE[word]).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            free = True
            continue
        if name in BODIES:
            keys[name] = {"$ref": "#/definitions/shape"}
        else:
            keys[name] = {"type": "string"} if name in TEXTS else value
        if parameter.default is parameter.empty:
            needed.append(name)
    return keys, needed, free


def _physics() -> dict[str, Any]:
    found = _sized(physics._SHAPES)
    found |= {
        "inertia": _NUMBERS,
        "fixed": _BOOLEAN,
        "material": _table({"young": _NUMBER, "poisson": _NUMBER}, required=("young", "poisson")),
        "motion": _motion(),
        "servo": _table(_sized(physics._SERVO), required=("direction", "force", "speed")),
    }
    return {key: found[key] for key in physics.PHYSICS}


def _motion() -> dict[str, Any]:
    """Constant velocities, or formulas of the time."""
    steady = {**_table(dict.fromkeys((*STEADY, "centre"), _VECTOR)), "minProperties": 1}
    moved = {"displacement": _FORMULAS, "angle": _FORMULA, "axis": _VECTOR, "centre": _VECTOR}
    return {"anyOf": [steady, {**_table(moved), "minProperties": 1}]}


def _sized(shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """Numbers and vectors, by the shape of each value."""
    return {key: _VECTOR if shape else _NUMBER for key, shape in shapes.items()}


def _body_keys() -> dict[str, Any]:
    return {
        "name": {"type": "string", "minLength": 1},
        "position": _VECTOR,
        "orientation": {"$ref": "#/definitions/orientation"},
        "color": {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"},
        **_CAVITY,
        **_physics(),
    }


def _group_keys() -> dict[str, Any]:
    body = _body_keys()
    grid = {"first": _VECTOR, "spacing": _NUMBERS, "counts": _list({"type": "integer", "minimum": 1}, 3)}
    pour = {"low": _VECTOR, "high": _VECTOR, "rate": _NUMBER, "start": _NUMBER}
    found = {
        **{key: body[key] for key in ("name", "color", *GROUP_PHYSICS)},
        "count": {"type": "integer", "minimum": 1},
        "seed": _WHOLE,
        "orientation": {"anyOf": [{"const": "random"}, body["orientation"]]},
        "positions": _list(_VECTOR),
        "grid": _table(grid, required=tuple(grid)),
        "region": _CORNERS,
        "pour": _table(pour, required=("low", "high", "rate")),
    }
    return {key: found[key] for key in GROUP_KEYS if key != "shape"}


def _simulation() -> dict[str, Any]:
    interaction = {"between": _names(2), "touch": _BOOLEAN, **dict.fromkeys(physics._LAWS, _LAW)}
    found: dict[str, Any] = {
        **dict.fromkeys(physics._NUMBERS, _NUMBER),
        **dict.fromkeys(physics._WORDS, _TEXT),
        **dict.fromkeys(physics._LAWS, _LAW),
        **dict.fromkeys(physics._WHOLE, _INTEGER),
        "gravity": _VECTOR,
        "interaction": {"type": "array", "items": _table(interaction, required=("between",))},
        "periodic": {**_table(dict.fromkeys("xyz", _list(_NUMBER, 2))), "minProperties": 1},
        "outlet": {"type": "array", "items": _CORNERS},
        "spring": {"type": "array", "items": _spring()},
        "load": {
            "type": "array",
            "items": {
                **_table({"body": _TEXT, "force": _FORMULAS, "torque": _FORMULAS}, required=("body",)),
                "minProperties": 2,
            },
        },
    }
    return _table({key: found[key] for key in physics._SIMULATION})


def _spring() -> dict[str, Any]:
    keys = {key: _TEXT if shape is None else _VECTOR if shape else _NUMBER for key, shape in SPRING.items()}
    return _table(keys, required=("a",))


def _table(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    found = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**found, "required": list(required)} if required else found


def _list(items: dict[str, Any], count: int | None = None) -> dict[str, Any]:
    found = {"type": "array", "items": items}
    return found if count is None else {**found, "minItems": count, "maxItems": count}


def _names(count: int) -> dict[str, Any]:
    return _list({"type": "string"}, count)
