"""Compile the force laws into the cache, before they are needed."""

from __future__ import annotations

from .ellipse import contact_ellipse
from .friction import Rolling, Tanh
from .normal import Hertz


def warm() -> None:
    """Compile everything: one loop serves all laws of a kind."""
    along, up = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    law, friction = Hertz(stiffness=1.0), Tanh(coefficient=0.5, speed=1.0)
    law.force(1.0)
    law.elastic_energy(1.0)
    friction.force(1.0, along)
    friction.stretch_after(1.0, up, along, along, 1.0)
    Rolling().torque(1.0, up, along)
    contact_ellipse(1.0, [1.0, 1.0], 1.0)
