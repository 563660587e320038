"""Many rigid bodies of one kind as arrays: shapes, poses, velocities, one density and one material."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..geometry.pose import PoseLike, draft
from ..io import validate
from ..io.spelling import Spelled
from ..shapes.checks.convexity import require_convex
from ..shapes.checks.formula import require_sound
from ..shapes.shape import Shape
from ..shapes.walls import WALLS
from .body import LIGHT, Motion, Piece
from .mass import Masses, of_stack
from .ranges import in_range


@dataclass(frozen=True, eq=False)
class Group(Spelled):
    """Many bodies of one kind among the bodies of a world, given by arrays.

    Body k of the group has the name ``name[k]`` in results.  Laws of contact are chosen by the name of the group, for
    its bodies with each other by ``(name, name)``.

    Parameters
    ----------
    name : str
        Name of the group, unique in its world.
    shape : Shape
        One bounded shape for all bodies, or a stack with one shape per body.
    poses
        Initial poses of the body frames in the world, a stack of shape (N,), as in :func:`tangency.contact`.  None for
        a stack of shapes that are poured, see :class:`Pour`.
    density : float
        Density [kg/m^3], from which masses, centres of mass and inertias follow.  Default 1000.
    material : optional
        See :class:`tangency.dynamics.World`.
    velocity, angular_velocity : (3,) or (N, 3) array_like
        Initial velocities of the centres of mass and angular velocities, in the world [m/s, rad/s].
    fixed : bool
        Whether the bodies never move.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> radii = np.random.default_rng(0).uniform(0.01, 0.02, (1000, 3))
    >>> places = 0.05 * np.stack(np.unravel_index(np.arange(1000), (10, 10, 10)), axis=1)
    >>> grains = tg.dynamics.Group("grains", tg.Ellipsoid(radii), (None, places), density=2500)
    >>> len(grains), grains.names[7]
    (1000, 'grains[7]')
    """

    name: str
    shape: Shape
    poses: PoseLike
    density: float | None = None
    material: object = None
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    fixed: bool = False

    rotation: Rotation = field(init=False, repr=False)  #: (N,) of the body frames at the start
    position: np.ndarray = field(init=False, repr=False)  #: (N, 3) of their origins [m]
    masses: Masses | None = field(init=False, repr=False)  #: None unless forces move the bodies

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"name must be text, got {self.name!r}")
        try:
            self._check()
        except (TypeError, ValueError) as error:
            raise type(error)(f"group {self.name!r}: {error}") from None

    def _check(self) -> None:
        put = object.__setattr__
        shape = self.shape
        if not isinstance(shape, Shape) or isinstance(shape, WALLS):
            raise TypeError(f"shape must be a bounded Shape or a stack of them, got {shape!r}")
        if not isinstance(self.fixed, bool | np.bool_):
            raise TypeError(f"fixed must be True or False, got {self.fixed!r}")
        if 0 in shape.batch_shape:
            raise ValueError(f"shape must have at least one body, got a stack of shape {shape.batch_shape}")
        require_sound(shape[(0,) * len(shape.batch_shape)] if shape.batch_shape else shape, "shape")
        require_convex(shape, "shape")  # every body of a stack
        if self.poses is None and len(shape.batch_shape) != 1:
            raise ValueError(f"shape must be a stack, one per body, if poses is None, got {shape!r}")
        waiting = np.zeros((*shape.batch_shape, 3))
        placed = draft((None, waiting) if self.poses is None else self.poses, "poses").filled()
        if len(placed.shape) != 1 or not placed.shape[0]:
            raise ValueError(f"poses must be a stack of shape (N,), N > 0, one pose per body, got shape {placed.shape}")
        count = placed.shape[0]
        if shape.batch_shape not in ((), (count,)):
            raise ValueError(f"shape must be one, or one per pose ({count}), got a stack of shape {shape.batch_shape}")
        put(self, "rotation", Rotation.from_matrix(placed.rotation))
        put(self, "position", np.array(placed.translation))
        for name, length in (("velocity", 1.0), ("angular_velocity", float(np.max(shape.bounding_radius)))):
            vectors = validate.vectors(getattr(self, name), name)
            if vectors.shape not in ((3,), (count, 3)):
                raise ValueError(f"{name} must have shape (3,) or ({count}, 3), got shape {vectors.shape}")
            if not np.abs(vectors).max() * length < LIGHT:
                raise ValueError(
                    f"{name} must keep all points of the bodies below the speed of light (3e8 m/s), "
                    f"got {validate.short(vectors)}"
                )
            if self.fixed and vectors.any():
                raise ValueError(f"{name} must be zero for fixed bodies, got {validate.short(vectors)}")
            put(self, name, np.array(np.broadcast_to(vectors, (count, 3))))
        density = validate.positive(
            validate.array(1000.0 if self.density is None else self.density, "density"), "density"
        )
        if density.shape:
            raise ValueError(f"density must be a single number, got shape {density.shape}")
        in_range(density, "density")
        put(self, "masses", None if self.fixed else self._masses(float(density)))

    def _masses(self, density: float) -> Masses:
        found = of_stack(self.shape.moments(), density)
        if not (found.mass > 0.0).all():
            k = int(np.argmin(found.mass > 0.0))
            raise ValueError(f"mass must be > 0, but the volume of shape[{k}] is {found.mass[k]:g}")
        in_range(found.mass, "mass")
        in_range(found.moments, "inertia", "principal moments of inertia")
        return Masses(*(np.array(np.broadcast_to(part, (len(self), *part.shape[1:]))) for part in found))

    def __len__(self) -> int:
        return len(self.position)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return tuple(f"{self.name}[{k}]" for k in range(len(self)))

    # ---- what the bodies of a world have in common ---------------------------------------------
    @property
    def free(self) -> bool:
        """Whether forces move the bodies."""
        return not self.fixed

    @property
    def bounded(self) -> bool:
        """Whether the bodies have a bounded shape: always."""
        return True

    @property
    def motion(self) -> Motion | None:
        """Groups have no prescribed motion."""
        return None

    @property
    def mechanism(self) -> None:
        """The bodies of a group are not links."""
        return None

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The shape, or the stack of shapes, with its pose in the bodies."""
        return (Piece(self.shape, np.eye(3), np.zeros(3)),)


class AllPieces(Sequence):
    """The shapes of every body of a world with their poses in it; those of a group are made when they are needed."""

    def __init__(self, entries: Sequence[Any]) -> None:
        self._entries = tuple(entries)
        self._first = np.concatenate([[0], np.cumsum([len(entry.names) for entry in entries])]).astype(np.int64)

    def __len__(self) -> int:
        return int(self._first[-1])

    def blocks(self) -> Iterator[tuple[slice, tuple[Piece, ...]]]:
        """Numbers and pieces of each body or group; the shape of a group may be a stack."""
        for first, stop, entry in zip(self._first, self._first[1:], self._entries):
            yield slice(int(first), int(stop)), entry.pieces

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[k] for k in range(len(self))[index])
        number = range(len(self))[index]
        which = int(np.searchsorted(self._first, number, side="right")) - 1
        entry = self._entries[which]
        if not isinstance(entry, Group) or not entry.shape.batch_shape:
            return entry.pieces
        shape = entry.shape[number - int(self._first[which])]
        return (entry.pieces[0]._replace(shape=shape),)
