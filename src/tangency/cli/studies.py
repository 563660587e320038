"""The subcommand ``tangency study``: lists the studies or runs one of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

STUDY = """\
examples:
  tangency study                                    list all studies and how long they take
  tangency study romer-table1                       full size, as a Markdown table
  tangency study romer-table1 --size 2000           smaller and faster
  tangency study romer-fig2 --out out               also write Markdown, CSV and PNG to the folder out/
  tangency study lopes-chapter3 --data scans/       the tables of the thesis for the scans in a folder
  tangency study foot-ground --data walk1_grf.csv   with measured forces, and walk1_foot_markers.csv in the same folder
  tangency study lopes-walking --data FOLDER        with a folder that holds *_grf.mot and *.trc, or *.csv
"""


class Output(NamedTuple):
    """Text to print and files to write."""

    text: str
    files: dict[str, str | bytes]


def add_verb(verbs: Any) -> None:
    """Add ``study`` to the command line."""
    study = verbs.add_parser(
        "study",
        help="reproduce tables and figures of the papers",
        epilog=STUDY,
        description="Reproduce a table or figure of a paper, with printed and reproduced values side by side.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    study.add_argument("study", metavar="name", nargs="?", help="name of the study; without it, all are listed")
    study.add_argument("--list", action="store_true", help="list all studies, with the time that each takes")
    study.add_argument("--size", type=int, metavar="N", help="size of the study (default: as in the paper)")
    study.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the random numbers (default 0)")
    study.add_argument(
        "--data",
        metavar="PATH",
        help="measured data instead of the built-in ones: a file or folder of a recorded walk (foot-ground, "
        "lopes-walking), or a folder of scans (lopes-chapter3)",
    )
    study.add_argument(
        "--out", metavar="DIR", help="write Markdown, CSV and, where there are any, PNG and HTML to this folder"
    )


def run(options: argparse.Namespace, progress: Any) -> Output:
    """List the studies or run one; the caller writes the files."""
    from ..io.spelling import suggestion
    from ..studies import STUDIES
    from .mistakes import Mistake, of_the_user

    if options.study is None or options.list:
        if not options.list and (options.size is not None or options.out or options.data):
            raise Mistake(f"name must be given with these options, one of {', '.join(STUDIES)}")
        return Output(_listed(STUDIES), {})
    if options.study not in STUDIES:
        hint = suggestion(options.study, STUDIES)
        raise Mistake(f"name must be one of {', '.join(STUDIES)}, got {options.study!r}{hint}")
    study = STUDIES[options.study]
    size = study.size if options.size is None else options.size
    if size < 1:
        raise Mistake(f"--size must be >= 1, got {size}")
    if options.seed < 0:
        raise Mistake(f"--seed must be >= 0, got {options.seed}")
    progress.step(f"computing {study.name} (compiling at first use)")
    if options.data is not None and study.measured is None:
        takers = ", ".join(name for name, other in STUDIES.items() if other.measured is not None)
        raise Mistake(f"--data is only for {takers}, got it for {study.name}")
    try:
        if options.data is None or study.measured is None:
            result = study.run(size, options.seed, progress)
        else:
            with of_the_user():
                result = study.measured(size, options.seed, progress, options.data)
    except ImportError as error:  # a study on an optional package, which the message names
        raise Mistake(str(error)) from None
    text = study.markdown(result, size, options.seed, None if options.data is None else Path(options.data).name)
    if not options.out:
        return Output(text, {})
    files: dict[str, str | bytes] = {f"{study.name}.md": text, f"{study.name}.csv": result.csv()}
    if result.figure:
        progress.step("drawing the figure")
        try:
            from ..studies.picture import png

            files[f"{study.name}.png"] = png(result.figure())
        except ImportError as error:
            print(f"no PNG written: it needs matplotlib, install tangency[viz] ({error})", file=sys.stderr)
    if result.page:
        progress.step("writing the page")
        files[f"{study.name}.html"] = result.page()
    return Output(text, files)


def _listed(studies: dict[str, Any]) -> str:
    """One line per study: name, duration at full size, title."""
    width, time = max(map(len, studies)), max(len(study.duration) for study in studies.values())
    lines = [f"{name:<{width}}  {study.duration:>{time}}  {study.title}" for name, study in studies.items()]
    return "\n".join([*lines, "times: full size, one core, without compiling; --size N makes a study smaller"])
