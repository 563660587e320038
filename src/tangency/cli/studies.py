"""The verb ``tangency study``: lists the studies, runs one of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

STUDY = """\
examples:
  tangency study                                    all studies, one line each
  tangency study romer-table1                       at full size: a Markdown table
  tangency study romer-table1 --size 2000           smaller and quicker
  tangency study romer-fig2 --out out               also Markdown, CSV and PNG into the folder out/
  tangency study foot-ground --data walk1_grf.csv   with measured forces, and walk1_foot_markers.csv beside them
"""


class Output(NamedTuple):
    """What a run of the verb prints and writes."""

    text: str
    files: dict[str, str | bytes]


def add_verb(verbs: Any) -> None:
    """Put ``study`` among the verbs of the command."""
    study = verbs.add_parser(
        "study",
        help="tables and figures of the papers, computed anew",
        epilog=STUDY,
        description="Reproduce a table or figure of a paper; printed and reproduced values side by side.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    study.add_argument("study", metavar="name", nargs="?", help="which study; without it, all are listed")
    study.add_argument("--size", type=int, metavar="N", help="how much to compute (default: as much as the paper)")
    study.add_argument("--seed", type=int, default=0, metavar="S", help="of the random numbers (default 0)")
    study.add_argument("--data", metavar="FILE", help="measured data instead of built-in ones (foot-ground)")
    study.add_argument("--out", metavar="DIR", help="folder for Markdown, CSV and (most studies) PNG; default none")


def run(options: argparse.Namespace, progress: Any) -> Output:
    """Do what the options say; the caller writes the files."""
    from ..studies import STUDIES
    from .mistakes import Mistake, of_the_user

    if options.study is None:
        if options.size is not None or options.out or options.data:
            raise Mistake(f"name must say which study, one of {', '.join(STUDIES)}")
        width = max(map(len, STUDIES))
        return Output("\n".join(f"{name:<{width}}  {study.title}" for name, study in STUDIES.items()), {})
    if options.study not in STUDIES:
        raise Mistake(f"name must be one of {', '.join(STUDIES)}, got {options.study!r}")
    study = STUDIES[options.study]
    size = study.size if options.size is None else options.size
    if size < 1:
        raise Mistake(f"--size must be >= 1, got {size}")
    if options.seed < 0:
        raise Mistake(f"--seed must be >= 0, got {options.seed}")
    progress.step(f"computing {study.name} (the first use compiles the solvers)")
    if options.data is None:
        result = study.run(size, options.seed, progress)
    elif study.measured is None:
        takers = ", ".join(name for name, other in STUDIES.items() if other.measured is not None)
        raise Mistake(f"--data must be left out but for {takers}, got it for {study.name}")
    else:
        with of_the_user():
            result = study.measured(size, options.seed, progress, options.data)
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
            print(f"no PNG: it needs matplotlib, install tangency[viz] ({error})", file=sys.stderr)
    return Output(text, files)
