"""The bodies of an OpenSim model in the world, at the default coordinates."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from ...scene import SceneError
from .osim_coordinates import COUPLER, Coordinates, constraints, default_coordinates
from .osim_frames import GROUND, Fixed, Frames, joint_elements, offset, socket
from .osim_functions import NotEvaluated
from .osim_joints import across
from .place import HOME, Place

#: Joints that close a loop must agree with the others up to this, in metres and in rotation matrices
CLOSED = 1e-9


class Joint(NamedTuple):
    """A joint between two bodies."""

    name: str
    parent: str  #: path of the body or ground
    child: str
    step: Place | str  #: pose of the child in the parent, or why it is not known


class Located(NamedTuple):
    """A frame in the world."""

    place: Place  #: in the frame of the body if that has no pose
    body: str
    reason: str = ""  #: why the body has no pose


class Placement(NamedTuple):
    """Poses in the world of the frames of a model."""

    frames: Frames
    places: dict[str, Place]  #: of the bodies, by their paths
    reasons: dict[str, str]  #: why bodies have no pose
    remarks: tuple[str, ...]

    def located(self, path: str, owner: str) -> Located:
        """Where a frame is that a component refers to."""
        try:
            body, place = self.frames.fixed(self.frames.find(path, owner))
        except NotEvaluated as error:
            return Located(HOME, path.rpartition("/")[2], str(error))
        if body in self.places:
            return Located(self.places[body].then(place), body)
        reason = self.reasons.get(body, "no joint leads there from the ground")
        return Located(place, body.rpartition("/")[2], reason)


def placement(model: Element, where: str) -> Placement:
    """Place all bodies that joints connect with the ground, where the default coordinates put them."""
    frames = Frames(model, where)
    coordinates = default_coordinates(model, where)
    remarks = [
        f"{element.tag} {element.get('name', '')!r} is not evaluated: bodies stand as if it were absent"
        for element in constraints(model)
        if element.tag != COUPLER
    ]
    joints = []
    for element, body in joint_elements(model):
        label = f"{element.tag} {element.get('name', '')!r}"
        try:
            joints.append(_joint(element, body, frames, coordinates, f"{where}, {label}"))
        except NotEvaluated as error:
            remarks.append(f"{label} is not read: {error}")
    places = _places(joints, remarks)
    for path, place in places.items():
        if not np.isfinite(place.position).all():
            raise SceneError(f"{where}: the position of {path!r} is not finite")
    if coordinates.values or coordinates.unknown:
        remarks.append("joints are not taken over: bodies stand at the default coordinates")
    return Placement(frames, places, _reasons(joints, places), tuple(remarks))


def _joint(element: Element, body: str | None, frames: Frames, coordinates: Coordinates, where: str) -> Joint:
    name = element.get("name", "")
    if body is None:
        owner = f"/jointset/{name}"
        parent, child = (
            frames.fixed(frames.find(socket(element, f"{end}_frame"), owner)) for end in ("parent", "child")
        )
    else:
        parent = Fixed(
            frames.find(element.findtext("parent_body", "")),
            offset(element, "location_in_parent", "orientation_in_parent", where),
        )
        child = Fixed(frames.find(body), offset(element, "location", "orientation", where))
    step: Place | str
    try:
        step = parent.place.then(across(element, coordinates, where)).then(child.place.inverse())
    except NotEvaluated as error:
        step = f"{element.tag} {name!r}: {error}"
    return Joint(name, parent.base, child.base, step)


def _places(joints: list[Joint], remarks: list[str]) -> dict[str, Place]:
    """Go along the joints from the ground, in both directions; a joint that closes a loop must fit."""
    places = {GROUND: HOME}
    waiting = [joint for joint in joints if isinstance(joint.step, Place)]
    going = True
    while going:
        going, left = False, []
        for joint in waiting:
            assert isinstance(joint.step, Place)
            if joint.parent in places and joint.child in places:
                _check_loop(joint, places[joint.child], places[joint.parent].then(joint.step), remarks)
            elif joint.parent in places:
                places[joint.child] = places[joint.parent].then(joint.step)
            elif joint.child in places:
                places[joint.parent] = places[joint.child].then(joint.step.inverse())
            else:
                left.append(joint)
                continue
            going = True
        waiting = left
    return places


def _check_loop(joint: Joint, one: Place, other: Place, remarks: list[str]) -> None:
    apart = np.abs(one.position - other.position).max()
    turned = np.abs(one.rotation.as_matrix() - other.rotation.as_matrix()).max()
    if not max(apart, turned) <= CLOSED:
        remarks.append(
            f"the joint {joint.name!r} closes a loop that is open at the default coordinates; it is left out"
        )


def _reasons(joints: list[Joint], places: dict[str, Place]) -> dict[str, str]:
    """Why bodies have no place: the first joint on the way from the ground that is not evaluated."""
    reasons: dict[str, str] = {}
    going = True
    while going:
        going = False
        for joint in joints:
            for near, far in ((joint.parent, joint.child), (joint.child, joint.parent)):
                if far in places or far in reasons or (near not in places and near not in reasons):
                    continue
                reasons[far] = reasons[near] if near in reasons else str(joint.step)
                going = True
    return reasons
