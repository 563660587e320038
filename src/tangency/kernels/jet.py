"""Compilation of the jet of a support function from a kernel class.

The *jet* at n is the triple (h, x, W): support function, its gradient (the boundary point with normal
n) and its Hessian (the radii-of-curvature operator).  A kernel is a NamedTuple of
floats, 1-D arrays and other kernels, with a method ``jet(self, n)`` or the three methods ``support``,
``point`` and ``hessian``; vectors are 3-tuples, W is (xx, xy, xz, yy, yz, zz).
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from ..compiled.explain import Formula
from ..compiled.formula_addresses import FormulaAddresses
from ..compiled.jit import LEAN, call_shape, element, entry, inner, jit
from .inner_ball import inner_ball
from .vectors import add, axpy, cross, frame, norm, scale, sub

JET = 10  # numbers in a jet: h, x (3), W (6)
SUPPORT, POINT, HESSIAN = 0, slice(1, 4), slice(4, 10)  # their places in a jet
INNER_BALL = 1 << 40  # added to the size of a row, asks a shape for its inner ball instead of its jet


@jit
def point_of(jets, start):
    """Boundary point x of the jet that starts at `start`."""
    return (jets[start + 1], jets[start + 2], jets[start + 3])


@jit
def hessian_of(jets, start):
    """Radii-of-curvature operator W of the jet that starts at `start`."""
    i = start + 4
    return (jets[i], jets[i + 1], jets[i + 2], jets[i + 3], jets[i + 4], jets[i + 5])


def jet(kernel: Any, n: Any) -> Any:
    """(h, x, W) of any kernel; in compiled code, resolved statically from the kernel's type."""
    return kernel.jet(n)


@overload(jet, jit_options=LEAN, strict=False)
def _jet(kernel, n):
    return kernel.instance_class.jet


def bend(kernel: Any, n: Any, d: Any) -> Any:
    """Direction reached from n by the tangent step d, in coordinates adapted to the body.

    A kernel may have a method ``bend(self, n, d)``; without one the result is n + d.  Where W is
    unbounded (flat places), the boundary point moves like a small power of the normal, and a step that
    is right for the linearised body overshoots by far; the kernel contains the exponent.
    """
    if hasattr(kernel, "bend"):
        return kernel.bend(n, d)
    return (n[0] + d[0], n[1] + d[1], n[2] + d[2])


@overload(bend, jit_options=LEAN, strict=False)
def _bend(kernel, n, d):
    if not hasattr(kernel.instance_class, "bend"):
        return lambda kernel, n, d: add(n, d)
    return kernel.instance_class.bend


def _read(layout, row, i):
    """Kernel of type `layout` from the numbers in `row` starting at i; also the next i."""
    raise TypeError("only for compiled code")


@overload(_read, jit_options=LEAN)
def _read_overload(layout, row, i):
    # The source is generated because the number of fields varies.
    kind = layout.instance_type
    names = {"Kernel": kind.instance_class, "_read": _read}
    lines = ["def implementation(layout, row, i):"]
    for k, field in enumerate(kind.types):
        if isinstance(field, types.Float):
            lines.append(f"    f{k} = row[i]; i += 1")
        elif isinstance(field, types.Array):
            lines.append(f"    m = int(row[i]); f{k} = row[i + 1:i + 1 + m]; i += 1 + m")
        else:
            names[f"Field{k}"] = field
            lines.append(f"    f{k}, i = _read(Field{k}, row, i)")
    fields = ", ".join(f"f{k}" for k in range(len(kind.types)))
    lines.append(f"    return Kernel({fields}), i")
    exec("\n".join(lines), names)
    return names["implementation"]


@jit
def _row(data, size):
    """The numbers of a shape, without what the size says beside their count."""
    return numba.carray(data, (abs(size) % INNER_BALL,))


@jit
def _put_jet(out, h, x, w):
    result = numba.carray(out, (JET,))
    result[0] = h
    for i in range(3):
        result[1 + i] = x[i]
    for i in range(6):
        result[4 + i] = w[i]


@jit
def _put_vector(out, u):
    result = numba.carray(out, (JET,))
    for i in range(3):
        result[i] = u[i]


@jit
def _take_vector(out, start):
    result = numba.carray(out, (JET,))
    return (result[start], result[start + 1], result[start + 2])


@jit
def put_nan(out, count):
    """Write NaN instead of what formulas that raised an exception would have returned."""
    result = numba.carray(out, (count,))
    for i in range(count):
        result[i] = np.nan


# Compiled for every shape; what is the same for all of them stands in the functions above.
def _evaluate(layout, data, size, nx, ny, nz, out):
    """The one compiled function of a shape: its jet, or, by the size, the bent step in `out` or an inner ball.

    A negative size asks for the step, `INNER_BALL` + size for the radius of the ball, with h and x of n in `out`.
    """
    kernel, _ = _read(layout, _row(data, size), 0)
    n = (nx, ny, nz)
    if size >= INNER_BALL:
        out[0] = inner_ball(kernel, n, out[0], _take_vector(out, 1))
    elif size < 0:
        _put_vector(out, bend(kernel, n, _take_vector(out, 0)))
    else:
        h, x, w = jet(kernel, n)
        _put_jet(out, h, x, w)


def _guarded(layout, data, size, nx, ny, nz, out):
    # User-defined formulas may raise exceptions; compiled callers get NaN, and Shape.jet raises a readable error.
    try:
        _evaluate_once(layout, data, size, nx, ny, nz, out)
    except Exception:
        put_nan(out, JET)


_evaluate_once = inner(_evaluate)
_cached, _local = entry(_evaluate), jit(_guarded)


def _alone(kind: Any) -> None:
    jit(kind.instance_class.jet).compile((kind, types.UniTuple(types.float64, 3)))


_FORMULAS = {
    name: Formula(((0.36, 0.48, 0.8),), counts)
    for name, counts in {"support": (1,), "point": (3,), "hessian": (6,), "jet": ()}.items()
}
#: The compiled jets of kernels.
SPATIAL_JETS = FormulaAddresses(
    _cached, _local, 3, "return h, (x, y, z) and (xx, xy, xz, yy, yz, zz)", _FORMULAS, _alone
)


@entry
def evaluate_many(address, rows, step, normals, out):
    """Write the jets of many (shape, normal) pairs; row k * step, modulo the number of rows, belongs to normal k."""
    count, size = rows.shape
    for k in range(normals.shape[0]):
        call_shape(
            address,
            element(rows, k * step % count * size),
            size,
            normals[k, 0],
            normals[k, 1],
            normals[k, 2],
            element(out, k * JET),
        )


def join_methods(kernel: type) -> None:
    """Add a method ``jet`` to `kernel`, built from its methods ``support``, ``point`` and ``hessian``."""
    if not hasattr(kernel, "point"):
        raise TypeError(
            f"{kernel.__qualname__} needs a method point(self, n) (the gradient of the support function) or "
            "jet(self, n); tangency.from_support() derives both from a SymPy expression"
        )
    point = register_jitable(**LEAN)(kernel.point)
    support = _support_from(point)
    if hasattr(kernel, "support"):
        support = register_jitable(**LEAN)(kernel.support)
    hessian = _hessian_from(point)
    if hasattr(kernel, "hessian"):
        hessian = register_jitable(**LEAN)(kernel.hessian)

    def joined(self, n):
        return support(self, n), point(self, n), hessian(self, n)

    kernel.jet = joined  # type: ignore[attr-defined]


def _support_from(point):
    @register_jitable(**LEAN)
    def support(self, n):
        x = point(self, n)
        return n[0] * x[0] + n[1] * x[1] + n[2] * x[2]

    return support


def _hessian_from(point):
    # Central differences along a tangent frame have nine digits, enough for a Newton step; the bounds
    # on the distance do not depend on them.
    @register_jitable(**LEAN)
    def hessian(self, n):
        length = norm(n)
        u = scale(n, 1.0 / length)
        t, _ = frame(u)
        s = cross(u, t)
        step = 1e-5
        a = scale(sub(point(self, axpy(u, step, t)), point(self, axpy(u, -step, t))), 0.5 / step)
        b = scale(sub(point(self, axpy(u, step, s)), point(self, axpy(u, -step, s))), 0.5 / step)
        aa = (a[0] * t[0] + a[1] * t[1] + a[2] * t[2]) / length
        ab = 0.5 * (a[0] * s[0] + a[1] * s[1] + a[2] * s[2] + b[0] * t[0] + b[1] * t[1] + b[2] * t[2]) / length
        bb = (b[0] * s[0] + b[1] * s[1] + b[2] * s[2]) / length
        return (
            aa * t[0] * t[0] + 2.0 * ab * t[0] * s[0] + bb * s[0] * s[0],
            aa * t[0] * t[1] + ab * (t[0] * s[1] + t[1] * s[0]) + bb * s[0] * s[1],
            aa * t[0] * t[2] + ab * (t[0] * s[2] + t[2] * s[0]) + bb * s[0] * s[2],
            aa * t[1] * t[1] + 2.0 * ab * t[1] * s[1] + bb * s[1] * s[1],
            aa * t[1] * t[2] + ab * (t[1] * s[2] + t[2] * s[1]) + bb * s[1] * s[2],
            aa * t[2] * t[2] + 2.0 * ab * t[2] * s[2] + bb * s[2] * s[2],
        )

    return hessian
