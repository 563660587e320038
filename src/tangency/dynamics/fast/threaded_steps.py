"""Steps whose phases are shared by several threads; the result has the same bits as with one thread."""

from __future__ import annotations

from typing import Any

from ...compiled.threads import cores, shared_by
from .kernel import ADD, BOUND, EVALUATE, FINISH, MOVE, PREPARE, SETTLE, START, SUM, advance, blocks_of
from .tables import COUNT, DONE

MIN_BODIES_PER_THREAD = 1000  # below, waking the threads takes longer than they save


def threads_for(bodies: int, threads: int | None) -> int:
    """Number of threads for so many bodies; by default one per processor, if that is worth it."""
    return max(1, min(cores(), bodies // MIN_BODIES_PER_THREAD)) if threads is None else threads


def threaded_steps(tables: tuple, steps: int, numbers: Any, bodies: int, rooms: list) -> tuple[int, int]:
    """Take steps whose phases are shared by threads, one for each room; returns the steps done and an outcome.

    `tables` are the arguments of `advance` between the task and the room: the schedule with the number of steps done
    before, bodies, world, lists and tally, as plain tuples.
    """
    schedule, rest = tables[0], tables[1:]

    def run(phase: int, count: int = 0) -> int:
        here = (*schedule[:2], schedule[2] + done, *schedule[3:])
        if count == 0:
            return advance((phase, 0, 0), here, *rest, rooms[0])[1]
        shared_by(lambda k, start, stop: advance((phase, start, stop), here, *rest, rooms[k]), count, len(rooms))
        return DONE

    done = 0
    run(START)
    while done < steps:
        run(BOUND, bodies)
        outcome = run(PREPARE)
        if outcome != DONE:
            return done, outcome
        run(MOVE, bodies)
        blocks = blocks_of.py_func(int(numbers[COUNT]))
        run(EVALUATE, blocks)
        outcome = run(ADD)
        if outcome != DONE:
            return done, outcome
        run(FINISH, bodies)
        run(SETTLE, blocks)
        run(SUM)
        done += 1
    return done, DONE
