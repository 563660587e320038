"""A recorded walk: ground reactions and markers of both feet, from ``.csv``, ``.mot`` and ``.trc`` files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import butter, filtfilt

from ..interop.formats import read_mot, read_trc

GRAVITY = 9.81
CUTOFF = 6.0  # of the filter for the markers [Hz]
ENDINGS = ("_grf.csv", "_grf.csv.gz", "_grf.mot", "_grf.mot.gz")
FEET = ("", "1_")  # how the columns of the right and of the left foot begin


class Recording(NamedTuple):
    """Ground reactions and markers; x forward, y up in the files."""

    file: Path  #: of the ground reactions
    clock: np.ndarray  #: (n,) of the forces [s]
    force: np.ndarray  #: (n, 2, 2) on the right and left foot; forward and up [N]
    pressure: np.ndarray | None  #: (n, 2) places of the centres of pressure, forward [m]
    times: np.ndarray  #: (m,) of the markers [s]
    markers: dict[str, np.ndarray]  #: columns such as ``R.Heel_x`` [mm]

    def marker(self, name: str) -> np.ndarray:
        """Forward and upward path (m, 2) of a marker [m], low-pass filtered; `Toe` is the midpoint of two markers."""
        names = [f"{name}.Lat", f"{name}.Med"] if name.endswith(".Toe") else [name]
        try:
            raw = np.mean([[self.markers[f"{n}_{c}"] for c in "xy"] for n in names], axis=0).T / 1000.0
        except KeyError as error:
            raise ValueError(f"the file of markers must have a column {error}") from None
        rate = 1.0 / float(np.median(np.diff(self.times)))
        return filtfilt(*butter(2, CUTOFF / (0.5 * rate)), raw, axis=0)


def read_recording(path: str) -> Recording:
    """The recorded walk in a file of ground reactions and the file of markers beside it, or in their folder.

    The forces are in ``NAME_grf.csv`` or ``NAME_grf.mot``, the markers in ``NAME_foot_markers.csv`` or ``NAME.trc``;
    all may end in ``.gz``.  The columns of forces are named as OpenSim does: ``time`` (equal steps),
    ``ground_force_vx`` etc. for the right foot and ``1_ground_force_vx`` etc. for the left [N].  Markers are
    ``R.Heel``, ``R.Toe.Lat``, ``R.Toe.Med``, ``R.Toe.Tip`` and the same with ``L.``; in a ``.csv`` file in mm, with
    ``_x``, ``_y`` and ``_z``.
    """
    file = _forces_file(Path(path))
    force = _columns(file)
    try:
        sides = [[force[f"{side}ground_force_v{c}"] for c in "xy"] for side in FEET]
    except KeyError as error:
        raise ValueError(f"{file} must have a column {error}") from None
    places = [force.get(f"{side}ground_force_px") for side in FEET]
    known = None if any(column is None for column in places) else np.stack(places, axis=1)  # type: ignore[arg-type]
    marker = _columns(_beside(file))
    return Recording(file, force["time"], np.array(sides).transpose(2, 0, 1), known, marker["time"], marker)


def _forces_file(path: Path) -> Path:
    if path.is_dir():
        found = sorted(p for p in path.iterdir() if p.name.endswith(ENDINGS))
        if len(found) != 1:
            raise ValueError(
                f"--data must name a folder with one file *_grf.csv or *_grf.mot, got {len(found)} in {path}"
            )
        return found[0]
    if not path.name.endswith(ENDINGS):
        raise ValueError(f"--data must name a file *_grf.csv or *_grf.mot, perhaps with .gz, or its folder, got {path}")
    return path


def _beside(path: Path) -> Path:
    """The file of markers that belongs to a file of forces."""
    name = path.name.removesuffix(".gz").rpartition("_grf.")[0]
    known = [path.with_name(name + ending + more) for ending in ("_foot_markers.csv", ".trc") for more in ("", ".gz")]
    for file in known:
        if file.is_file():
            return file
    raise ValueError(f"--data must have a file of markers beside {path}: {', '.join(p.name for p in known)}; got none")


def _columns(path: Path) -> dict[str, np.ndarray]:
    plain = path.name.removesuffix(".gz")
    if plain.endswith(".trc"):
        found = read_trc(path)
        columns = {
            f"{name}_{c}": 1000.0 * found.position[:, k, axis]
            for k, name in enumerate(found.names)
            for axis, c in enumerate("xyz")
        }
        columns["time"] = found.time
    else:
        columns = read_mot(path) if plain.endswith(".mot") else _comma_separated(path)
    size = len(columns["time"])
    if size < 10:
        raise ValueError(f"{path}: must have at least 10 rows, got {size}")
    # Times are given to a few digits only; their rounding would make the velocities oscillate.
    columns["time"] = np.linspace(columns["time"][0], columns["time"][-1], size)
    return columns


def _comma_separated(path: Path) -> dict[str, np.ndarray]:
    kind: Any = gzip.open if path.suffix == ".gz" else open
    with kind(path, "rt", encoding="utf-8-sig") as file:
        names = [name.strip() for name in file.readline().lstrip("# ").split(",")]
        try:
            table = np.loadtxt(file, delimiter=",", ndmin=2)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    if table.shape[1] != len(names):
        raise ValueError(f"{path}: must have {len(names)} columns, got {table.shape[1]}")
    if "time" not in names:
        raise ValueError(f"{path}: the first line must name a column 'time', got {', '.join(names[:5])} ...")
    return dict(zip(names, table.T))
