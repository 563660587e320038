"""Which law acts between two bodies, in compiled code; see also ``law_table.py``."""

from ..compiled.jit import jit


@jit
def law_between(labels, class_of, law_of, i, j):
    """Number of the law between the bodies i and j, -1 for none.

    The table of laws has a row for the class of the body that comes first in the world; `labels` are the numbers there.
    """
    return law_of[class_of[i], class_of[j]] if labels[i] < labels[j] else law_of[class_of[j], class_of[i]]
