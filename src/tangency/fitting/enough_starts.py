"""How many starts are enough: local searches from random starts, until a further one is unlikely to bring anything new.

If n searches from independent random starts ended in w different minima, a further one ends in a minimum that was
not yet seen with the probability w (w + 1) / (n (n - 1)), for a uniform prior on the shares of the minima (Boender and
Rinnooy Kan: Bayesian stopping rules for multistart global optimization methods, 1987).  How many starts are made thus
follows from the cloud and the model.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

from .problem import Solution, State

UNSEEN = 0.05  # probability of a new minimum at which the search ends
AT_ONCE = 8  # starts between two looks at the probability
SAME_MINIMUM = 1e-3  # relative difference of the costs of searches that ended in the same minimum
BY_CHANCE = 0.02  # relative difference of costs that may be due to the choice of points: not worth further starts


def minima(found: Iterable[Solution], within: float = SAME_MINIMUM) -> list[Solution]:
    """The different minima in which searches ended, the best first; each represented by its lowest cost."""
    different: list[Solution] = []
    for one in sorted(found, key=lambda solution: solution.cost):
        # What another step would gain is not yet a difference.
        if not different or one.cost * (1.0 - one.gain) > different[-1].cost * (1.0 + within):
            different.append(one)
    return different


def unseen(starts: int, different: int) -> float:
    """Probability that a further random start leads to a minimum that no other one led to."""
    return min(1.0, different * (different + 1) / (starts * (starts - 1))) if starts > 1 else 1.0


def until_nothing_new(
    starts: Iterable[State], solve: Callable[[State], Solution], enough: float = 0.0
) -> list[Solution]:
    """The minima found from random starts, taken until a new one is unlikely or none is left.

    A cost of `enough` or less needs no further starts.
    """
    found: list[Solution] = []
    left = iter(starts)
    while some := list(itertools.islice(left, AT_ONCE)):
        found += [solve(start) for start in some]
        if unseen(len(found), len(minima(found, BY_CHANCE))) <= UNSEEN or min(one.cost for one in found) <= enough:
            break
    return minima(found)
