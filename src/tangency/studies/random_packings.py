"""Random packings of frictionless spheres and ellipsoids that settle under gravity: packing fraction, coordination.

Donev et al., Science 303 (2004) 990: spheres 0.64, spheroids with the aspect ratio of M&M's candies 0.68 to 0.71 with
about ten contacts, ellipsoids near 1.25 : 1 : 0.8 up to 0.735; Man et al., Phys. Rev. Lett. 94 (2005) 198001, measured
0.74 for such ellipsoids.  Their packings are compressed; here bodies fall on a floor in a box that is periodic along x
and y, and layers near the floor and the surface are left out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import forces
from ..broadphase import scatter
from ..dynamics import Body, Group, Interaction, Trajectory, World, measures, simulate
from ..io.progress import Progress
from ..shapes import Ellipsoid, HalfSpace, Sphere
from ..shapes.shape import Shape
from .study import Result, Study, Table

RADIUS, DENSITY, STIFFNESS, RESTITUTION, DAMPING = 0.01, 2500.0, 1e5, 0.3, 0.1  # of a ball of the same volume
STEP, DURATION = 5e-5, 2.5  # [s]
WIDTH = 8.3  # of the box, in diameters
MARGIN = 3.0  # left out below and above, in diameters


class Kind(NamedTuple):
    """A shape, and what is printed about it."""

    name: str
    axes: tuple[float, float, float]  #: ratio of the semi-axes
    fraction: str
    contacts: str


KINDS = (
    Kind("spheres", (1.0, 1.0, 1.0), "0.64", "6"),
    Kind("oblate spheroids, 1.93", (1.93, 1.93, 1.0), "0.68 to 0.71", "about 10"),
    Kind("ellipsoids, 1.25 : 1 : 0.8", (1.25, 1.0, 0.8), "0.735 to 0.74", "11 to 12"),
)


def settled(kind: Kind, count: int, seed: int, width: float = WIDTH, duration: float = DURATION) -> Trajectory:
    """Bodies that have settled, without friction."""
    axes = np.array(kind.axes)
    shape: Shape = Sphere(RADIUS) if len(set(kind.axes)) == 1 else Ellipsoid(RADIUS * axes / np.cbrt(axes.prod()))
    volume, side = 4.0 / 3.0 * math.pi * RADIUS**3, 2.0 * RADIUS * width
    poses = scatter(shape, [0, 0, 0], [side, side, count * volume / 0.2 / side**2], count, seed=seed)
    normal = forces.KelvinVoigt.from_restitution(
        stiffness=STIFFNESS, restitution=RESTITUTION, mass=0.5 * DENSITY * volume
    )
    world = World(
        (Body("floor", HalfSpace([0, 0, 1])), Group("bodies", shape, poses, density=DENSITY)),
        interaction=Interaction(normal),
        periodic=((0.0, side), (0.0, side), None),
        local_damping=DAMPING,
    )
    return simulate(world, duration, "fast", step=STEP, output_interval=duration / 10)


def measured(run: Trajectory, margin: float = MARGIN) -> tuple[float, float, float]:
    """Packing fraction and mean number of contacts of bodies with at least four, in the middle; speed [m/s]."""
    height, away = run.centre_of_mass[-1, 1:, 2], 2.0 * RADIUS * margin
    low, high = away, float(np.quantile(height, 0.98)) - away
    side = run.periodic[0][1]  # type: ignore[index]
    fraction = measures.packing(run, ([0, 0, low], [side, side, high]))
    contacts = measures.coordination(run).contacts[(height > low) & (height < high)]
    speed = math.sqrt(2.0 * run.energy["kinetic"][-1] / run.masses.mass.sum())  # type: ignore[union-attr]
    return fraction, float(contacts[contacts >= 4].mean()), speed


def run(size: int, seed: int, progress: Progress) -> Result:
    """Packings of `size` bodies each."""
    rows: list[list[Any]] = []
    for kind in KINDS:
        progress.step(f"{size} {kind.name} settle")
        fraction, contacts, speed = measured(settled(kind, size, seed))
        rows.append(
            [kind.name, kind.fraction, kind.contacts, f"{fraction:.3f}", f"{contacts:.2f}", f"{1e3 * speed:.1f}"]
        )
    notes = [
        "Bodies without friction still move a little when the run ends; the last column is their root mean square "
        "speed.",
        "Settling under gravity is not the compression of the papers. Spheres and spheroids meet the printed "
        "fractions, ellipsoids nearly: few bodies are in the middle of the heap, and with seed 1 they fill 0.723.",
    ]
    header = ("bodies", "printed fraction", "printed contacts", "fraction", "contacts", "speed [mm/s]")
    table = Table(header, rows, "Random packings in the middle of a heap.")
    return Result([table], notes, header, rows)


STUDY = Study(
    "random-packings",
    "Donev et al. 2004, Man et al. 2005: random packings of spheres and ellipsoids",
    run,
    700,
    "bodies",
    "1 min",
)
