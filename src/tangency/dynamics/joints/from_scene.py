"""A mechanism from a scene file."""

from __future__ import annotations

from typing import Any

from ...forces import Material
from ...scene.mechanisms import Mechanism as SceneMechanism
from ..formula_motion import FormulaJoint, FormulaTorques
from .elements import JointLimit, JointSpring, PassiveTorque
from .link import Link
from .loop import Loop, closed_position
from .mechanism import Mechanism

KINDS = {"spring": JointSpring, "limit": JointLimit, "passive": PassiveTorque}


def mechanism_from(given: SceneMechanism) -> Mechanism:
    """The mechanism that a table of a scene file describes."""
    shapes: dict[str, list[Any]] = {}
    for link, shape, pose in given.shapes:
        shapes.setdefault(link, []).append((shape, pose))
    elements = tuple(KINDS[kind](**table) for kind, table in given.elements if kind in KINDS)
    loops = tuple(Loop(**table) for kind, table in given.elements if kind == "loop")
    more: dict[str, Any] = {"elements": elements, **given.options}
    close = more.pop("close_loops", False)
    if more.get("material") is not None:
        more["material"] = Material(**more["material"])
    if "prescribed" in more:
        more["prescribed"] = {joint: FormulaJoint(formula) for joint, formula in more["prescribed"].items()}
    if "torque" in more:
        more["torque"] = FormulaTorques(tuple(more["torque"].items()))
    links = given.file or [Link(**table, shape=shapes.pop(table["name"], ())) for table in given.links]
    if close:
        held = [*(more.get("position") or ()), *more.get("prescribed", ())]
        near = Mechanism(given.name, links, shapes, **more)
        more["position"] = closed_position(near, loops, held)
    return Mechanism(given.name, links, shapes, **more, loops=loops)
