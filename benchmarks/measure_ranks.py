"""What a simulation costs when LAMMPS divides it among ranks: times and bytes per body, and a curve computed from them.

    python benchmarks/measure_ranks.py                one process without LAMMPS, then one rank and two
    python benchmarks/measure_ranks.py 8000 40        8000 bodies, 40 steps

Each time is the best of 20 short rounds, in some of which no list of pairs is renewed, neither here nor there.  The
curve for more ranks is a calculation from these parts, not a measurement.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, World
from tangency.dynamics.assembly import Assembly
from tangency.dynamics.fast.runner import FastRunner
from tangency.interop.lammps.carrier import communicator
from tangency.interop.lammps.coupling import Coupling
from tangency.interop.lammps.launch import launcher

STEP, WARM, ROUNDS = 1e-5, 60, 20
SENT = 8 * 18  # bytes that LAMMPS sends for a body near a border, in each step
LATENCY = 2e-6  # assumed time of one message between two machines [s]


def pile(count: int) -> World:
    """A dense bed of ellipsoids that press on each other, periodic in x and y."""
    rng, side = np.random.default_rng(0), 10
    k, a = np.arange(count), 9.6e-3
    places = np.stack([k % side, k // side % side, k // side**2], axis=1) * a + 0.5 * a
    radii = rng.uniform(4.6e-3, 5.0e-3, (count, 3))
    eggs = Group("eggs", tg.Ellipsoid(radii), (None, places), density=2500, velocity=rng.normal(size=(count, 3)) * 0.05)
    law = Interaction(
        forces.KelvinVoigt(stiffness=2e6, exponent=1.5, damping=0.2),
        forces.Bristle(static=0.5, stiffness=2e4, damping=0.5),
    )
    box = ((0.0, side * a), (0.0, side * a), None)
    return World([Body("floor", tg.HalfSpace([0, 0, 1])), eggs], interaction=law, periodic=box)


def without(count: int, steps: int) -> dict[str, float]:
    """The fast mode in one thread."""
    runner = FastRunner(Assembly(pile(count)), step=STEP, skin=1e-3, threads=1, steps_per_frame=steps)
    runner._run(WARM)
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        runner._run(steps)
        times.append(time.process_time() - start)
    return {"cpu": min(times)}


class Timed(Coupling):
    """Notes the processor time of its steps, without the time in which it waits for other ranks."""

    busy = 0.0

    def _called(self, *arguments: Any) -> None:
        start = time.process_time()
        super()._called(*arguments)
        self.busy += time.process_time() - start

    def _stopped(self, renew: bool) -> bool:
        start = time.process_time()
        stopped = super()._stopped(renew)
        self.busy -= time.process_time() - start
        return stopped


def on_this_rank(count: int, steps: int) -> dict[str, float]:
    """One of the ranks, all of which call this."""
    comm = communicator()
    coupling = Timed(Assembly(pile(count)), step=STEP, skins=(1e-3, 1e-3, 1e-3), comm=comm)
    coupling.run(WARM)
    times, busy = [], []
    for _ in range(ROUNDS):
        coupling.busy, start = 0.0, time.process_time()
        coupling.run(steps)
        times.append(time.process_time() - start)
        busy.append(coupling.busy)
    held = coupling.holdings
    found: dict[str, float] = {"cpu": min(times), "busy": min(busy)}
    found |= {"own": len(held.domain.own), "near": len(held.domain.others), "pairs": held.pairs}
    rows = sum(table.nbytes for table in held.domain.bodies) + _bytes(held.domain.world)
    found |= {"bytes_row": rows / len(held.domain.numbers), "bytes_pair": _bytes(held.handed) / max(held.pairs, 1)}
    whole = _bytes(tuple(held.whole.world)) + _bytes(tuple(held.whole.bodies))
    found |= {"bytes_world": whole / count, "cutoff": held.carrier.cutoff}
    return found


def _bytes(tables: tuple) -> int:
    return sum(_bytes(part) if isinstance(part, tuple) else getattr(part, "nbytes", 8) for part in tables)


def in_processes(count: int, steps: int, ranks: int) -> list[dict[str, float]]:
    """All ranks, in processes of their own."""
    command = [launcher(), "-n", str(ranks), sys.executable, __file__, str(count), str(steps), "rank"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    return json.loads(done.stdout)


def curve(body: float, near: float, per_rank: int, spacing: float, cutoff: float) -> list[tuple[int, float]]:
    """Efficiency for equal cubes of bodies on each rank, from the times of an own body and of one near a border [s]."""
    side = per_rank ** (1.0 / 3.0) * spacing
    shell = ((side + 2.0 * cutoff) ** 3 - side**3) / spacing**3
    alone = per_rank * body
    return [(p, alone / (alone + shell * near + 2.0 * LATENCY * math.log2(p))) for p in (8, 64, 512, 4096, 32768)]


def main() -> None:
    count, steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4000, int(sys.argv[2]) if len(sys.argv) > 2 else 20
    if len(sys.argv) > 3:
        found, comm = on_this_rank(count, steps), communicator()
        ranks = [found] if comm is None else comm.gather(found)
        if ranks is not None:
            print(json.dumps(ranks), flush=True)
        return
    fast = without(count, steps)
    print(f"{count} bodies, {steps} steps, best of {ROUNDS} rounds; body-steps per second of processor time")
    print(f"  fast mode, one thread   {count * steps / fast['cpu']:.3g}")
    one, two = in_processes(count, steps, 1), in_processes(count, steps, 2)
    for ranks in (one, two):
        # Ranks that wait for each other are busy, too: of LAMMPS itself, what it takes on one rank is counted.
        cpu = sum(rank["busy"] for rank in ranks) + one[0]["cpu"] - one[0]["busy"]
        near = sum(rank["near"] for rank in ranks)
        rate = count * steps / cpu
        print(
            f"  LAMMPS, {len(ranks)} rank(s)       {rate:.3g}, {fast['cpu'] / cpu:.2f} of the fast mode, "
            f"{near} bodies near borders, {sum(rank['pairs'] for rank in ranks)} pairs listed"
        )
    body = one[0]["cpu"] / steps / count
    more = (sum(rank["busy"] for rank in two) - one[0]["busy"]) / steps / sum(rank["near"] for rank in two)
    print(f"time per step: {1e9 * body:.0f} ns for an own body, {1e9 * max(more, 0.0):.0f} ns for one near a border")
    known = one[0]
    print(f"bytes per body of the world, on every rank: {known['bytes_world']:.0f}; per body of a rank: ", end="")
    print(f"{known['bytes_row']:.0f}; per pair: {known['bytes_pair']:.0f}; sent for a body near a border: {SENT}")
    for per_rank in (1000, 10_000, 100_000):
        found = curve(body, max(more, 0.0), per_rank, 9.6e-3, known["cutoff"])
        print(f"computed, {per_rank} bodies per rank: " + ", ".join(f"{p} ranks {e:.2f}" for p, e in found))


if __name__ == "__main__":
    main()
