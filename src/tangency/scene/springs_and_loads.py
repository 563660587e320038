"""Springs, loads and prescribed motions in a scene file, with formulas of time and state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..io.spelling import nearest
from .bodies import SceneError
from .formulas import TIME, formula_of, formulas_of
from .lines import within
from .orientation import numbers

#: Symbols in the formulas of a load: time, centre of mass, its velocity, angular velocity, all in the world.
STATE = ("t", "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")
#: Keys of a spring and their shapes, None for names.
SPRING: dict[str, tuple[int, ...] | None] = {
    "a": None,
    "b": None,
    "point_a": (3,),
    "point_b": (3,),
    "stiffness": (),
    "damping": (),
    "length": (),
}
LOAD = ("body", "force", "torque")
STEADY = ("velocity", "angular_velocity")
MOVED = ("displacement", "angle", "axis")
MOTION = (*STEADY, *MOVED, "centre")
_FORMS = (
    "{ velocity = [0, 0, -0.1] }, { angular_velocity = [0, 2, 0], centre = [0, 0, 0] }, "
    '{ displacement = [0, 0, "0.1*sin(6*t)"] } or { axis = [0, 0, 1], angle = "t**2" }'
)


def springs_of(tables: Any) -> list[dict[str, Any]]:
    """Tables [[simulation.spring]]: arguments of ``dynamics.Spring``."""
    return _each(tables, "spring", _spring)


def loads_of(tables: Any) -> list[dict[str, Any]]:
    """Tables [[simulation.load]]: a body, and formulas of the force and torque at its centre of mass."""
    return _each(tables, "load", _load)


def _each(tables: Any, key: str, read: Callable[[dict[str, Any], str], dict[str, Any]]) -> list[dict[str, Any]]:
    where = f"[[simulation.{key}]]"
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SceneError(f"{where} must be written with double brackets, got {tables!r}")
    found = []
    for number, table in enumerate(tables):
        with within(number):
            found.append(read(table, where))
    return found


def _spring(table: dict[str, Any], where: str) -> dict[str, Any]:
    _known(table, tuple(SPRING), where)
    if "a" not in table:
        raise SceneError(f"{where}: the key 'a' is missing, the name of a body")
    found: dict[str, Any] = {}
    for key, value in table.items():
        shape = SPRING[key]
        if shape is None:
            found[key] = _name(value, key, where)
        else:
            array = numbers(value, key, shape, where)
            found[key] = array if shape else float(array)
    return found


def _load(table: dict[str, Any], where: str) -> dict[str, Any]:
    _known(table, LOAD, where)
    if "body" not in table:
        raise SceneError(f"{where}: the key 'body' is missing, the name of a body")
    found: dict[str, Any] = {"body": _name(table["body"], "body", where)}
    if len(table) == 1:
        raise SceneError(f"{where}: give a force or a torque")
    for key in ("force", "torque"):
        if key in table:
            found[key] = formulas_of(table[key], STATE, key, where)
    return found


def motion_of(table: Any, where: str) -> dict[str, Any]:
    """The key ``motion`` of a body: constant velocities, or formulas of the time."""
    if not isinstance(table, dict) or not table:
        raise SceneError(f"{where}: motion must look like {_FORMS}, got {table!r}")
    with within("motion"):
        where = f"{where}, motion"
        _known(table, MOTION, where)
        if set(table) & set(STEADY) and set(table) & set(MOVED):
            raise SceneError(f"{where}: velocities and formulas must not both be given, got {', '.join(table)}")
        if ("angle" in table) != ("axis" in table):
            raise SceneError(f"{where}: give both an axis and an angle, or neither")
        if set(table) == {"centre"}:
            raise SceneError(f"{where}: centre needs an angular_velocity, or an axis and an angle")
        found: dict[str, Any] = {}
        for key, value in table.items():
            if key == "displacement":
                found[key] = formulas_of(value, TIME, key, where)
            elif key == "angle":
                found[key] = formula_of(value, TIME, key, where)
            else:
                found[key] = numbers(value, key, (3,), where)
        if "axis" in found and not found["axis"].any():
            raise SceneError(f"{where}: axis must not be zero, got {table['axis']!r}")
        return found


def _known(table: dict[str, Any], names: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in names:
            raise SceneError(f"{where}: unknown key {key!r}{nearest(key, names)}")


def _name(value: Any, key: str, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise SceneError(f"{where}: {key} must name a body, got {value!r}")
    return value
