"""Certified contact of two planar bodies.

| file | contents |
|---|---|
| pair.py | the functions F, w and K of two bodies |
| separation.py | distance with bounds, or a proof of overlap |
| ascent.py | local maxima of F in overlap, with contact points |
| penetration.py | depth with bounds |
| certified.py | both, for a stack of pairs |
"""

from .certified import certified

__all__ = ["certified"]
