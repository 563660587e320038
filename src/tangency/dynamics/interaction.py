"""How two bodies interact where they touch: a normal law, friction, rolling resistance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..compiled.subclasses import check_class
from ..forces.check import require_sound
from ..forces.friction_base import FrictionLaw
from ..forces.friction_laws import Frictionless
from ..forces.material import effective_modulus
from ..forces.normal_base import NormalLaw
from ..forces.rolling import Rolling
from ..io.spelling import Spelled
from .contact.laws import LawEntry, law_entry
from .ranges import in_range

# Compiled code uses the formulas and a row of parameters of a law: attributes that determine the row may be overridden.
_HONOURED = (
    "Kernel",
    "factor",
    "_exponent",
    "_least",
    "_above",
    "_check_restitution",
    "restitution_at",
    "from_restitution",
    "_builtin",
    "_open",
    "_asks",
)


def _check_law(law: Any, name: str) -> None:
    how = "define a new law as a class with a nested Kernel, from which its formulas are compiled (docs/forces.md)"
    check_class(law, name, _HONOURED, how)


@dataclass(frozen=True)
class Interaction(Spelled):
    """Contact laws between two bodies.

    Parameters
    ----------
    normal : NormalLaw, or a function of two materials
        A law of :mod:`tangency.forces`; or a function that returns one for the materials of A and B, called once for
        each pair of bodies: ``lambda a, b: forces.Flores(materials=(a, b), restitution=0.6)``.
    friction : FrictionLaw
        Friction law; default no friction.
    rolling : Rolling, optional
        Resistance to rolling and spinning.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency import forces
    >>> soft = tg.dynamics.Interaction(
    ...     forces.HuntCrossley(stiffness=1e5, restitution=0.8), forces.Tanh(coefficient=0.3, speed=1e-2)
    ... )
    """

    normal: NormalLaw | Callable[[Any, Any], NormalLaw]
    friction: FrictionLaw = Frictionless()  # noqa: RUF009 - immutable
    rolling: Rolling | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.normal, NormalLaw) or callable(self.normal)):
            raise TypeError(
                f"normal must be a law of tangency.forces or a function of two materials, got {self.normal!r}"
            )
        if not isinstance(self.friction, FrictionLaw):
            raise TypeError(f"friction must be a friction law of tangency.forces, got {self.friction!r}")
        if self.rolling is not None and not isinstance(self.rolling, Rolling):
            raise TypeError(f"rolling must be a Rolling of tangency.forces, got {self.rolling!r}")
        if isinstance(self.normal, NormalLaw):
            _check_law(self.normal, "normal")
        _check_law(self.friction, "friction")
        _check_law(self.rolling, "rolling")

    def law(self, material_a: object, material_b: object) -> NormalLaw:
        """The normal law of two bodies."""
        if isinstance(self.normal, NormalLaw):
            return self.normal
        law = self.normal(material_a, material_b)
        if not isinstance(law, NormalLaw):
            raise TypeError(f"the function given as normal must return a law of tangency.forces, got {law!r}")
        _check_law(law, "normal")
        return law

    def entry(self, material_a: object, material_b: object) -> LawEntry:
        """Formulas and parameters for compiled code."""
        normal = self.law(material_a, material_b)
        for law in (normal, self.friction):
            law.require_finite()
            require_sound(law)
            for name in ("stiffness", "damping"):
                if getattr(law, name, None) is not None:
                    in_range(getattr(law, name), name, f"{name} of {type(law).__name__}")
        if getattr(normal, "materials", None) is not None:
            in_range(effective_modulus(normal.materials), "young", f"modulus of {type(normal).__name__}")
        return law_entry(normal, self.friction, self.rolling)
