"""What a claim of a common normal is worth: the same judgement for every method.

Every unit vector n proves F(n) <= distance <= |w(n)| (design 2.3), whoever found it.  Where both meet,
the claim is proved; where they do not, `contacts/claims.py` asks the default solver.
"""

import math

import numpy as np

from ..compiled.jit import entry
from ..contacts.status import CLAIMED, DOUBTED, VALUES, Status
from ..kernels.vectors import axpy, mat_t_mul, norm
from .certified.pair import JETS, core_of, evaluate, place
from .scales import scales
from .tables import at

ROOM = 10.0  # a claimed distance may miss the proved one by so many tolerances
_APART, _NAN = int(Status.APART), int(Status.NOT_A_NUMBER)


@entry
def judge(a, b, tol, part, out):
    """Bounds for some pairs, from their normals; claims become APART or DOUBTED."""
    jets, values, codes = np.empty(JETS), out.values, out.codes
    count = values.size // VALUES
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        placed = place(a, b, k)
        pair, turn = placed.pair, placed.turn
        core = core_of(pair)
        _, rounding, tolerance = scales(placed.bounds_a, placed.bounds_b, pair.position, tol)
        tolerance = max(tolerance, rounding)
        i, j = 3 * count + 3 * k, 6 * count + 3 * k
        n = mat_t_mul(turn, (values[i], values[i + 1], values[i + 2]))
        f, w, _ = evaluate(pair, n, jets)
        lower, upper = f - core, norm(axpy(w, core, n)) if f < 0.0 else norm(w) - core
        upper = max(upper, lower)
        claimed = codes[k] == CLAIMED
        known = math.isfinite(values[k] + values[j] + values[j + 1] + values[j + 2]) and abs(norm(n) - 1.0) < 1e-9
        if not (known and math.isfinite(lower + upper)):
            lower, upper = -math.inf, math.inf
            codes[k] = _NAN
            values[k], values[i], values[i + 1], values[i + 2] = 0.0, 1.0, 0.0, 0.0
            values[j], values[j + 1], values[j + 2] = placed.home
        elif claimed:
            proved = lower + rounding >= 0.0 and upper - lower <= tolerance
            proved = proved and abs(values[k] - lower) <= ROOM * tolerance
            codes[k] = _APART if proved else DOUBTED
            if proved:  # a claim may be off by some tolerances: what is proved comes back
                values[k] = min(max(values[k], lower - rounding), upper + rounding)
        values[count + k] = lower - rounding
        values[2 * count + k] = upper + rounding
