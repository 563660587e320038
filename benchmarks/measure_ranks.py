"""The speed of a simulation that LAMMPS divides among ranks, of that of the fast mode in one thread; costs per body.

    python benchmarks/measure_ranks.py settled             a settled pour of 2000 mixed bodies, 2000 steps
    python benchmarks/measure_ranks.py bed 4000 20 100     a bed of 4000 ellipsoids that expands, 20 frames of 100 steps

Both are run as users do, with a frame every 100 steps, and times of the clock count: waiting, moving bodies between
ranks and collecting frames are included, starting is not.  Measured in turn: the fast mode alone; two processes with
the fast mode at the same time, which share memory as two ranks do; one rank; two ranks.  All is measured twice, and the
shorter time of each frame counts, since other programs disturb it.  The trajectories of one rank and of two are
compared bit by bit.

Ranks that wait let other programs use their core.  Where there are such programs, run this at a high priority, with
LD_PRELOAD naming a library in which ``int sched_yield(void)`` does nothing; otherwise mostly that is measured.

The curve for more ranks is a calculation from these times, not a measurement.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, Trajectory, World, simulate
from tangency.dynamics.fast.runner import FastRunner
from tangency.interop import lammps
from tangency.interop.lammps.carrier import communicator
from tangency.interop.lammps.coupling import Coupling
from tangency.interop.lammps.launch import launcher
from tangency.interop.lammps.runner import LammpsRunner

STEP, REPEATS, SETTLE = 1e-5, 2, 0.12  # [s], -, [s]
LATENCY = 2e-6  # assumed time of one message between two machines [s]
STATE = ("position", "quaternion", "velocity", "angular_velocity")
LAW = Interaction(
    forces.KelvinVoigt(stiffness=2e6, exponent=1.5, damping=0.2),
    forces.Bristle(static=0.5, stiffness=2e4, damping=0.5),
)
FLOOR = Body("floor", tg.HalfSpace([0, 0, 1]))
# What is measured: the engine, and the number of processes.
RUNS = {
    "fast mode": ("fast", 1),
    "fast mode, twice": ("fast", 2),
    "one rank": ("lammps", 1),
    "two ranks": ("lammps", 2),
}


def bed(count: int) -> World:
    """A dense bed of ellipsoids that press on each other, periodic in x and y."""
    rng, side = np.random.default_rng(0), 10
    k, a = np.arange(count), 9.6e-3
    places = np.stack([k % side, k // side % side, k // side**2], axis=1) * a + 0.5 * a
    radii = rng.uniform(4.6e-3, 5.0e-3, (count, 3))
    eggs = Group("eggs", tg.Ellipsoid(radii), (None, places), density=2500, velocity=rng.normal(size=(count, 3)) * 0.05)
    return World([FLOOR, eggs], interaction=LAW, periodic=((0.0, side * a), (0.0, side * a), None))


def pour(count: int, state: Any = None) -> World:
    """Ellipsoids, superellipsoids and capsules in random order, falling or in a given state; periodic in x and y."""
    rng, side, a = np.random.default_rng(count), 10, 0.0125
    k, parts = rng.permutation(count), np.array_split(np.arange(count), 3)
    if state is None:
        places = np.stack([k % side, k // side % side, k // side**2], axis=1) * a + 0.5 * a
        turns = Rotation.random(count, rng=rng).as_quat()
        state = places, turns, rng.normal(size=(count, 3)) * 0.1 - [0, 0, 1.0], rng.normal(size=(count, 3)) * 10
    shape = np.random.default_rng(0)
    radii = shape.uniform(3.5e-3, 6e-3, (count, 3))
    shapes = (
        tg.Ellipsoid(radii[parts[0]]),
        tg.Superellipsoid(radii[parts[1]], epsilon=shape.uniform(0.5, 1.0, (len(parts[1]), 2))),
        tg.capsule(radii[parts[2], 0] * 0.7, radii[parts[2], 1] * 0.5),
    )
    groups = []
    for name, shape_of, own in zip(("eggs", "boxes", "pills"), shapes, parts):
        place, turn, v, w = (table[own] for table in state)
        pose = Rotation.from_quat(turn), place
        groups.append(Group(name, shape_of, pose, density=2500, velocity=v, angular_velocity=w))
    return World([FLOOR, *groups], interaction=LAW, periodic=((0.0, side * a), (0.0, side * a), None))


def settled(count: int, file: Path) -> World:
    """A pour that has come to rest; the state is read from a file, or written to it."""
    if not file.exists():
        run = simulate(pour(count), SETTLE, "fast", step=STEP, output_interval=SETTLE)
        np.savez(file, *(getattr(run, name)[-1, 1:] for name in STATE))
    with np.load(file) as stored:
        return pour(count, tuple(stored[f"arr_{k}"] for k in range(4)))


def timed(runner: Any, times: list[float]) -> None:
    """Let the runners of a class note the time of each frame."""
    to_frame = runner._to_frame

    def noted(self: Any, *arguments: Any) -> None:
        start = time.perf_counter()
        to_frame(self, *arguments)
        times.append(time.perf_counter() - start)

    runner._to_frame = noted


def sizes(held: Any, count: int) -> dict[str, float]:
    """Numbers of bodies of a rank and near it, and bytes of its tables."""
    rows = sum(table.nbytes for table in held.domain.bodies) + _bytes(held.domain.world)
    whole = _bytes(tuple(held.whole.world)) + _bytes(tuple(held.whole.bodies))
    return {
        "near": len(held.domain.others),
        "pairs": held.pairs,
        "bytes_row": rows / len(held.domain.numbers),
        "bytes_pair": _bytes(tuple(held.lists)) / max(held.pairs, 1),
        "bytes_world": whole / count,
        "cutoff": held.carrier.cutoff,
    }


def _bytes(tables: tuple) -> int:
    return sum(_bytes(part) if isinstance(part, tuple) else getattr(part, "nbytes", 8) for part in tables)


def in_this_process(engine: str, world: World, frames: int, steps: int) -> dict[str, Any] | None:
    """The times of all frames; for ranks on rank 0 only."""
    times: list[float] = []
    options: dict[str, Any] = {"step": STEP, "output_interval": steps * STEP}
    if engine == "fast":
        timed(FastRunner, times)
        run: Trajectory | None = simulate(world, frames * steps * STEP, "fast", threads=1, **options)
        return {"times": times}
    timed(LammpsRunner, times)
    made: list[Any] = []
    begin = Coupling._begin
    Coupling._begin = lambda self, *arguments: (made.append(self), begin(self, *arguments))[1]  # type: ignore[method-assign]
    run = lammps.simulate(world, frames * steps * STEP, **options)
    comm, own = communicator(), sizes(made[0].holdings, len(made[0].assembly.names))
    ranks = [own] if comm is None else comm.gather(own)
    if run is None:
        return None
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(getattr(run, name)).tobytes() for name in STATE))
    return {"times": times, "ranks": ranks, "digest": digest.hexdigest()}


def in_processes(kind: str, count: int, frames: int, steps: int, file: Path, run: str) -> dict[str, Any]:
    """A run in processes of its own; times are means over independent processes."""
    engine, processes = RUNS[run]
    given = [kind, str(count), str(frames), str(steps), str(file), engine]
    command = [launcher(), "-n", str(processes), sys.executable, __file__, *given]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {**found[0], "times": np.mean([one["times"] for one in found], axis=0)}


def curve(body: float, near: float, per_rank: int, spacing: float, cutoff: float) -> list[tuple[int, float]]:
    """Efficiency for equal cubes of bodies on each rank, from the times of an own body and of one near a border [s]."""
    side = per_rank ** (1.0 / 3.0) * spacing
    shell = ((side + 2.0 * cutoff) ** 3 - side**3) / spacing**3
    alone = per_rank * body
    return [(p, alone / (alone + shell * near + 2.0 * LATENCY * np.log2(p))) for p in (8, 64, 512, 4096, 32768)]


def main() -> None:
    kind, *numbers = sys.argv[1:] or ["settled"]
    count, frames, steps = [int(text) for text in numbers[:3]] + [{"bed": 4000}.get(kind, 2000), 20, 100][
        len(numbers[:3]) :
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(numbers[3] if len(numbers) > 3 else Path(folder) / "settled.npz")
        world = bed(count) if kind == "bed" else settled(count, file)
        if len(numbers) > 4:
            found = in_this_process(numbers[4], world, frames, steps)
            if found is not None:
                print(json.dumps(found), flush=True)
            return
        turns = [{run: in_processes(kind, count, frames, steps, file, run) for run in RUNS} for _ in range(REPEATS)]
    report(kind, count, frames, steps, turns)


def report(kind: str, count: int, frames: int, steps: int, turns: list[dict[str, Any]]) -> None:
    """Print what was measured."""
    times = {run: np.min([turn[run]["times"] for turn in turns], axis=0) / steps for run in RUNS}
    third = max(frames // 3, 1)
    print(f"{kind}: {count} bodies, {frames} frames of {steps} steps; speed of a rank, of that of the fast mode")
    for run, (engine, processes) in RUNS.items():
        shared = processes if engine == "lammps" else 1
        base = times["fast mode, twice" if processes > 1 else "fast mode"]
        ratios = [
            base[part].mean() / times[run][part].mean() / shared
            for part in (slice(None), slice(third), slice(-third, None))
        ]
        alone = times["fast mode"].mean() / times[run].mean() / shared
        print(
            f"  {run:17} {1e6 * times[run].mean():8.0f} us a step; {ratios[0]:.2f} of as many processes with the fast "
            f"mode ({ratios[1]:.2f} in the first third, {ratios[2]:.2f} in the last), {alone:.2f} of one process alone"
        )
    one, two = turns[0]["one rank"], turns[0]["two ranks"]
    near = sum(rank["near"] for rank in two["ranks"])
    print(f"{near} bodies near the border of two ranks; pairs listed: ", end="")
    print(*(sum(rank["pairs"] for rank in ranks["ranks"]) for ranks in (one, two)), sep=" and ")
    print("one rank and two: " + ("the same bits" if one["digest"] == two["digest"] else "OTHER BITS"))
    body = times["one rank"].mean() / count
    more = max(2.0 * times["two ranks"].mean() - times["one rank"].mean(), 0.0) / near
    print(f"time per step: {1e9 * body:.0f} ns for an own body, {1e9 * more:.0f} ns for one near a border")
    known = one["ranks"][0]
    print(f"bytes per body of the world, on every rank: {known['bytes_world']:.0f}; per body of a rank: ", end="")
    print(f"{known['bytes_row']:.0f}; per pair: {known['bytes_pair']:.0f}")
    for per_rank in (1000, 10_000, 100_000):
        found = curve(body, more, per_rank, 9.6e-3, known["cutoff"])
        print(f"computed, {per_rank} bodies per rank: " + ", ".join(f"{p} ranks {e:.2f}" for p, e in found))


if __name__ == "__main__":
    main()
