"""The prescribed motions of Lopes' contact pairs: 200 steps, each started from the points of the previous one.

The paper names the axes of the rotations, but neither their speeds nor the positions of the bodies.  Here both bodies
rotate by a fixed angle per step, chosen by each study regardless of the number of steps, and B is at `centre`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..contacts.query import contact
from ..implicit import contact as follow
from ..io.progress import Progress
from ..shapes.bounds import half_diagonals
from ..shapes.shape import Shape
from ..solvers.papers.lopes_implicit import LopesImplicit
from . import picture
from .study import Cell, Result, Table

ANGLES = (0.9, 3.6, 14.4, 28.8)  # degrees per step, for comparison
PRINTED_STEPS = 200
TOLERANCE = 1e-6  # [m], of a step of both points (Lopes 2010, section 7)


class Pair(NamedTuple):
    """A contact pair and its motion."""

    a: Shape
    b: Shape
    axis_b: tuple[float, float, float]  #: axis of rotation of B, in its own frame; A rotates about its x axis
    centre: tuple[float, float, float]  #: of B at the start [m]
    orbit: bool  #: whether B also moves around A, about z
    printed: tuple[int, ...]  #: total number of Newton iterations, by kind of tangents


class Motion(NamedTuple):
    """Result of a motion."""

    iterations: np.ndarray  #: (steps,)
    distance: np.ndarray  #: (steps,) [m]
    error: float  #: largest difference from the default solver [m]
    restarts: int  #: steps restarted from the line of centres
    lost: int  #: steps in which the method did not find the distance


def poses(pair: Pair, steps: int, degrees: float) -> tuple[Rotation, Rotation, np.ndarray]:
    """Orientations of both bodies and positions of B."""
    angle = np.radians(degrees) * np.arange(steps)
    axis = np.array(pair.axis_b) / np.linalg.norm(pair.axis_b)
    around = Rotation.from_rotvec(np.outer(angle, [0.0, 0.0, 1.0]))
    places = around.apply(pair.centre) if pair.orbit else np.tile(pair.centre, (steps, 1))
    return Rotation.from_rotvec(np.outer(angle, [1.0, 0.0, 0.0])), Rotation.from_rotvec(np.outer(angle, axis)), places


def run(pair: Pair, tangents: str, steps: int, degrees: float) -> Motion:
    """Follow the contact through all steps."""
    turn_a, turn_b, places = poses(pair, steps, degrees)
    exact = contact(pair.a, pair.b, (turn_a, np.zeros(3)), (turn_b, places)).distance
    size = sum(float(half_diagonals(shape.bounds)[0]) for shape in (pair.a, pair.b))  # `tol` is relative to it
    iterations, distance = np.zeros(steps, dtype=int), np.zeros(steps)
    points, restarts = None, 0
    for k in range(steps):
        pose_a, pose_b = (turn_a[k], np.zeros(3)), (turn_b[k], places[k])
        if points is not None:
            c = follow(pair.a, pair.b, pose_a, pose_b, start=points, tol=TOLERANCE, tangents=tangents)
            iterations[k], distance[k] = c.iterations, c.distance
            points = c.local_a, c.local_b
            if c.converged:
                continue
            restarts += 1
        start = "midpoint" if k == 0 else "centre-line"
        new = contact(
            pair.a, pair.b, pose_a, pose_b, tol=TOLERANCE / size, solver=LopesImplicit(tangents=tangents, start=start)
        )
        iterations[k], distance[k] = iterations[k] + new.iterations, new.distance
        points = turn_a[k].inv().apply(np.array(new.point_a)), turn_b[k].inv().apply(new.point_b - places[k])
    error = np.abs(distance - exact)
    return Motion(iterations, distance, float(error.max()), restarts, int((error > 10.0 * TOLERANCE).sum()))


def table(
    pairs: Sequence[Pair], kinds: Sequence[str], angle: float, steps: int, progress: Progress, notes: Sequence[str]
) -> Result:
    """Computed and printed iterations of every pair, and their dependence on the speed."""
    rows: list[list[Cell]] = []
    records: list[list[Cell]] = []
    speeds: list[list[Cell]] = []
    curves = []
    for number, pair in enumerate(pairs, 1):
        for kind, printed in zip(kinds, pair.printed):
            progress.step(f"pair {number} of {len(pairs)}, {kind}")
            motion = run(pair, kind, steps, angle)
            total = int(motion.iterations.sum())
            comparable = printed if steps == PRINTED_STEPS else None
            rows.append(
                [
                    number,
                    kind,
                    comparable,
                    f"{printed / PRINTED_STEPS:.1f}",
                    total,
                    f"{total / steps:.1f}",
                    int(motion.iterations.max()),
                    motion.restarts,
                    motion.lost,
                    f"{motion.error:.1e}",
                ]
            )
            records += [
                [number, kind, k + 1, int(i), float(d)]
                for k, (i, d) in enumerate(zip(motion.iterations, motion.distance))
            ]
            curves.append((f"{number} {kind}", motion))
        slow = [run(pair, kinds[0], min(steps, 50), degrees) for degrees in ANGLES]
        speeds.append([number, *(f"{motion.iterations.mean():.1f}" for motion in slow)])
    head = (
        "pair",
        "tangents",
        "total, printed",
        "per step, printed",
        "total",
        "per step",
        "most in a step",
        "restarts",
        "steps lost",
        "largest error [m]",
    )
    tables = [
        Table(head, rows, f"{steps} steps of {angle:g} degrees (printed: {PRINTED_STEPS} steps of unknown angle)"),
        Table(
            ("pair", *(f"{a:g} degrees" for a in ANGLES)), speeds, f"Iterations per step, {kinds[0]} tangents, by speed"
        ),
    ]
    return Result(
        tables, notes, ("pair", "tangents", "step", "iterations", "distance"), records, lambda: _figure(curves)
    )


def _figure(curves: list[tuple[str, Motion]]) -> Any:
    made = picture.figure(11.0, 4.2)
    left, right = made.subplots(1, 2)
    for name, motion in curves:
        step = np.arange(1, len(motion.distance) + 1)
        left.plot(step, np.cumsum(motion.iterations), label=name)
        right.plot(step, motion.distance)
    picture.plain(left, "step", "Newton iterations so far", "Iterations")
    picture.plain(right, "step", "distance [m]", "Distance")
    left.legend(frameon=False, fontsize=8)
    return made


NOTES = (
    "The thesis gives axes of rotation, but no speeds or positions. The number of iterations depends almost only on "
    "the angle per step (second table): about one more for four times the angle, as expected for quadratic "
    "convergence.",
    "The first step, with all axes parallel, starts midway between the centres, as printed; each later step starts "
    "from the points of the previous one, each fixed to its own body. If a step fails, it restarts from the line of "
    "centres, and all its iterations are counted. Steps lost are those in which the distance differs from that of "
    "the default solver by more than 1e-5 m; the error is the largest such difference.",
)
