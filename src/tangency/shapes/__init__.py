"""Shapes, one file each; offset, minkowski and affine build shapes from other shapes.

==================  =============================  ========  ========  ==========  =======================
shape               arguments                      implicit  smooth    bounded     volume and inertia
==================  =============================  ========  ========  ==========  =======================
Sphere              radius                         yes       yes       yes         closed form
Ellipsoid           radii                          yes       yes       yes         closed form
Superellipsoid      radii, epsilon                 yes       no        yes         closed form
PowerEllipsoid      radii, exponents               yes       no        yes         closed form
Superovoid          radii, exponents, 2 tapers     yes       no        yes         closed form
Ovoid               radii, 2 tapers                yes       yes       yes         closed form
TaperedSuperellip.  radii, epsilon, taper          yes       no        yes         closed form
HarmonicShape       coefficients                   no        yes       yes         numerical
SplineShape         coefficients                   no        yes       yes         numerical
Box                 half_lengths                   yes       no        yes         closed form
Cylinder            radius, half_length            yes       no        yes         closed form
Cone                radius, half_length, top       yes       no        yes         closed form
Segment             half_length                    no        no        yes         zero
Hull                points                         no        no        yes         exact
HalfSpace           normal, offset                 yes       yes       no          infinite
Cavity              hollow, ends                   as body   as body   no          infinite
MeshWall            points, triangles              no        no        not convex  none
Offset              body, distance                 no        as body   yes         closed form or numerical
capsule             radius, half_length            no        no        yes         closed form
rounded_box         half_lengths, radius           no        no        yes         closed form
MinkowskiSum        a, b                           no        as both   yes         exact or numerical
Affine              body, matrix, translation      as body   as body   yes         as body
==================  =============================  ========  ========  ==========  =======================

Smooth: the radii-of-curvature operator W(n) is finite and continuous.  Numerical moments state their
error (``shape.moments().error``).  Shapes from formulas: ``from_support``, ``from_potential`` and
subclasses of ``Shape``.
"""

from .affine import Affine
from .box import Box
from .capsule import capsule
from .cavity import Cavity
from .coefficient_fit import PotentialFit
from .cone import Cone
from .cylinder import Cylinder
from .ellipsoid import Ellipsoid
from .half_space import HalfSpace
from .harmonic import HarmonicShape
from .hull import Hull
from .mesh_wall import MeshWall
from .minkowski import MinkowskiSum
from .offset import Offset
from .power_ellipsoid import PowerEllipsoid
from .rounded_box import rounded_box
from .segment import Segment
from .sphere import Sphere
from .spline import SplineShape
from .superellipsoid import Superellipsoid
from .superovoid import Ovoid, Superovoid, TaperedSuperellipsoid

__all__ = [
    "Affine",
    "Box",
    "Cavity",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "HalfSpace",
    "HarmonicShape",
    "Hull",
    "MeshWall",
    "MinkowskiSum",
    "Offset",
    "Ovoid",
    "PotentialFit",
    "PowerEllipsoid",
    "Segment",
    "Sphere",
    "SplineShape",
    "Superellipsoid",
    "Superovoid",
    "TaperedSuperellipsoid",
    "capsule",
    "rounded_box",
]
