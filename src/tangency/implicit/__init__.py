"""Implicit surfaces f(x) = 0, as used by the methods of Lopes.

| file | contents |
|---|---|
| surface.py | implicit surfaces and patches; f, gradient and Hessian of shapes and surfaces |
| quadric.py | ellipsoid, hyperboloids, paraboloids |
| superquadric.py, supertoroid.py | Barr's superquadrics |
| operators.py | normal, tangent and binormal fields; curvature |
| newton.py, parametric.py | the common normal of two surfaces: six coordinates, or four angles |
| contact.py, contact_kernel.py, stationary.py | contact of surfaces that need be neither closed nor convex |

Every shape with an implicit function can be used: sphere, ellipsoid, superellipsoid, power ellipsoid, their
affine images, and user-defined shapes whose ``Kernel`` has a method ``implicit(self, x)``.
"""

from .contact import contact
from .operators import Frame, curvature, frame
from .quadric import (
    Quadric,
    RayPoints,
    elliptic_paraboloid,
    hyperbolic_paraboloid,
    hyperboloid_one_sheet,
    hyperboloid_two_sheets,
)
from .stationary import SurfaceContact, SurfaceStatus
from .superquadric import Superquadric
from .supertoroid import Supertoroid
from .surface import ImplicitJet, Patch, Surface, evaluate

__all__ = [
    "Frame",
    "ImplicitJet",
    "Patch",
    "Quadric",
    "RayPoints",
    "Superquadric",
    "Supertoroid",
    "Surface",
    "SurfaceContact",
    "SurfaceStatus",
    "contact",
    "curvature",
    "elliptic_paraboloid",
    "evaluate",
    "frame",
    "hyperbolic_paraboloid",
    "hyperboloid_one_sheet",
    "hyperboloid_two_sheets",
]
