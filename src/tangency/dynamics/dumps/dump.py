"""dump(): a trajectory as files for OVITO or ParaView."""

from __future__ import annotations

import os
from pathlib import Path

from ...io.spelling import suggestion
from ...io.whole_files import folder_for
from ..trajectory import Trajectory
from .lammps_dump import write_dump
from .vtk_series import write_series

FORMATS = {"ovito": write_dump, "vtk": write_series}


def dump(run: Trajectory, path: str | os.PathLike[str], form: str, every: int = 1) -> list[Path]:
    """Write files; see :meth:`Trajectory.dump`."""
    if form not in FORMATS:
        raise ValueError(f"form must be one of {', '.join(FORMATS)}, got {form!r}{suggestion(form, FORMATS)}")
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise ValueError(f"every must be a whole number >= 1, got {every!r}")
    if not len(run.pieces):
        raise ValueError("run must know its world: read the file with load_trajectory(path, world)")
    folder_for(Path(path).parent, "the folder of path")
    return FORMATS[form](run, Path(path), range(0, len(run.time), every))
