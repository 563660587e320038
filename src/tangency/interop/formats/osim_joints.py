"""The pose of the child's frame in the parent's across a joint of an OpenSim model."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

import numpy as np
from scipy.spatial.transform import Rotation

from .imported import numbers_in
from .osim_coordinates import Coordinates
from .osim_functions import TAGS, NotEvaluated, function_in, function_value
from .place import HOME, Place

#: Rotations first, in this order, each about an axis that the former ones turned; then translations in the parent
AXES = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")


def across(joint: Element, coordinates: Coordinates, where: str) -> Place:
    """The pose of the child's joint frame in that of the parent.

    Raises
    ------
    NotEvaluated
        For a joint that is not in `JOINTS`, or coordinates and functions that are not known.
    """
    if joint.tag == "CustomJoint":
        place = _custom(joint, coordinates, where)
    elif joint.tag in SIMPLE:
        count, motion = SIMPLE[joint.tag]
        place = motion(_values(joint, count, coordinates))
    elif joint.tag == "EllipsoidJoint":
        place = _ellipsoid(joint, coordinates, where)
    else:
        raise NotEvaluated(f"a {joint.tag} is not evaluated")
    if joint.findtext("reverse", "").strip().lower() in ("true", "1"):
        return place.inverse()
    return place


def _values(joint: Element, count: int, coordinates: Coordinates) -> np.ndarray:
    """The coordinates of a joint; OpenSim makes them, with the value 0, if the file has none."""
    names = [coordinate.get("name", "") for coordinate in joint.iter("Coordinate")]
    if len(names) not in (0, count):
        raise NotEvaluated(f"its {count} coordinates are expected, got {len(names)}")
    return np.array([coordinates.value(name) for name in names] or [0.0] * count)


def _turned(axes: str, angles: np.ndarray) -> Rotation:
    return Rotation.from_euler(axes, angles)


#: Number of coordinates and motion, by the tag of the joint; capital letters are axes of the moving frame
SIMPLE: dict[str, tuple[int, Callable[[np.ndarray], Place]]] = {
    "WeldJoint": (0, lambda q: HOME),
    "PinJoint": (1, lambda q: Place(_turned("Z", q[0]), np.zeros(3))),
    "SliderJoint": (1, lambda q: Place(Rotation.identity(), np.array([q[0], 0.0, 0.0]))),
    "UniversalJoint": (2, lambda q: Place(_turned("XY", q), np.zeros(3))),
    "GimbalJoint": (3, lambda q: Place(_turned("XYZ", q), np.zeros(3))),
    "BallJoint": (3, lambda q: Place(_turned("XYZ", q), np.zeros(3))),
    "PlanarJoint": (3, lambda q: Place(_turned("Z", q[0]), np.array([q[1], q[2], 0.0]))),
    "FreeJoint": (6, lambda q: Place(_turned("XYZ", q[:3]), q[3:])),
}
JOINTS = (*SIMPLE, "EllipsoidJoint", "CustomJoint")


def _ellipsoid(joint: Element, coordinates: Coordinates, where: str) -> Place:
    """The child's origin is on the ellipsoid, its z-axis points outward."""
    turn = _turned("XYZ", _values(joint, 3, coordinates))
    radii = numbers_in(joint.find("radii_x_y_z"), 3, f"{where}: <radii_x_y_z>")
    return Place(turn, radii * turn.apply([0.0, 0.0, 1.0]))


def _custom(joint: Element, coordinates: Coordinates, where: str) -> Place:
    listed = joint.findall("SpatialTransform/TransformAxis")
    axes = {axis.get("name", ""): axis for axis in listed}
    if len(axes) < len(listed) or not axes.keys() <= {*AXES}:
        raise NotEvaluated(f"the axes of its SpatialTransform are not {', '.join(AXES)}")
    turn, shift = Rotation.identity(), np.zeros(3)
    for name in AXES:
        if name not in axes:  # nothing moves along it
            continue
        direction = numbers_in(axes[name].find("axis"), 3, f"{where}, {name}: <axis>", [1.0, 0.0, 0.0])
        if not direction.any():
            raise NotEvaluated(f"its axis {name} has no direction")
        direction /= np.abs(direction).max()
        direction /= np.linalg.norm(direction)
        motion = _along(axes[name], coordinates, f"{where}, {name}")
        if name.startswith("rotation"):
            turn = turn * Rotation.from_quat([*np.sin(0.5 * motion) * direction, np.cos(0.5 * motion)])
        else:
            shift = shift + motion * direction
    return Place(turn, shift)


def _along(axis: Element, coordinates: Coordinates, where: str) -> float:
    """The displacement along or the angle about an axis."""
    names = axis.findtext("coordinates", "").split()
    function = function_in(axis, "function")
    if function is None:
        if names:
            raise NotEvaluated(f"its axis {axis.get('name')} has coordinates and no function")
        return 0.0
    return function_value(function, [coordinates.value(name) for name in names], where)


_FRAMES = tuple(f"socket_{end}_frame{more}" for end in ("parent", "child") for more in ("", "_connectee_name"))
_ENDS = ("parent_body", "location_in_parent", "orientation_in_parent", "location", "orientation", "reverse")

#: What is read of joints
READ: dict[str, tuple[str, ...]] = {
    "Joint": JOINTS,
    **dict.fromkeys(JOINTS, (*_FRAMES, *_ENDS, "frames", "components", "CoordinateSet", "coordinates")),
    "CoordinateSet": ("objects",),
    "coordinates": ("Coordinate",),
    "SpatialTransform": ("TransformAxis",),
    "TransformAxis": ("coordinates", "axis", "function", *TAGS),
}
READ["CustomJoint"] += ("SpatialTransform",)
READ["EllipsoidJoint"] += ("radii_x_y_z",)
