"""Which law acts between two bodies, in compiled code; see also ``law_table.py``."""

from ..compiled.jit import jit


@jit
def law_between(class_of, law_of, i, j):
    """Number of the law between the bodies i and j, -1 for none."""
    return law_of[class_of[min(i, j)], class_of[max(i, j)]]
