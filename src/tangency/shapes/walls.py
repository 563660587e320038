"""Shapes that bodies touch but that have no mass of their own: half-spaces, cavities and mesh walls."""

from __future__ import annotations

from .cavity import Cavity
from .half_space import HalfSpace
from .mesh_wall import MeshWall

WALLS = HalfSpace | Cavity | MeshWall
