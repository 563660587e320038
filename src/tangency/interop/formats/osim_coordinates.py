"""The values that the coordinates of an OpenSim model have by default."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element

from .imported import numbers_in
from .osim_frames import joint_elements
from .osim_functions import TAGS, NotEvaluated, function_in, function_value

COUPLER = "CoordinateCouplerConstraint"
#: Coordinates that are coupled and locked must agree up to this; OpenSim asks for as much
MET = 1e-9
DEFAULT_RANGE = (-10.0, 10.0)

#: What is read of coordinates and constraints
READ: dict[str, tuple[str, ...]] = {
    "Coordinate": ("default_value", "prescribed", "prescribed_function", "locked", "clamped", "range"),
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

    def value(self, name: str) -> float:
        """The value of a coordinate, if it is known."""
        if name not in self.values:
            raise NotEvaluated(self.unknown.get(name, f"the coordinate {name!r} is not in the file"))
        return self.values[name]


def default_coordinates(model: Element, where: str) -> Coordinates:
    """The default values; a coordinate that a coupler makes dependent has the value that the coupler gives it.

    So does OpenSim, whose assembly keeps the values of independent coordinates only.
    """
    found = Coordinates({}, {})
    elements = [coordinate for joint in joint_elements(model) for coordinate in joint.element.iter("Coordinate")]
    for coordinate in elements:
        name = coordinate.get("name", "")
        if name in found.values or name in found.unknown:
            found.values.pop(name, None)
            found.unknown[name] = f"two coordinates are called {name!r}"
        elif _is_true(coordinate, "prescribed") and len(coordinate.findall("prescribed_function/*")):
            found.unknown[name] = f"the coordinate {name!r} is prescribed"
        else:
            place = f"{where}, Coordinate {name!r}: <default_value>"
            found.values[name] = float(numbers_in(coordinate.find("default_value"), 1, place, [0.0])[0])
    couplers = [element for element in constraints(model) if element.tag == COUPLER]
    _couple(found, couplers, where)
    conflict = _conflict(found, {_dependent(coupler) for coupler in couplers}, elements, where)
    if conflict:  # OpenSim changes all coupled coordinates, until the constraints are met as well as they can be
        for name in {name for coupler in couplers for name in (_dependent(coupler), *_independent(coupler))}:
            found.values.pop(name, None)
            found.unknown.setdefault(name, conflict)
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
    waiting: dict[str, Element] = {}
    for coupler in couplers:
        name = _dependent(coupler)
        if name in found.values:
            del found.values[name]
            waiting[name] = coupler
        elif name in waiting:
            del waiting[name]
            found.unknown[name] = f"two constraints give the coordinate {name!r}"
    while waiting:
        ready = [name for name, coupler in waiting.items() if waiting.keys().isdisjoint(_independent(coupler))]
        for name in ready:
            try:
                found.values[name] = _coupled(waiting.pop(name), found, where)
            except NotEvaluated as error:
                found.unknown[name] = str(error)
        if not ready:
            found.unknown.update({name: f"the coordinate {name!r} depends on others in a circle" for name in waiting})
            return


def _coupled(coupler: Element, known: Coordinates, where: str) -> float:
    where = f"{where}, {COUPLER} {coupler.get('name', '')!r}"
    arguments = [known.value(name) for name in _independent(coupler)]
    function = function_in(coupler, "coupled_coordinates_function")
    if function is None:
        raise NotEvaluated(f"the {COUPLER} {coupler.get('name', '')!r} has no function")
    scale = float(numbers_in(coupler.find("scale_factor"), 1, f"{where}: <scale_factor>", [1.0])[0])
    return scale * function_value(function, arguments, where)


def _conflict(found: Coordinates, dependent: set[str], elements: list[Element], where: str) -> str:
    """Why a coordinate cannot have the value that a coupler gives it, if it cannot."""
    for element in elements:
        name = element.get("name", "")
        if name not in dependent or name not in found.values:
            continue
        place, value = f"{where}, Coordinate {name!r}", found.values[name]
        fixed = numbers_in(element.find("default_value"), 1, f"{place}: <default_value>", [0.0])[0]
        if _is_true(element, "locked") and not abs(fixed - value) <= MET:
            return f"the coordinate {name!r} is locked at {fixed:g}, and coupled to be {value:g}"
        low, high = numbers_in(element.find("range"), 2, f"{place}: <range>", DEFAULT_RANGE)
        if _is_true(element, "clamped") and not low - MET <= value <= high + MET:
            return f"the coordinate {name!r} is between {low:g} and {high:g}, and coupled to be {value:g}"
    return ""


def _dependent(coupler: Element) -> str:
    return coupler.findtext("dependent_coordinate_name", "").strip().rpartition("/")[2]


def _independent(coupler: Element) -> list[str]:
    """Names of coordinates; of paths to them the last part."""
    return [name.rpartition("/")[2] for name in coupler.findtext("independent_coordinate_names", "").split()]


def _is_true(element: Element, key: str, default: str = "false") -> bool:
    return (element.findtext(key) or default).strip().lower() in ("true", "1")
