"""Time of derivatives beside that of the contacts themselves, for a stack of ellipsoids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import tangency as tg

from ..clock import seconds
from ..engine import Query, Run
from ..problems import study_a
from ..timing import best

ASKED = {"first": 40, "second": 150}  # largest share of the time of the contacts, per cent


def rows(count: int) -> list[tuple[str, ...]]:
    """What, nanoseconds, per cent of the contacts, what is asked for."""
    pairs = study_a(np.random.default_rng(0), count)
    a, b = pairs.bodies()
    poses = pairs.rotation, pairs.position
    contacts = tg.contact(a, b, None, poses)
    queries = {"contact": _timed(lambda: tg.contact(a, b, None, poses))}
    for of in ("distance", "normal", "point_a", "point_b"):
        queries[f"Jacobian of {of}"] = _timed(lambda of=of: contacts.jacobian(of, "pose_b"))
    for by in (("pose_b", "pose_b"), ("pose_a", "pose_b")):
        queries[f"Hessian by {by[0]}, {by[1]}"] = _timed(lambda by=by: contacts.hessian(by))
    runs = best(queries)
    made = []
    for name, run in runs.items():
        order = {"J": "first", "H": "second"}.get(name[0])
        share = 100.0 * run.seconds / runs["contact"].seconds
        made.append(
            (name, f"{1e9 * run.seconds / count:.0f}", f"{share:.0f} %", f"<= {ASKED[order]} %" if order else "")
        )
    return made


def _timed(call: Callable[[], object]) -> Query:
    def query() -> Run:
        start = seconds()
        call()
        return Run(seconds() - start, np.zeros(1))

    return query
