"""Named bodies with poses, and the contacts between them."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

from ..contacts.query import contact
from ..geometry.pose import as_pose
from ..io.refusals import is_refusal
from ..io.spelling import nearest
from ..shapes.checks.formula import require_sound
from ..shapes.shape import Shape, ShapeError
from ..shapes.walls import WALLS

if TYPE_CHECKING:
    from ..contacts.result import Contact
    from .compound import Compound
    from .groups import Group
    from .lines import SceneFile
    from .mechanisms import Mechanism

COLOR = re.compile("#[0-9a-fA-F]{6}")


class SceneError(ValueError):
    """An error in a scene; the message is one sentence for its author.

    Attributes
    ----------
    path : tuple
        Names and indices of the table or key in the scene file, such as ``("body", 0, "radius")``.
    """

    def __init__(self, message: str, path: tuple[str | int, ...] = (), *, placed: bool = False) -> None:
        super().__init__(message)
        self.path = path
        self.placed = placed  # whether the message already names the file


@dataclass(frozen=True)
class Body:
    """One body of a scene.

    Attributes
    ----------
    name : str
    shape : Shape
        A single body, not a stack.
    pose : any pose that `contact` accepts; stored as a SciPy RigidTransform
        From the shape's frame to the world.
    color : str, optional
        ``#rrggbb``; by default chosen automatically.
    physics : dict
        For :mod:`tangency.dynamics`: density, mass, velocity, material, ... as in ``dynamics.Body``.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.scene import Body
    >>> Body("ball", tg.Sphere(0.5), (None, [0, 0, 1])).position.tolist()
    [0.0, 0.0, 1.0]
    """

    name: str
    shape: Shape
    pose: Any = None
    color: str | None = None
    physics: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Shape):
            raise SceneError(f"body {self.name!r}: shape must be a Shape, got {self.shape!r}")
        if self.shape.batch_shape != ():
            raise SceneError(
                f"body {self.name!r}: shape must be one body, got a stack of shape {self.shape.batch_shape}"
            )
        try:
            require_sound(self.shape, "shape")
        except ShapeError as error:
            raise SceneError(f"body {self.name!r}: {error}") from None
        if self.color is not None and not (isinstance(self.color, str) and COLOR.fullmatch(self.color)):
            raise SceneError(f"body {self.name!r}: color must look like '#4c78a8', got {self.color!r}")
        try:
            rotation, translation = as_pose(self.pose)
        except (TypeError, ValueError) as error:
            raise SceneError(f"body {self.name!r}: {error}") from None
        if translation.shape != (3,):
            raise SceneError(f"body {self.name!r}: pose must be one pose, got a stack of {translation.shape[:-1]}")
        pose = RigidTransform.from_components(translation, Rotation.from_matrix(rotation))
        object.__setattr__(self, "pose", pose)

    @property
    def rotation(self) -> np.ndarray:
        """(3, 3) rotation matrix, body to world."""
        return self.pose.rotation.as_matrix()

    @property
    def position(self) -> np.ndarray:
        """(3,) origin of the body in the world [m]."""
        return np.asarray(self.pose.translation)


@dataclass(frozen=True)
class Scene:
    """Bodies with distinct names, and the pairs to compute; a pair of compounds is that of all their parts.

    Attributes
    ----------
    bodies : tuple of Body
    title : str
    pairs : tuple of (name, name), optional
        Default: every pair except two half-spaces or cavities.
    options : dict
        Keyword arguments for `contact`, such as ``{"tol": 1e-10}``.
    simulation : dict
        The table ``[simulation]``, for :func:`tangency.dynamics.world_of`.
    groups : tuple of Group
        Many bodies each, for a simulation only.
    mechanisms : tuple of Mechanism
        Links on joints, for a simulation only.
    compounds : tuple of Compound
        Bodies of several shapes.
    measure : dict
        The table ``[measure]``: region, bodies and layers.
    source : SceneFile, optional
        The file it was read from, so that later errors can name the line.
    """

    bodies: tuple[Body, ...]
    title: str = "scene"
    pairs: tuple[tuple[str, str], ...] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    simulation: dict[str, Any] = field(default_factory=dict)
    source: SceneFile | None = field(default=None, repr=False, compare=False)
    groups: tuple[Group, ...] = ()
    measure: dict[str, Any] = field(default_factory=dict)
    mechanisms: tuple[Mechanism, ...] = ()
    compounds: tuple[Compound, ...] = ()

    def __post_init__(self) -> None:
        for key in ("bodies", "groups", "mechanisms", "compounds"):
            object.__setattr__(self, key, tuple(getattr(self, key)))
        many = bool(self.groups or self.mechanisms)
        count = len(self.bodies) + len(self.compounds)
        if count < 2 and not many:
            raise SceneError(f"a scene needs at least two bodies, got {count}")
        if all(_is_wall(body) for body in self.placed) and not many:
            raise SceneError("a scene needs at least one body that is not a half-space or cavity, got only those")
        groups = [group.name for group in self.groups]
        names = [*(body.name for body in self.wholes), *groups]
        parts = [part.name for compound in self.compounds for part in compound.parts]
        for name, count in Counter([*names, *parts]).items():
            if count > 1:
                raise SceneError(f"body names must be unique, got {name!r} {count} times")
        if self.pairs is not None and self.mechanisms:
            raise SceneError("pairs must not be given in a scene with mechanisms; use [[simulation.interaction]]")
        for first, second in self.pairs or ():
            for name in (first, second):
                if name not in names:
                    raise SceneError(f"pairs must name bodies of the scene, got {name!r}{nearest(name, names)}")
            if first == second and first not in groups:
                raise SceneError(f"pairs must name two different bodies, got {first!r} twice")
            if not {first, second} & set(groups) and all(map(_is_wall, self._shapes(first) + self._shapes(second))):
                raise SceneError(f"pairs must not join two half-spaces or cavities, got [{first!r}, {second!r}]")
        chosen = [frozenset(pair) for pair in self.pairs or ()]
        for k, (first, second) in enumerate(self.pairs or ()):
            if chosen[k] in chosen[:k]:
                raise SceneError(f"pairs must hold each pair once, got [{first!r}, {second!r}] again")

    def __getitem__(self, name: str) -> Body:
        return next(body for body in self.bodies if body.name == name)

    @property
    def wholes(self) -> tuple[Body | Compound, ...]:
        """The bodies and the compounds."""
        return (*self.bodies, *self.compounds)

    @property
    def placed(self) -> tuple[Body, ...]:
        """All shapes where they are: the bodies, and the parts of compounds as bodies of their own."""
        return (*self.bodies, *(part for compound in self.compounds for part in compound.placed()))

    def _shapes(self, name: str) -> tuple[Body, ...]:
        """A body, or the parts of a compound."""
        found = next((compound for compound in self.compounds if compound.name == name), None)
        return (self[name],) if found is None else found.placed()

    def require_bodies_alone(self, what: str) -> None:
        """Raise an error if there are groups or mechanisms; `what` is done for bodies only."""
        for kind, parts in (("group", self.groups), ("mechanism", self.mechanisms)):
            if parts:
                raise SceneError(f"{kind} {parts[0].name!r}: {what} for bodies, not for {kind}s")

    def queried(self) -> Iterator[tuple[Body, Body]]:
        """The pairs of bodies to compute."""
        if self.groups:
            raise SceneError(
                f"group {self.groups[0].name!r}: groups are for tangency simulate; contacts are those of bodies",
                ("group", 0),
            )
        if self.mechanisms:
            raise SceneError(
                f"mechanism {self.mechanisms[0].name!r}: mechanisms are for tangency simulate; contacts are those of "
                "bodies",
                ("mechanism", 0),
            )
        shapes = {body.name: self._shapes(body.name) for body in self.wholes}
        for first, second in itertools.combinations(shapes, 2) if self.pairs is None else self.pairs:
            for a, b in itertools.product(shapes[first], shapes[second]):
                if not (_is_wall(a) and _is_wall(b)):
                    yield a, b


def _is_wall(body: Body) -> bool:
    """Whether it is a half-space or a cavity; no contact is computed between two of these."""
    return isinstance(body.shape, WALLS)


@dataclass(frozen=True)
class PairContact:
    """The contact between two named bodies."""

    a: Body
    b: Body
    contact: Contact


def all_contacts(scene: Scene) -> list[PairContact]:
    """Contacts of all pairs of a scene, in the order of its bodies.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.scene import Body, Scene, all_contacts
    >>> scene = Scene((Body("left", tg.Sphere(1.0)), Body("right", tg.Sphere(1.0), (None, [3, 0, 0]))))
    >>> [float(pair.contact.distance) for pair in all_contacts(scene)]
    [1.0]
    """
    results = []
    for a, b in scene.queried():
        try:
            results.append(PairContact(a, b, contact(a.shape, b.shape, a.pose, b.pose, **scene.options)))
        except ValueError as error:
            if not is_refusal(error):
                raise
            raise SceneError(f"pair {a.name!r}, {b.name!r}: {error}") from None
    return results
