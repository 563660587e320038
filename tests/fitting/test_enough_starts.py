"""The rule that ends a search from random starts."""

from types import SimpleNamespace

import numpy as np
import pytest

from tangency.fitting.enough_starts import UNSEEN, minima, unseen, until_nothing_new


def ends(costs):
    return [SimpleNamespace(cost=float(cost), gain=0.0) for cost in costs]


def test_searches_that_ended_alike_are_one_minimum():
    found = ends([2.0, 1.0, 2.0001, 1.0000001, 3.0])
    assert [one.cost for one in minima(found)] == [1.0, 2.0, 3.0]
    unfinished = SimpleNamespace(cost=2.5, gain=0.25)  # one step from the minimum with cost 2
    assert len(minima([*found, unfinished])) == 3


def test_few_starts_for_one_minimum_and_all_if_each_is_new():
    assert unseen(1, 1) == 1.0
    asked = []

    def solve(start):
        asked.append(start)
        return ends([1.0])[0]

    assert len(until_nothing_new(list(range(240)), solve)) == 1
    assert len(asked) == 8
    assert len(until_nothing_new(list(range(240)), lambda start: ends([1.0 + start])[0])) == 240


@pytest.mark.parametrize("count", [2, 5, 12])
def test_the_share_of_minima_that_are_not_seen(count):
    """Over random landscapes, a further start leads to a new minimum no more often than the rule says."""
    rng = np.random.default_rng(count)
    left = []
    for _ in range(400):
        share = rng.dirichlet(np.ones(count))
        starts = list(rng.choice(count, size=400, p=share))
        seen = {round(one.cost) - 1 for one in until_nothing_new(starts, lambda start: ends([1.0 + start])[0])}
        left.append(1.0 - share[list(seen)].sum())
    assert np.mean(left) < UNSEEN
