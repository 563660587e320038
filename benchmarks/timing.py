"""Best of several rounds in which the engines take turns."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from .engine import Query, Run

ROUNDS = 5
TURN = 0.1  # shortest duration of a turn [s]

Name = TypeVar("Name")


def best(queries: Mapping[Name, Query], rounds: int = ROUNDS) -> dict[Name, Run]:
    """The fastest turn of each query.

    Each round has one turn per query, so noise on a shared machine affects all of them.  A turn lasts 0.1 s or one run,
    whichever is longer, and counts with the mean of its runs, so short queries gain no advantage from the best of many
    runs.  One run before the rounds is not counted (compilation, caches).
    """
    for query in queries.values():
        query()
    fastest: dict[Name, Run] = {}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, query in queries.items():
                run = _turn(query)
                if name not in fastest or run.seconds < fastest[name].seconds:
                    fastest[name] = run
    finally:
        gc.enable()
    return fastest


def _turn(query: Query) -> Run:
    run = query()
    total, runs = run.seconds, 1
    while total < TURN:
        total, runs = total + query().seconds, runs + 1
    return replace(run, seconds=total / runs)
