"""Slip that a contact makes only because the step of the fast mode is too long for its friction.

Let v be the slip, f the friction in this step, m the effective mass of the contact, and h the step.  Where the step
resolves the friction, all of v follows from the law, whether the contact creeps, sticks or slides.  The step does not
resolve it where f would take more than a quarter of v within h, that is where f > m v / (4 h).  A body that really
slides soon leaves this range: for the friction mu N it ends at v = 4 h mu N / m, the speed gained in four steps.

*Laws without bristles* are weakened there to f = m v / (4 h).  Under a tangential load T < mu N a body then creeps at
the speed 4 h T / m, at which this balances T, while the law balances T at a smaller slip w.  So w is the slip at which
the law gives the force that was used, and v - w is undue.

*Bristles* hold a body by their stretch z, and it moves against them only by plastic slip, v - dz/dt.  If they are too
stiff for the step, they pass from limit to limit, and stretch is cut off on either side.  Under a load the two sides
differ, and the body creeps by the difference.  So the plastic slip is undue in the range above, if the growth of the
bristles' force and their damping together would also take more than a quarter of v within h.

The undue ways of a pair are added as vectors, through all its impacts as long as it stays close: what slips to and fro
does not creep, a body that rattles down a slope does.  At the end of the run the sum matters if it is more than a tenth
of the whole relative way in contact, by slip and by rolling, added up likewise.  It always is for a body that should
rest; for the grains of a heap that collapses it is small beside the way that they slide and roll.  Bodies that parted
before were not held anyway: for them a half width is added to that way.
"""

from ...compiled.jit import jit
from ...kernels.vectors import axpy, dot, norm, scale

SMALL_SHARE = 0.1  # of the way that bodies moved in contact: a smaller undue way does not matter
SLOWER = 0.1  # times the slip: where weakened friction is compared with the law


@jit
def undue_of_weakened(slip, size, low, most):
    """Undue part of `slip` if a friction `size` is weakened to `most`; `low` is that of the law at a tenth of the slip.

    The law is interpolated linearly between no slip, a tenth of it, and all of it.
    """
    if low > most:
        return scale(slip, 1.0 - SLOWER * most / low)
    return scale(slip, 1.0 - SLOWER - (1.0 - SLOWER) * (most - low) / (size - low))


@jit
def bristle_change(rubbing, h):
    """Bound on the change of the bristles' force and their damping within the step h, from a :class:`Rubbing`.

    Their stiffness follows from their energy after the step, their damping from the rest of the force.
    """
    square = dot(rubbing.change, rubbing.change)
    stiffness = 2.0 * rubbing.elastic / square if square > 0.0 else 0.0
    return h * stiffness * norm(rubbing.slip) + norm(axpy(rubbing.friction, stiffness, rubbing.change))
