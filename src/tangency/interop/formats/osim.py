"""The contact geometry of OpenSim models as scenes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
from scipy.spatial.transform import Rotation

from ...scene import SceneError
from ...shapes import Ellipsoid, HalfSpace, Sphere
from ...shapes.shape import Shape
from .imported import Imported, Part, imported, named, numbers_in, xml_root
from .not_taken import not_taken

#: By the tag of an element, the tags of its children that are read, or have a remark of their own
PLACE = ("socket_frame", "body_name", "location", "orientation")
READ = {
    "OpenSimDocument": ("Model",),
    "Model": ("ContactGeometrySet",),
    "ContactGeometrySet": ("objects",),
    "ContactHalfSpace": PLACE,
    "ContactSphere": (*PLACE, "radius"),
    "ContactEllipsoid": (*PLACE, "radii"),
}


class Geometry(NamedTuple):
    """A contact geometry in the frame that it is fixed to."""

    name: str
    frame: str  #: such as "ground" or "calcn_r"
    shape: Shape
    rotation: Rotation
    position: np.ndarray


def contact_geometry(path: Path) -> tuple[list[Geometry], list[str]]:
    """All contact geometry of a model in the frames of its bodies, and everything in the file that is not read.

    Orientations are body-fixed rotations about X, Y and Z; OpenSim's half-space is x > 0 of its frame.  Files of
    version 3 (`body_name`) and 4 (`socket_frame`) are read.
    """
    root = xml_root(path)
    if root.tag != "OpenSimDocument":
        raise SceneError(f"{path}: the root of an OpenSim file is <OpenSimDocument>, got <{root.tag}>")
    found: list[Geometry] = []
    remarks: list[str] = []
    tags: set[str] = set()
    for objects in root.iterfind(".//ContactGeometrySet/objects"):
        for element in objects:
            tags.add(element.tag)
            where = f"{path}, {element.tag} {element.get('name', '')!r}"
            with named(where):
                shape = _shape(element, where)
            if shape is None:
                remarks.append(f"{element.tag} {element.get('name', '')!r} is not read")
                continue
            angles = numbers_in(element.find("orientation"), 3, f"{where}: <orientation>", [0.0] * 3)
            place = numbers_in(element.find("location"), 3, f"{where}: <location>", [0.0] * 3)
            turn = Rotation.from_euler("XYZ", angles)
            found.append(Geometry(element.get("name", element.tag), _frame(element), shape, turn, place))
    return found, [*remarks, *not_taken(root, {**READ, "objects": tuple(tags)})]


def read_osim(path: Path) -> Imported:
    """A scene of the contact geometry; joints are not evaluated, so that every body's frame is at the origin."""
    found, remarks = contact_geometry(path)
    frames = dict.fromkeys(geometry.frame for geometry in found if geometry.frame != "ground")
    if frames:
        remarks.append(f"joints are not evaluated: the frames of {', '.join(frames)} are at the origin of the scene")
    return imported(path, [Part(g.name, g.shape, g.rotation, g.position) for g in found], remarks)


def _shape(element: Element, where: str) -> Shape | None:
    if element.tag == "ContactSphere":
        return Sphere(numbers_in(element.find("radius"), 1, f"{where}: <radius>")[0])
    if element.tag == "ContactEllipsoid":
        return Ellipsoid(numbers_in(element.find("radii"), 3, f"{where}: <radii>"))
    if element.tag == "ContactHalfSpace":
        return HalfSpace([-1.0, 0.0, 0.0])
    return None


def _frame(element: Element) -> str:
    """The last part of the path to the frame."""
    path = element.findtext("socket_frame") or element.findtext("body_name") or "ground"
    return path.strip().rpartition("/")[2]
