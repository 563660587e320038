"""tangency: contact between smooth convex bodies, with proved bounds.

>>> import tangency as tg
>>> c = tg.contact(tg.Sphere(1.0), tg.Ellipsoid([3, 2, 1]), pose_b=(None, [5, 0, 0]))
>>> float(c.distance)
1.0
"""

from typing import TYPE_CHECKING, Any

from . import implicit, solvers
from .compiled import notice
from .contacts.bodies import Bodies
from .contacts.impact_result import Impact
from .contacts.impact_status import ImpactStatus
from .contacts.pair import Pair
from .contacts.query import contact
from .contacts.result import Contact
from .contacts.status import Status
from .contacts.time_of_impact import impact
from .derivatives.rates import Rates
from .geometry import orthogonal
from .geometry.curvature import Curvature
from .geometry.moments import Moments
from .io.spelling import missing
from .motions import BoundedMotion, Drift, PosePath, Screw
from .shapes import (
    Affine,
    Box,
    Cavity,
    Cone,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HarmonicShape,
    Hull,
    MeshWall,
    MinkowskiSum,
    Offset,
    Ovoid,
    PotentialFit,
    PowerEllipsoid,
    Segment,
    Sphere,
    SplineShape,
    Superellipsoid,
    Superovoid,
    TaperedSuperellipsoid,
    capsule,
    rounded_box,
)
from .shapes.checks.continuity import Continuity, continuity
from .shapes.checks.formula import CheckReport, check
from .shapes.checks.offset_limit import offset_limit
from .shapes.formulas.potential import from_potential
from .shapes.formulas.spherical import Spherical, potential, spherical
from .shapes.formulas.support import from_support
from .shapes.formulas.surfaces import from_implicit, from_parametric
from .shapes.parameters import ParameterJet
from .shapes.shape import Jet, Shape, ShapeError

if TYPE_CHECKING:
    from . import broadphase, dynamics, fitting, forces, planar, rolling, scene, studies, viz
    from .fitting import fit, from_mesh, from_points, select_model, signed_distance

__version__ = "0.1.0"

notice.install()

__all__ = [
    "Affine",
    "Bodies",
    "BoundedMotion",
    "Box",
    "Cavity",
    "CheckReport",
    "Cone",
    "Contact",
    "Continuity",
    "Curvature",
    "Cylinder",
    "Drift",
    "Ellipsoid",
    "HalfSpace",
    "HarmonicShape",
    "Hull",
    "Impact",
    "ImpactStatus",
    "Jet",
    "MeshWall",
    "MinkowskiSum",
    "Moments",
    "Offset",
    "Ovoid",
    "Pair",
    "ParameterJet",
    "PosePath",
    "PotentialFit",
    "PowerEllipsoid",
    "Rates",
    "Screw",
    "Segment",
    "Shape",
    "ShapeError",
    "Sphere",
    "Spherical",
    "SplineShape",
    "Status",
    "Superellipsoid",
    "Superovoid",
    "TaperedSuperellipsoid",
    "broadphase",
    "capsule",
    "check",
    "contact",
    "continuity",
    "dynamics",
    "fit",
    "fitting",
    "forces",
    "from_implicit",
    "from_mesh",
    "from_parametric",
    "from_points",
    "from_potential",
    "from_support",
    "impact",
    "implicit",
    "offset_limit",
    "orthogonal",
    "planar",
    "potential",
    "rolling",
    "rounded_box",
    "scene",
    "select_model",
    "signed_distance",
    "solvers",
    "spherical",
    "studies",
    "viz",
]


def _on_first_use(name: str) -> Any:
    # Keeps the import fast.
    import importlib

    if name in ("broadphase", "dynamics", "fitting", "forces", "planar", "rolling", "scene", "studies", "viz"):
        return importlib.import_module(f".{name}", __name__)
    if name in ("fit", "from_mesh", "from_points", "select_model", "signed_distance"):
        return getattr(importlib.import_module(".fitting", __name__), name)
    raise missing(__name__, name, __all__)


if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = _on_first_use


def __dir__() -> list[str]:
    # Lists the names loaded on first use, but not the modules of the package.
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
