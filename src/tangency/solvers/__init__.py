"""One file per method; `certified` is the default.

| file | what it does |
|---|---|
| pair.py | what a solver may ask of two bodies: F, w, K, a Newton step |
| separation.py | distance with bounds, or the proof of overlap |
| penetration.py | depth with bounds |
| certified.py | both, for a stack of pairs |
| lanes.py, ellipsoid_lanes.py, superellipsoid_lanes.py | the same for many pairs at once |
| lopes_implicit.py, lopes_parametric.py | Newton's method for two points with a common normal (Lopes 2010) |
| points.py | what both share: where they start, what they claim |
| method.py | what another method is |
| verdict.py | what its claims are worth |
"""

from .lopes_implicit import LopesImplicit
from .lopes_parametric import LopesParametric
from .method import Method

#: Name of the solver that ``contact`` takes if none is named.
DEFAULT = "certified"

#: Other methods, by the name that ``contact(..., solver=name)`` takes.
SOLVERS: dict[str, Method] = {
    LopesImplicit.name: LopesImplicit(),
    LopesParametric.name: LopesParametric(),
}
