"""One pair of a query as input of Portal's problem, and the check of its solution."""

from __future__ import annotations

import numpy as np

from ...contacts.status import CLAIMED, Status
from ...kernels.trace import TRACE, write_step
from ..question import Side, chosen
from ..tables import Question
from .placed_pair import PlacedPair
from .portal_problem import Body, State

MAX_ANGLE = 1e-3  # maximum angle between the normals, and between normal and line, at a common normal [rad]


class PortalPair(PlacedPair):
    """Pair k: both implicit surfaces in the frame of A, lengths in units of the size of the pair."""

    def __init__(self, a: Side, b: Side, k: int, question: Question) -> None:
        super().__init__(a, b, k)
        self.guess = self.turn.T @ question.guess.rows[chosen(question.guess.pick, np.array([k]))[0]]
        places = ((np.eye(3), np.zeros(3)), (self.rotation, self.position))
        self.a, self.b = (
            Body(side.shape.implicit_address, row, turn, place, (turn @ bounds.centre + place) / self.size, self.size)
            for side, row, bounds, (turn, place) in zip((a, b), self.rows, self.bounds, places)
        )

    def points_with_normal(self, n: np.ndarray) -> np.ndarray:
        """Points where the surfaces have the normals n and -n; used to start from a guess."""
        _, x_a, x_b = self.support(n / np.linalg.norm(n))
        return np.concatenate([x_a, x_b]) / self.size

    def best_normal(self, state: State) -> tuple[float, np.ndarray]:
        """F(n) and n of the best of three candidates: the normal of A, of B, or the line between the points.

        On a flat place the normal is far more accurate than the point, at a sharp one the opposite is true.
        """
        length = np.linalg.norm(state.between)
        candidates = [state.normal_a, -state.normal_b]
        if length > 1e-9:
            candidates.append(np.copysign(1.0, state.distance) * state.between / length)
        tried = [(self.support(n)[0], k) for k, n in enumerate(candidates)]
        f, k = max(tried)
        return f, candidates[k]

    def judge(self, state: State, tol: float, gave_up: Status | None) -> tuple[np.ndarray, int]:
        """The normal found and a status: CLAIMED if the points have a common normal, otherwise the reason."""
        f, n = self.best_normal(state)
        on_surfaces = np.abs(state.constraints[:2]).max() <= 1e-9
        angle = float(np.linalg.norm(state.normal_a + state.normal_b))
        aside = float(np.linalg.norm(state.between - (state.between @ n) * n))
        if on_surfaces and angle <= MAX_ANGLE and abs(state.distance * self.size - f) <= self.allowance(tol):
            return n, CLAIMED
        if gave_up is not None:
            return n, int(gave_up)
        if on_surfaces and (angle > MAX_ANGLE or aside > MAX_ANGLE):
            return n, int(Status.NO_COMMON_NORMAL)
        return n, int(Status.NOT_CONVERGED)

    def world(self, x: np.ndarray) -> np.ndarray:
        """Transform a point of the problem to the world frame."""
        return self.turn @ (x * self.size) + self.home

    def record(self, state: State) -> np.ndarray:
        """A row of a trace."""
        row = np.empty(TRACE)
        points = self.world(state.x[:3]), self.world(state.x[3:])
        residual = np.linalg.norm(state.constraints)
        write_step.py_func(row, self.turn @ state.normal_a, *points, state.distance * self.size, residual)
        return row
