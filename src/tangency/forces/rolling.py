"""Resistance to rolling and spinning."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..io.numbers import number
from ..io.spelling import Spelled
from .friction_base import stacked
from .rolling_kernel import rolling_torques


@dataclass(frozen=True, kw_only=True)
class Rolling(Spelled):
    """Resistance to rolling and spinning: torques lever * load * tanh(|omega| / speed) opposing the motion.

    Parameters
    ----------
    rolling, spinning : float
        Lever arms [m]; 0 for no resistance.
    speed : float
        Angular speed that scales the tanh [rad/s].
    """

    rolling: float = 0.0
    spinning: float = 0.0
    speed: float = 1e-2

    def __post_init__(self) -> None:
        object.__setattr__(self, "rolling", number(self.rolling, "rolling", least=0.0))
        object.__setattr__(self, "spinning", number(self.spinning, "spinning", least=0.0))
        object.__setattr__(self, "speed", number(self.speed, "speed", above=0.0))

    @property
    def row(self) -> np.ndarray:
        """Parameters for compiled code: a new array of 3 floats."""
        return np.array([self.rolling, self.spinning, self.speed])

    def torque(self, load: ArrayLike, normal: ArrayLike, spin: ArrayLike) -> np.ndarray:
        """(..., 3) array: torque on B [N m] against `spin`, the angular velocity of B relative to A [rad/s]."""
        shape, columns = stacked(load, {"normal": normal, "spin": spin})
        out = np.empty((math.prod(shape), 3))
        rolling_torques(self.row, *columns, out)
        return out.reshape(*shape, 3)
