"""Discharge of a silo through a round hole in its flat floor: flow rate against Beverloo's law.

Beverloo, Leniger and van de Velde, Chem. Eng. Sci. 15 (1961) 260: W = C rho sqrt(g) (D - k d)^2.5 with the bulk density
rho, the diameter D of the hole and d of the bodies, C = 0.58 and k = 1.4 for spheres.  The floor consists of wedges,
convex hulls whose inner edges form a polygon of the same area as the hole.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import forces
from ..broadphase import scatter
from ..dynamics import Body, Group, Interaction, Outlet, Trajectory, World, measures, simulate
from ..io.progress import Progress
from ..shapes import Cavity, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere
from ..shapes.shape import Shape
from .study import Result, Study, Table

C, K = 0.58, 1.4  # printed
RADIUS, DENSITY, GRAVITY = 0.005, 2500.0, 9.81
STIFFNESS, RESTITUTION, FRICTION = 4e3, 0.5, 0.4
SILO = 8.0  # radius of the silo, in diameters
HOLES = (6.0, 8.0, 10.0)  # diameters of the hole, in diameters of a body; in smaller ones bodies jam
WEDGES = 16
STEP, SETTLE, FLOW, SKIPPED = 1e-4, 0.8, 0.48, 0.12  # [s]; the first part of the flow is not counted
#: Semi-axes relative to a sphere of the same volume.
KINDS: dict[str, tuple[float, float, float]] = {
    "spheres": (1.0, 1.0, 1.0),
    "oblate spheroids 1 : 2": (1.26, 1.26, 0.63),
}


def shape_of(kind: str) -> Shape:
    """A body of the volume of a sphere."""
    axes = KINDS[kind]
    return Sphere(RADIUS) if len(set(axes)) == 1 else Ellipsoid(RADIUS * np.array(axes))


def law() -> Interaction:
    """Spring, damper and friction between all bodies."""
    mass = 0.5 * DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    normal = forces.KelvinVoigt.from_restitution(stiffness=STIFFNESS, restitution=RESTITUTION, mass=mass)
    return Interaction(normal, forces.Bristle(static=FRICTION, stiffness=0.3 * STIFFNESS, damping=0.05))


def walls(silo: float, height: float) -> Body:
    """The side of the silo."""
    return Body("wall", Cavity(Cylinder(silo, height), ends=False))


def filled(kind: str, count: int, seed: int, silo: float) -> Trajectory:
    """Bodies that have settled in the silo on a closed floor."""
    shape, inside = shape_of(kind), silo / math.sqrt(2.0)
    volume = count * 4.0 / 3.0 * math.pi * RADIUS**3
    height = volume / 0.2 / (2.0 * inside) ** 2
    poses = scatter(shape, [-inside, -inside, 0.0], [inside, inside, height], count, seed=seed)
    world = World(
        (walls(silo, height), Body("floor", HalfSpace([0, 0, 1])), Group("grains", shape, poses, density=DENSITY)),
        interaction=law(),
        gravity=[0, 0, -GRAVITY],
        local_damping=0.05,
    )
    # They fall through the height at first.
    duration = STEP * round((SETTLE * 0.6 + math.sqrt(2.0 * height / GRAVITY)) / STEP)
    return simulate(world, duration, "fast", step=STEP, output_interval=duration)


def floor(hole: float, silo: float) -> Body:
    """A floor with its upper side at z = 0 and a hole of this diameter, from wedges."""
    turn = 2.0 * math.pi / WEDGES
    inner = 0.5 * hole * math.sqrt(math.pi / (WEDGES * math.sin(0.5 * turn) * math.cos(0.5 * turn)))
    outer, thick = 1.3 * silo, 1.5 * RADIUS
    wedges = []
    for k in range(WEDGES):
        ends = [np.array([math.cos(a), math.sin(a)]) for a in (k * turn, (k + 1) * turn)]
        corners = [[*(r * end), z] for r in (inner, outer) for end in ends for z in (0.0, -thick)]
        wedges.append(Hull(corners))
    return Body("floor", wedges, fixed=True)


def discharged(rest: Trajectory, kind: str, hole: float, silo: float) -> Trajectory:
    """The flow after the hole was opened under bodies at rest."""
    own = rest.group("grains")
    poses = rest.pose(-1)[own]
    grains = Group("grains", shape_of(kind), poses, density=DENSITY)
    far = 10.0 * silo
    world = World(
        (walls(silo, far), floor(hole, silo), grains),
        interaction=law(),
        gravity=[0, 0, -GRAVITY],
        outlets=(Outlet([-far, -far, -far], [far, far, -4.0 * RADIUS]),),
    )
    return simulate(world, FLOW, "fast", step=STEP, output_interval=FLOW / 16)


def rates(rest: Trajectory, kind: str, hole: float, silo: float) -> tuple[float, float]:
    """Flow rate [kg/s]: simulated, and Beverloo's with the bulk density of the silo."""
    side, top = 0.6 * silo, float(np.quantile(rest.position[-1, rest.group("grains"), 2], 0.7))
    fraction = measures.packing(rest, ([-side, -side, 2.0 * RADIUS], [side, side, top]))
    law_of = C * fraction * DENSITY * math.sqrt(GRAVITY) * (hole - K * 2.0 * RADIUS) ** 2.5
    flow = discharged(rest, kind, hole, silo)
    return float(measures.flow_rate(flow, [SKIPPED, FLOW]).mass[0]), law_of


def run(size: int, seed: int, progress: Progress) -> Result:
    """`size` bodies in the silo."""
    rows: list[list[Any]] = []
    records: list[list[Any]] = []
    silo = 2.0 * RADIUS * SILO
    fitted = []
    for kind in KINDS:
        progress.step(f"filling the silo with {size} {kind}")
        rest = filled(kind, size, seed, silo)
        for hole in HOLES if kind == "spheres" else HOLES[-1:]:
            progress.step(f"{kind}, hole of {hole:g} diameters")
            got, printed = rates(rest, kind, 2.0 * RADIUS * hole, silo)
            rows.append([kind, f"{hole:g}", f"{1e3 * printed:.1f}", f"{1e3 * got:.1f}", f"{got / printed:.3f}"])
            records.append([kind, hole, printed, got])
            if kind == "spheres":
                fitted.append((hole, got))
    # W^0.4 is linear in D: its slope and zero give C and k without the printed values.
    slope, start = np.polyfit([hole for hole, _ in fitted], [rate**0.4 for _, rate in fitted], 1)
    ratio = float(np.mean([row[3] / row[2] for row in records if row[0] == "spheres"]))
    notes = [
        f"The rates of spheres to the power 0.4 are linear in D with the zero at D = k d, k = {-start / slope:.2f} "
        f"(printed 1.4); the mean ratio to the law gives C = {C * ratio:.3f} (printed 0.58).",
        "The printed constants were fitted to seeds. Here the bulk density is that at rest, before the bed loosens, "
        f"friction is {FRICTION:g}, and the widest hole has {HOLES[-1] / (2 * SILO):.1f} of the silo's diameter.",
        "Beverloo's spheroids are those of the same volume as the spheres; the printed law has no shape in it.",
    ]
    table = Table(
        ("bodies", "D / d", "Beverloo [g/s]", "here [g/s]", "ratio"),
        rows,
        f"Flow rate of a silo with a diameter of {2 * SILO:g} d, filled with {size} bodies of d = 10 mm.",
    )
    return Result([table], notes, ("bodies", "hole over diameter", "Beverloo", "here"), records)


STUDY = Study(
    "silo-discharge", "Beverloo's law: flow rate of a silo through a round hole", run, 5500, "bodies", "3 min"
)
