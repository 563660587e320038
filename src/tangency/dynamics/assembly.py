"""A world as the tables of numbers that compiled loops read."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..geometry.pose import as_pose
from ..kernels.quaternions import from_matrix
from ..shapes import Cavity, HalfSpace, Sphere
from ..shapes.bounds import BOUNDS
from ..shapes.cavity import WALL
from .body import Body, Piece
from .laws import law_tables
from .limits import EXTREMES
from .prescribed import motion_of, rates
from .spring import SPRING, BodyState
from .state import INERTIA, STATE
from .touch import HOLLOW, PLANE, ROUND, SOLID, touch_address
from .world import POINTS, World


class Assembly:
    """Tables of all bodies, shapes and springs of a world; the state is kept elsewhere."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.names = [body.name for body in world.bodies]
        count = len(world.bodies)
        self.inertia = np.zeros((count, INERTIA))
        self.centre, self.axes = np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1))
        for i, body in enumerate(world.bodies):
            mass = body.mass_properties
            if mass is not None:
                moments, self.axes[i] = mass.principal()
                self.centre[i] = mass.centre
                self.inertia[i] = mass.mass, *moments, 1.0 / mass.mass, *(1.0 / moments)
        self.free = self.inertia[:, 4] > 0.0
        self._shapes(world)
        self._springs(world)
        self.gravity = world.gravity
        self.law_of, entries = world.laws()
        self.laws, self.formulas = law_tables(entries), tuple(entry.formulas for entry in entries)
        self.extremes = np.zeros(EXTREMES)
        self.start = np.stack([self._initial(i, body) for i, body in enumerate(world.bodies)])

    def _shapes(self, world: World) -> None:
        pieces, self.part = [], []
        for i, body in enumerate(world.bodies):
            for number, piece in enumerate(body.pieces):
                for face in _faces(piece):
                    pieces.append((i, face))
                    self.part.append(number)
        count = len(pieces)
        solids = [p.shape.hollow if isinstance(p.shape, Cavity) else p.shape for _, p in pieces]
        width = max([WALL, *(shape.rows.shape[1] for shape in solids)])
        self.owner = np.array([i for i, _ in pieces], np.int64)
        self.kind, self.address = np.zeros(count, np.int64), np.zeros(count + 1, np.int64)
        self.address[count] = Sphere(1.0).address  # of a point, if its row is zero
        self.rows, self.bounds = np.zeros((count, width)), np.zeros((count, BOUNDS))
        self.bends, self.flat = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.local = np.zeros((count, 12))
        self.reach = np.zeros(len(world.bodies))
        for k, ((i, piece), shape) in enumerate(zip(pieces, solids)):
            self.rows[k, : shape.rows.shape[1]] = shape.rows[0]
            # From the body frame to the principal frame at the centre of mass.
            turn = self.axes[i].T @ piece.rotation
            place = self.axes[i].T @ (piece.position - self.centre[i])
            self.local[k] = np.concatenate([turn, place[:, None]], axis=1).ravel()
            if isinstance(shape, HalfSpace):
                self.kind[k], self.flat[k] = PLANE, True
                continue
            self.kind[k] = HOLLOW if isinstance(piece.shape, Cavity) else SOLID
            if isinstance(piece.shape, Cavity) and piece.shape.is_round:
                self.kind[k], self.rows[k, :WALL] = ROUND, piece.shape.walls[0]
            self.address[k], self.bounds[k], self.bends[k] = shape.address, shape.bounds[0], shape.bends
            self.flat[k] = shape.flat
            self.reach[i] = max(self.reach[i], np.linalg.norm(place) + float(shape.bounding_radius))

    def _springs(self, world: World) -> None:
        self.ends, self.springs = np.zeros((len(world.springs), 2), np.int64), np.zeros((len(world.springs), SPRING))
        for k, spring in enumerate(world.springs):
            i = self.names.index(spring.a)
            j = -1 if spring.b is None else self.names.index(spring.b)
            a = self.axes[i].T @ (spring.point_a - self.centre[i])
            b = spring.point_b if j < 0 else self.axes[j].T @ (spring.point_b - self.centre[j])
            ends = [world.bodies[i].position + world.bodies[i].rotation.apply(spring.point_a), spring.point_b]
            if j >= 0:
                ends[1] = world.bodies[j].position + world.bodies[j].rotation.apply(spring.point_b)
            length = np.linalg.norm(ends[1] - ends[0]) if spring.length is None else spring.length
            self.ends[k] = i, j
            self.springs[k] = *a, *b, spring.stiffness, spring.damping, length

    def _initial(self, i: int, body: Body) -> np.ndarray:
        if body.motion is not None:
            return self.moved(i, body, 0.0)
        turn = body.rotation * Rotation.from_matrix(self.axes[i])
        row = np.empty(STATE)
        row[0:3] = body.position + body.rotation.apply(self.centre[i])
        row[3:7] = turn.as_quat()
        row[7:10], row[10:13] = body.velocity, body.angular_velocity
        if self.free[i]:
            local = turn.apply(body.angular_velocity, inverse=True)
            row[10:13] = turn.apply(self.inertia[i, 1:4] * local)
        return row

    def moved(self, i: int, body: Body, time: float) -> np.ndarray:
        """Row of a prescribed body."""
        motion = motion_of(body, time)
        row = np.empty(STATE)
        try:
            rotation, position = as_pose(motion.pose)
            row[0:3], row[3:7] = position, from_matrix(rotation.ravel().tolist())
            speed, spin = motion.velocity, motion.angular_velocity
            if speed is None or spin is None:
                found = rates(body, time)
                speed, spin = found[0] if speed is None else speed, found[1] if spin is None else spin
            row[7:10], row[10:13] = speed, spin
        except (TypeError, ValueError) as error:
            raise ValueError(f"the motion of body {body.name!r} at t = {time:g} s: {error}") from None
        if not np.isfinite(row).all():
            raise ValueError(f"the motion of body {body.name!r} at t = {time:g} s must be finite, got {motion!r}")
        return row

    def state_of(self, i: int, y: np.ndarray) -> BodyState:
        """Body i of the state `y` (N, 13), for loads."""
        turn = Rotation.from_quat(y[i, 3:7])
        rotation = turn.as_matrix() @ self.axes[i].T
        spin = y[i, 10:13].copy()
        if self.free[i]:
            spin = turn.apply(turn.apply(spin, inverse=True) * self.inertia[i, 5:8])
        return BodyState(y[i, 0:3] - rotation @ self.centre[i], rotation, y[i, 0:3].copy(), y[i, 7:10].copy(), spin)

    def tables(self) -> tuple:
        """As `loads` takes them."""
        where = POINTS[self.world.force_point]
        fixed = (self.inertia, self.gravity, self.ends, self.springs, self.owner, self.local)
        return *fixed, self.law_of, tuple(self.laws), where, self.extremes

    def pieces(self, poses: np.ndarray) -> tuple:
        """As `touch` takes them."""
        return touch_address(), self.kind, self.address, self.rows, self.bounds, self.bends, poses, self.flat

    def frames(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (..., N, 3) and quaternions (..., N, 4) of the body frames, of states (..., N, 13)."""
        turn = Rotation.from_quat(y[..., 3:7].reshape(-1, 4))
        axes = np.array(np.broadcast_to(np.swapaxes(self.axes, -1, -2), (*y.shape[:-1], 3, 3)))
        body = turn * Rotation.from_matrix(axes.reshape(-1, 3, 3))
        shift = body.apply(np.array(np.broadcast_to(self.centre, (*y.shape[:-1], 3))).reshape(-1, 3))
        position = y[..., 0:3] - shift.reshape(*y.shape[:-1], 3)
        return position, body.as_quat().reshape(*y.shape[:-1], 4)

    def spins(self, y: np.ndarray) -> np.ndarray:
        """Angular velocities (..., N, 3) of states (..., N, 13)."""
        turn = Rotation.from_quat(y[..., 3:7].reshape(-1, 4))
        inverse = np.broadcast_to(np.where(self.free[:, None], self.inertia[:, 5:8], 1.0), (*y.shape[:-1], 3))
        momentum = np.array(y[..., 10:13]).reshape(-1, 3)
        spin = turn.apply(turn.apply(momentum, inverse=True) * inverse.reshape(-1, 3)).reshape(*y.shape[:-1], 3)
        return np.where(self.free[:, None], spin, y[..., 10:13])

    def all_pairs(self) -> np.ndarray:
        """All pairs of shapes that may touch, (M, 2); a half-space, hollow or round wall is always A."""
        a, b = np.triu_indices(len(self.owner), 1)
        swap = self.kind[b] != SOLID
        a, b = np.where(swap, b, a), np.where(swap, a, b)
        asked = (self.kind[b] == SOLID) & (self.law_of[self.owner[a], self.owner[b]] >= 0)
        return np.ascontiguousarray(np.stack([a[asked], b[asked]], axis=1)).astype(np.int64)


def _faces(piece: Piece) -> list[Piece]:
    """The piece; of a round cavity its side and its ends, so that a body in a corner touches both."""
    shape = piece.shape
    if not (isinstance(shape, Cavity) and shape.is_round and shape.ends):
        return [piece]
    ends = [HalfSpace([0.0, 0.0, z], -shape.hollow.half_length) for z in (1.0, -1.0)]
    return [piece._replace(shape=Cavity(shape.hollow, ends=False)), *(piece._replace(shape=end) for end in ends)]
