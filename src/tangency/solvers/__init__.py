"""One file per method; `certified` is the default.

| file | what it does |
|---|---|
| pair.py | what a solver may ask of two bodies: F, w, K, a Newton step |
| separation.py | distance with bounds, or the proof of overlap |
| penetration.py | depth with bounds |
| certified.py | both, for a stack of pairs |
| lanes.py, ellipsoid_lanes.py, superellipsoid_lanes.py | the same for many pairs at once |
| method.py | what another method is |
| verdict.py | what its claims are worth |
| base.py | the one loop of methods that iterate on the normal |
| romer_newton.py | Römer 3-D, Algorithms I and II |
| romer_fixed_point.py | Römer 3-D, Algorithm III and the two other schemes of Fig. 7 |
| romer_switch.py | Römer 3-D, Algorithm IV |
"""

from .method import Method
from .romer_fixed_point import RomerDirect, RomerMean, RomerThree
from .romer_newton import RomerOne, RomerTwo
from .romer_switch import RomerFour

#: Name of the solver that ``contact`` takes if none is named.
DEFAULT = "certified"

#: Other methods, by the name that ``contact(..., solver=name)`` takes.
SOLVERS: dict[str, Method] = {
    method.name: method
    for method in (
        RomerOne(), RomerTwo(), RomerThree(), RomerFour(), RomerDirect(), RomerMean(),
    )
}  # fmt: skip

__all__ = [
    "DEFAULT",
    "SOLVERS",
    "Method",
    "RomerDirect",
    "RomerFour",
    "RomerMean",
    "RomerOne",
    "RomerThree",
    "RomerTwo",
]
