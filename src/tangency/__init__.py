"""tangency: contact between smooth convex bodies, with proved bounds.

>>> import tangency as tg
>>> c = tg.contact(tg.Sphere(1.0), tg.Ellipsoid([3, 2, 1]), pose_b=(None, [5, 0, 0]))
>>> float(c.distance)
1.0
"""

from . import solvers
from .check import CheckReport, check
from .continuity import Continuity, continuity
from .potential import from_potential
from .query import contact
from .radii import offset_limit
from .result import Contact, Status
from .shape import Shape, ShapeError
from .shapes import *  # noqa: F403
from .spherical import Spherical, potential, spherical
from .symbolic import from_support

__version__ = "0.1.0"
