"""Loops over lanes must come out of the compiler as packed arithmetic: it gives no warning when they do not."""

import platform
import re
from collections import Counter

import numpy as np
import pytest

from tangency.kernels import power_jet
from tangency.kernels.block import LANES
from tangency.solvers.lanes import ellipsoids as ellipsoid_lanes
from tangency.solvers.lanes import load, loop, rows
from tangency.solvers.lanes import superellipsoids as superellipsoid_lanes

pytestmark = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"),
    reason=f"reads the mnemonics of x86-64; this machine is {platform.machine()}",
)

# (function, packed multiplications and fused operations to expect at least, as half of those counted)
LOOPS = {
    "ellipsoid step": (ellipsoid_lanes._step, 80),
    "ellipsoid complete": (ellipsoid_lanes._complete, 12),
    "prepare": (load.prepare, 30),
    "begin": (load.begin, 45),
    "answer": (loop._answer, 25),
    "superellipsoid fill": (superellipsoid_lanes._fill, 10),
    "superellipsoid move": (superellipsoid_lanes._move, 20),
    "superellipsoid frames": (superellipsoid_lanes._frames, 25),
    "superellipsoid newton": (superellipsoid_lanes._newton, 45),
    "superellipsoid balls needed": (superellipsoid_lanes._balls_needed, 6),
    "superellipsoid ball": (superellipsoid_lanes._ball_a, 15),
    "superellipsoid judge": (superellipsoid_lanes._judge, 10),
    "power jet": (power_jet.power_jet, 100),
    "power bend": (power_jet.power_bend, 35),
}

_PRODUCT = re.compile(r"^\s+v?(mul|div|sqrt|fn?m(?:add|sub)\d*)([sp])d\s+(.*)$", re.MULTILINE)


def products(function):
    """Multiplications, divisions, roots and fused operations on doubles: Counter of (packed or scalar, name)."""
    block = np.ones(rows.ROWS * LANES)
    with np.errstate(all="ignore"):
        function(block, 1e-12) if function is load.prepare else function(block)
    text = "\n".join(function.inspect_asm().values())
    return Counter(("packed" if kind == "p" else "scalar", name) for name, kind, _ in _PRODUCT.findall(text)), text


@pytest.mark.parametrize("name", LOOPS)
def test_loops_over_lanes_are_packed(name):
    function, least = LOOPS[name]
    found, text = products(function)
    packed = sum(n for (kind, what), n in found.items() if kind == "packed" and what not in ("div", "sqrt"))
    scalar = {what: n for (kind, what), n in found.items() if kind == "scalar"}
    assert packed >= least
    if "ymm" not in text and "zmm" not in text:  # roots of two numbers at once are no faster without AVX
        scalar.pop("sqrt", None)
    assert not scalar
    # No calls of the C library's functions: they would be made lane by lane.
    assert not re.search(r"\b(pow|log1p|log|exp|sqrt)(@PLT)?\s*$", text, re.MULTILINE)


def test_fused_operations_are_used_where_the_processor_has_them():
    found, text = products(ellipsoid_lanes._step)
    if "ymm" not in text and "zmm" not in text:
        pytest.skip("this processor has no AVX, and so no fused operations")
    assert sum(n for (kind, what), n in found.items() if what.startswith(("fm", "fnm"))) > 40
