"""Least squares with bounds and walls: against SciPy's solvers."""

import numpy as np
import pytest
from scipy.optimize import least_squares, minimize, nnls

from tangency.fitting.bounded_step import bounded_step, normal_equations
from tangency.fitting.levenberg import minimise


@pytest.mark.parametrize("seed", range(40))
def test_a_step_is_the_minimum_of_the_linear_problem(seed):
    """No wall or bound is crossed, and those that the step leans on balance the gradient: the minimum is no other."""
    rng = np.random.default_rng(seed)
    n, walls, mu = int(rng.integers(2, 15)), int(rng.integers(0, 40)), 10.0 ** rng.uniform(-8, 0)
    j, r = rng.normal(size=(40, n)), rng.normal(size=40)
    w = rng.exponential(0.1, walls) * (rng.random(walls) < 0.7)
    b = rng.normal(size=(walls, n)) * 10.0 ** rng.uniform(-1, 1)
    w[walls // 2 :] = w[: walls - walls // 2]  # twins, but for rounding
    b[walls // 2 :] = b[: walls - walls // 2] * (1.0 + 1e-9 * rng.normal(size=(walls - walls // 2, n)))
    low, high = -rng.exponential(0.2, n), rng.exponential(0.2, n)
    low[rng.random(n) < 0.2] = 0.0  # on a bound already
    high[rng.random(n) < 0.2] = np.inf
    a, g = np.zeros((n, n)), np.zeros(n)
    normal_equations(j, r, a, g)
    assert np.allclose(a, j.T @ j)
    assert np.allclose(g, j.T @ r)
    d = np.full(n, np.nan)
    leans = bounded_step(a, g, w, b, low, high, mu, d)
    assert ((low <= d) & (d <= high)).all()
    left = w + b @ d
    assert (left > -1e-8).all()
    touched = np.vstack([b[left < 1e-8], np.eye(n)[d == low], -np.eye(n)[d == high]])
    slope = a @ d + mu * d + g
    force, rest = nnls(touched.T, slope) if len(touched) else (np.empty(0), np.linalg.norm(slope))
    assert rest < 1e-7 * np.linalg.norm(g)
    assert (leans > 0) == bool((force[: int((left < 1e-8).sum())] > 1e-9).any())


def test_walls_that_contradict_each_other_are_met_halfway():
    a, g, free = np.eye(2), np.array([1.0, 0.5]), np.full(2, np.inf)
    d = np.zeros(2)
    bounded_step(a, g, np.array([-1.0, -1.0]), np.array([[1.0, 0.0], [-1.0, 0.0]]), -free, free, 0.0, d)
    assert np.allclose(d, [0.0, -0.5], atol=1e-6)


class Floor:
    """The wall that the value of a curve at 3 is not below `floor`."""

    def __init__(self, floor, z):
        f = np.exp(3 * z[1])
        self.floor, self.slopes = floor, np.array([[f, 3 * z[0] * f, 1.0]])
        self.values = self.at(z)

    def at(self, z):
        return np.array([z[0] * np.exp(3 * z[1]) + z[2] - self.floor])

    def misses(self, z):
        return np.minimum(self.at(z), 0.0)


class Curve:
    """An exponential through noisy points, with a wall; every place that is looked at is kept."""

    def __init__(self, floor=-10.0):
        rng = np.random.default_rng(0)
        self.t = np.linspace(0, 2, 30)
        self.y, self.floor = 2.0 * np.exp(-0.7 * self.t) + 0.3 + rng.normal(0, 0.01, 30), floor
        self.seen = []

    def allowed(self, z):
        return bool(Floor(self.floor, z).values[0] >= 0.0)

    def residuals(self, z):
        self.seen.append(z)
        return z[0] * np.exp(z[1] * self.t) + z[2] - self.y

    def slopes(self, z):
        e = np.exp(z[1] * self.t)
        return np.column_stack([e, z[0] * self.t * e, np.ones(30)])

    def walls(self, z):
        return Floor(self.floor, z)


@pytest.mark.parametrize("loss", ["linear", "huber", "soft_l1", "cauchy"])
@pytest.mark.parametrize("top", [np.inf, 1.9])
def test_the_minimum_is_that_of_scipy(loss, top):
    curve = Curve()
    low, high = np.array([-np.inf, -5.0, -np.inf]), np.array([top, 5.0, np.inf])
    found = minimise(curve, np.array([1.0, -0.1, 0.0]), low, high, loss=loss, scale=0.01)
    known = least_squares(
        curve.residuals,
        [1.0, -0.1, 0.0],
        bounds=(low, high),
        loss=loss,
        f_scale=0.01,
        ftol=1e-15,
        xtol=1e-15,
        gtol=1e-15,
    )
    assert found.converged
    assert found.cost == pytest.approx(known.cost, rel=1e-7)
    assert np.allclose(found.z, known.x, atol=1e-4)
    assert found.active.tolist() == [top == 1.9, False, False]


def test_a_wall_holds_the_solution_back_and_is_never_crossed():
    low, high = np.full(3, -10.0), np.full(3, 10.0)
    start = np.array([1.0, -0.1, 0.0])
    curves = [Curve(floor) for floor in (0.0, 0.7)]
    free, held = (minimise(curve, start, low, high) for curve in curves)
    assert not free.pressed
    assert held.pressed
    assert held.converged
    assert all(curve.allowed(z) for curve in curves for z in curve.seen)
    exact = minimize(
        lambda z: 0.5 * (curves[1].residuals(z) ** 2).sum(),
        start,
        method="SLSQP",
        tol=1e-14,
        constraints={"type": "ineq", "fun": lambda z: Floor(0.7, z).values},
    )
    assert held.cost == pytest.approx(exact.fun, rel=1e-6)
    assert held.cost > free.cost


def test_a_start_that_is_not_allowed_is_refused():
    found = minimise(Curve(0.7), np.array([0.1, -0.1, 0.0]), np.full(3, -10.0), np.full(3, 10.0))
    assert found.cost == np.inf
    assert not found.converged
