"""Masses, velocities, materials and simulation options in a scene file."""

from __future__ import annotations

from typing import Any

from ..io.spelling import nearest
from .bodies import SceneError
from .lines import within
from .orientation import is_number, numbers
from .springs_and_loads import loads_of, motion_of, springs_of

_SHAPES: dict[str, tuple[int, ...]] = {
    "density": (),
    "mass": (),
    "centre_of_mass": (3,),
    "velocity": (3,),
    "angular_velocity": (3,),
}
PHYSICS = (*_SHAPES, "inertia", "fixed", "material", "motion", "servo")
_SERVO: dict[str, tuple[int, ...]] = {"direction": (3,), "force": (), "speed": (), "gain": ()}

_NUMBERS = ("duration", "output_interval", "step", "rtol", "atol", "max_step", "skin", "rest", "local_damping")
_WORDS = ("mode", "method", "force_point")
_LAWS = ("normal", "friction", "rolling")
_WHOLE = ("checkpoint_every", "threads")
_SIMULATION = (*_NUMBERS, *_WORDS, *_LAWS, *_WHOLE, "gravity", "interaction", "periodic", "outlet", "spring", "load")


def physics_of(table: dict[str, Any], where: str, keys: tuple[str, ...] = PHYSICS) -> dict[str, Any]:
    """Keys of a body or group for a simulation; the values are checked there."""
    physics: dict[str, Any] = {}
    for key in keys:
        if key not in table:
            continue
        value = table[key]
        if key in _SHAPES:
            array = numbers(value, key, _SHAPES[key], where)
            physics[key] = float(array) if array.shape == () else array
        elif key == "inertia":
            physics[key] = numbers(value, key, None, where)
        elif key == "motion":
            physics[key] = motion_of(value, where)
        elif key == "servo":
            if not isinstance(value, dict) or not {"direction", "force", "speed"} <= set(value) <= set(_SERVO):
                form = "{ direction = [0, 0, -1], force = 50, speed = 0.1 }, with gain at will"
                raise SceneError(f"{where}: servo must look like {form}, got {value!r}")
            with within("servo"):
                found = {name: numbers(value[name], name, _SERVO[name], f"{where}, servo") for name in value}
            physics[key] = {name: float(part) if part.shape == () else part for name, part in found.items()}
        elif key == "material":
            if not isinstance(value, dict) or set(value) != {"young", "poisson"}:
                raise SceneError(f"{where}: material must look like {{ young = 210e9, poisson = 0.3 }}, got {value!r}")
            with within("material"):
                physics[key] = {name: float(numbers(value[name], name, (), f"{where}, material")) for name in value}
        else:
            if not isinstance(value, bool):
                raise SceneError(f"{where}: {key} must be true or false, got {value!r}")
            physics[key] = value
    return physics


def simulation_of(table: object) -> dict[str, Any]:
    """The table [simulation]."""
    where = "[simulation]"
    if not isinstance(table, dict):
        raise SceneError(f"simulation must be a table, got {table!r}")
    options: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _SIMULATION:
            raise SceneError(f"unknown key {key!r} in {where}{nearest(key, _SIMULATION)}")
        if key in _NUMBERS:
            options[key] = float(numbers(value, key, (), where))
        elif key == "gravity":
            options[key] = numbers(value, key, (3,), where)
        elif key in _WORDS:
            if not isinstance(value, str):
                raise SceneError(f"{where}: {key} must be text, got {value!r}")
            options[key] = value
        elif key == "outlet":
            with within(key):
                options[key] = _outlets(value)
        elif key in ("spring", "load"):
            with within(key):
                options[key] = springs_of(value) if key == "spring" else loads_of(value)
        elif key == "periodic":
            options[key] = _periodic(value, where)
        elif key in _WHOLE:
            if not isinstance(value, int) or isinstance(value, bool):
                raise SceneError(f"{where}: {key} must be a whole number, got {value!r}")
            options[key] = value
        elif key == "interaction":
            with within(key):
                options[key] = _interactions(value)
        else:
            with within(key):
                options[key] = _law(value, key)
    return options


def _periodic(table: Any, where: str) -> list[list[float] | None]:
    """Bounds of a periodic box, None for axes without."""
    if not isinstance(table, dict) or not table or not set(table) <= set("xyz"):
        raise SceneError(f"{where}: periodic must look like {{ x = [0, 1], y = [0, 1] }}, got {table!r}")
    with within("periodic"):
        found = {axis: numbers(table[axis], axis, (2,), f"{where}, periodic").tolist() for axis in table}
    return [found.get(axis) for axis in "xyz"]


def _outlets(tables: Any) -> list[dict[str, list[float]]]:
    """Tables [[simulation.outlet]]: corners, which may be infinite."""
    where = "[[simulation.outlet]]"
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SceneError(f"{where} must be written with double brackets, got {tables!r}")
    for number, table in enumerate(tables):
        corners = [table.get("low"), table.get("high")]
        if set(table) != {"low", "high"} or not all(
            isinstance(corner, list) and len(corner) == 3 and all(map(is_number, corner)) for corner in corners
        ):
            form = "low = [-inf, -inf, -inf], high = [inf, inf, -1]"
            raise SceneError(f"{where} must look like {form}, got {table!r}", (number,))
    return tables


def _interactions(tables: Any) -> list[dict[str, Any]]:
    """Tables [[simulation.interaction]]: the laws between two bodies or groups."""
    where = "[[simulation.interaction]]"
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SceneError(f"{where} must be written with double brackets, got {tables!r}")
    found = []
    for number, table in enumerate(tables):
        with within(number):
            found.append(_between(table, where))
    return found


def _between(table: dict[str, Any], where: str) -> dict[str, Any]:
    known, names = ("between", "touch", *_LAWS), table.get("between")
    for key in table:
        if key not in known:
            raise SceneError(f"unknown key {key!r} in {where}{nearest(key, known)}")
    if not isinstance(names, list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise SceneError(f'{where}: between must look like ["grains", "ground"], got {names!r}')
    if not isinstance(table.get("touch", True), bool):
        raise SceneError(f"{where}: touch must be true or false, got {table['touch']!r}")
    laws = {}
    for key in _LAWS:
        if key in table:
            with within(key):
                laws[key] = _law(table[key], key, f"{where}, {key}")
    if table.get("touch", True) == (not laws):
        raise SceneError(f"{where}: give laws for {names[0]!r} and {names[1]!r}, or touch = false")
    return {"between": tuple(names), **laws}


def _law(table: Any, key: str, where: str | None = None) -> dict[str, Any]:
    """The table of a law: its name and numbers."""
    where = f"[simulation.{key}]" if where is None else where
    if not isinstance(table, dict):
        raise SceneError(f"{where} must be a table, got {table!r}")
    for name, value in table.items():
        plain = isinstance(value, str) or is_number(value)
        if not plain and not (isinstance(value, list) and all(is_number(entry) for entry in value)):
            raise SceneError(f"{where}: {name} must be a number or text, got {value!r}")
    return dict(table)
