"""Ellipsoids and superellipsoids pressed on a plane: forces of OpenSim, and bodies that settle to rest.

OpenSim 4.6 (SimTK's HuntCrossleyForce) gives the force of an ellipsoid that penetrates a half-space by a given depth.
Its formula is Hertz's for spheres, F = 4/3 E sqrt(R) (depth / 2)^1.5, with R the geometric mean of two radii.  Bodies
that settle come to rest on their flattest place, at the depth where the contact carries their weight.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from .. import forces
from ..contacts.query import contact
from ..dynamics import Body, Interaction, World, simulate
from ..io.progress import Progress
from ..shapes import Ellipsoid, HalfSpace, Superellipsoid
from ..shapes.shape import Shape
from .dem_impacts import Case, hertz
from .study import Result, Study, Table

RADII, STIFFNESS, DEPTH = (0.3, 0.2, 0.1), 1e6, 0.01
#: Forces [N] that OpenSim 4.6 returns for a plane across each axis.
PRINTED = {"x": 177.2765298981664, "y": 196.18873042551502, "z": 233.30903410537232}


def pressed(axis: str) -> tuple[float, float, float]:
    """Forces [N] of an ellipsoid on a plane across an axis.

    From the semi-axes of its central section, from its radii of curvature by the geometric mean, and from Hertz's
    elliptic contact.
    """
    k = "xyz".index(axis)
    normal, place = np.eye(3)[k], np.eye(3)[k] * (RADII[k] - DEPTH)
    found = contact(HalfSpace(normal), Ellipsoid(RADII), pose_b=(None, place))
    radii = found.curvature_b.radii
    section = [radius for j, radius in enumerate(RADII) if j != k]
    factor = 4.0 / 3.0 * STIFFNESS * (0.5 * float(-found.distance)) ** 1.5
    mean = [factor * math.sqrt(math.sqrt(pair[0] * pair[1])) for pair in (section, radii)]
    # The same modulus in Hertz's contact of two bodies of one material: E* = E / 2^1.5 = young / (2 (1 - nu^2)).
    own = forces.Material(young=2.0 * STIFFNESS / 2.0**1.5, poisson=0.0)
    law = forces.Hertz(materials=(own, own))
    elliptic = float(law.force(float(-found.distance), 0.0, curvature=found.relative_curvature))
    return mean[0], mean[1], elliptic


class Settling(NamedTuple):
    """A body that is dropped on a plane, tilted."""

    name: str
    shape: Shape
    law: str  #: "linear", with a stiffness, or "Hertz", with a material


SETTLING = (
    Settling("ellipsoid 3 : 2 : 1, linear", Ellipsoid([0.06, 0.04, 0.02]), "linear"),
    Settling("ellipsoid 3 : 2 : 1, Hertz", Ellipsoid([0.06, 0.04, 0.02]), "Hertz"),
    Settling("superellipsoid 0.6 : 0.8, linear", Superellipsoid([0.05, 0.04, 0.02], epsilon=(0.6, 0.8)), "linear"),
    Settling("superellipsoid 1 : 0.6, linear", Superellipsoid([0.05, 0.04, 0.02], epsilon=(1.0, 0.6)), "linear"),
)
DENSITY, LINEAR, YOUNG = 1000.0, 5e4, 1e7  # [kg/m^3], [N/m], [Pa]
DAMPING, GRAVITY, TILT = 8.0, 9.81, 25.0  # of the linear law [N s/m], [m/s^2], [degrees]


def rest_height(case: Settling) -> float:
    """Height of the centre of a body that rests on its flattest place [m]."""
    half, weight = float(case.shape.support([0, 0, 1])), DENSITY * GRAVITY * float(case.shape.moments().volume)
    if case.law == "linear":
        return half - weight / LINEAR
    # Force and depth of an elastic impact at any speed give the stiffness of Hertz's elliptic contact.
    radii = tuple(float(case.shape.support(axis)) for axis in np.eye(3))
    depth, force, _ = hertz(Case("", radii, 1.0, True, (0.5 * YOUNG, 0.3, DENSITY)))  # type: ignore[arg-type]
    return half - depth * (weight / force) ** (2.0 / 3.0)


def settled(case: Settling) -> tuple[float, float, float]:
    """Height of the centre [m], tilt [degrees] and speed [m/s] of a body at the end of a simulation."""
    own = forces.Material(young=YOUNG, poisson=0.3)
    normal: Any = forces.KelvinVoigt(stiffness=LINEAR, damping=DAMPING)
    if case.law == "Hertz":
        normal = forces.HuntCrossley(materials=(own, own), damping=3.0)
    law = Interaction(
        normal,
        forces.Bristle(static=0.5, stiffness=2e4, damping=5.0),
        forces.Rolling(rolling=1.5e-3, spinning=1.5e-3, speed=1.0),
    )
    turn = Rotation.from_euler("xy", [TILT, -TILT], degrees=True)
    body = Body("body", case.shape, (turn, [0, 0, 0.08]), density=DENSITY)
    world = World((Body("plane", HalfSpace([0, 0, 1])), body), gravity=[0, 0, -GRAVITY], interaction=law)
    made = simulate(world, 6.0, "fast", step=1e-4, output_interval=0.5)
    up = made.pose(-1).rotation.as_matrix()[1, :, 2]
    tilt = math.degrees(math.acos(min(abs(float(up[2])), 1.0)))
    return float(made.position[-1, 1, 2]), tilt, float(np.linalg.norm(made.velocity[-1, 1]))


def run(size: int, seed: int, progress: Progress) -> Result:
    """OpenSim's forces, and the first `size` bodies that settle; the study is deterministic."""
    rows: list[list[Any]] = []
    records: list[list[Any]] = []
    for axis, printed in PRINTED.items():
        found = pressed(axis)
        rows.append([axis, *(f"{value:.3f}" for value in (printed, *found))])
        records.append(["OpenSim", axis, printed, *found])
    heights: list[list[Any]] = []
    for case in SETTLING[:size]:
        progress.step(f"settling: {case.name}")
        exact, (height, tilt, speed) = rest_height(case), settled(case)
        heights.append([case.name, f"{1e3 * exact:.6f}", f"{1e3 * height:.6f}", f"{tilt:.1e}", f"{speed:.1e}"])
        records.append(["settling", case.name, exact, height, tilt, speed])
    notes = [
        "OpenSim takes the semi-axes of the central section parallel to the plane for the radii of curvature: its "
        "forces follow from them to all digits. At the pole of y these are 0.3 and 0.1 m; the radii of curvature are "
        "0.45 and 0.05 m, which this library uses. Only for spheres are both the same.",
        "The last column has Hertz's elliptic contact for the same modulus; the geometric mean is an approximation "
        "of it.",
        "Bodies settle with the shortest axis upright, at the depth where the contact carries their weight.",
    ]
    tables = [
        Table(
            ("axis", "OpenSim [N]", "section's semi-axes", "radii of curvature", "elliptic Hertz"),
            rows,
            "Ellipsoid with the semi-axes 0.3, 0.2, 0.1 m, 10 mm deep in a plane, stiffness 1 MPa.",
        ),
        Table(
            ("body", "height [mm]", "here [mm]", "tilt [degrees]", "speed [m/s]"),
            heights,
            "Bodies dropped on a plane, tilted by 25 degrees about two axes: height of the centre at rest, closed form "
            "and after six seconds.",
        ),
    ]
    return Result(tables, notes, ("case", "name", "printed or exact", "here", "here 2", "here 3"), records)


STUDY = Study(
    "dem-equilibrium",
    "Ellipsoids pressed on a plane, as OpenSim has it, and bodies that settle to their equilibrium",
    run,
    len(SETTLING),
    "bodies",
    "5 s",
)
