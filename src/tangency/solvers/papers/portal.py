"""Portal's constrained optimisation, by general optimisers (Portal, sections 4 and 5).

| method | optimiser | the paper's |
|---|---|---|
| "interior-point" | SciPy, trust-constr | MATLAB, fmincon |
| "sqp" | SciPy, SLSQP | ADS and DOT |
| "ipopt" | Ipopt through cyipopt, extra ``tangency[ipopt]`` | none |

All constraints are equalities: without inequalities, an interior-point method is a Newton method with a trust
region on the optimality conditions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from ...contacts.status import CLAIMED, Status
from ...kernels.trace import TRACE
from ..method import Method
from ..question import Side
from ..tables import Answer, Buffers, Pick, Question, write, write_iterations
from .portal_pair import PortalPair
from .portal_problem import SETS, Problem, State, first_points

METHODS = ("interior-point", "sqp", "ipopt")
STARTS = ("surface", "line")


@dataclass(frozen=True)
class Portal(Method):
    """Distance as constrained optimisation; for shapes with an implicit function.

    Parameters
    ----------
    method : str
        "interior-point", "sqp" or "ipopt".
    constraints : str
        In addition to the equations of the surfaces: none ("a"); the cross product of the normals ("b"), also with
        the line along the normal of A ("c") or B ("d"); the dot product of the normals ("e"), also with the line
        along the normal of A ("f") or B ("g"); the line along both normals ("h").  "b2" is not in the paper: the two
        independent equations of "b".
    start : str
        "surface": where the line between the centres leaves the bodies (Eq. 33); "line": at the given `fraction` of
        that line (Eq. 32).  A guess takes precedence.
    fraction : float
        Position on the line between the centres, for ``start="line"``.
    max_iterations : int
        Maximum number of iterations of the optimiser.

    Examples
    --------
    >>> import tangency as tg
    >>> a, b = tg.Superellipsoid([1, 1, 1], (0.5, 1.0)), tg.Ellipsoid([1, 2, 1])
    >>> c = tg.contact(a, b, pose_b=(None, [3, 1, 2]), solver=tg.solvers.Portal(method="sqp"))
    >>> round(float(c.distance), 9), tg.Status(int(c.status)).name
    (1.513227023, 'APART')
    """

    name: ClassVar[str] = "portal"
    parallel: ClassVar[bool] = False

    method: str = "interior-point"
    constraints: str = "e"
    start: str = "surface"
    fraction: float = 0.25
    max_iterations: int = 300

    def __post_init__(self) -> None:
        for name, known in (("method", METHODS), ("constraints", tuple(SETS)), ("start", STARTS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}")
        if not 0.0 < self.fraction < 1.0:
            raise ValueError(f"fraction must lie between 0 and 1, got {self.fraction!r}")
        if not (isinstance(self.max_iterations, int) and self.max_iterations >= 1):
            raise ValueError(f"max_iterations must be a whole number >= 1, got {self.max_iterations!r}")

    @property
    def steps(self) -> int:
        return self.max_iterations

    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], None]:
        for side, name in ((a, "a"), (b, "b")):
            if not side.shape.has_implicit:
                raise TypeError(
                    f"{name} must have an implicit function for the solver portal, got {side.kind.__name__}"
                )
        if self.method == "ipopt":
            _ipopt()
            if out.trace.size:
                raise ValueError("trace must be False for method 'ipopt', which does not tell its steps")

        def run(start: int, stop: int) -> None:
            for position in range(start, stop):
                self._solve(a, b, question, int(order[position]) if order.size else position, out)

        return run

    def _solve(self, a: Side, b: Side, question: Question, k: int, out: Buffers) -> None:
        pair = PortalPair(a, b, k, question)
        problem = Problem(pair.a, pair.b, self.constraints)
        if pair.guess.any():
            x = pair.points_with_normal(pair.guess)
        else:
            x = first_points(pair.a, pair.b, self.fraction if self.start == "line" else None)
        rows = out.trace[k] if out.trace.size else np.zeros((0, TRACE))
        state, iterations = problem.at(x), 1
        n, status = pair.judge(state, question.tol, None)
        if status != CLAIMED:  # at the solution an optimiser would only follow rounding errors
            state, iterations, gave_up = self._optimise(problem, x, question.tol, pair, rows)
            n, status = pair.judge(state, question.tol, gave_up)
        if len(rows):
            rows[iterations - 1] = pair.record(state)
        distance, point = state.distance * pair.size, pair.world(state.x[:3])
        answer = Answer(distance, 0.0, 0.0, pair.turn @ n, point, status, problem.evaluations)
        write.py_func(out.values, out.codes, k, answer)
        write_iterations.py_func(out, k, iterations)

    def _optimise(
        self, problem: Problem, x: np.ndarray, tol: float, pair: PortalPair, rows: np.ndarray
    ) -> tuple[State, int, Status | None]:
        """Last finite state, iterations, and how the optimiser gave up (None if it did not)."""
        best, count = [problem.at(x)], [0]

        def constraints(x: np.ndarray) -> np.ndarray:
            return problem.at(x).constraints

        def jacobian(x: np.ndarray) -> np.ndarray:
            return problem.at(x).jacobian

        def step(x: np.ndarray, *_: Any) -> None:
            if np.isfinite(x).all():
                best[0] = problem.at(x)
                if count[0] < len(rows):
                    rows[count[0]] = pair.record(best[0])
                count[0] += 1

        equations: Any = {"type": "eq", "fun": constraints, "jac": jacobian}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Redundant and degenerate constraints are part of the paper; the status reports the outcome.
            warnings.simplefilter("ignore")
            if self.method == "sqp":
                # Relative to the objective, whose rounding errors are proportional to its value.
                least = max(0.01 * tol, 1e-14) * max(1.0, problem.objective(x)[0])
                options: dict[str, Any] = {"maxiter": self.max_iterations, "ftol": least}
                end = scipy.optimize.minimize(
                    problem.objective,
                    x,
                    jac=True,
                    method="SLSQP",
                    constraints=[equations],
                    callback=step,
                    options=options,
                )
                gave_up = {9: _LIMIT, 6: _SINGULAR, 7: _SINGULAR}.get(end.status)
            elif self.method == "interior-point":
                options = {"maxiter": self.max_iterations, "gtol": max(tol, 1e-10), "xtol": max(tol, 1e-12)}
                optimize = scipy.optimize
                surface = optimize.NonlinearConstraint(constraints, 0.0, 0.0, jac=jacobian, hess=optimize.BFGS())
                end = optimize.minimize(
                    problem.objective,
                    x,
                    jac=True,
                    hess=lambda x: _HESSIAN,
                    method="trust-constr",
                    constraints=[surface],
                    callback=step,
                    options=options,
                )
                gave_up = {0: _LIMIT, 4: _SINGULAR}.get(end.status)
            else:
                end = _ipopt()(
                    problem.objective,
                    x,
                    jac=True,
                    constraints=[equations],
                    tol=max(tol, 1e-12),
                    options={"max_iter": self.max_iterations},
                )
                gave_up = None if end.success else _LIMIT
        if np.isfinite(end.x).all():
            best[0] = problem.at(end.x)
        return best[0], min(max(int(end.nit), 1), self.steps), gave_up


_LIMIT, _SINGULAR = Status.NOT_CONVERGED, Status.BROKE_DOWN
_HESSIAN = np.kron([[2.0, -2.0], [-2.0, 2.0]], np.eye(3))  # of the square of the distance


def _ipopt() -> Any:
    try:
        from cyipopt import minimize_ipopt
    except ImportError as error:
        raise ImportError(f"method 'ipopt' needs cyipopt: install tangency[ipopt] ({error})") from None
    return minimize_ipopt
