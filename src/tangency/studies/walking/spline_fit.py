"""Least squares for functions of time: splines whose values, rates and second derivatives enter residuals at nodes.

This is collocation: the residuals of a node see only the functions there, so that the derivatives by all coefficients
are sparse and follow from differences at the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.interpolate import BSpline
from scipy.sparse.linalg import spsolve

DEGREE = 5
SHRINK, LEAST, TRIES = 6.0, 1e-8, 8  # factor on the damping, its least value, steps tried with more damping
#: Steps of the differences of values, rates and second derivatives.
STEPS = (1e-6, 1e-5, 1e-3)

#: Function of values, rates and second derivatives (n, columns) that returns weighted deviations (n, m).
Residuals = Callable[..., np.ndarray]


class SplineFit:
    """Functions of time as splines of degree 5."""

    def __init__(self, time: np.ndarray, knot: float, columns: int, orders: int = 3) -> None:
        inner = np.linspace(time[0], time[-1], max(2, round((time[-1] - time[0]) / knot) + 1))
        self.knots = np.concatenate([[inner[0]] * DEGREE, inner, [inner[-1]] * DEGREE])
        self.time, self.columns, self.orders = time, columns, orders
        self.count = len(self.knots) - DEGREE - 1
        self._basis = [self.basis(time, order) for order in range(orders)]
        self._spread = [sparse.kron(basis, sparse.eye(columns), format="csr") for basis in self._basis]

    def basis(self, time: np.ndarray, order: int) -> Any:
        """Derivative of all basis functions at some times, sparse."""
        return sparse.csr_matrix(BSpline(self.knots, np.eye(self.count), DEGREE)(time, order))

    def states(self, coefficients: np.ndarray) -> list[np.ndarray]:
        """Values, rates and second derivatives at the nodes."""
        return [basis @ coefficients for basis in self._basis]

    def at(self, coefficients: np.ndarray, time: np.ndarray) -> list[np.ndarray]:
        """The same at other times."""
        return [self.basis(time, order) @ coefficients for order in range(self.orders)]

    def nearest(self, values: np.ndarray) -> np.ndarray:
        """Coefficients (count, columns) of the splines closest to values at the nodes."""
        basis = self._basis[0]
        return spsolve((basis.T @ basis + 1e-9 * sparse.eye(self.count)).tocsc(), basis.T @ values)

    def improved(
        self,
        residuals: Residuals,
        start: np.ndarray,
        iterations: int,
        *,
        report: Callable[[int, float], None],
        enough: float = 2e-3,
    ) -> np.ndarray:
        """Coefficients with a smaller sum of squares, by the method of Levenberg and Marquardt.

        It ends when a step reduces the sum by less than the fraction `enough`, or no step reduces it.
        """
        c, damping = start, 1e-3
        r = residuals(*self.states(c))
        for k in range(iterations):
            before = float((r * r).sum())
            report(k + 1, before)
            slope = self._slopes(residuals, c, r)
            normal, right = (slope.T @ slope).tocsc(), slope.T @ r.ravel()
            for _ in range(TRIES):
                heavy = sparse.diags(damping * normal.diagonal() + 1e-9)
                new = c - spsolve(normal + heavy, right).reshape(c.shape)
                tried = residuals(*self.states(new))
                after = float((tried * tried).sum())
                if after < before:
                    break
                damping *= SHRINK
            else:
                return c
            c, r, damping = new, tried, max(damping / SHRINK, LEAST)
            if after > (1.0 - enough) * before:
                break
        return c

    def _slopes(self, residuals: Residuals, c: np.ndarray, r: np.ndarray) -> Any:
        """Derivatives of all residuals by all coefficients, sparse."""
        state, nodes, total = self.states(c), np.arange(len(self.time) + 1), None
        for order, step in zip(range(self.orders), STEPS):
            blocks = np.empty((len(self.time), r.shape[1], self.columns))
            for d in range(self.columns):
                moved: Sequence[np.ndarray] = [x.copy() for x in state]
                moved[order][:, d] += step
                blocks[..., d] = (residuals(*moved) - r) / step
            size = (r.size, len(self.time) * self.columns)
            part = sparse.bsr_matrix((blocks, nodes[:-1], nodes), shape=size).tocsr() @ self._spread[order]
            total = part if total is None else total + part
        return total
