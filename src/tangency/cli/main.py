"""The command line ``tangency``: options only, the work is done elsewhere."""

from __future__ import annotations

import argparse
import io
import os
import sys
from pathlib import Path
from typing import Any

from .command_help import CommandHelp
from .mistakes import Mistake
from .targets import require_folder, require_folder_of

EXAMPLES = """\
examples:
  tangency demo                            eight bodies, all pairs: table, picture and page in out/
  tangency contact scene.toml              the same for your own scene
  tangency contact scene.toml --json       results as JSON on standard output
  tangency lab scene.toml                  bodies to drag and reshape in the browser
  tangency simulate scene.toml             bodies in motion: forces, friction, energies
  tangency sweep study.toml                parameter study: many simulations, one table
  tangency planar foot                     planar examples: a rolling foot, a cam
  tangency study                           list the reproduced tables and figures of the papers
  tangency fit cloud.ply --report out.html fit a body to a point cloud
  tangency new bowl                        write a commented scene file to start from
  tangency convert robot.urdf robot.toml   scenes from and to other formats
  tangency schema > scene.schema.json      completion and checks of scene files in editors
  tangency warmup                          compile everything ahead of time
  tangency info                            versions, cache folder, cores
  tangency doctor                          what works here, what is missing and how to get it
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(
        "tangency", description="Contact between smooth convex bodies.", epilog=EXAMPLES, formatter_class=CommandHelp
    )
    top.add_argument("--version", action="store_true", help="print the version and exit")
    verbs = top.add_subparsers(dest="verb", metavar="command", title="commands")
    from .contact import add_verbs as add_contact
    from .convert import add_verb as add_convert
    from .fit import add_verb as add_fit
    from .lab import add_verb as add_lab
    from .new import add_verb as add_new
    from .planar import add_verb as add_planar
    from .simulate import add_verb as add_simulate
    from .studies import add_verb as add_study
    from .sweep import add_verb as add_sweep

    add_contact(verbs)
    add_lab(verbs)
    add_simulate(verbs)
    add_sweep(verbs)
    add_planar(verbs)
    add_fit(verbs)
    add_study(verbs)
    add_new(verbs)
    add_convert(verbs)
    verbs.add_parser(
        "schema",
        help="JSON Schema of scene files, for editors",
        formatter_class=raw,
        description="Print a JSON Schema: editors complete and check scene files with it.",
        epilog="example:\n  tangency schema > scene.schema.json      then, as first line of a scene file:\n"
        "                                           #:schema ./scene.schema.json\n",
    )
    verbs.add_parser(
        "warmup",
        help="compile everything ahead of time",
        formatter_class=raw,
        description="Compile everything built in and store it in the cache.",
        epilog="example:\n  tangency warmup                          takes about two minutes, once per version\n",
    )
    verbs.add_parser(
        "info",
        help="versions, cache folder, cores",
        formatter_class=raw,
        description="Show versions, cache folder and cores, for bug reports.",
        epilog="example:\n  tangency info\n",
    )
    verbs.add_parser(
        "doctor",
        help="what works here, what is missing and how to get it",
        formatter_class=raw,
        description="Compute two known contacts, list optional packages; exit code 2 if the core fails.",
        epilog="example:\n  tangency doctor\n",
    )
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run the command.

    The exit code is 0 for success, 2 for an error in the input, 3 for a simulation with warnings.  A bug raises: Python
    then prints a traceback, and the exit code is 1.
    """
    top = parser()
    options = top.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # do not fail on names that the terminal cannot show
        sys.stdout.reconfigure(errors="replace")
    try:
        if options.version:
            from .. import __version__

            print(__version__)
        elif options.verb == "info":
            from .info import info

            print(info())
        elif options.verb == "doctor":
            from .doctor import doctor

            report, works = doctor()
            print(report)
            return 0 if works else 2
        elif options.verb == "new":
            from .new import run as new

            print(new(options))
        elif options.verb == "schema":
            import json

            from ..scene.schema import scene_schema

            print(json.dumps(scene_schema(), indent=1))
        elif options.verb == "convert":
            from .convert import run as convert

            convert(options)
        elif options.verb == "lab":
            from .lab import run as lab

            lab(options)
        elif options.verb == "warmup":
            _warmup()
        elif options.verb is None:
            top.print_help()
        elif options.verb == "planar":
            _planar(options)
        elif options.verb == "study":
            _study(options)
        elif options.verb == "simulate":
            return _simulate(options, sys.argv[1:] if arguments is None else arguments)
        elif options.verb == "sweep":
            from .sweep import run as run_sweep

            return run_sweep(options)
        elif options.verb == "fit":
            _fit(options)
        else:
            from .contact import run

            run(options)
    except Mistake as error:
        print(f"tangency: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        told = error if error.strerror is None else f"{error.filename or 'file'}: {error.strerror}"
        print(f"tangency: {told}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"tangency: not enough memory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _planar(options: argparse.Namespace) -> None:
    from ..io import whole_files
    from ..io.progress import Progress
    from .planar import run

    folder = require_folder(options.out, "--out")
    with Progress() as progress:
        text, files = run(options, progress)
        paths = [whole_files.write_whole(folder / name, content) for name, content in files.items()]
    print(f"{text}\nwrote {', '.join(map(str, paths))}", flush=True)


def _study(options: argparse.Namespace) -> None:
    from ..io import whole_files
    from ..io.progress import Progress
    from .studies import run

    folder = require_folder(options.out, "--out") if options.out else Path()
    with Progress() as progress:
        text, files = run(options, progress)
    print(text, flush=True)
    paths = [whole_files.write_whole(folder / name, content) for name, content in files.items()]
    if paths:
        print(f"wrote {', '.join(map(str, paths))}", flush=True)


def _simulate(options: argparse.Namespace, arguments: list[str]) -> int:
    from ..io import whole_files
    from .simulate import run

    if options.ranks is not None:
        from .engines import on_ranks_of

        return on_ranks_of(options, arguments)
    answer = run(options)
    if answer is None:
        return 0
    tables = [whole_files.write_whole(path, text) for path, text in answer.tables.items()]
    print(f"{answer.text}\nwrote {', '.join(map(str, (answer.path, *tables, *answer.more)))}", flush=True)
    return 3 if answer.warnings else 0


def _fit(options: argparse.Namespace) -> None:
    from ..io import whole_files
    from ..io.progress import Progress
    from .parts import run as run_parts
    from .population import run as run_population
    from .population import scans

    require_folder_of(options.report, "--report")
    require_folder_of(options.scene, "--scene")
    for path in options.surface:
        require_folder_of(path, "--surface")
    require_folder_of(options.json, "--json")
    paths = scans(options.cloud)
    if not hasattr(options, "parts") and (
        len(paths) > 1 or Path(options.cloud[0]).is_dir() or options.table or options.boxes
    ):
        for name in (options.table, options.boxes):
            require_folder_of(name, "--table or --boxes")
        with Progress() as progress:
            text, tables = run_population(options, paths, progress)
            saved = [whole_files.write_whole(path, content) for path, content in tables.items()]
        print(text + (f"\nwrote {', '.join(map(str, saved))}" if saved else ""), flush=True)
        return
    with Progress() as progress:
        if hasattr(options, "parts"):
            text, results, contents = run_parts(options, progress)
            written = [whole_files.write_whole(path, content) for path, content in contents.items()]
        else:
            text, results, written = _one_body(options, progress)
        if options.json not in (None, "-"):
            written.append(whole_files.write_whole(options.json, results))
    print(results if options.json == "-" else f"{text}\n", end="", flush=True)
    if written:
        stream = sys.stderr if options.json == "-" else sys.stdout
        print(f"wrote {', '.join(map(str, written))}", file=stream, flush=True)


def _one_body(options: argparse.Namespace, progress: Any) -> tuple[str, str, list[Path]]:
    """Text, JSON, and the files written for the best body of one scan."""
    from ..io import whole_files
    from .fit import files, run

    text, results, cloud, choice = run(options, progress)
    written = []
    if options.report:
        from ..viz import fit_page

        page = fit_page(choice, cloud.points, f"Fits of {Path(options.cloud[0]).name}")
        written.append(whole_files.write_whole(options.report, page))
    written += [whole_files.write_whole(path, content) for path, content in files(options, choice.best).items()]
    return text, results, written


def _warmup() -> None:
    import time

    from ..compiled.cache import cache_folder
    from ..io.progress import Progress
    from .parallel_warmup import warm_in_parallel

    start = time.monotonic()
    with Progress() as progress:
        warm_in_parallel(progress)
    print(f"compiled everything built in; cache folder {cache_folder()} ({time.monotonic() - start:.0f} s)")
