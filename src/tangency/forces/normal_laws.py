"""Normal laws and their parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.curvature import CurvatureLike
from ..io.numbers import number
from . import damping
from .damper_kernel import ImpactDamper, ViscousDamper
from .material import Material, effective_modulus
from .normal_base import NormalLaw
from .normal_kernel import LARGEST_CURVATURE, LEAST_CURVATURE
from .spring_kernel import EllipticSpring, MeanSpring, PowerSpring

_FORMS = {"elliptic": EllipticSpring, "mean": MeanSpring}


@dataclass(frozen=True, kw_only=True)
class _PowerLaw(NormalLaw):
    """Normal law with the elastic part K depth^n.

    Parameters
    ----------
    stiffness : float, optional
        Stiffness K [N/m^n]; give either this or `materials`.
    materials : Material or pair of Material, optional
        Materials of the bodies; K then follows from Hertz's theory and the curvature of the gap.
    exponent : float, optional
        Exponent n; default 3/2, and always 3/2 with `materials`.
    form : {"elliptic", "mean"}
        With `materials`: K from the true contact ellipse, or from the geometric mean of the curvatures
        (Römer 3-D, Eq. 96).  Both agree for a circular contact.
    radius_limits : (float, float), optional
        With `materials`: relative radii of curvature are clipped to this range [m], so that flat faces and
        corners also have a stiffness.
    """

    stiffness: float | None = None
    materials: Material | Sequence[Material] | None = None
    exponent: float | None = None
    form: str = "elliptic"
    radius_limits: tuple[float, float] | None = None

    _open: ClassVar[bool] = False
    _exponent: ClassVar[float] = 1.5

    def __post_init__(self) -> None:
        if (self.stiffness is None) == (self.materials is None):
            raise ValueError(
                "give either stiffness or materials, got " + ("neither" if self.stiffness is None else "both")
            )
        if self.form not in _FORMS:
            raise ValueError(f"form must be 'elliptic' or 'mean', got {self.form!r}")
        if self.stiffness is not None:
            self._set("stiffness", number(self.stiffness, "stiffness", above=0.0))
            default = self._exponent
        elif self.materials is not None:
            effective_modulus(self.materials)
            default = 1.5
        self._set("exponent", number(default if self.exponent is None else self.exponent, "exponent", least=1.0))
        if self.materials is not None and self.exponent != 1.5:
            raise ValueError(f"exponent must be 1.5 with materials (Hertz), got {self.exponent}")
        if self.stiffness is not None:
            for name in ("form", "radius_limits"):
                if getattr(self, name) != type(self).__dataclass_fields__[name].default:
                    raise ValueError(f"{name} must not be given with stiffness, only with materials")
        if self.radius_limits is not None:
            if np.shape(self.radius_limits) != (2,):
                raise ValueError(f"radius_limits must be (smallest, largest), got {self.radius_limits!r}")
            low = number(self.radius_limits[0], "radius_limits[0]", above=0.0)
            self._set("radius_limits", (low, number(self.radius_limits[1], "radius_limits[1]", least=low)))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def needs_impact_speed(self) -> bool:
        """Whether the force depends on the impact speed."""
        return False

    @property
    def needs_radius(self) -> bool:
        """Whether flat gaps have no stiffness: K from materials, without limits of the radius."""
        return self.materials is not None and self.radius_limits is None

    @property
    def needs_curvature(self) -> bool:
        """Whether the stiffness depends on the curvature of the gap."""
        return self.stiffness is None

    @property
    def kernel(self) -> Any:
        """The parameters and formulas as a NamedTuple."""
        return self._spring()

    def _spring(self) -> Any:
        """Kernel of the elastic part."""
        if self.materials is None:
            return PowerSpring(self.stiffness, self.exponent)  # type: ignore[arg-type]
        low, high = LEAST_CURVATURE, LARGEST_CURVATURE
        if self.radius_limits is not None:
            low, high = 1.0 / self.radius_limits[1], 1.0 / self.radius_limits[0]
        return _FORMS[self.form](effective_modulus(self.materials), low, high)


@dataclass(frozen=True, kw_only=True)
class Hertz(_PowerLaw):
    """Elastic contact: F = K depth^(3/2), restitution 1.

    Examples
    --------
    >>> from tangency import forces
    >>> law = forces.Hertz(materials=forces.Material(210e9, 0.3))
    >>> f"{law.force(1e-6, curvature=[10.0, 10.0]):.4f} N"          # a ball of 0.1 m on a plane
    '48.6504 N'
    """

    def restitution_at(
        self, speed: float, mass: ArrayLike | None = None, curvature: CurvatureLike | None = None
    ) -> float:
        """Restitution of a free impact at this speed, independent of mass and curvature."""
        number(speed, "speed", above=0.0)
        return 1.0


@dataclass(frozen=True, kw_only=True)
class KelvinVoigt(_PowerLaw):
    """Spring and damper in parallel: F = K depth + damping rate, cut where it would pull.

    The exponent defaults to 1, unless `materials` are given.

    Parameters
    ----------
    damping : float
        Damping coefficient [N s/m].

    Examples
    --------
    >>> from tangency import forces
    >>> law = forces.KelvinVoigt.from_restitution(stiffness=1e5, restitution=0.5, mass=2.0)
    >>> round(law.restitution_at(1.0, mass=2.0), 12)
    0.5
    """

    damping: float = 0.0
    _exponent = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("damping", number(self.damping, "damping", least=0.0))

    @classmethod
    def from_restitution(cls, *, stiffness: float, restitution: float, mass: float) -> KelvinVoigt:
        """Linear law with the given restitution in a free impact of a `mass` [kg] (of two bodies, the reduced mass)."""
        e = number(restitution, "restitution", above=0.0, most=1.0)
        k, m = number(stiffness, "stiffness", above=0.0), number(mass, "mass", above=0.0)
        return cls(stiffness=k, damping=2.0 * damping.voigt_ratio(e) * math.sqrt(k * m))

    @property
    def kernel(self) -> Any:
        """The parameters and formulas as a NamedTuple."""
        return ViscousDamper(self._spring(), self.damping)

    def restitution_at(
        self, speed: float, mass: ArrayLike | None = None, curvature: CurvatureLike | None = None
    ) -> float:
        """Restitution of a free impact of a reduced `mass` [kg], at any speed; for exponent 1 only."""
        number(speed, "speed", above=0.0)
        if self.stiffness is None or self.exponent != 1.0:
            raise ValueError(f"restitution_at needs a given stiffness and the exponent 1, got exponent {self.exponent}")
        if mass is None:
            raise ValueError("mass must be given: the restitution of KelvinVoigt depends on it")
        return damping.voigt_rebound(self.damping / (2.0 * math.sqrt(self.stiffness * number(mass, "mass", above=0.0))))


@dataclass(frozen=True, kw_only=True)
class _Dissipative(_PowerLaw):
    """F = K depth^n (1 + d rate / impact speed), cut where it would pull.

    Parameters
    ----------
    restitution : float
        Desired coefficient of restitution e, which determines d.
    slowest_impact : float
        Lower limit of the impact speed in the formula [m/s]: a contact that starts at rest has no impact
        speed to divide by, and the damping of slow impacts would become arbitrarily stiff.
    """

    restitution: float | None = None
    slowest_impact: float = 1e-3
    _least: ClassVar[float] = 0.0
    _above: ClassVar[float] = -math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("slowest_impact", number(self.slowest_impact, "slowest_impact", above=0.0))
        self._check_restitution()

    def _check_restitution(self) -> None:
        if self.restitution is None:
            raise ValueError("restitution must be given")
        e = number(self.restitution, "restitution", above=self._above, least=self._least, most=1.0)
        self._set("restitution", e)

    @property
    def factor(self) -> float:
        """Factor d of rate / impact speed."""
        raise NotImplementedError

    @property
    def needs_impact_speed(self) -> bool:
        """Whether the force depends on the impact speed."""
        return self.restitution is not None

    @property
    def kernel(self) -> Any:
        """The parameters and formulas as a NamedTuple."""
        return ImpactDamper(self._spring(), *self._dampers())

    def _dampers(self) -> tuple[float, float, float]:
        """Factor of rate / impact speed, factor of the rate [s/m], slowest impact [m/s]."""
        return (self.factor, 0.0, self.slowest_impact)

    def restitution_at(self, speed: float, mass: Any = None, curvature: Any = None) -> float:
        """Actual restitution of a free impact at this speed: most formulas for d are approximations.

        It depends on neither `mass` nor `curvature`.
        """
        v = number(speed, "speed", above=0.0)
        ratio, fixed, slowest = self._dampers()
        return damping.rebound(ratio * v / max(v, slowest) + fixed * v)


@dataclass(frozen=True, kw_only=True)
class HuntCrossley(_Dissipative):
    """Hunt and Crossley (1975): d = 3 (1 - e) / 2, Römer 2-D, Eq. (103).  Accurate for e near 1.

    Parameters
    ----------
    damping : float, optional
        Instead of `restitution`: a fixed factor of the rate [s/m], F = K depth^n (1 + damping rate).  The
        force is then independent of the impact speed, and the restitution decreases with that speed.
    """

    damping: float | None = None

    def _check_restitution(self) -> None:
        if (self.damping is None) == (self.restitution is None):
            raise ValueError(
                "give either restitution or damping, got " + ("neither" if self.damping is None else "both")
            )
        if self.damping is None:
            super()._check_restitution()
        else:
            self._set("damping", number(self.damping, "damping", least=0.0))
            if self.slowest_impact != type(self).__dataclass_fields__["slowest_impact"].default:
                raise ValueError("slowest_impact must not be given with damping: it does not use the impact speed")

    @property
    def factor(self) -> float:
        return 0.0 if self.restitution is None else 1.5 * (1.0 - self.restitution)

    def _dampers(self) -> tuple[float, float, float]:
        return (self.factor, self.damping or 0.0, self.slowest_impact)


@dataclass(frozen=True, kw_only=True)
class LankaraniNikravesh(_Dissipative):
    """Lankarani and Nikravesh (1990): d = 3 (1 - e^2) / 4.  Accurate for e near 1."""

    @property
    def factor(self) -> float:
        return 0.75 * (1.0 - self.restitution**2)  # type: ignore[operator]


@dataclass(frozen=True, kw_only=True)
class Flores(_Dissipative):
    """Flores et al. (2011): d = 8 (1 - e) / (5 e), Römer 3-D, Eq. (96).  Valid for every e > 0.

    Examples
    --------
    >>> from tangency import forces
    >>> steel = forces.Material(210e9, 0.3)
    >>> law = forces.Flores(materials=steel, restitution=0.6, form="mean")     # Römer 3-D, Table C.3
    >>> f"{law.force(1e-6, 0.05, 0.1, [10.0, 10.0]):.4f} N"
    '74.5973 N'
    >>> f"{law.restitution_at(0.1):.4f}"
    '0.5773'
    """

    _above = 0.0

    @property
    def factor(self) -> float:
        return 1.6 * (1.0 - self.restitution) / self.restitution  # type: ignore[operator]


@dataclass(frozen=True, kw_only=True)
class Gonthier(_Dissipative):
    """Gonthier et al. (2004): d = (1 - e^2) / e.  Valid for every e > 0."""

    _above = 0.0

    @property
    def factor(self) -> float:
        return (1.0 - self.restitution**2) / self.restitution  # type: ignore[operator]


@dataclass(frozen=True, kw_only=True)
class CarvalhoMartins(_Dissipative):
    """The d that gives exactly the restitution e > 0, (1 + d) / (1 - e d) = exp(d (1 + e)).

    Carvalho and Martins (2019); Gonthier et al. (2004) derive the same equation and solve it approximately.
    """

    _above = 0.0

    @property
    def factor(self) -> float:
        return damping.factor_for(self.restitution)  # type: ignore[arg-type]
