"""A block of lanes: one flat array with a row of LANES numbers per quantity, ``s[row * LANES + lane]``.

With constant strides between the rows, LLVM vectorises a loop over lanes; with a 2-D array, or one array
per quantity, it does not.  The vector algebra is that of `vectors`, with fused multiply-add.
"""

from typing import Any

from ..compiled.jit import lane, select
from . import vectors

LANES = 32


def _fused(name: str) -> Any:
    function: Any = getattr(vectors, name)
    return lane(function.py_func)


add, sub, scale, axpy, dot, cross = (_fused(name) for name in ("add", "sub", "scale", "axpy", "dot", "cross"))
mat_mul, mat_t_mul, sym_mul = (_fused(name) for name in ("mat_mul", "mat_t_mul", "sym_mul"))


@lane
def larger(x, y):
    """max(x, y) without a branch."""
    return select(x > y, x, y)


@lane
def get3(s, row, l):
    return s[row * LANES + l], s[(row + 1) * LANES + l], s[(row + 2) * LANES + l]


@lane
def put3(s, row, l, v):
    s[row * LANES + l] = v[0]
    s[(row + 1) * LANES + l] = v[1]
    s[(row + 2) * LANES + l] = v[2]


@lane
def get6(s, row, l):
    x, y = get3(s, row, l), get3(s, row + 3, l)
    return x[0], x[1], x[2], y[0], y[1], y[2]


@lane
def put6(s, row, l, m):
    put3(s, row, l, (m[0], m[1], m[2]))
    put3(s, row + 3, l, (m[3], m[4], m[5]))


@lane
def get9(s, row, l):
    x, y, z = get3(s, row, l), get3(s, row + 3, l), get3(s, row + 6, l)
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


@lane
def update(s, row, l, condition, new, zero):
    """Store `new` if the condition holds.

    `zero` is 0.0, but unknown to the compiler, which would otherwise turn the store of an unchanged number
    into a masked store, ten times slower on some processors.
    """
    s[row * LANES + l] = select(condition, new, s[row * LANES + l] + zero)


@lane
def update3(s, row, l, condition, new, zero):
    for c in range(3):
        update(s, row + c, l, condition, new[c], zero)
