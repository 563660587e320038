"""Planar worlds: planar bodies as bodies in space that move in the plane z = 0.

The engine is that of space.  A planar shape becomes a lens (``shapes/lens.py``), a line a half-space.  Bodies start
in the plane with velocities in it; all contacts lie in it, so nothing drives them out, and what does is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..io.numbers import number, positive
from ..planar.pose import PlanarPoseLike
from ..planar.pose import as_pose as as_planar_pose
from ..planar.shape import Shape
from ..planar.shapes.line import Line
from ..shapes import HalfSpace
from ..shapes.lens import Lens
from .body import Body, Motion
from .interaction import Interaction
from .trajectory import Trajectory
from .world import World

OUT_OF_PLANE = 1e-9  # [m] per metre of size: more than rounding errors


class PlanarTrack(NamedTuple):
    """Motion of one body in the plane; arrays have one entry per frame."""

    time: np.ndarray  #: (F,) [s]
    angle: np.ndarray  #: (F,) of the body frame, counter-clockwise, continuous [rad]
    position: np.ndarray  #: (F, 2) origin of the body frame [m]
    centre_of_mass: np.ndarray  #: (F, 2) [m]
    velocity: np.ndarray  #: (F, 2) of the centre of mass [m/s]
    rate: np.ndarray  #: (F,) angular velocity, counter-clockwise [rad/s]


def planar_body(
    name: str,
    shape: Shape | Sequence[Shape | tuple[Shape, PlanarPoseLike]],
    pose: PlanarPoseLike = None,
    *,
    density: float | None = None,
    mass: float | None = None,
    inertia: float | None = None,
    centre_of_mass: ArrayLike | None = None,
    velocity: ArrayLike = (0.0, 0.0),
    rate: float = 0.0,
    fixed: bool | None = None,
    motion: Callable[[float], tuple[Any, ...]] | None = None,
    material: object = None,
) -> Body:
    """A planar rigid body for a world in space.

    Parameters
    ----------
    name : str
        Name of the body, unique in its world.
    shape : planar.Shape, or a sequence of these or of pairs (shape, pose in the body)
        Bounded shapes, or a `planar.Line`, which is fixed.
    pose : optional
        Initial pose, ``(angle, translation)`` or as in :func:`tangency.planar.contact`.
    density : float, optional
        Mass per area [kg/m^2], default 1000; or `mass` [kg].
    inertia : float, optional
        Moment of inertia about the centre of mass [kg m^2]; default that of uniform plates.
    centre_of_mass : (2,) array_like, optional
        In the body frame [m]; default that of the shapes.
    velocity, rate : (2,) array_like, float
        Initial velocity of the centre of mass [m/s] and angular velocity, counter-clockwise [rad/s].
    fixed : bool, optional
        The body never moves; default for lines.
    motion : callable, optional
        Function of the time [s] that returns the pose ``(angle, translation)`` which the body follows, or
        ``(angle, translation, rate, velocity)`` with its derivatives.
    material : optional
        See :class:`World`.

    Returns
    -------
    Body

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency import planar
    >>> disc = tg.dynamics.planar_body("disc", planar.Circle(0.1), (0.0, [0, 0.5]), mass=2.0, rate=-3.0)
    >>> float(disc.mass_properties.inertia[2, 2].round(12)), disc.angular_velocity.tolist()
    (0.01, [0.0, 0.0, -3.0])
    """
    pieces = _pieces(shape)
    space = [_in_space(piece, turn, place) for piece, turn, place in pieces]
    solid = [entry for entry in pieces if not isinstance(entry[0], Line)]
    turn, place = as_planar_pose(pose)
    if turn.ndim != 1:
        raise ValueError(f"pose must be a single pose, got a stack of shape {turn.shape[:-1]}")
    # A line is fixed unless given a mass or a motion, like a half-space.
    free = motion is None and not (fixed or (fixed is None and not solid and mass is None))
    options: dict[str, Any] = {"fixed": fixed, "material": material}
    if motion is not None:
        options["motion"] = _motion_in_space(motion)
        fast = {"velocity": velocity if np.any(velocity) else None, "rate": rate if np.any(rate) else None}
        _refuse({"pose": pose, **fast}, "with a motion, which determines it")
    else:
        options["pose"] = _matrix(turn, place)
        options["velocity"] = _vector(velocity, "velocity")
        options["angular_velocity"] = (0.0, 0.0, number(rate, "rate"))
    if free:
        options |= _mass(solid, density, mass, inertia, centre_of_mass)
    else:
        unused = {"density": density, "mass": mass, "inertia": inertia, "centre_of_mass": centre_of_mass}
        _refuse(unused, "that is fixed or has a motion")
    return Body(name, space, **options)


def _refuse(unused: dict[str, Any], body: str) -> None:
    for name, value in unused.items():
        if value is not None:
            raise ValueError(f"{name} must not be given for a body {body}, got {value!r}")


def planar_world(
    bodies: Sequence[Body], gravity: ArrayLike = (0.0, -9.81), interaction: Interaction | None = None, **options: Any
) -> World:
    """A :class:`World` of planar bodies, with gravity in the plane; other options are those of World.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency import planar
    >>> world = tg.dynamics.planar_world(
    ...     [
    ...         tg.dynamics.planar_body("ground", planar.Line([0, 1])),
    ...         tg.dynamics.planar_body("ball", planar.Circle(0.1), (0.0, [0, 0.3]), mass=1.0),
    ...     ],
    ...     interaction=tg.dynamics.Interaction(tg.forces.Flores(stiffness=1e5, exponent=1.0, restitution=0.5)),
    ... )
    >>> track = tg.dynamics.planar_track(tg.dynamics.simulate(world, 0.2, output_interval=0.1), "ball")
    >>> track.position[1].round(6).tolist()
    [0.0, 0.25095]
    """
    world = World(tuple(bodies), gravity=_vector(gravity, "gravity"), interaction=interaction, **options)
    for body in world.bodies:
        if not isinstance(body, Body):
            raise TypeError(f"bodies must be made by planar_body, got the group {body.name!r}")
        _require_planar(body)
    return world


def planar_track(trajectory: Trajectory, name: str) -> PlanarTrack:
    """The motion of one body of a planar world.

    Raises
    ------
    ValueError
        If the motion left the plane z = 0.
    """
    k = trajectory.number(name)
    place, spin = trajectory.position[:, k], trajectory.angular_velocity[:, k]
    quaternion = trajectory.quaternion[:, k]
    size = max(float(np.abs(trajectory.position).max()), 1.0)
    if np.abs(place[:, 2]).max() > OUT_OF_PLANE * size or np.abs(quaternion[:, :2]).max() > OUT_OF_PLANE:
        raise ValueError(f"the motion of {name!r} left the plane z = 0: it is not a planar motion")
    angle = np.unwrap(2.0 * np.arctan2(quaternion[:, 2], quaternion[:, 3]))
    centre, velocity = trajectory.centre_of_mass[:, k, :2], trajectory.velocity[:, k, :2]
    return PlanarTrack(trajectory.time, angle, place[:, :2], centre, velocity, spin[:, 2])


def _pieces(shape: Any) -> list[tuple[Shape, np.ndarray, np.ndarray]]:
    entries = [shape] if isinstance(shape, Shape) else shape
    try:
        entries = list(entries)
    except TypeError:
        raise TypeError(f"shape must be a planar Shape or a sequence of them, got {shape!r}") from None
    pieces = []
    for k, entry in enumerate(entries):
        item, pose = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, None)
        if not isinstance(item, Shape):
            raise TypeError(f"shape[{k}] must be a planar Shape or a pair (shape, pose), got {item!r}")
        if item.batch_shape:
            raise ValueError(f"shape[{k}] must be one body, got a stack of shape {item.batch_shape}")
        pieces.append((item, *as_planar_pose(pose, f"pose of shape[{k}]")))
    return pieces


def _in_space(shape: Shape, turn: np.ndarray, place: np.ndarray) -> tuple[Any, np.ndarray]:
    if isinstance(shape, Line):
        return HalfSpace([*shape.normal, 0.0], shape.offset), _matrix(turn, place)
    # The origin of a lens must lie inside.
    centre = shape.centroid
    c, s = turn
    moved = place + np.array([c * centre[0] - s * centre[1], s * centre[0] + c * centre[1]])
    inside = shape if not np.any(centre) else shape.seen_from(centre)
    return Lens(inside), _matrix(turn, moved)


def _mass(solid: list, density: Any, mass: Any, inertia: Any, centre_of_mass: Any) -> dict[str, Any]:
    if density is not None and mass is not None:
        raise ValueError("density and mass must not both be given")
    if not solid and (mass is None or inertia is None):
        raise ValueError("mass and inertia must be given for a body without bounded shapes, or fixed=True")
    areas, centres, polar = [], [], []
    for shape, turn, place in solid:
        m = shape.moments().trusted(type(shape).__name__)
        c, s = turn
        x, y = m.centroid
        areas.append(float(m.area))
        centres.append(place + np.array([c * x - s * y, s * x + c * y]))
        polar.append(float(m.inertia))
    area = sum(areas)
    whole = (
        positive(mass, "mass")
        if mass is not None
        else area * positive(1000.0 if density is None else density, "density")
    )
    own = sum(a * c for a, c in zip(areas, centres)) / area if area > 0.0 else np.zeros(2)
    centre = own if centre_of_mass is None else validate.vectors(centre_of_mass, "centre_of_mass", 2)
    if inertia is None:
        if not area > 0.0:
            raise ValueError("inertia must be given, since the shapes have no area")
        inertia = whole / area * sum(j + a * float(((c - centre) ** 2).sum()) for a, c, j in zip(areas, centres, polar))
    inertia = positive(inertia, "inertia")
    # Only the moment about z matters; equal ones keep the rotation about it free of gyroscopic terms.
    return {"mass": whole, "inertia": [inertia] * 3, "centre_of_mass": [*centre, 0.0]}


def _matrix(turn: np.ndarray, place: np.ndarray) -> np.ndarray:
    matrix = np.eye(4)
    matrix[0, :2], matrix[1, :2] = (turn[0], -turn[1]), (turn[1], turn[0])
    matrix[:2, 3] = place
    return matrix


def _vector(value: Any, name: str) -> list[float]:
    vector = validate.vectors(value, name, 2)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be two numbers, got an array of shape {vector.shape}")
    return [*vector.tolist(), 0.0]


def _motion_in_space(motion: Callable[[float], tuple[Any, ...]]) -> Callable[[float], Motion]:
    if not callable(motion):
        raise TypeError(f"motion must be a function of time that returns (angle, translation), got {motion!r}")

    def in_space(time: float) -> Motion:
        found = motion(time)
        if not isinstance(found, tuple) or len(found) not in (2, 4):
            raise TypeError(
                f"motion must return (angle, translation) or (angle, translation, rate, velocity), got {found!r}"
            )
        pose = _matrix(*as_planar_pose(found[:2], "motion"))
        if len(found) == 2:
            return Motion(pose)
        return Motion(pose, _vector(found[3], "velocity of motion"), (0.0, 0.0, number(found[2], "rate of motion")))

    return in_space


def _require_planar(body: Body) -> None:
    """Refuse bodies whose motion or shape is not in the plane."""
    fast = np.any(np.asarray(body.velocity)[2:]) or np.any(np.asarray(body.angular_velocity)[:2])
    for piece in body.pieces:
        flat = isinstance(piece.shape, Lens) or (isinstance(piece.shape, HalfSpace) and not piece.shape.normal[2])
        if fast or not flat or piece.position[2] or body.position[2]:
            raise ValueError(f"bodies must be made by planar_body, got {body.name!r}")
