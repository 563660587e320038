"""Haff's law: the temperature of a gas of inelastic bodies decreases like (1 + t / tau)^-2.

Haff, J. Fluid Mech. 134 (1983) 401.  For smooth spheres of the restitution e, kinetic theory gives the time:
1 / tau = (1 - e^2) omega / 6 with Enskog's collision frequency omega = 4 n d^2 chi sqrt(pi T / m), where T / m is the
mean square of one component of the velocity and chi the contact value of Carnahan and Starling.  The box is periodic.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import forces
from ..broadphase import scatter
from ..dynamics import Group, Interaction, Trajectory, World, measures, simulate
from ..io.progress import Progress
from ..shapes import Ellipsoid, Sphere
from ..shapes.shape import Shape
from .study import Result, Study, Table

RESTITUTION, FILLED, SPEED = (
    0.9,
    0.1,
    1.0,
)  # of the spheres; packing fraction; initial rms of a velocity component [m/s]
RADIUS, DENSITY = 0.01, 1000.0
PER_COLLISION = 40.0  # mean free times, relative to the duration of a contact
STEPS = 20  # of a contact
SHAPES: dict[str, tuple[float, float, float]] = {
    "spheres": (1.0, 1.0, 1.0),
    "ellipsoids 2 : 1 : 1": (1.587, 0.794, 0.794),
}


class Gas(NamedTuple):
    """A gas and what kinetic theory says of spheres of the same volume."""

    world: World
    tau: float  #: time of Haff's law [s]
    contact: float  #: duration of a contact [s]


def gas(shape: Shape, count: int, seed: int) -> Gas:
    """Bodies at random places in a periodic box, with random velocities."""
    rng = np.random.default_rng(seed)
    volume = 4.0 / 3.0 * math.pi * RADIUS**3
    length = (count * volume / FILLED) ** (1.0 / 3.0)
    mass = DENSITY * volume
    chi = (1.0 - 0.5 * FILLED) / (1.0 - FILLED) ** 3
    frequency = 4.0 * count / length**3 * (2.0 * RADIUS) ** 2 * chi * math.sqrt(math.pi) * SPEED
    contact = 1.0 / (PER_COLLISION * frequency)
    # Spring and damper: a half period of the reduced mass, with the logarithmic decrement of e.
    half, decay = 0.5 * mass, -math.log(RESTITUTION) / contact
    law = Interaction(
        forces.KelvinVoigt(stiffness=half * ((math.pi / contact) ** 2 + decay**2), damping=2.0 * half * decay)
    )
    poses = scatter(shape, [0, 0, 0], [length] * 3, count, seed=seed)
    velocity = rng.normal(size=(count, 3))
    velocity -= velocity.mean(axis=0)
    velocity *= SPEED / np.sqrt((velocity**2).mean())
    group = Group("gas", shape, poses, density=DENSITY, velocity=velocity)
    world = World((group,), gravity=[0, 0, 0], interaction=law, periodic=((0.0, length),) * 3)
    return Gas(world, 6.0 / ((1.0 - RESTITUTION**2) * frequency), contact)


def cooled(made: Gas, times: float) -> Trajectory:
    """The gas for so many times tau."""
    step = made.contact / STEPS
    frames = 10 * max(1, round(times))
    interval = step * round(times * made.tau / frames / step)
    return simulate(made.world, frames * interval, "fast", step=step, output_interval=interval)


def fitted_tau(run: Trajectory, energy: np.ndarray) -> tuple[float, float]:
    """tau of the best Haff law for an energy, and the largest relative difference to it."""
    root = np.sqrt(energy[0] / energy) - 1.0  # t / tau
    tau = float((run.time**2).sum() / (root * run.time).sum())
    return tau, float(np.abs(energy / energy[0] * (1.0 + run.time / tau) ** 2 - 1.0).max())


def run(size: int, seed: int, progress: Progress) -> Result:
    """`size` bodies for four times tau."""
    rows: list[list[Any]] = []
    records: list[list[Any]] = []
    for name, factors in SHAPES.items():
        progress.step(f"a gas of {size} {name}")
        radii = RADIUS * np.array(factors)
        made = gas(Sphere(RADIUS) if len(set(factors)) == 1 else Ellipsoid(radii), size, seed)
        motion = cooled(made, 4.0)
        split = [measures.kinetic_energy(motion, frame=f) for f in range(len(motion))]
        total = np.array([part.translation + part.rotation for part in split])
        translation = np.array([part.translation for part in split])
        tau, off = fitted_tau(motion, translation if len(set(factors)) == 1 else total)
        ratio = split[-1].rotation / split[-1].translation
        collisions = 2.0 * len(motion.impacts) / size
        numbers = [f"{v:.4f}" for v in (made.tau, tau, tau / made.tau, total[-1] / total[0])]
        rows.append([name, *numbers, f"{off:.3f}", f"{ratio:.3f}", f"{collisions:.0f}"])
        records += [[name, float(t), *map(float, part)] for t, part in zip(motion.time, split)]
    notes = [
        "Spheres: tau of kinetic theory, without a fitted number. The contacts of the simulation last a fortieth of "
        "the mean free time, so collisions are slightly rarer than between hard spheres.",
        "Ellipsoids: tau of spheres with the same volume, for comparison; smooth ones, initially without rotation. The "
        "last columns are the energy of rotation relative to that of translation, and the collisions of each body.",
    ]
    header = (
        "gas",
        "tau, theory [s]",
        "tau, here [s]",
        "ratio",
        "energy left",
        "off the law",
        "rotation",
        "collisions",
    )
    table = Table(
        header, rows, "Energy of a gas of inelastic bodies after four times tau; Haff's law leaves 1 / 25 = 0.04."
    )
    columns = ("gas", "time", "translation", "rotation", "fluctuation")
    return Result([table], notes, columns, records)


STUDY = Study(
    "haff-cooling",
    "Haff's law: cooling of a gas of inelastic spheres and ellipsoids in a periodic box",
    run,
    2000,
    "bodies",
    "1 min",
)
