"""Compile both modes ahead of use."""

from __future__ import annotations

from ..forces.normal_laws import Hertz
from ..planar.shapes import Circle, Ellipse
from ..shapes import Ellipsoid, HalfSpace, MeshWall, Superellipsoid
from ..shapes.lens import Lens
from .body import Body
from .fast.runner import MIN_SHAPES_FOR_LANES
from .group import Group
from .interaction import Interaction
from .simulate import simulate
from .world import World


def warm() -> None:
    """Simulate a short time in each mode, in flight and in contact, also by an implicit method."""
    for height in (2.0, 0.9):
        # So many that contacts are solved in lanes.
        row = [[9.0 * k, 0.0, height] for k in range(MIN_SHAPES_FOR_LANES)]
        eggs = Group("eggs", Ellipsoid([3.0, 2.0, 1.0]), (None, row))
        bricks = Group("bricks", Superellipsoid([3.0, 2.0, 1.0], epsilon=(0.8, 0.9)), (None, [[0.0, 9.0, height]]))
        world = World(
            (Body("ground", HalfSpace([0, 0, 1])), eggs, bricks), interaction=Interaction(Hertz(stiffness=1.0))
        )
        for mode in ("accurate", "fast"):
            simulate(world, 1e-3, mode, output_interval=1e-3)
        simulate(world, 1e-3, method="Radau", output_interval=1e-3)
    assert MeshWall([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]).patches
    for shape in (Circle(1.0), Ellipse([3.0, 2.0])):
        Lens(shape).aabb()
