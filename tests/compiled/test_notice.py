"""One line on standard error while compiling at first use; silent when cached, when told to be, and on stdout."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
import tangency
from tangency.compiled import notice
from tangency.compiled.jit import entry
from tangency.io.progress import Progress
import contextlib

notice.PATIENCE = float(sys.argv[1])

@entry
def twice(x):
    return 2.0 * x

@entry
def thrice(x):
    return 3.0 * x

with Progress(every=60.0) if "progress" in sys.argv else contextlib.nullcontext():
    assert twice(1.5) + thrice(1.0) == 6.0
time.sleep(0.1)
"""
OWN = """
import sys, typing
import tangency as tg
from tangency.compiled import notice

notice.PATIENCE = float(sys.argv[1])

class Mine(tg.forces.NormalLaw):
    class Kernel(typing.NamedTuple):
        k: float
        def force(self, depth):
            return self.k * depth
        def energy(self, depth):
            return self.k * depth * depth / 2.0

assert Mine(k=1.0).address and Mine(k=2.0).address
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)

    def start(*arguments, **variables):
        environment = {**os.environ, "TANGENCY_CACHE_DIR": str(tmp_path / "cache"), "TANGENCY_QUIET": "", **variables}
        command = [sys.executable, str(tmp_path / "program.py"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        assert done.stdout == ""
        return done.stderr

    return start


def test_first_use_says_once_what_takes_so_long(run):
    said = run("0.0")
    assert said == "tangency: compiling code at first use (half a minute to two minutes; kept for later runs)\n"
    assert run("0.0") == ""  # cached


ALSO = [pytest.param(way, marks=pytest.mark.full) for way in ("short", "quiet")]


@pytest.mark.parametrize("why", ["progress", *ALSO])
def test_silent(run, why):
    assert run("60.0" if why == "short" else "0.0", why, TANGENCY_QUIET="1" if why == "quiet" else "0") == ""


def test_a_cache_that_cannot_be_written_is_named(run, tmp_path):
    (tmp_path / "file").write_text("")
    assert "not kept, since " in run("0.0", TANGENCY_CACHE_DIR=str(tmp_path / "file" / "cache"))


@pytest.mark.parametrize("patience", ["0.0", pytest.param("60.0", marks=pytest.mark.full)])
def test_own_formulas_say_so_once(run, tmp_path, patience):
    (tmp_path / "program.py").write_text(OWN)
    line = "tangency: compiling the formulas of Mine.Kernel (once per process)\n"
    assert run(patience) == (line if patience == "0.0" else "")
