"""A loop over many pairs, shared by several threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

LARGEST = 65536  # pairs that one thread answers at a time


def share(
    loop: Callable[[int, int], Any], count: int, least: int, threads: int | None,
    prepare: Callable[[int, int], None] | None = None,
) -> None:  # fmt: skip
    """Run a loop over `count` pairs in several threads, in portions of at least `least` pairs.

    The threads share nothing but the output, so that the answers cannot depend on their number.
    """

    def portion(start: int) -> None:
        stop = min(start + size, count)
        if prepare:
            prepare(start, stop)
        loop(start, stop)

    workers = min(threads or cores(), count // least) if count >= 2 * least else 1
    # A few portions for each thread, as one may be slower than another; large ones fall out of the caches.
    size = min(max(-(-count // (4 * workers)), least), LARGEST) if workers > 1 else LARGEST
    starts = range(0, count, size)
    if workers == 1:
        for start in starts:
            portion(start)
    else:
        list(_pool(workers).map(portion, starts))


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Threads are kept: to start them takes as long as a thousand contacts."""
    return ThreadPoolExecutor(workers, thread_name_prefix="tangency")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


def cores() -> int:
    """Processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
