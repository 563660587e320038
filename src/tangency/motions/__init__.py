"""Motions of rigid bodies, for the time of impact.

| file | what it does |
|---|---|
| motion.py | what a motion is |
| steady.py | constant velocities: `Drift`, `Screw` |
| path.py | through given poses: `PosePath` |
| bounded.py | any function of time with a bound on its speed: `BoundedMotion` |
"""

from .bounded import BoundedMotion
from .motion import Moment, Motion
from .path import PosePath
from .steady import Drift, Screw

__all__ = ["BoundedMotion", "Drift", "Moment", "Motion", "PosePath", "Screw"]
