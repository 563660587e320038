"""A world as the tables of numbers that compiled loops read."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..compiled.cache_lines import aligned
from ..geometry.pose import as_pose
from ..kernels.quaternions import from_matrix
from .body import Body
from .contact.law_faults import FAULT
from .contact.laws import curved, in_lanes, law_tables
from .contact.solve import solver_address
from .extremes_kernel import EXTREMES
from .group import Group
from .joints.system import JointSystem
from .law_table import first_pairs, law_table
from .mass import Masses
from .periodic import periods_of
from .prescribed import motion_of, rates
from .servo import Servo
from .shape_tables import half_widths, shape_tables
from .spring import SPRING, BodyState
from .state import INERTIA, INVERSE_MASS, INVERSE_MOMENTS, MASS, MOMENTS, MOMENTUM, PLACE, STATE, TURN, VELOCITY
from .tables import FACES, MESH, SOLID, Shapes, WorldTables
from .world import POINTS, World
from .wrenches import add_load


class Assembly:
    """Tables of all bodies, shapes and springs of a world; the state is kept elsewhere."""

    def __init__(self, world: World) -> None:
        self.world, self.names = world, world.names
        count = len(self.names)
        self.inertia = np.zeros((count, INERTIA))
        self.masses = world_masses(world)
        self.centre, self.axes = self.masses.centre, self.masses.axes
        self._slices, start = [], 0
        for entry in world.bodies:
            self._slices.append(slice(start, start + len(entry.names)))
            start += len(entry.names)
        self.inertia[:, MASS], self.inertia[:, MOMENTS] = self.masses.mass, self.masses.moments
        self.free = self.masses.mass > 0.0
        self.inertia[self.free, INVERSE_MASS] = 1.0 / self.masses.mass[self.free]
        self.inertia[self.free, INVERSE_MOMENTS] = 1.0 / self.masses.moments[self.free]
        self.law_table = law_table(world)
        entries = self.law_table.entries
        self.laws, self.formulas = law_tables(entries), tuple(entry.formulas for entry in entries)
        needs_curvature = bool(curved(self.laws, np.arange(len(self.laws.kinds))).any())
        self.shapes = shape_tables(world, self.centre, self.axes, needs_curvature)
        self.owner, self.part, self.reach = self.shapes.owner, self.shapes.part, self.shapes.reach
        self.kind, self.flat, self.bounds, self.local = (
            self.shapes.kind, self.shapes.flat, self.shapes.bounds, self.shapes.local
        )  # fmt: skip
        self._refuse_faces(np.array([entry.needs_radius for entry in entries], bool))
        self._refuse_faces_on_meshes()
        named = world.springs or world.loads or world.mechanisms
        self._numbers = {name: k for k, name in enumerate(self.names)} if named else {}
        self._springs(world)
        self.gravity = np.asarray(world.gravity, np.float64)
        self.law_names = [tuple(type(law).__name__ for law in entry.laws) for entry in entries]
        self.extremes, self.fault = np.zeros(EXTREMES), np.zeros(FAULT)
        #: Numbers of the prescribed bodies, and the bodies.
        self.prescribed = [
            (own.start, body)
            for own, body in zip(self._slices, world.bodies)
            if isinstance(body, Body) and callable(body.motion) and body.mechanism is None
        ]
        #: The same for walls that press with a force, and their servos.
        self.servos = [
            (own.start, body.motion)
            for own, body in zip(self._slices, world.bodies)
            if isinstance(body, Body) and isinstance(body.motion, Servo)
        ]
        self.joints = JointSystem(world.mechanisms, self.names, self.gravity, self._body_state)
        self._loads = [(self._numbers[load.body], load) for load in world.loads]
        self.start = self._initial()
        for pour in world.pours:  # until they are poured, bodies rest in the middle of their region
            own = self._slices[[entry.name for entry in world.bodies].index(pour.group)]
            self.start[own, PLACE] = 0.5 * (np.asarray(pour.low) + np.asarray(pour.high))
            self.start[own, VELOCITY] = self.start[own, MOMENTUM] = 0.0

    def _refuse_faces(self, needs_radius: np.ndarray) -> None:
        """Refuse laws from materials alone between bodies with faces: Hertz's theory gives a flat gap no stiffness."""
        if not needs_radius.any():
            return
        owners = np.unique(self.owner[self.flat == FACES])
        for i, j in first_pairs(self.law_table.class_of[owners]):
            law = self.law_table.between(owners[i], owners[j])
            if law >= 0 and needs_radius[law]:
                a, b = self.names[owners[i]], self.names[owners[j]]
                raise ValueError(
                    f"interaction of {a!r} and {b!r}: both have flat faces, and a flat gap has no stiffness in Hertz's "
                    "theory; give the law radius_limits besides materials, or a stiffness"
                )

    def _refuse_faces_on_meshes(self) -> None:
        """Refuse mesh walls for bodies with faces: a face may touch several triangles and edges of them at once."""
        faced = np.unique(self.owner[(self.kind == SOLID) & (self.flat == FACES)])
        for wall in np.unique(self.owner[self.kind == MESH]):
            touched = faced[self.law_table.between(np.full(len(faced), wall), faced) >= 0]
            if len(touched):
                raise ValueError(
                    f"shape of {self.names[touched[0]]!r} must not have flat faces to touch the mesh wall "
                    f"{self.names[wall]!r}: use a Superellipsoid, or make the wall of half-spaces, boxes and cavities; "
                    "World(pairs=...) can leave out the pair"
                )

    def _springs(self, world: World) -> None:
        self.ends, self.springs = np.zeros((len(world.springs), 2), np.int64), np.zeros((len(world.springs), SPRING))
        for k, spring in enumerate(world.springs):
            i = self._numbers[spring.a]
            j = -1 if spring.b is None else self._numbers[spring.b]
            point_a, point_b = np.asarray(spring.point_a), np.asarray(spring.point_b)
            a = self.axes[i].T @ (point_a - self.centre[i])
            b = point_b if j < 0 else self.axes[j].T @ (point_b - self.centre[j])
            body = world[spring.a]
            ends = [body.position + body.rotation.apply(point_a), point_b]
            if spring.b is not None:
                body = world[spring.b]
                ends[1] = body.position + body.rotation.apply(point_b)
            length = np.linalg.norm(ends[1] - ends[0]) if spring.length is None else spring.length
            self.ends[k] = i, j
            self.springs[k] = *a, *b, spring.stiffness, spring.damping, length

    def _initial(self) -> np.ndarray:
        """State rows of all bodies at the start."""
        rows, spin = np.empty((len(self.names), STATE)), np.empty((len(self.names), 3))
        for own, entry in zip(self._slices, self.world.bodies):
            rows[own, PLACE], rows[own, VELOCITY], spin[own] = entry.position, entry.velocity, entry.angular_velocity
        rotation = Rotation.concatenate([entry.rotation for entry in self.world.bodies])
        turn = rotation * Rotation.from_matrix(self.axes)
        rows[:, PLACE] += rotation.apply(self.centre)
        rows[:, TURN] = turn.as_quat()
        momentum = turn.apply(self.inertia[:, MOMENTS] * turn.apply(spin, inverse=True))
        rows[:, MOMENTUM] = np.where(self.free[:, None], momentum, spin)
        for own, entry in zip(self._slices, self.world.bodies):
            if isinstance(entry, Body) and callable(entry.motion):
                rows[own] = self.moved(own.start, entry, 0.0)
        return rows

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

    def _body_state(self, name: str, y: np.ndarray) -> BodyState:
        """State of a body by its name, for torques of joints."""
        if name not in self._numbers:
            raise ValueError(f"there is no body {name!r}; there are {', '.join(self.names)}")
        return self.state_of(self._numbers[name], y)

    @property
    def is_alone(self) -> bool:
        """Whether no user-defined function has to be called between steps."""
        return not self.prescribed and not self.servos and not self._loads and not self.joints.size

    @property
    def driven(self) -> list[int]:
        """Numbers of the bodies that move regardless of their mass: prescribed ones and servos."""
        return [i for i, _ in (*self.prescribed, *self.servos)]

    def place_moved(self, time: float, y: np.ndarray) -> None:
        """Write the rows of all prescribed bodies to `y`."""
        for i, body in self.prescribed:
            y[i] = self.moved(i, body, time)

    @property
    def is_loaded(self) -> bool:
        """Whether there are user-defined loads."""
        return bool(self._loads)

    def load(self, time: float, y: np.ndarray, extra: np.ndarray) -> None:
        """Write the user-defined loads on the bodies in the state `y` to `extra`, empty if there are none."""
        extra[:] = 0.0
        for i, load in self._loads:
            add_load(extra, i, *load(time, self.state_of(i, y)))

    def tables(self, lanes: tuple[int, int, int, int] = (0, 0, 0, 0)) -> WorldTables:
        """The tables that compiled loops read, with their own copy of the poses; `lanes` as in `Shapes`."""
        table = self.shapes
        shapes = Shapes(
            solver=solver_address(),
            kind=table.kind,
            address=table.address,
            rows=table.rows,
            bounds=table.bounds,
            widths=half_widths(table.kind, table.bounds),
            bends=table.bends,
            surface=table.surface,
            implicit=table.implicit,
            poses=aligned((len(table.owner), 12)),
            flat=table.flat,
            radii=table.radii,
            powers=table.powers,
            sort=table.sort,
            lanes=lanes,
        )
        return WorldTables(
            inertia=self.inertia,
            gravity=self.gravity,
            ends=self.ends,
            springs=self.springs,
            owner=table.owner,
            labels=np.arange(len(table.owner)),
            local=table.local,
            principal=(table.local == np.eye(3, 4).ravel()).all(axis=1),
            body_labels=np.arange(len(self.names)),
            class_of=self.law_table.class_of,
            law_of=self.law_table.law_of,
            laws=in_lanes(self.laws, self.law_table.entries) if any(lanes) else self.laws,
            where=POINTS[self.world.force_point],
            extremes=self.extremes,
            fault=self.fault,
            periods=periods_of(self.world.periodic),
            local_damping=self.world.local_damping,
            shapes=shapes,
        )

    def frames(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (..., N, 3) and quaternions (..., N, 4) of the body frames for states (..., N, 13)."""
        turn = Rotation.from_quat(y[..., TURN].reshape(-1, 4))
        axes = Rotation.from_matrix(np.swapaxes(self.axes, -1, -2)).as_quat()
        body = turn * Rotation.from_quat(np.array(np.broadcast_to(axes, (*y.shape[:-1], 4))).reshape(-1, 4))
        shift = _turned(body, np.array(np.broadcast_to(self.centre, (*y.shape[:-1], 3))).reshape(-1, 3))
        position = y[..., PLACE] - shift.reshape(*y.shape[:-1], 3)
        return position, body.as_quat().reshape(*y.shape[:-1], 4)

    def spins(self, y: np.ndarray) -> np.ndarray:
        """Angular velocities (..., N, 3) for states (..., N, 13)."""
        turn = Rotation.from_quat(y[..., TURN].reshape(-1, 4))
        # Not from `inertia`, which is zero for bodies that outlets have removed by now: they turned in earlier frames.
        inverse = 1.0 / np.where(self.free[:, None], self.masses.moments, 1.0)
        inverse = np.broadcast_to(inverse, (*y.shape[:-1], 3))
        momentum = np.array(y[..., MOMENTUM]).reshape(-1, 3)
        spin = _turned(turn, turn.apply(momentum, inverse=True) * inverse.reshape(-1, 3)).reshape(*y.shape[:-1], 3)
        return np.where(self.free[:, None], spin, y[..., MOMENTUM])

    def all_pairs(self) -> np.ndarray:
        """All pairs of shapes that may touch, (M, 2); a half-space, hollow or round wall is always A."""
        a, b = np.triu_indices(len(self.owner), 1)
        swap = self.kind[b] != SOLID
        a, b = np.where(swap, b, a), np.where(swap, a, b)
        i, j = self.owner[a], self.owner[b]
        asked = (self.kind[b] == SOLID) & (i != j) & (self.law_table.between(i, j) >= 0)
        return np.ascontiguousarray(np.stack([a[asked], b[asked]], axis=1)).astype(np.int64)


def world_masses(world: World) -> Masses:
    """Mass properties of all bodies of a world; zero mass and moments where forces do not move them."""
    count = len(world.names)
    found = Masses(np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1)))
    start = 0
    for entry in world.bodies:
        own, masses = slice(start, start + len(entry.names)), _masses(entry)
        start = own.stop
        for table, part in zip(found, masses or ()):
            table[own] = part
    return found


def _masses(entry: Body | Group) -> Masses | None:
    """Mass properties of a body, as of a group of one, or of a group; None if forces do not move it."""
    if isinstance(entry, Group):
        return entry.masses
    mass = entry.mass_properties
    if mass is None:
        return None
    moments, axes = mass.principal()
    return Masses(np.array([mass.mass]), mass.centre[None], moments[None], axes[None])


def _turned(turn: Rotation, vectors: np.ndarray) -> np.ndarray:
    """The same bits for any number of vectors (K, 3), as a run has them in parts: SciPy rounds one alone otherwise."""
    twice = [0, 0] if len(vectors) == 1 else slice(None)
    rotated: np.ndarray = turn[twice].apply(vectors[twice])[: len(vectors)]
    return rotated
