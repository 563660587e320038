"""Many simulations of one kind: ensembles and parameter studies, on one machine or on a Dask cluster."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..compiled.function_text import function_text
from ..dynamics.files import FileError
from ..dynamics.measures.table import known_measures, measured
from ..dynamics.simulate import simulate
from ..dynamics.world import World
from ..io.quiet import progress_if
from ..io.whole_files import folder_for, write_whole
from .executors import completed


class Ensemble(NamedTuple):
    """Results of all runs."""

    cases: list[dict[str, Any]]
    rows: list[
        dict[str, Any]
    ]  #: measures of the last frame; ``error`` says why a run failed, ``warnings`` what it warns of
    series: list[dict[str, list[float]]]  #: measures of all frames; empty where a run failed

    def csv(self) -> str:
        """One line per run: its number, its case, its measures."""
        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        for last in ("warnings", "error"):
            keys += [keys.pop(keys.index(last))] if last in keys else []
        target = io.StringIO()
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(["run", *(key for case in self.cases[:1] for key in case), *keys])
        for number, (case, row) in enumerate(zip(self.cases, self.rows)):
            values = [json.dumps(value) if isinstance(value, list | tuple) else value for value in case.values()]
            writer.writerow([number, *values, *(row.get(key, "") for key in keys)])
        return target.getvalue()

    def to_xarray(self) -> Any:
        """Measures of all frames as an ``xarray.Dataset`` over run and frame; NaN where there are none."""
        try:
            import xarray
        except ImportError as error:
            raise ImportError(f"to_xarray needs xarray, install tangency[dask] ({error})") from None
        names = list(dict.fromkeys(name for one in self.series for name in one))
        frames = max((len(values) for one in self.series for values in one.values()), default=0)
        data = {name: (("run", "frame"), np.full((len(self.rows), frames), np.nan)) for name in names}
        for number, one in enumerate(self.series):
            for name, values in one.items():
                data[name][1][number, : len(values)] = values
        keys = self.cases[0]
        coordinates = {key: ("run", np.array([_plain(case[key]) for case in self.cases])) for key in keys}
        return xarray.Dataset(data, coordinates)


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | tuple | dict) else value


def ensemble(
    make: Callable[..., Any],
    cases: Sequence[Mapping[str, Any]],
    folder: str | os.PathLike[str],
    *,
    measures: str | Iterable[str] = ("energy",),
    client: Any = None,
    workers: int | None = None,
    overwrite: bool = False,
    progress: bool = False,
    **options: Any,
) -> Ensemble:
    """Simulate one world for each case.

    Every run has its own file with its checkpoints in `folder`.  When a worker dies, another one continues its runs
    from there; when everything dies, call this function again: finished runs are not computed again.  The results have
    the same bits in any case.

    Parameters
    ----------
    make : callable
        ``make(**case)`` returns a World, or a World and a dict of options of :func:`tangency.dynamics.simulate`.  It is
        called in the workers.
    cases : sequence of dict
        Arguments of each run: numbers, texts and lists.
    folder : path
        Folder for the files, which all workers can write to.
    measures : str or list of str
        Names of measures, as for ``tangency simulate --measure``.
    client, workers, progress
        As in :func:`tangency.interop.stream.stream`.
    overwrite : bool
        Compute everything again.
    **options
        Of :func:`tangency.dynamics.simulate`, for all runs; ``mode`` is ``"fast"`` unless given.

    Returns
    -------
    Ensemble
    """
    listed = [dict(case) for case in cases]
    if not listed or any(list(case) != list(listed[0]) for case in listed):
        raise ValueError(f"cases must be dicts with the same keys, at least one, got {listed!r:.200}")
    for name in ("checkpoint", "resume"):
        if name in options:
            raise TypeError(f"{name} must not be given: every run has its own file in folder, and is resumed from it")
    runs = folder_for(Path(folder) / "runs", "folder").resolve()
    task: Any = _Run(make, runs, tuple(known_measures(measures)), {"mode": "fast", "threads": 1, **options}, overwrite)
    found: list[Any] = [None] * len(listed)
    with progress_if(progress) as shown:
        shown.step(f"simulating, 0 of {len(listed)} runs")
        for number, answer in completed(task, list(enumerate(listed)), client=client, workers=workers):
            found[number] = answer
            shown.step(f"simulating, {sum(one is not None for one in found)} of {len(listed)} runs")
    return Ensemble(listed, [one["row"] for one in found], [one["series"] for one in found])


class _Run(NamedTuple):
    """Simulates one case, or reads its result if there is one."""

    make: Callable[..., Any]
    folder: Path
    measures: tuple[str, ...]
    options: dict[str, Any]
    overwrite: bool

    def __call__(self, item: tuple[int, dict[str, Any]]) -> dict[str, Any]:
        number, case = item
        path, trajectory = self.folder / f"{number:05d}.json", self.folder / f"{number:05d}.npz"
        digest = self._digest(case)
        if path.exists() and not self.overwrite:
            try:
                answer = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise ValueError(
                    f"folder must have files of ensemble() only, but {path} is damaged ({error})"
                ) from None
            if answer.get("digest") != digest:
                raise ValueError(f"folder must belong to the same study, but {path} has other values: overwrite=True")
            return answer
        answer = {"digest": digest, **self._simulated(case, trajectory)}
        write_whole(path, json.dumps(answer))
        return answer

    def _digest(self, case: dict[str, Any]) -> str:
        make = self.make.text() if hasattr(self.make, "text") else function_text(self.make)
        whole = json.dumps([make, case, self.measures, sorted(self.options.items())], default=repr)
        return hashlib.sha256(whole.encode()).hexdigest()

    def _simulated(self, case: dict[str, Any], path: Path) -> dict[str, Any]:
        made = self.make(**case)
        world, own = made if isinstance(made, tuple) else (made, {})
        if not isinstance(world, World):
            raise TypeError(f"make must return a World, or a World and options, got {world!r:.200} for {case!r}")
        if self.overwrite:
            path.unlink(missing_ok=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # they are in the result, too
                run = simulate(world, **{**self.options, **own}, checkpoint=path, resume=True)
            columns = measured(run, self.measures)
        except FileError as error:
            raise ValueError(f"folder must belong to the same study, but {error}") from None
        except (RuntimeError, ValueError) as error:  # this run fails, others may not
            return {"row": {"error": f"{type(error).__name__}: {error}"}, "series": {}}
        row: dict[str, Any] = {name: float(values[-1]) for name, values in columns.items()}
        row["warnings"] = "; ".join(run.info["warnings"])
        return {"row": row, "series": {name: np.asarray(values).tolist() for name, values in columns.items()}}
