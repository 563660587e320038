"""The command line ``tangency``: options only, the work is done elsewhere."""

from __future__ import annotations

import argparse
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .mistakes import Mistake, of_the_user

if TYPE_CHECKING:
    from ..io.progress import Progress
    from ..scene import PairContact, Scene

EXAMPLES = """\
examples:
  tangency demo                            eight bodies, all pairs: table, picture and page in out/
  tangency contact scene.toml              the same for your own scene
  tangency contact scene.toml --json       results as JSON on standard output
  tangency simulate scene.toml             bodies in motion: forces, friction, energies
  tangency planar foot                     planar examples: a rolling foot, a cam
  tangency study                           list the reproduced tables and figures of the papers
  tangency fit cloud.ply --report out.html fit a body to a point cloud
  tangency warmup                          compile everything ahead of time
  tangency info                            versions, cache folder, cores
"""

CONTACT = """\
examples:
  tangency contact scene.toml              table; picture and page in out/
  tangency contact scene.toml --out here   files in the folder here/
  tangency contact scene.toml --csv > a.csv
  tangency contact scene.toml --json a.json --no-picture

a scene file:
  [[body]]
  name = "egg"
  shape = "ellipsoid"                      # sphere, superellipsoid, capsule, box, offset, support, ...
  radii = [0.3, 0.2, 0.2]
  position = [0, 0, 1]
  orientation = { axis = [0, 1, 0], angle_deg = 30 }

  [[body]]
  name = "ground"
  shape = "plane"
  normal = [0, 0, 1]
"""

DEMO = """\
examples:
  tangency demo                            table; picture and page in out/
  tangency demo --out pictures             files in another folder
  tangency demo --json                     JSON instead of the table
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(
        "tangency", description="Contact between smooth convex bodies.", epilog=EXAMPLES, formatter_class=raw
    )
    top.add_argument("--version", action="store_true", help="print the version and exit")
    verbs = top.add_subparsers(dest="verb", metavar="command", title="commands")
    demo = verbs.add_parser(
        "demo",
        help="contacts of the built-in scene",
        description="Compute all contacts of the built-in scene, with picture and page.",
        epilog=DEMO,
        formatter_class=raw,
    )
    own = verbs.add_parser(
        "contact",
        help="contacts of a scene file (TOML)",
        description="Compute all contacts of a scene file, with picture and page.",
        epilog=CONTACT,
        formatter_class=raw,
    )
    own.add_argument("scene", help="scene file (TOML)")
    for verb in (demo, own):
        verb.add_argument("--out", metavar="DIR", default="out", help="folder for the files (default: out)")
        for kind in ("json", "csv"):
            text = f"write {kind.upper()} to standard output instead of the table, or to FILE (ending in .{kind})"
            verb.add_argument(f"--{kind}", metavar="FILE", nargs="?", const="-", help=text)
        verb.add_argument("--no-picture", action="store_true", help="write no PNG and no HTML, only numbers")
    from .fit import add_verb as add_fit
    from .planar import add_verb as add_planar
    from .simulate import add_verb as add_simulate
    from .studies import add_verb as add_study

    add_simulate(verbs)
    add_planar(verbs)
    add_fit(verbs)
    add_study(verbs)
    verbs.add_parser(
        "warmup",
        help="compile everything ahead of time",
        formatter_class=raw,
        description="Compile everything built in and store it in the cache.",
        epilog="example:\n  tangency warmup                          takes some minutes, once per version\n",
    )
    verbs.add_parser(
        "info",
        help="versions, cache folder, cores",
        formatter_class=raw,
        description="Show versions, cache folder and cores, for bug reports.",
        epilog="example:\n  tangency info\n",
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
            print(_info())
        elif options.verb == "warmup":
            _warmup()
        elif options.verb is None:
            top.print_help()
        elif options.verb == "planar":
            _planar(options)
        elif options.verb == "study":
            _study(options)
        elif options.verb == "simulate":
            return _simulate(options)
        elif options.verb == "fit":
            _fit(options)
        else:
            _contacts(options)
    except Mistake as error:
        print(f"tangency: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"tangency: {error.filename or 'file'}: {error.strerror}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"tangency: not enough memory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _contacts(options: argparse.Namespace) -> None:
    from ..io import whole_files
    from ..io.progress import Progress
    from ..scene import all_contacts, demo_scene, load_scene, report

    for kind in ("json", "csv"):
        target = getattr(options, kind)
        if target not in (None, "-") and not target.endswith(f".{kind}"):
            raise Mistake(
                f"--{kind} must be followed by a name ending in .{kind} or by nothing, got {target!r} "
                "(put the scene file before it)"
            )
    if options.json == options.csv == "-":
        raise Mistake(
            "--json and --csv must not both be without a file name: only one of them can go to standard output"
        )
    with of_the_user():
        scene = demo_scene() if options.verb == "demo" else load_scene(options.scene)
    folder, stem = Path(options.out), "demo" if options.verb == "demo" else Path(options.scene).stem
    with Progress() as progress:
        for body in scene.bodies:
            if hasattr(body.shape, "Kernel"):
                progress.step(f"compiling the formulas of {body.name!r} (first use only)")
                body.shape.aabb()
        progress.step("computing the contacts (at first use, compiling takes half a minute)")
        with of_the_user():
            pairs = all_contacts(scene)
        texts = {"json": report.to_json(scene, pairs), "csv": report.to_csv(pairs)}
        files: dict[Path, str | bytes] = {
            (folder / f"{stem}.{kind}" if getattr(options, kind) in (None, "-") else Path(getattr(options, kind))): text
            for kind, text in texts.items()
        }
        if not options.no_picture:
            files |= _pictures(scene, pairs, folder / stem, progress)
        for path, content in files.items():
            whole_files.write_whole(path, content)
    streamed = [kind for kind in texts if getattr(options, kind) == "-"]
    print(texts[streamed[0]] if streamed else f"{report.table(pairs)}\n", end="", flush=True)
    print(f"wrote {', '.join(map(str, files))}", file=sys.stderr if streamed else sys.stdout, flush=True)


def _pictures(scene: Scene, pairs: list[PairContact], stem: Path, progress: Progress) -> dict[Path, str | bytes]:
    from .. import viz

    progress.step("writing the page")
    files: dict[Path, str | bytes] = {stem.with_name(f"{stem.name}.html"): viz.webpage(scene, pairs)}
    try:
        progress.step("drawing the picture")
        files[stem.with_name(f"{stem.name}.png")] = viz.picture(scene, pairs)
    except ImportError as error:
        print(f"no PNG written: it needs matplotlib, install tangency[viz] ({error})", file=sys.stderr)
    return files


def _planar(options: argparse.Namespace) -> None:
    from ..io import whole_files
    from ..io.progress import Progress
    from .planar import run

    with of_the_user():
        folder = whole_files.folder_for(options.out, "--out")
    with Progress() as progress:
        text, files = run(options, progress)
        paths = [whole_files.write_whole(folder / name, content) for name, content in files.items()]
    print(f"{text}\nwrote {', '.join(map(str, paths))}", flush=True)


def _study(options: argparse.Namespace) -> None:
    from ..io import whole_files
    from ..io.progress import Progress
    from .studies import run

    with of_the_user():
        folder = whole_files.folder_for(options.out, "--out") if options.out else Path()
    with Progress() as progress:
        text, files = run(options, progress)
    print(text, flush=True)
    paths = [whole_files.write_whole(folder / name, content) for name, content in files.items()]
    if paths:
        print(f"wrote {', '.join(map(str, paths))}", flush=True)


def _simulate(options: argparse.Namespace) -> int:
    from ..io import whole_files
    from .simulate import run

    answer = run(options)
    tables = [whole_files.write_whole(path, text) for path, text in answer.tables.items()]
    print(f"{answer.text}\nwrote {', '.join(map(str, (answer.path, *tables, *answer.more)))}", flush=True)
    return 3 if answer.warnings else 0


def _fit(options: argparse.Namespace) -> None:
    from ..io import whole_files
    from ..io.progress import Progress
    from .fit import run

    with Progress() as progress:
        text, results, cloud, choice = run(options, progress)
        written = []
        if options.report:
            from ..viz import fit_page

            page = fit_page(choice, cloud.points, f"Fits of {Path(options.cloud).name}")
            written.append(whole_files.write_whole(options.report, page))
        if options.json not in (None, "-"):
            written.append(whole_files.write_whole(options.json, results))
    print(results if options.json == "-" else f"{text}\n", end="", flush=True)
    if written:
        stream = sys.stderr if options.json == "-" else sys.stdout
        print(f"wrote {', '.join(map(str, written))}", file=stream, flush=True)


def _warmup() -> None:
    import time

    from ..compiled.cache import cache_folder
    from ..io.progress import Progress
    from .warmup import warm

    start = time.monotonic()
    with Progress() as progress:
        warm(progress)
    print(f"compiled everything built in; cache folder {cache_folder()} ({time.monotonic() - start:.0f} s)")


def _info() -> str:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from .. import __version__
    from ..compiled.cache import cache_folder, can_keep

    machine = f"{platform.system()} {platform.machine()}"
    lines = [f"tangency    {__version__}", f"python      {platform.python_version()} on {machine}"]
    for name in ("numpy", "scipy", "numba", "llvmlite", "matplotlib", "sympy"):
        try:
            lines.append(f"{name:<11} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name:<11} not installed")
    affinity = getattr(os, "sched_getaffinity", None)
    lines.append(f"cores       {len(affinity(0)) if affinity else os.cpu_count()}")
    lines.append(f"prebuilt    {_prebuilt()}")
    remark = "" if can_keep() else " (not writable: missing code is compiled in every process)"
    lines.append(f"cache       {cache_folder()}{remark}")
    return "\n".join(lines)


def _prebuilt() -> str:
    import zipfile

    from ..compiled import cache, unit

    for level in unit.levels():
        if unit.names(level):
            with zipfile.ZipFile(unit.archive(level)) as archive:
                made_for = archive.comment.decode()
            python, numba, llvmlite = made_for.split(", ")
            fits = "" if made_for == ", ".join(cache.VERSIONS) else ": not used, because other versions are installed"
            return f"{level}, for numba {numba}, llvmlite {llvmlite}, {python.split('.')[1]}{fits}"
    return "none: compiled at first use"
