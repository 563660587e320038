"""Gradients of the distance by differences of an engine's distances, as its users compute them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

from ..engine import Engine
from ..problems import Pairs, ellipsoids
from . import pairs as random
from .audit import oracle_of
from .oracle import Shift

GAPS = (1.0, 1e-2, 1e-4, 1e-8, 0.0, -1e-2)
STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
WRONG = 0.1  # relative error of a useless gradient
LEFT_OUT = "tangency", "Coal, C++", "distance3d"  # the names begin so: the same numbers as from Python; too slow


def turned(pairs: Pairs, twist: np.ndarray) -> Pairs:
    """B moved by a hybrid twist."""
    rotation = Rotation.from_rotvec(twist[3:]).as_matrix() @ pairs.rotation
    return replace(pairs, rotation=rotation, position=pairs.position + twist[:3])


def exact(pairs: Pairs) -> tuple[np.ndarray, tg.Contact]:
    """Gradients (N, 6) by the pose of B, from the oracle; the contacts."""
    a, b = pairs.bodies()
    count = len(pairs)
    still = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
    pair = random.Pairs(a, b, still, (pairs.rotation, pairs.position), np.full(count, 2.0 * pairs.size))
    c = tg.contact(a, b, None, (pairs.rotation, pairs.position))
    oracle = oracle_of(pair, c)
    columns = []
    for axis in np.eye(6):
        twists = np.zeros((count, 6)), np.tile(axis, (count, 1))
        columns.append(oracle.along(Shift(twists, oracle.still.changes))[0].first["distance"][:, 0])
    return np.stack(columns, axis=-1), c


def differenced(engine: Engine, pairs: Pairs, step: float) -> np.ndarray:
    """Gradients (N, 6) by central differences; NaN where the engine gave no answer."""
    columns = []
    for axis in np.eye(6):
        up, down = (engine.prepare(turned(pairs, sign * step * axis))() for sign in (1.0, -1.0))
        good = up.answered & down.answered
        columns.append(np.where(good, up.distance - down.distance, np.nan) / (2.0 * step))
    return np.stack(columns, axis=-1)


def relative(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Errors (N,) relative to the length of the gradient."""
    return np.linalg.norm(found - truth, axis=-1) / np.linalg.norm(truth, axis=-1)


def rows(engine: Engine | None, count: int) -> list[tuple[str, ...]]:
    """One row per gap: the best step, median and largest error, useless gradients; None is tangency, analytic."""
    made = []
    for gap in GAPS:
        pairs = ellipsoids(np.random.default_rng(7), count, gap, 1.0)
        truth, c = exact(pairs)
        if engine is None:
            step, error = "exact", relative(c.jacobian("distance", "pose_b"), truth)
        else:
            errors = {h: np.nan_to_num(relative(differenced(engine, pairs, h), truth), nan=np.inf) for h in STEPS}
            best = min(errors, key=lambda h: float(np.median(errors[h])))
            step, error = f"{best:.0e}", errors[best]
        name = "tangency, analytic" if engine is None else engine.name
        largest = f"{error.max():.0e}" if error.max() < np.inf else "no answer"
        made.append((name, f"{gap:g}", step, f"{np.median(error):.0e}", largest, str(int((error > WRONG).sum()))))
    return made
