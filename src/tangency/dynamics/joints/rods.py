"""Lines between the joints of a mechanism, for pictures of links that have no shapes there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Rod(NamedTuple):
    """A line on a link, from its joint to another point."""

    body: str  #: ``mechanism/link``
    end: np.ndarray  #: (3,) in the frame of the link, whose origin is its joint [m]


def rods_of(mechanism: Mechanism) -> tuple[Rod, ...]:
    """From the joint of every link to the joints on it and to its points of loops; without these and without shapes, to
    its centre of mass."""
    model, found = mechanism.model, []
    bare = {body.name for body in mechanism.bodies if not body.pieces}
    points = [] if mechanism.loop_frames is None else mechanism.loop_frames.points()
    for joint in range(1, model.njoints):
        name = mechanism.link_name(joint)
        ends = [model.jointPlacements[k].translation for k in range(1, model.njoints) if model.parents[k] == joint]
        ends += [point for owner, point in points if owner == joint]
        if not any(np.any(end) for end in ends) and name in bare:
            ends = [model.inertias[joint].lever]
        found += [Rod(name, np.array(end)) for end in ends if np.any(end)]
    return tuple(found)
