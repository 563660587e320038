"""Where a run is kept: in one file that holds all of it, or in a folder to which it is streamed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from .files import FileError, read, save_trajectory
from .impacts import Impacts
from .stored.stream import Stream, load_stream, read_checkpoint, remove_stream
from .trajectory import Trajectory


class Earlier(NamedTuple):
    """The part of a run before it was interrupted."""

    frames: int
    info: dict[str, Any]
    state: dict[str, np.ndarray]
    trajectory: Trajectory | None  #: None if it stays on disk
    kinetic: list[float]  #: kinetic energies of the last two frames [J]


class Keeper(Protocol):
    """Keeps a run on disk."""

    streams: bool  #: whether frames that were saved need not stay in memory

    def earlier(self, names: tuple[str, ...]) -> Earlier | None:
        """What is there to resume from."""

    def save(self, made: Trajectory, state: dict[str, Any], kinetic: list[float]) -> None:
        """Make a checkpoint: of the whole run, or of the part since the last one if it streams."""

    def impacts(self, made: Trajectory) -> Impacts:
        """The whole impact log; `made` as in `save`."""

    def whole(self, made: Trajectory) -> Trajectory:
        """The whole run; `made` as in `save`."""


class WholeFile:
    """A file (.npz) that is replaced at every checkpoint."""

    streams = False

    def __init__(self, path: Path) -> None:
        self._path = path

    def earlier(self, names: tuple[str, ...]) -> Earlier | None:
        """The run so far, from the file."""
        if not self._path.exists():
            return None
        made, state = read(self._path)
        if not state:
            raise FileError(f"{self._path}: is not a checkpoint, only a trajectory")
        return Earlier(len(made), made.info, state, made, made.energy["kinetic"][-2:].tolist())

    def save(self, made: Trajectory, state: dict[str, Any], kinetic: list[float]) -> None:
        """Replace the file."""
        save_trajectory(made, self._path, state)

    def impacts(self, made: Trajectory) -> Impacts:
        """Those in memory are all."""
        return made.impacts

    def whole(self, made: Trajectory) -> Trajectory:
        """What is in memory is the whole run."""
        return made


class Folder:
    """A folder (.zarr) to which the run is streamed."""

    streams = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: Stream | None = None

    def earlier(self, names: tuple[str, ...]) -> Earlier | None:
        """The last checkpoint."""
        found = read_checkpoint(self._path)
        if found is None:
            return None
        self._stream = Stream(self._path, names, found)
        return Earlier(found.rows["time"], found.info, found.state, None, found.kinetic)

    def save(self, made: Trajectory, state: dict[str, Any], kinetic: list[float]) -> None:
        """Append the frames since the last checkpoint."""
        if self._stream is None:
            remove_stream(self._path)  # of an earlier run, or of one killed before its first checkpoint
            self._stream = Stream(self._path, made.names)
        self._stream.commit(made, state, kinetic)

    def impacts(self, made: Trajectory) -> Impacts:
        """Those on disk, with those in memory."""
        return made.impacts if self._stream is None else self._stream.impacts(made.impacts)

    def whole(self, made: Trajectory) -> Trajectory:
        """The run on disk."""
        return load_stream(self._path)


def keeper_of(path: Path | None) -> Keeper | None:
    """A folder for a name that ends with .zarr, otherwise a file."""
    if path is None:
        return None
    return Folder(path) if is_folder(path) else WholeFile(path)


def is_folder(path: Path) -> bool:
    """Whether a name stands for a folder to stream to."""
    return path.suffix.lower() == ".zarr"
