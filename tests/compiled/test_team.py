"""Threads that take the steps of a loop together: every item once, nobody ahead of the others."""

import threading

import numba
import numpy as np
import pytest

from tangency.compiled import team as teams
from tangency.compiled.jit import OPTIONS, borrowed
from tangency.compiled.team import Team, meet, next_item, together

ITEMS, PHASES = 37, 300


@numba.njit(**OPTIONS)
def _phases(team, done, sums):
    """In each phase every item is raised by one; then thread 0 adds them up, between two meetings."""
    team = Team(*borrowed(team))
    for phase in range(sums.size):
        item = next_item(team)
        while item < done.size:
            done[item] += 1
            item = next_item(team)
        meet(team)
        if team.number == 0:
            sums[phase] = done.sum()
        meet(team)
    return team.number


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_every_item_once_in_every_phase(threads):
    """More threads than processors, too: those that wait sleep."""
    done, sums = np.zeros(ITEMS, np.int64), np.zeros(PHASES, np.int64)
    assert together(lambda team: _phases(tuple(team), done, sums), threads) == 0
    assert (done == PHASES).all()
    assert np.array_equal(sums, ITEMS * np.arange(1, PHASES + 1))


def test_fewer_threads_if_no_more_can_be_started(monkeypatch):
    started = []

    class Scarce(threading.Thread):
        def start(self):
            if len(started) == 2:
                raise RuntimeError("can't start new thread")
            started.append(self)
            super().start()

    monkeypatch.setattr(teams.threading, "Thread", Scarce)
    done, sums, sizes = np.zeros(ITEMS, np.int64), np.zeros(3, np.int64), []

    def work(team):
        sizes.append(team.size)
        return _phases(tuple(team), done, sums)

    together(work, 6)
    assert sizes == [3, 3, 3]
    assert (done == 3).all()


def test_without_a_function_that_sleeps(monkeypatch):
    monkeypatch.setattr(teams, "_sleep", lambda: 0)
    done, sums = np.zeros(ITEMS, np.int64), np.zeros(2, np.int64)
    together(lambda team: _phases(tuple(team), done, sums), 2)
    assert (done == 2).all()
