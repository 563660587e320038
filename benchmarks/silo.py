"""A hundred thousand superellipsoids fall into a round silo: rate, memory, escapes and the balance of energy.

    python -m benchmarks.silo run.zarr --count 100000 --duration 1.0
    python -m benchmarks.silo run.zarr --count 100000 --duration 1.0 --resume

The run is streamed to a folder with checkpoints, and can be resumed.  Grains of about 1 cm fall from a loose lattice.
A contact of two of them takes about twenty steps.
"""

from __future__ import annotations

import argparse
import resource
from time import perf_counter, process_time

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import dynamics, forces

PITCH, SIZE, DENSITY, STEP = 0.034, 0.01, 2500.0, 8e-5  # of the lattice and mean radius [m], [kg/m^3], [s]
FRAME = 0.01  # [s]


def silo(count: int) -> dynamics.World:
    """Grains above the floor of a cylinder that is about three times as wide as they are high."""
    rng = np.random.default_rng(1)
    radius = 1.2 * (count / 1e5) ** (1 / 3)
    across = np.arange(-int(radius / PITCH), int(radius / PITCH) + 1) * PITCH
    layer = np.stack(np.meshgrid(across, across, indexing="ij"), axis=-1).reshape(-1, 2)
    layer = layer[np.hypot(*layer.T) < radius - PITCH]
    number = np.arange(count)
    place = np.column_stack([layer[number % len(layer)], PITCH * (1.0 + number // len(layer))])
    place += rng.uniform(-0.001, 0.001, place.shape)
    shapes = tg.Superellipsoid(rng.uniform(0.7, 1.3, (count, 3)) * SIZE, epsilon=rng.uniform(0.5, 1.5, (count, 2)))
    law = dynamics.Interaction(
        forces.KelvinVoigt(stiffness=2e4, damping=4.0), forces.Bristle(static=0.5, stiffness=1e4, damping=2.0)
    )
    return dynamics.World(
        [
            dynamics.Body("floor", tg.HalfSpace([0, 0, 1])),
            dynamics.Body("wall", tg.Cavity(tg.Cylinder(radius, 10.0), ends=False)),
            dynamics.Group("grains", shapes, (Rotation.random(count, rng=rng), place), density=DENSITY),
        ],
        interaction=law,
    )


def _memory() -> float:
    """Largest memory so far [GB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", help="name ending with .zarr")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--duration", type=float, default=1.0, help="simulated seconds, a multiple of 0.01")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args()
    world, start = silo(given.count), (perf_counter(), process_time())
    run = dynamics.simulate(
        world, given.duration, "fast", step=STEP, output_interval=FRAME, threads=given.threads,
        checkpoint=given.folder, checkpoint_every=5, resume=given.resume,
    )  # fmt: skip
    clock, processor = perf_counter() - start[0], process_time() - start[1]
    grains, radius = run.group("grains"), world.bodies[1].shape.hollow.radius
    place = run.position[-1][grains]
    escaped = (place[:, 2] < 0.0) | (np.hypot(place[:, 0], place[:, 1]) > radius)
    total = run.mechanical_energy + run.energy["dissipated"] - run.energy["work"]
    off = np.abs(total - total[0]).max() / np.ptp(run.energy["gravitational"])
    done = given.count * given.duration / STEP
    print(
        f"{given.count} superellipsoids, {given.duration:g} s in {clock:.0f} s by the clock, {processor:.0f} s of "
        f"processor time: {done / processor / 1e6:.3f} million body-steps per second of it; "
        f"{len(run.contacts.at(-1)) / given.count:.2f} contacts a body; {int(escaped.sum())} escaped; the energies "
        f"balance to {off:.1e} of the work of gravity; {_memory():.2f} GB"
    )
    print(run.info)


if __name__ == "__main__":
    main()
