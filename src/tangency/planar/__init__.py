"""The planar world: the words of tangency in two dimensions, and the explicit solutions that only the plane has.

>>> from tangency import planar
>>> c = planar.contact(planar.Circle(1.0), planar.Ellipse([3, 2]), pose_b=(0.0, [5, 0]))
>>> float(c.distance)
1.0
"""

from .continuity import Continuity, continuity
from .moments import Moments
from .query import contact
from .radii import offset_limit
from .result import Contact
from .shape import Jet, Shape
from .shapes import (
    Affine,
    Circle,
    Ellipse,
    FourierShape,
    Line,
    MinkowskiSum,
    Offset,
    PiecewiseShape,
    Polygon,
    Superellipse,
    foot_shape,
    from_potential,
    periodic_spline,
)

__all__ = [
    "Affine",
    "Circle",
    "Contact",
    "Continuity",
    "Ellipse",
    "FourierShape",
    "Jet",
    "Line",
    "MinkowskiSum",
    "Moments",
    "Offset",
    "PiecewiseShape",
    "Polygon",
    "Shape",
    "Superellipse",
    "contact",
    "continuity",
    "foot_shape",
    "from_potential",
    "offset_limit",
    "periodic_spline",
]
