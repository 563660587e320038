"""Where a joint of one degree of freedom is in the arrays of Pinocchio."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np


class Place(NamedTuple):
    """Columns of a joint of one degree of freedom."""

    q: int  #: in the positions
    v: int  #: in the velocities
    wraps: bool  #: a continuous joint, of which cosine and sine are stored

    def read(self, position: np.ndarray) -> float:
        """Position of the joint [rad or m]; between -pi and pi if it wraps."""
        if self.wraps:
            return math.atan2(position[self.q + 1], position[self.q])
        return float(position[self.q])

    def write(self, position: np.ndarray, value: float) -> None:
        """Set the position of the joint."""
        if self.wraps:
            position[self.q : self.q + 2] = math.cos(value), math.sin(value)
        else:
            position[self.q] = value

    def difference(self, a: float, b: float) -> float:
        """How far position `a` is from `b`, the short way round if it wraps."""
        return math.remainder(a - b, 2.0 * math.pi) if self.wraps else a - b


def place_in(model: Any, joint: str) -> Place:
    """The place of a joint of a model."""
    own = model.joints[model.getJointId(joint)]
    if own.nv != 1:
        raise ValueError(f"joint {joint!r} must have one degree of freedom, got {own.shortname()}, which has {own.nv}")
    return Place(int(own.idx_q), int(own.idx_v), own.nq == 2)


def refuse_jumps(place: Place, element: Any) -> None:
    """Refuse a force of a continuous joint that jumps where its angle does."""
    if not place.wraps:
        return
    forces = [element.torque(end, 0.0) for end in (-math.pi, math.pi)]
    energies = [element.energy(end) for end in (-math.pi, math.pi)]
    for low, high in (forces, energies):
        if not math.isclose(low, high, rel_tol=1e-9, abs_tol=1e-12 * max(1.0, abs(low))):
            raise ValueError(
                f"joint {element.joint!r} must not be continuous for {element!r}: its angle jumps from pi to -pi, and "
                "the torque or energy with it; use a revolute joint, which turns as far, too"
            )
