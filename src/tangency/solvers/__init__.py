"""One file per method; `certified` is the default.

| file | what it does |
|---|---|
| pair.py | what a solver may ask of two bodies: F, w, K, a Newton step |
| separation.py | distance with bounds, or the proof of overlap |
| penetration.py | depth with bounds |
| growing.py | the polytope that proves it |
| ascent.py, kink.py | local maxima of F on smooth places, and where edges meet |
| contact_point.py | where bodies touch whose normal does not tell it |
| certified.py | both, for a stack of pairs |
| lanes.py, ellipsoid_lanes.py, superellipsoid_lanes.py | the same for many pairs at once |
| lopes_implicit.py, lopes_parametric.py | Newton's method for two points with a common normal (Lopes 2010) |
| points.py | what both share: where they start, what they claim |
| portal.py, portal_pair.py, portal_problem.py | constrained optimisation by general optimisers (Portal) |
| gjk.py | GJK and EPA of a peer, Coal |
| placed_pair.py | one pair, for methods that are not compiled |
| method.py | what another method is |
| judgement.py | what its claims are worth |
| base.py | the one loop of methods that iterate on the normal |
| romer_newton.py | Römer 3-D, Algorithms I and II |
| romer_fixed_point.py | Römer 3-D, Algorithm III and the two other schemes of Fig. 7 |
| romer_switch.py | Römer 3-D, Algorithm IV |
"""

from .method import Method
from .papers.gjk import GJK
from .papers.lopes_implicit import LopesImplicit
from .papers.lopes_parametric import LopesParametric
from .papers.portal import Portal
from .papers.romer_fixed_point import RomerDirect, RomerMean, RomerThree
from .papers.romer_newton import RomerOne, RomerTwo
from .papers.romer_switch import RomerFour

#: Name of the solver that ``contact`` takes if none is named.
DEFAULT = "certified"

#: Other methods, by the name that ``contact(..., solver=name)`` takes.
SOLVERS: dict[str, Method] = {
    RomerOne.name: RomerOne(),
    RomerTwo.name: RomerTwo(),
    RomerThree.name: RomerThree(),
    RomerFour.name: RomerFour(),
    RomerDirect.name: RomerDirect(),
    RomerMean.name: RomerMean(),
    LopesImplicit.name: LopesImplicit(),
    LopesParametric.name: LopesParametric(),
    "portal-ip": Portal(method="interior-point"),
    "portal-sqp": Portal(method="sqp"),
    GJK.name: GJK(),
}

__all__ = [
    "DEFAULT",
    "GJK",
    "SOLVERS",
    "LopesImplicit",
    "LopesParametric",
    "Method",
    "Portal",
    "RomerDirect",
    "RomerFour",
    "RomerMean",
    "RomerOne",
    "RomerThree",
    "RomerTwo",
]
