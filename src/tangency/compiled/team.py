"""Threads that help with the phases of one loop.

A loop of short steps cannot return to Python after every phase: that takes longer than the phase.  So the calling
thread, the leader, runs the whole compiled loop, and others help it.  The leader opens a phase with a number of items,
of which every thread has a range of its own.  It takes these in ascending order, the same ones in every step: its core
may still have their data in its cache.  Then it takes those of the others that nobody has taken.  The leader goes on
when all items are done.  It never waits for a thread that has taken nothing: where helpers do not get a processor, on a
busy machine, it does all the work itself.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .atomic import fetch_add
from .jit import uncounted

# Whole numbers that the threads share, each in a cache line of its own: serial number of the phase; its kind; number of
# its items; items done; then one for each thread: the serial number times 2^32 plus the items taken from its range.
_SERIAL, _KIND, _COUNT, _DONE, _TICKETS = 0, 8, 16, 24, 32
_LINE = 8
# Looks at a number before a thread sleeps, some tens of microseconds, and how long it sleeps at least [us]: where other
# programs use the cores, a thread that only gave way would take most of their time by asking again.
_PATIENCE, _NAP = 20_000, 20
QUIT = -1  # kind of the last phase
NOTHING = -1  # instead of an item


class Team(NamedTuple):
    """One of several threads; the leader has the number 0."""

    number: int
    shared: np.ndarray
    sleep: int  #: address of a C function that sleeps for so many microseconds, or 0
    size: int  #: number of threads


@intrinsic
def _put(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Replace ``array[index]`` in one operation, and return its old value; all threads see this and what was before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("xchg", builder.gep(data, [args[1]]), args[2], "seq_cst")

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
def open_phase(team, kind, count):
    """Begin a phase: for the leader, when all items of the last one are done."""
    shared = team.shared
    serial = _look(shared, _SERIAL) + 1
    _put(shared, _SERIAL, serial)  # first, so that who reads the new count with an old ticket notices
    _put(shared, _COUNT, count)
    _put(shared, _KIND, kind)
    _put(shared, _DONE, 0)
    for k in range(team.size):
        _put(shared, _TICKETS + k * _LINE, serial << 32)


@uncounted
def _range_of(team, k):
    """First item of thread k, and that of the next thread."""
    count = _look(team.shared, _COUNT)
    return k * count // team.size, (k + 1) * count // team.size


@uncounted
def next_item(team):
    """The next item of this thread, or one of another thread that nobody has taken yet, or NOTHING."""
    shared = team.shared
    for away in range(team.size):
        k = (team.number + away) % team.size
        first, stop = _range_of(team, k)
        if _look(shared, _TICKETS + k * _LINE) & 0xFFFFFFFF < stop - first:
            ticket = fetch_add(shared, _TICKETS + k * _LINE, 1)
            first, stop = _range_of(team, k)  # again, since the phase may have changed
            serial, item = ticket >> 32, first + (ticket & 0xFFFFFFFF)
            if item < stop and _look(shared, _SERIAL) == serial:
                return item
    return NOTHING


@uncounted
def kind_of_phase(team):
    """Kind of the phase that is open."""
    return _look(team.shared, _KIND)


@uncounted
def item_done(team):
    """Note that an item is done; what was written is then seen by all."""
    fetch_add(team.shared, _DONE, 1)


@uncounted
def wait_for_all(team):
    """Wait until all items that others have taken are done."""
    shared, looks = team.shared, 0
    while _look(shared, _DONE) < _look(shared, _COUNT):
        looks = wait_a_little(team, looks)


@uncounted
def wait_a_little(team, looks):
    """Sleep, if this thread has looked often; returns the number of looks."""
    if looks >= _PATIENCE and team.sleep != 0:
        _call(team.sleep, _NAP)
    return looks + 1


@cache
def _sleep() -> int:
    """Address of ``usleep``, 0 where there is none."""
    try:
        return ctypes.cast(ctypes.CDLL(None).usleep, ctypes.c_void_p).value or 0
    except (AttributeError, OSError, TypeError):
        return 0


def together(work: Callable[[Team], Any], threads: int) -> Any:
    """Run ``work(team)`` in so many threads at the same time; returns what the leader, the calling thread, returns.

    Helpers must return when the kind of the phase is QUIT.  If they cannot be started, the leader works alone.
    """
    shared, address = np.zeros(_TICKETS + threads * _LINE, np.int64), _sleep()
    helpers = []
    try:
        for k in range(1, threads):
            helper = threading.Thread(target=work, args=(Team(k, shared, address, threads),), daemon=True)
            helper.start()
            helpers.append(helper)
    except RuntimeError:  # no more threads
        pass
    try:
        return work(Team(0, shared, address, threads))
    finally:
        shared[_KIND] = QUIT
        for helper in helpers:
            helper.join()
