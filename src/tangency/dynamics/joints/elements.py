"""Forces of single joints: springs, dampers, limits and passive torques, each with its energy."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...io import validate
from ...io.spelling import Spelled


def _not_negative(item: object, *names: str) -> None:
    """Check fields that are single numbers >= 0."""
    for name in names:
        number = validate.array(getattr(item, name), name)
        if number.shape or not number >= 0.0:
            raise ValueError(f"{name} must be a single number >= 0, got {getattr(item, name)!r}")
        object.__setattr__(item, name, float(number))


def _single(item: object, *names: str) -> None:
    """Check fields that are single numbers."""
    for name in names:
        number = validate.array(getattr(item, name), name)
        if number.shape:
            raise ValueError(f"{name} must be a single number, got shape {number.shape}")
        object.__setattr__(item, name, float(number))


@dataclass(frozen=True, eq=False)
class JointSpring(Spelled):
    """A linear spring with a damper in a joint of one degree of freedom.

    Parameters
    ----------
    joint : str
        Name of the joint.
    stiffness, damping : float
        Stiffness [N m/rad or N/m] and damping [N m s/rad or N s/m], >= 0.
    rest : float
        Position of the joint without torque [rad or m].
    """

    joint: str
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    def __post_init__(self) -> None:
        _not_negative(self, "stiffness", "damping")
        _single(self, "rest")

    def torque(self, position: float, velocity: float) -> float:
        """Torque or force on the joint."""
        return -self.stiffness * (position - self.rest) - self.damping * velocity

    def energy(self, position: float) -> float:
        """Elastic energy [J]."""
        return 0.5 * self.stiffness * (position - self.rest) ** 2


@dataclass(frozen=True, eq=False)
class JointLimit(Spelled):
    """Stops at both ends of the range of a joint: a force that grows with the power 3/2 of the excess, damped.

    The torque is ``stiffness * excess**1.5 * (1 + damping * rate of the excess)``, never towards the stop: the law of
    Hunt and Crossley, which is smooth where a linear stop has a kink.

    Parameters
    ----------
    joint : str
        Name of the joint.
    low, high : float
        Range of the joint [rad or m]; infinite for no stop.
    stiffness : float
        [N m/rad^1.5 or N/m^1.5].
    damping : float
        [s/rad or s/m].
    """

    joint: str
    low: float = -math.inf
    high: float = math.inf
    stiffness: float = 1e3
    damping: float = 0.0

    def __post_init__(self) -> None:
        _not_negative(self, "stiffness", "damping")
        for name in ("low", "high"):
            number = validate.numbers(getattr(self, name), name)
            if number.shape or math.isnan(number):
                raise ValueError(f"{name} must be a single number, got {getattr(self, name)!r}")
            object.__setattr__(self, name, float(number))
        if math.isinf(self.low) and math.isinf(self.high):
            raise ValueError("low or high must be given: without them there is no stop")
        if not self.low < self.high:
            raise ValueError(f"low must be less than high, got {self.low!r} and {self.high!r}")

    def torque(self, position: float, velocity: float) -> float:
        """Torque or force on the joint."""
        over, under = position - self.high, self.low - position
        if over > 0.0:
            return -self.stiffness * over**1.5 * max(1.0 + self.damping * velocity, 0.0)
        if under > 0.0:
            return self.stiffness * under**1.5 * max(1.0 - self.damping * velocity, 0.0)
        return 0.0

    def energy(self, position: float) -> float:
        """Elastic energy [J]."""
        excess = max(position - self.high, self.low - position, 0.0)
        return 0.4 * self.stiffness * excess**2.5


@dataclass(frozen=True, eq=False)
class PassiveTorque(Spelled):
    """The passive torque of a human joint: two exponentials and a damper.

    The torque is ``k1 exp(-k2 (position - low)) - k3 exp(-k4 (high - position)) - damping * velocity`` with the four
    coefficients k1, k2, k3, k4, the form of Davy and Audu (1987).

    Parameters
    ----------
    joint : str
        Name of the joint.
    low, high : float
        Positions near which the torque sets in [rad].
    coefficients : (float, float, float, float)
        k1 [N m], k2 [1/rad], k3 [N m], k4 [1/rad], all >= 0 and k2, k4 > 0.
    damping : float
        [N m s/rad].
    """

    joint: str
    low: float
    high: float
    coefficients: tuple[float, float, float, float]
    damping: float = 0.0

    def __post_init__(self) -> None:
        _not_negative(self, "damping")
        _single(self, "low", "high")
        numbers = validate.array(self.coefficients, "coefficients")
        if numbers.shape != (4,) or not (numbers >= 0.0).all() or not (numbers[[1, 3]] > 0.0).all():
            raise ValueError(
                f"coefficients must be four numbers >= 0, the second and fourth > 0, got {self.coefficients!r}"
            )
        object.__setattr__(self, "coefficients", tuple(numbers.tolist()))

    def _parts(self, position: float) -> tuple[float, float]:
        k1, k2, k3, k4 = self.coefficients
        return k1 * math.exp(-k2 * (position - self.low)), k3 * math.exp(-k4 * (self.high - position))

    def torque(self, position: float, velocity: float) -> float:
        """Torque on the joint [N m]."""
        up, down = self._parts(position)
        return up - down - self.damping * velocity

    def energy(self, position: float) -> float:
        """Elastic energy [J]."""
        up, down = self._parts(position)
        return up / self.coefficients[1] + down / self.coefficients[3]
