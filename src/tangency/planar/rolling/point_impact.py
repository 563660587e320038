"""Impact of a rigid body at one point of the ground, with friction, in the plane.

The impulse is followed from its beginning to its end (Routh's method): the normal impulse grows, the tangential one
follows Coulomb's law, so that a body may slide, stick and slide back within one impact.  The normal impulse ends when
the work of restitution is e^2 times that of compression (Stronge's energetic restitution), so that no impact creates
energy.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Impact(NamedTuple):
    """Impulses of an impact, and what they change."""

    tangential: float  #: impulse along the ground [N s]
    normal: float  #: impulse normal to the ground [N s]
    slip: float  #: velocity of the contact point along the ground afterwards [m/s]
    departure: float  #: its velocity normal to the ground afterwards, >= 0 [m/s]
    work: float  #: of the impulses on the body, <= 0 [J]


class Mobility(NamedTuple):
    """Change of the velocity of the contact point per impulse at it: along, normal, and coupling [1/kg]."""

    along: float
    normal: float
    coupling: float


def mobility(mass: float, inertia: float, along: float, up: float) -> Mobility:
    """Mobility at a point; `along` and `up` lead from it to the centre of mass, in the frame of the ground [m]."""
    return Mobility(1.0 / mass + up * up / inertia, 1.0 / mass + along * along / inertia, -along * up / inertia)


def impact(at: Mobility, slip: float, approach: float, restitution: float, friction: tuple[float, float]) -> Impact:
    """The impact of a point that slips with `slip` and approaches the ground with -`approach`.

    Parameters
    ----------
    at : Mobility
        Of the point.
    slip, approach : float
        Velocity along the ground and normal to it, <= 0 [m/s].
    restitution : float
        Square root of the ratio of the works of restitution and compression, 0 to 1.
    friction : (float, float)
        Coefficients of static and of sliding friction; inf for a ground on which nothing slips.

    Notes
    -----
    An approach of 0 is an *impact without collision*: friction alone drives a sliding body into the ground where rigid
    sliding has no solution (Painlevé's paradox).
    """
    static, sliding = friction
    v, w = slip, approach
    tangential = normal = work = 0.0
    compression = 0.0  # work of the normal impulse until the approach ends, negative
    recovered = 0.0
    target = 0.0
    restoring = False
    if math.isinf(sliding) and v != 0.0:
        # An impulse along the ground alone stops the slip.
        tangential = -v / at.along
        work += 0.5 * tangential * v
        w += at.coupling * tangential
        v = 0.0
    for _ in range(8):  # slide, stop, slide back, each at most once in compression and once in restitution
        sticks = v == 0.0 and abs(at.coupling) <= static * at.along
        if sticks:
            ratio = -at.coupling / at.along
        elif v == 0.0:
            ratio = -math.copysign(sliding, at.coupling)  # the normal impulse starts the slip
        else:
            ratio = -math.copysign(sliding, v)
        dv = 0.0 if sticks else at.along * ratio + at.coupling
        dw = at.normal + at.coupling * ratio
        ends = []
        if not restoring and w >= 0.0 and dw > 0.0:
            restoring, target = True, -(restitution**2) * compression
        if v != 0.0 and dv * v < 0.0:
            ends.append(-v / dv)
        if not restoring and dw > 0.0:
            ends.append(-w / dw)
        elif restoring:
            # recovered + w p + dw p^2 / 2 = target
            ends.append(_positive_root(0.5 * dw, w, recovered - target))
        step = min(ends)
        stops = v != 0.0 and dv * v < 0.0 and step == -v / dv
        gained = w * step + 0.5 * dw * step * step
        work += gained + ratio * (v * step + 0.5 * dv * step * step)
        if restoring:
            recovered += gained
        else:
            compression += gained
        normal, tangential = normal + step, tangential + ratio * step
        arrives = not restoring and dw > 0.0 and step == -w / dw
        done = restoring and not stops
        v = 0.0 if stops else v + dv * step
        w = 0.0 if arrives else w + dw * step
        if done:
            break
    return Impact(tangential, normal, v, max(w, 0.0), work)


def _positive_root(a: float, b: float, c: float) -> float:
    """Smallest p >= 0 with a p^2 + b p + c = 0, for b >= 0 and c <= 0."""
    if c >= 0.0:
        return 0.0
    root = math.sqrt(max(b * b - 4.0 * a * c, 0.0))
    return -2.0 * c / (b + root) if b + root > 0.0 else 0.0
