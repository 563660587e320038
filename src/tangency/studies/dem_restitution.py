"""Benchmarks of discrete element codes with damped and sliding impacts: Chung and Ooi 2011, tests 3 and 4.

Chung and Ooi, Granular Matter 13 (2011) 643.  Test 3: a ball hits a plane with a given restitution, which must come out
again.  Test 4: it slides over the plane during the impact.  Both are repeated with ellipsoids that hit the plane with a
pole: the damping then acts on Hertz's elliptic contact, and the spin of rigid bodies follows from their inertia.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import forces
from ..dynamics import Body, Interaction, World, simulate
from ..io.progress import Progress
from ..shapes import Ellipsoid, HalfSpace
from .dem_impacts import OBLIQUE, Case, hertz
from .study import Result, Study, Table

#: Young's modulus [Pa], Poisson's ratio, density [kg/m^3].
MATERIALS = {"aluminium oxide": (380e9, 0.23, 4000.0), "cast iron": (100e9, 0.25, 7000.0)}
RADIUS, SPEED = 0.0025, 3.9
RESTITUTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
#: Semi-axes [m]; the impact is along z.
SHAPES = {
    "ball": (RADIUS, RADIUS, RADIUS),
    "ellipsoid": (1.6 * RADIUS, 0.7 * RADIUS, RADIUS),
}
ANGLES = (40, 60, 80)  # to the normal [degrees], of impacts that slide all the time


def rebound(radii: tuple[float, float, float], material: tuple[float, float, float], restitution: float) -> float:
    """Restitution of an impact on a plane, simulated."""
    young, poisson, density = material
    span = 8.0 * hertz(Case("", radii, SPEED, True, material))[2]  # damped contacts last longer
    own = forces.Material(young=2.0 * young, poisson=poisson)  # two of twice the stiffness: as one on a rigid plane
    law = Interaction(lambda a, b: forces.CarvalhoMartins(materials=(a, b), restitution=restitution))
    shape = Ellipsoid(radii)
    ball = Body("ball", shape, (None, [0, 0, radii[2]]), density=density, velocity=[0, 0, -SPEED], material=own)
    plane = Body("plane", HalfSpace([0, 0, 1]), material=own)
    run = simulate(World((plane, ball), gravity=[0, 0, 0], interaction=law), span, output_interval=span / 20)
    return float(run.velocity[-1, 1, 2]) / SPEED


def sliding(radii: tuple[float, float, float], angle: float) -> tuple[float, float]:
    """Tangential restitution and spin [rad/s] of an impact that slides throughout: rigid bodies."""
    _, speed, friction, restitution = OBLIQUE
    turn = math.radians(angle)
    change = friction * (1.0 + restitution) * speed * math.cos(turn)
    a, _, c = radii
    return 1.0 - change / (speed * math.sin(turn)), 5.0 * c * change / (a**2 + c**2)


def slid(radii: tuple[float, float, float], angle: float) -> tuple[float, float]:
    """The same from a simulation."""
    _, speed, friction, restitution = OBLIQUE
    along, down = speed * math.sin(math.radians(angle)), speed * math.cos(math.radians(angle))
    mass = 4000.0 * 4.0 / 3.0 * math.pi * float(np.prod(radii))
    ball = Body("ball", Ellipsoid(radii), (None, [0, 0, radii[2] + 1e-6]), mass=mass, velocity=[along, 0, -down])
    normal = forces.KelvinVoigt.from_restitution(stiffness=1e9, restitution=restitution, mass=mass)
    laws = Interaction(normal, forces.Tanh(coefficient=friction, speed=1e-4))
    world = World((Body("plane", HalfSpace([0, 0, 1])), ball), gravity=[0, 0, 0], interaction=laws)
    made = simulate(world, 1e-4, output_interval=1e-5)
    return float(made.velocity[-1, 1, 0]) / along, float(made.angular_velocity[-1, 1, 1])


def run(size: int, seed: int, progress: Progress) -> Result:
    """The first `size` restitutions of every material and shape; the study is deterministic."""
    rows: list[list[Any]] = []
    records: list[list[Any]] = []
    for material, values in MATERIALS.items():
        for name, radii in SHAPES.items():
            progress.step(f"test 3, {name} of {material}")
            found = [rebound(radii, values, e) for e in RESTITUTIONS[:size]]
            rows.append([material, name, *(f"{e:.7f}" for e in found)])
            records += [["T3", f"{name}, {material}", e, got] for e, got in zip(RESTITUTIONS, found)]
    slides: list[list[Any]] = []
    for name, radii in SHAPES.items():
        for angle in ANGLES:
            progress.step(f"test 4, {name} at {angle} degrees")
            exact, got = sliding(radii, angle), slid(radii, angle)
            slides.append([name, angle, f"{exact[0]:.4f}", f"{exact[1]:.1f}", f"{got[0]:.4f}", f"{got[1]:.1f}"])
            records += [["T4", f"{name}, {angle}, {k}", exact[k], got[k]] for k in range(2)]
    notes = [
        "Test 3: the damping of Carvalho and Martins gives exactly the restitution asked for, with Hertz's stiffness "
        "from materials, for any contact ellipse. Laws with approximate damping miss it: see restitution_at.",
        "Test 4: rigid bodies, closed form. An ellipsoid turns about an axis across its path with the moment of "
        "inertia m (a^2 + c^2) / 5.",
    ]
    tables = [
        Table(
            ("material", "body", *(f"{e:g}" for e in RESTITUTIONS[:size])),
            rows,
            "Test 3: restitution asked for (header) and simulated.",
        ),
        Table(
            ("body", "angle", "tangential restitution", "spin [rad/s]", "here", "here"),
            slides,
            "Test 4: oblique impacts that slide throughout, closed form and simulated.",
        ),
    ]
    return Result(tables, notes, ("test", "case", "exact", "here"), records)


STUDY = Study(
    "dem-restitution",
    "Chung and Ooi 2011, tests 3 and 4, and ellipsoids: damped and sliding impacts",
    run,
    len(RESTITUTIONS),
    "restitutions",
    "5 s",
)
