"""Proximity queries: cheap proofs that two bodies are apart.

| file | question |
|---|---|
| spheres.py | are the bounding spheres apart? (Portal, Eq. 1; Lopes 2010, section 5) |
| boxes.py | are the oriented bounding boxes apart, by one of 15 axes? (Portal, section 2, Table 1) |
| ellipsoids.py | are two ellipsoids separated, touching or overlapping? (characteristic quartic) |
| pairs.py | which of many bodies may touch, or be closer than a distance? (candidate pairs) |
| overlapping_boxes.py, cells.py | which of many boxes along the axes overlap? (sorted cells, in linear time) |
| scatter.py | random places of many bodies that do not overlap |
| bounds.py | bounding spheres and boxes of shapes |

All but the last four take two bodies and poses like :func:`tangency.contact`, and broadcast in the same way.

>>> import tangency as tg
>>> a, b = tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 1, 1])
>>> bool(tg.broadphase.spheres_apart(a, b, pose_b=(None, [0, 0, 3])))
False
>>> bool(tg.broadphase.boxes_apart(a, b, pose_b=(None, [0, 0, 3])))
True
>>> tg.broadphase.Separation(int(tg.broadphase.ellipsoids(a, b, pose_b=(None, [0, 0, 2])))).name
'TOUCHING'
"""

from .bounds import BoundingBox, BoundingSphere, bounding_box, bounding_sphere
from .boxes import boxes_apart
from .ellipsoids import Separation, characteristic_quartic, ellipsoids
from .overlapping_boxes import overlapping_boxes
from .pairs import pairs
from .scatter import scatter
from .spheres import spheres_apart

__all__ = [
    "BoundingBox",
    "BoundingSphere",
    "Separation",
    "bounding_box",
    "bounding_sphere",
    "boxes_apart",
    "characteristic_quartic",
    "ellipsoids",
    "overlapping_boxes",
    "pairs",
    "scatter",
    "spheres_apart",
]
