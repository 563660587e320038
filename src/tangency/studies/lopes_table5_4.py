"""Lopes thesis, Table 5.4 (Lopes 2010, Table 6): Newton iterations for pairs of superellipsoids in motion.

The superellipsoids are those of Eq. (5.37), with three exponents: :class:`tangency.PowerEllipsoid`.
"""

from __future__ import annotations

from ..io.progress import Progress
from ..shapes import PowerEllipsoid
from .lopes_motion import NOTES, Pair, table
from .study import Result, Study

ANGLE = 20.0  # degrees per step


def _power(radii: tuple[float, float, float], exponent: float) -> PowerEllipsoid:
    return PowerEllipsoid(radii, [exponent] * 3)


PAIRS = (
    Pair(_power((1.0, 1.0, 1.0), 2.4), _power((1.5, 2.1, 1.9), 3.0), (1, 1, 1), (4, 2, 1), False, (1085,)),
    Pair(_power((0.4, 1.1, 1.1), 3.2), _power((1.0, 1.0, 0.4), 3.2), (0, 0, 1), (2, 2, 1), False, (1632,)),
    Pair(_power((4.1, 1.1, 1.1), 2.5), _power((1.0, 1.0, 4.0), 3.2), (0, 0, 1), (1, 3, 1), False, (1074,)),
)


def run(size: int, seed: int, progress: Progress) -> Result:
    """All pairs, `size` steps each; the study is deterministic."""
    notes = (
        *NOTES,
        "Positions of B: (4, 2, 1), (2, 2, 1) and (1, 3, 1) m. The printed 8 iterations per step of pair 2 are not "
        "reproduced. More are needed when contact points pass through flat places, where the Hessian vanishes: with "
        "B on an axis of A, (3, 0, 0) m for pair 2 or (0, 3, 0) m for pair 3, the points of one step are no longer "
        "a sufficient start for the next.",
    )
    return table(PAIRS, ("householder",), ANGLE, size, progress, notes)


STUDY = Study(
    "lopes-table5.4",
    "Lopes thesis, Table 5.4: Newton iterations for moving superellipsoids",
    run,
    200,
    "steps",
    duration="1 s",
)
