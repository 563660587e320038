"""Lopes thesis, chapter 6: ground reaction of walking with 6 ellipsoids or 31 points under each foot.

The thesis drives a model with 50 muscles and optimises their excitations.  Here the contact elements are compared
under a given motion of the feet relative to the trunk: the body is a mass that does not rotate, has massless legs, and
is free to move forward and up.  In the frame of the trunk, the motion of the feet is prescribed and the ground moves:
a half-space with the mass of the body, pulled towards the feet by gravity.
"""

from __future__ import annotations

from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from .. import forces
from ..dynamics import Body, Interaction, Motion, World
from ..dynamics.accurate.runner import AccurateRunner
from ..dynamics.assembly import Assembly
from ..dynamics.frames import Frame, Record
from ..io.progress import Progress
from ..shapes import Ellipsoid, HalfSpace, Sphere
from . import picture
from .foot_gait import GRAVITY, PERIOD, SIDES, Gait, artificial, measured
from .foot_shapes import ELLIPSES, HALF_WIDTH, POINTS, SEGMENTS, sole
from .study import Cell, Result, Study, Table

KINDS = ("points", "ellipsoids")
PRINTED = {"points": (7.8247, 2.4980e-4), "ellipsoids": (6.4205, 3.4230e-4)}  # Table 6.1: time, step [s]
STIFFNESS = 9.6e5  # total of all elements of a foot [N/m^1.5]: depth 8 mm under the weight on one flat foot
DAMPING = 3.0  # Hunt-Crossley [s/m]
FRICTION, CREEP = 0.8, 0.05  # coefficient, speed that scales the tanh [m/s]
RADIUS = 1e-6  # of a point [m]
FRAME = 2.5e-3  # [s]
RTOL, ATOL = 1e-6, 1e-8
WINDOW = 25e-3  # of the moving average in the measure of roughness [s]
#: Comparison with a measured walk: correlations with the force of each foot, RMS errors in units of the weight.
FORE_AFT = (
    "The fore-aft force of a single foot is not predicted. For the measured walk of one subject (--data) its "
    "correlation with the measured force is 0.2 to 0.4, and its RMS error 0.10 (points) and 0.12 (ellipsoids) of the "
    "weight: worse than predicting zero, 0.075. The error occurs in double support: the feet push against each other "
    "(the errors of the two feet have a correlation of -0.93), and only their sum follows the measurement. The "
    "vertical force agrees well: correlation 0.98, RMS error 0.08 to 0.09, compared with 0.67 for predicting zero."
)


class Walk(NamedTuple):
    """Result for one kind of elements."""

    time: np.ndarray  #: (n,) [s]
    force: np.ndarray  #: (n, 2, 2) on the right and left foot; forward and up [N]
    steps: np.ndarray  #: (n,) steps so far
    evaluations: int
    begun: int  #: number of contacts started
    seconds: float  #: processor time [s]


def elements(kind: str, segment: str) -> list[tuple[Any, Any]]:
    """Shapes of a segment with their poses in it."""
    if kind == "points":
        return [(Sphere(RADIUS), (None, [x, 0.0, z])) for x, z in sole(segment, POINTS[segment])]
    return [(Ellipsoid([a, HALF_WIDTH, c]), (None, [x, 0.0, z])) for x, z, a, c in ELLIPSES[segment]]


def world(kind: str, gait: Gait) -> World:
    """World of four prescribed segments and the free ground."""
    known: dict[str, Any] = {}

    def mover(side: int, segment: int) -> Any:
        def motion(time: float) -> Motion:
            if known.get("time") != time:
                known["time"], known["at"] = time, gait.at(time)
            place, rate = known["at"]
            k = 4 * side
            pitch, turning = place[k + 2 + segment], rate[k + 2 + segment]
            c, s = np.cos(pitch), np.sin(pitch)
            turn = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
            return Motion(
                (turn, [place[k], 0.2 * side - 0.1, place[k + 1]]), (rate[k], 0.0, rate[k + 1]), (0.0, -turning, 0.0)
            )

        return motion

    feet = [
        Body(f"{side} {segment}", elements(kind, segment), motion=mover(i, j))
        for i, side in enumerate(SIDES)
        for j, segment in enumerate(SEGMENTS)
    ]
    stiffness = STIFFNESS / (sum(POINTS.values()) if kind == "points" else sum(map(len, ELLIPSES.values())))
    law = Interaction(
        forces.HuntCrossley(stiffness=stiffness, exponent=1.5, damping=DAMPING),
        forces.Tanh(coefficient=FRICTION, speed=CREEP),
    )
    rate = gait.at(0.0)[1]
    velocity = (rate[4 * gait.standing], 0.0, rate[4 * gait.standing + 1])
    ground = Body(
        "ground",
        HalfSpace([0, 0, 1]),
        (None, [0.0, 0.0, _height(kind, gait, stiffness)]),
        mass=gait.mass,
        inertia=[1e12] * 3,
        velocity=velocity,
    )
    return World((ground, *feet), gravity=(0.0, 0.0, GRAVITY), interaction=law)


def _height(kind: str, gait: Gait, stiffness: float) -> float:
    """Initial height of the ground at which it carries the weight [m]."""
    low: list[float] = []
    place = gait.at(0.0)[0]
    for side in range(2):
        for k, segment in enumerate(SEGMENTS):
            z, pitch = place[4 * side + 1], place[4 * side + 2 + k]
            c, s = np.cos(pitch), np.sin(pitch)
            for shape, (_, at) in elements(kind, segment):
                low.append(z + s * at[0] + c * at[2] - float(shape.support([-s, 0.0, -c])))
    bottom = np.array(low)

    def surplus(height: float) -> float:
        return stiffness * float((np.maximum(height - bottom, 0.0) ** 1.5).sum()) - gait.mass * GRAVITY

    return float(brentq(surplus, bottom.min(), bottom.min() + 0.2))


def walk(kind: str, gait: Gait, duration: float | None = None) -> Walk:
    """Integrate with SciPy's DOP853 and record steps and forces of every frame."""
    assembly = Assembly(world(kind, gait))
    record, steps = Record(assembly), []
    runner = AccurateRunner(assembly, method="DOP853", rtol=RTOL, atol=ATOL)

    def add(frame: Frame) -> None:
        record.add(frame)
        steps.append(runner.counts()["steps"])

    frames = FRAME * np.arange(1, int((gait.duration if duration is None else duration) / FRAME + 1e-9) + 1)
    start = process_time()
    runner.start(add)
    runner.advance(frames, add, lambda instant: None)
    seconds = process_time() - start
    motion = record.trajectory({})
    c, force = motion.contacts, np.zeros((len(motion), 2, 2))
    frame = np.repeat(np.arange(len(motion)), np.diff(c.first))
    np.add.at(force, (frame, (c.body_b - 1) // len(SEGMENTS)), c.force[:, ::2])  # the ground is A, the foot B
    counts = runner.counts()
    return Walk(motion.time, force, np.array(steps), counts["evaluations"], counts["impacts"], seconds)


def roughness(walk: Walk, settled: float) -> float:
    """Root mean square deviation of the vertical forces from their moving average [N]."""
    width = round(WINDOW / FRAME) // 2 * 2 + 1
    kernel = np.full(width, 1.0 / width)
    rough = []
    for side in range(2):
        f = walk.force[:, side, 1]
        rough.append((f - np.convolve(f, kernel, "same"))[width:-width][walk.time[width:-width] >= settled])
    return float(np.sqrt(np.mean(np.square(rough))))


def run(size: int, seed: int, progress: Progress) -> Result:
    """`size` cycles of the artificial gait; the study is deterministic."""
    return _study(artificial(size), PERIOD if size > 1 else 0.0, progress)


def run_measured(size: int, seed: int, progress: Progress, path: str) -> Result:
    """The complete gait from a file."""
    return _study(measured(path), 0.1, progress)


def _study(gait: Gait, settled: float, progress: Progress) -> Result:
    walks = {}
    for kind in KINDS:
        progress.step(f"{kind}: compiling, then walking {gait.duration:.2f} s")
        walk(kind, gait, 0.02)
        walks[kind] = walk(kind, gait)
    notes = [
        "Unlike the thesis, there are no muscles and no search for excitations: the motion of the feet is "
        "prescribed relative to the trunk, and the trunk, a mass that does not rotate, is moved by the ground "
        "reaction. Rear foot and midfoot are one segment.",
        "The positions and stiffnesses of the elements are not given in the thesis. They were chosen so that both "
        f"models have the same sole and the same total stiffness per foot, F = K depth^1.5 (1 + {DAMPING:g} s/m "
        f"rate) with K = {STIFFNESS:g} N/m^1.5 per foot, friction {FRICTION:g} tanh(slip / {CREEP:g} m/s).",
        f"Steps are those of SciPy's DOP853 at a tolerance of {RTOL:g}, restarted whenever an element begins or "
        "ceases to touch. The integrator of the thesis is not restarted, and its muscles shorten the steps, so only "
        "ratios can be compared. Times are processor times and depend on the machine.",
        "The reaction is about equally smooth for both models: since depth^1.5 grows slowly at first, points that "
        "touch down one after the other cause no steps in the force, only more work for the integrator.",
        "The mean vertical force of a periodic gait is the weight, whatever the elements are; this checks the whole "
        "model.",
        FORE_AFT,
    ]
    if gait.measured is not None:
        notes.append(
            "Feet from markers; the trunk's motion is the measured force integrated twice, so that the sum of both "
            "feet is given, and what is predicted is how they share it. A millimetre of a marker is some 100 N."
        )
    tables = [_cost(walks), _reaction(walks, gait, settled)]
    if gait.measured is not None:
        tables.append(_agreement(walks, _at(gait, walks["points"].time), settled, gait.mass * GRAVITY))
    columns = [
        "time",
        *(f"{kind}_{side}_{c}" for kind in KINDS for side in SIDES for c in ("forward", "up")),
        *(f"{kind}_steps" for kind in KINDS),
    ]
    parts = [w.force.reshape(len(w.time), 4) for w in walks.values()]
    if gait.measured is not None:
        columns[1:1] = [f"measured_{side}_{c}" for side in SIDES for c in ("forward", "up")]
        parts.insert(0, _at(gait, walks["points"].time).reshape(-1, 4))
    times = walks["points"].time
    whole = np.column_stack([times, *parts, *(w.steps for w in walks.values())])
    records = [[float(v) for v in row] for row in whole]
    return Result(tables, notes, columns, records, lambda: _figure(walks, gait))


def _at(gait: Gait, time: np.ndarray) -> np.ndarray:
    """(n, 2, 2) measured forces at other times."""
    assert gait.measured is not None
    flat = gait.measured.force.reshape(len(gait.measured.time), 4).T
    return np.stack([np.interp(time, gait.measured.time, f) for f in flat], axis=-1).reshape(-1, 2, 2)


def _cost(walks: dict[str, Walk]) -> Table:
    rows: list[list[Cell]] = []
    for kind, w in walks.items():
        seconds, step = PRINTED[kind]
        mean = w.time[-1] / w.steps[-1]
        rows.append(
            [kind, seconds, f"{w.seconds:.2f}", f"{step:.3e}", f"{mean:.3e}", int(w.steps[-1]), w.evaluations, w.begun]
        )
    points, round_ = walks["points"], walks["ellipsoids"]
    (a, b), (c, d) = PRINTED["points"], PRINTED["ellipsoids"]
    rows.append(
        [
            "ellipsoids / points",
            f"{c / a:.2f}",
            f"{round_.seconds / points.seconds:.2f}",
            f"{d / b:.2f}",
            f"{points.steps[-1] / round_.steps[-1]:.2f}",
            f"{round_.steps[-1] / points.steps[-1]:.2f}",
            f"{round_.evaluations / points.evaluations:.2f}",
            f"{round_.begun / points.begun:.2f}",
        ]
    )
    header = (
        "elements",
        "printed time [s]",
        "processor time [s]",
        "printed mean step [s]",
        "mean step [s]",
        "steps",
        "right-hand sides",
        "contacts begun",
    )
    return Table(header, rows, "Table 6.1, and the cost here.")


def _reaction(walks: dict[str, Walk], gait: Gait, settled: float) -> Table:
    weight = gait.mass * GRAVITY
    names = list(walks)
    forces_of = [walks[kind].force for kind in names]
    time = walks[names[0]].time
    if gait.measured is not None:
        names.append("measured")
        forces_of.append(_at(gait, time))
    own = time >= settled
    rows: list[list[Cell]] = []
    for kind, force in zip(names, forces_of):
        f, other = force[own], forces_of[-1][own]
        apart = np.sqrt(np.mean((f - other) ** 2, axis=(0, 1))) / weight
        smooth = f"{roughness(walks[kind], settled) / weight:.4f}" if kind in walks else ""
        rows.append(
            [
                kind,
                f"{f[:-1, :, 1].sum(axis=1).mean() / weight:.4f}",
                f"{f[:, :, 1].max() / weight:.3f}",
                f"{f[:, :, 0].min() / weight:.3f}, {f[:, :, 0].max() / weight:.3f}",
                smooth,
                f"{apart[1]:.3f}, {apart[0]:.3f}",
            ]
        )
    header = (
        "elements",
        "mean of both feet, up",
        "largest, up",
        "smallest and largest, forward",
        f"roughness (beyond {1000 * WINDOW:g} ms)",
        f"RMS from {names[-1]}: up, forward",
    )
    return Table(header, rows, f"Ground reaction relative to the weight, {weight:.0f} N, from {settled:g} s on.")


def _agreement(walks: dict[str, Walk], measured: np.ndarray, settled: float, weight: float) -> Table:
    """Accuracy of the predicted force of each foot, compared with predicting zero."""
    rows: list[list[Cell]] = []
    for kind, w in walks.items():
        own = w.time >= settled
        for k, name in ((1, "up"), (0, "forward")):
            found, want = w.force[own, :, k], measured[own, :, k]
            alike = [float(np.corrcoef(found[:, side], want[:, side])[0, 1]) for side in range(2)]
            error, zero = (float(np.sqrt(np.mean(v**2))) / weight for v in (found - want, want))
            rows.append(
                [
                    kind,
                    name,
                    *(f"{r:.2f}" for r in alike),
                    f"{error:.3f}",
                    f"{zero:.3f}",
                    "better" if error < zero else "worse",
                ]
            )
    header = (
        "elements",
        "force",
        *(f"correlation, {side}" for side in SIDES),
        "RMS error",
        "RMS of predicting zero",
        "than zero",
    )
    return Table(header, rows, "Each foot against the measurement; RMS in units of the weight.")


def _figure(walks: dict[str, Walk], gait: Gait) -> Any:
    made = picture.figure(11.0, 9.4)
    top, below = made.subfigures(2, 1, height_ratios=(1.0, 3.0))
    left, right = top.subplots(1, 2)
    _draw_foot(left)
    _draw_gait(right, gait)
    up, forward, steps = below.subplots(3, 1, sharex=True)
    weight = gait.mass * GRAVITY
    colours = {"points": picture.MARK, "ellipsoids": picture.BODY}
    for side, line in ((0, "-"), (1, "--")):
        if gait.measured is not None:
            force = _at(gait, walks["points"].time)[:, side] / weight
            up.plot(
                walks["points"].time,
                force[:, 1],
                color=picture.SOFT,
                linestyle=line,
                linewidth=2.5,
                label=f"measured, {SIDES[side]}",
            )
            forward.plot(walks["points"].time, force[:, 0], color=picture.SOFT, linestyle=line, linewidth=2.5)
        for kind, w in walks.items():
            force = w.force[:, side] / weight
            up.plot(
                w.time, force[:, 1], color=colours[kind], linestyle=line, linewidth=1.3, label=f"{kind}, {SIDES[side]}"
            )
            forward.plot(w.time, force[:, 0], color=colours[kind], linestyle=line, linewidth=1.3)
    for kind, w in walks.items():
        every = round(0.02 / FRAME)
        count = np.maximum(np.diff(w.steps[::every]), 1)
        steps.stairs(
            1e3 * every * FRAME / count, w.time[::every], color=colours[kind], linewidth=1.2, label=kind, baseline=None
        )
        steps.axhline(1e3 * w.time[-1] / w.steps[-1], color=colours[kind], linestyle=":")
    picture.plain(up, "", "up / weight", "Ground reaction")
    picture.plain(forward, "", "forward / weight")
    picture.plain(steps, "t [s]", "mean step in 20 ms [ms]")
    up.legend(frameon=False, fontsize=8, ncols=3, loc="upper right")
    up.set_ylim(top=1.25 * up.get_ylim()[1])
    steps.legend(frameon=False, fontsize=8, loc="upper right")
    return made


def _draw_foot(axes: Any) -> None:
    ring = np.linspace(0.0, 2.0 * np.pi, 73)
    for segment, colour in zip(SEGMENTS, (picture.BODY, picture.SECOND)):
        for x, z, a, c in ELLIPSES[segment]:
            axes.plot(x + a * np.cos(ring), z + c * np.sin(ring), color=colour, linewidth=1.4)
        axes.plot(*sole(segment, POINTS[segment]).T, ".", color=picture.MARK, markersize=5)
    axes.plot(0, 0, "+", color=picture.INK, markersize=8)
    axes.set_aspect("equal")
    picture.plain(axes, "x [m]", "z [m]", "6 ellipsoids, 31 points")


def _draw_gait(axes: Any, gait: Gait) -> None:
    for time in np.linspace(0.0, min(gait.duration, PERIOD), 25)[:-1]:
        place = gait.at(float(time))[0]
        for k, segment in enumerate(SEGMENTS):
            edge, pitch = sole(segment, 60), place[2 + k]
            c, s = np.cos(pitch), np.sin(pitch)
            axes.plot(
                place[0] + c * edge[:, 0] - s * edge[:, 1],
                place[1] + s * edge[:, 0] + c * edge[:, 1],
                color=(picture.BODY, picture.SECOND)[k],
                linewidth=0.9,
            )
    axes.set_aspect("equal")
    picture.plain(axes, "x [m]", "z [m]", "Right foot, seen from the trunk")


STUDY = Study(
    "foot-ground",
    "Lopes thesis, chapter 6: foot and ground, 6 ellipsoids or 31 points",
    run,
    3,
    "gait cycles",
    measured=run_measured,
    duration="13 s",
)
