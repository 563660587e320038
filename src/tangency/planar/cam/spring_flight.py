"""A follower in the air, under its spring alone: in closed form, with or without the surge of the spring."""

from __future__ import annotations

from typing import Any

import numpy as np

from .tappet import FELT, STIFF, CamTappet


class SpringFlight:
    """The linear motion of follower and spring from a state at a time; the roller keeps its spin."""

    def __init__(self, cam: CamTappet, start: np.ndarray, time: float) -> None:
        self._time, self._rest, self._start = time, cam.rest, start
        self._frequency = np.sqrt(cam.spring / cam.moving_mass)
        self._surges = cam.spring_mass > 0.0
        if not self._surges:
            return
        c, m, mid, drag = cam.spring, cam.moving_mass, cam.surge_mass, cam.surge_drag
        back = np.array([0.0, 0.0, STIFF * c, drag])
        self._push = (FELT * back - np.array([c, 0.0, 0.0, 0.0])) / m
        surge = -back / mid - FELT * self._push
        # Two lightly damped oscillations: the eigenvalues differ.
        self._rates, modes = np.linalg.eig(np.array([[0.0, 1.0, 0.0, 0.0], self._push, [0.0, 0.0, 0.0, 1.0], surge]))
        first = np.array([start[0] + cam.rest, start[1], start[4], start[5]], dtype=complex)
        self._parts = modes * np.linalg.solve(modes, first)

    def _linear(self, later: np.ndarray) -> np.ndarray:
        """Deflection of the spring and its rate, surge and its rate, (..., 2 or 4)."""
        if self._surges:
            return (np.exp(self._rates * later[..., None]) @ self._parts.T).real
        away, v, w = self._start[0] + self._rest, self._start[1], self._frequency
        c, s = np.cos(w * later), np.sin(w * later)
        return np.stack([away * c + v / w * s, v * c - w * away * s], axis=-1)

    def state(self, time: Any) -> np.ndarray:
        """State (..., 4 or 6) at a time."""
        later = np.asarray(time, dtype=float) - self._time
        x = self._linear(later)
        angle, spin = self._start[2:4]
        roller = np.stack([angle + spin * later, spin + 0.0 * later], axis=-1)
        return np.concatenate([x[..., :1] - self._rest, x[..., 1:2], roller, x[..., 2:]], axis=-1)

    def acceleration(self, time: Any) -> np.ndarray:
        """Acceleration of the follower (...)."""
        x = self._linear(np.asarray(time, dtype=float) - self._time)
        return x @ self._push if self._surges else -(self._frequency**2) * x[..., 0]
