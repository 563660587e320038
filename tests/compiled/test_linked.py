"""Functions below an entry point stay intermediate code; from wherever they are called, they give the same answer."""

import importlib
import itertools
import math
from typing import NamedTuple

import numba
import numpy as np
import pytest

import tangency as tg
from tangency.compiled.jit import entry, inner, jit, lane, uncounted
from tangency.compiled.linked import Linked, base


def functions(kind):
    """Twice the square of x, from the inside out; three new functions."""

    @kind
    def square(x):
        return x * x

    @kind
    def twice(x):
        return 2.0 * square(x)

    @numba.njit
    def outer(x):
        return twice(x)

    return square, twice, outer


@pytest.mark.parametrize(
    ("kind", "order"),
    [
        *((jit, order) for order in itertools.permutations(range(3))),
        *((kind, order) for kind in (lane, uncounted) for order in ((0, 1, 2), (2, 0, 1))),
    ],
)
def test_the_same_answer_in_any_order_of_calls(kind, order):
    compiled = functions(kind)
    for _ in range(2):
        assert [compiled[k](3.0) for k in order] == [[9.0, 18.0, 18.0][k] for k in order]
    assert all(f(np.float32(3.0)) for f in compiled)  # other types afterwards


def test_the_outermost_function_alone_is_optimised_in_full(monkeypatch):
    done, full = [], base._optimize_final_module

    def counted(library):
        done.append(type(library))
        full(library)

    monkeypatch.setattr(base, "_optimize_final_module", counted)
    square, _, outer = functions(jit)
    assert outer(3.0) == 18.0
    assert done == [base]
    library = square.overloads[(numba.float64,)].library
    name = next(f.name for f in library._final_module.functions if not f.is_declaration)
    assert library.get_pointer_to_function(name)
    assert done == [base, Linked]  # machine code that is made after all


@pytest.mark.parametrize("kind", [jit, inner, lane, uncounted])
def test_no_machine_code_below_the_entry(kind):
    square, twice, outer = functions(kind)
    assert outer(3.0) == 18.0
    for function in (square, twice):
        (result,) = function.overloads.values()
        assert isinstance(result.library, Linked)
        assert not result.library._emitted
    assert not isinstance(outer.overloads[outer.signatures[0]].library, Linked)


def test_users_functions_inside_formulas_have_machine_code():
    """They may be called from Python at any time, by the user."""

    @numba.njit
    def length(n):
        return math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])

    class Ball(tg.Shape):
        class Kernel(NamedTuple):
            r: float

            def point(self, n):
                k = self.r / length(n)
                return (k * n[0], k * n[1], k * n[2])

    assert float(Ball(r=2.0).support([0, 3, 4])) == 10.0
    assert length((0.0, 3.0, 4.0)) == 5.0


CACHED = """
import numba

@numba.njit(cache=True)
def half(x):
    return 0.5 * x
"""


def test_functions_in_numbas_own_cache(tmp_path, monkeypatch):
    """Stored and read while something below an entry point is compiled."""
    (tmp_path / "own_half.py").write_text(CACHED, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    own = importlib.import_module("own_half")
    for hits in (0, 1):
        own = importlib.reload(own)
        half = own.half

        @jit
        def quarter(x):
            return 0.5 * half(x)  # noqa: B023

        @numba.njit
        def outer(x):
            return quarter(x)

        assert outer(8.0) == 2.0
        assert half(8.0) == 4.0
        assert sum(half.stats.cache_hits.values()) == hits


def test_an_entry_below_an_entry(tmp_path, monkeypatch):
    """Both are stored, with their machine code."""
    monkeypatch.setenv("TANGENCY_CACHE_DIR", str(tmp_path))

    @entry
    def low(x):
        return x + 1.0

    @jit
    def middle(x):
        return 2.0 * low(x)

    @entry
    def high(x):
        return middle(x)

    assert high(1.0) == 4.0
    assert low(1.0) == 2.0
    assert len(list(tmp_path.iterdir())) == 2
