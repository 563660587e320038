"""Lopes thesis, Table 5.3 (Lopes 2010, Table 5): Newton iterations for pairs of ellipsoids in motion."""

from __future__ import annotations

from ..io.progress import Progress
from ..shapes import Ellipsoid
from .lopes_motion import NOTES, Pair, table
from .study import Result, Study

ANGLE = 14.4  # degrees per step: 8 turns in 200 steps
DIAGONAL = (1.0, 1.0, 1.0)

PAIRS = (
    Pair(Ellipsoid([3, 3, 3]), Ellipsoid([0.5, 0.5, 0.5]), (1, 0, 0), (5, 0, 0), True, (989, 983)),
    Pair(Ellipsoid([3, 3, 3]), Ellipsoid([0.5, 0.5, 0.5]), DIAGONAL, (5, 0, 0), False, (853, 802)),
    Pair(Ellipsoid([5, 5, 2]), Ellipsoid([5, 5, 2]), DIAGONAL, (12, 0, 0), False, (977, 1005)),
    Pair(Ellipsoid([1, 5, 5]), Ellipsoid([5, 1, 5]), DIAGONAL, (12, 0, 0), False, (956, 1007)),
)


def run(size: int, seed: int, progress: Progress) -> Result:
    """All pairs, `size` steps each; the study is deterministic."""
    notes = (
        *NOTES,
        "Positions of B: (5, 0, 0) m for pairs 1 (which then orbits) and 2, (12, 0, 0) m for pairs 3 and 4. In pair "
        "2 the contact point of A lies on its axis of rotation and does not move, so this pair needs the fewest "
        "iterations, as printed.",
    )
    return table(PAIRS, ("householder", "auxiliary"), ANGLE, size, progress, notes)


STUDY = Study(
    "lopes-table5.3",
    "Lopes thesis, Table 5.3: Newton iterations for moving ellipsoids",
    run,
    200,
    "steps",
    duration="2 s",
)
