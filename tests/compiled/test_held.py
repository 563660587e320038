"""Tables that are handed to compiled code once, against the same tables in Python."""

import numpy as np
import pytest

from tangency.compiled import held
from tangency.compiled.held import Holder, opened, store
from tangency.compiled.jit import entry


@entry
def write(tables, buffer):
    return store(tables, buffer)


@entry
def write_other(tables, buffer):
    return store(tables, buffer)


@entry
def combine(tables, factor):
    (numbers, (table, whole), flag), x = opened(tables), 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            x += table[i, j] * numbers[i]
    numbers[0] += 1.0
    return factor * x + whole[-1] * flag


def tables_of(rows, columns):
    rng = np.random.default_rng(rows)
    return rng.normal(size=rows), (rng.normal(size=(rows, columns)), np.arange(rows)), True


def compiled(holder):
    from numba import types

    signature = (holder.kind, types.float64)
    combine.compile(signature)
    return combine.overloads[signature].entry_point


@pytest.mark.parametrize("rows", [1, 3, 50])
def test_held_tables_are_the_arrays_themselves(rows):
    holder, tables = Holder(write), tables_of(rows, 4)
    buffer = holder.hold(tables)
    function = compiled(holder)
    for _ in range(3):  # each call changes an array, and later ones see that
        numbers, (table, whole), _ = tables
        expected = 2.5 * (table * numbers[:, None]).sum() + whole[-1]
        before = numbers[0]
        assert function(buffer, 2.5) == pytest.approx(expected, rel=1e-13)
        assert numbers[0] == before + 1.0
        table *= 1.5


def test_tables_of_another_type_or_too_many_are_refused(monkeypatch):
    holder = Holder(write_other)
    holder.hold(tables_of(2, 3))
    monkeypatch.setattr(held, "_BUFFER", 8)
    with pytest.raises(AssertionError, match="too small"):
        holder.hold(tables_of(2, 3))
    monkeypatch.undo()
    with pytest.raises(AssertionError, match="same types"):
        holder.hold((np.zeros(2),))
