"""A mechanism from a scene file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...forces import Material
from ...scene import SceneError
from ...scene.mechanisms import Mechanism as SceneMechanism
from ..formula_motion import FormulaJoint, FormulaTorques
from .elements import JointLimit, JointSpring, PassiveTorque
from .link import Link
from .loop import Loop, closed_position
from .mechanism import Mechanism

#: Arguments of a mechanism by the keys of a scene file that name joints
ARGUMENTS = {"start": "position", "velocity": "velocity", "prescribed": "prescribed", "torque": "torque"}
#: Keys of its tables that name links or joints
WORDS = {
    "link": ("name", "parent"),
    "spring": ("joint",),
    "limit": ("joint",),
    "passive": ("joint",),
    "loop": ("a", "b"),
    "shape": ("link",),
}
KINDS = {"spring": JointSpring, "limit": JointLimit, "passive": PassiveTorque}


def mechanism_from(given: SceneMechanism) -> Mechanism:
    """The mechanism that a table of a scene file describes."""
    shapes: dict[str, list[Any]] = {}
    for link, shape, pose in given.shapes:
        shapes.setdefault(link, []).append((shape, pose))
    tables = {kind: [table for word, table in given.elements if word == kind] for kind in (*KINDS, "loop")}
    elements = tuple(made for kind in KINDS for made in _made(given, kind, KINDS[kind], tables[kind]))
    loops = _made(given, "loop", Loop, tables["loop"])
    links: Any = given.file
    if links is None:
        links = _made(given, "link", lambda **table: Link(**table, shape=shapes.pop(table["name"], ())), given.links)
    more: dict[str, Any] = {"elements": elements, **given.options}
    close, torque = more.pop("close_loops", False), more.get("torque", {})
    if close and not loops:
        raise SceneError(f"mechanism {given.name!r}: close_loops needs a table [[mechanism.loop]]", ("close_loops",))
    if more.get("material") is not None:
        more["material"] = Material(**more["material"])
    if "prescribed" in more:
        more["prescribed"] = {joint: FormulaJoint(formula) for joint, formula in more["prescribed"].items()}
    if torque:
        more["torque"] = FormulaTorques(tuple(torque.items()))
    try:
        if close:
            held = [*(more.get("position") or ()), *more.get("prescribed", ())]
            more["position"] = closed_position(Mechanism(given.name, links, shapes, **more), loops, held)
        made = Mechanism(given.name, links, shapes, **more, loops=loops)
        for joint in torque:
            made.place_of(joint)
    except (TypeError, ValueError) as error:
        message = str(error) if str(error).startswith("mechanism ") else f"mechanism {given.name!r}: {error}"
        raise SceneError(message, _place(given, tables, str(error))) from None
    return made


def _made(given: SceneMechanism, kind: str, make: Callable[..., Any], tables: Sequence[dict[str, Any]]) -> tuple:
    """Links, elements or loops from their tables."""
    found = []
    for number, table in enumerate(tables):
        try:
            found.append(make(**table))
        except (TypeError, ValueError) as error:
            raise SceneError(f"mechanism {given.name!r}: {error}", (kind, number)) from None
    return tuple(found)


def _place(given: SceneMechanism, tables: dict[str, list[dict[str, Any]]], message: str) -> tuple[str | int, ...]:
    """Where the name in a message stands in the table of the mechanism."""
    named = {key: given.options.get(argument) for key, argument in ARGUMENTS.items()}
    for key, joints in named.items():
        for joint in joints if isinstance(joints, dict) else ():
            if f"no joint {joint!r}" in message or f"{joint!r}]" in message:
                return (key, joint)
    entries = {"link": given.links, **tables, "shape": [{"link": link} for link, _, _ in given.shapes]}
    for kind, found in entries.items():
        for number in range(len(found) - 1, -1, -1):  # of two with the same name, the second is wrong
            for key in WORDS[kind]:
                word = found[number].get(key)
                if word is not None and (f"got {word!r}" in message or f"no joint {word!r}" in message):
                    return (kind, number, key)
    return ()
