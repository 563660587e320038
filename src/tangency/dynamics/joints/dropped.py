"""What Pinocchio drops without a word when it reads a file: refused, unless it has no effect."""

from __future__ import annotations

import warnings
from pathlib import Path
from xml.etree import ElementTree

#: Elements of MJCF files whose contents have an effect on the motion.
MJCF = {"equality": "equality constraints", "tendon": "tendons", "deformable": "flexes", "include": "included files"}


def refuse_dropped(path: Path, kind: str, collisions: bool) -> None:
    """Refuse what a URDF or MJCF file contains but a model of Pinocchio does not."""
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{path}: not an XML file: {error}") from None
    if kind == "Urdf":
        for joint in root.iter("joint"):
            if joint.find("mimic") is not None:
                raise ValueError(f"{path}: joint {joint.get('name')!r}: mimic is not read: remove it, or give torques")
        return
    for tag, what in MJCF.items():
        if any(len(found) or tag == "include" for found in root.iter(tag)):
            raise ValueError(f"{path}: {what} are not read: remove them, or use tangency.interop.mjcf or .mujoco")
    if collisions and any(len(found) for found in root.iter("contact")):
        raise ValueError(f"{path}: pairs and exclusions of contacts are not read: use tangency.interop.mjcf.load_world")
    physics = (("joint", "stiffness"), ("body", "gravcomp"), ("option", "density"), ("option", "viscosity"))
    for tag, key in physics:
        for found in root.iter(tag):
            if any(float(number) != 0.0 for number in found.get(key, "0").split()):
                raise ValueError(
                    f"{path}: {key}={found.get(key)!r} of <{tag}> is not read: remove it, and give it as elements or "
                    "torques of the mechanism"
                )
    if any(len(found) for found in root.iter("actuator")):
        warnings.warn(f"{path}: actuators are not read: give the torques of joints as torque=", stacklevel=8)
