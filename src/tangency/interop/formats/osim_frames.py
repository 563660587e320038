"""The frames of an OpenSim model by their paths, and where they are fixed."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element

from scipy.spatial.transform import Rotation

from .imported import numbers_in
from .osim_functions import NotEvaluated
from .place import HOME, Place

GROUND = "/ground"
OFFSET = "PhysicalOffsetFrame"
#: Paths of the sets of components, by their tags
SETS = {"BodySet": "/bodyset", "JointSet": "/jointset", "ComponentSet": "/componentset"}

#: What is read of frames
READ: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SETS, ("objects",)),
    "Ground": ("components",),
    "Body": ("Joint", "components"),
    "components": (OFFSET,),
    "frames": (OFFSET,),
    OFFSET: ("components", "socket_parent", "socket_parent_connectee_name", "translation", "orientation"),
}


class JointElement(NamedTuple):
    """A joint in a file."""

    element: Element
    body: str | None  #: in files of version 3 the body that it is inside of


def joint_elements(model: Element) -> list[JointElement]:
    """All joints of a model."""
    found = [JointElement(joint, None) for joint in model.iterfind("JointSet/objects/*")]
    for body in model.iterfind("BodySet/objects/Body"):
        found += [JointElement(joint, body.get("name", "")) for joint in body.iterfind("Joint/*")]
    return found


class Fixed(NamedTuple):
    """A frame that is fixed to a body or to the ground."""

    base: str  #: path of the body or ground
    place: Place  #: in the frame of the body


class Frames:
    """The bodies and offset frames of a model.

    Parameters
    ----------
    model : Element
    where : str
        Begins the errors about values.
    """

    def __init__(self, model: Element, where: str) -> None:
        self.where = where
        self.elements: dict[str, Element | None] = {GROUND: None}
        waiting = [(ground, GROUND) for ground in model.iterfind("Ground")]
        for tag, owner in (("components", ""), *((f"{tag}/objects", path) for tag, path in SETS.items())):
            waiting += [(element, f"{owner}/{element.get('name', '')}") for element in model.iterfind(f"{tag}/*")]
        while waiting:
            element, path = waiting.pop()
            # Files of version 3 have the ground among the bodies
            if element.tag == OFFSET or (element.tag == "Body" and element.get("name") != "ground"):
                self.elements[path] = element
            for inner in (*element.iterfind("components/*"), *element.iterfind("frames/*")):
                waiting.append((inner, f"{path}/{inner.get('name', '')}"))

    def find(self, path: str, owner: str = "") -> str:
        """The path from the root of a frame that a component at `owner` refers to, by a path or by its name only."""
        parts = [] if path.startswith("/") else owner.strip("/").split("/")
        for part in path.strip().strip("/").split("/"):
            if part == "..":
                parts = parts[:-1]
            elif part not in ("", "."):
                parts.append(part)
        full = "/" + "/".join(part for part in parts if part)
        if full in self.elements:
            return full
        same = [known for known in self.elements if known.rpartition("/")[2] == path.strip()]
        if len(same) != 1:
            raise NotEvaluated(f"{'no' if not same else 'more than one'} frame {path.strip()!r} is in the file")
        return same[0]

    def fixed(self, path: str) -> Fixed:
        """The body that a frame is fixed to, and the pose in that body."""
        place = HOME
        passed: list[str] = []
        while (element := self.elements[path]) is not None and element.tag == OFFSET:
            if path in passed:
                raise NotEvaluated(f"the offset frames {', '.join(passed)} refer to each other in a circle")
            passed.append(path)
            place = offset(element, "translation", "orientation", f"{self.where}, {OFFSET} {path!r}").then(place)
            path = self.find(socket(element, "parent"), path)
        return Fixed(path, place)


def socket(element: Element, name: str) -> str:
    """The path that a socket of a component has."""
    path = element.findtext(f"socket_{name}") or element.findtext(f"socket_{name}_connectee_name") or ""
    if not path.strip():
        raise NotEvaluated(f"{element.tag} {element.get('name', '')!r} has no <socket_{name}>")
    return path.strip()


def offset(element: Element, position: str, orientation: str, where: str) -> Place:
    """A pose from two elements; angles are those of rotations about X, Y and Z of the moving frame."""
    angles = numbers_in(element.find(orientation), 3, f"{where}: <{orientation}>", [0.0] * 3)
    shift = numbers_in(element.find(position), 3, f"{where}: <{position}>", [0.0] * 3)
    return Place(Rotation.from_euler("XYZ", angles), shift)
