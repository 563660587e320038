"""Random impacts over many orders of magnitude of stiffness, speed and size: energy, momentum and restitution.

python -m benchmarks.impacts --cases 200            a table for every method and the fast mode
python -m benchmarks.impacts --only RK45 --show     also show each case that is not accurate

Spheres, ellipsoids and superellipsoids collide centrally, obliquely, or three in a row; half of the laws are elastic.
After the impact the energy, the momenta and, if a closed form exists, the restitution are compared.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections import Counter
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

STIFFNESS, SPEED, SIZE = (4.0, 12.0), (-3.0, 3.0), (-4.0, 1.0)  # powers of ten
METHODS = ("DOP853", "RK45", "Radau", "BDF", "fast")
DEEP = 0.3  # depth, in sizes, from which bodies may pass through each other


class Case(NamedTuple):
    """An impact, and its known results."""

    world: World
    duration: float
    text: str
    deepest: float  # expected depth, in sizes
    restitution: float | None  # of the normal speed, if known
    axis: np.ndarray  # from the first body to the second


class Outcome(NamedTuple):
    """Errors of a run; None where nothing is known.  `said` holds an error message or a warning."""

    energy: float
    restitution: float | None
    momentum: float
    said: str


def random_case(rng: np.random.Generator, kind: str | None = None) -> Case:
    """An impact; `kind` is 'head-on', 'oblique' or 'row'."""
    stiffness, speed, size = (10.0 ** rng.uniform(*powers) for powers in (STIFFNESS, SPEED, SIZE))
    kind = kind or str(rng.choice(["head-on", "oblique", "row"]))
    family = str(rng.choice(["sphere", "ellipsoid", "superellipsoid"]))
    law, name = _law(rng, stiffness, speed, size)
    axis = Rotation.random(rng=rng).apply([1.0, 0.0, 0.0])
    bodies, place = [], np.zeros(3)
    count = 3 if kind == "row" else 2
    aligned = kind != "oblique"
    frame = _turn_to(axis)
    for k in range(count):
        radii = size * 10.0 ** rng.uniform(-0.15, 0.15, 3) if family != "sphere" else np.full(3, size)
        if family == "superellipsoid":
            shape: tg.Shape = tg.Superellipsoid(radii, rng.uniform(0.6, 1.0, 2))
        else:
            shape = tg.Sphere(size) if family == "sphere" else tg.Ellipsoid(radii)
        turn = frame if aligned else Rotation.random(rng=rng)
        along = float(shape.support(turn.apply(axis, inverse=True)))
        back = float(shape.support(turn.apply(-axis, inverse=True)))
        place = place + axis * (back + (0.3 * size if k else 0.0))
        side = np.zeros(3) if aligned else 0.5 * size * frame.apply([0.0, *rng.uniform(-1, 1, 2)])
        velocity = axis * speed * (1.0 if k == 0 else -1.0 if count == 2 else 0.0)
        spin = np.zeros(3) if aligned else rng.uniform(-1, 1, 3) * speed / size
        bodies.append(
            Body(
                f"b{k}",
                shape,
                (turn, place + (side if k else 0.0)),
                density=1000.0,
                velocity=velocity,
                angular_velocity=spin,
            )
        )
        place = place + axis * along
    mass = 0.5 * bodies[0].mass_properties.mass
    n = law.exponent
    deepest = ((n + 1.0) * 2.0 * mass * speed**2 / stiffness) ** (1.0 / (n + 1.0))
    lasts = 3.0 * deepest / speed
    known = None
    if kind == "head-on" and (family == "sphere" or aligned):
        m = 1.0 / sum(1.0 / b.mass_properties.mass for b in bodies)
        known = law.restitution_at(2.0 * speed, m) if name == "kelvin-voigt" else law.restitution_at(2.0 * speed)
    world = World(bodies, gravity=[0, 0, 0], interaction=Interaction(law))
    slowest = 0.5 if known is None else known
    duration = (count * 1.5 * size / speed) / slowest + 40.0 * lasts
    text = f"{kind} {family} {name} K={stiffness:.2g} v={speed:.2g} r={size:.2g} depth/r={deepest / size:.1g}"
    return Case(world, duration, text, deepest / size, known, axis)


def _turn_to(axis: np.ndarray) -> Rotation:
    """A rotation that maps x to the axis."""
    other = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    other /= np.linalg.norm(other)
    return Rotation.from_matrix(np.stack([axis, other, np.cross(axis, other)], axis=1))


def _law(rng: np.random.Generator, stiffness: float, speed: float, size: float) -> tuple:
    which = rng.integers(6)
    if which < 3:
        return forces.Hertz(stiffness=stiffness), "hertz"
    e = float(rng.uniform(0.2, 0.95))
    if which == 3:
        return forces.Flores(stiffness=stiffness, restitution=e, slowest_impact=1e-9 * speed), "flores"
    if which == 4:
        return forces.CarvalhoMartins(stiffness=stiffness, restitution=e, slowest_impact=1e-9 * speed), "carvalho"
    mass = 2000.0 / 3.0 * math.pi * size**3
    return forces.KelvinVoigt.from_restitution(stiffness=stiffness, restitution=e, mass=mass), "kelvin-voigt"


def outcome(case: Case, method: str, **options: float) -> Outcome:
    """Simulate it."""
    given = {"mode": "fast"} if method == "fast" else {"method": method}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run = simulate(case.world, case.duration, output_interval=case.duration, **given, **options)
        except (RuntimeError, ValueError) as error:
            return Outcome(math.nan, None, math.nan, f"error: {error}")
    start = run.energy["kinetic"][0]
    total = run.mechanical_energy + run.energy["dissipated"]
    elastic = isinstance(case.world.interaction.normal, forces.Hertz)
    energy = (run.mechanical_energy if elastic else total)[-1] / start - 1.0
    mass = np.array([b.mass_properties.mass for b in case.world.bodies])
    momentum = np.abs((mass[:, None] * (run.velocity[-1] - run.velocity[0])).sum(axis=0)).max()
    momentum /= (mass * np.linalg.norm(run.velocity[0], axis=1)).max()
    off = None
    if case.restitution is not None:
        closing = (run.velocity[:, 1] - run.velocity[:, 0]) @ case.axis
        off = -closing[-1] / closing[0] - case.restitution
    return Outcome(energy, off, momentum, "; ".join(str(w.message) for w in caught))


def verdict(case: Case, out: Outcome, tolerance: float) -> str:
    """'accurate', 'said' (an error message or a warning was given) or 'WRONG'."""
    worst = max(abs(out.energy), abs(out.restitution or 0.0), out.momentum)
    if worst <= tolerance:
        return "accurate"
    return "said" if out.said else "WRONG"


def main() -> None:
    """Print a table: for each method, how many cases were accurate, gave an error or a warning, or were wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=METHODS)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    print("| method | cases | accurate | error or warning | wrong | largest energy error | largest restitution error |")
    print("|---|---|---|---|---|---|---|")
    for method in [options.only] if options.only else METHODS:
        tolerance = 0.02 if method == "fast" else 1e-6
        count: Counter[str] = Counter()
        energy, restitution = 0.0, 0.0
        for k in range(options.cases):
            case = random_case(np.random.default_rng([options.seed, k]))
            out = outcome(case, method)
            word = verdict(case, out, tolerance)
            count[word] += 1
            if word == "accurate":
                energy, restitution = max(energy, abs(out.energy)), max(restitution, abs(out.restitution or 0.0))
            elif options.show:
                print(
                    f"  {k} {word}: {case.text}: energy {out.energy:.1e}, restitution {out.restitution}, "
                    f"momentum {out.momentum:.1e} {out.said[:300]}",
                    flush=True,
                )
        print(
            f"| {method} | {options.cases} | {count['accurate']} | {count['said']} | {count['WRONG']} | {energy:.1e} | "
            f"{restitution:.1e} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
