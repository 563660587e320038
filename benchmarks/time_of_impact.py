"""Time of impact: problems whose contact is known by construction, for tangency and python-fcl.

    python -m benchmarks --only impact-time

For python-fcl, both bodies move on screws, by less than half a turn, which is all that its interpolation between poses
can express.  (Its other interpolation, CCDM_LINEAR, gives different answers in different runs.)  It runs in child
processes, as it may end the process.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np

import tangency as tg

from .engine import Engine
from .moving_pairs import MovingPairs, boxes, cones, cylinders, judged, moving_pairs, superellipsoids
from .table import Table, digits

KINDS: dict[str, dict[str, Any]] = {
    "ellipsoids, no rotation": {"turns": 0.0},
    "ellipsoids, up to one turn": {},
    "ellipsoids, up to 5 turns": {"turns": 5.0},
    "ellipsoids, up to 50 turns": {"turns": 50.0},
    "bullets, 1/1000 of the size": {"scale_b": 1e-3},
    "spinning bullets, up to 20 turns": {"scale_b": 1e-3, "turns": 20.0},
    "grazing, gap 0": {"grazing": 0.0},
    "grazing, gap 1e-6 sizes": {"grazing": 1e-6},
    "grazing, overlap 1e-6 sizes": {"grazing": -1e-6},
    "superellipsoids": {"make_a": superellipsoids, "make_b": superellipsoids},
    "ellipsoid and superellipsoid": {"make_b": superellipsoids},
    "boxes, no rotation": {"make_a": boxes, "make_b": boxes, "turns": 0.0},
    "boxes, up to one turn": {"make_a": boxes, "make_b": boxes},
    "boxes, up to 5 turns": {"make_a": boxes, "make_b": boxes, "turns": 5.0},
    "box and ellipsoid": {"make_a": boxes},
    "cylinder and box": {"make_a": cylinders, "make_b": boxes},
    "cone and ellipsoid": {"make_a": cones},
}
HEADER = (
    "problems", "count", "missed", "late", "wrong", "not converged", "evaluations, mean", "most", "us per problem"
)  # fmt: skip
PEERS = ("method", "count", "missed", "late", "largest error", "us per problem")
LATE = 1e-3  # of the duration


def find(p: MovingPairs, threads: int | None = 1) -> tg.Impact:
    return tg.impact(p.a, p.b, p.motion_a, p.motion_b, p.begin, p.end, threads=threads)


def measure(engines: list[Engine], *, quick: bool = False, seed: int = 0) -> Iterator[Table | str]:
    """Both tables; progress as text."""
    count = 200 if quick else 9100
    rows, evaluations, total = [], 0.0, 0
    for name, options in KINDS.items():
        yield f"time of impact: {name}"
        rng = np.random.default_rng(seed)
        p = moving_pairs(rng, count, **options)
        find(p)
        start = process_time()
        found = find(p)
        spent = process_time() - start
        score = judged(p, found, rng, 5)
        evaluations, total = evaluations + score.evaluations * count, total + count
        numbers = (score.missed, score.late, score.wrong, score.not_converged)
        rows.append(
            (
                name,
                str(count),
                *map(str, numbers),
                digits(score.evaluations),
                str(score.most),
                digits(1e6 * spent / count),
            )
        )
    remark = (
        f"An evaluation is one of both support functions; the mean over all {total} problems is "
        f"{evaluations / total:.1f}. *Late*: proved free beyond the known contact, or later than the tolerance allows. "
        "*Wrong*: a bound that contacts at single times contradict."
    )
    yield Table("impact_time", "Time of impact, contacts known by construction", HEADER, rows, (remark,))
    yield "time of impact: python-fcl"
    yield _peers(np.random.default_rng(seed), 100 if quick else 1000)


def _peers(rng: np.random.Generator, count: int) -> Table:
    problems = [
        moving_pairs(rng, count // 2, turns=0.3, motion=tg.Screw),
        moving_pairs(rng, count - count // 2, turns=0.3, scale_b=0.01, motion=tg.Screw),
    ]
    rows = []
    known = []
    for p in problems:
        found = find(p)
        known.append((found.status == tg.ImpactStatus.IMPACT) & (np.abs(found.time - p.contact) < 1e-6))
    total = int(sum(k.sum() for k in known))
    start = process_time()
    results = [find(p) for p in problems]
    spent = process_time() - start
    errors = np.concatenate([(r.time - p.contact)[k] for r, p, k in zip(results, problems, known)])
    rows.append(_row("tangency, 1e-9", errors, np.isfinite(errors), spent / count))
    try:
        import fcl
    except ImportError:
        return Table(
            "impact_time_peers", "Time of impact beside python-fcl", PEERS, rows, ("python-fcl is not installed.",)
        )
    advancement, naive = fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT, fcl.CCDSolverType.CCDC_NAIVE
    for name, solver, samples in (
        ("python-fcl, conservative advancement", advancement, 1000),
        ("python-fcl, 10 samples (its default)", naive, 10),
        ("python-fcl, 100 samples", naive, 100),
        ("python-fcl, 1000 samples", naive, 1000),
    ):
        parts, seconds = [], 0.0
        for p, sure in zip(problems, known):
            times, took = _fcl(fcl, p, np.flatnonzero(sure), solver, samples)
            parts.append(times - p.contact[sure])
            seconds += took
        errors = np.concatenate(parts)
        rows.append(_row(name, errors, np.isfinite(errors), seconds / total))
    remark = (
        "Half of the problems are bullets of a hundredth of the size of the other body. *Late*: by more than 1e-3 "
        "of the duration. A crash counts as missed."
    )
    return Table("impact_time_peers", "Time of impact beside python-fcl", PEERS, rows, (remark,))


def _row(name: str, errors: np.ndarray, found: np.ndarray, seconds: float) -> tuple[str, ...]:
    late = int((errors[found] > LATE).sum())
    largest = f"{np.abs(errors[found]).max():.1e}" if found.any() else "-"
    return name, str(len(errors)), str(int((~found).sum())), str(late), largest, digits(1e6 * seconds)


def _fcl(fcl: Any, p: MovingPairs, chosen: np.ndarray, solver: Any, samples: int) -> tuple[np.ndarray, float]:
    """Times of contact by python-fcl, infinite where it finds none, and the time that it took."""
    from .peers.fcl_ import _survives

    ask = fcl.ContinuousCollisionRequest(
        num_max_iterations=samples, ccd_motion_type=fcl.CCDMotionType.CCDM_SCREW, ccd_solver_type=solver
    )
    shared = np.frombuffer(mmap.mmap(-1, 8 * (len(chosen) + 2)))
    found, state = shared[2:], shared[:2]
    found[:] = np.inf
    begin, end = ([m.pose(t) for m in (p.motion_a, p.motion_b)] for t in (p.begin, p.end))

    def work() -> None:
        for i in range(int(state[0]), len(chosen)):
            state[0], k = i + 1, int(chosen[i])
            objects = [
                fcl.CollisionObject(fcl.Ellipsoid(*shape.radii[k]), fcl.Transform(turn[k], place[k]))  # type: ignore[attr-defined]
                for shape, (turn, place) in zip((p.a, p.b), begin)
            ]
            goals = [fcl.Transform(turn[k], place[k]) for turn, place in end]
            result = fcl.ContinuousCollisionResult()
            start = process_time()
            fcl.continuousCollide(objects[0], goals[0], objects[1], goals[1], ask, result)
            state[1] += process_time() - start
            if result.is_collide:
                found[i] = p.begin[k] + result.time_of_contact * (p.end[k] - p.begin[k])

    while not _survives(work) and state[0] < len(chosen):
        pass
    return found.copy(), float(state[1])
