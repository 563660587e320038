"""One file per method; `certified` is the default.

| file | what it does |
|---|---|
| pair.py | what a solver may ask of two bodies: F, w, K, a Newton step |
| separation.py | distance with bounds, or the proof of overlap |
| penetration.py | depth with bounds |
| certified.py | both, for a stack of pairs |
"""

from .certified import certified

#: Methods by the name that ``contact(..., solver=name)`` takes.
SOLVERS = {"certified": certified}
