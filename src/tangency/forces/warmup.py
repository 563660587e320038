"""Compile the force laws into the cache ahead of use."""

from __future__ import annotations

import numpy as np

from .ellipse import contact_ellipse
from .friction_laws import Bristle, Coulomb, Frictionless, Tanh
from .material import Material
from .normal_laws import Gonthier, Hertz, KelvinVoigt
from .rolling import Rolling
from .wrench import gap_motion


def warm() -> None:
    """Compile all built-in formulas, and the loops that are shared by all laws of a kind."""
    along, up = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    stuff = Material(young=1e9, poisson=0.3)
    for given in ({"stiffness": 1.0}, {"materials": stuff}, {"materials": stuff, "form": "mean"}):
        for law in (Hertz(**given), KelvinVoigt(**given), Gonthier(restitution=0.5, **given)):
            law.force(1.0, 0.0, 1.0, [1.0, 1.0])
            law.lane_address()
    for friction in (
        Frictionless(),
        Tanh(coefficient=0.5, speed=1.0),
        Coulomb(static=0.5, dynamic=0.5, peak_speed=1.0),
        Bristle(static=0.5, stiffness=1.0),
    ):
        friction.force(1.0, along)
        friction.stretch_after(1.0, up, along, along, 1.0)
        friction.lane_address()
    Rolling().torque(1.0, up, along)
    contact_ellipse(1.0, [1.0, 1.0], 1.0)
    gap_motion(np.ones(3), (np.ones(3),) * 2, (np.ones(3),) * 4)
