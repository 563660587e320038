"""Compare tangency with other engines: print tables as Markdown and write files."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tangency.io.progress import Progress

from . import accuracy, clock, half_space, many_bodies, overlap, peers, plots, scaling, speed, startup, time_of_impact
from .engine import Engine
from .gradients import report as gradients
from .table import Table

PARTS = {
    "accuracy": accuracy.measure,
    "speed": speed.measure,
    "overlap": overlap.measure,
    "half-space": half_space.measure,
    "impact-time": time_of_impact.measure,
    "gradients": gradients.measure,
    "many-bodies": many_bodies.measure,
    "plots": scaling.measure,
    "startup": startup.measure,
}
PACKAGES = ("tangency", "numpy", "numba", "coal", "mujoco", "python-fcl", "distance3d")


def machine() -> str:
    """Processor, cores, load and versions, as a Markdown list."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    except OSError:
        pass
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return f"- {name}, {os.cpu_count()} cores{load}\n- Python {platform.python_version()}, {', '.join(found)}\n"


def report(
    names: list[str], engines: list[Engine], *, quick: bool, progress: Progress
) -> Iterator[Table | plots.Figure]:
    for name in names:
        for item in PARTS[name](engines, quick=quick):
            if isinstance(item, str):
                progress.step(item)
            else:
                yield item


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write all files, or none if one cannot be written."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as unfinished:
        for name, content in files.items():
            (Path(unfinished) / name).write_bytes(content)
        for name in files:
            os.replace(Path(unfinished) / name, folder / name)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer pairs, no compilation: under a minute")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"), help="folder for files (%(default)s)")
    parser.add_argument(
        "--only", action="append", choices=PARTS, metavar="PART", help=f"one of {', '.join(PARTS)}; may be repeated"
    )
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="on a machine that others use: time of the processor, not of the day",
    )
    options = parser.parse_args()
    if options.processor_time:
        clock.use_processor_time()
    try:  # fail now, not after minutes of measuring
        options.out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=options.out).close()
    except OSError as why:
        parser.error(f"--out must be a folder that can be written to, got {options.out} ({why.strerror})")

    texts: list[str] = []
    files: dict[str, bytes] = {}

    def say(text: str) -> None:
        texts.append(text)
        print(text, flush=True)

    with Progress() as progress:
        say("# Benchmarks\n")
        say(machine())
        if options.processor_time:
            say("Processor time, of all threads together: rows with several threads show no gain.\n")
        progress.step("compiling the C++ loop around Coal")
        engines, left_out = peers.available()
        for sentence in left_out:
            say(f"{sentence}\n")
        for item in report(options.only or list(PARTS), engines, quick=options.quick, progress=progress):
            say(item.markdown())
            files |= item.files()
    files["benchmarks.md"] = "\n".join(texts).encode()
    write(options.out, files)
    print(f"Written: {options.out}{os.sep}", ", ".join(sorted(files)), file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Interrupted; no files were written.")
