"""More pairs than memory holds: blocks of pairs are made from seeds where they are solved, and reduced there."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..compiled.function_text import function_text
from ..contacts.query import contact
from ..io.quiet import progress_if
from ..io.whole_files import folder_for, whole_file
from .executors import completed
from .reducers import Reducer, State

SAVE_EVERY = 10.0  # time between two saves of the state [s]


def stream(
    make: Callable[[np.random.Generator, int], tuple],
    blocks: int,
    reduce: Mapping[str, Reducer],
    *,
    seed: int = 0,
    tol: float = 1e-12,
    max_distance: float | None = None,
    client: Any = None,
    workers: int | None = None,
    file: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """Contacts of many blocks of pairs, reduced to few numbers.

    Only the numbers of blocks travel to the workers, and only the reduced arrays travel back.  The result has the same
    bits for any number of workers, on one machine or many.

    Parameters
    ----------
    make : callable
        ``make(rng, block)`` returns ``a, b, pose_a, pose_b`` for :func:`tangency.contact`; `rng` depends on `seed` and
        the number of the block only.  It is called in the workers; there, use blocks of 10^5 to 10^6 pairs.
    blocks : int
        Number of blocks.
    reduce : dict
        Reducers by name: `Extreme`, `Histogram`, `Counts`, or your own, see :mod:`tangency.interop.reducers`.
    seed : int
    tol, max_distance
        As in :func:`tangency.contact`.
    client : distributed.Client or str, optional
        A Dask cluster, or the address of its scheduler.
    workers : int, optional
        Processes on this machine.  Without `client` and `workers`, all threads of this process are used.
    file : path, optional
        File (.npz) with the reduced blocks so far.  If it exists, only the other blocks are computed.
    progress : bool
        Report progress on stderr.

    Returns
    -------
    dict
        Result of each reducer.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.interop.reducers import Counts, Extreme
    >>> from tangency.interop.stream import stream
    >>> def pairs(rng, block):
    ...     return tg.Ellipsoid(rng.uniform(1, 2, (100, 3))), tg.Sphere(1.0), None, (None, rng.uniform(-5, 5, (100, 3)))
    >>> found = stream(pairs, 3, {"nearest": Extreme(1), "count": Counts()})
    >>> found["count"]["pairs"], found["nearest"].value.shape
    (300, (1,))
    """
    if isinstance(blocks, bool) or not isinstance(blocks, int) or blocks < 1:
        raise ValueError(f"blocks must be a whole number >= 1, got {blocks!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed must be a whole number >= 0, got {seed!r}")
    if not isinstance(reduce, Mapping) or not reduce:
        raise ValueError(f"reduce must map names to reducers, got {reduce!r}")
    for name, reducer in reduce.items():
        if not all(callable(getattr(reducer, method, None)) for method in ("state", "joined", "result")):
            raise TypeError(f"reduce[{name!r}] must have the methods state, joined and result, got {reducer!r}")
    threads = None if client is None and workers is None else 1
    task = _Block(make, dict(reduce), seed, {"tol": tol, "max_distance": max_distance, "threads": threads})
    kept = _Kept(file, blocks, task)
    left = np.flatnonzero(~kept.done).tolist()
    with progress_if(progress) as shown:
        for number, states in completed(task, left, client=client, workers=workers):
            kept.add(left[number], states)
            shown.step(f"solving pairs, {kept.done.sum()} of {blocks} blocks")
        kept.save()
    return {name: reducer.result(kept.states[name]) for name, reducer in reduce.items()}


class _Block:
    """Makes, solves and reduces one block."""

    def __init__(self, make: Callable, reduce: dict[str, Reducer], seed: int, options: dict[str, Any]) -> None:
        self.make, self.reduce, self.seed, self.options = make, reduce, seed, options

    def __call__(self, block: int) -> dict[str, State]:
        made = self.make(np.random.default_rng([self.seed, block]), block)
        if not isinstance(made, tuple) or len(made) != 4:
            raise TypeError(f"make must return (a, b, pose_a, pose_b), got {made!r:.200} for block {block}")
        found = contact(*made, **self.options)
        return {name: reducer.state(found, block) for name, reducer in self.reduce.items()}

    def text(self) -> str:
        """What the result depends on."""
        reduce = {name: [type(r).__name__, repr(sorted(vars(r).items()))] for name, r in self.reduce.items()}
        options = {name: self.options[name] for name in ("tol", "max_distance")}
        whole = json.dumps([function_text(self.make), reduce, self.seed, options])
        return hashlib.sha256(whole.encode()).hexdigest()


class _Kept:
    """The reduced blocks so far, also in a file."""

    def __init__(self, file: Any, blocks: int, task: _Block) -> None:
        self.done, self.states = np.zeros(blocks, bool), dict[str, State]()
        self._reduce, self._text, self._saved = task.reduce, task.text(), time.monotonic()
        self._file = None if file is None else Path(file)
        if self._file is None:
            return
        folder_for(self._file.parent, "the folder of file")
        if self._file.exists():
            self._read()

    def _read(self) -> None:
        assert self._file is not None
        try:
            with np.load(self._file, allow_pickle=False) as data:
                same = str(data["text"]) == self._text and len(data["done"]) == len(self.done)
                if same:
                    self.done[:] = data["done"]
                    for name in self._reduce if self.done.any() else ():
                        own = f"{name}/"
                        self.states[name] = {key[len(own) :]: data[key] for key in data.files if key.startswith(own)}
        except (OSError, ValueError, KeyError) as error:
            raise ValueError(f"file must be one that stream() wrote, got {self._file} ({error})") from None
        if not same:
            raise ValueError(
                f"file must belong to the same pairs, number of blocks, seed and reducers, got {self._file}: remove it "
                "to start over"
            )

    def add(self, block: int, states: dict[str, State]) -> None:
        """Join the arrays of a block."""
        for name, state in states.items():
            before = self.states.get(name)
            self.states[name] = state if before is None else self._reduce[name].joined(before, state)
        self.done[block] = True
        if time.monotonic() - self._saved > SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Write the file."""
        self._saved = time.monotonic()
        if self._file is not None:
            arrays: dict[str, Any] = {
                f"{name}/{key}": value for name, state in self.states.items() for key, value in state.items()
            }
            with whole_file(self._file) as target:
                np.savez(target, text=np.array(self._text), done=self.done, **arrays)
