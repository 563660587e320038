"""Status of a contact query, and the memory layout of a contact in compiled code."""

from __future__ import annotations

from enum import IntEnum

VALUES = 9  # numbers per contact: distance, lower, upper, normal, point_a
CODES = 2  # integers per contact: status, evaluations; a third row, iterations, if those differ
LEFT = -1  # internal: a pair that the fast solver could not finish
CLAIMED = -2  # internal: a common normal, not yet checked
DOUBTED = -3  # internal: a common normal that is not proved to be the right one


class Status(IntEnum):
    """How a query ended; ``status.message`` is a sentence.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.Status(0).name
    'APART'
    """

    APART = 0
    OVERLAP_PROVED = 1
    OVERLAP = 2
    OVERLAP_FOLLOWED = 3
    SEARCHED = 4
    BEYOND = 5
    NOT_CONVERGED = 6
    NOT_A_NUMBER = 7
    OTHER_NORMAL = 8
    BROKE_DOWN = 9
    NO_COMMON_NORMAL = 10

    @property
    def message(self) -> str:
        """What happened, and what to try next."""
        return _MESSAGES[self]

    @property
    def converged(self) -> bool:
        """Whether the result has the requested accuracy."""
        return self <= Status.BEYOND


_MESSAGES = {
    Status.APART: "Apart or touching: the distance is proved to lie between lower and upper.",
    Status.OVERLAP_PROVED: (
        "Overlap: the depth is proved to lie between lower and upper; no shorter separating translation exists, and in "
        "a cavity no point lies deeper in the wall."
    ),
    Status.OVERLAP: (
        "Overlap: the depth is the best of a global search; a shorter separating translation is excluded only up "
        "to the bound upper."
    ),
    Status.OVERLAP_FOLLOWED: (
        "Overlap: the common normal closest to the guess; omit guess to search for a shorter separating translation."
    ),
    Status.SEARCHED: (
        "In a cavity: the nearest point of the wall found by a search of all directions; a nearer one is excluded "
        "only down to the bound lower."
    ),
    Status.BEYOND: "Farther apart than max_distance: use only lower and upper.",
    Status.NOT_CONVERGED: (
        "The evaluations or iterations ran out, or the result is less accurate than requested; lower and upper are "
        "still valid. Try a larger tol, or, if a solver was named, another guess or the default solver; if a shape is "
        "user-defined, run tangency.check on it."
    ),
    Status.NOT_A_NUMBER: "A shape returned a value that is not a finite number: run tangency.check on it.",
    Status.OTHER_NORMAL: (
        "A common normal, but not that of the distance or depth, which lies between lower and upper. Try another "
        "guess or the default solver."
    ),
    Status.BROKE_DOWN: (
        "The method broke down: its equations became singular or an iterate diverged; lower and upper are still "
        "valid. Try another guess or the default solver."
    ),
    Status.NO_COMMON_NORMAL: (
        "The method ended at points of both surfaces that have no common normal; lower and upper are still valid. "
        "Try other constraints, another guess or the default solver."
    ),
}
