"""The shapes of all bodies of a world as tables, one row each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernels.principal_radii import EDGED, POWER
from ..kernels.surface_radii import kind_of
from ..shapes import Affine, Cavity, Ellipsoid, HalfSpace, MeshWall, Offset, Segment, Sphere, Superellipsoid
from ..shapes.bounds import BOUNDS, half_lengths
from ..shapes.cavity import WALL
from ..shapes.shape import Shape
from ..shapes.wall_features import WallPatch
from .body import Piece
from .tables import ELLIPSOIDS, FACES, HOLLOW, LINE, MESH, PLANE, PLANES, POWERS, ROUND, SOLID
from .world import World

UNBOUNDED = 1e300  # width of unbounded shapes [m]


class ShapeTables(NamedTuple):
    """Rows of the S shapes; see :class:`tables.Shapes` for most of them."""

    owner: np.ndarray  #: (S,) body of each shape
    part: np.ndarray  #: (S,) number of each shape within its body
    kind: np.ndarray
    address: np.ndarray
    rows: np.ndarray
    bounds: np.ndarray
    bends: np.ndarray
    surface: np.ndarray
    implicit: np.ndarray
    flat: np.ndarray
    radii: np.ndarray
    powers: np.ndarray
    sort: np.ndarray
    local: np.ndarray  #: (S, 12) poses in the principal frames of the bodies
    reach: np.ndarray  #: (N,) radii of the bodies about their centres of mass


class _Block(NamedTuple):
    """One shape of a body, or a shape of each body of a group."""

    bodies: slice
    part: int
    piece: Piece


def shape_tables(world: World, centre: np.ndarray, axes: np.ndarray, needs_curvature: bool) -> ShapeTables:
    """Tables of the shapes of bodies with the given centres of mass (N, 3) and principal axes (N, 3, 3)."""
    blocks, start = [], 0
    for entry in world.bodies:
        bodies = slice(start, start + len(entry.names))
        blocks += [_Block(bodies, k, face) for k, piece in enumerate(entry.pieces) for face in _faces(piece)]
        start = bodies.stop
    solids = [b.piece.shape.hollow if isinstance(b.piece.shape, Cavity) else b.piece.shape for b in blocks]
    sizes = [block.bodies.stop - block.bodies.start for block in blocks]
    count, width = sum(sizes), max([WALL, *(shape.rows.shape[1] for shape in solids)])
    owner, part, kind, bends, surface, implicit, flat, sort = (np.zeros(count, np.int64) for _ in range(8))
    address = np.zeros(count + 1, np.int64)
    address[count] = Sphere(1.0).address  # with a zero row, a point
    rows, bounds, local = np.zeros((count, width)), np.zeros((count, BOUNDS)), np.zeros((count, 12))
    radii, powers, reach, stop = np.zeros((count, 3)), np.zeros((count, 5)), np.zeros(start), 0
    for block, shape, size in zip(blocks, solids, sizes):
        own, piece = slice(stop, stop + size), block.piece
        stop += size
        owner[own], part[own] = np.arange(block.bodies.start, block.bodies.stop), block.part
        rows[own, : shape.rows.shape[1]] = shape.rows
        # From the body frame to the principal frame at the centre of mass.
        back = np.swapaxes(axes[block.bodies], 1, 2)
        place = (back @ (piece.position - centre[block.bodies])[:, :, None])[:, :, 0]
        local[own] = np.concatenate([back @ piece.rotation, place[:, :, None]], axis=2).reshape(size, 12)
        if isinstance(shape, HalfSpace):
            kind[own], flat[own], sort[own] = PLANE, FACES, PLANES
            continue
        address[own], bounds[own] = shape.address, shape.bounds
        around = np.linalg.norm(place, axis=1) + np.reshape(shape.bounding_radius, -1)
        reach[block.bodies] = np.maximum(reach[block.bodies], around)
        if isinstance(shape, WallPatch):
            kind[own], flat[own] = MESH, FACES if shape.plane else 0
            continue
        kind[own] = HOLLOW if isinstance(piece.shape, Cavity) else SOLID
        if isinstance(piece.shape, Cavity) and piece.shape.is_round:
            kind[own], rows[own, :WALL] = ROUND, piece.shape.walls[0]
        bends[own] = shape.bends
        surface[own] = kind_of(shape)
        if shape.flat:
            flat[own] = LINE if _is_line(shape) else FACES
        if surface[own.start] == POWER:
            if needs_curvature:
                implicit[own] = shape.implicit_address
            else:
                surface[own] = EDGED
        if isinstance(piece.shape, Ellipsoid | Sphere):
            ball = isinstance(piece.shape, Sphere)
            radii[own] = np.reshape(piece.shape.radius, (-1, 1)) if ball else piece.shape.radii
            powers[own, :3], powers[own, 3:], sort[own] = radii[own], 2.0, ELLIPSOIDS
        elif type(piece.shape) is Superellipsoid:
            powers[own], sort[own] = shape.rows, POWERS
    lanes = radii, powers, sort
    return ShapeTables(owner, part, kind, address, rows, bounds, bends, surface, implicit, flat, *lanes, local, reach)


def half_widths(kind: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Smallest half width of each shape along its own axes, ignoring very thin ones; huge for unbounded shapes."""
    half = half_lengths(bounds)
    least = np.where(half > 0.0, half, UNBOUNDED).min(axis=1)
    return np.where(kind == SOLID, least, UNBOUNDED)


def _is_line(shape: Shape) -> bool:
    """Whether the flat places of a shape are lines: segments, their offsets and images."""
    return isinstance(shape, Segment) or (isinstance(shape, Offset | Affine) and _is_line(shape.body))


def _faces(piece: Piece) -> list[Piece]:
    """The piece itself; for a round cavity its side and its ends, so that a body in a corner touches both.

    A mesh wall consists of its patches.
    """
    shape = piece.shape
    if isinstance(shape, MeshWall):
        patches: Any = shape.patches  # in the same form as shapes
        return [piece._replace(shape=patch) for patch in patches]
    if not (isinstance(shape, Cavity) and shape.is_round and shape.ends):
        return [piece]
    # The tip of a cone, which is no face, belongs to its side.
    up = (1.0,) if getattr(shape.hollow, "top_radius", 1.0) == 0.0 else (1.0, -1.0)
    ends = [HalfSpace([0.0, 0.0, z], -shape.hollow.half_length) for z in up]
    return [piece._replace(shape=Cavity(shape.hollow, ends=False)), *(piece._replace(shape=end) for end in ends)]
