"""Compile everything built in, in two processes that fill the same cache.

    python -m tangency.cli.parallel_warmup PART

runs one of the two parts and prints the name of each step as it begins.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from ..compiled.threads import cores
from ..io.progress import Progress
from .warmup import PARTS, warm


def warm_in_parallel(progress: Progress) -> None:
    """Compile everything, in two processes if there are two cores."""
    if cores() == 1:
        warm(progress)
        return
    command = [sys.executable, "-m", "tangency.cli.parallel_warmup"]
    quiet = {**os.environ, "TANGENCY_QUIET": "1"}  # this process shows the progress
    runs = [
        subprocess.Popen([*command, str(part)], env=quiet, stdout=subprocess.PIPE, text=True)
        for part in range(len(PARTS))
    ]
    begun: list[str] = []
    current = [""] * len(runs)

    def follow(part: int) -> None:
        for line in runs[part].stdout or ():
            current[part] = line.strip()
            begun.append(current[part])
            count = f"{len(begun)} of {sum(map(len, PARTS))}"
            progress.step(f"compiling, {count}: {' and '.join(filter(None, current))}")
        current[part] = ""

    with ThreadPoolExecutor(len(runs)) as pool:
        try:
            list(pool.map(follow, range(len(runs))))
        except BaseException:
            for run in runs:
                run.kill()
            raise
    for run in runs:
        if run.wait():
            raise subprocess.CalledProcessError(run.returncode, run.args)


def main(part: int) -> None:
    """Run one part."""
    gc.freeze()  # the compiler makes millions of small objects: searching for cycles among them takes time
    gc.set_threshold(50_000, 20, 20)
    for text, step in PARTS[part].items():
        print(text, flush=True)
        step()


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)
