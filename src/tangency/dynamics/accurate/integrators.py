"""SciPy's integrators, with tolerances, first steps and derivatives suited to contacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from .lu import lu, solve_lu
from .step_control import EPSILON, Look, StepControl

METHODS = {"DOP853": integrate.DOP853, "RK45": integrate.RK45, "Radau": integrate.Radau, "BDF": integrate.BDF}
IMPLICIT = ("Radau", "BDF")
TOLERANCE_PART = {"BDF": 0.1}  # factor on the tolerances of a method whose errors accumulate over many steps

Rate = Callable[[float, np.ndarray], np.ndarray]


def new_solver(method: str, rate: Rate, control: StepControl, here: Look, until: float, first: float | None) -> Any:
    """An integrator that starts at `here`, with the step `first` or its own choice."""
    rtol = control.tolerances.rtol
    options: dict[str, Any] = {"rtol": rtol, "atol": control.errors(here)}
    if method in IMPLICIT:
        options["jac"] = jacobian(rate, control.increments(here))
    if first is not None:
        options["first_step"] = min(max(first, 16.0 * EPSILON * abs(here.time)), until - here.time)
    solver = METHODS[method](rate, here.time, here.vector, until, **options)
    if method in IMPLICIT:
        solver.lu, solver.solve_lu = lu, solve_lu
        # Newton's iteration cannot be more accurate than the forces.
        solver.newton_tol = max(solver.newton_tol, min(10.0 * control.noise(here) / rtol, 0.1))
    return solver


def jacobian(rate: Rate, increments: np.ndarray) -> Rate:
    """Derivatives of `rate` by differences; 0 where the increment is 0.

    SciPy enlarges its own differences tenfold each time nothing depends on a variable, such as the orientation of a
    ball, until they overflow.
    """

    def derivatives(time: float, vector: np.ndarray) -> np.ndarray:
        out, here, there = np.zeros((len(vector), len(vector))), rate(time, vector), vector.copy()
        for k in np.flatnonzero(increments):
            there[k] += increments[k] * max(abs(vector[k]), 1.0)
            out[:, k] = (rate(time, there) - here) / (there[k] - vector[k])
            there[k] = vector[k]
        return out

    return derivatives
