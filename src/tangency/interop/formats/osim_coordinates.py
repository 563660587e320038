"""The values that the coordinates of an OpenSim model have by default."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element

from .imported import numbers_in
from .osim_functions import TAGS, NotEvaluated, function_in, function_value

COUPLER = "CoordinateCouplerConstraint"

#: What is read of coordinates and constraints
READ: dict[str, tuple[str, ...]] = {
    "Coordinate": ("default_value", "prescribed", "prescribed_function"),
    "ConstraintSet": ("objects",),
    COUPLER: (
        "isDisabled",
        "isEnforced",
        "coupled_coordinates_function",
        "independent_coordinate_names",
        "dependent_coordinate_name",
        "scale_factor",
    ),
    "coupled_coordinates_function": TAGS,
}


class Coordinates(NamedTuple):
    """Values of coordinates by their names, and why others are not known."""

    values: dict[str, float]
    unknown: dict[str, str]

    def __getitem__(self, name: str) -> float:
        if name not in self.values:
            raise NotEvaluated(self.unknown.get(name, f"the coordinate {name!r} is not in the file"))
        return self.values[name]


def default_coordinates(model: Element, where: str) -> Coordinates:
    """The default values; a coordinate that a coupler makes dependent has the value that the coupler gives it.

    So does OpenSim, whose assembly keeps the values of independent coordinates only.
    """
    found = Coordinates({}, {})
    for coordinate in model.iter("Coordinate"):
        name = coordinate.get("name", "")
        if name in found.values or name in found.unknown:
            found.values.pop(name, None)
            found.unknown[name] = f"two coordinates are called {name!r}"
        elif _is_true(coordinate, "prescribed") and len(coordinate.findall("prescribed_function/*")):
            found.unknown[name] = f"the coordinate {name!r} is prescribed"
        else:
            place = f"{where}, Coordinate {name!r}: <default_value>"
            found.values[name] = float(numbers_in(coordinate.find("default_value"), 1, place, [0.0])[0])
    couplers = [c for c in constraints(model) if c.tag == COUPLER]
    _couple(found, couplers, where)
    return found


def constraints(model: Element) -> list[Element]:
    """All constraints of a model that are enforced."""
    return [
        element
        for element in model.iterfind("ConstraintSet/objects/*")
        if not _is_true(element, "isDisabled") and _is_true(element, "isEnforced", default="true")
    ]


def _couple(found: Coordinates, couplers: list[Element], where: str) -> None:
    """Replace the values of dependent coordinates, those first that depend on independent ones."""
    waiting = {_names(coupler, "dependent_coordinate_name")[0]: coupler for coupler in couplers}
    for dependent in waiting:
        found.values.pop(dependent, None)
        found.unknown[dependent] = f"the coordinate {dependent!r} depends on others in a circle"
    while waiting:
        ready = [
            name
            for name, coupler in waiting.items()
            if not any(other in waiting for other in _names(coupler, "independent_coordinate_names"))
        ]
        for name in ready:
            try:
                found.values[name] = _coupled(waiting.pop(name), found, where)
            except NotEvaluated as error:
                found.unknown[name] = str(error)
        if not ready:
            return


def _coupled(coupler: Element, known: Coordinates, where: str) -> float:
    where = f"{where}, {COUPLER} {coupler.get('name', '')!r}"
    arguments = [known[name] for name in _names(coupler, "independent_coordinate_names")]
    function = function_in(coupler, "coupled_coordinates_function")
    if function is None:
        raise NotEvaluated(f"the {COUPLER} {coupler.get('name', '')!r} has no function")
    scale = float(numbers_in(coupler.find("scale_factor"), 1, f"{where}: <scale_factor>", [1.0])[0])
    return scale * function_value(function, arguments, where)


def _names(element: Element, key: str) -> list[str]:
    """Names of coordinates; of paths to them the last part."""
    names = [name.rpartition("/")[2] for name in element.findtext(key, "").split()]
    return names or [""]


def _is_true(element: Element, key: str, default: str = "false") -> bool:
    return (element.findtext(key) or default).strip().lower() in ("true", "1")
