"""One file per body; offset, minkowski and affine make shapes from shapes."""

from .affine import Affine
from .box import Box
from .capsule import capsule
from .ellipsoid import Ellipsoid
from .half_space import HalfSpace
from .hull import Hull
from .minkowski import MinkowskiSum
from .offset import Offset
from .power_ellipsoid import PowerEllipsoid
from .rounded_box import rounded_box
from .segment import Segment
from .sphere import Sphere
from .superellipsoid import Superellipsoid
