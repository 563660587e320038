"""Planar shapes, one file each.

| file | body |
|---|---|
| circle.py, ellipse.py, superellipse.py | circle, ellipse (Römer 3-D, Eq. 12), superellipse (Eq. 13) |
| polygon.py | convex polygon, with sharp or rounded corners |
| fourier.py | Fourier series of the potential (Römer 2-D, Eq. 85) |
| piecewise.py | piecewise polynomials of the potential, periodic splines |
| formula.py | from g and its derivatives, or a SymPy expression |
| offset.py, minkowski.py, affine.py | built from other bodies |
| line.py | the half-plane below a line |
"""

from .affine import Affine
from .circle import Circle
from .ellipse import Ellipse
from .formula import from_potential
from .fourier import FourierShape, foot_shape
from .line import Line
from .minkowski import MinkowskiSum
from .offset import Offset
from .piecewise import PiecewiseShape, periodic_spline
from .polygon import Polygon
from .superellipse import Superellipse

__all__ = [
    "Affine",
    "Circle",
    "Ellipse",
    "FourierShape",
    "Line",
    "MinkowskiSum",
    "Offset",
    "PiecewiseShape",
    "Polygon",
    "Superellipse",
    "foot_shape",
    "from_potential",
    "periodic_spline",
]
