"""The text of a function changes with its code and the values it captures, and with nothing else."""

import functools
import subprocess
import sys

import numpy as np
import pytest

from tangency.compiled.function_text import function_text

OUTSIDE = 2.0


def pushes(k, array=None, scale=1.0):
    def push(t, state):
        return [k * t * OUTSIDE, 0.0 if array is None else array[0], scale]

    return push


class Drag:
    def __init__(self, k):
        self.k, self.calls, self.note = k, 0, "unused"

    def __call__(self, t, state):
        self.calls += 1
        return -self.k * state

    def other(self, t, state):
        return self.k


def with_counter(k):
    count = 0

    def push(t, state):
        nonlocal count
        count += 1
        return k

    return push


def inner(k):
    return lambda t, state: [(lambda x: k * x)(t)]


def partial(k):
    return functools.partial(pushes(1.0), k)


def nested(k):
    f = pushes(k)
    return lambda t, state: f(t, state)


def array(k):
    return pushes(1.0, np.array([k]))


def default(k):
    return lambda t, state, k=k: k


def method(k):
    return Drag(k).other


@pytest.mark.parametrize("make", [pushes, Drag, with_counter, inner, partial, nested, array, default, method])
def test_captured_values_count(make):
    assert function_text(make(1.0)) == function_text(make(1.0)) != function_text(make(2.0))


def test_code_and_globals_count_and_own_memory_does_not(monkeypatch):
    assert function_text(lambda t, s: t + 1) != function_text(lambda t, s: t + 2)
    assert function_text(lambda t, s: t + 1) != function_text(lambda t, s: t - 1)
    assert function_text(lambda t, s: (lambda: 1)()) != function_text(lambda t, s: (lambda: 2)())
    for used in (Drag(3.0), with_counter(3.0)):
        before = function_text(used)
        used(0.0, 1.0)
        assert function_text(used) == before
    before = function_text(pushes(1.0))
    monkeypatch.setitem(globals(), "OUTSIDE", 3.0)
    assert function_text(pushes(1.0)) != before


def test_recursive_and_foreign_functions():
    def again(t, state):
        return again(t, state)

    assert function_text(again) == function_text(again)
    assert function_text(np.sin) != function_text(np.cos)
    assert function_text(abs) != function_text(max)


@pytest.mark.full
def test_the_text_is_the_same_in_another_process(tmp_path):
    (tmp_path / "own.py").write_text("def f(t, s):\n    return t if s in {'a', 'b', 'c', 'd'} else 0\n")
    code = "import own; from tangency.compiled.function_text import function_text as f; print(f(own.f))"
    said = {subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path) for _ in range(2)}
    assert len(said) == 1
