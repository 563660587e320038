"""A family of bodies (``families.py``) as a model of the least squares: parameters in the unit of the cloud."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..shapes.shape import Shape, ShapeError
from .convex_margins import Convexity, LinearConvexity
from .families import Family
from .limits import Limits
from .models import Compiled
from .restricted import Rows, restrict_plain
from .surface_distance import implicit_parameters, signed_distance

LEAST_LENGTH, LARGEST_LENGTH = 1e-4, 100.0  # of lengths, in sizes of the cloud
NEAR_WALL = 0.1  # margins below this are walls
SAME_BODY = 1e-5  # difference of parameters, in sizes of the cloud, of a simpler body and its form in a family
DIFFERENCE = 1e-6  # of differences of margins, in units of the parameter


@dataclass(frozen=True, eq=False)
class OpenWalls:
    """Margins of a body that must stay convex."""

    model: OpenModel
    chosen: np.ndarray  #: indices of the margins that are walls
    values: np.ndarray  #: of these and of further walls
    slopes: np.ndarray  #: (walls, unknowns)

    def misses(self, z: np.ndarray) -> np.ndarray:
        """Violation of the walls by other parameters (<= 0)."""
        margins = self.model.margins(z[: len(self.model.names)])
        if margins is None:  # no body at all: only a shorter step can help
            return np.zeros(len(self.values))
        found = np.zeros(len(self.values))
        found[: len(self.chosen)] = np.minimum(margins[self.chosen], 0.0)
        return found


@dataclass(frozen=True, eq=False)
class OpenModel:
    """One family within limits; the reported parameters are ``base + matrix @ s``."""

    family: Family
    names: tuple[str, ...]  #: of the free parameters
    base: np.ndarray
    matrix: np.ndarray
    low: np.ndarray
    high: np.ndarray
    unit: float  #: one over the size of the cloud
    branch: str = ""
    limits: Limits | None = None
    convexity: Convexity | None = None
    barr: bool = False
    tapers: bool = False
    _last: dict[bytes, Shape | None] = field(default_factory=dict, repr=False)
    _margins: dict[tuple[bytes, int, float], np.ndarray | None] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        return self.family.name

    @property
    def turns(self) -> bool:
        """Whether the orientation is an unknown."""
        return self.family.turns

    @property
    def shown(self) -> tuple[str, ...]:
        return self.family.shown

    def values(self, s: np.ndarray) -> np.ndarray:
        """The reported parameters."""
        return self.base + self.matrix @ s

    def parameters(self, values: np.ndarray) -> np.ndarray:
        """The parameters s whose values are closest to the given ones, inside the bounds."""
        size = np.maximum(np.abs(values), 1e-3 / self.unit)
        s, *_ = np.linalg.lstsq(self.matrix / size[:, None], (values - self.base) / size, rcond=None)
        return np.clip(s, self.low, self.high)

    def special(self, name: str, values: np.ndarray) -> np.ndarray | None:
        """The parameters of the body of a simpler model, given by its reported values; None if there are none."""
        into = self.family.contains.get(name)
        if into is None:
            return None
        wanted = into(values)
        s = self.parameters(wanted)
        size = np.where(self.family.lengths, 1.0 / self.unit, 1.0)
        same = np.abs(self.values(s) - wanted) <= SAME_BODY * size
        return s if same.all() else None

    def report(self, s: np.ndarray, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """The values and their derivatives in s."""
        return self.values(s), self.matrix

    def shape(self, s: np.ndarray) -> Shape:
        """The body in the unit of the cloud."""
        return self.family.build(self.values(s))

    def reported_shape(self, values: np.ndarray) -> Shape:
        return self.family.build(values)

    def body(self, s: np.ndarray) -> Shape | None:
        """The body, or None if the parameters describe none."""
        key = s.tobytes()
        if key not in self._last:
            if len(self._last) > 8:
                self._last.clear()
            try:
                shape = self.shape(s)
                self._last[key] = shape if np.isfinite(shape.rows).all() else None
            except (ValueError, ArithmeticError):
                self._last[key] = None
        return self._last[key]

    def compiled(self, s: np.ndarray) -> Compiled:
        """The body for compiled code."""
        shape = self.body(s)
        assert shape is not None
        half, centre = shape._box()
        size = 2.0 * float(np.linalg.norm(half + np.abs(centre)))
        implicit = implicit_parameters(shape)
        feet: Callable[[np.ndarray], np.ndarray] | None = None
        if self.family.feet is not None:
            feet = partial(self.family.feet, self.values(s))
        elif not shape.smooth and not len(implicit):
            feet = partial(_searched_feet, shape)
        return Compiled(shape.address, shape.rows[:1], implicit, bool(shape.bends), size, self.unit, feet)

    def distance_slopes(self, s: np.ndarray, foot: np.ndarray, normal: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """Derivatives of the distances: by the envelope theorem those of -h at fixed normals."""
        shape = self.body(s)
        assert shape is not None
        unit = scale * self.unit
        slopes = self.family.by_parameters(shape, normal, foot / unit)
        return -(np.where(np.isfinite(slopes), slopes, 0.0) @ self.matrix) * unit

    def margins(self, s: np.ndarray) -> np.ndarray | None:
        """Quantities that must not be negative; None if there is no body, or its formulas give no number."""
        if self.convexity is not None:
            key = s.tobytes(), len(self.convexity.normals), self.convexity.least
            if key not in self._margins:  # a step is first judged, and its walls are asked for when it is accepted
                if len(self._margins) > 8:
                    self._margins.clear()
                try:
                    self._margins[key] = self.convexity.margins(self.values(s), lambda: self.body(s))
                except ShapeError:
                    self._margins[key] = None
            return self._margins[key]
        shape = self.body(s)
        if shape is None:
            return None
        return np.empty(0) if self.family.margins is None else self.family.margins(self.values(s), shape)

    def is_convex(self, s: np.ndarray) -> bool:
        """Whether the parameters describe a convex body."""
        margins = self.margins(s)
        return margins is not None and bool((margins >= 0.0).all())

    def walls(self, z: np.ndarray) -> OpenWalls:
        """The margins close to zero, with their slopes."""
        m = len(self.names)
        here = self.margins(z[:m])
        assert here is not None
        chosen = np.flatnonzero(here < NEAR_WALL)
        slopes = np.zeros((len(chosen), len(z)))
        if isinstance(self.convexity, LinearConvexity):
            slopes[:, :m] = self.convexity.slopes(self.values(z[:m]), chosen) @ self.matrix
            corners, rates = self.convexity.corners(self.values(z[:m]))
            rates = np.pad(rates @ self.matrix, ((0, 0), (0, len(z) - m)))
            return OpenWalls(self, chosen, np.concatenate([here[chosen], corners]), np.vstack([slopes, rates]))
        for k in range(m if len(chosen) else 0):
            size = max(abs(z[k]), 1e-3 / self.unit if self._is_length(k) else 1e-2)
            for step in (DIFFERENCE * size, -DIFFERENCE * size):
                moved = z[:m].copy()
                moved[k] += step
                there = self.margins(moved)
                if there is not None:
                    slopes[:, k] = (there - here)[chosen] / step
                    break
        return OpenWalls(self, chosen, here[chosen], slopes)

    def _is_length(self, k: int) -> bool:
        return bool((self.matrix[:, k] != 0.0) @ self.family.lengths)


def _searched_feet(shape: Shape, points: np.ndarray) -> np.ndarray:
    found = signed_distance(shape, points)
    return np.column_stack([found.distance, found.normal, found.foot])


def open_models(family: Family, limits: Limits, scale: float) -> tuple[OpenModel, ...]:
    """The branches of a family within limits, for a cloud of size `scale`."""
    found = []
    count = len(family.shown)
    low = np.where(family.lengths & np.isfinite(family.low) & (family.low == 0.0), LEAST_LENGTH * scale, family.low)
    for name, least in family.vanishing.items():
        low[family.shown.index(name)] = least * scale
    high = np.where(family.lengths & (family.low == 0.0), LARGEST_LENGTH * scale, family.high)
    for number, branch in enumerate(family.branches):
        rows = Rows(family.shown, np.zeros(count), np.eye(count), low, high)
        if restrict_plain(rows, family.shown, branch) and restrict_plain(rows, family.shown, limits):
            named = f"branch {number}" if len(family.branches) > 1 else ""
            found.append(
                OpenModel(
                    family,
                    tuple(rows.names),
                    rows.base,
                    rows.matrix,
                    rows.low,
                    rows.high,
                    1.0 / scale,
                    named,
                    limits,
                    None if family.convexity is None else family.convexity(),
                )
            )
    return tuple(found)
