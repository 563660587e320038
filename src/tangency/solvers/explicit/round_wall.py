"""The inside of a cylinder or cone against any body: a search over one angle (``certified/circle_search.py``)."""

import math

import numpy as np

from ...compiled.jit import element, entry, jit
from ...contacts.status import LEFT, Status
from ...kernels.jet import JET
from ...kernels.poses import at
from ...kernels.rounding import ROUNDING
from ...kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, scale, unit
from ...shapes.bounds import bounds_at
from ...shapes.cavity import wall_at
from ..certified.circle_search import ROOM, PlacedBody, highest, value_at
from ..certified.cone_tip import past_the_tip
from ..certified.pair import relative
from ..tables import Answer, Body, Buffers, Parameters, Part, named_question, vector_at, write
from ..tolerances import PART_OF_ROUNDING
from .plane import APART, NOT_A_NUMBER, OVERLAP

SEARCHED = int(Status.SEARCHED)


@jit
def nearest_side(wall, body, guess, tolerance, room, jet):
    """Clearance between a body and the side of a round wall: (distance, lower bound, n, evaluations).

    In the frame of the wall.  `guess` is a normal or the zero vector; n points into the wall.
    """
    s, c, r = wall.sine, wall.cosine, body.position
    angle = math.atan2(r[1], r[0]) if guess[0] == 0.0 and guess[1] == 0.0 else math.atan2(guess[1], guess[0])
    value, upper, angle, used = highest(body, s, c, angle, tolerance, room, jet)
    n = (s * math.cos(angle), s * math.sin(angle), c)
    return wall.offset - value - body.core, wall.offset - upper - body.core, n, used


@jit
def _ends(wall, body, jet):
    """Clearance from the nearer flat end, and the normal into it."""
    up, _ = value_at(body, (0.0, 0.0, 1.0), jet)
    down, _ = value_at(body, (0.0, 0.0, -1.0), jet)
    return wall.half_length - max(up, down) - body.core, (0.0, 0.0, 1.0 if up >= down else -1.0)


@jit
def _beyond_a_rim(wall, side, end):
    """Whether a body with these clearances, one of them negative, may be nearest to the rim rather than to a face.

    Moving a point that lies beyond one face back along its normal by t changes its clearance from the other face by
    c t, with c the cosine of the angle between the two normals.  If that does not exceed the clearance, the point ends
    inside the hollow, and the face is nearest.
    """
    c = abs(wall.cosine)
    return end < -c * side if side < 0.0 else side < -c * end


@entry
def round_wall(walls, body, flipped, question, part, out):
    """Contacts of some pairs of a round wall and a body, in the world frame.

    `walls` has the rows of `Cavity.walls`.  A is the wall, or the body if `flipped`.  Pairs that may be nearest to a
    rim, or that reach past the tip, get the status LEFT.
    """
    walls, body, question = Parameters(*walls), Body(*body), named_question(question)
    part, out = Part(*part), Buffers(*out)
    size_b, jet = body.rows.shape[1], np.empty(JET)
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        j = at(body.pick, k)
        rotation, r, turn, home = relative(walls.poses, at(walls.pick_pose, k), body.poses, at(body.pick_pose, k))
        bounds, wall = bounds_at(body.bounds, j), wall_at(walls.rows, at(walls.pick, k))
        placed = PlacedBody(body.address, element(body.rows, j * size_b), size_b, bounds.core, rotation, r)
        size = wall.offset + norm(bounds.half)
        rounding = ROUNDING * (wall.offset + wall.half_length * wall.ends + norm(r)) + bounds.rounding
        tolerance = max(question.tol * size, PART_OF_ROUNDING * rounding)
        towards = scale(mat_t_mul(turn, vector_at(question.guess, k)), 1.0 if flipped else -1.0)
        distance, lower, n, used = nearest_side(wall, placed, towards, tolerance, ROOM, jet)
        proved = distance - lower <= tolerance + rounding
        left = False
        if wall.ends != 0.0:
            end, m = _ends(wall, placed, jet)
            used += 2
            left = min(lower, end) < -rounding and _beyond_a_rim(wall, lower, end)
            if end < distance:
                distance, n, proved = end, m, proved or lower >= end
            lower = min(lower, end)
        elif wall.cosine != 0.0:
            left = past_the_tip(wall, placed, -distance, rounding, jet)
            used += 1
        _, x = value_at(placed, n, jet)
        x = add(mat_mul(turn, axpy(x, placed.core, n)), home)
        n = unit(mat_mul(turn, n))
        status = SEARCHED
        if proved:
            status = APART if distance >= -rounding else OVERLAP
        if not math.isfinite(distance + x[0] + x[1] + x[2]):
            distance, lower, x, status, rounding = 0.0, 0.0, home, NOT_A_NUMBER, math.inf
        elif left:
            status = LEFT
        if not flipped:
            x = axpy(x, distance, n)
            n = scale(n, -1.0)
        write(out.values, out.codes, k, Answer(distance, lower - rounding, distance + rounding, n, x, status, used))
