"""Threads that help with the phases of a loop: every item once, nobody ahead of the leader, helpers never needed."""

import threading

import numba
import numpy as np
import pytest

from tangency.compiled import team as teams
from tangency.compiled.jit import OPTIONS, borrowed
from tangency.compiled.team import (
    NOTHING,
    QUIT,
    Team,
    item_done,
    kind_of_phase,
    next_item,
    open_phase,
    together,
    wait_a_little,
    wait_for_all,
)

ITEMS, PHASES = 37, 300


@numba.njit(**OPTIONS)
def _phases(team, done, sums):
    """In each phase every item is raised by the number of the phase; then the leader adds them up."""
    team = Team(*borrowed(team))
    if team.number > 0:
        looks = 0
        while kind_of_phase(team) != QUIT:
            item = next_item(team)
            if item == NOTHING:
                looks = wait_a_little(team, looks)
            else:
                done[item] += kind_of_phase(team)
                item_done(team)
        return team.number
    for phase in range(sums.size):
        open_phase(team, phase + 1, done.size)
        item = next_item(team)
        while item != NOTHING:
            done[item] += phase + 1
            item_done(team)
            item = next_item(team)
        wait_for_all(team)
        sums[phase] = done.sum()
    open_phase(team, QUIT, 0)
    return team.number


def check(done, sums):
    each = np.cumsum(np.arange(1, len(sums) + 1))
    assert (done == each[-1]).all()
    assert np.array_equal(sums, ITEMS * each)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_every_item_once_in_every_phase(threads):
    """More threads than processors, too: those that wait sleep."""
    done, sums = np.zeros(ITEMS, np.int64), np.zeros(PHASES, np.int64)
    assert together(lambda team: _phases(tuple(team), done, sums), threads) == 0
    check(done, sums)


def test_no_threads_can_be_started(monkeypatch):
    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    done, sums = np.zeros(ITEMS, np.int64), np.zeros(3, np.int64)
    assert together(lambda team: _phases(tuple(team), done, sums), 6) == 0
    check(done, sums)


def test_the_leader_does_not_wait_for_helpers():
    """A helper that never gets a processor."""
    done, sums, ended = np.zeros(ITEMS, np.int64), np.zeros(PHASES, np.int64), threading.Event()

    def work(team):
        if team.number > 0:
            assert ended.wait(20.0)
            return 1
        found = _phases(tuple(team), done, sums)
        ended.set()
        return found

    together(work, 2)
    check(done, sums)


def test_helpers_end_if_the_leader_fails():
    def work(team):
        if team.number == 0:
            raise MemoryError
        return _phases(tuple(team), np.zeros(1, np.int64), np.zeros(1, np.int64))

    with pytest.raises(MemoryError):
        together(work, 3)


def test_without_a_function_that_sleeps(monkeypatch):
    monkeypatch.setattr(teams, "_sleep", lambda: 0)
    done, sums = np.zeros(ITEMS, np.int64), np.zeros(20, np.int64)
    together(lambda team: _phases(tuple(team), done, sums), 2)
    check(done, sums)
