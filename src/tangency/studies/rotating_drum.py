"""A half-filled drum that turns: the slope of its surface, measured in two ways, and the balance of torques.

The slope of a half-filled drum is seen in its surface, and again in the direction from the axis to the centre of mass,
which is perpendicular to it.  In steady motion the torque of the wall carries the weight: T = m g x with the horizontal
distance x of the centre of mass.  Slopes of 25 to 40 degrees that grow with friction and with the deviation from
spheres are reported for rolling drums; no closed form exists.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from .. import forces
from ..dynamics import Body, Group, Interaction, Trajectory, World, measures, simulate, steady_motion
from ..io.progress import Progress
from ..shapes import Cavity, Cylinder, Ellipsoid, Sphere
from ..shapes.shape import Shape
from .study import Result, Study, Table

RADIUS, DENSITY, GRAVITY = 0.005, 2500.0, 9.81
STIFFNESS, RESTITUTION = 1e3, 0.5
LENGTH = 8.0  # of the drum, along which it is periodic, in diameters
RATE = 1.5  # of the drum [rad/s]
STEP, START, MEASURED, FRAMES = 1e-4, 0.7, 0.5, 20  # [s]; frames while it is measured
FILLED = 0.6  # packing fraction, from which the radius of the drum follows


class Kind(NamedTuple):
    """A shape and a friction."""

    name: str
    axes: tuple[float, float, float]
    friction: float


KINDS = (
    Kind("spheres", (1.0, 1.0, 1.0), 0.2),
    Kind("spheres", (1.0, 1.0, 1.0), 0.5),
    Kind("oblate spheroids 1 : 2", (1.26, 1.26, 0.63), 0.5),
)


class Slopes(NamedTuple):
    """Means over time of a drum in steady motion."""

    surface: float  #: slope of the surface [degrees]
    mass: float  #: from the centre of mass [degrees]
    torque: float  #: of the wall [N m], from its work
    weight: float  #: torque of the weight [N m]


def drum(kind: Kind, count: int, seed: int) -> World:
    """Bodies in the lower half of a drum about y, which is periodic along y."""
    shape: Shape = Sphere(RADIUS) if len(set(kind.axes)) == 1 else Ellipsoid(RADIUS * np.array(kind.axes))
    volume, length = count * 4.0 / 3.0 * math.pi * RADIUS**3, 2.0 * RADIUS * LENGTH
    radius = math.sqrt(2.0 * volume / FILLED / math.pi / length)
    poses = (None, _stacked(count, 2.04 * RADIUS * np.array(kind.axes), radius - RADIUS * max(kind.axes), length, seed))
    mass = 0.5 * DENSITY * volume / count
    normal = forces.KelvinVoigt.from_restitution(stiffness=STIFFNESS, restitution=RESTITUTION, mass=mass)
    grains = Interaction(normal, forces.Bristle(static=kind.friction, stiffness=0.3 * STIFFNESS, damping=0.05))
    rough = Interaction(normal, forces.Bristle(static=0.9, stiffness=0.3 * STIFFNESS, damping=0.05))
    along = Rotation.from_euler("x", 90.0, degrees=True)
    turning = steady_motion((along, [0, 0, 0]), angular_velocity=[0, RATE, 0])
    return World(
        (Body("drum", Cavity(Cylinder(radius, length), ends=False), motion=turning),
         Group("grains", shape, poses, density=DENSITY)),
        gravity=[0, 0, -GRAVITY],
        interaction=grains,
        interactions={("drum", "grains"): rough},
        periodic=(None, (0.0, length), None),
    )  # fmt: skip


def _stacked(count: int, width: np.ndarray, radius: float, length: float, seed: int) -> np.ndarray:
    """Places on a grid of cells of this width inside the drum, from below, slightly disturbed."""
    across = math.floor(length / width[1])
    reach = [np.arange(math.ceil(-radius / w), math.floor(radius / w) + 1) * w for w in width[[0, 2]]]
    z, y, x = np.meshgrid(reach[1], (np.arange(across) + 0.5) * length / across, reach[0], indexing="ij")
    places = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    places = places[np.hypot(places[:, 0], places[:, 2]) <= radius][:count]
    if len(places) < count:
        raise ValueError(f"size must be so large that the bodies fit on a grid in the drum, got {count}")
    return places + 0.009 * width * np.random.default_rng(seed).uniform(-1.0, 1.0, places.shape)


def turned(kind: Kind, count: int, seed: int, start: float = START, span: float = MEASURED) -> Trajectory:
    """The drum until its motion is steady, and for the time that is measured."""
    interval = span / FRAMES
    duration = interval * round((start + span) / interval)
    return simulate(drum(kind, count, seed), duration, "fast", step=STEP, output_interval=interval)


def slopes(motion: Trajectory) -> Slopes:
    """Means over the last frames."""
    masses = motion.masses.mass[1:]  # type: ignore[union-attr]
    found = []
    for frame in range(len(motion) - FRAMES, len(motion)):
        surface = measures.angle_of_repose(motion, frame=frame).angle
        centre = masses @ motion.centre_of_mass[frame, 1:] / masses.sum()
        weight = float(masses.sum()) * GRAVITY * abs(float(centre[0]))
        found.append((surface, math.degrees(math.atan2(abs(centre[0]), -centre[2])), weight))
    surface, mass, weight = np.mean(found, axis=0)
    span = motion.time[-1] - motion.time[-FRAMES - 1]
    torque = float(motion.energy["work"][-1] - motion.energy["work"][-FRAMES - 1]) / (RATE * span)
    return Slopes(float(surface), float(mass), torque, float(weight))


def run(size: int, seed: int, progress: Progress) -> Result:
    """`size` bodies in the drum."""
    rows: list[list[Any]] = []
    records: list[list[Any]] = []
    for kind in KINDS:
        progress.step(f"a drum of {size} {kind.name}, friction {kind.friction:g}")
        got = slopes(turned(kind, size, seed))
        shown = [f"{got.surface:.1f}", f"{got.mass:.1f}", f"{1e3 * got.weight:.2f}", f"{1e3 * got.torque:.2f}"]
        rows.append([kind.name, kind.friction, *shown, f"{got.torque / got.weight:.3f}"])
        records.append([kind.name, kind.friction, *got])
    notes = [
        "The two slopes differ because the surface is slightly curved and the drum is not exactly half full.",
        "The torque of the wall on the bodies balances their weight on average, as it must in steady motion.",
    ]
    header = ("bodies", "friction", "surface", "centre of mass", "m g x [mN m]", "torque [mN m]", "ratio")
    table = Table(
        header, rows, f"Slope [degrees] of a half-filled drum that turns at {RATE:g} rad/s, means over {MEASURED:g} s."
    )
    return Result([table], notes, ("bodies", "friction", *Slopes._fields), records)


STUDY = Study(
    "rotating-drum", "A rotating drum: angle of repose in two ways, balance of torques", run, 300, "bodies", "30 s"
)
