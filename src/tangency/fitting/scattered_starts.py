"""Starts for a shape of a user, and for simple bodies: parameters and orientation are drawn at random.

Of a user's parameters nothing is known, and a box or a cylinder can be in a wrong minimum, about as long as the right
one but turned about an axis.

How many are tried follows from what they find (``enough_starts.py``).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

from ..shapes.shape import ShapeError
from .open_model import OpenModel
from .problem import State

MOST_STARTS = 32


def scattered_starts(model: OpenModel, boxes: list[State]) -> Iterator[State]:
    """Random bodies of a family in random orientations, as large as the cloud; each around one of the boxes."""
    assert model.family.scattered is not None
    rng = np.random.default_rng(2)
    for k in range(MOST_STARTS):
        box = boxes[k % len(boxes)]
        turn = Rotation.random(rng=rng).as_matrix()
        if k // len(boxes) % 2 and model.family.feet is not None:
            turn = box.rotation @ Rotation.from_rotvec(rng.uniform(0, np.pi) * np.eye(3)[rng.integers(3)]).as_matrix()
        values = model.family.scattered(rng, np.exp(box.s) / model.unit)
        if values is None:
            continue
        s = model.parameters(values)
        shape = model.body(s)
        if shape is None:
            continue
        try:
            centre = np.asarray(shape._box()[1])
        except ShapeError:
            continue
        yield State(s, box.position - model.unit * turn @ centre, turn)
