"""Many scans in one ``tangency fit``: a table, paired statistics, CSV and box plots."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .mistakes import Mistake, of_the_user

if TYPE_CHECKING:
    from ..io.progress import Progress

SUFFIXES = (".csv", ".txt", ".xyz", ".npy", ".npz", ".ply", ".stl", ".obj", ".vtp")
ALONE = ("scene", "surface", "report", "json", "weights")  # options for a single scan


def scans(given: list[str]) -> list[Path]:
    """The files given, and those in the folders given."""
    found: list[Path] = []
    for one in map(Path, given):
        if one.is_dir():
            inside = sorted(path for path in one.iterdir() if path.suffix.lower() in SUFFIXES)
            if not inside:
                raise Mistake(f"{one}: the folder contains no point clouds ({' '.join(SUFFIXES)})")
            found += inside
        else:
            found.append(one)
    return found


def run(options: argparse.Namespace, paths: list[Path], progress: Progress) -> tuple[str, dict[str, str]]:
    """The tables as text, and the files to write."""
    from ..fitting import fit_population
    from ..fitting.population import as_clouds
    from ..viz.box_plot import box_plot
    from .fit import NAMES, cloud_of, limits_of

    for option in ALONE:
        if getattr(options, option):
            raise Mistake(f"--{option} is for a single scan, got {len(paths)} scans; use --table and --boxes")
    models = options.model or NAMES
    with of_the_user():
        clouds = as_clouds(paths, lambda path: cloud_of(path, options))
        found = fit_population(
            clouds,
            models,
            loss=options.loss,
            progress=lambda name: progress.step(f"fitting {name}"),
            **limits_of(options),
        )
    files = {}
    if options.table:
        files[options.table] = found.csv()
    if options.boxes:
        rms = dict(zip(found.models, found.values().T))
        files[options.boxes] = box_plot(rms, f"RMS distance of {len(clouds)} scans")
    return f"{len(clouds)} scans\n{found.table()}", files
