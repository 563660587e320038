"""Masses, velocities, materials and simulation options in a scene file."""

from __future__ import annotations

from typing import Any

from ..io.spelling import nearest
from .bodies import SceneError
from .lines import within
from .orientation import is_number, numbers

_SHAPES: dict[str, tuple[int, ...]] = {
    "density": (),
    "mass": (),
    "centre_of_mass": (3,),
    "velocity": (3,),
    "angular_velocity": (3,),
}
PHYSICS = (*_SHAPES, "inertia", "fixed", "material")

_NUMBERS = ("duration", "output_interval", "step", "rtol", "atol", "max_step", "skin")
_WORDS = ("mode", "method", "force_point")
_LAWS = ("normal", "friction", "rolling")
_SIMULATION = (*_NUMBERS, *_WORDS, *_LAWS, "gravity", "checkpoint_every")


def physics_of(table: dict[str, Any], where: str) -> dict[str, Any]:
    """Keys of a body for a simulation; the values are checked there."""
    physics: dict[str, Any] = {}
    for key in PHYSICS:
        if key not in table:
            continue
        value = table[key]
        if key in _SHAPES:
            array = numbers(value, key, _SHAPES[key], where)
            physics[key] = float(array) if array.shape == () else array
        elif key == "inertia":
            physics[key] = numbers(value, key, None, where)
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
        elif key == "checkpoint_every":
            if not isinstance(value, int) or isinstance(value, bool):
                raise SceneError(f"{where}: checkpoint_every must be a whole number, got {value!r}")
            options[key] = value
        else:
            with within(key):
                options[key] = _law(value, key)
    return options


def _law(table: Any, key: str) -> dict[str, Any]:
    """The table of a law: its name and numbers."""
    where = f"[simulation.{key}]"
    if not isinstance(table, dict):
        raise SceneError(f"{where} must be a table, got {table!r}")
    for name, value in table.items():
        plain = isinstance(value, str) or is_number(value)
        if not plain and not (isinstance(value, list) and all(is_number(entry) for entry in value)):
            raise SceneError(f"{where}: {name} must be a number or text, got {value!r}")
    return dict(table)
