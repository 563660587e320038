"""Groups of many bodies in a scene file: one table ``[[group]]`` each, with places from a list, a grid or a region."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

from ..broadphase.scatter import scatter
from ..shapes import HalfSpace
from ..shapes.shape import Shape
from .bodies import COLOR, SceneError
from .lines import within
from .orientation import is_number, numbers, rotation_of
from .physics import physics_of

GROUP_PHYSICS = ("density", "velocity", "angular_velocity", "fixed", "material")
_PLACES = ("positions", "grid", "region", "pour")
GROUP_KEYS = ("name", "shape", "count", "orientation", "color", "seed", *_PLACES, *GROUP_PHYSICS)
MOST = 10_000_000  # bodies of a group


@dataclass(frozen=True)
class Group:
    """Many bodies of one kind in a scene, see :class:`tangency.dynamics.Group`.

    Attributes
    ----------
    name : str
    shape : Shape
        One for all bodies, or a stack.
    poses : RigidTransform or None
        One per body; None if they are poured.
    color : str, optional
    physics : dict
        Density, velocities, material, ... as in ``dynamics.Group``.
    pour : dict, optional
        Region, rate, start and seed, as in ``dynamics.Pour``.
    """

    name: str
    shape: Shape
    poses: RigidTransform | None
    color: str | None = None
    physics: dict[str, Any] = field(default_factory=dict)
    pour: dict[str, Any] | None = None


def group_of(table: dict[str, Any], number: int, make_shape: Callable[..., Shape]) -> Group:
    """A group from its table; `make_shape` reads a shape from its keys."""
    name = table.get("name")
    if not isinstance(name, str) or not name.strip():
        raise SceneError(f"group {number}: name must be text, got {name!r}")
    where = f"group {name!r}"
    color = table.get("color")
    if color is not None and not (isinstance(color, str) and COLOR.fullmatch(color)):
        raise SceneError(f"{where}: color must look like '#4c78a8', got {color!r}")
    rng = np.random.default_rng(_whole(table.get("seed", 0), "seed", 0, where))
    places, count = _places(table, where)
    parameters = {key: value for key, value in table.items() if key not in GROUP_KEYS or key == "shape"}
    chosen = {key: _chosen(value, key, count, rng, where) for key, value in parameters.items()}
    shape = make_shape(chosen, where, GROUP_KEYS)
    if isinstance(shape, HalfSpace):
        raise SceneError(f"{where}: shape must be bounded, got {table['shape']!r}; use a [[body]]")
    if shape.batch_shape not in ((), (count,)):
        raise SceneError(f"{where}: the keys of the shape must describe one, or {count}, got {shape.batch_shape[0]}")
    turn = _turn(table.get("orientation"), places is None, where)
    poses: RigidTransform | None = None
    if "pour" in table:
        if turn is not None:
            raise SceneError(f'{where}: orientation must be "random" for a group that is poured')
        shape, pour = shape.broadcast_to((count,)), _pour(table, where)
        return Group(name, shape, None, color, physics_of(table, where, GROUP_PHYSICS), pour)
    if places is not None:
        turns = Rotation.random(count, rng=rng) if turn is None else Rotation.concatenate([turn] * count)
        poses = RigidTransform.from_components(places, turns)
    else:
        low, high = corners_of(table["region"], "region", where)
        try:
            poses = scatter(shape, low, high, count, orientation=turn, seed=int(rng.integers(2**32)))
        except ValueError as error:
            raise SceneError(f"{where}: region: {error}") from None
    return Group(name, shape, poses, color, physics_of(table, where, GROUP_PHYSICS))


def _places(table: dict[str, Any], where: str) -> tuple[np.ndarray | None, int]:
    """Places of the bodies, None if they are random, and their number."""
    given = [key for key in _PLACES if key in table]
    if len(given) != 1:
        raise SceneError(
            f"{where}: give exactly one of positions, grid, region and pour, got {' and '.join(given) or 'none'}"
        )
    if given[0] in ("region", "pour"):
        if "count" not in table:
            raise SceneError(f"{where}: {given[0]} needs the key 'count', the number of bodies")
        return None, _whole(table["count"], "count", 1, where)
    if given[0] == "positions":
        places = numbers(table["positions"], "positions", None, where)
        if places.ndim != 2 or places.shape[1] != 3:
            raise SceneError(f"{where}: positions must look like [[0, 0, 1], [0, 0, 2]], got shape {places.shape}")
    else:
        with within("grid"):
            places = _grid(table["grid"], f"{where}, grid")
    if "count" in table and _whole(table["count"], "count", 1, where) != len(places):
        raise SceneError(f"{where}: count must be the number of {given[0]}, {len(places)}, got {table['count']!r}")
    return places, len(places)


def _pour(table: dict[str, Any], where: str) -> dict[str, Any]:
    """Region, rate and start of a pour."""
    given = table["pour"]
    if not isinstance(given, dict) or not {"low", "high", "rate"} <= set(given) <= {"low", "high", "rate", "start"}:
        form = "{ low = [0, 0, 1], high = [1, 1, 2], rate = 100 }, with start = 0.5 if it is to begin later"
        raise SceneError(f"{where}: pour must look like {form}, got {given!r}")
    with within("pour"):
        found: dict[str, Any] = {key: numbers(given[key], key, (3,), f"{where}, pour") for key in ("low", "high")}
        found |= {key: float(numbers(given[key], key, (), where)) for key in ("rate", "start") if key in given}
    return found | {"seed": _whole(table.get("seed", 0), "seed", 0, where)}


def _grid(table: Any, where: str) -> np.ndarray:
    """Places on a grid, along x first."""
    if not isinstance(table, dict) or set(table) != {"first", "spacing", "counts"}:
        form = "{ first = [0, 0, 1], spacing = 0.1, counts = [10, 10, 5] }"
        raise SceneError(f"{where} must look like {form}, got {table!r}")
    first = numbers(table["first"], "first", (3,), where)
    spacing = numbers(table["spacing"], "spacing", None, where)
    if spacing.shape not in ((), (3,)):
        raise SceneError(f"{where}: spacing must be a number or 3 numbers, got {table['spacing']!r}")
    counts = table["counts"]
    if not isinstance(counts, list) or len(counts) != 3:
        raise SceneError(f"{where}: counts must be 3 whole numbers, got {counts!r}")
    nx, ny, nz = (_whole(value, "counts", 1, where) for value in counts)
    k = np.arange(_whole(nx * ny * nz, "the product of counts", 1, where))
    return first + spacing * np.stack([k % nx, k // nx % ny, k // (nx * ny)], axis=1)


def _chosen(value: Any, key: str, count: int, rng: np.random.Generator, where: str) -> Any:
    """The value of a parameter of the shape; from ``{ low, high }`` random values, one per body."""
    if not isinstance(value, dict) or set(value) != {"low", "high"}:
        return value
    low, high = (numbers(value[end], f"{key}, {end}", None, where) for end in ("low", "high"))
    if low.shape != high.shape or not (low <= high).all():
        raise SceneError(f"{where}: {key} must have a low that is nowhere above its high, got {value!r}")
    return rng.uniform(low, high, (count, *low.shape)).tolist()


def _turn(given: Any, scattered: bool, where: str) -> Rotation | None:
    """The orientation of all bodies, None if they are random: the default for random places."""
    if given == "random" or (given is None and scattered):
        return None
    with within("orientation"):
        one = rotation_of(given, where, more='"random" or ')
    return Rotation.identity() if one is None else one


def corners_of(table: Any, key: str, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of a box."""
    if not isinstance(table, dict) or set(table) != {"low", "high"}:
        raise SceneError(f"{where}: {key} must look like {{ low = [0, 0, 0], high = [1, 1, 1] }}, got {table!r}")
    with within(key):
        return tuple(numbers(table[end], end, (3,), f"{where}, {key}") for end in ("low", "high"))  # type: ignore[return-value]


def _whole(value: Any, key: str, least: int, where: str) -> int:
    if not is_number(value) or not float(value).is_integer() or not least <= value <= MOST:
        raise SceneError(f"{where}: {key} must be a whole number from {least} to {MOST}, got {value!r}")
    return int(value)
