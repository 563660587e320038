"""python-fcl, in child processes: on some overlapping pairs it crashes the Python process.

FCL throws an uncaught C++ exception ("The origin is outside of the polytope"), or reads invalid memory.  Such a pair
counts as a missing result.  Whether it crashes also depends on what the process has done before, so the timed loop
also runs in child processes, part by part.
"""

from __future__ import annotations

import mmap
import os
import warnings
from collections.abc import Callable

import fcl
import numpy as np

from ..clock import seconds
from ..engine import Engine, Missing, Query, Run
from ..problems import Pairs

PART = 20  # pairs timed together


def _survives(work: Callable[[], None]) -> bool:
    """Whether `work` finishes in a child process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads: the child uses none of them
        child = os.fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def loop(pairs: Pairs) -> Query:
    """Timed: `fcl.distance` with signed distance and nearest points."""
    ask = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True)
    objects_a = [fcl.CollisionObject(fcl.Ellipsoid(*radii)) for radii in pairs.radii_a]
    objects_b = [
        fcl.CollisionObject(fcl.Ellipsoid(*radii), fcl.Transform(turn, place))
        for radii, turn, place in zip(pairs.radii_b, pairs.rotation, pairs.position)
    ]
    count = len(pairs)
    shared = np.frombuffer(mmap.mmap(-1, 8 * (count + 3)))  # shared by parent and child
    found, state = shared[:count], shared[count:]
    found[:] = np.nan

    def answer() -> None:
        for i in range(int(state[0]), count):
            state[0] = i + 1
            found[i] = fcl.distance(objects_a[i], objects_b[i], ask, fcl.DistanceResult())

    while not _survives(answer):
        pass
    distances = found.copy()

    def timed() -> None:
        for first in range(int(state[0]), count, PART):
            state[0] = first + PART
            part = list(zip(objects_a[first : first + PART], objects_b[first : first + PART]))
            start = seconds()
            for a, b in part:
                fcl.distance(a, b, ask, fcl.DistanceResult())
            state[1] += seconds() - start
            state[2] += len(part)

    def query() -> Run:
        state[:] = 0.0
        while not _survives(timed):
            pass
        # Pairs in parts that did not finish count with the mean time of the others.
        return Run(float(state[1] * count / max(1.0, state[2])), distances)

    return query


def engines() -> list[Engine]:
    if not hasattr(os, "fork"):
        raise Missing("python-fcl is left out: it can end the process, and this system has no fork to contain that.")
    return [Engine("python-fcl (1e-6)", loop)]
