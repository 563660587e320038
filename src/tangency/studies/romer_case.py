"""Römer 3-D, section 6, Appendix C and Fig. 9: two steel ellipsoids fall into a box of five planes.

In Table C.3 the initial position of object II is not legible, and one row is shifted: r_BM of object I is
0.025 b_z, its Q_BM a rotation by pi/18 about y.  II is released above the same corner as I, half a metre higher.
"""

from __future__ import annotations

import math
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from .. import forces
from ..contacts.query import contact
from ..dynamics import Body, Interaction, Trajectory, World, simulate
from ..io.progress import Progress
from ..shapes import Ellipsoid, HalfSpace
from . import picture
from .study import Cell, Result, Study, Table

SPEED = 1e-6  # k of the friction law, Table C.3 [m/s]
RTOL, ATOL = 1e-6, 1e-9
POSITION_II = (-0.25, -0.5, 1.5)
COMPARED = 1000  # [ms], while differences are still small
R2, R3 = math.sqrt(2.0), math.sqrt(3.0)
#: n_j and d_j: the bodies lie where n.r > d.
PLANES = (
    ((0.0, 0.0, 1.0), 0.0),
    ((R2 / 2, 0.0, R2 / 2), -R2 / 8),
    ((-R2 / 2, 0.0, R2 / 2), -R2 / 8),
    ((0.0, -R3 / 2, 0.5), -R3 / 4),
    ((0.0, R3 / 2, 0.5), -R3 / 4),
)
SEMI_AXES = {"I": (0.3, 0.2, 0.1), "II": (0.3, 0.05, 0.1)}
LEVERS = {"I": (0.0, 0.0, 0.025), "II": (0.075, 0.0, 0.0)}  # r_BM, from the centre of mass to that of the ellipsoid
TILTS = {"I": -math.pi / 18, "II": math.pi / 18}  # Q_BM, a rotation about y


def world(speed: float = SPEED) -> World:
    """Box and ellipsoids of Table C.3."""
    turn = Rotation.from_euler("ZYX", [math.pi / 3, math.pi / 4, math.pi / 5])  # Eq. (C.1)
    spin = (0.0, 0.0, math.pi)  # alpha is a rotation about j_z, Eq. (C.2)
    mass, inertia = {"I": 200.0, "II": 50.0}, {"I": (2.0, 4.0, 5.2), "II": (0.1, 1.0, 0.9)}
    place = {"I": (-0.25, -0.5, 1.0), "II": POSITION_II}
    bodies = [Body(f"plane {j}", HalfSpace(n, d)) for j, (n, d) in enumerate(PLANES, 1)]
    bodies += [
        Body(
            name,
            [(Ellipsoid(SEMI_AXES[name]), (Rotation.from_euler("y", TILTS[name]), LEVERS[name]))],
            (turn, place[name]),
            mass=mass[name],
            inertia=inertia[name],
            centre_of_mass=(0.0, 0.0, 0.0),
            angular_velocity=spin,
        )
        for name in ("I", "II")
    ]
    steel = forces.Material(young=210e9, poisson=0.3)
    law = forces.Flores(materials=steel, restitution=0.6, form="mean")  # Eq. (96)
    return World(tuple(bodies), interaction=Interaction(law, forces.Tanh(coefficient=0.2, speed=speed)))


class Run(NamedTuple):
    """A motion, and the processor time it took [s]."""

    motion: Trajectory
    seconds: float


def move(milliseconds: int, speed: float = SPEED, rtol: float = RTOL, atol: float = ATOL) -> Run:
    """The motion, with one frame per millisecond."""
    made, start = world(speed), process_time()
    motion = simulate(
        made, milliseconds * 1e-3, output_interval=1e-3, method="Radau", rtol=rtol, atol=atol, checkpoint_every=10**6
    )
    return Run(motion, process_time() - start)


def ellipsoid_pose(motion: Trajectory, name: str, frame: int) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and centre of the ellipsoid of a body."""
    k = motion.number(name)
    turn = Rotation.from_quat(motion.quaternion[frame, k])
    whole = (turn * Rotation.from_euler("y", TILTS[name])).as_matrix()
    return whole, motion.position[frame, k] + turn.apply(LEVERS[name])


def clearance(motion: Trajectory, frame: int) -> float:
    """Smallest distance of the two ellipsoids from the five planes [m]; negative in contact."""
    gaps = [
        contact(HalfSpace(n, d), Ellipsoid(SEMI_AXES[name]), None, ellipsoid_pose(motion, name, frame)).distance
        for n, d in PLANES
        for name in SEMI_AXES
    ]
    return float(min(gaps))


def fastest(motion: Trajectory, frame: int) -> float:
    """Upper bound on the speed of any point of both bodies [m/s]."""
    v, w = motion.velocity[frame, 5:], motion.angular_velocity[frame, 5:]
    return float((np.linalg.norm(v, axis=1) + 0.375 * np.linalg.norm(w, axis=1)).max())


def run(size: int, seed: int, progress: Progress) -> Result:
    """`size` milliseconds of motion; the study is deterministic."""
    simulate(world(), 1e-3, output_interval=1e-3, method="Radau")  # compile before the timing
    progress.step(f"integrating {size} ms with the paper's friction")
    main = move(size)
    until = min(size, COMPARED)
    others = []
    for text, options in (
        ("tolerances halved", {"rtol": 0.5 * RTOL, "atol": 0.5 * ATOL}),
        ("k = 1e-4 m/s", {"speed": 1e-4}),
        ("k = 1e-2 m/s", {"speed": 1e-2}),
    ):
        progress.step(f"the first {until} ms with {text}")
        others.append((text, move(until, **options)))
    motion = main.motion
    rows: list[list[Cell]] = [[f"k = {SPEED:g} m/s, {size} ms", *_counts(main), "", f"{main.seconds:.1f}"]]
    for text, other in others:
        moved = float(np.abs(other.motion.position[-1] - motion.position[until]).max())
        rows.append([f"{text}, {until} ms", *_counts(other), f"{moved:.1e}", f"{other.seconds:.1f}"])
    differ = f"positions differ after {until / 1000:g} s by [m]"
    cost = Table(
        ("run", "steps", "right-hand sides", "impacts", differ, "processor time [s]"),
        rows,
        f"SciPy's Radau, relative tolerance {RTOL:g}, absolute {ATOL:g}.",
    )
    notes = [
        "The printed initial position of object II is not legible; here it is released at "
        f"({', '.join(map(str, POSITION_II))}) m, above the same corner. One row of Table C.3 is shifted: r_BM of I "
        "is 0.025 b_z, Q_BM a rotation by pi/18. The numbers in Fig. 9 are not legible either, and belong to other "
        "initial conditions.",
        "Curvatures between the bodies are those of Hertz's theory; Eq. (C.6) as printed halves them. The sign of "
        "the penetration in Eq. (94) is reversed.",
        f"k = {SPEED:g} m/s is the paper's value, and costs no more than larger ones. The tanh law cannot stick: the "
        "bodies end up creeping at the speed of k.",
        "The paper integrates with ode15s and gives no computing times; times depend on the machine.",
    ]
    columns = (
        "time",
        "kinetic",
        "gravitational",
        "elastic",
        "total",
        "dissipated",
        "contacts",
        *(f"{name}_{c}" for name in ("I", "II") for c in ("x", "y", "z", "qx", "qy", "qz", "qw")),
    )
    records = [_record(motion, f) for f in range(0, len(motion), 10)]
    return Result([_compared(motion), _instants(motion), cost], notes, columns, records, lambda: _figure(motion))


def _counts(run: Run) -> list[int]:
    return [run.motion.info[name] for name in ("steps", "evaluations", "impacts")]


def _compared(motion: Trajectory) -> Table:
    energy, c = motion.mechanical_energy, motion.contacts
    planes = sorted({int(a) + 1 for a in motion.impacts.body_a if a < 5})
    between = motion.impacts.between(motion.number("I"), motion.number("II"))
    first = f"yes, {between.time[0]:.3f} s at {between.speed[0]:.2f} m/s" if len(between) else "no"
    loss = motion.energy["dissipated"]
    lost = np.abs((energy + loss) / energy[0] - 1.0).max()
    half = motion.time[np.argmax(loss >= 0.5 * loss[-1])]
    apart = contact(
        *(Ellipsoid(SEMI_AXES[name]) for name in SEMI_AXES), *(ellipsoid_pose(motion, name, 0) for name in SEMI_AXES)
    )
    rows: list[tuple[Cell, ...]] = [
        ("position of II at the start [m]", "not readable", ", ".join(map(str, POSITION_II))),
        ("distance of both bodies there [m]", "", f"{apart.distance:.4f}"),
        ("contact between the objects, first", "yes", first),
        ("planes that are touched", "all", ", ".join(map(str, planes))),
        ("contacts at a time, at most", "several", int(np.diff(c.first).max())),
        ("largest rise of the energy from one frame to the next, of the start", "none", f"{_rise(energy):.0e}"),
        ("energy and what was dissipated, change, of the start", "", f"{lost:.0e}"),
        ("energy at start and end [J]", "not readable", f"{energy[0]:.2f}, {energy[-1]:.2f}"),
        ("half of the loss until [s]", "rapidly", f"{half:.3f}"),
        ("fastest point at the end [m/s]", "", f"{fastest(motion, -1):.0e}"),
        ("smallest distance to a plane at the end [m]", "inside", f"{clearance(motion, -1):.0e}"),
    ]
    return Table(("quantity", "printed", "reproduced"), rows, "What section 6 says, frames 1 ms apart.")


def _rise(energy: np.ndarray) -> float:
    return max(float(np.diff(energy).max()), 0.0) / float(energy[0])


def _instants(motion: Trajectory) -> Table:
    rows: list[list[Cell]] = []
    for f in _frames(motion):
        places = [", ".join(f"{x:.4f}" for x in motion.position[f, k]) for k in (5, 6)]
        rows.append([f"{motion.time[f]:g}", *places, f"{motion.mechanical_energy[f]:.2f}", len(motion.contacts.at(f))])
    header = ("t [s]", "position of I [m]", "position of II [m]", "total energy [J]", "contacts")
    return Table(header, rows, "The instants of Fig. 9; centres of mass.")


def _frames(motion: Trajectory) -> list[int]:
    last = len(motion) - 1
    return sorted({min(f, last) for f in (0, 1000, 2000, 3000, 4000)})


def _record(motion: Trajectory, f: int) -> list[float]:
    energies = [float(motion.energy[name][f]) for name in ("kinetic", "gravitational", "elastic")]
    places = [float(v) for k in (5, 6) for v in (*motion.position[f, k], *motion.quaternion[f, k])]
    count = int(motion.contacts.first[f + 1] - motion.contacts.first[f])
    return [float(motion.time[f]), *energies, sum(energies), float(motion.energy["dissipated"][f]), count, *places]


def _figure(motion: Trajectory) -> Any:
    made = picture.figure(11.0, 7.0)
    made.set_layout_engine("none")
    for k, f in enumerate(_frames(motion)):
        axes = made.add_axes((k % 3 / 3.0, 0.5 - k // 3 * 0.5, 1.0 / 3.0, 0.5), projection="3d", computed_zorder=False)
        axes.set(xlim=(-0.8, 0.8), ylim=(-0.8, 0.8), zlim=(0.0, 1.6))
        axes.set_box_aspect((1, 1, 1), zoom=1.1)
        axes.view_init(elev=38.0, azim=-125.0)
        axes.set_axis_off()
        _draw_box(axes)
        eye = np.array([-0.45, -0.65, 0.62])
        for name in sorted(SEMI_AXES, key=lambda n, f=f: float(ellipsoid_pose(motion, n, f)[1] @ eye)):  # type: ignore[misc]
            _draw_ellipsoid(axes, name, *ellipsoid_pose(motion, name, f))
        axes.text2D(0.5, 0.93, f"t = {motion.time[f]:g} s", transform=axes.transAxes, ha="center", color=picture.INK)
    axes = made.add_axes((0.73, 0.08, 0.25, 0.36))
    for name, colour in (("kinetic", picture.THIRD), ("gravitational", picture.SECOND)):
        axes.plot(motion.time, motion.energy[name], color=colour, linewidth=1.2, label=name)
    axes.plot(motion.time, motion.mechanical_energy, color=picture.INK, linewidth=2.0, label="total")
    picture.plain(axes, "t [s]", "energy [J]", "Total energy")
    axes.legend(frameon=False)
    return made


def _draw_ellipsoid(axes: Any, name: str, turn: np.ndarray, centre: np.ndarray) -> None:
    u, v = np.linspace(0.0, 2.0 * np.pi, 49)[:, None], np.linspace(0.03, np.pi - 0.03, 25)
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v) + 0.0 * u], axis=-1)
    x, y, z = np.moveaxis(ball * SEMI_AXES[name] @ turn.T + centre, -1, 0)
    colour = picture.BODY if name == "I" else picture.SECOND
    axes.plot_surface(x, y, z, color=colour, linewidth=0.0, antialiased=False, rcount=49, ccount=49)


def _draw_box(axes: Any) -> None:
    """Draw the floor, and the walls up to a height of 0.6 m."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    low, high = (np.column_stack([signs * (0.25 + z, 0.5 + z / R3), np.full(4, z)]) for z in (0.0, 0.6))
    walls = [[low[k], low[(k + 1) % 4], high[(k + 1) % 4], high[k]] for k in range(4)]
    axes.add_collection3d(Poly3DCollection([low, *walls], facecolor="#c9d3dd", alpha=0.25, edgecolor=picture.SOFT))


STUDY = Study(
    "romer-case",
    "Römer 3-D, section 6 and Fig. 9: two ellipsoids in a box of five planes",
    run,
    4000,
    "milliseconds of motion",
    duration="11 s",
)
