"""Bodies of several shapes in a scene: a table ``[[body]]`` with tables ``[[body.part]]``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scipy.spatial.transform import RigidTransform

from .bodies import Body


@dataclass(frozen=True)
class Compound:
    """Several shapes that move as one body.

    Attributes
    ----------
    name : str
    parts : tuple of Body
        The shapes, with their poses in the frame of the compound; named ``compound/1``, ``compound/2``, ...
    pose : RigidTransform
        From the frame of the compound to the world.
    color : str, optional
    physics : dict
        As in :class:`Body`.

    Examples
    --------
    >>> from scipy.spatial.transform import RigidTransform
    >>> import tangency as tg
    >>> from tangency.scene import Body, Compound
    >>> ends = Body("bar/1", tg.Sphere(0.1), (None, [0, 0, 1])), Body("bar/2", tg.Sphere(0.1), (None, [0, 0, -1]))
    >>> bar = Compound("bar", ends, RigidTransform.from_translation([1, 0, 0]))
    >>> [part.position.tolist() for part in bar.placed()]
    [[1.0, 0.0, 1.0], [1.0, 0.0, -1.0]]
    """

    name: str
    parts: tuple[Body, ...]
    pose: RigidTransform
    color: str | None = None
    physics: dict[str, Any] = field(default_factory=dict)

    def placed(self) -> tuple[Body, ...]:
        """Its parts as bodies in the world."""
        return tuple(Body(part.name, part.shape, self.pose * part.pose, self.color) for part in self.parts)
