"""Compilation of the planar jet of a support function from a kernel class.

The planar *jet* at n is (h, x, R): support function, boundary point with the normal n, and radius of
curvature there, the only nonzero eigenvalue of Hess h on unit vectors.  A kernel is a NamedTuple as in
``kernels/jet.py``, with a method ``jet(self, n)``, or ``potential(self, phi)`` that returns g, g' and
g'' (Römer 3-D, Eqs. 2 and 7), or ``point(self, n)``; vectors are 2-tuples.
"""

from __future__ import annotations

import math
from typing import Any

import numba
from numba import types
from numba.extending import register_jitable

from ..compiled.explain import Formula
from ..compiled.formula_addresses import FormulaAddresses
from ..compiled.jit import LEAN, call_shape, element, entry, inner, jit
from ..kernels.jet import _read, jet, put_nan

JET = 4  # numbers in a planar jet: h, x (2), R
SUPPORT, POINT, RADIUS = 0, slice(1, 3), 3  # their places in a jet


@jit
def point_of(jets, start):
    """Boundary point x of the jet that starts at `start`."""
    return (jets[start + 1], jets[start + 2])


def _evaluate(layout, data, size, nx, ny, unused, out):
    """Function through which compiled code calls a planar shape; its signature is that of a shape in space."""
    kernel, _ = _read(layout, numba.carray(data, (size,)), 0)
    h, x, radius = jet(kernel, (nx, ny))
    result = numba.carray(out, (JET,))
    result[0], result[1], result[2], result[3] = h, x[0], x[1], radius


def _guarded(layout, data, size, nx, ny, unused, out):
    # User-defined formulas may raise exceptions; compiled callers get NaN, and Shape.jet raises a readable error.
    try:
        _evaluate_once(layout, data, size, nx, ny, unused, out)
    except Exception:
        put_nan(out, JET)


_evaluate_once = inner(_evaluate)
_cached, _local = entry(_evaluate), jit(_guarded)


def _alone(kind: Any) -> None:
    jit(kind.instance_class.jet).compile((kind, types.UniTuple(types.float64, 2)))


_FORMULAS = {
    "potential": Formula((0.6,), (3,)),
    "point": Formula(((0.6, 0.8),), (2,)),
    "radius": Formula(((0.6, 0.8),), (1,)),
    "jet": Formula(((0.6, 0.8),)),
}
#: The compiled jets of planar kernels.
PLANAR_JETS = FormulaAddresses(_cached, _local, 3, "return h, (x, y) and the radius of curvature", _FORMULAS, _alone)


@entry
def evaluate_many(address, rows, step, normals, out):
    """Write the jets of many (shape, normal) pairs; row k * step, modulo the number of rows, belongs to normal k."""
    count, size = rows.shape
    for k in range(normals.shape[0]):
        row = element(rows, k * step % count * size)
        call_shape(address, row, size, normals[k, 0], normals[k, 1], 0.0, element(out, k * JET))


def join_methods(kernel: type) -> None:
    """Add a method ``jet`` to `kernel`, built from its method ``potential``, or from ``point`` and related methods."""
    if hasattr(kernel, "potential"):
        kernel.jet = jet_of_potential(register_jitable(**LEAN)(kernel.potential))  # type: ignore[attr-defined]
        return
    if not hasattr(kernel, "point"):
        raise TypeError(
            f"{kernel.__qualname__} needs a method potential(self, phi) that returns g, g' and g'', or point(self, n), "
            "the boundary point with the normal n, or jet(self, n); planar.from_potential() derives all from a formula"
        )
    point = register_jitable(**LEAN)(kernel.point)
    radius = _radius_from(point)
    if hasattr(kernel, "radius"):
        radius = register_jitable(**LEAN)(kernel.radius)

    def joined(self, n):
        x = point(self, n)
        return n[0] * x[0] + n[1] * x[1], x, radius(self, n)

    kernel.jet = joined  # type: ignore[attr-defined]


def jet_of_potential(potential: Any) -> Any:
    """Jet of the homogeneous support function |n| g(phi) from g, g' and g''."""

    def joined(self, n):
        length = math.sqrt(n[0] * n[0] + n[1] * n[1])
        c, s = n[0] / length, n[1] / length
        g, g1, g2 = potential(self, math.atan2(n[1], n[0]))
        # Römer 3-D, Eqs. (2) and (7)
        return length * g, (c * g - s * g1, s * g + c * g1), g + g2

    return joined


def _radius_from(point):
    # A central difference has nine digits, enough for a Newton step; bounds do not depend on it.
    @register_jitable(**LEAN)
    def radius(self, n):
        length = math.sqrt(n[0] * n[0] + n[1] * n[1])
        c, s, step = n[0] / length, n[1] / length, 1e-5
        after, before = point(self, (c - step * s, s + step * c)), point(self, (c + step * s, s - step * c))
        return 0.5 * (c * (after[1] - before[1]) - s * (after[0] - before[0])) / step

    return radius
