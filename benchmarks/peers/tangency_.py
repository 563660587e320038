"""tangency, as one call on the stack and pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg

from ..clock import seconds
from ..engine import Engine, Query, Run
from ..problems import Pairs

TOLERANCE = 1e-12


def stack(pairs: Pairs, threads: int = 1) -> Query:
    """One `tg.contact` for all pairs.  Timed: everything but the construction of the two stacks."""
    a, b = pairs.bodies()
    pose_b = (pairs.rotation, pairs.position)

    def query() -> Run:
        start = seconds()
        c = tg.contact(a, b, None, pose_b, tol=TOLERANCE, threads=threads)
        return _run(seconds() - start, c)

    return query


def stack_from_arrays(pairs: Pairs) -> Query:
    """The same, with the construction of the two stacks timed as well."""
    pose_b = (pairs.rotation, pairs.position)

    def query() -> Run:
        start = seconds()
        c = tg.contact(*pairs.bodies(), None, pose_b, tol=TOLERANCE, threads=1)
        return _run(seconds() - start, c)

    return query


POSES: dict[str, Callable] = {  # from 4x4 matrices
    "4x4": lambda pose: pose,
    "(Rotation, t)": lambda pose: (Rotation.from_matrix(pose[:3, :3]), pose[:3, 3].copy()),
    "RigidTransform": lambda pose: RigidTransform.from_matrix(pose),
}


def single(pairs: Pairs, form: str = "4x4") -> Query:
    """A Python loop, one `tg.contact` per pair, with poses of one form."""
    a, b = pairs.bodies()
    arguments = [(a[i], b[i], POSES[form](pose)) for i, pose in enumerate(pairs.poses())]
    contact = tg.contact

    def query() -> Run:
        start = seconds()
        for body_a, body_b, pose in arguments:
            contact(body_a, body_b, None, pose)
        elapsed = seconds() - start
        return _gathered(elapsed, [contact(body_a, body_b, None, pose) for body_a, body_b, pose in arguments])

    return query


def prepared(pairs: Pairs) -> Query:
    """A Python loop over `tg.Pair` objects, with 4x4 poses."""
    a, b = pairs.bodies()
    pair: Callable = tg.Pair  # type: ignore[attr-defined]
    arguments = [(pair(a[i], b[i]), pose) for i, pose in enumerate(pairs.poses())]

    def query() -> Run:
        start = seconds()
        for call, pose in arguments:
            call(None, pose)
        elapsed = seconds() - start
        return _gathered(elapsed, [call(None, pose) for call, pose in arguments])

    return query


def _gathered(elapsed: float, found: list[tg.Contact]) -> Run:
    distance, lower, upper = (np.array([float(getattr(c, f)) for c in found]) for f in ("distance", "lower", "upper"))
    return Run(elapsed, distance, lower, upper, np.array([bool(c.converged) for c in found]))


def _run(elapsed: float, c: tg.Contact) -> Run:
    return Run(elapsed, c.distance, c.lower, c.upper, c.converged)


def engines() -> list[Engine]:
    found = [
        Engine("tangency, stack, 1 thread", partial(stack, threads=1)),
        Engine("tangency, pair by pair", single, slow=4),
    ]
    if hasattr(tg, "Pair"):
        found.append(Engine("tangency, `tg.Pair`", prepared))
    return found
