"""One file per body; offset, minkowski and affine make shapes from shapes."""

from .ellipsoid import Ellipsoid
from .sphere import Sphere
from .superellipsoid import Superellipsoid
