"""Laws that return a number that is not finite: compiled code notes the arguments, see also ``fault_sentence.py``."""

import math

from ...compiled.jit import jit
from ...forces.friction_kernel import RATE
from .laws import friction_of, normal_of

# Columns of a fault: kind of law, 0 for no fault; both shapes; number of the law; which of its results is not finite,
# and its value; its arguments, as in `normal_of` and `friction_of`.
KIND, SHAPES, WHICH, RESULT, VALUE, ARGUMENTS = 0, 1, 3, 4, 5, 6
FAULT = ARGUMENTS + 8
NORMAL, FRICTION = 1.0, 2.0
INFINITE = math.inf


@jit
def _note(fault, kind, pair, which, results, arguments):
    for value in arguments:
        if not abs(value) < INFINITE:
            return  # not the fault of the law
    fault[KIND], fault[SHAPES], fault[SHAPES + 1], fault[WHICH] = kind, pair[0], pair[1], which
    for k in range(len(results) - 1, -1, -1):
        if not abs(results[k]) < INFINITE:
            fault[RESULT], fault[VALUE] = k, results[k]
    for k in range(len(arguments)):
        fault[ARGUMENTS + k] = arguments[k]


@jit
def note_normal(fault, pair, laws, which, approach):
    """Note that the normal law `which` gives a number that is not finite for an :class:`Approach`."""
    depth, rate, impact, k1, k2 = approach
    results = normal_of(laws, which, depth, rate, impact, k1, k2)
    _note(fault, NORMAL, pair, which, results, (depth, rate, impact, k1, k2))


@jit
def note_friction(fault, pair, laws, which, load, slip, stretch, dt):
    """The same for the friction law; arguments as in `friction_of`, but with the stretch after a step."""
    f, change, energy, power = friction_of(laws, which, load, slip, stretch, dt)
    if dt != RATE and abs(change[0]) + abs(change[1]) + abs(change[2]) < INFINITE:
        stretch = change
    results = (f[0], f[1], f[2], change[0], change[1], change[2], energy, power)
    arguments = (load, slip[0], slip[1], slip[2], stretch[0], stretch[1], stretch[2], dt)
    _note(fault, FRICTION, pair, which, results, arguments)
