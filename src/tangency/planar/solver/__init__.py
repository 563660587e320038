"""Certified contact of two planar bodies.

| file | contents |
|---|---|
| pair.py | the functions F, w and K of two bodies |
| separation.py | distance with bounds, or a proof of overlap |
| penetration.py | depth with bounds |
| certified.py | both, for a stack of pairs |
"""

from .certified import certified

__all__ = ["certified"]
