"""Choice of the search for first contacts: compiled for steady motions, step by step for all others."""

from __future__ import annotations

from ..motions.steady import SteadyMotion
from .impact_search import Found, Search, find, room_for_impacts
from .impact_stepwise import find_stepwise


def answered(searches: list[Search], count: int) -> Found:
    """The first contacts of all pairs, `count` in all, of some searches."""
    found = room_for_impacts(count)
    for search in searches:
        steady = all(isinstance(moving.motion, SteadyMotion) for moving in (search.a, search.b))
        (find if steady else find_stepwise)(search, found)
    return found
