"""A mechanism: links on joints, with shapes that make contact, among the bodies of a world."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...geometry.pose import PoseLike, as_pose
from ...io import validate
from ...io.spelling import Spelled, suggestion
from ...shapes.shape import Shape
from ..body import Body, Motion, Piece, _pieces
from .elements import JointLimit
from .link import Link, model_of
from .loop import Loop, LoopFrames
from .model_files import is_file, read_model
from .pinocchio import pin, transform
from .place import Place, place_in, refuse_jumps
from .soundness import OPEN_LOOP, refuse_massless

LIMITLESS = 1e100  # of joints without limits in a model, which are infinite or the largest number


class JointState(NamedTuple):
    """Argument of a torque: the whole state of a mechanism and its world at one instant."""

    position: np.ndarray  #: (nq,) as Pinocchio orders it
    velocity: np.ndarray  #: (nv,)
    mechanism: Mechanism
    body: Callable[[str], Any]  #: the :class:`BodyState` of any body of the world, by its name

    def of(self, joint: str) -> tuple[float, float]:
        """Position and velocity of a joint of one degree of freedom."""
        place = self.mechanism.place_of(joint)
        return place.read(self.position), float(self.velocity[place.v])


class LinkMotion(NamedTuple):
    """The motion of a link: not a function of time, but that of the joints of its mechanism."""

    mechanism: Mechanism
    joint: int  #: number of the joint that carries the link

    def __call__(self, time: float) -> Motion:
        """Pose and velocity at the start."""
        p, own = pin(), self.mechanism
        data = own.model.createData()
        p.forwardKinematics(own.model, data, own.position, own.velocity)
        home, twist = data.oMi[self.joint], data.v[self.joint]
        return Motion((home.rotation, home.translation), home.rotation @ twist.linear, home.rotation @ twist.angular)


@dataclass(frozen=True, eq=False)
class Mechanism(Spelled):
    """Links on joints, as part of a world.

    The dynamics are those of Pinocchio; contacts, laws, friction, springs between bodies, energies and files are those
    of all bodies.  Every link with a joint is a body of the world, named ``mechanism/link``, whose frame is that of
    its joint.

    Parameters
    ----------
    name : str
        Name of the mechanism, unique in its world.
    model : pinocchio.Model, path, or sequence of Link
        The joints and links: a model, a URDF or MJCF file, or links described in Python.
    shapes : mapping of str to shapes
        Shapes by link or frame of the model, each as in :class:`Body`, with poses in that frame; besides those of
        `Link`.
    position, velocity : (nq,) and (nv,) array_like, or mapping of joint to number
        Initial state, as Pinocchio orders it, or of some joints of one degree of freedom; default zero, or velocities
        that keep loops closed while prescribed joints move.
    elements : sequence
        :class:`JointSpring`, :class:`JointLimit`, :class:`PassiveTorque`, or objects of your own with the attribute
        ``joint`` and the methods ``torque(position, velocity)`` and ``energy(position)``.
    torque : callable, optional
        Function of the time [s] and the :class:`JointState` that returns the (nv,) torques and forces of the joints, or
        a mapping of joint to torque.
    prescribed : mapping of str to callable
        Functions of the time that return position, velocity and acceleration of a joint of one degree of freedom.
    loops : sequence of Loop
        Points that two links share.
    loop_rate : float
        Rate with which errors of loops decay [1/s].
    pose : optional
        Pose of the whole mechanism in the world.
    floating : bool
        Whether the first link of a file moves freely; its joint is named ``root_joint``.
    collisions : bool
        Whether the collision shapes of a file make contact.
    limits : float, optional
        Stiffness of stops, see :class:`JointLimit`, at the limits of position in a file or model.  Without it these
        have no effect, as those of velocity and torque have none.
    material : optional
        See :class:`World`.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> rod = tg.dynamics.Link("rod", axis=[0, 1, 0], mass=1, centre_of_mass=[0, 0, -1], inertia=[1e-3] * 3)
    >>> pendulum = tg.dynamics.Mechanism("pendulum", [rod], position={"rod": 0.1})
    >>> run = tg.dynamics.simulate(tg.dynamics.World([], mechanisms=[pendulum]), 1.0)
    >>> run.joint("rod").position.shape
    (101,)
    """

    name: str
    model: Any
    shapes: Mapping[str, Shape | Sequence[Any]] = field(default_factory=dict)
    position: Any = None
    velocity: Any = None
    elements: Sequence[Any] = ()
    torque: Callable[[float, JointState], Any] | None = None
    prescribed: Mapping[str, Callable[[float], Any]] = field(default_factory=dict)
    loops: Sequence[Loop] = ()
    loop_rate: float = 100.0
    pose: PoseLike = None
    floating: bool = False
    collisions: bool = False
    limits: float | None = None
    material: object = None

    bodies: tuple[Body, ...] = field(init=False, repr=False)  #: its links as bodies of a world
    loop_frames: LoopFrames | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"name must be text, got {self.name!r}")
        try:
            self._check()
        except (TypeError, ValueError) as error:
            raise type(error)(f"mechanism {self.name!r}: {error}") from None

    # ---- construction --------------------------------------------------------------------------
    def _check(self) -> None:
        put = object.__setattr__
        model, shapes = self._made()
        put(self, "model", model)
        self._refuse_unknown_physics()
        rotation, position = as_pose(self.pose)
        validate.single({"pose": position.shape[:-1]})
        self._move_base(transform(rotation, position))
        for name in ("loops", "elements"):
            if isinstance(getattr(self, name), str) or not isinstance(getattr(self, name), Sequence):
                raise TypeError(f"{name} must be a sequence, such as a list, got {getattr(self, name)!r}")
            put(self, name, tuple(getattr(self, name)))
        rate = validate.positive(validate.array(self.loop_rate, "loop_rate"), "loop_rate")
        put(self, "loop_frames", self.with_loops(model, self.loops, float(rate)) if self.loops else None)
        asked = {"position": self.position, "velocity": self.velocity}
        put(self, "position", self._coordinates("position"))
        put(self, "velocity", self._coordinates("velocity"))
        refuse_massless(model, self.position)
        for element in self.elements:
            if not all(hasattr(element, name) for name in ("joint", "torque", "energy")):
                raise TypeError(f"elements must have joint, torque and energy, got {element!r}")
            refuse_jumps(self.place_of(element.joint), element)
        if self.limits is not None:
            put(self, "elements", (*self.elements, *self._stops()))
        put(self, "prescribed", dict(self.prescribed))
        for joint, motion in self.prescribed.items():
            self.place_of(joint)
            if not callable(motion):
                raise TypeError(f"prescribed[{joint!r}] must be a function of time, got {motion!r}")
        if self.torque is not None and not callable(self.torque):
            raise TypeError(f"torque must be a function of time and state, got {self.torque!r}")
        self._place_prescribed(asked)
        self._refuse_open_loops(asked["velocity"] is not None)
        put(self, "bodies", self._as_bodies(self._all_shapes(shapes)))

    def _made(self) -> tuple[Any, dict[str, tuple[Piece, ...]]]:
        p, given = pin(), self.model
        shapes: dict[str, tuple[Piece, ...]] = {}
        if isinstance(given, p.Model):
            made = p.Model(given)
        elif is_file(given):
            return read_model(given, self.floating, self.collisions)
        else:
            links = tuple(given) if isinstance(given, Sequence) else ()
            if not links or not all(isinstance(link, Link) for link in links):
                raise TypeError(f"model must be a pinocchio.Model, a file, or a sequence of Link, got {given!r}")
            made, shapes = model_of(links)
        for name in ("floating", "collisions"):
            if getattr(self, name):
                raise ValueError(f"{name} must be False unless the model is a file")
        if made.njoints < 2:
            raise ValueError("model must have at least one joint that moves")
        return made, shapes

    def _refuse_unknown_physics(self) -> None:
        """Refuse what a model may contain but the dynamics do not."""
        friction = np.abs([*self.model.lowerDryFrictionLimit, *self.model.upperDryFrictionLimit, 0.0])
        if friction.max() > 0.0:
            raise ValueError(
                f"model must not contain dry friction of joints, got {friction.max():g}: set it to zero, and give it "
                "as a torque if it matters"
            )

    def _stops(self) -> list[JointLimit]:
        """Stops at the limits of the model."""
        low, high, found = self.model.lowerPositionLimit, self.model.upperPositionLimit, []
        for joint, own in zip(self.joints, list(self.model.joints)[1:]):
            bounds = float(low[own.idx_q]), float(high[own.idx_q])
            if own.nq == own.nv == 1 and any(abs(bound) < LIMITLESS for bound in bounds):
                found.append(JointLimit(joint, *bounds, stiffness=self.limits))  # type: ignore[arg-type]
        if not found:
            raise ValueError(f"limits must be omitted for a model without limits of joints, got {self.limits!r}")
        return found

    def _move_base(self, pose: Any) -> None:
        for joint in range(1, self.model.njoints):
            if self.model.parents[joint] == 0:
                self.model.jointPlacements[joint] = pose * self.model.jointPlacements[joint]
        for frame in list(self.model.frames)[1:]:
            if frame.parentJoint == 0:
                frame.placement = pose * frame.placement

    def with_loops(self, model: Any, loops: Sequence[Loop], rate: float) -> LoopFrames:
        """Add the points of loops to a copy of the model."""
        p, ends = pin(), []
        for k, loop in enumerate(loops):
            if not isinstance(loop, Loop):
                raise TypeError(f"loops[{k}] must be a Loop, got {loop!r}")
            pair = []
            for side, name, point in (("a", loop.a, loop.point_a), ("b", loop.b, loop.point_b)):
                frame = model.frames[0] if name is None else self.frame_of(name, f"loops[{k}].{side}")
                home = frame.placement * p.SE3(np.eye(3), np.asarray(point))
                made = p.Frame(f"loop {k} {side}", frame.parentJoint, 0, home, p.FrameType.OP_FRAME)
                pair.append(model.addFrame(made))
            ends.append((pair[0], pair[1]))
        return LoopFrames(model, ends, rate)

    def _coordinates(self, kind: str) -> np.ndarray:
        """The initial positions or velocities as Pinocchio orders them."""
        given, size = getattr(self, kind), self.model.nq if kind == "position" else self.model.nv
        start = pin().neutral(self.model) if kind == "position" else np.zeros(size)
        if given is None:
            return start
        if isinstance(given, Mapping):
            for joint, value in given.items():
                place, number = self.place_of(joint), validate.array(value, f"{kind}[{joint!r}]")
                if number.shape:
                    raise ValueError(f"{kind}[{joint!r}] must be a single number, got shape {number.shape}")
                if kind == "position":
                    place.write(start, float(number))
                else:
                    start[place.v] = float(number)
            return start
        array = validate.array(given, kind)
        if array.shape != (size,):
            raise ValueError(f"{kind} must have shape ({size},), got shape {array.shape}")
        if kind == "position" and np.abs(pin().normalize(self.model, array) - array).max() > 1e-6:
            raise ValueError("position must contain quaternions, and cosine and sine, of length 1")
        return array

    def _place_prescribed(self, asked: dict[str, Any]) -> None:
        """Put prescribed joints where they begin, unless `asked` to begin elsewhere."""
        for joint in self.prescribed:
            place = self.place_of(joint)
            position, velocity, _ = self.prescribed_at(joint, 0.0)
            pairs = {
                "position": (place.difference(place.read(self.position), position), position),
                "velocity": (float(self.velocity[place.v]) - velocity, velocity),
            }
            for kind, (off, begins) in pairs.items():
                given = asked[kind]
                given = joint in given if isinstance(given, Mapping) else given is not None
                if given and abs(off) > 1e-6 * max(1.0, abs(begins)):
                    raise ValueError(
                        f"{kind} of {joint!r} must be omitted or equal to that of prescribed[{joint!r}] at the start, "
                        f"{begins:g}, got {begins + off:g}"
                    )
            place.write(self.position, position)
            self.velocity[place.v] = velocity

    def _all_shapes(self, own: dict[str, tuple[Piece, ...]]) -> dict[int, list[Piece]]:
        """Shapes by joint, in its frame."""
        found: dict[int, list[Piece]] = {}
        named = [*own.items(), *((name, _pieces(shape)) for name, shape in dict(self.shapes).items())]
        for name, pieces in named:
            frame = self.frame_of(name, "shapes")
            for piece in pieces:
                home = frame.placement * transform(piece.rotation, piece.position)
                moved = Piece(piece.shape, home.rotation.copy(), home.translation.copy())
                found.setdefault(frame.parentJoint, []).append(moved)
        return found

    def _as_bodies(self, shapes: dict[int, list[Piece]]) -> tuple[Body, ...]:
        made = []
        for joint in range(self.model.njoints):
            pieces = [(piece.shape, (piece.rotation, piece.position)) for piece in shapes.get(joint, [])]
            motion: Any = {"motion": LinkMotion(self, joint)} if joint else {"fixed": True}
            if joint or pieces:  # the base is a body only if it can touch
                made.append(Body(self.link_name(joint), pieces, material=self.material, **motion))
        return tuple(made)

    def _refuse_open_loops(self, given: bool) -> None:
        """Refuse a state in which loops are open or open; unless `given`, find velocities with which they do not."""
        if self.loop_frames is None:
            return
        p, data = pin(), self.model.createData()
        p.framesForwardKinematics(self.model, data, self.position)
        gap = float(np.abs(self.loop_frames.gaps(data)).max())
        if gap > OPEN_LOOP:
            raise ValueError(
                f"position must close all loops, got a gap of {gap:.3g} m; tangency.dynamics.closed_position "
                "finds a position that does"
            )
        p.computeJointJacobians(self.model, data, self.position)
        held = [self.place_of(joint).v for joint in self.prescribed]
        matrix = np.concatenate([self.loop_frames.jacobian(data), np.eye(self.model.nv)[held]])
        opening = matrix @ self.velocity
        opening[len(self.loop_frames) :] = 0.0  # prescribed joints have their velocities already
        if np.abs(opening).max() > OPEN_LOOP and not given:
            # The least change that keeps the loops closed.
            self.velocity[:] -= np.linalg.lstsq(matrix, opening, rcond=1e-10)[0]
            opening = matrix[: len(self.loop_frames)] @ self.velocity
        if np.abs(opening).max() > OPEN_LOOP:
            raise ValueError(
                f"velocity must keep all loops closed, but they open with {np.abs(opening).max():.3g} m/s; omit it to "
                "derive it from prescribed joints"
            )

    # ---- names ---------------------------------------------------------------------------------
    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints."""
        return tuple(self.model.names)[1:]

    def link_name(self, joint: int) -> str:
        """Name of the body that a joint carries: ``mechanism/link``."""
        body = pin().FrameType.BODY
        names = [frame.name for frame in self.model.frames if frame.parentJoint == joint and frame.type == body]
        return f"{self.name}/{names[0] if names else self.model.names[joint]}"

    def frame_of(self, name: str, argument: str) -> Any:
        """The frame of a link, or another frame of the model."""
        frames = list(self.model.frames)
        types = pin().FrameType
        for kinds in ((types.BODY,), (types.OP_FRAME, types.SENSOR, types.FIXED_JOINT, types.JOINT)):
            for frame in frames:
                if frame.name == name and frame.type in kinds:
                    return frame
        known = [frame.name for frame in frames if frame.type == types.BODY]
        raise ValueError(f"{argument} must name a link, got {name!r}; there are {', '.join(known)}")

    def __repr__(self) -> str:
        return f"Mechanism({self.name!r}, joints: {', '.join(self.joints)})"

    def place_of(self, joint: str) -> Place:
        """Place of a joint of one degree of freedom in the arrays of Pinocchio."""
        if joint not in self.joints:
            raise ValueError(
                f"there is no joint {joint!r}; there are {', '.join(self.joints)}{suggestion(joint, self.joints)}"
            )
        return place_in(self.model, joint)

    def prescribed_at(self, joint: str, time: float) -> tuple[float, float, float]:
        """Position, velocity and acceleration of a prescribed joint."""
        answer = self.prescribed[joint](time)
        values = validate.array(answer, f"prescribed[{joint!r}] at t = {time:g} s")
        if values.shape != (3,):
            raise ValueError(f"prescribed[{joint!r}] must return position, velocity and acceleration, got {answer!r}")
        return float(values[0]), float(values[1]), float(values[2])

    def adjacent(self, a: Body, b: Body) -> bool:
        """Whether two of its bodies are connected by one joint."""
        i, j = (getattr(body.motion, "joint", 0) for body in (a, b))
        return self.model.parents[i] == j or self.model.parents[j] == i
