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
from . import osim_coordinates, osim_frames, osim_functions, osim_joints
from .imported import Imported, Part, imported, named, numbers_in, xml_root
from .not_taken import not_taken
from .osim_frames import offset
from .osim_placement import placement
from .place import Place

#: By the tag of an element, the tags of its children that are read, or have a remark of their own
PLACE = ("socket_frame", "body_name", "location", "orientation")
READ = {
    **osim_frames.READ,
    **osim_coordinates.READ,
    **osim_joints.READ,
    **osim_functions.READ,
    "OpenSimDocument": ("Model",),
    "Model": ("Ground", "components", "ContactGeometrySet", "ConstraintSet", *osim_frames.SETS),
    "ContactGeometrySet": ("objects",),
    "ContactHalfSpace": PLACE,
    "ContactSphere": (*PLACE, "radius"),
    "ContactEllipsoid": (*PLACE, "radii"),
}


class Geometry(NamedTuple):
    """A contact geometry in the frame that it is fixed to."""

    name: str
    socket: str  #: path or name of the frame, such as "/ground" or "calcn_r"
    shape: Shape
    rotation: Rotation
    position: np.ndarray

    @property
    def frame(self) -> str:
        """The name of the frame."""
        return self.socket.rpartition("/")[2]


def contact_geometry(path: Path) -> tuple[list[Geometry], list[str]]:
    """All contact geometry of a model in the frames of its bodies, and everything in the file that is not read.

    Orientations are body-fixed rotations about X, Y and Z; OpenSim's half-space is x > 0 of its frame.  Files of
    version 3 (`body_name`) and 4 (`socket_frame`) are read.
    """
    return _geometries(_document(path), path)


def read_osim(path: Path) -> Imported:
    """A scene of the contact geometry where the default coordinates put it."""
    with np.errstate(all="ignore"):  # positions that overflow are refused
        return _placed(_document(path), path)


def _placed(root: Element, path: Path) -> Imported:
    found, remarks = _geometries(root, path)
    placed = placement(_model(root), str(path))
    parts: list[Part] = []
    lost: dict[str, dict[str, None]] = {}
    for geometry in found:
        frame = placed.located(geometry.socket, f"/contactgeometryset/{geometry.name}")
        if frame.reason:
            lost.setdefault(frame.reason, {})[frame.body] = None
        place = frame.place.then(Place(geometry.rotation, geometry.position))
        parts.append(Part(geometry.name, geometry.shape, place.rotation, place.position))
    for reason, names in lost.items():
        frames = f"the frame of {', '.join(names)} is" if len(names) == 1 else f"the frames of {', '.join(names)} are"
        remarks.append(f"{frames} at the origin of the scene: {reason}")
    return imported(path, parts, [*remarks, *placed.remarks])


def _document(path: Path) -> Element:
    root = xml_root(path)
    if root.tag != "OpenSimDocument":
        raise SceneError(f"{path}: the root of an OpenSim file is <OpenSimDocument>, got <{root.tag}>")
    return root


def _model(root: Element) -> Element:
    model = root.find("Model")
    return Element("Model") if model is None else model


def _geometries(root: Element, path: Path) -> tuple[list[Geometry], list[str]]:
    found: list[Geometry] = []
    remarks: list[str] = []
    tags = {"Body", "Coordinate", osim_frames.OFFSET, *osim_joints.JOINTS}
    tags.update(element.tag for element in osim_coordinates.constraints(_model(root)))
    for element in root.iterfind(".//ContactGeometrySet/objects/*"):
        tags.add(element.tag)
        where = f"{path}, {element.tag} {element.get('name', '')!r}"
        with named(where):
            shape = _shape(element, where)
        if shape is None:
            remarks.append(f"{element.tag} {element.get('name', '')!r} is not read")
            continue
        place = offset(element, "location", "orientation", where)
        socket = (element.findtext("socket_frame") or element.findtext("body_name") or "/ground").strip()
        found.append(Geometry(element.get("name", element.tag), socket, shape, *place))
    return found, [*remarks, *not_taken(root, {**READ, "objects": tuple(tags)})]


def _shape(element: Element, where: str) -> Shape | None:
    if element.tag == "ContactSphere":
        return Sphere(numbers_in(element.find("radius"), 1, f"{where}: <radius>")[0])
    if element.tag == "ContactEllipsoid":
        return Ellipsoid(numbers_in(element.find("radii"), 3, f"{where}: <radii>"))
    if element.tag == "ContactHalfSpace":
        return HalfSpace([-1.0, 0.0, 0.0])
    return None
