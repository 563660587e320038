"""A loop over many pairs, shared by several threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

MAX_PAIRS_AT_ONCE = 16384  # most pairs that one thread processes at a time: about what the caches hold


def share(
    loop: Callable[[int, int], Any],
    count: int,
    least: int,
    threads: int | None,
    prepare: Callable[[int, int], None] | None = None,
) -> None:
    """Run a loop over `count` pairs in several threads, in portions of at least `least` pairs.

    The threads share only the output, so the results cannot depend on their number.
    """
    workers = min(threads or cores(), count // least) if count >= 2 * least else 1
    portions = iter(_portions(count, least, workers))  # shared: each thread takes the next one when it is ready
    failed: dict[int, BaseException] = {}

    def work() -> None:
        for start, stop in portions:
            if failed:
                return
            try:
                if prepare:
                    prepare(start, stop)
                loop(start, stop)
            except BaseException as error:
                failed[start] = error

    # The calling thread works as well: waking another one takes as long as a hundred contacts.
    others = [_pool(workers - 1).submit(work) for _ in range(workers - 1)]
    work()
    for other in others:
        if not other.cancel():
            other.result()
    if failed:
        raise failed[min(failed)]


def _portions(count: int, least: int, workers: int) -> list[tuple[int, int]]:
    """Where portions start and end: smaller and smaller ones, so that all threads end at nearly the same time."""
    found, start, smallest = [], 0, max(least, count // (32 * workers)) if workers > 1 else MAX_PAIRS_AT_ONCE
    while start < count:
        size = min(max((count - start) // (3 * workers), smallest), MAX_PAIRS_AT_ONCE)  # larger ones leave the caches
        found.append((start, min(start + size, count)))
        start += size
    return found


def shared_by(loop: Callable[[int, int, int], Any], count: int, threads: int) -> None:
    """Run ``loop(part, start, stop)`` over `count` items in `threads` equal parts, the first in the calling thread."""
    parts = max(1, min(threads, count))
    edges = [count * k // parts for k in range(parts + 1)]
    others = [_pool(parts - 1).submit(loop, k, edges[k], edges[k + 1]) for k in range(1, parts)]
    try:
        loop(0, edges[0], edges[1])
    finally:
        for other in others:
            other.result()


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Thread pool, kept for reuse: starting threads takes as long as a thousand contacts."""
    return ThreadPoolExecutor(workers, thread_name_prefix="tangency")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


def cores() -> int:
    """Number of processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
