"""Parameter studies of scene files, described in TOML.

::

    scene = "heap.toml"
    seeds = 8                                             # or a list; sets the seed of every [[group]]
    measures = ["packing", "coordination"]

    [parameters]
    "simulation.friction.coefficient" = [0.1, 0.3, 0.5]
    "group.grains.density" = [1000, 2500]

Every combination is simulated for every seed.  ``combine = "together"`` takes the first value of each list for the
first case, the second for the second, and so on.
"""

from __future__ import annotations

import itertools
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..dynamics.measures.table import known_measures
from ..dynamics.scene import options_of, world_of
from ..io.spelling import nearest
from ..scene import SceneError, load_scene

SEED = "seed"
KEYS = ("scene", "seeds", "measures", "parameters", "combine")
COMBINATIONS = ("all", "together")


@dataclass(frozen=True)
class SceneOf:
    """World and options of a scene file with other values; called in the workers."""

    path: Path
    content: str  #: of the file when the study was read: it must not change while the study runs
    groups: tuple[str, ...]  #: whose seeds are set

    def __call__(self, **case: Any) -> tuple[Any, dict[str, Any]]:
        if self.path.read_text(encoding="utf-8-sig") != self.content:
            raise ValueError(f"{self.path} must not change while its study runs: start the study again")
        changes = {key: value for key, value in case.items() if key != SEED}
        changes |= {f"group.{name}.seed": case[SEED] for name in self.groups if SEED in case}
        scene = load_scene(self.path, changes)
        return world_of(scene), {"mode": "accurate", **options_of(scene)}

    def text(self) -> str:
        """What the world depends on."""
        return self.content


@dataclass(frozen=True)
class Sweep:
    """A parameter study: a scene, its cases and what is measured."""

    make: SceneOf
    cases: list[dict[str, Any]]
    measures: list[str]


def load_sweep(path: str | os.PathLike[str]) -> Sweep:
    """A parameter study from a TOML file.

    Raises
    ------
    SceneError
        With one sentence that names the file and the key, what was expected and the value.
    """
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return _sweep(data, path.parent)
    except FileNotFoundError:
        raise SceneError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError(f"{path}: cannot read the file: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SceneError(f"{path}: not valid TOML: {error}") from None
    except SceneError as error:
        raise SceneError(f"{path}: {error}" if not error.placed else str(error), placed=True) from None
    except ValueError as error:
        raise SceneError(f"{path}: {error}", placed=True) from None


def _sweep(data: dict[str, Any], folder: Path) -> Sweep:
    for key in data:
        if key not in KEYS:
            raise SceneError(f"unknown key {key!r}{nearest(key, KEYS)}")
    if not isinstance(data.get("scene"), str):
        raise SceneError(f"scene must be the name of a scene file, got {data.get('scene')!r}")
    scene_path = (folder / data["scene"]).resolve()
    scene = load_scene(scene_path)
    options_of(scene)
    cases = _combined(data.get("parameters", {}), data.get("combine", "all"))
    seeds = _seeds(data.get("seeds"))
    groups = tuple(group.name for group in scene.groups)
    if seeds is not None:
        if not groups:
            raise SceneError("seeds needs a scene with a [[group]], whose bodies are placed at random")
        cases = [{**case, SEED: seed} for case in cases for seed in seeds]
    make = SceneOf(scene_path, scene_path.read_text(encoding="utf-8-sig"), groups)
    measures = data.get("measures", ["energy"])
    if not isinstance(measures, list) or not all(isinstance(name, str) for name in measures):
        raise SceneError(f'measures must look like ["packing", "energy"], got {measures!r}')
    for case in _each_value_once(cases):  # mistakes are found before the first run
        make(**case)
    return Sweep(make, cases, known_measures(measures))


def _each_value_once(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Cases in which every value of every key occurs."""
    seen: set[tuple[str, str]] = set()
    chosen: list[dict[str, Any]] = []
    for case in cases:
        new = {(key, repr(value)) for key, value in case.items()} - seen
        if new or not chosen:
            chosen.append(case)
        seen |= new
    return chosen


def _combined(parameters: Any, combine: Any) -> list[dict[str, Any]]:
    """The values of every case."""
    if combine not in COMBINATIONS:
        raise SceneError(f"combine must be one of {', '.join(COMBINATIONS)}, got {combine!r}")
    if not isinstance(parameters, dict):
        raise SceneError(f"parameters must be a table, got {parameters!r}")
    flat = dict(_flat(parameters, ""))
    for key, values in flat.items():
        if not isinstance(values, list) or not values:
            raise SceneError(f"parameters: {key!r} must be a list of values, got {values!r}")
    if combine == "all":
        return [dict(zip(flat, values)) for values in itertools.product(*flat.values())]
    if len({len(values) for values in flat.values()}) > 1:
        sizes = ", ".join(f"{key} {len(values)}" for key, values in flat.items())
        raise SceneError(f'parameters must be lists of the same length for combine = "together", got {sizes}')
    return [dict(zip(flat, values)) for values in zip(*flat.values())] if flat else [{}]


def _flat(table: dict[str, Any], before: str) -> Any:
    """Keys with dots; they may be written as one text or as nested tables."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _seeds(given: Any) -> list[int] | None:
    if given is None:
        return None
    seeds = list(range(given)) if isinstance(given, int) and not isinstance(given, bool) else given
    whole = isinstance(seeds, list) and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in seeds)
    if not whole or not seeds:
        raise SceneError(f"seeds must be a number of seeds >= 1 or a list of whole numbers, got {given!r}")
    return seeds
