"""Hundreds of bodies poured into a box: steps per second, compared with MuJoCo on the same ellipsoids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

from .engine import Engine
from .table import Table, digits

SIDE, SIZE, DENSITY, FRICTION = 0.45, 0.05, 1000.0, 0.5  # half width of the box and a radius [m]; [kg/m^3]
WALLS = (([0, 0, 1], 0.0), ([1, 0, 0], -SIDE), ([-1, 0, 0], -SIDE), ([0, 1, 0], -SIDE), ([0, -1, 0], -SIDE))
HEADER = (
    "engine",
    "step [ms]",
    "steps / CPU s",
    "simulated s / CPU s",
    "contacts",
    "deepest overlap [mm]",
    "kinetic energy [J]",
)


@dataclass(frozen=True)
class Heap:
    """Bodies above the box, none touching another."""

    place: np.ndarray  #: (N, 3) [m]
    radii: np.ndarray  #: (N, 3) [m]
    turn: Rotation  #: (N,)
    spin: np.ndarray  #: (N, 3) [rad/s], in the world
    exponents: np.ndarray  #: (N, 2) of the superellipsoids


def heap(count: int) -> Heap:
    rng = np.random.default_rng(1)
    row = int((2 * SIDE - 0.02) // 0.15)
    k = np.arange(count)
    grid = (np.stack([k % row, k // row % row], axis=1) + 0.5) * 2 * SIDE / row - SIDE
    place = np.column_stack([grid, 0.1 + 0.14 * (k // row**2)]) + rng.uniform(-0.005, 0.005, (count, 3))
    radii, turn = rng.uniform(0.7, 1.3, (count, 3)) * SIZE, Rotation.random(count, rng=rng)
    return Heap(place, radii, turn, rng.normal(size=(count, 3)), rng.uniform(0.4, 1.2, (count, 2)))


@dataclass(frozen=True)
class Ran:
    """Results of a simulation."""

    seconds: float  #: processor time
    contacts: int
    overlap: float  #: largest at the end [m]
    kinetic: float  #: at the end [J]


def with_tangency(bodies: Heap, duration: float, step: float, *, super_: bool) -> Ran:
    shapes = tg.Superellipsoid(bodies.radii, bodies.exponents) if super_ else tg.Ellipsoid(bodies.radii)
    made = [Body(f"wall {k}", tg.HalfSpace(n, d)) for k, (n, d) in enumerate(WALLS)]
    for k, (place, turn, spin) in enumerate(zip(bodies.place, bodies.turn, bodies.spin)):
        made.append(Body(f"body {k}", shapes[k], (turn, place), density=DENSITY, angular_velocity=spin))
    law = Interaction(
        forces.KelvinVoigt(stiffness=2e4, damping=60.0), forces.Bristle(static=FRICTION, stiffness=1e4, damping=20.0)
    )
    world = World(made, interaction=law)
    simulate(world, step, "fast", output_interval=step, step=step)  # compiles
    start = process_time()
    simulate(world, step, "fast", output_interval=step, step=step)  # set-up time, not counted for MuJoCo either
    middle = process_time()
    run = simulate(world, duration, "fast", output_interval=duration, step=step)
    seconds = process_time() - middle - (middle - start)
    depth = run.contacts.at(-1).depth
    return Ran(seconds, len(depth), float(depth.max(initial=0.0)), float(run.energy["kinetic"][-1]))


def with_mujoco(bodies: Heap, duration: float, step: float, *, solver: str) -> Ran:
    import mujoco

    def numbers(values: object) -> str:
        return " ".join(f"{v:.17g}" for v in np.ravel(values))  # type: ignore[arg-type]

    parts = [
        f'<mujoco><option timestep="{step}" solver="{solver}"/><size memory="200M"/><default>',
        f'<geom friction="{FRICTION} 0.001 0.001" density="{DENSITY}"/></default><worldbody>',
    ]
    for n, d in WALLS:
        parts.append(f'<geom type="plane" size="0 0 1" pos="{numbers(d * np.array(n))}" zaxis="{numbers(n)}"/>')
    for place, radii, turn in zip(bodies.place, bodies.radii, bodies.turn.as_quat(scalar_first=True)):
        parts.append(
            f'<body pos="{numbers(place)}" quat="{numbers(turn)}"><freejoint/>'
            f'<geom type="ellipsoid" size="{numbers(radii)}"/></body>'
        )
    model = mujoco.MjModel.from_xml_string("".join([*parts, "</worldbody></mujoco>"]))
    data = mujoco.MjData(model)
    data.qvel.reshape(-1, 6)[:, 3:] = bodies.turn.inv().apply(bodies.spin)
    start = process_time()
    mujoco.mj_step(model, data, round(duration / step))
    seconds = process_time() - start
    mujoco.mj_energyVel(model, data)
    overlap = -float(data.contact.dist.min()) if data.ncon else 0.0
    return Ran(seconds, int(data.ncon), max(overlap, 0.0), float(data.energy[1]))


def measure(engines: list[Engine], *, quick: bool) -> Iterator[str | Table]:
    """Progress messages, then the table."""
    count, duration, rounds = (60, 0.5, 1) if quick else (300, 1.0, 3)
    bodies = heap(count)
    runs: dict[tuple[str, float], Callable[[float], Ran]] = {}
    for step in (4e-4, 1e-3):
        runs["tangency, ellipsoids", step] = lambda h: with_tangency(bodies, duration, h, super_=False)
    for step in (4e-4, 1e-3):
        runs["tangency, superellipsoids", step] = lambda h: with_tangency(bodies, duration, h, super_=True)
    try:
        import mujoco  # noqa: F401
    except ImportError:
        yield "MuJoCo is not installed"
    else:
        for solver in ("CG", "Newton"):
            for step in (4e-4, 2e-3):
                runs[f"MuJoCo, {solver}, ellipsoids", step] = lambda h, s=solver: with_mujoco(
                    bodies, duration, h, solver=s
                )
    best: dict[tuple[str, float], Ran] = {}
    for turn in range(rounds):
        for key, run in runs.items():
            if turn > 0 and best[key].seconds > 20.0:
                continue  # noise does not matter there
            yield f"{count} bodies: {key[0]}, steps of {1e3 * key[1]:g} ms, round {turn + 1} of {rounds}"
            ran = run(key[1])
            if key not in best or ran.seconds < best[key].seconds:
                best[key] = ran
    rows = []
    for (name, step), ran in best.items():
        rows.append(
            (
                name,
                f"{1e3 * step:g}",
                digits(duration / step / ran.seconds),
                digits(duration / ran.seconds),
                str(ran.contacts),
                digits(1e3 * ran.overlap),
                f"{ran.kinetic:.2g}",
            )
        )
    yield Table(
        "many_bodies",
        f"{count} bodies poured into a box, the first {duration:g} s, one thread",
        HEADER,
        rows,
        (
            "Friction 0.5. Tangency: springs and dampers of 20 kN/m and 60 N s/m, bristles, contacts to 1e-10 of the "
            "size, explicit steps; MuJoCo: its default soft constraints, contacts to 1e-6 m, implicit, which allows "
            "its default step of 2 ms. CG and Newton are its solvers of the constraints; Newton is its default.",
        ),
    )
