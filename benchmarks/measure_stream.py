"""Ten million pairs in blocks: threads of one process, processes, and a local Dask cluster; time and memory.

python benchmarks/measure_stream.py               40 blocks of 250,000 pairs
python benchmarks/measure_stream.py 400           10^8 pairs
"""

from __future__ import annotations

import os
import resource
import sys
import time

import numpy as np

import tangency as tg
from tangency.interop.reducers import Counts, Extreme
from tangency.interop.stream import stream

PAIRS = 250_000
REDUCE = {"nearest": Extreme(3), "count": Counts()}


def pairs(rng: np.random.Generator, block: int) -> tuple:
    """Ellipsoids around a ball."""
    return tg.Ellipsoid(rng.uniform(1, 2, (PAIRS, 3))), tg.Sphere(1.0), None, (None, rng.uniform(-5, 5, (PAIRS, 3)))


def peak() -> float:
    """Largest memory of this process so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    from distributed import Client, LocalCluster

    stream(pairs, 1, REDUCE)
    start, first = time.perf_counter(), peak()
    alone = stream(pairs, blocks, REDUCE)
    threads = time.perf_counter() - start
    each = 1e9 * threads / blocks / PAIRS
    print(f"{blocks * PAIRS:.3g} pairs, {os.cpu_count()} threads: {threads:.2f} s, {each:.0f} ns per pair; ", end="")
    print(f"memory {first:.0f} MB after one block, {peak():.0f} at the end")
    options = {"n_workers": os.cpu_count(), "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": ":0"}
    with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
        client.run(lambda: stream(pairs, 1, REDUCE))
        before = max(client.run(peak).values())
        start = time.perf_counter()
        found = stream(pairs, blocks, REDUCE, client=client)
        took = time.perf_counter() - start
        after = max(client.run(peak).values())
        print(f"a Dask cluster of {os.cpu_count()} processes: {took:.2f} s, {took / threads:.2f} times that; ", end="")
        print(f"memory of a worker {before:.0f} MB after one block, {after:.0f} at the end; ", end="")
        print("the same bits" if repr(found) == repr(alone) else "OTHER RESULTS")


if __name__ == "__main__":
    main()
