"""Least squares with bounds and walls: against SciPy's solvers."""

import numpy as np
import pytest
from scipy.optimize import least_squares, lsq_linear

from tangency.fitting.bounded_step import bounded_step, normal_equations
from tangency.fitting.levenberg import minimise


@pytest.mark.parametrize("seed", range(20))
def test_a_step_is_the_minimum_of_the_linear_problem(seed):
    """A wall is a slack variable: min over s >= 0 of (w + B d - s)^2 is the square of the negative part."""
    rng = np.random.default_rng(seed)
    n, walls, mu = int(rng.integers(2, 15)), int(rng.integers(0, 20)), 10.0 ** rng.uniform(-8, 0)
    j, r = rng.normal(size=(40, n)), rng.normal(size=40)
    w, b = rng.normal(size=walls), rng.normal(size=(walls, n)) * 10.0 ** rng.uniform(-1, 1)
    low, high = -rng.exponential(0.2, n), rng.exponential(0.2, n)
    low[rng.random(n) < 0.2] = 0.0  # on a bound already
    a, g = np.zeros((n, n)), np.zeros(n)
    normal_equations(j, r, a, g)
    assert np.allclose(a, j.T @ j)
    assert np.allclose(g, j.T @ r)
    d = np.zeros(n)
    gain = bounded_step(a, g, w, b, low, high, mu, d)
    rows = np.block([
        [j, np.zeros((40, walls))], [np.sqrt(mu) * np.eye(n), np.zeros((n, walls))], [b, -np.eye(walls)],
    ])  # fmt: skip
    limits = (np.r_[low, np.zeros(walls)], np.r_[high + 1e-12, np.full(walls, np.inf)])
    exact = lsq_linear(rows, np.r_[-r, np.zeros(n), -w], limits, method="bvls", tol=1e-14).x[:n]
    assert np.allclose(d, exact, atol=1e-7)

    def half(d):
        return 0.5 * ((j @ d + r) ** 2).sum() + 0.5 * (np.minimum(w + b @ d, 0) ** 2).sum()

    assert gain == pytest.approx(half(0 * d) - half(d), rel=1e-9, abs=1e-12)


class Curve:
    """An exponential through noisy points, with the wall that its value at 3 is not below `floor`."""

    def __init__(self, floor=-10.0):
        rng = np.random.default_rng(0)
        self.t = np.linspace(0, 2, 30)
        self.y, self.floor = 2.0 * np.exp(-0.7 * self.t) + 0.3 + rng.normal(0, 0.01, 30), floor

    def residuals(self, z):
        return z[0] * np.exp(z[1] * self.t) + z[2] - self.y, np.array([z[0] * np.exp(3 * z[1]) + z[2] - self.floor])

    def slopes(self, z):
        e, f = np.exp(z[1] * self.t), np.exp(3 * z[1])
        return np.column_stack([e, z[0] * self.t * e, np.ones(30)]), np.array([[f, 3 * z[0] * f, 1.0]])


@pytest.mark.parametrize("loss", ["linear", "huber", "soft_l1", "cauchy"])
@pytest.mark.parametrize("top", [np.inf, 1.9])
def test_the_minimum_is_that_of_scipy(loss, top):
    curve = Curve()
    low, high = np.array([-np.inf, -5.0, -np.inf]), np.array([top, 5.0, np.inf])
    found = minimise(curve, np.array([1.0, -0.1, 0.0]), low, high, loss=loss, scale=0.01)
    known = least_squares(
        lambda z: curve.residuals(z)[0], [1.0, -0.1, 0.0], bounds=(low, high), loss=loss, f_scale=0.01,
        ftol=1e-15, xtol=1e-15, gtol=1e-15,
    )  # fmt: skip
    assert found.converged
    assert found.cost == pytest.approx(known.cost, rel=1e-7)
    assert np.allclose(found.z, known.x, atol=1e-4)
    assert found.active.tolist() == [top == 1.9, False, False]


def test_a_wall_holds_the_solution_back():
    low, high = np.full(3, -10.0), np.full(3, 10.0)
    start = np.array([1.0, -0.1, 0.0])
    free, held = (minimise(Curve(floor), start, low, high, wall=1e3) for floor in (0.0, 0.7))
    assert not free.pressed.any()
    assert held.pressed.all()
    assert held.converged
    assert abs(held.z[0] * np.exp(3 * held.z[1]) + held.z[2] - 0.7) < 1e-5
    assert held.cost > free.cost
