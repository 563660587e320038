"""Friction laws, and resistance to rolling and spinning."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..compiled.jit import plain_rows
from ..io import validate
from . import friction_kernel
from .parameters import number


def _stack(load: Any, vectors: dict[str, Any]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Common shape, and flat columns as compiled code wants them."""
    n = validate.array(load, "load")
    arrays = {name: validate.vectors(value, name) for name, value in vectors.items()}
    shape = validate.broadcast({"load": n.shape, **{name: v.shape[:-1] for name, v in arrays.items()}})
    rows = [plain_rows(np.broadcast_to(v, (*shape, 3)), (-1, 3)) for v in arrays.values()]
    return shape, [plain_rows(np.broadcast_to(n, shape), (-1,)), *rows]


@dataclass(frozen=True)
class FrictionForce:
    """What a friction law answers.

    Attributes
    ----------
    force : (..., 3) array
        On body B [N].
    stretch_rate : (..., 3) array
        Time derivative of the bristle's stretch [m/s]; zero for laws without memory.
    """

    force: np.ndarray
    stretch_rate: np.ndarray


class FrictionLaw:
    """What all friction laws share."""

    code: ClassVar[int]  #: for compiled code

    @property
    def row(self) -> np.ndarray:
        """Parameters for compiled code, see ``friction_kernel.py``: a new array of 8 floats."""
        values = self._parameters()
        return np.array([*values, *[0.0] * (friction_kernel.FRICTION_ROW - len(values))])

    def _parameters(self) -> tuple[float, ...]:
        raise NotImplementedError

    def force(self, load: Any, slip: Any, stretch: Any = (0.0, 0.0, 0.0)) -> FrictionForce:
        """Friction force on B, at most coefficient times load.

        Parameters
        ----------
        load : (...) array
            Normal force [N].
        slip : (..., 3) array
            Tangential velocity of B relative to A [m/s].
        stretch : (..., 3) array
            State of a :class:`Bristle` [m]; others ignore it.
        """
        shape, columns = _stack(load, {"slip": slip, "stretch": stretch})
        out, rate = np.empty((2, math.prod(shape), 3))
        friction_kernel.friction_forces(self.code, self.row, *columns, out, rate)
        return FrictionForce(out.reshape(*shape, 3) + 0.0, rate.reshape(*shape, 3) + 0.0)  # no -0.0

    def stretch_after(self, load: Any, normal: Any, slip: Any, stretch: Any, dt: float) -> np.ndarray:
        """(..., 3) array: `stretch` after a step of `dt` [s], in the plane of `normal` and within the limit."""
        shape, columns = _stack(load, {"normal": normal, "slip": slip, "stretch": stretch})
        out = np.empty((math.prod(shape), 3))
        step = number(dt, "dt", least=0.0)
        friction_kernel.stretches_after(self.code, self.row, *columns, step, out)
        return out.reshape(*shape, 3)


@dataclass(frozen=True, kw_only=True)
class Frictionless(FrictionLaw):
    """No friction."""

    code = friction_kernel.FRICTIONLESS

    def _parameters(self) -> tuple[float, ...]:
        return ()


@dataclass(frozen=True, kw_only=True)
class Tanh(FrictionLaw):
    """The papers' law: mu load tanh(|v| / k) against v, Römer 3-D, Eq. (97).  It cannot stick.

    Parameters
    ----------
    coefficient : float
        mu
    speed : float
        k [m/s]: at this slip 76 % of the limit are reached.  A small one is stiff.

    Examples
    --------
    >>> from tangency import forces
    >>> law = forces.Tanh(coefficient=0.2, speed=1e-3)
    >>> law.force(100.0, [1.0, 0.0, 0.0]).force.tolist()
    [-20.0, 0.0, 0.0]
    """

    coefficient: float
    speed: float
    code = friction_kernel.TANH

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficient", number(self.coefficient, "coefficient", least=0.0))
        object.__setattr__(self, "speed", number(self.speed, "speed", above=0.0))

    def _parameters(self) -> tuple[float, ...]:
        return (self.coefficient, self.coefficient, self.speed)


@dataclass(frozen=True, kw_only=True)
class Coulomb(FrictionLaw):
    """Coulomb's law, regularised: rises to `static` at `peak_speed`, falls to `dynamic` at `slide_speed`.

    Cubic pieces with a continuous slope; at rest the law is viscous, so it creeps instead of sticking.

    Parameters
    ----------
    static, dynamic : float
        Coefficients, static >= dynamic.
    peak_speed, slide_speed : float
        [m/s]; `slide_speed` is three times `peak_speed` unless given.
    """

    static: float
    dynamic: float
    peak_speed: float
    slide_speed: float | None = None
    code = friction_kernel.COULOMB

    def __post_init__(self) -> None:
        dynamic = number(self.dynamic, "dynamic", least=0.0)
        peak = number(self.peak_speed, "peak_speed", above=0.0)
        slide = 3.0 * peak if self.slide_speed is None else number(self.slide_speed, "slide_speed", above=peak)
        object.__setattr__(self, "static", number(self.static, "static", least=dynamic))
        object.__setattr__(self, "dynamic", dynamic)
        object.__setattr__(self, "peak_speed", peak)
        object.__setattr__(self, "slide_speed", slide)

    def _parameters(self) -> tuple[float, ...]:
        assert self.slide_speed is not None
        return (self.static, self.dynamic, self.peak_speed, self.slide_speed)


@dataclass(frozen=True, kw_only=True)
class Bristle(FrictionLaw):
    """A bristle between the bodies: elastic up to the limit of friction, so that bodies stick.

    Its state is the tangential `stretch` [m], which the caller carries: add `stretch_rate` to the equations of
    motion, or take fixed steps with :meth:`stretch_after`; a new contact starts at zero.  Below `breakaway`
    times the limit it is purely elastic, and a body at rest does not creep, also under a load that varies
    (Dupont et al. 2002); at the limit it slides.

    Parameters
    ----------
    static : float
        Coefficient of friction at rest.
    stiffness : float
        [N/m]
    damping : float
        [N s/m]; it lets the oscillation of a body that sticks die out.
    dynamic : float, optional
        Coefficient of sliding; `static` unless given.
    stribeck_speed : float
        The coefficient falls from static to dynamic as exp(-(slip / stribeck_speed)^2) does [m/s].
    breakaway : float
        From 0 to below 1.
    """

    static: float
    stiffness: float
    damping: float = 0.0
    dynamic: float | None = None
    stribeck_speed: float = 1e-2
    breakaway: float = 0.9
    code = friction_kernel.BRISTLE

    def __post_init__(self) -> None:
        static = number(self.static, "static", least=0.0)
        dynamic = static if self.dynamic is None else number(self.dynamic, "dynamic", least=0.0, most=static)
        object.__setattr__(self, "static", static)
        object.__setattr__(self, "dynamic", dynamic)
        object.__setattr__(self, "stiffness", number(self.stiffness, "stiffness", above=0.0))
        object.__setattr__(self, "damping", number(self.damping, "damping", least=0.0))
        object.__setattr__(self, "stribeck_speed", number(self.stribeck_speed, "stribeck_speed", above=0.0))
        object.__setattr__(self, "breakaway", number(self.breakaway, "breakaway", least=0.0, most=0.999))

    def _parameters(self) -> tuple[float, ...]:
        assert self.dynamic is not None
        return (self.static, self.dynamic, self.stribeck_speed, 0.0, self.stiffness, self.damping, self.breakaway)


@dataclass(frozen=True, kw_only=True)
class Rolling:
    """Resistance to rolling and spinning: torques lever * load * tanh(|omega| / speed) against the motion.

    Parameters
    ----------
    rolling, spinning : float
        Levers [m]; 0 for none.
    speed : float
        Angular speed of the tanh [rad/s].
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

    def torque(self, load: Any, normal: Any, spin: Any) -> np.ndarray:
        """(..., 3) array: torque on B [N m] against `spin`, the angular velocity of B relative to A [rad/s]."""
        shape, columns = _stack(load, {"normal": normal, "spin": spin})
        out = np.empty((math.prod(shape), 3))
        friction_kernel.rolling_torques(self.row, *columns, out)
        return out.reshape(*shape, 3)
