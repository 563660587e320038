"""Boxes on slopes, held by friction or not."""

from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World

STATIC = 0.5


def on_a_slope(friction, degrees, size, mass):
    """A box on a slope whose normal law damps it."""
    turn = Rotation.from_euler("y", degrees, degrees=True)
    up = turn.apply([0.0, 0.0, 1.0])
    deep = 2e-4 * size
    law = forces.HuntCrossley(stiffness=2.5 * mass / deep**1.5, restitution=0.3)
    box = Body("box", tg.Box([size] * 3), (turn, (size - deep) * up), mass=mass)
    return World([Body("slope", tg.HalfSpace(up)), box], interaction=Interaction(law, friction))
