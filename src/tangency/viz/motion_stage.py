"""Contents of the pictures of a motion: surfaces of bodies, planes, colours, the relevant part of space."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..shapes import Ellipsoid, HalfSpace, MeshWall, Sphere, Superellipsoid, capsule
from ..shapes.shape import Shape
from ..shapes.walls import WALLS
from .mesh import Mesh, geodesic, patch, plane, surface
from .stage import GROUND, PALETTE
from .wall_mesh import parts, wall_mesh

if TYPE_CHECKING:
    from ..dynamics import Trajectory

REACH = 2.6  # half width of the drawn part of a plane, in radii of the scene
MAX_INSTANTS = 400  # most times at which the extent of the motion is evaluated
FREQUENCIES = (16, 12, 8, 5)  # frequency of the meshes for few, dozens, hundreds, and thousands of shapes
MANY = 100  # bodies from which on those that differ in size only share a mesh
MAX_PLACES = 200_000  # most places of bodies of which the extent is evaluated
MOST_TRIANGLES = 20_000  # of one surface: the player numbers their corners in 16 bits
ROD = 0.008  # radius of the lines between joints, in radii of the scene
DOT = 0.02  # radius of the ball for a body without shapes, in radii of the scene


class _Placed(NamedTuple):
    """A shape in the frame of a body."""

    shape: Shape
    rotation: np.ndarray
    position: np.ndarray


class Surface(NamedTuple):
    """A surface, and all bodies that have it."""

    mesh: Mesh  #: in the body frame
    middle: np.ndarray  #: (3,) of the shape, in the body frame
    turn: np.ndarray  #: (3, 3) shape to body: maps the normals of the sphere to those of the mesh
    hollow: bool  #: whether it is the wall of a cavity, seen from inside
    bodies: list[int]
    scales: np.ndarray | None = None  #: (B, 3) factors on the mesh along its axes, for bodies that differ in size only
    own: bool = False  #: whether it has normals and triangles of its own, not those of a sphere

    def mesh_of(self, k: int) -> Mesh:
        """The mesh of its k-th body."""
        if self.scales is None:
            return self.mesh
        normals = self.mesh.normals / self.scales[k]
        return Mesh(
            self.mesh.vertices * self.scales[k],
            normals / np.linalg.norm(normals, axis=1, keepdims=True),
            self.mesh.triangles,
        )


class Ground(NamedTuple):
    """The boundary of a half-space."""

    body: int
    corners: np.ndarray  #: (K, 3) convex outline of the drawn part, in the body frame
    normal: np.ndarray  #: (3,) in the body frame
    piece: Any  #: the piece with the HalfSpace
    limits: np.ndarray  #: (K, 4) rows (n, d): the part of the world with n.x >= d is drawn


@dataclass(frozen=True)
class MotionStage:
    """A trajectory prepared for drawing.

    Attributes
    ----------
    surfaces, grounds : lists of Surface and Ground
        Surfaces of the bodies, and planes.
    colors : list of str
        ``#rrggbb`` of each body.
    moving : (N,) array of bool
        Whether each body moves.
    middle, reach : (N, 3) and (N,) arrays
        Balls that contain the bodies, in their frames [m]; 0 for half-spaces.
    centre, radius : (3,) array and float
        Ball that contains the relevant part of the scene [m].
    framed : (K, 3) array
        Points that must be in the picture [m].
    arrow : float
        Length of the arrow for a typical force [m]: a few bodies long, but shorter than the scene.
    """

    surfaces: list[Surface]
    grounds: list[Ground]
    colors: list[str]
    moving: np.ndarray
    middle: np.ndarray
    reach: np.ndarray
    centre: np.ndarray
    radius: float
    framed: np.ndarray
    arrow: float


def prepare_motion(
    run: Trajectory, frequency: int | None = None, colors: Mapping[str, str] | None = None
) -> MotionStage:
    """Surfaces, colours and extent of a motion; `frequency` as in `geodesic`, default by the number of shapes."""
    if not len(run.time):
        raise ValueError("the trajectory must have at least one frame, got none")
    count = len(run.names)
    if count and len(run.pieces) != count:
        raise ValueError(
            "the trajectory must contain the shapes of its bodies: read files with load_trajectory(path, world)"
        )
    bounded = [(i, piece) for i in range(count) for piece in run.pieces[i] if not isinstance(piece.shape, HalfSpace)]
    if frequency is None:
        frequency = FREQUENCIES[int(np.searchsorted([20, 100, 2000], len(bounded)))]
    surfaces = _surfaces(bounded, frequency)
    moving = np.zeros(count, bool)
    for place, turn in zip(run.position, run.quaternion):  # frame by frame: they may be on disk
        moving |= (place != run.position[0]).any(axis=-1) | (turn != run.quaternion[0]).any(axis=-1)
    middle, reach = _balls(surfaces, count)
    rods = [(run.names.index(rod.body), rod.end) for rod in run.rods]
    _reach_rods(rods, middle, reach)
    planes = np.array([any(isinstance(p.shape, HalfSpace) for p in run.pieces[i]) for i in range(count)], bool)
    framed = _framed(run, moving & ~(planes & (reach == 0.0)), middle, reach, planes)
    centre = 0.5 * (framed.min(axis=0) + framed.max(axis=0))
    radius = float(np.linalg.norm(framed - centre, axis=1).max())
    if not radius > 1e-12 * float(np.abs(framed).max()):
        radius = float(np.abs(framed).max()) or 1.0
    bare = [i for i in range(count) if not run.pieces[i]]
    if bare:
        ball, size = geodesic(6), DOT * radius
        mesh = Mesh(size * ball.vertices, ball.normals, ball.triangles)
        surfaces.append(Surface(mesh, np.zeros(3), np.eye(3), False, bare))
        reach[bare] = np.maximum(reach[bare], size)
    surfaces += _surfaces([(i, _rod(end, ROD * radius)) for i, end in rods], 6)
    grounds, seen = _grounds(run, moving, centre, radius, float(framed[:, 2].max()))
    return MotionStage(
        surfaces,
        grounds,
        _colors(run, colors or {}),
        moving,
        middle,
        reach,
        centre,
        radius,
        np.concatenate([framed, seen]),
        _arrow(moving, reach, radius),
    )


def _reach_rods(rods: list[tuple[int, np.ndarray]], middle: np.ndarray, reach: np.ndarray) -> None:
    """Make the balls around links contain their rods."""
    for i in {i for i, _ in rods}:
        ends = np.array([np.zeros(3), *(end for k, end in rods if k == i)])
        if reach[i] == 0.0:
            middle[i] = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
        reach[i] = max(reach[i], float(np.linalg.norm(ends - middle[i], axis=1).max()))


def _rod(end: np.ndarray, radius: float) -> _Placed:
    length = float(np.linalg.norm(end))
    turn, _ = Rotation.align_vectors([end / length], [[0.0, 0.0, 1.0]])
    return _Placed(capsule(radius, 0.5 * length), turn.as_matrix(), 0.5 * end)


def _arrow(moving: np.ndarray, reach: np.ndarray, radius: float) -> float:
    sizes = reach[moving & (reach > 0.0)]
    usual = 2.5 * float(np.median(sizes)) if len(sizes) else radius
    return min(max(usual, 0.05 * radius), 0.25 * radius)


def _surfaces(pieces: list[tuple[int, Any]], frequency: int) -> list[Surface]:
    """Surfaces of all pieces; bodies with the same surface share it."""
    found: dict[tuple[bool, bytes], Surface] = {}
    walls: list[Surface] = []
    pieces, alike = _alike(pieces, frequency) if len(pieces) > MANY else (pieces, [])
    for i, piece in pieces:
        if isinstance(piece.shape, MeshWall):
            walls += _wall(i, piece)
            continue
        hollow = hasattr(piece.shape, "hollow")
        shape = piece.shape.hollow if hollow else piece.shape
        key = hollow, surface(shape, 3).placed(piece).vertices.tobytes()
        if key not in found:
            mesh = surface(shape, frequency).placed(piece)
            middle = 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0))
            found[key] = Surface(mesh, middle, piece.rotation, hollow, [])
        found[key].bodies.append(i)
    return list(found.values()) + alike + walls


def _wall(body: int, piece: Any) -> list[Surface]:
    """The surfaces of a mesh wall."""
    mesh, vessel = wall_mesh(piece.shape)
    placed = mesh.placed(piece)
    middle = 0.5 * (placed.vertices.min(axis=0) + placed.vertices.max(axis=0))
    return [Surface(part, middle, np.eye(3), vessel, [body], None, True) for part in parts(placed, MOST_TRIANGLES)]


def _alike(pieces: list[tuple[int, Any]], frequency: int) -> tuple[list[tuple[int, Any]], list[Surface]]:
    """The other pieces, and surfaces of those that differ in size only: ellipsoids, or superellipsoids of one kind."""
    rest: list[tuple[int, Any]] = []
    members: dict[bytes, tuple[Shape, list[int], list[np.ndarray]]] = {}
    for i, piece in pieces:
        found = _template(piece)
        if found is None:
            rest.append((i, piece))
            continue
        key, model, scale = found
        members.setdefault(key, (model, [], []))
        members[key][1].append(i)
        members[key][2].append(scale)
    made = [
        Surface(surface(model, frequency), np.zeros(3), np.eye(3), False, bodies, np.array(scales))
        for model, bodies, scales in members.values()
    ]
    return rest, made


def _template(piece: Any) -> tuple[bytes, Shape, np.ndarray] | None:
    """A key, a shape of size 1 and the size of a piece that is an image of it along its axes; None for others."""
    shape = piece.shape
    if piece.position.any() or (piece.rotation != np.eye(3)).any():
        return None
    if type(shape) is Sphere:
        return b"ball", Sphere(1.0), np.full(3, float(shape.radius))
    if type(shape) is Ellipsoid:
        return b"ball", Sphere(1.0), np.asarray(shape.radii, float)
    if type(shape) is Superellipsoid:
        powers = np.asarray(shape.epsilon, float)
        return powers.tobytes(), Superellipsoid([1.0, 1.0, 1.0], epsilon=powers), np.asarray(shape.radii, float)
    return None


def _balls(surfaces: list[Surface], count: int) -> tuple[np.ndarray, np.ndarray]:
    """A ball around each body, in its frame."""
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for item in surfaces:
        scales = 1.0 if item.scales is None else item.scales
        low[item.bodies] = np.minimum(low[item.bodies], item.mesh.vertices.min(axis=0) * scales)
        high[item.bodies] = np.maximum(high[item.bodies], item.mesh.vertices.max(axis=0) * scales)
    empty = ~(low <= high).all(axis=1)
    low[empty] = high[empty] = 0.0
    middle, reach = 0.5 * (low + high), np.zeros(count)
    for item in surfaces:
        for k, i in enumerate(item.bodies):
            vertices = item.mesh.vertices * (1.0 if item.scales is None else item.scales[k])
            reach[i] = max(reach[i], float(np.linalg.norm(vertices - middle[i], axis=1).max()))
    return middle, reach


def _framed(
    run: Trajectory, moving: np.ndarray, middle: np.ndarray, reach: np.ndarray, planes: np.ndarray
) -> np.ndarray:
    """Points that must be visible: of all moving bodies, and of resting ones near them."""
    instants = int(np.clip(MAX_PLACES // max(len(run.names), 1), 2, MAX_INSTANTS))
    some = np.unique(np.linspace(0, len(run.time) - 1, instants).astype(int))

    def balls(bodies: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        quaternion, position = (np.stack([part[f][bodies] for f in frames]) for part in (run.quaternion, run.position))
        turn = Rotation.from_quat(quaternion.reshape(-1, 4))
        shift = turn.apply(np.tile(middle[bodies], (len(frames), 1))) if len(bodies) else np.zeros((0, 3))
        return position.reshape(-1, 3) + shift, np.tile(reach[bodies], len(frames))

    still = np.flatnonzero(~moving & ~(planes & (reach == 0.0)))
    places, radii = balls(np.flatnonzero(moving), some) if moving.any() else balls(still, some[:1])
    if not len(places):
        return np.zeros((1, 3))
    heart = np.median(places, axis=0)
    away = np.linalg.norm(places - heart, axis=1) + radii
    # A body that flies away must not make all others tiny.
    within = min(float(away.max()), 3.0 * float(np.percentile(away, 90)))
    keep = away <= max(within, float(away.min()))
    places, radii = places[keep], radii[keep]
    if moving.any() and len(still):
        more, sizes = balls(still, some[:1])
        near = np.linalg.norm(more - heart, axis=1) + sizes <= 6.0 * max(within, 1e-300)
        places, radii = np.concatenate([places, more[near]]), np.concatenate([radii, sizes[near]])
    n = geodesic(4).vertices
    best = (places @ n.T + radii[:, None]).argmax(axis=0)
    return places[best] + radii[best, None] * n


def _grounds(
    run: Trajectory, moving: np.ndarray, centre: np.ndarray, radius: float, top: float
) -> tuple[list[Ground], np.ndarray]:
    """Planes, and those of their corners that are near enough to be visible.

    Only the part of a resting plane outside the others is drawn: five of them form a box, whose walls end above `top`.
    """
    found = []
    for i, pieces in enumerate(run.pieces):
        for piece in pieces:
            if isinstance(piece.shape, HalfSpace):
                turn = Rotation.from_quat(run.quaternion[0, i]).as_matrix()
                place = run.position[0, i] + turn @ piece.position
                found.append((i, piece._replace(rotation=turn @ piece.rotation, position=place), turn, piece))
    walls = [np.append(*plane(placed)) for i, placed, _, _ in found if not moving[i]]
    grounds, seen = [], [np.zeros((0, 3))]
    for i, placed, turn, piece in found:
        normal, offset = plane(placed)
        own, rounding = np.append(normal, offset), 1e-9 * np.array([1.0, 1.0, 1.0, radius])
        rows = [] if moving[i] else [row for row in walls if (np.abs(row - own) > rounding).any()]
        if len(walls) > 2 and not moving[i] and abs(normal[2]) < 0.5:
            rows.append(np.array([0.0, 0.0, -1.0, -(top + 0.12 * radius)]))
        limits = np.array(rows).reshape(-1, 4) - [0.0, 0.0, 0.0, 1e-9 * radius]
        corners = patch(placed, centre, REACH * radius).vertices
        for row in limits:
            corners = _clipped(corners, row[:3], row[3])
        if len(corners) > 2:
            grounds.append(Ground(i, (corners - run.position[0, i]) @ turn, normal @ turn, piece, limits))
            seen.append(corners[np.linalg.norm(corners - centre, axis=1) < 1.5 * radius])
    return grounds, np.concatenate(seen)


def _clipped(corners: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    """The part of a convex outline with normal.x >= offset."""
    height = corners @ normal - offset if len(corners) else np.zeros(0)
    kept = []
    for k in range(len(corners)):
        j = (k + 1) % len(corners)
        if height[k] >= 0.0:
            kept.append(corners[k])
        if (height[k] >= 0.0) != (height[j] >= 0.0):
            kept.append(corners[k] + height[k] / (height[k] - height[j]) * (corners[j] - corners[k]))
    return np.array(kept).reshape(-1, 3)


def _colors(run: Trajectory, given: Mapping[str, str]) -> list[str]:
    for name, color in given.items():
        if name not in run.names:
            raise ValueError(f"colors must name bodies, got {name!r}; there are {', '.join(run.names)}")
        if not (isinstance(color, str) and re.fullmatch("#[0-9a-fA-F]{6}", color)):
            raise ValueError(f"colors must look like '#4c78a8', got {color!r} for {name!r}")
    colors, used = [], 0
    for name, pieces in zip(run.names, run.pieces):
        wall = bool(pieces) and all(isinstance(p.shape, WALLS) for p in pieces)
        colors.append(given.get(name, GROUND if wall else PALETTE[used % len(PALETTE)]))
        used += not wall
    return colors
