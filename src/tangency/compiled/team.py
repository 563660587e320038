"""Threads that take the steps of one loop together: they share the items of a phase and wait for each other after it.

A loop of short steps cannot return to Python after every phase: that takes longer than the phase.  So each thread runs
the whole compiled loop.  In a phase it takes the next item that nobody has taken (`next_item`); at its end all threads
`meet`.  What only one thread may do is done by thread 0, between two meetings.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .jit import uncounted

# Whole numbers that the threads share, each in a cache line of its own: how many have arrived at a meeting, how many
# meetings there were, and the next item.
_ARRIVED, _MEETINGS, _NEXT = 0, 8, 16
_SHARED = 24
# Looks at the number of meetings before a thread sleeps, some tens of microseconds, and how long it sleeps at least
# [us]: where other programs use the cores, a thread that only gave way would take most of their time by asking again.
_PATIENCE, _NAP = 20_000, 20


class Team(NamedTuple):
    """One of several threads."""

    number: int
    size: int
    shared: np.ndarray
    sleep: int  #: address of a C function that sleeps for so many microseconds, or 0


@intrinsic
def _add(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Add to ``array[index]`` in one operation, and return its old value; all threads see this and what was before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", builder.gep(data, [args[1]]), args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), codegen


@intrinsic
def _look(typingctx: Any, array: Any, index: Any) -> Any:
    """``array[index]``, which other threads may change at any time."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load_atomic(builder.gep(data, [args[1]]), "seq_cst", 8)

    return types.int64(array, types.intp), codegen


@intrinsic
def _call(typingctx: Any, address: Any, argument: Any) -> Any:
    """Call a C function with one small number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = ir.IntType(32)
        function = builder.inttoptr(args[0], ir.FunctionType(whole, [whole]).as_pointer())
        return builder.sext(builder.call(function, [builder.trunc(args[1], whole)]), ir.IntType(64))

    return types.int64(types.int64, types.int64), codegen


@uncounted
def next_item(team):
    """The next item that no thread has taken since the last meeting: 0, 1, 2 ..."""
    return _add(team.shared, _NEXT, 1)


@uncounted
def meet(team):
    """Wait until all threads are here; what each has written is then seen by all."""
    shared, meetings = team.shared, _look(team.shared, _MEETINGS)
    if _add(shared, _ARRIVED, 1) == team.size - 1:
        _add(shared, _ARRIVED, -team.size)
        _add(shared, _NEXT, -_look(shared, _NEXT))
        _add(shared, _MEETINGS, 1)
        return
    looks = 0
    while _look(shared, _MEETINGS) == meetings:
        looks += 1
        if looks > _PATIENCE and team.sleep != 0:
            _call(team.sleep, _NAP)


def _sleep() -> int:
    """Address of ``usleep``, 0 where there is none."""
    try:
        return ctypes.cast(ctypes.CDLL(None).usleep, ctypes.c_void_p).value or 0
    except (AttributeError, OSError, TypeError):
        return 0


def alone() -> Team:
    """A team of one thread."""
    return Team(0, 1, np.zeros(_SHARED, np.int64), 0)


def together(work: Callable[[Team], Any], threads: int) -> Any:
    """Run ``work(team)`` in so many threads at the same time; returns what the calling thread, number 0, returns.

    `work` must not raise, and must not depend on the number of threads: it is smaller if no more can be started.
    """
    shared, ready, count = np.zeros(_SHARED, np.int64), threading.Event(), 1
    address = _sleep()
    size = [1]

    def wait(number: int) -> None:
        ready.wait()
        work(Team(number, size[0], shared, address))

    others = [threading.Thread(target=wait, args=(k,), daemon=True) for k in range(1, threads)]
    try:
        for other in others:
            other.start()
            count += 1
    except RuntimeError:  # no more threads
        others = others[: count - 1]
    size[0] = count
    ready.set()
    found = work(Team(0, count, shared, address))
    for other in others:
        other.join()
    return found
