"""Contents of the pictures of a scene: surfaces in the world, colours, the relevant part of space."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..scene import Body, PairContact, Scene
from ..shapes import HalfSpace
from .mesh import Mesh, patch, surface

PALETTE = (
    "#4c78a8",
    "#f58518",
    "#54a24b",
    "#e45756",
    "#72b7b2",
    "#b279a2",
    "#eeca3b",
    "#9d755d",
    "#ff9da6",
    "#5f7fbf",
    "#a0b84a",
    "#c08552",
    "#7d6fb0",
    "#3f9c95",
)
GROUND = "#aeb6c0"


@dataclass(frozen=True)
class Stage:
    """A scene prepared for drawing.

    Attributes
    ----------
    bodies, planes : lists of Body
        Bounded bodies, and half-spaces.
    meshes, patches : lists of Mesh
        Surfaces in the world, one for each of the above.
    colors, plane_colors : lists of str
        ``#rrggbb`` of each of the above.
    centre, radius : (3,) array and float
        Ball that contains all bodies [m].
    pairs : list of PairContact
        Contacts to draw.
    limits : list of (K, 4) arrays
        Rows (n, d) for each plane, or empty: only the part of the plane with n.x >= d is drawn.
    """

    title: str
    bodies: list[Body]
    planes: list[Body]
    meshes: list[Mesh]
    patches: list[Mesh]
    colors: list[str]
    plane_colors: list[str]
    centre: np.ndarray
    radius: float
    pairs: list[PairContact]
    limits: list[np.ndarray] = field(default_factory=list)

    @property
    def grid(self) -> float:
        """Width of the squares on the planes: 1, 2 or 5 times a power of ten, a few across the scene [m]."""
        return grid_width(self.radius)

    @property
    def nearest(self) -> list[int]:
        """Indices of the pairs nearest to some body, and of all overlapping pairs; all indices if there are few."""
        if len(self.pairs) <= 6:
            return list(range(len(self.pairs)))
        best: dict[str, int] = {}
        for k in sorted(range(len(self.pairs)), key=lambda k: float(self.pairs[k].contact.distance)):
            for body in (self.pairs[k].a, self.pairs[k].b):
                best.setdefault(body.name, k)
        overlapping = {k for k, pair in enumerate(self.pairs) if pair.contact.distance <= 0}
        return sorted(overlapping | set(best.values()))

    def arrow(self, pair: PairContact) -> float:
        """Length of the arrow for a normal [m]; its tip keeps a distance from the other contact point."""
        length, gap = 0.28 * self.radius, abs(float(pair.contact.distance))
        return 0.6 * gap if 0.7 * length < gap < 1.5 * length else length

    @property
    def framed(self) -> np.ndarray:
        """Points that must be in the picture, (K, 3): all bodies and the contacts drawn in full."""
        ends = [np.array([self.pairs[k].contact.point_a, self.pairs[k].contact.point_b]) for k in self.nearest]
        return np.concatenate([*(mesh.vertices for mesh in self.meshes), *ends])


def grid_width(radius: float) -> float:
    """1, 2 or 5 times a power of ten, at most half the radius."""
    power = 10.0 ** np.floor(np.log10(radius))
    return float(max(step * power for step in (0.2, 0.5, 1.0, 2.0) if step * power <= 0.5 * radius))


def counted(pairs: list[PairContact]) -> str:
    """Their number in words."""
    return "1 pair" if len(pairs) == 1 else f"{len(pairs)} pairs"


def prepare(scene: Scene, pairs: list[PairContact], frequency: int) -> Stage:
    """Surfaces, colours and extent of a scene."""
    bodies = [body for body in scene.placed if not isinstance(body.shape, HalfSpace)]
    planes = [body for body in scene.placed if isinstance(body.shape, HalfSpace)]
    owner = {part.name: whole.name for whole in scene.compounds for part in whole.parts}
    owners = [owner.get(body.name, body.name) for body in bodies]  # parts of one body have one colour
    paint = {name: PALETTE[k % len(PALETTE)] for k, name in enumerate(dict.fromkeys(owners))}
    meshes = [surface(body.shape, frequency).placed(body) for body in bodies]
    corners = np.concatenate([mesh.vertices for mesh in meshes])
    low, high = corners.min(axis=0), corners.max(axis=0)
    centre = 0.5 * (low + high)
    radius = max(float(np.linalg.norm(corners - centre, axis=1).max()), 1e-12)
    return Stage(
        title=scene.title,
        bodies=bodies,
        planes=planes,
        meshes=meshes,
        patches=[patch(body, centre, 2.6 * radius) for body in planes],
        colors=[body.color or paint[name] for body, name in zip(bodies, owners)],
        plane_colors=[body.color or GROUND for body in planes],
        centre=centre,
        radius=radius,
        pairs=pairs,
    )
