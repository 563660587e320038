"""Forces of compliant contact: from depth, rate and curvature to force and torque.

| normal law | force | restitution |
|---|---|---|
| :class:`Hertz` | K depth^n | 1 |
| :class:`KelvinVoigt` | K depth + c rate | from c, K and the mass |
| :class:`HuntCrossley` | K depth^n (1 + d rate/v), d = 3 (1 - e) / 2 | about e, near 1 |
| :class:`LankaraniNikravesh` | same, d = 3 (1 - e^2) / 4 | about e, near 1 |
| :class:`Flores` | same, d = 8 (1 - e) / (5 e) | about e |
| :class:`Gonthier` | same, d = (1 - e^2) / e | about e |
| :class:`CarvalhoMartins` | same, d from an equation | e |

| friction law | sticks |
|---|---|
| :class:`Frictionless`, :class:`Tanh`, :class:`Coulomb` | no, creeps |
| :class:`Bristle` | yes, with a state |

The formulas of each law are compiled separately and called by their `address`, with a `row` of floats as parameters.
To define a new law, subclass :class:`NormalLaw` or :class:`FrictionLaw`, and test it with :func:`check`.
Vectorised over arrays: ``law.force(...)``, and for a :class:`~tangency.Contact`: :func:`on`.  For use in your own
compiled loops, with 3-tuples as vectors:

- ``normal_force(address, row, depth, rate, impact_speed, k1, k2) -> force``
- ``elastic_energy(address, row, depth, k1, k2) -> energy``, ``contact_stiffness(address, row, k1, k2) -> K``
- ``friction_force(address, row, load, slip, stretch) -> (force on B, stretch rate)``
- ``stretch_after(address, row, load, normal, slip, stretch, dt) -> stretch`` for steps of fixed size
- ``rolling_torque(row, load, normal, spin) -> torque on B``
- ``respond(kernel, depth, rate, impact_speed, k1, k2)`` for a law nested in a user-defined law

`depth` > 0 is penetration, `rate` its time derivative, `impact_speed` the rate at the start of the contact, `k1`
and `k2` the principal curvatures of the gap in any order, `slip` and `spin` the tangential and the angular
velocity of B relative to A.  Kernels raise no exceptions; they return finite numbers for
finite input, except on overflow.
"""

from typing import TYPE_CHECKING, Any

from ..io.spelling import missing
from .check import LawError, LawReport, check
from .ellipse import ContactEllipse, contact_ellipse
from .friction_base import FrictionForce, FrictionLaw
from .friction_kernel import FRICTION_ROW, friction_force, stretch_after
from .friction_laws import Bristle, Coulomb, Frictionless, Tanh
from .material import Material, effective_modulus
from .normal_base import NormalLaw
from .normal_kernel import NORMAL_ROW, contact_stiffness, elastic_energy, normal_force, respond
from .normal_laws import CarvalhoMartins, Flores, Gonthier, Hertz, HuntCrossley, KelvinVoigt, LankaraniNikravesh
from .registry import register
from .rolling import Rolling
from .rolling_kernel import rolling_torque
from .warmup import warm
from .wrench import ContactForces, on

__all__ = [
    "FRICTION_ROW",
    "NORMAL_ROW",
    "Bristle",
    "CarvalhoMartins",
    "ContactEllipse",
    "ContactForces",
    "Coulomb",
    "Flores",
    "FrictionForce",
    "FrictionLaw",
    "Frictionless",
    "Gonthier",
    "Hertz",
    "HuntCrossley",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "LawError",
    "LawReport",
    "Material",
    "NormalLaw",
    "Rolling",
    "Tanh",
    "check",
    "contact_ellipse",
    "contact_stiffness",
    "effective_modulus",
    "elastic_energy",
    "friction_force",
    "normal_force",
    "on",
    "register",
    "respond",
    "rolling_torque",
    "stretch_after",
    "warm",
]


def _missing(name: str) -> Any:
    raise missing(__name__, name, __all__)


if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = _missing
