"""Status of a time of impact, and the memory layout of its results in compiled code."""

from __future__ import annotations

from enum import IntEnum

IMPACT_VALUES = 7  # numbers per result: time, lower, upper, normal, tolerance
IMPACT_CODES = 2  # integers per result: status, evaluations
AT_START = -1  # internal: a pair that may touch or overlap at the start


class ImpactStatus(IntEnum):
    """How a search for the first contact ended; ``status.message`` is a sentence.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.ImpactStatus(0).name
    'IMPACT'
    """

    IMPACT = 0
    TOUCH = 1
    FREE = 2
    TOUCHING_AT_START = 3
    OVERLAPPING_AT_START = 4
    NOT_CONVERGED = 5
    NOT_A_NUMBER = 6

    @property
    def message(self) -> str:
        """What happened, and what to try next."""
        return _MESSAGES[self]

    @property
    def hit(self) -> bool:
        """Whether the bodies touch or overlap at some time."""
        return self in (
            ImpactStatus.IMPACT,
            ImpactStatus.TOUCH,
            ImpactStatus.TOUCHING_AT_START,
            ImpactStatus.OVERLAPPING_AT_START,
        )

    @property
    def converged(self) -> bool:
        """Whether the question is answered."""
        return self < ImpactStatus.NOT_CONVERGED


_MESSAGES = {
    ImpactStatus.IMPACT: (
        "Impact: the bodies are proved to be apart until lower and to overlap at upper; the first contact lies between."
    ),
    ImpactStatus.TOUCH: (
        "Touch: the bodies are proved to be apart until lower, and closer than the tolerance at upper; an overlap was "
        "not proved, as when they graze each other or meet at two corners."
    ),
    ImpactStatus.FREE: "Free: the bodies are proved to be apart from t0 to t1.",
    ImpactStatus.TOUCHING_AT_START: (
        "Touching at the start: the bodies are within the tolerance of touching at t0. If they separate then, start "
        "later."
    ),
    ImpactStatus.OVERLAPPING_AT_START: "Overlapping at the start: the bodies overlap by more than the tolerance at t0.",
    ImpactStatus.NOT_CONVERGED: (
        "The evaluations ran out: the bodies are proved to be apart until lower, and nothing is known of later times. "
        "Try a larger max_evaluations or tol, or a tighter bound on the speed of a motion."
    ),
    ImpactStatus.NOT_A_NUMBER: (
        "A shape returned a value that is not a finite number: run tangency.check on it. The bodies are proved to be "
        "apart until lower."
    ),
}
