"""A rigid body: shapes, mass, initial pose and initial velocity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..geometry.pose import PoseLike, as_pose
from ..io import validate
from ..io.spelling import Spelled
from ..shapes import MeshWall
from ..shapes.checks.formula import require_sound
from ..shapes.shape import Shape
from ..shapes.walls import WALLS
from .mass import Mass, check_inertia, of_shapes
from .ranges import in_range
from .servo import Servo

LIGHT = 3e8  # [m/s]


class Piece(NamedTuple):
    """A shape and its pose in the body."""

    shape: Shape  #: a Shape, possibly a Cavity
    rotation: np.ndarray  #: (3, 3), shape to body
    position: np.ndarray  #: (3,) [m]


class Motion(NamedTuple):
    """Pose and velocity of a prescribed body at one instant."""

    pose: PoseLike  #: of the body frame, as `contact` takes it
    velocity: ArrayLike | None = None  #: of the body frame's origin [m/s]; default from differences of the poses
    angular_velocity: ArrayLike | None = None  #: in the world [rad/s]; default as above


@dataclass(frozen=True, eq=False)
class Body(Spelled):
    """One rigid body of a world.

    Parameters
    ----------
    name : str
        Name of the body, unique in its world.
    shape : Shape, Cavity, or a sequence of these or of pairs (shape, pose in the body)
        The shapes that make contact.  Empty for a body without contact.
    pose : optional
        Initial pose of the body frame in the world, as in :func:`tangency.contact`.
    density : float
        Density [kg/m^3], from which mass, centre of mass and inertia of the shapes follow.  Default 1000.
    mass : float, optional
        Mass [kg], instead of a density; it is distributed over the shapes.
    inertia : (3, 3) or (3,) array_like, optional
        Inertia about the centre of mass, in the axes of the body [kg m^2].
    centre_of_mass : (3,) array_like, optional
        Centre of mass in the body frame [m]; default that of the shapes.
    velocity, angular_velocity : (3,) array_like
        Initial velocity of the centre of mass and angular velocity, in the world [m/s, rad/s].
    material : optional
        See :class:`tangency.dynamics.World`.
    fixed : bool, optional
        The body never moves; default for half-spaces and cavities without a mass.  A given mass then
        has no effect.
    motion : callable or Servo, optional
        Function of the time [s] that returns a :class:`Motion`, which the body follows regardless of forces; or a
        :class:`Servo`, which presses with a given force.

    Examples
    --------
    >>> import tangency as tg
    >>> ball = tg.dynamics.Body("ball", tg.Sphere(0.1), (None, [0, 0, 1]), density=7800)
    >>> round(ball.mass_properties.mass, 3)
    32.673
    """

    name: str
    shape: Shape | Sequence[Shape | tuple[Shape, PoseLike]]
    pose: PoseLike = None
    density: float | None = None
    mass: float | None = None
    inertia: ArrayLike | None = None
    centre_of_mass: ArrayLike | None = None
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    material: object = None
    fixed: bool | None = None
    motion: Callable[[float], Motion] | Servo | None = None

    pieces: tuple[Piece, ...] = field(init=False, repr=False)  #: shapes with their poses in the body
    rotation: Rotation = field(init=False, repr=False)  #: of the body frame at the start
    position: np.ndarray = field(init=False, repr=False)  #: (3,) position of its origin [m]
    mass_properties: Mass | None = field(init=False, repr=False)  #: None unless forces move the body

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"name must be text, got {self.name!r}")
        try:
            self._check()
        except (TypeError, ValueError) as error:
            raise type(error)(f"body {self.name!r}: {error}") from None

    def _check(self) -> None:
        put = object.__setattr__
        pieces = _pieces(self.shape)
        rotation, position = as_pose(self.pose)
        validate.single({"pose": position.shape[:-1]})
        put(self, "pieces", pieces)
        put(self, "rotation", Rotation.from_matrix(rotation))
        put(self, "position", np.array(position))
        for name in ("velocity", "angular_velocity"):
            vector = validate.vectors(getattr(self, name), name)
            validate.single({name: vector.shape[:-1]})
            put(self, name, vector)
        self._check_speeds(pieces)
        if not (self.motion is None or callable(self.motion) or isinstance(self.motion, Servo)):
            raise TypeError(f"motion must be a function of time that returns a Motion, or a Servo, got {self.motion!r}")
        fixed = self.fixed
        if not (fixed is None or isinstance(fixed, bool | np.bool_)):
            raise TypeError(f"fixed must be True, False or None, got {fixed!r}")
        for name in ("mass", "density"):
            if getattr(self, name) is not None:
                in_range(validate.positive(validate.array(getattr(self, name), name), name), name)
        if fixed is None:
            unbounded = any(isinstance(piece.shape, WALLS) for piece in pieces)
            fixed = unbounded and self.mass is None and self.motion is None
        if self.motion is not None:
            speeds = [name for name in ("velocity", "angular_velocity") if np.any(getattr(self, name))]
            if (self.pose is not None and not isinstance(self.motion, Servo)) or speeds:
                name = ["pose", *speeds][-1]
                raise ValueError(f"{name} must not be given for a body with a motion, which determines it")
        if fixed and self.motion is not None:
            raise ValueError("fixed must be False for a body with a motion")
        if fixed and (np.any(self.velocity) or np.any(self.angular_velocity)):
            raise ValueError(f"velocity must be zero for a fixed body, got {validate.short(self.velocity)}")
        put(self, "fixed", bool(fixed))
        if self.free and any(isinstance(piece.shape, MeshWall) for piece in pieces):
            raise ValueError("fixed must be True, or motion given, for a body with a MeshWall: no force moves it")
        if self.density is not None and pieces and all(isinstance(piece.shape, WALLS) for piece in pieces):
            raise ValueError(
                f"density must not be given for a body of half-spaces and cavities only, got {self.density!r}"
            )
        if not self.free:  # has no effect, but must still be valid
            if self.inertia is not None:
                check_inertia(self.inertia)
            if self.centre_of_mass is not None:
                validate.vectors(self.centre_of_mass, "centre_of_mass")
        put(self, "mass_properties", None if not self.free else self._mass())
        if self.mass_properties is not None:
            in_range(self.mass_properties.mass, "mass")
            in_range(np.linalg.eigvalsh(self.mass_properties.inertia), "inertia", "principal moments of inertia")

    def _check_speeds(self, pieces: tuple[Piece, ...]) -> None:
        """Refuse relativistic speeds, at which numbers may overflow."""
        solid = [p for p in pieces if not isinstance(p.shape, WALLS)]
        reach = max((float(np.linalg.norm(p.position) + p.shape.bounding_radius) for p in solid), default=1.0)
        for name, length in (("velocity", 1.0), ("angular_velocity", reach)):
            vector = getattr(self, name)
            if not np.abs(vector).max() * length < LIGHT:
                raise ValueError(
                    f"{name} must keep all points of the body below the speed of light (3e8 m/s), "
                    f"got {validate.short(vector)}"
                )

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, as for a group of one body."""
        return (self.name,)

    @property
    def bounded(self) -> bool:
        """Whether the body has a bounded shape."""
        return any(not isinstance(piece.shape, WALLS) for piece in self.pieces)

    @property
    def mechanism(self) -> Any:
        """The :class:`Mechanism` of which the body is a link, or None."""
        return getattr(self.motion, "mechanism", None)

    @property
    def free(self) -> bool:
        """Whether forces move the body, on its own."""
        return not self.fixed and self.motion is None

    def _mass(self) -> Mass:
        solid = [piece for piece in self.pieces if not isinstance(piece.shape, WALLS)]
        inertia = None if self.inertia is None else check_inertia(self.inertia)
        for name in ("density", "mass"):
            value = getattr(self, name)
            if value is not None:
                number = validate.positive(validate.array(value, name), name)
                if number.shape:
                    raise ValueError(f"{name} must be a single number, got shape {number.shape}")
        if self.density is not None and self.mass is not None:
            raise ValueError("density and mass must not both be given")
        centre = None
        if self.centre_of_mass is not None:
            centre = validate.vectors(self.centre_of_mass, "centre_of_mass")
            validate.single({"centre_of_mass": centre.shape[:-1]})
        if not solid:
            if self.mass is None or inertia is None:
                raise ValueError("mass and inertia must be given for a body without bounded shapes, or fixed=True")
            return Mass(float(self.mass), np.zeros(3) if centre is None else centre, inertia)
        with np.errstate(all="ignore"):  # sizes beyond all range are refused below
            parts = [(piece.shape.moments(), piece.rotation, piece.position) for piece in solid]
            own = of_shapes(parts, 1000.0 if self.density is None else float(self.density))
        if not own.mass > 0.0 or not np.isfinite(own.mass):
            raise ValueError(f"mass must be > 0, but the volume of the shapes is {own.mass:g}: give mass and inertia")
        if self.mass is not None:
            factor = float(self.mass) / own.mass
            own = Mass(float(self.mass), own.centre, own.inertia * factor)
        if centre is not None and inertia is None:
            # The given centre replaces the computed one; unless given, the inertia is shifted to it.
            offset = own.centre - centre
            inertia = own.inertia + own.mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
        return Mass(own.mass, own.centre if centre is None else centre, own.inertia if inertia is None else inertia)


def _pieces(shape: Any) -> tuple[Piece, ...]:
    if isinstance(shape, Shape):
        shape = [shape]
    if isinstance(shape, str | type):
        raise TypeError(f"shape must be a Shape, got {_given(shape)}")
    try:
        entries = list(shape)
    except TypeError:
        raise TypeError(f"shape must be a Shape, a Cavity or a sequence of them, got {shape!r}") from None
    pieces = []
    for k, item in enumerate(entries):
        pose = None
        if isinstance(item, tuple) and len(item) == 2:
            item, pose = item
        if not isinstance(item, Shape):
            raise TypeError(f"shape[{k}] must be a Shape, a Cavity or a pair (shape, pose), got {_given(item)}")
        if item.batch_shape:
            raise ValueError(f"shape[{k}] must be one body, got a stack of shape {item.batch_shape}")
        rotation, position = as_pose(pose, f"pose of shape[{k}]")
        validate.single({f"pose of shape[{k}]": position.shape[:-1]})
        require_sound(item, f"shape[{k}]")
        pieces.append(Piece(item, np.array(rotation), np.array(position)))
    return tuple(pieces)


def _given(value: object) -> str:
    """A value that is no shape, for a message."""
    return f"the class {value.__name__}: call it with its parameters" if isinstance(value, type) else repr(value)
