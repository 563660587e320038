"""The state of the lab: bodies, and the pair under study.  Nothing here knows about a browser."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.pose import PoseLike
from ..scene import Body, Scene, SceneError, scene_toml
from ..scene.python_code import scene_python
from ..scene.toml import shape_of
from ..scene.write import original_tables
from ..shapes import HalfSpace
from ..shapes.walls import WALLS
from .samples import SAMPLES


@dataclass(frozen=True)
class Arrangement:
    """Bodies of a scene and the pair under study; every change makes a new arrangement.

    Attributes
    ----------
    scene : Scene
        Without groups.
    pair : tuple of str
        Names of the bodies A and B under study.
    tables : dict
        By the name of the body, the table of a scene file that its shape was made from, where there is one.

    Examples
    --------
    >>> from tangency.lab.arrangement import Arrangement
    >>> from tangency.lab.samples import start_scene
    >>> lab = Arrangement.of(start_scene()).added("capsule")
    >>> lab.names
    ('egg', 'pillow', 'ground', 'capsule')
    """

    scene: Scene
    pair: tuple[str, str]
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, scene: Scene) -> Arrangement:
        """The arrangement of a scene; the first of its pairs is under study."""
        first = next(scene.queried())
        if scene.compounds:
            raise SceneError(
                f"body {scene.compounds[0].name!r} has several parts: the lab is for bodies of one shape each; "
                "tangency contact computes and draws the contacts of parts"
            )
        data = {} if scene.source is None else scene.source.tables()
        return cls(scene, (first[0].name, first[1].name), original_tables(data))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(body.name for body in self.scene.bodies)

    def moved(self, name: str, pose: PoseLike) -> Arrangement:
        """One body at another pose."""
        return self._with(replace(self.scene[name], pose=pose))

    def reshaped(self, name: str, parameters: ArrayLike) -> Arrangement:
        """One body with other values of its shape parameters."""
        body = self.scene[name]
        return self._with(replace(body, shape=body.shape.with_parameters(parameters)))

    def added(self, word: str) -> Arrangement:
        """One more body: the sample of a word of the catalogue, beside all others."""
        shape = shape_of(SAMPLES[word], f"sample {word}")
        names, number, name = self.names, 2, word
        while name in names:
            name, number = f"{word} {number}", number + 1
        position = np.zeros(3)
        if not isinstance(shape, HalfSpace):
            lows, highs = self.extent
            position = np.array([highs[0], 0.5 * (lows[1] + highs[1]), 0.5 * (lows[2] + highs[2])])
            position[0] += 1.2 * float(shape.bounding_radius)
        scene = replace(self.scene, bodies=(*self.scene.bodies, Body(name, shape, (None, position))))
        return replace(self, scene=scene, tables={**self.tables, name: SAMPLES[word]})

    def removed(self, name: str) -> Arrangement:
        """Without one body; the pair under study changes if it was one of the two."""
        bodies = tuple(body for body in self.scene.bodies if body.name != name)
        pairs = self.scene.pairs
        kept = None if pairs is None else tuple(pair for pair in pairs if name not in pair) or None
        scene = replace(self.scene, bodies=bodies, pairs=kept)
        tables = {key: table for key, table in self.tables.items() if key != name}
        if name not in self.pair:
            return replace(self, scene=scene, tables=tables)
        first = next(scene.queried())
        return Arrangement(scene, (first[0].name, first[1].name), tables)

    def studied(self, a: str, b: str) -> Arrangement:
        """With another pair under study."""
        if a == b:
            raise SceneError(f"the pair under study must be two different bodies, got {a!r} twice")
        if all(isinstance(self.scene[name].shape, WALLS) for name in (a, b)):
            raise SceneError(f"the pair under study must not be two half-spaces or cavities, got {a!r} and {b!r}")
        return replace(self, pair=(a, b))

    @cached_property
    def extent(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of the box around all bounded bodies [m]."""
        boxes = [body.shape.aabb(body.pose) for body in self.scene.bodies if not is_wall(body)]
        return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)

    @property
    def size(self) -> float:
        """Half the diagonal of the box around all bounded bodies [m]."""
        low, high = self.extent
        return float(0.5 * np.linalg.norm(high - low))

    def as_toml(self) -> str:
        """The text of a scene file."""
        return scene_toml(self.scene, self.tables)

    def as_python(self) -> str:
        """A program that computes the contact of the pair under study."""
        return scene_python(self.scene, self.pair, self.tables)

    def _with(self, changed: Body) -> Arrangement:
        bodies = tuple(changed if body.name == changed.name else body for body in self.scene.bodies)
        return replace(self, scene=replace(self.scene, bodies=bodies))


def is_wall(body: Body) -> bool:
    """Whether a body has no bounding box: a half-space or a cavity."""
    return isinstance(body.shape, WALLS)
