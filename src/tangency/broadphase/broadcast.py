"""Broadcasting shared by all queries: the bodies and poses of pair k."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiled.jit import plain_rows
from ..compiled.threads import share
from ..geometry.pose import PoseLike, draft
from ..io import validate
from ..shapes.shape import Shape
from ..solvers.question import pick
from ..solvers.tables import Parameters

MIN_PAIRS_PER_THREAD = 16384  # minimum number of pairs per thread


def ask(
    loop: Callable,
    rows: Callable[[Shape, str], np.ndarray],
    a: Shape,
    b: Shape,
    pose_a: PoseLike,
    pose_b: PoseLike,
    out: tuple[int, ...],
    kind: type,
    *options: object,
) -> np.ndarray:
    """Run ``loop(a, b, *options, start, stop, answer)`` over all pairs.

    `rows(shape, name)` returns the loop's data about each body of a stack; the loop gets the `Parameters` of
    both sides.  The result has the broadcast shape followed by `out`.
    """
    sides: list[Any] = []
    shapes: dict[str, tuple[int, ...]] = {}
    for shape, pose, name in ((a, pose_a, "a"), (b, pose_b, "b")):
        table = rows(shape, name)
        poses = draft(pose, f"pose_{name}").filled()
        shapes |= {name: shape.batch_shape, f"pose_{name}": poses.shape}
        sides.append((shape.batch_shape, table, poses))
    batch = validate.broadcast(shapes)
    first, second = (
        Parameters(table, pick(own, batch), poses.rows, pick(poses.shape, batch)) for own, table, poses in sides
    )
    count = math.prod(batch)
    answer: np.ndarray = np.empty((count, *out), kind)
    share(lambda start, stop: loop(first, second, *options, start, stop, answer), count, MIN_PAIRS_PER_THREAD, None)
    return answer.reshape((*batch, *out))


def table(shape: Shape, *columns: np.ndarray) -> np.ndarray:
    """Table of the columns (..., c) of the bodies of a stack, one row each."""
    parts = [np.broadcast_to(column, (*shape.batch_shape, column.shape[-1])) for column in columns]
    joined = np.concatenate(parts, axis=-1)
    return plain_rows(joined, (-1, joined.shape[-1]))
