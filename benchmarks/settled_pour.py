"""Grains poured into a box and settled: body-steps per second of processor time, for growing numbers of bodies.

    python -m benchmarks.settled_pour                     # ellipsoids: 250, 1000, 10000 bodies, one thread
    python -m benchmarks.settled_pour --shape superellipsoid 1000 --tiles 1 10 100
    python -m benchmarks.settled_pour 10000 --tiles 10 --threads 1 2
    python -m benchmarks.settled_pour 1000 --tiles 1 10 100 --periodic
    python -m benchmarks.settled_pour 250 1000 4000 --old OLD/src

With ``--tiles``, copies of the settled heap stand side by side in a longer box, so that many bodies need not be poured.
Where the walls between them were, they spread.  With ``--periodic``, the box has no side walls but periodic boundaries:
copies side by side are then as much at rest as one alone, with as many contacts per body, so that the cost per body can
be compared for different numbers of them.
With ``--old``, the same settled state is continued by another version of the package in a second process, in turns.
With ``--heaps``, settled heaps are kept in a folder, and read from there the next time.
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
FEW, MORE = 100, 400  # steps of a short and of a long run: the first lists of pairs are short-lived, later ones not
SHORTEST = 10_000_000  # body-steps: small heaps are measured more often
REST, LONGEST = 5e-3, 12.0  # a heap is settled at this mean speed [m/s] (root mean square), or after this time [s]
SHAPES = ("ellipsoid", "superellipsoid")
OF_BOX = ("low", "high", "periodic")  # what a heap knows of its box, besides arrays with a row per body


def law() -> dynamics.Interaction:
    """Springs and dampers, friction with memory."""
    return dynamics.Interaction(
        forces.KelvinVoigt(stiffness=2e4, damping=60.0), forces.Bristle(static=0.5, stiffness=1e4, damping=20.0)
    )


def walls(low: np.ndarray, high: np.ndarray) -> list[dynamics.Body]:
    """A floor and four walls around the rectangle from `low` to `high`."""
    planes = (
        ([0, 0, 1], 0.0),
        ([1, 0, 0], low[0]),
        ([-1, 0, 0], -high[0]),
        ([0, 1, 0], low[1]),
        ([0, -1, 0], -high[1]),
    )
    return [dynamics.Body(f"wall {k}", tg.HalfSpace(n, d)) for k, (n, d) in enumerate(planes)]


def boundaries(heap: Any) -> tuple[list[dynamics.Body], Any]:
    """Walls around a heap, or its floor and periodic box."""
    bodies = walls(heap["low"], heap["high"])
    if heap["periodic"]:
        return bodies[:1], [*zip(heap["low"].tolist(), heap["high"].tolist()), None]
    return bodies, None


def shape_of(heap: Any) -> Any:
    """The shapes of a heap."""
    if "epsilon" not in heap:
        return tg.Ellipsoid(heap["radii"])
    return tg.Superellipsoid(heap["radii"], epsilon=heap["epsilon"])


def poured(
    count: int, threads: int | None, shape: str = "ellipsoid", *, periodic: bool = False
) -> dict[str, np.ndarray]:
    """A settled heap: radii, positions, quaternions and velocities of the grains, and the corners of the box."""
    rng, row = np.random.default_rng(1), max(3, round(count ** (1 / 3)))
    side, k = 0.5 * 0.14 * row, np.arange(count)
    grid = np.stack([k % row, k // row % row, k // row**2], axis=1) + 0.5
    place = 0.14 * grid - [side, side, 0.0] + rng.uniform(-0.005, 0.005, (count, 3))
    radii, turn = rng.uniform(0.7, 1.3, (count, 3)) * SIZE, Rotation.random(count, rng=rng)
    corners = {"low": np.array([-side, -side]), "high": np.array([side, side]), "periodic": np.array(periodic)}
    heap = {"radii": radii, **corners}
    if shape == "superellipsoid":
        heap["epsilon"] = rng.uniform(0.5, 1.5, (count, 2))
    grains = dynamics.Group("grains", shape_of(heap), (turn, place), density=DENSITY)
    around, box = boundaries(heap)
    world = dynamics.World([*around, grains], interaction=law(), periodic=box)
    often = 500 * STEP
    run = dynamics.simulate(world, LONGEST, "fast", step=STEP, output_interval=often, threads=threads, rest=REST)
    own = run.group("grains")
    last = {name: getattr(run, name)[-1, own] for name in ("position", "quaternion", "velocity", "angular_velocity")}
    return {**heap, **last}


def tiled(heap: dict[str, np.ndarray], tiles: int) -> dict[str, np.ndarray]:
    """Copies of a heap side by side, in a rectangle as square as possible."""
    across = max(n for n in range(1, int(tiles**0.5) + 1) if tiles % n == 0)
    size, made = heap["high"] - heap["low"], {name: [] for name in heap if name not in OF_BOX}
    for k in range(tiles):
        for name, table in made.items():
            shift = np.array([*(size * [k // across, k % across]), 0.0])
            table.append(heap[name] + shift if name == "position" else heap[name])
    high = heap["low"] + size * [tiles // across, across]
    many = {name: np.concatenate(table) for name, table in made.items()}
    return {**many, "low": heap["low"], "high": high, "periodic": heap["periodic"]}


def shuffled(heap: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same heap with its bodies in random order."""
    order = np.random.default_rng(2).permutation(len(heap["radii"]))
    return {name: table if name in OF_BOX else table[order] for name, table in heap.items()}


def world_of(heap: Any, *, group: bool) -> dynamics.World:
    """The heap as a group, or as single bodies."""
    shape, poses = shape_of(heap), (Rotation.from_quat(heap["quaternion"]), heap["position"])
    if group:
        rates = {"velocity": heap["velocity"], "angular_velocity": heap["angular_velocity"]}
        made = [dynamics.Group("grains", shape, poses, density=DENSITY, **rates)]
    else:
        rows = zip(poses[0], poses[1], heap["velocity"], heap["angular_velocity"])
        made = [
            dynamics.Body(f"{k}", shape[k], (turn, place), density=DENSITY, velocity=v, angular_velocity=w)
            for k, (turn, place, v, w) in enumerate(rows)
        ]
    around, box = boundaries(heap)
    return dynamics.World([*around, *made], interaction=law(), periodic=box)


def mean_speed(velocity: np.ndarray) -> float:
    """Root mean square of speeds."""
    return float(np.sqrt((velocity**2).sum(axis=1).mean()))


def rate(world: dynamics.World, count: int, options: dict[str, Any], rounds: int) -> tuple[float, float, int, float]:
    """Body-steps per second of processor time and of the clock, without the time to start; contacts and mean speed.

    The shortest of all short runs is subtracted from the shortest of all long ones.  The best of several differences
    would be the one whose short run happened to be disturbed.  The steps are the same for any number of bodies: a heap
    comes to rest while it is measured, and contacts that change less are solved faster.
    """
    least = {FEW: np.full(2, np.inf), MORE: np.full(2, np.inf)}
    for steps in (FEW, *max(rounds, SHORTEST // (count * MORE)) * (FEW, MORE)):  # the first run may compile
        start = process_time(), perf_counter()
        run = dynamics.simulate(world, steps * STEP, "fast", step=STEP, output_interval=steps * STEP, **options)
        least[steps] = np.minimum(least[steps], (process_time() - start[0], perf_counter() - start[1]))
    rates = count * (MORE - FEW) / (least[MORE] - least[FEW])
    return *rates, len(run.contacts.at(-1)), mean_speed(run.velocity[-1, -count:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("counts", nargs="*", type=int, default=[250, 1000, 10_000])
    parser.add_argument("--shape", choices=SHAPES, default="ellipsoid")
    parser.add_argument("--tiles", nargs="*", type=int, default=[1])
    parser.add_argument("--periodic", action="store_true", help="periodic boundaries instead of side walls")
    parser.add_argument("--shuffle", action="store_true", help="bodies in random order")
    parser.add_argument("--threads", nargs="*", type=int, default=[1])
    parser.add_argument("--old", help="folder of another version of the package")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--heaps", type=Path, help="folder for settled heaps")
    parser.add_argument("--heap", help=argparse.SUPPRESS)  # measure this file as single bodies, and print the rate
    given = parser.parse_args()
    if given.heap:
        heap = np.load(given.heap)
        print(rate(world_of(heap, group=False), len(heap["radii"]), {}, 1)[0])
        return
    with tempfile.TemporaryDirectory() as folder:
        for count in given.counts:
            name = f"{given.shape}-{count}{'-periodic' if given.periodic else ''}.npz"
            kept = (given.heaps or Path(folder)) / name
            if not kept.exists():
                np.savez(kept, **poured(count, None, given.shape, periodic=given.periodic))
            with np.load(kept) as file:
                heap = dict(file)
            for tiles in given.tiles:
                many = tiled(heap, tiles)
                report(shuffled(many) if given.shuffle else many, given, Path(folder) / "heap.npz")


def report(heap: dict[str, np.ndarray], given: argparse.Namespace, file: Path) -> None:
    """Measure a heap for each number of threads, and print the rates."""
    count, world = len(heap["radii"]), world_of(heap, group=True)
    speed = mean_speed(heap["velocity"])
    np.savez(file, **heap)
    best, old = {threads: rate(world, count, {"threads": threads}, given.rounds) for threads in given.threads}, 0.0
    for _ in range(given.rounds):
        if given.old:
            command = [sys.executable, __file__, "--heap", str(file)]
            environment = {**os.environ, "PYTHONPATH": given.old}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            old = max(old, float(done.stdout.split()[-1]))
    for threads, (by_processor, by_clock, contacts, later) in best.items():
        print(
            f"{count:7d} {given.shape}s, {contacts / count:.2f} contacts a body, moving at {1e3 * speed:.1f} mm/s "
            f"({1e3 * later:.1f} at the end), "
            f"{threads} threads: "
            f"{by_processor / 1e6:.3f} million body-steps per second of processor time, "
            f"{by_clock / 1e6:.3f} by the clock"
            + (f"; old {old / 1e6:.3f}, ratio {by_processor / old:.1f}" if given.old else ""),
            flush=True,
        )


if __name__ == "__main__":
    main()
