"""One file per method; `certified` is the default.

| file | what it does |
|---|---|
| question.py, tables.py | input and output of a solver: for Python, for compiled code |
| tolerances.py | size, rounding error and tolerance of a pair |
| method.py, judgement.py | the base class of all other methods, and the check of their results |
| certified/pair.py | F, w, K and the Newton step of a pair of bodies |
| certified/separation.py | distance with bounds, or the proof of overlap |
| certified/shallow_overlap.py | shallow overlap: depth with bounds, by an ascent and two balls |
| certified/deep_overlap.py | deep overlap: depth with bounds, by ascent.py, kink.py and growing_polytope.py |
| certified/solver.py | all of these, for a stack of pairs |
| certified/cavity.py, cavity_search.py | clearance inside a cavity |
| certified/circle_search.py, cone_tip.py | clearance inside a cylindrical or conical cavity |
| lanes/ | many pairs at a time: ellipsoids, superellipsoids, planes |
| explicit/ | closed forms: planes, round walls |
| advancement/turning.py, step.py | how long a direction proves that moving bodies stay apart |
| advancement/normals.py, advance.py, solver.py | better directions, the search for the first contact, stacks |
| papers/loop.py | the loop shared by all methods that iterate on the normal |
| papers/romer_newton.py | Römer 3-D, Algorithms I and II |
| papers/romer_fixed_point.py | Römer 3-D, Algorithm III and the two other schemes of Fig. 7 |
| papers/romer_switch.py | Römer 3-D, Algorithm IV |
| papers/lopes_implicit.py, lopes_parametric.py | Newton's method for two points with a common normal (Lopes 2010) |
| papers/portal.py | constrained optimisation by general optimisers (Portal) |
| papers/gjk.py | GJK and EPA as implemented in Coal |
"""

from .method import Method
from .papers.gjk import GJK
from .papers.lopes_implicit import LopesImplicit
from .papers.lopes_parametric import LopesParametric
from .papers.portal import Portal
from .papers.romer_fixed_point import RomerDirect, RomerMean, RomerThree
from .papers.romer_newton import RomerOne, RomerTwo
from .papers.romer_switch import RomerFour

#: Name of the solver that ``contact`` uses by default.
DEFAULT = "certified"

#: The other methods, by the name used in ``contact(..., solver=name)``.
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
