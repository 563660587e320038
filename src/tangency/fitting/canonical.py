"""Canonical choice among equivalent descriptions of a body: axes in order of decreasing length where possible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .models import Model
from .problem import Solution, State

QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # new x = old y, new y = -old x
FLIP = np.diag([1.0, -1.0, -1.0])
ODD = {"c1x", "c3x", "c1y", "c3y"}
PAIRS = {"a": "b", "g1": "g2", "c1x": "c1y", "c2x": "c2y", "c3x": "c3y"}


def canonical(solution: Solution) -> Solution:
    """The same body with a >= b (>= c if no axis is special), and its thick end at +z."""
    model, s = solution.model, solution.state.s
    if not isinstance(model, Model) or not model.turns or model.limits is not None:
        return solution
    if model.name in ("ellipsoid", "power_ellipsoid"):
        order = np.argsort(-s[:3], kind="stable")
        axes = np.eye(3)[:, order]
        axes[:, 2] *= np.linalg.det(axes)
        values = np.concatenate([s[:3][order], s[3:][order]]) if len(s) == 6 else s[order]
        return _turned(solution, values, axes, order)
    if s[1] > s[0]:
        solution = _turned(solution, _swapped(solution), QUARTER)
    names, s = model.names, solution.state.s
    lean = sum(value for name, value in zip(names, s) if name in ("c1x", "c1y"))
    if model.tapers and lean < 0:
        signs = np.array([-1.0 if name in ODD else 1.0 for name in names])
        solution = _turned(solution, s * signs, FLIP)
    return solution


def swapped(form: np.ndarray) -> np.ndarray:
    """The form of the same body with x and y exchanged (by a quarter turn)."""
    if len(form) == 5:
        return form[[1, 0, 2, 3, 4]]
    return form[[1, 0, 2, 4, 3, 5, 9, 10, 11, 6, 7, 8]]


def flipped(form: np.ndarray) -> np.ndarray:
    """The form of the same body with z and y reversed."""
    return form * np.array([1.0] * 6 + [-1.0, 1.0, -1.0] * 2)


def _swapped(solution: Solution) -> np.ndarray:
    names, s = list(solution.model.names), solution.state.s.copy()
    for first, second in PAIRS.items():
        if first in names and second in names:
            i, j = names.index(first), names.index(second)
            s[i], s[j] = s[j], s[i]
    return s


def _turned(solution: Solution, s: np.ndarray, axes: np.ndarray, order: np.ndarray | None = None) -> Solution:
    old = solution.state
    active = solution.active
    if order is not None:
        active = np.concatenate([active[:3][order], active[3:][order]]) if len(active) == 6 else active[order]
    elif axes is QUARTER:
        names = list(solution.model.names)
        active = active.copy()
        for first, second in PAIRS.items():
            if first in names and second in names:
                i, j = names.index(first), names.index(second)
                active[i], active[j] = active[j], active[i]
    return replace(solution, state=State(s, old.position, old.rotation @ axes), active=active)
