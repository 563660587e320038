"""The collision shapes of SDFormat files (Gazebo) as scenes."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from scipy.spatial.transform import Rotation

from ...scene import SceneError
from ...shapes import Box, Cylinder, Ellipsoid, HalfSpace, Sphere, capsule
from ...shapes.shape import Shape
from .imported import Imported, Part, imported, named, numbers_in, xml_root
from .not_taken import not_taken
from .place import HOME, Place

#: By the tag of an element, the tags of its children that are read, or have a remark of their own
READ = {
    "sdf": ("world", "model", "include"),
    "world": ("frame", "model", "include"),
    "model": ("pose", "frame", "link", "model", "include"),
    "frame": ("pose",),
    "link": ("pose", "collision"),
    "collision": ("pose", "geometry"),
    "geometry": ("plane", "sphere", "ellipsoid", "box", "cylinder", "capsule", "cone", "mesh", "heightmap", "polyline"),
    "plane": ("normal", "size"),
    "sphere": ("radius",),
    "ellipsoid": ("radii",),
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
}


def read_sdf(path: Path) -> Imported:
    """The collisions of all links of all models of an SDF file; everything else in it has a remark."""
    root = xml_root(path)
    if root.tag != "sdf":
        raise SceneError(f"{path}: the root of an SDF file is <sdf>, got <{root.tag}>")
    parts: list[Part] = []
    remarks: list[str] = []
    for holder in (root, *root.findall("world")):
        for include in holder.findall("include"):
            remarks.append(f"<include> of {include.findtext('uri', '')!r} is not read")
        frames = _frames(holder, HOME, str(path))
        for model in holder.findall("model"):
            _model(model, frames[model.get("name", "")], parts, remarks, str(path))
    if any(len(link.findall("collision")) > 1 for link in root.iter("link")):
        remarks.append("collisions of one link are bodies of their own here")
    return imported(path, parts, remarks + not_taken(root, READ))


def _model(model: Element, own: Place, parts: list[Part], remarks: list[str], where: str, outer: str = "") -> None:
    """Add the collisions of a model that stands at `own`."""
    name = outer + model.get("name", "model")
    where = f"{where}, model {name!r}"
    if model.get("placement_frame"):
        raise SceneError(f"{where}: placement_frame is not read; give the pose of the model itself")
    frames = _frames(model, own, where)
    for link in model.findall("link"):
        base = frames[link.get("name", "")]
        collisions = link.findall("collision")
        for number, collision in enumerate(collisions, 1):
            label = f"{name} {link.get('name', '')}" + (f" {number}" if len(collisions) > 1 else "")
            with named(f"{where}, {label!r}"):
                shape = _shape(collision.find("geometry"), f"{where}, {label!r}", remarks)
            place, relative = _pose(collision, where)
            if shape is None:
                continue
            if relative and relative not in frames:
                raise SceneError(f"{where}: relative_to must name a link or frame of the model, got {relative!r}")
            place = (frames[relative] if relative else base).then(place)
            parts.append(Part(label, shape, place.rotation, place.position))
    for include in model.findall("include"):
        remarks.append(f"<include> of {include.findtext('uri', '')!r} is not read")
    for inner in model.findall("model"):
        _model(inner, frames[inner.get("name", "")], parts, remarks, where, f"{name}::")


def _frames(holder: Element, own: Place, where: str) -> dict[str, Place]:
    """Poses of the links, frames and models in a model or world by name; each may refer to others."""
    kinds = ("link", "frame", "model")
    waiting = {element.get("name", ""): element for kind in kinds for element in holder.findall(kind)}
    if len(waiting) < sum(len(holder.findall(kind)) for kind in kinds):
        raise SceneError(f"{where}: the names of links, frames and models must differ")
    found = {"__model__": own, **({} if holder.tag == "model" else {"world": own})}
    while waiting:
        ready = []
        for name, element in waiting.items():
            place, relative = _pose(element, where)
            relative = relative or element.get("attached_to", "") or "__model__"
            if relative in found:
                found[name] = found[relative].then(place)
                ready.append(name)
            elif relative not in waiting:
                known = "a link, frame or model beside it (poses relative to joints and inside of models are not read)"
                raise SceneError(f"{where}: the pose of {name!r} must be relative to {known}, got {relative!r}")
        if not ready:
            raise SceneError(f"{where}: the poses of {', '.join(sorted(waiting))} refer to each other in a circle")
        for name in ready:
            del waiting[name]
    return found


def _pose(element: Element, where: str) -> tuple[Place, str]:
    """The pose in an element, and the frame that it refers to; by default the frame of the parent."""
    pose = element.find("pose")
    if pose is None:
        return HOME, ""
    relative = pose.get("relative_to", "")
    if pose.get("rotation_format", "euler_rpy") == "quat_xyzw":
        values = numbers_in(pose, 7, f"{where}: <pose>", [0.0] * 6 + [1.0])
        if not values[3:].any():
            raise SceneError(
                f"{where}: <pose> must have a quaternion that is not zero, got {(pose.text or '').strip()!r}"
            )
        return Place(Rotation.from_quat(values[3:]), values[:3]), relative
    values = numbers_in(pose, 6, f"{where}: <pose>", [0.0] * 6)
    degrees = pose.get("degrees", "false").strip().lower() in ("true", "1")
    # Roll, pitch, yaw about fixed axes
    return Place(Rotation.from_euler("xyz", values[3:], degrees=degrees), values[:3]), relative


def _shape(geometry: Element | None, where: str, remarks: list[str]) -> Shape | None:
    """The shape of a <geometry>; None, with a remark, for a kind that has no counterpart here."""
    inner = None if geometry is None else next(iter(geometry), None)
    if geometry is None or inner is None or len(geometry) > 1:
        raise SceneError(f"{where}: <geometry> must hold one shape, got {0 if geometry is None else len(geometry)}")

    def value(key: str, count: int, default: object = None) -> np.ndarray:
        assert inner is not None
        return numbers_in(inner.find(key), count, f"{where}: <{key}>", default)

    if inner.tag == "sphere":
        return Sphere(value("radius", 1)[0])
    if inner.tag == "ellipsoid":
        return Ellipsoid(value("radii", 3))
    if inner.tag == "box":
        return Box(0.5 * value("size", 3))
    if inner.tag == "cylinder":
        return Cylinder(value("radius", 1)[0], 0.5 * value("length", 1)[0])
    if inner.tag == "capsule":
        return capsule(value("radius", 1)[0], 0.5 * value("length", 1)[0])
    if inner.tag == "plane":
        remarks.append(f"{where}: the plane is unbounded here; its <size> is not taken over")
        return HalfSpace(value("normal", 3, [0.0, 0.0, 1.0]))
    remarks.append(f"{where}: <{inner.tag}> is not read")
    return None
