"""Many scans in one ``tangency fit``: a table, paired statistics, CSV and box plots."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .mistakes import Mistake, of_the_user

if TYPE_CHECKING:
    from ..io.progress import Progress

ALONE = ("scene", "surface", "report", "json", "weights")  # options for a single scan


def scans(given: list[str]) -> list[Path]:
    """The files given, and those in the folders given."""
    from ..fitting.population import scan_files

    with of_the_user():
        return [path for one in given for path in scan_files(Path(one))]


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
