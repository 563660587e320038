"""Curvatures that simulations use, read from their compiled code as it runs: alone, its parts compile for seconds."""

from __future__ import annotations

import numpy as np
import pytest

from tangency.dynamics import World, simulate
from tangency.dynamics.accurate import step_control
from tangency.dynamics.contact.columns import curvatures

DEPTH = 1e-9


def touching(place: np.ndarray, contact) -> np.ndarray:
    """Where body B overlaps body A by `DEPTH`, with the common normal that it has at `place`."""
    return np.asarray(place) - (float(contact.distance) + DEPTH) * contact.normal


def gap_curvatures(world: World) -> np.ndarray:
    """Principal curvatures of the gap at the only contact of a world, as a simulation computes them."""
    found, compiled = [], step_control.contact_scales

    def noted(vector, bodies, world, contacts, which, *rest):
        compiled(vector, bodies, world, contacts, which, *rest)
        found.extend(curvatures(contacts[3][k]) for k in which)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_control, "contact_scales", noted)
        simulate(world, 1e-9)
    return np.array(found[0])
