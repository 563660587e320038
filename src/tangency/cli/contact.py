"""The commands ``tangency contact`` and ``tangency demo``: contacts of a scene, with tables, picture and page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .mistakes import Mistake, of_the_user
from .targets import require_folder, require_folder_of

if TYPE_CHECKING:
    from ..io.progress import Progress
    from ..scene import PairContact, Scene

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


def add_verbs(verbs: Any) -> None:
    """Options of both commands."""
    demo = verbs.add_parser(
        "demo",
        help="contacts of the built-in scene",
        description="Compute all contacts of the built-in scene, with picture and page.",
        epilog=DEMO,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    own = verbs.add_parser(
        "contact",
        help="contacts of a scene file (TOML)",
        description="Compute all contacts of a scene file, with picture and page.",
        epilog=CONTACT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    own.add_argument("scene", help="scene file (TOML)")
    for verb in (demo, own):
        verb.add_argument("--out", metavar="DIR", default="out", help="folder for the files (default: out)")
        for kind in ("json", "csv"):
            text = f"write {kind.upper()} to standard output instead of the table, or to FILE (ending in .{kind})"
            verb.add_argument(f"--{kind}", metavar="FILE", nargs="?", const="-", help=text)
        verb.add_argument("--no-picture", action="store_true", help="write no PNG and no HTML, only numbers")


def run(options: argparse.Namespace) -> None:
    """Compute the contacts of the scene, write the files and print the table."""
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
    if not options.no_picture or any(getattr(options, kind) in (None, "-") for kind in ("json", "csv")):
        require_folder(folder, "--out")
    for kind in ("json", "csv"):
        require_folder_of(getattr(options, kind), f"--{kind}")
    with Progress() as progress:
        for body in scene.placed:
            if hasattr(body.shape, "Kernel"):
                progress.step(f"compiling the formulas of {body.name!r} (first use only)")
                try:
                    with of_the_user():
                        body.shape.aabb()
                except Mistake as error:  # a size far beyond the range of the formulas
                    raise Mistake(f"body {body.name!r}: {error}") from error
        progress.step("computing the contacts (at first use, compiling takes half a minute or more)")
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
