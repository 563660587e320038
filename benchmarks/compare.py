"""Two versions of tangency side by side: is the new one slower than the old one?

    python -m benchmarks.compare OLD NEW            # folders that hold the package, e.g. ../before/src src

Each version runs in a process of its own.  They take turns, so that noise of a shared machine hits both, and only
processor time counts.  Printed is the best turn of each and their ratio; the answers are compared, too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROUNDS = 15
TURN = 0.15  # seconds that a turn lasts at least


def workloads() -> dict[str, tuple[Callable[[], object], int]]:
    """What is timed, and how many answers one call gives; only the part of the interface that versions share."""
    import tangency as tg

    rng = np.random.default_rng(0)

    def turned(count: int, away: float) -> np.ndarray:
        q, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
        q *= np.linalg.det(q)[:, None, None]
        poses = np.tile(np.eye(4), (count, 1, 1))
        direction = rng.normal(size=(count, 3))
        poses[:, :3, :3], poses[:, :3, 3] = q, away * direction / np.linalg.norm(direction, axis=1)[:, None]
        return poses

    def egg(count: int) -> tg.Shape:
        return tg.Ellipsoid(rng.uniform(0.3, 1.0, (count, 3)))

    def pill(count: int) -> tg.Shape:
        return tg.Superellipsoid(rng.uniform(0.3, 1.0, (count, 3)), rng.uniform(0.3, 1.6, (count, 2)))

    tasks: dict[str, tuple[Callable[[], object], int]] = {}

    def stack(name: str, a: tg.Shape, b: tg.Shape, poses: np.ndarray) -> None:
        tasks[name] = (lambda: tg.contact(a, b, None, poses, threads=1), len(poses))

    for word, away in (("apart", 2.5), ("overlapping", 0.9)):
        stack(f"ellipsoids {word}", egg(20_000), egg(20_000), turned(20_000, away))
        stack(f"superellipsoids {word}", pill(2000), pill(2000), turned(2000, away))
        for name, shape in {
            "box": tg.Box([0.5, 0.4, 0.3]),
            "capsule": tg.capsule(0.3, 0.5),
            "hull": tg.Hull(rng.normal(size=(30, 3))),
            "ovoid": tg.Ovoid([0.8, 0.7, 0.9], [1.0, 0.2, 0.0, 0.0], [1.0, 0.1, 0.0, 0.0]),
        }.items():
            stack(f"ellipsoid and {name} {word}", tg.Ellipsoid([0.7, 0.5, 0.4]), shape, turned(500, away))
    stack("plane and ellipsoids", tg.HalfSpace([0, 0, 1]), egg(20_000), turned(20_000, 0.9))

    a, b, pose = tg.Ellipsoid([0.7, 0.5, 0.4]), tg.Superellipsoid([0.7, 0.5, 0.4], (0.7, 1.1)), np.eye(4)
    pose[:3, 3] = 1.4, 0.3, 0.2
    pair, last = tg.Pair(a, b), tg.contact(a, b, None, pose)
    tasks["one tg.contact, 4x4"] = (lambda: tg.contact(a, b, None, pose), 1)
    tasks["one tg.contact, (None, t)"] = (lambda: tg.contact(a, b, None, (None, pose[:3, 3])), 1)
    tasks["one tg.contact with a guess"] = (lambda: tg.contact(a, b, None, pose, guess=last), 1)
    tasks["one tg.Pair"] = (lambda: pair(None, pose), 1)
    few = turned(10, 1.5)
    tasks["a stack of ten"] = (lambda: tg.contact(a, b, None, few, threads=1), 10)
    mixed = tg.Bodies([egg(500), pill(500), tg.HalfSpace([0, 0, 1])])
    pairs, places = rng.integers(0, 1000, (4000, 2)), turned(1001, 3.0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    tasks["tg.Bodies"] = (lambda: mixed.contact(pairs, places, threads=1), len(pairs))
    flat_a, flat_b = tg.planar.Ellipse([3, 2]), tg.planar.Superellipse([1, 1], 3.0)
    tasks["one planar contact"] = (lambda: tg.planar.contact(flat_a, flat_b, pose_b=(0.3, [4, 1])), 1)
    cloud = tg.Superellipsoid([1.0, 0.8, 0.6], (0.7, 0.9)).point(rng.normal(size=(500, 3)))
    cloud = cloud + rng.normal(scale=1e-3, size=cloud.shape)
    for model in ("ellipsoid", "superellipsoid"):
        tasks[f"fit of an {model}".replace("an s", "a s")] = (lambda model=model: tg.fit(cloud, model), 1)
    for mode in ("accurate", "fast"):
        tasks[f"motion, {mode}"] = (_motion(mode), 1)
    return tasks


def _motion(mode: str) -> Callable[[], object]:
    import tangency as tg
    from tangency.dynamics import Body, Interaction, World, simulate
    from tangency.forces import HuntCrossley, Tanh

    shape = tg.Superellipsoid([0.1, 0.1, 0.15], (0.8, 1.0))
    eggs = [Body(f"egg {k}", shape, (None, [0.03 * k, 0, 0.2 + 0.35 * k])) for k in range(4)]
    touch = Interaction(HuntCrossley(stiffness=1e6, restitution=0.5), Tanh(coefficient=0.3, speed=0.01))
    world = World((Body("ground", tg.HalfSpace([0, 0, 1])), *eggs), interaction=touch)
    if mode == "fast":  # versions suggest different steps
        return lambda: simulate(world, 0.5, mode, step=2e-4)
    return lambda: simulate(world, 0.3, mode)


def serve() -> None:
    """Time the workloads whose names arrive, one a line."""
    tasks = workloads()
    print(json.dumps(list(tasks)), flush=True)
    for line in sys.stdin:
        task, answers = tasks[line.strip()]
        calls, start = 0, time.process_time()
        while (passed := time.process_time() - start) < TURN:
            result = task()
            calls += 1
        distance = np.asarray(getattr(result, "distance", 0.0))
        print(json.dumps([passed / calls / answers, float(np.sum(distance))]), flush=True)


class Version:
    """A process that runs one version."""

    def __init__(self, folder: Path) -> None:
        variables = {**os.environ, "PYTHONPATH": f"{folder.resolve()}:{Path(__file__).parents[1]}"}
        command = [sys.executable, "-c", "from benchmarks.compare import serve; serve()"]
        self.process = subprocess.Popen(
            command, env=variables, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/"
        )
        self.names: list[str] = self._answer()

    def _answer(self) -> list:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def run(self, name: str) -> tuple[float, float]:
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        seconds, total = self._answer()
        return seconds, total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", default="", help="workloads whose names contain this")
    options = parser.parse_args()
    for folder in (options.old, options.new):
        if not (folder / "tangency").is_dir():
            parser.error(f"{folder} must hold the package tangency")
    versions = [Version(options.old), Version(options.new)]
    print("| what | old, us | new, us | new / old | sum of distances differs by |\n|---|---|---|---|---|")
    for name in (n for n in versions[1].names if options.only in n):
        best, totals = [np.inf, np.inf], [0.0, 0.0]
        for k in range(2 * options.rounds):
            which = (k + k // 2) % 2  # old, new, new, old: neither is always the second
            seconds, totals[which] = versions[which].run(name)
            best[which] = min(best[which], seconds)
        old, new = best
        print(
            f"| {name} | {old * 1e6:.4g} | {new * 1e6:.4g} | {new / old:.3f} | {totals[1] - totals[0]:.1e} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
