"""Compile everything built in for the x86-64 levels and pack it into archives for wheels.

    python -m tangency.cli.prebuild FOLDER

Each level is compiled by a separate process, which also runs the code, so only levels that this machine supports can be
built.  Code already in the cache is not compiled again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from ..compiled import cache, jit, unit
from ..io.progress import Progress
from ..io.whole_files import whole_file
from .warmup import warm


def make(level: str, folder: Path) -> None:
    """Write the archive of one level, in a process that compiles for it (:func:`unit.environment`)."""
    if unit.levels() != (level,):
        raise ValueError(f"level must be the one that this process compiles for, {unit.levels()}, got {level!r}")
    cache.kept = {}
    with Progress() as progress:
        warm(progress)
    functions = [entry.py_func for entry in jit.ENTRIES if not entry.signatures]
    unused = [f"{function.__module__}.{function.__qualname__}" for function in functions]
    if unused:
        raise RuntimeError(
            f"tangency.cli.warmup must use every compiled function once, but does not use {', '.join(unused)}"
        )
    with whole_file(folder / unit.archive(level).name) as file, zipfile.ZipFile(file, "w") as archive:
        archive.comment = ", ".join(cache.VERSIONS).encode()
        for name, content in sorted(cache.kept.items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    if len(arguments) == 2:
        make(arguments[0], Path(arguments[1]))
        return 0
    if len(arguments) != 1:
        print("usage: python -m tangency.cli.prebuild FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    for level in unit.LEVELS:
        if level not in unit.levels():
            print(f"== {level}: not supported by this machine, left out of the wheel", file=sys.stderr)
            continue
        print(f"== {level}: compiling everything built in", file=sys.stderr)
        command = [sys.executable, "-m", "tangency.cli.prebuild", level, str(folder)]
        subprocess.run(command, env={**os.environ, **unit.environment(level)}, check=True)
        path = folder / unit.archive(level).name
        print(f"== {path}: {path.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
