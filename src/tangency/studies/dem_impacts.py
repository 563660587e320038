"""Benchmarks of discrete element codes with one impact: LAMMPS' two ellipsoids, and Chung and Ooi 2011.

Chung and Ooi, Granular Matter 13 (2011) 643: elastic normal impact of two spheres (test 1), and of a sphere on a rigid
plane (test 2); oblique impacts on a plane (test 4).  The closed forms are Hertz's; for ellipsoids at principal points,
with elliptic integrals.  The two ellipsoids are the example ``ellipsoid_gran`` of LAMMPS, whose log prints the kinetic
energy.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk, gamma

from .. import forces
from ..dynamics import Body, Interaction, Trajectory, World, simulate
from ..io.progress import Progress
from ..shapes import Ellipsoid, HalfSpace, Sphere
from ..shapes.shape import Shape
from .study import Result, Study, Table

#: Kinetic energy [J] at steps of 1 ms, as printed in the log of LAMMPS, 23 August 2026.
PRINTED = {
    320: 4.9237228,
    330: 4.6713247,
    340: 3.5696362,
    350: 2.0448724,
    370: 0.021149699,
    420: 4.9371669,
    740: 0.00081807229,
    1060: 4.801128,
}
FRAMES = 400  # over the duration of an impact
# Test 4: radius [m], speed [m/s], friction, restitution; angles to the normal [degrees] of impacts that slide all the
# time, with the tangential restitution and the spin [rad/s] after them.
OBLIQUE = (0.0025, 3.9, 0.092, 0.98)
SLIDING = {40: (0.7829, 544.2), 60: (0.8948, 355.2), 80: (0.9679, 123.4)}


class Case(NamedTuple):
    """A body with a speed that hits another one, or a plane."""

    name: str
    radii: tuple[float, float, float]  #: semi-axes [m]; the impact is along z
    speed: float  #: of the body [m/s]
    plane: bool  #: whether it hits a rigid plane, otherwise its mirror image
    material: tuple[float, float, float]  #: Young's modulus [Pa], Poisson's ratio, density [kg/m^3]
    printed: tuple[str, str, str] = ("", "", "")  #: deepest [um], force [kN], duration [us] of the closed form


CASES = (
    Case("T1 glass", (0.01,) * 3, 10.0, False, (48e9, 0.2, 2800.0), ("274.1127", "10.69689", "40.3395")),
    Case("T1 limestone", (0.01,) * 3, 10.0, False, (20e9, 0.25, 2500.0), ("368.3040", "7.108241", "54.2010")),
    Case("T2 aluminium", (0.1,) * 3, 0.2, True, (70e9, 0.3, 2699.0), ("49.7172", "11.36986", "731.657")),
    Case("T2 magnesium", (0.1,) * 3, 0.2, True, (40e9, 0.35, 1800.0), ("52.1233", "7.232681", "767.066")),
    Case("ellipsoids, glass", (0.02, 0.01, 0.008), 10.0, False, (48e9, 0.2, 2800.0)),
    Case("ellipsoid on a plane, aluminium", (0.15, 0.05, 0.1), 0.2, True, (70e9, 0.3, 2699.0)),
)


def hertz(case: Case) -> tuple[float, float, float]:
    """Largest depth [m] and force [N], and duration [s] of an elastic impact in closed form."""
    young, poisson, density = case.material
    a, b, c = case.radii
    mass = density * 4.0 / 3.0 * math.pi * a * b * c
    modulus = young / (1.0 - poisson**2)  # of the ball with a rigid plane
    k1, k2 = c / a**2, c / b**2  # principal curvatures at the pole
    speed = case.speed
    if not case.plane:
        mass, modulus, k1, k2, speed = 0.5 * mass, 0.5 * modulus, 2.0 * k1, 2.0 * k2, 2.0 * speed
    stiffness = _elliptic_stiffness(modulus, max(k1, k2), min(k1, k2))
    deepest = (1.25 * mass * speed**2 / stiffness) ** 0.4
    duration = 2.0 * deepest / speed * math.sqrt(math.pi) * gamma(1.4) / gamma(0.9)
    return deepest, stiffness * deepest**1.5, float(duration)


def _elliptic_stiffness(modulus: float, k1: float, k2: float) -> float:
    """K of F = K depth^1.5 for two bodies whose gap has the curvatures k1 >= k2 (Johnson, section 4.2)."""

    def ratio(m: float) -> float:  # of the curvatures, for an ellipse with the parameter m = 1 - (b / a)^2
        return (ellipe(m) / (1.0 - m) - ellipk(m)) / (ellipk(m) - ellipe(m)) - k1 / k2

    if k1 == k2:
        return 4.0 / 3.0 * modulus / math.sqrt(k1)
    m = brentq(ratio, 1e-9, 1.0 - 1e-9, xtol=1e-15)
    whole, second = ellipk(m), ellipe(m)
    # depth = F K(m) / (pi E* a) x ..., with a from the mean curvature.
    b_over_a = math.sqrt(1.0 - m)
    # a^3 = 3 F E(m) / (pi E* (k1 + k2) (1 - m)) ; depth = 3 F K(m) / (2 pi E* a)
    factor = 3.0 * second / (math.pi * modulus * (k1 + k2) * b_over_a**2)
    return float((2.0 * math.pi * modulus / (3.0 * whole)) ** 1.5 * math.sqrt(factor))


def impact(case: Case) -> tuple[float, float, float]:
    """The same from a simulation."""
    young, poisson, density = case.material
    # Two bodies of twice the stiffness are as one on a rigid plane.
    own = forces.Material(young=2.0 * young if case.plane else young, poisson=poisson)
    c, duration = case.radii[2], hertz(case)[2]
    shape: Shape = Sphere(c) if len(set(case.radii)) == 1 else Ellipsoid(case.radii)
    one = Body("one", shape, (None, [0, 0, c]), density=density, velocity=[0, 0, -case.speed], material=own)
    other: Any = Body("other", shape, (None, [0, 0, -c]), density=density, velocity=[0, 0, case.speed], material=own)
    if case.plane:
        other = Body("plane", HalfSpace([0, 0, 1]), material=own)
    law = Interaction(lambda a, b: forces.Hertz(materials=(a, b)))
    span = 1.25 * duration
    run = simulate(World((other, one), gravity=[0, 0, 0], interaction=law), span, output_interval=span / FRAMES)
    depth = np.array([run.contacts.at(f).depth.max(initial=0.0) for f in range(len(run))])
    force = np.array([run.contacts.at(f).normal_force.max(initial=0.0) for f in range(len(run))])
    return _top(run, depth), _top(run, force), float(run.impacts.duration[0])


def _top(run: Trajectory, values: np.ndarray) -> float:
    """Largest value of a smooth curve, by a parabola through three samples."""
    k = int(values.argmax())
    low, top, high = values[k - 1 : k + 2]
    return float(top + (high - low) ** 2 / (8.0 * (2.0 * top - low - high)))


def oblique(angle: float) -> tuple[float, float]:
    """Tangential restitution and spin [rad/s] of a ball that hits a plane at an angle to the normal [degrees]."""
    radius, speed, friction, restitution = OBLIQUE
    along, down = speed * math.sin(math.radians(angle)), speed * math.cos(math.radians(angle))
    ball = Body("ball", Sphere(radius), (None, [0, 0, radius + 1e-6]), density=4000.0, velocity=[along, 0, -down])
    mass = 4000.0 * 4.0 / 3.0 * math.pi * radius**3
    normal = forces.KelvinVoigt.from_restitution(stiffness=1e9, restitution=restitution, mass=mass)
    laws = Interaction(normal, forces.Tanh(coefficient=friction, speed=1e-4))
    world = World((Body("plane", HalfSpace([0, 0, 1])), ball), gravity=[0, 0, 0], interaction=laws)
    made = simulate(world, 1e-4, output_interval=1e-5)
    return float(made.velocity[-1, 1, 0]) / along, float(made.angular_velocity[-1, 1, 1])


def two_ellipsoids() -> dict[int, float]:
    """Kinetic energies [J] of the example of LAMMPS by step: one ellipsoid bounces on another, which is fixed."""
    egg = Ellipsoid([1.0, 0.5, 0.5])
    world = World(
        (Body("bottom", egg, fixed=True), Body("top", egg, (None, [0, 0, 1.5]), mass=1.0)),
        interaction=Interaction(forces.KelvinVoigt(stiffness=1000.0, damping=0.0)),
    )
    run = simulate(world, 1.06, "fast", step=1e-3, output_interval=0.01)
    return {step: float(run.energy["kinetic"][step // 10]) for step in PRINTED}


def run(size: int, seed: int, progress: Progress) -> Result:
    """The first `size` impacts; the study is deterministic."""
    progress.step("two ellipsoids")
    found = two_ellipsoids()
    lammps: list[list[Any]] = [[step, f"{value:.8g}", f"{found[step]:.8g}"] for step, value in PRINTED.items()]
    records: list[list[Any]] = [["lammps", step, value, found[step]] for step, value in PRINTED.items()]
    rows: list[list[Any]] = []
    for case in CASES[:size]:
        progress.step(case.name)
        exact, got = hertz(case), impact(case)
        records += [[case.name, k, exact[k], got[k]] for k in range(3)]
        shown = [f"{v * s:.7g}" for v, s in zip(got, (1e6, 1e-3, 1e6))]
        worst = max(abs(g / e - 1.0) for g, e in zip(got, exact))
        rows.append([case.name, *case.printed, *shown, f"{worst:.1e}"])
    slid: list[list[Any]] = []
    for angle, (printed, turning) in SLIDING.items():
        progress.step(f"oblique impact, {angle} degrees")
        e, spin = oblique(float(angle))
        slid.append([angle, printed, turning, f"{e:.4f}", f"{spin:.1f}"])
        records += [[f"T4 {angle}", 0, printed, e], [f"T4 {angle}", 1, turning, spin]]
    notes = [
        "The fast mode is velocity Verlet, as LAMMPS is: all printed digits agree.",
        "The accurate mode meets the closed forms of Hertz to 1e-6, the accuracy of the contact ellipse of a stiffness "
        "from materials; those of the ellipsoids, which are not printed anywhere, have elliptic integrals.",
    ]
    tables = [
        Table(("step", "kinetic energy, LAMMPS [J]", "here [J]"), lammps, "LAMMPS, examples/ellipse_gran."),
        Table(
            ("case", "depth [um]", "force [kN]", "duration [us]", "here", "here", "here", "largest error"),
            rows,
            "Largest depth and force, and duration of elastic impacts: closed form, simulated, relative error.",
        ),
        Table(
            ("angle", "tangential restitution", "spin [rad/s]", "here", "here"),
            slid,
            "Test 4: oblique impacts that slide throughout; closed form of rigid bodies, simulated.",
        ),
    ]
    return Result(tables, notes, ("case", "quantity", "printed or exact", "here"), records)


STUDY = Study(
    "dem-impacts",
    "LAMMPS' example of two ellipsoids, and Chung and Ooi 2011, tests 1, 2 and 4: single impacts",
    run,
    len(CASES),
    "impacts",
    "5 s",
)
