"""Ellipsoids poured into a box and settled: body-steps per second of processor time, for growing numbers of bodies.

    python -m benchmarks.settled_pour                     # 250, 1000, 10000 bodies, one thread
    python -m benchmarks.settled_pour 100000 --threads 2
    python -m benchmarks.settled_pour 250 1000 4000 --old OLD/src

With ``--old``, the same settled state is continued by another version of the package in a second process, in turns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import dynamics, forces

SIZE, DENSITY, STEP = 0.05, 1000.0, 4e-4  # mean radius [m], [kg/m^3], [s]
SETTLE = 1.0  # [s], plus the time of the fall


def law() -> dynamics.Interaction:
    """Springs and dampers, friction with memory."""
    return dynamics.Interaction(
        forces.KelvinVoigt(stiffness=2e4, damping=60.0), forces.Bristle(static=0.5, stiffness=1e4, damping=20.0)
    )


def walls(side: float) -> list[dynamics.Body]:
    """A floor and four walls at the distance `side` from the middle."""
    planes = (([0, 0, 1], 0.0), ([1, 0, 0], -side), ([-1, 0, 0], -side), ([0, 1, 0], -side), ([0, -1, 0], -side))
    return [dynamics.Body(f"wall {k}", tg.HalfSpace(n, d)) for k, (n, d) in enumerate(planes)]


def poured(count: int, threads: int) -> dict[str, np.ndarray]:
    """A settled heap: radii, positions, quaternions and velocities of the ellipsoids, and half the width of the box."""
    rng, row = np.random.default_rng(1), max(3, round(count ** (1 / 3)))
    side, k = 0.5 * 0.14 * row, np.arange(count)
    grid = np.stack([k % row, k // row % row, k // row**2], axis=1) + 0.5
    place = 0.14 * grid - [side, side, 0.0] + rng.uniform(-0.005, 0.005, (count, 3))
    radii, turn = rng.uniform(0.7, 1.3, (count, 3)) * SIZE, Rotation.random(count, rng=rng)
    grains = dynamics.Group("grains", tg.Ellipsoid(radii), (turn, place), density=DENSITY)
    fall = np.sqrt(2.0 * 0.14 * count / row**2 / 9.81)
    steps = 50 * round((SETTLE + fall) / STEP / 50)
    world = dynamics.World([*walls(side), grains], interaction=law())
    run = dynamics.simulate(world, steps * STEP, "fast", step=STEP, output_interval=steps * STEP, threads=threads)
    own = run.group("grains")
    last = {name: getattr(run, name)[-1, own] for name in ("position", "quaternion", "velocity", "angular_velocity")}
    return {**last, "radii": radii, "side": np.array(side)}


def world_of(heap: Any, *, group: bool) -> dynamics.World:
    """The heap as a group, or as single bodies."""
    shape, poses = tg.Ellipsoid(heap["radii"]), (Rotation.from_quat(heap["quaternion"]), heap["position"])
    if group:
        rates = {"velocity": heap["velocity"], "angular_velocity": heap["angular_velocity"]}
        made = [dynamics.Group("grains", shape, poses, density=DENSITY, **rates)]
    else:
        rows = zip(poses[0], poses[1], heap["velocity"], heap["angular_velocity"])
        made = [
            dynamics.Body(f"{k}", shape[k], (turn, place), density=DENSITY, velocity=v, angular_velocity=w)
            for k, (turn, place, v, w) in enumerate(rows)
        ]
    return dynamics.World([*walls(float(heap["side"])), *made], interaction=law())


def rate(world: dynamics.World, count: int, options: dict[str, Any]) -> tuple[float, float, int]:
    """Body-steps per second of processor time and of the clock, and contacts, without the time to start."""
    few, more = 20, 20 + max(30, 600_000 // count)
    spent = []
    for steps in (few, few, more):
        start = process_time(), perf_counter()
        run = dynamics.simulate(world, steps * STEP, "fast", step=STEP, output_interval=steps * STEP, **options)
        spent.append((process_time() - start[0], perf_counter() - start[1]))
    done = count * (more - few)
    return done / (spent[2][0] - spent[1][0]), done / (spent[2][1] - spent[1][1]), len(run.contacts.at(-1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("counts", nargs="*", type=int, default=[250, 1000, 10_000])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--old", help="folder of another version of the package")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--heap", help=argparse.SUPPRESS)  # measure this file as single bodies, and print the rate
    given = parser.parse_args()
    if given.heap:
        heap = np.load(given.heap)
        print(rate(world_of(heap, group=False), len(heap["radii"]), {})[0])
        return
    with tempfile.TemporaryDirectory() as folder:
        for count in given.counts:
            heap = poured(count, given.threads)
            file = Path(folder) / "heap.npz"
            np.savez(file, **heap)
            world, best, old = world_of(heap, group=True), (0.0, 0.0, 0), 0.0
            for _ in range(given.rounds):
                best = max(best, rate(world, count, {"threads": given.threads}))
                if given.old:
                    command = [sys.executable, __file__, "--heap", str(file)]
                    environment = {**os.environ, "PYTHONPATH": given.old}
                    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                    old = max(old, float(done.stdout.split()[-1]))
            print(
                f"{count:7d} bodies, {best[2] / count:.2f} contacts a body: {best[0] / 1e6:.3f} million body-steps per "
                f"second of processor time, {best[1] / 1e6:.3f} by the clock"
                + (f"; old {old / 1e6:.3f}, ratio {best[0] / old:.1f}" if given.old else ""),
                flush=True,
            )


if __name__ == "__main__":
    main()
