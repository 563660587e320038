"""Worlds that cannot be divided among ranks."""

from __future__ import annotations

from ...dynamics.servo import Servo
from ...dynamics.world import World
from ...shapes import MeshWall


def refuse(world: World) -> None:
    """Refuse what the ranks cannot do, with a sentence."""
    if not isinstance(world, World):
        raise TypeError(f"world must be a World, got {world!r}")
    for name in ("springs", "loads", "pours", "outlets", "mechanisms"):
        if getattr(world, name):
            what = f"{name} must be empty with LAMMPS, got {len(getattr(world, name))}"
            raise ValueError(f"{what}; use mode 'fast' of tangency.dynamics.simulate")
    free = [entry for entry in world.bodies if entry.free]
    if not free:
        raise ValueError("bodies must contain free ones with LAMMPS, got none")
    for entry in free:
        if not entry.bounded or not entry.pieces:
            raise ValueError(f"free bodies must have bounded shapes with LAMMPS, got {entry.name!r}")
    for entry in world.bodies:
        if isinstance(entry.motion, Servo):
            raise ValueError(f"motion of {entry.name!r} must not be a Servo with LAMMPS: no rank has all forces on it")
        if any(isinstance(piece.shape, MeshWall) for piece in entry.pieces):
            what = f"shape of {entry.name!r} must not be a MeshWall with LAMMPS"
            raise ValueError(f"{what}; use mode 'fast' of tangency.dynamics.simulate")
    still = [entry for entry in world.bodies if not entry.free]
    for k, a in enumerate(still):
        for b in still[: k + 1]:
            names = frozenset((a.name, b.name))
            if names in world.interactions or names in (world.pairs or ()):
                who = f"{a.name!r} and {b.name!r}, which both are not"
                raise ValueError(f"interactions must be between bodies of which one is free with LAMMPS, got {who}")
