"""A mechanism from a scene file."""

from __future__ import annotations

from typing import Any

from ...scene.mechanisms import Mechanism as SceneMechanism
from .elements import JointLimit, JointSpring, PassiveTorque
from .link import Link
from .loop import Loop
from .mechanism import Mechanism

KINDS = {"spring": JointSpring, "limit": JointLimit, "passive": PassiveTorque}


def mechanism_from(given: SceneMechanism) -> Mechanism:
    """The mechanism that a table of a scene file describes."""
    shapes: dict[str, list[Any]] = {}
    for link, shape, pose in given.shapes:
        shapes.setdefault(link, []).append((shape, pose))
    elements = tuple(KINDS[kind](**table) for kind, table in given.elements if kind in KINDS)
    loops = tuple(Loop(**table) for kind, table in given.elements if kind == "loop")
    more: dict[str, Any] = {"elements": elements, "loops": loops, **given.options}
    if given.file is not None:
        return Mechanism(given.name, given.file, shapes, **more)
    links = [Link(**table, shape=shapes.pop(table["name"], ())) for table in given.links]
    return Mechanism(given.name, links, shapes, **more)
