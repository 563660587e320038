"""A world as the tables of numbers that compiled loops read."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..geometry.pose import as_pose
from ..kernels.quaternions import from_matrix
from ..kernels.surface_radii import EDGED, POWER, kind_of
from ..shapes import Affine, Cavity, HalfSpace, Offset, Segment, Sphere
from ..shapes.bounds import BOUNDS
from ..shapes.cavity import WALL
from ..shapes.shape import Shape
from .body import Body, Piece
from .contact.law_faults import FAULT
from .contact.laws import curved, law_tables
from .contact.solve import solver_address
from .extremes_kernel import EXTREMES
from .prescribed import motion_of, rates
from .spring import SPRING, BodyState
from .state import INERTIA, INVERSE_MASS, INVERSE_MOMENTS, MOMENTS, MOMENTUM, PLACE, STATE, TURN, VELOCITY
from .tables import FACES, HOLLOW, LINE, PLANE, ROUND, SOLID, Shapes, WorldTables
from .world import POINTS, World
from .wrenches import add_load


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
        self.free = self.inertia[:, INVERSE_MASS] > 0.0
        self.law_of, entries = world.laws()
        self.laws, self.formulas = law_tables(entries), tuple(entry.formulas for entry in entries)
        self._shapes(world)
        self._refuse_faces(np.array([entry.needs_radius for entry in entries], bool))
        self._springs(world)
        self.gravity = np.asarray(world.gravity, np.float64)
        self.law_names = [entry.names for entry in entries]
        self.extremes, self.fault = np.zeros(EXTREMES), np.zeros(FAULT)
        self._moved = [(i, body) for i, body in enumerate(world.bodies) if body.motion is not None]
        self._loads = [(self.names.index(load.body), load) for load in world.loads]
        self.start = np.stack([self._initial(i, body) for i, body in enumerate(world.bodies)])

    def _shapes(self, world: World) -> None:
        pieces, self.part = [], []
        for i, body in enumerate(world.bodies):
            for number, piece in enumerate(body.pieces):
                for face in _faces(piece):
                    pieces.append((i, face))
                    self.part.append(number)
        count, needs_curvature = len(pieces), curved(self.laws, np.arange(len(self.laws.kinds))).any()
        solids = [p.shape.hollow if isinstance(p.shape, Cavity) else p.shape for _, p in pieces]
        width = max([WALL, *(shape.rows.shape[1] for shape in solids)])
        self.owner = np.array([i for i, _ in pieces], np.int64)
        self.kind, self.address = np.zeros(count, np.int64), np.zeros(count + 1, np.int64)
        self.address[count] = Sphere(1.0).address  # with a zero row, a point
        self.rows, self.bounds = np.zeros((count, width)), np.zeros((count, BOUNDS))
        self.bends, self.flat = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.surface, self.implicit = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.local = np.zeros((count, 12))
        self.reach = np.zeros(len(world.bodies))
        for k, ((i, piece), shape) in enumerate(zip(pieces, solids)):
            self.rows[k, : shape.rows.shape[1]] = shape.rows[0]
            # From the body frame to the principal frame at the centre of mass.
            turn = self.axes[i].T @ piece.rotation
            place = self.axes[i].T @ (piece.position - self.centre[i])
            self.local[k] = np.concatenate([turn, place[:, None]], axis=1).ravel()
            if isinstance(shape, HalfSpace):
                self.kind[k], self.flat[k] = PLANE, FACES
                continue
            self.kind[k] = HOLLOW if isinstance(piece.shape, Cavity) else SOLID
            if isinstance(piece.shape, Cavity) and piece.shape.is_round:
                self.kind[k], self.rows[k, :WALL] = ROUND, piece.shape.walls[0]
            self.address[k], self.bounds[k], self.bends[k] = shape.address, shape.bounds[0], shape.bends
            self.surface[k] = kind_of(shape)
            if shape.flat:
                self.flat[k] = LINE if _is_line(shape) else FACES
            if self.surface[k] == POWER:
                if needs_curvature:
                    self.implicit[k] = shape.implicit_address
                else:
                    self.surface[k] = EDGED
            self.reach[i] = max(self.reach[i], np.linalg.norm(place) + float(shape.bounding_radius))

    def _refuse_faces(self, needs_radius: np.ndarray) -> None:
        """Refuse laws from materials alone between bodies with faces: Hertz's theory gives a flat gap no stiffness."""
        if not needs_radius.any():
            return
        owners = np.unique(self.owner[self.flat == FACES])
        laws = self.law_of[np.ix_(owners, owners)]
        bad = np.argwhere((laws >= 0) & needs_radius[np.maximum(laws, 0)])
        if len(bad):
            a, b = (self.names[owners[k]] for k in bad[0])
            raise ValueError(
                f"interaction of {a!r} and {b!r}: both have flat faces, and a flat gap has no stiffness in Hertz's "
                "theory; give the law radius_limits besides materials, or a stiffness"
            )

    def _springs(self, world: World) -> None:
        self.ends, self.springs = np.zeros((len(world.springs), 2), np.int64), np.zeros((len(world.springs), SPRING))
        for k, spring in enumerate(world.springs):
            i = self.names.index(spring.a)
            j = -1 if spring.b is None else self.names.index(spring.b)
            point_a, point_b = np.asarray(spring.point_a), np.asarray(spring.point_b)
            a = self.axes[i].T @ (point_a - self.centre[i])
            b = point_b if j < 0 else self.axes[j].T @ (point_b - self.centre[j])
            ends = [world.bodies[i].position + world.bodies[i].rotation.apply(point_a), point_b]
            if j >= 0:
                ends[1] = world.bodies[j].position + world.bodies[j].rotation.apply(point_b)
            length = np.linalg.norm(ends[1] - ends[0]) if spring.length is None else spring.length
            self.ends[k] = i, j
            self.springs[k] = *a, *b, spring.stiffness, spring.damping, length

    def _initial(self, i: int, body: Body) -> np.ndarray:
        if body.motion is not None:
            return self.moved(i, body, 0.0)
        turn = body.rotation * Rotation.from_matrix(self.axes[i])
        row = np.empty(STATE)
        row[PLACE] = body.position + body.rotation.apply(self.centre[i])
        row[TURN] = turn.as_quat()
        row[VELOCITY], row[MOMENTUM] = body.velocity, body.angular_velocity
        if self.free[i]:
            local = turn.apply(body.angular_velocity, inverse=True)
            row[MOMENTUM] = turn.apply(self.inertia[i, MOMENTS] * local)
        return row

    def moved(self, i: int, body: Body, time: float) -> np.ndarray:
        """State row of a prescribed body."""
        motion = motion_of(body, time)
        row = np.empty(STATE)
        try:
            rotation, position = as_pose(motion.pose)
            row[PLACE], row[TURN] = position, from_matrix(rotation.ravel().tolist())
            speed, spin = motion.velocity, motion.angular_velocity
            if speed is None or spin is None:
                found = rates(body, time)
                speed, spin = found[0] if speed is None else speed, found[1] if spin is None else spin
            row[VELOCITY], row[MOMENTUM] = speed, spin
        except (TypeError, ValueError) as error:
            raise ValueError(f"the motion of body {body.name!r} at t = {time:g} s: {error}") from None
        if not np.isfinite(row).all():
            raise ValueError(f"the motion of body {body.name!r} at t = {time:g} s must be finite, got {motion!r}")
        return row

    def state_of(self, i: int, y: np.ndarray) -> BodyState:
        """State of body i from `y` (N, 13), for loads."""
        turn = Rotation.from_quat(y[i, TURN])
        rotation = turn.as_matrix() @ self.axes[i].T
        spin = y[i, MOMENTUM].copy()
        if self.free[i]:
            spin = turn.apply(turn.apply(spin, inverse=True) * self.inertia[i, INVERSE_MOMENTS])
        place, velocity = y[i, PLACE].copy(), y[i, VELOCITY].copy()
        return BodyState(place - rotation @ self.centre[i], rotation, place, velocity, spin)

    @property
    def is_alone(self) -> bool:
        """Whether no user-defined function has to be called between steps."""
        return not self._moved and not self._loads

    def place_moved(self, time: float, y: np.ndarray) -> None:
        """Write the rows of all prescribed bodies to `y`."""
        for i, body in self._moved:
            y[i] = self.moved(i, body, time)

    def load(self, time: float, y: np.ndarray, extra: np.ndarray) -> None:
        """Write the user-defined loads on the bodies in the state `y` to `extra` (see `wrenches`)."""
        extra[:] = 0.0
        for i, load in self._loads:
            add_load(extra, i, *load(time, self.state_of(i, y)))

    def tables(self) -> WorldTables:
        """The tables that compiled loops read, with their own copy of the poses."""
        poses = np.zeros((len(self.owner), 12))
        shapes = Shapes(
            solver=solver_address(),
            kind=self.kind,
            address=self.address,
            rows=self.rows,
            bounds=self.bounds,
            bends=self.bends,
            surface=self.surface,
            implicit=self.implicit,
            poses=poses,
            flat=self.flat,
        )
        return WorldTables(
            inertia=self.inertia,
            gravity=self.gravity,
            ends=self.ends,
            springs=self.springs,
            owner=self.owner,
            local=self.local,
            law_of=self.law_of,
            laws=self.laws,
            where=POINTS[self.world.force_point],
            extremes=self.extremes,
            fault=self.fault,
            shapes=shapes,
        )

    def frames(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (..., N, 3) and quaternions (..., N, 4) of the body frames for states (..., N, 13)."""
        turn = Rotation.from_quat(y[..., TURN].reshape(-1, 4))
        axes = np.array(np.broadcast_to(np.swapaxes(self.axes, -1, -2), (*y.shape[:-1], 3, 3)))
        body = turn * Rotation.from_matrix(axes.reshape(-1, 3, 3))
        shift = body.apply(np.array(np.broadcast_to(self.centre, (*y.shape[:-1], 3))).reshape(-1, 3))
        position = y[..., PLACE] - shift.reshape(*y.shape[:-1], 3)
        return position, body.as_quat().reshape(*y.shape[:-1], 4)

    def spins(self, y: np.ndarray) -> np.ndarray:
        """Angular velocities (..., N, 3) for states (..., N, 13)."""
        turn = Rotation.from_quat(y[..., TURN].reshape(-1, 4))
        inverse = np.where(self.free[:, None], self.inertia[:, INVERSE_MOMENTS], 1.0)
        inverse = np.broadcast_to(inverse, (*y.shape[:-1], 3))
        momentum = np.array(y[..., MOMENTUM]).reshape(-1, 3)
        spin = turn.apply(turn.apply(momentum, inverse=True) * inverse.reshape(-1, 3)).reshape(*y.shape[:-1], 3)
        return np.where(self.free[:, None], spin, y[..., MOMENTUM])

    def all_pairs(self) -> np.ndarray:
        """All pairs of shapes that may touch, (M, 2); a half-space, hollow or round wall is always A."""
        a, b = np.triu_indices(len(self.owner), 1)
        swap = self.kind[b] != SOLID
        a, b = np.where(swap, b, a), np.where(swap, a, b)
        asked = (self.kind[b] == SOLID) & (self.law_of[self.owner[a], self.owner[b]] >= 0)
        return np.ascontiguousarray(np.stack([a[asked], b[asked]], axis=1)).astype(np.int64)


def _is_line(shape: Shape) -> bool:
    """Whether the flat places of a shape are lines: segments, their offsets and images."""
    return isinstance(shape, Segment) or (isinstance(shape, Offset | Affine) and _is_line(shape.body))


def _faces(piece: Piece) -> list[Piece]:
    """The piece itself; for a round cavity its side and its ends, so that a body in a corner touches both."""
    shape = piece.shape
    if not (isinstance(shape, Cavity) and shape.is_round and shape.ends):
        return [piece]
    # The tip of a cone, which is no face, belongs to its side.
    up = (1.0,) if getattr(shape.hollow, "top_radius", 1.0) == 0.0 else (1.0, -1.0)
    ends = [HalfSpace([0.0, 0.0, z], -shape.hollow.half_length) for z in up]
    return [piece._replace(shape=Cavity(shape.hollow, ends=False)), *(piece._replace(shape=end) for end in ends)]
