"""Stiffness and damping of a friction law near rest, from which the default step of the fast mode is derived."""

import math

from ...compiled.jit import entry
from ...forces.friction_kernel import RATE
from .laws import friction_of, has_state

_DECADES = 15  # of slip and stretch at which a law is evaluated, down from 10 m/s and 1e-2 m
_FASTEST, _LONGEST = 10.0, 1e-2
_AT_REST = (0.0, 0.0, 0.0)


@entry
def friction_scale(laws, which, load):
    """Largest ratio of friction to slip [N s/m], and of friction to stretch [N/m], under a normal force `load` [N].

    The second follows from the energy of the stretch.  Numbers that are not finite are left out.
    """
    damping, stiffness = 0.0, 0.0
    for k in range(_DECADES):
        slip = _FASTEST * 10.0**-k
        force, _, _, _ = friction_of(laws, which, load, (slip, 0.0, 0.0), _AT_REST, RATE)
        ratio = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2) / slip
        if damping < ratio < math.inf:
            damping = ratio
        if has_state(laws, which):
            stretch = _LONGEST * 10.0**-k
            _, _, energy, _ = friction_of(laws, which, load, _AT_REST, (stretch, 0.0, 0.0), RATE)
            ratio = 2.0 * energy / (stretch * stretch)
            if stiffness < ratio < math.inf:
                stiffness = ratio
    return damping, stiffness
