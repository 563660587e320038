"""Names of laws in scene files, and the class of each."""

from __future__ import annotations

import re

from .friction_base import FrictionLaw
from .friction_laws import Bristle, Coulomb, Frictionless, Tanh
from .law import Law
from .normal_base import NormalLaw
from .normal_laws import CarvalhoMartins, Flores, Gonthier, Hertz, HuntCrossley, KelvinVoigt, LankaraniNikravesh

NORMAL: dict[str, type[NormalLaw]] = {
    "hertz": Hertz,
    "kelvin_voigt": KelvinVoigt,
    "hunt_crossley": HuntCrossley,
    "lankarani_nikravesh": LankaraniNikravesh,
    "flores": Flores,
    "gonthier": Gonthier,
    "carvalho_martins": CarvalhoMartins,
}
FRICTION: dict[str, type[FrictionLaw]] = {"none": Frictionless, "tanh": Tanh, "coulomb": Coulomb, "bristle": Bristle}
_BUILTIN = frozenset((*NORMAL, *FRICTION))


def register(name: str, law: type[Law]) -> None:
    """Make a user-defined law available in scene files.

    ``law = "name"`` in ``[simulation.normal]`` or ``[simulation.friction]`` selects it; the other keys of the
    table are the arguments of the class.  A law that takes `materials` receives those of the two bodies, unless the
    table has a `stiffness`.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and underscores; not the name of a built-in law.  An earlier law of the same name
        is replaced.
    law : class
        Derived from :class:`NormalLaw` or :class:`FrictionLaw`.

    Examples
    --------
    >>> import typing
    >>> from tangency import forces
    >>> class Soft(forces.NormalLaw):
    ...     class Kernel(typing.NamedTuple):
    ...         stiffness: float
    ...         def force(self, depth):
    ...             return self.stiffness * depth**2
    ...         def energy(self, depth):
    ...             return self.stiffness * depth**3 / 3.0
    >>> forces.register("soft", Soft)
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"name must consist of lower-case letters, digits and underscores, got {name!r}")
    if name in _BUILTIN:
        raise ValueError(f"name must not be that of a built-in law, got {name!r}")
    if not (isinstance(law, type) and issubclass(law, NormalLaw | FrictionLaw)):
        raise TypeError(f"law must be a class derived from NormalLaw or FrictionLaw, got {law!r}")
    if issubclass(law, NormalLaw):
        NORMAL[name] = law
    else:
        FRICTION[name] = law
