"""Best of several rounds, the competitors taking turns."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import TypeVar

from .engine import Query, Run

ROUNDS = 5

Name = TypeVar("Name")


def best(queries: Mapping[Name, Query], rounds: int = ROUNDS) -> dict[Name, Run]:
    """The fastest run of each query.

    One run of each, then the next round: noise of a shared machine hits all of them.  A run before the
    rounds is not counted (compilation, caches).
    """
    for query in queries.values():
        query()
    fastest: dict[Name, Run] = {}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, query in queries.items():
                run = query()
                if name not in fastest or run.seconds < fastest[name].seconds:
                    fastest[name] = run
    finally:
        gc.enable()
    return fastest
