"""How two bodies interact where they touch: a normal law, friction, rolling resistance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compiled.subclasses import check_class
from ..forces.friction import FrictionLaw, Frictionless, Rolling
from ..forces.normal import NormalLaw

# Laws come to compiled code as a code and a row of parameters: what these follow from may be overridden.
_HONOURED = ("code", "row", "factor", "_dampers", "_parameters", "_exponent", "_least", "_above", "_check_restitution",
             "restitution_at", "from_restitution")  # fmt: skip


def _check_law(law: Any, name: str) -> None:
    check_class(
        law, name, _HONOURED,
        "simulations run the compiled laws of tangency.forces: choose one of them and its parameters (a derived class "
        "may override 'factor' or 'row'), or give a force of your own as a Load; forces.on() does call the method",
    )  # fmt: skip
    if isinstance(law, NormalLaw | FrictionLaw) and not hasattr(type(law), "code"):
        raise TypeError(f"{name} must be one of the laws of tangency.forces, got {law!r}, which has no code")


@dataclass(frozen=True)
class Interaction:
    """What happens where two bodies touch.

    Parameters
    ----------
    normal : NormalLaw, or a function of two materials
        A law of :mod:`tangency.forces`; or a function that makes one of the materials of A and B, called once for
        every pair of bodies: ``lambda a, b: forces.Flores(materials=(a, b), restitution=0.6)``.
    friction : FrictionLaw
        Default none.
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

    def law(self, material_a: Any, material_b: Any) -> NormalLaw:
        """The normal law of two bodies."""
        if isinstance(self.normal, NormalLaw):
            return self.normal
        law = self.normal(material_a, material_b)
        if not isinstance(law, NormalLaw):
            raise TypeError(f"the function given as normal must return a law of tangency.forces, got {law!r}")
        _check_law(law, "normal")
        return law

    def row(self, material_a: Any, material_b: Any) -> np.ndarray:
        """All parameters for compiled code, see ``press.py``."""
        law = self.law(material_a, material_b)
        rolling = np.array([0.0, 0.0, 1.0]) if self.rolling is None else self.rolling.row
        return np.concatenate([[law.code], law.row, [self.friction.code], self.friction.row, rolling])
