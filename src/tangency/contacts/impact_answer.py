"""Choice of the search for first contacts: compiled for steady motions, step by step for all others and in cavities."""

from __future__ import annotations

from ..motions.steady import SteadyMotion
from ..shapes.cavity import Cavity
from .impact_search import Found, Search, find, room_for_impacts
from .impact_stepwise import find_stepwise


def answered(searches: list[Search], count: int) -> Found:
    """The first contacts of all pairs, `count` in all, of some searches."""
    found = room_for_impacts(count)
    for search in searches:
        sides = search.a, search.b
        steady = all(isinstance(moving.motion, SteadyMotion) for moving in sides)
        hollow = any(issubclass(moving.side.kind, Cavity) for moving in sides)
        (find if steady and not hollow else find_stepwise)(search, found)
    return found
