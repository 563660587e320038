"""Friction laws and their parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..io.numbers import number
from ..kernels.vectors import norm, scale
from .bristle_kernel import BristleKernel
from .friction_base import FrictionLaw
from .tanh_kernel import tanh_over


@dataclass(frozen=True, kw_only=True)
class Frictionless(FrictionLaw):
    """No friction."""

    class Kernel(NamedTuple):
        def force(self):
            return (0.0, 0.0, 0.0)

    @property
    def kernel(self) -> Any:
        return self.Kernel()


@dataclass(frozen=True, kw_only=True)
class Tanh(FrictionLaw):
    """Friction mu load tanh(|v| / k) against the slip v, Römer 3-D, Eq. (97).  It cannot stick.

    Parameters
    ----------
    coefficient : float
        Coefficient of friction mu.
    speed : float
        k [m/s]: slip at which 76 % of the limit is reached.  A small value makes the equations stiff.

    Examples
    --------
    >>> from tangency import forces
    >>> law = forces.Tanh(coefficient=0.2, speed=1e-3)
    >>> law.force(100.0, [1.0, 0.0, 0.0]).force.tolist()
    [-20.0, 0.0, 0.0]
    """

    coefficient: float
    speed: float

    class Kernel(NamedTuple):
        coefficient: float
        speed: float

        def force(self, load, slip):
            return scale(slip, -self.coefficient * load * tanh_over(norm(slip), self.speed))

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficient", number(self.coefficient, "coefficient", least=0.0))
        object.__setattr__(self, "speed", number(self.speed, "speed", above=0.0))

    @property
    def kernel(self) -> Any:
        return self.Kernel(self.coefficient, self.speed)


@dataclass(frozen=True, kw_only=True)
class Coulomb(FrictionLaw):
    """Regularised Coulomb friction: rises to `static` at `peak_speed`, falls to `dynamic` at `slide_speed`.

    Piecewise cubic with continuous slope; near rest the law is viscous, so bodies creep instead of sticking.

    Parameters
    ----------
    static, dynamic : float
        Coefficients of friction, static >= dynamic.
    peak_speed, slide_speed : float
        Slip speeds [m/s]; `slide_speed` defaults to three times `peak_speed`.
    """

    static: float
    dynamic: float
    peak_speed: float
    slide_speed: float | None = None

    class Kernel(NamedTuple):
        static: float
        dynamic: float
        peak_speed: float
        slide_speed: float

        def force(self, load, slip):
            speed = norm(slip)
            if speed < self.peak_speed:
                x = speed / self.peak_speed
                over = self.static * 0.5 * (3.0 - x * x) / self.peak_speed
            else:
                x = min((speed - self.peak_speed) / (self.slide_speed - self.peak_speed), 1.0)
                over = (self.static + (self.dynamic - self.static) * x * x * (3.0 - 2.0 * x)) / speed
            return scale(slip, -load * over)

    def __post_init__(self) -> None:
        dynamic = number(self.dynamic, "dynamic", least=0.0)
        peak = number(self.peak_speed, "peak_speed", above=0.0)
        slide = 3.0 * peak if self.slide_speed is None else number(self.slide_speed, "slide_speed", above=peak)
        object.__setattr__(self, "static", number(self.static, "static", least=dynamic))
        object.__setattr__(self, "dynamic", dynamic)
        object.__setattr__(self, "peak_speed", peak)
        object.__setattr__(self, "slide_speed", slide)

    @property
    def kernel(self) -> Any:
        return self.Kernel(self.static, self.dynamic, self.peak_speed, self.slide_speed)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Bristle(FrictionLaw):
    """Bristle friction: elastic up to the friction limit, so that bodies stick.

    Its state is the tangential `stretch` [m], which the caller keeps: add `stretch_rate` to the equations of
    motion, or take fixed steps with :meth:`stretch_after`; a new contact starts at zero.  Below `breakaway`
    times the limit it is purely elastic, and a body at rest does not creep, even under a varying load
    (Dupont et al. 2002); at the limit it slides.

    Parameters
    ----------
    static : float
        Coefficient of friction at rest.
    stiffness : float
        Tangential stiffness [N/m].
    damping : float
        Tangential damping [N s/m]; it damps the oscillation of a sticking body.
    dynamic : float, optional
        Coefficient of sliding friction; default `static`.
    stribeck_speed : float
        Speed of the Stribeck transition [m/s]: the coefficient falls from static to dynamic like
        exp(-(slip / stribeck_speed)^2).
    breakaway : float
        Fraction of the limit up to which the bristle is purely elastic, 0 <= breakaway < 1.
    """

    static: float
    stiffness: float
    damping: float = 0.0
    dynamic: float | None = None
    stribeck_speed: float = 1e-2
    breakaway: float = 0.9

    Kernel = BristleKernel

    def __post_init__(self) -> None:
        static = number(self.static, "static", least=0.0)
        dynamic = static if self.dynamic is None else number(self.dynamic, "dynamic", least=0.0, most=static)
        object.__setattr__(self, "static", static)
        object.__setattr__(self, "dynamic", dynamic)
        object.__setattr__(self, "stiffness", number(self.stiffness, "stiffness", above=0.0))
        object.__setattr__(self, "damping", number(self.damping, "damping", least=0.0))
        object.__setattr__(self, "stribeck_speed", number(self.stribeck_speed, "stribeck_speed", above=0.0))
        object.__setattr__(self, "breakaway", number(self.breakaway, "breakaway", least=0.0, most=0.999))

    @property
    def kernel(self) -> Any:
        dynamic: Any = self.dynamic  # never None after __post_init__
        return self.Kernel(self.static, dynamic, self.stribeck_speed, self.stiffness, self.damping, self.breakaway)
