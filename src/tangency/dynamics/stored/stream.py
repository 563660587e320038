"""A run streamed to a folder: frames, contacts and impacts chunk by chunk, the complete state at every checkpoint.

The folder is a group in the Zarr format (version 2), which the packages zarr and xarray read: the arrays of
:class:`Trajectory` under their own names, ``energy_*``, ``contact_*`` with ``contact_count`` (contacts of each frame),
and ``impact_*``, the contacts that have ended.  ``state.npz`` holds the complete state and the numbers of rows that are
valid.  It is replaced last: that is the checkpoint.  After a kill, rows beyond it are written again.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...io.whole_files import whole_file, write_whole
from ..files import FileError, header_of
from ..impacts import Impacts, joined_impacts
from ..trajectory import ENERGIES, Contacts, Trajectory
from .column import Column, Layout
from .late_impacts import LateImpacts
from .stored_array import StoredArray

FORMAT, VERSION = "tangency stream", 1
STATE = "state.npz"
_VECTORS = ("position", "quaternion", "centre_of_mass", "velocity", "angular_velocity")
_ENDED = tuple(f.name for f in fields(Impacts) if f.name != "over")
_CONTACT = tuple(f.name for f in fields(Contacts) if f.name != "first")


class Checkpoint(NamedTuple):
    """What `state.npz` holds."""

    info: dict[str, Any]
    rows: dict[str, int]  #: committed rows of every array
    kinetic: list[float]  #: kinetic energies of the last two frames [J]
    state: dict[str, np.ndarray]
    times: dict[str, np.ndarray]  #: added and removed, if bodies come and go
    open: Impacts  #: contacts that last


def layouts(bodies: int) -> dict[str, Layout]:
    """All arrays of a stream."""
    made = {"time": Layout("<f8", (), ("frame",)), "contact_count": Layout("<i8", (), ("frame",))}
    for name in _VECTORS:
        width, axis = (4, "xyzw") if name == "quaternion" else (3, "xyz")
        made[name] = Layout("<f8", (bodies, width), ("frame", "body", axis))
    made |= {f"energy_{name}": Layout("<f8", (), ("frame",)) for name in ENERGIES}
    for prefix, names in (("contact", _CONTACT), ("impact", _ENDED)):
        for name in names:
            kind = "<i8" if name.startswith(("body", "shape")) else "<f8"
            vector = name in ("point", "normal", "force")
            made[f"{prefix}_{name}"] = Layout(kind, (3,) if vector else (), (prefix, "xyz") if vector else (prefix,))
    return made


class Stream:
    """The folder of a run that is being written."""

    def __init__(self, path: Path, names: tuple[str, ...], earlier: Checkpoint | None = None) -> None:
        self.path, self.names, self._earlier = path, names, earlier
        rows = {} if earlier is None else earlier.rows
        path.mkdir(parents=True, exist_ok=True)
        for left in path.glob("**/.*.*"):  # temporary files of a run that was killed
            left.unlink()
        self.columns = {
            name: Column(path / name, layout, rows.get(name, 0)) for name, layout in layouts(len(names)).items()
        }
        self._describe({} if earlier is None else earlier.info)
        write_whole(path / ".zgroup", json.dumps({"zarr_format": 2}))

    def commit(self, part: Trajectory, state: dict[str, Any], kinetic: list[float]) -> None:
        """Append the frames since the last checkpoint, and make this one."""
        put, own = self.columns, part.contacts
        for name in ("time", *_VECTORS):
            put[name].append(getattr(part, name))
        for name in ENERGIES:
            put[f"energy_{name}"].append(part.energy[name])
        put["contact_count"].append(np.diff(own.first))
        for name in _CONTACT:
            put[f"contact_{name}"].append(getattr(own, name))
        ended, lasting = (part.impacts.chosen(which) for which in (part.impacts.over, ~part.impacts.over))
        for name in _ENDED:
            put[f"impact_{name}"].append(getattr(ended, name))
        for column in put.values():
            column.flush()
        rows = {name: column.count for name, column in put.items()}
        header = {"format": FORMAT, "version": VERSION, "info": part.info, "rows": rows, "kinetic": kinetic}
        arrays: dict[str, Any] = {f"state_{name}": value for name, value in state.items()}
        arrays |= {f"open_{f.name}": getattr(lasting, f.name) for f in fields(Impacts)}
        arrays |= {} if part.added is None else {"added": part.added, "removed": part.removed}
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        with whole_file(self.path / STATE) as file:
            np.savez(file, allow_pickle=False, **arrays)
        self._describe(part.info)

    def impacts(self, pending: Impacts) -> Impacts:
        """The whole impact log, with that of the frames since the last checkpoint."""
        return joined_impacts(_ended(self.columns), pending)

    def _describe(self, info: dict[str, Any]) -> None:
        """Write what other programs read."""
        header = {"format": FORMAT, "version": VERSION, "names": self.names, "info": info}
        write_whole(self.path / ".zattrs", json.dumps(header))  # first, so that the folder is known as a stream
        for column in self.columns.values():
            column.describe()


def is_stream(path: Path) -> bool:
    """Whether a folder is a stream of this library."""
    try:
        return json.loads((path / ".zattrs").read_text(encoding="utf-8"))["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _is_other(path: Path) -> bool:
    """Whether a folder holds something else than a stream."""
    if not path.exists() or is_stream(path):
        return False
    return any(not entry.name.startswith("..zattrs.") for entry in path.iterdir())  # but a kill at the very start


def remove_stream(path: Path) -> None:
    """Remove the folder of an earlier run, and nothing else."""
    if _is_other(path):
        raise FileError(f"{path}: is not the folder of a run, so it is not replaced")
    if path.exists():
        (path / STATE).unlink(missing_ok=True)  # first: what is left of a killed removal is no checkpoint
        shutil.rmtree(path)


def read_checkpoint(path: Path) -> Checkpoint | None:
    """The last checkpoint; None if there is none yet."""
    if _is_other(path):
        raise FileError(f"{path}: is not the folder of a run")
    if not (path / STATE).exists():
        return None
    try:
        with np.load(path / STATE, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = header_of(arrays.pop("header"), path, FORMAT, VERSION)
        lasting = Impacts(**{f.name: arrays[f"open_{f.name}"] for f in fields(Impacts)})
        rows, kinetic = {name: int(n) for name, n in header["rows"].items()}, [float(e) for e in header["kinetic"]]
    except FileError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise FileError(f"{path / STATE}: is not a checkpoint ({error})") from None
    times = {name: arrays[name] for name in ("added", "removed") if name in arrays}
    state = {name.removeprefix("state_"): value for name, value in arrays.items() if name.startswith("state_")}
    return Checkpoint(header["info"], rows, kinetic, state, times, lasting)


def load_stream(path: str | os.PathLike[str]) -> Trajectory:
    """The trajectory of a folder up to its last checkpoint; large arrays are read when they are used."""
    path = Path(path)
    found = read_checkpoint(path)
    if found is None:
        raise FileError(f"{path}: has no checkpoint yet")
    names = tuple(json.loads((path / ".zattrs").read_text(encoding="utf-8"))["names"])
    wanted = layouts(len(names))
    if set(wanted) != set(found.rows):
        raise FileError(f"{path}: is damaged, its checkpoint counts other arrays than those of this version")
    columns: dict[str, Any] = {}
    for name, layout in wanted.items():
        columns[name] = Column(path / name, layout)
        columns[name].count = found.rows[name]
        missing = columns[name].missing()
        if missing is not None:
            raise FileError(f"{missing}: is missing or too short, the checkpoint has {found.rows[name]} rows")
    frames = {name: StoredArray(columns[name]) for name in ("time", *_VECTORS)}
    count = np.asarray(StoredArray(columns["contact_count"]))
    first = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    contacts = {name: StoredArray(columns[f"contact_{name}"]) for name in _CONTACT}
    if len(count) != len(frames["time"]) or first[-1] != len(contacts["depth"]):
        raise FileError(f"{path}: is damaged, its contacts do not match its {len(frames['time'])} frames")
    late = LateImpacts(found.rows["impact_time"] + len(found.open), lambda: joined_impacts(_ended(columns), found.open))
    return Trajectory(
        time=np.asarray(frames.pop("time")),
        **frames,  # type: ignore[arg-type]  # a StoredArray stands for an array
        contacts=Contacts(first=first, **contacts),  # type: ignore[arg-type]
        energy={name: np.asarray(StoredArray(columns[f"energy_{name}"])) for name in ENERGIES},
        names=names,
        info=found.info,
        impacts=late,
        **found.times,  # type: ignore[arg-type]
    )


def _ended(columns: dict[str, Column]) -> Impacts:
    """The contacts that have ended, from disk."""
    read = {name: np.asarray(StoredArray(columns[f"impact_{name}"])) for name in _ENDED}
    return Impacts(**read, over=np.ones(len(read["time"]), bool))
