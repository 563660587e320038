"""Gradient audit: derivatives of contacts beside differences in double-double arithmetic, for every family of shapes.

| file | contents |
|---|---|
| double_double.py | arrays of numbers with 32 digits |
| jets.py | values with derivatives, by the chain rule |
| definitions.py | support functions of all shapes, from their definitions |
| oracle.py | contacts in 32 digits, and their differences |
| pairs.py | random pairs |
| audit.py | the library beside the oracle |
| engines.py | other engines, by differences of their distances |
| cost.py | time of derivatives beside that of the contacts |
| report.py | the tables |
"""
