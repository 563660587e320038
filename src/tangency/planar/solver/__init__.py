"""Certified contact of two planar bodies.

| file | what it does |
|---|---|
| pair.py | what the solver may ask of two bodies: F, w, K |
| separation.py | distance with bounds, or the proof of overlap |
| penetration.py | depth with bounds |
| certified.py | both, for a stack of pairs |
"""

from .certified import certified

__all__ = ["certified"]
