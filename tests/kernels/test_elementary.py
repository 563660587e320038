"""Our own logarithm and exponential against mpmath."""

import re

import mpmath
import numpy as np
import pytest

from tangency.compiled.jit import jit
from tangency.kernels import elementary

log, exp = elementary.log, elementary.exp


@jit
def logs(x, out):
    for k in range(x.size):
        out[k] = log(x[k])


@jit
def exps(x, out):
    for k in range(x.size):
        out[k] = exp(x[k])


def units(loop, exact, x):
    """Errors in units in the last place of the exact value."""
    out = np.empty_like(x)
    loop(x, out)
    with mpmath.workdps(40):
        truth = [exact(mpmath.mpf(float(v))) for v in x]
        error = [abs(mpmath.mpf(float(o)) - t) for o, t in zip(out, truth)]
        return np.array([float(e / np.spacing(abs(float(t)))) if t else float(e) for e, t in zip(error, truth)])


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "x",
    [
        RNG.uniform(0.0, 1.0, 2000),
        RNG.uniform(1.0, 2.0, 2000),
        10.0 ** RNG.uniform(-300, 300, 2000),
        1.0 + 10.0 ** RNG.uniform(-16, -1, 500),
        1.0 - 10.0 ** RNG.uniform(-16, -1, 500),
        np.sqrt([0.5, 2.0]) * (1.0 + np.arange(-4, 5)[:, None] * 2.3e-16),
        np.array([1.0, 2.0, 0.5, 1e-100, 2.3e-308, 1.7e308]),
    ],
    ids=["below 1", "1 to 2", "all sizes", "above 1", "close below 1", "edges", "special"],
)
def test_log(x):
    assert units(logs, mpmath.log, np.ravel(x)).max() <= 2.0


@pytest.mark.parametrize("x", [RNG.uniform(-1, 1, 3000), RNG.uniform(-700, 700, 3000), np.array([0.0, -708.0, 708.0])])
def test_exp(x):
    assert units(exps, mpmath.exp, x).max() <= 1.5


def test_exp_stays_finite():
    out = np.empty(4)
    exps(np.array([-1e300, -2000.0, 2000.0, 1e300]), out)
    assert (out > 0).all()
    assert np.isfinite(out).all()


def test_powers_of_ratios_are_exact_to_rounding():
    base, exponent = RNG.uniform(1e-3, 1.0, 2000), RNG.uniform(1.05, 40.0, 2000)

    @jit
    def powers(x, q, out):
        for k in range(x.size):
            out[k] = exp(q[k] * log(x[k]))

    out = np.empty_like(base)
    powers(base, exponent, out)
    truth = [float(mpmath.mpf(float(b)) ** mpmath.mpf(float(q))) for b, q in zip(base, exponent)]
    assert abs(out - truth).max() <= 4e-16


@pytest.mark.parametrize("loop", [logs, exps])
def test_the_loops_run_on_packed_instructions(loop):
    loop(np.ones(64), np.empty(64))
    assembly = next(iter(loop.inspect_asm().values()))
    if not re.search(r"\bv?(mulpd|fmadd\w+pd)\b|\bfm\w+\s+v\d+\.2d", assembly):
        pytest.fail("no packed arithmetic")
