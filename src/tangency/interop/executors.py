"""Many independent calls of one function: in this process, in several processes, or on a Dask cluster.

The order in which the results arrive differs from one run to the next; each comes with the number of its item.  A
worker that dies takes only its current items with it, which are called again.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context
from typing import Any

ATTEMPTS = 5  # deaths of a process with the same item, after which the item is blamed
AHEAD = 2  # items that wait for each worker, so that none is idle
PATIENCE = 60.0  # time without any worker after which a cluster is given up [s]
LOOK = 2.0  # time between two looks at the cluster [s]


def completed(
    function: Callable[[Any], Any], items: Sequence[Any], *, client: Any = None, workers: int | None = None
) -> Iterator[tuple[int, Any]]:
    """Numbers of items and results of ``function(item)``, as they are completed.

    Parameters
    ----------
    function : callable
        With `client` or `workers`, it and the items must be picklable.
    items : sequence
    client : distributed.Client or str, optional
        A Dask cluster, or the address of its scheduler.
    workers : int, optional
        Number of processes on this machine; default none, all calls happen in this process.
    """
    if client is not None and workers is not None:
        raise ValueError(f"client and workers must not both be given, got workers={workers!r}")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ValueError(f"workers must be a whole number >= 1, got {workers!r}")
    if client is not None:
        yield from _on_cluster(function, items, client)
    elif workers is not None:
        yield from _in_processes(function, items, workers)
    else:
        for number, item in enumerate(items):
            yield number, function(item)


def _in_processes(function: Callable, items: Sequence[Any], workers: int) -> Iterator[tuple[int, Any]]:
    function = _portable(function)
    left, deaths = dict.fromkeys(range(len(items))), [0] * len(items)  # a dict, for its order
    while left:
        # Not forked: threads and compiled code do not survive a fork.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            waiting = iter(list(left))
            running: dict[Any, int] = {}

            def submit(count: int, pool: Any = pool, waiting: Any = waiting, running: Any = running) -> None:
                for _, number in zip(range(count), waiting):
                    running[pool.submit(function, items[number])] = number

            try:
                submit(AHEAD * workers)
                while running:
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        number = running.pop(future)
                        try:
                            result = future.result()
                        except BrokenProcessPool:
                            running[future] = number
                            raise
                        del left[number]
                        yield number, result
                    submit(len(done))
            except BrokenProcessPool:
                for number in running.values():
                    deaths[number] += 1
                worst = max(running.values(), key=deaths.__getitem__)
                if deaths[worst] >= ATTEMPTS:
                    raise RuntimeError(
                        f"processes keep dying at item {worst}, {items[worst]!r:.200}: not enough memory, or a crash"
                    ) from None


class _Sent:
    """A function as bytes, read once in every process."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __call__(self, item: Any) -> Any:
        return _read(self.data)(item)


@lru_cache(maxsize=1)
def _read(data: bytes) -> Callable[[Any], Any]:
    return pickle.loads(data)


def _portable(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that a new process can read, also if it was defined in a notebook."""
    script = getattr(sys.modules["__main__"], "__file__", None)
    if script is not None and not os.path.exists(script):
        raise RuntimeError(
            f"workers need a program in a file, which they can read, got {script}: save it, or leave out workers"
        )
    try:
        import cloudpickle
    except ImportError:
        if script is None and b"__main__" in pickle.dumps(function):
            text = "functions and classes defined interactively need cloudpickle to travel to other processes"
            raise ImportError(f"{text}: install tangency[dask], or define them in a module") from None
        return function
    return _Sent(cloudpickle.dumps(function))


def client_of(client: Any) -> tuple[Any, bool]:
    """A Dask client, and whether it was opened here from an address."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError(f"a cluster needs Dask, install tangency[dask] ({error})") from None
    if isinstance(client, Client):
        return client, False
    if not isinstance(client, str):
        raise TypeError(f"client must be a distributed.Client or the address of a scheduler, got {client!r}")
    try:
        return Client(client, timeout="20s"), True
    except (OSError, TimeoutError, ValueError) as error:
        what = f"the address of a running Dask scheduler, got {client!r}: {error}"
        raise ConnectionError(f"client must be {what}") from None


def _on_cluster(function: Callable, items: Sequence[Any], client: Any) -> Iterator[tuple[int, Any]]:
    from distributed import KilledWorker
    from distributed import wait as wait_for

    client, own = client_of(client)
    futures: dict[Any, int] = {}
    try:
        waiting, alone = iter(range(len(items))), time.monotonic()

        def submit() -> None:
            count = AHEAD * max(sum(client.nthreads().values()), 1) - len(futures)
            for _, number in zip(range(count), waiting):
                futures[client.submit(function, items[number], pure=False)] = number

        submit()
        while futures:
            try:
                done = wait_for(list(futures), timeout=LOOK, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                done = set()
            for future in done:
                number = futures.pop(future)
                try:
                    result = future.result()
                except KilledWorker as error:
                    raise RuntimeError(
                        f"workers keep dying at item {number}, {items[number]!r:.200}: {error}"
                    ) from None
                yield number, result
            if client.status != "running":
                raise RuntimeError(f"the connection to the Dask scheduler was lost; {len(items)} items were asked for")
            if done or client.nthreads():
                alone = time.monotonic()
            elif time.monotonic() - alone > PATIENCE:
                raise RuntimeError(f"the Dask cluster has had no worker for {PATIENCE:g} s: start some, and resume")
            submit()
    finally:
        client.cancel(list(futures))
        if own:
            client.close()
