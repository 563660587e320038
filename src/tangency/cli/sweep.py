"""The subcommand ``tangency sweep``: parameter studies of scene files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

SWEEP = """\
examples:
  tangency sweep study.toml                         table in out/study.csv, one run after the other
  tangency sweep study.toml --workers 4             four processes on this machine
  tangency sweep study.toml --cluster tcp://scheduler:8786   a Dask cluster, by the address of its scheduler
  tangency sweep study.toml                         again after an interruption: finished runs are not repeated
  tangency sweep study.toml --zarr                  all frames in out/study.zarr as well, for xarray

a study file:
  scene = "heap.toml"                               # a scene file with a table [simulation]
  seeds = 8                                         # of the random places; or a list
  measures = ["packing", "coordination"]
  [parameters]
  "simulation.friction.coefficient" = [0.1, 0.3, 0.5]
  "group.grains.density" = [1000, 2500]

the exit code is 3 if a run failed or is unreliable; the reasons are in the last columns of the table
"""


def add_verb(verbs: Any) -> None:
    """Add ``sweep`` to the command line."""
    verb = verbs.add_parser(
        "sweep",
        help="parameter study of a scene file (TOML)",
        epilog=SWEEP,
        description="Simulate a scene file for many values of its keys and many seeds.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("study", help="study file (TOML)")
    verb.add_argument("--out", metavar="DIR", default="out", help="folder for the files (default: out)")
    verb.add_argument("--workers", type=int, metavar="N", help="processes on this machine (default: this one)")
    verb.add_argument("--cluster", metavar="ADDRESS", help="address of a Dask scheduler")
    verb.add_argument("--zarr", action="store_true", help="write the measures of all frames, for xarray")
    text = "Python file to run first, which registers your own laws by name; may be repeated"
    verb.add_argument("--import", dest="own_code", metavar="FILE", action="append", default=[], help=text)
    verb.add_argument("--overwrite", action="store_true", help="simulate finished runs again")


def run(options: argparse.Namespace) -> int:
    """Simulate all cases of a study; the exit code."""
    from ..interop.ensemble import ensemble
    from ..interop.sweep import load_sweep
    from ..io.whole_files import write_whole
    from .mistakes import Mistake, of_the_user
    from .own_code import import_file
    from .targets import require_folder

    if options.own_code and (options.workers or options.cluster):
        raise Mistake("--import works in this process only: leave out --workers and --cluster")
    for name in options.own_code:
        import_file(name)
    with of_the_user():
        study = load_sweep(options.study)
    stem = Path(options.study).stem
    folder = require_folder(Path(options.out), "--out")
    try:
        with of_the_user():
            found = ensemble(
                study.make,
                study.cases,
                folder / stem,
                measures=study.measures,
                client=options.cluster,
                workers=options.workers,
                overwrite=options.overwrite,
                progress=True,
            )
    except (ConnectionError, ImportError, RuntimeError) as error:
        raise Mistake(f"{error}") from error
    written = [write_whole(folder / f"{stem}.csv", found.csv())]
    if options.zarr:
        written.append(_zarr(found, folder / f"{stem}.zarr"))
    failed = sum("error" in row for row in found.rows)
    doubtful = sum(bool(row.get("warnings")) for row in found.rows)
    print(f"{len(found.rows)} runs, {failed} failed, {doubtful} with warnings")
    print(f"wrote {', '.join(map(str, written))}", flush=True)
    return 3 if failed or doubtful else 0


def _zarr(found: Any, path: Path) -> Path:
    from .mistakes import Mistake

    try:
        found.to_xarray().to_zarr(path, mode="w", consolidated=False)
    except (ImportError, ValueError) as error:
        raise Mistake(f"--zarr needs xarray and zarr, install tangency[dask] ({error})") from None
    return path
