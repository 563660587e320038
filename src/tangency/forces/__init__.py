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

Every law is a frozen class with an integer `code` and a `row` of floats (`NORMAL_ROW`, `FRICTION_ROW` long).
Vectorised over arrays: ``law.force(...)``, and for a :class:`~tangency.Contact`: :func:`on`.  Inside one's own
compiled loops, with 3-tuples as vectors:

- ``normal_force(code, row, depth, rate, impact_speed, k1, k2) -> force``
- ``friction_force(code, row, load, slip, stretch) -> (force on B, stretch rate)``
- ``stretch_after(code, row, load, normal, slip, stretch, dt) -> stretch`` for steps of fixed size
- ``rolling_torque(row, load, normal, spin) -> torque on B``
- ``contact_stiffness(row, k1, k2) -> K``, ``elastic_energy(row, depth, k1, k2) -> energy``

`depth` > 0 is penetration, `rate` its time derivative, `impact_speed` the rate when the contact began, `k1`
and `k2` the principal curvatures of the gap in any order, `slip` and `spin` the tangential and the angular
velocity of B relative to A.  Kernels raise nothing; they return finite numbers for
finite input, overflow aside.
"""

from .ellipse import ContactEllipse, contact_ellipse
from .friction import Bristle, Coulomb, FrictionForce, FrictionLaw, Frictionless, Rolling, Tanh
from .friction_kernel import FRICTION_ROW, friction_force, rolling_torque, stretch_after
from .material import Material, effective_modulus
from .normal import (
    CarvalhoMartins,
    Flores,
    Gonthier,
    Hertz,
    HuntCrossley,
    KelvinVoigt,
    LankaraniNikravesh,
    NormalLaw,
)
from .normal_kernel import NORMAL_ROW, contact_stiffness, elastic_energy, normal_force
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
    "Material",
    "NormalLaw",
    "Rolling",
    "Tanh",
    "contact_ellipse",
    "contact_stiffness",
    "effective_modulus",
    "elastic_energy",
    "friction_force",
    "normal_force",
    "on",
    "rolling_torque",
    "stretch_after",
    "warm",
]
