"""A body that reaches past the tip of an endless cone, where the normals of the side are not sufficient.

The cone extends from its tip p to infinity.  Its support function is n.p for all n between the normals of the
side and the axis beyond the tip, and infinite for all others.  A body inside is nearest to the side; a point
outside is nearest either to the side or, if the direction from p to it is one of these n, to the tip.

A point of the latter kind that is farther than D from p lies at least |c| D beyond the tip along the axis, with c the
cosine between the axis and the normals of the side.  Most bodies have no such point (`past_the_tip`).  For the others,
the endless cone is replaced by a finite one: the point of the cone nearest to x is not farther from p than x is, so
the largest |x - p| of the body is a sufficient height (`tip_cone`).  In the finite cone all directions are searched.
"""

from __future__ import annotations

import numpy as np

from ...compiled.jit import jit
from ...shapes.affine import Affine
from ...shapes.bounds import box_of
from ...shapes.cavity import RoundWall
from ...shapes.cone import Cone
from ..question import chosen
from ..tables import Body, Parameters, Pick
from .circle_search import value_at

MARGIN = 1.25  # height of the finite cone, relative to the smallest sufficient one


@jit
def past_the_tip(wall, body, depth, rounding, jet):
    """Whether a point of the body may be farther from the tip than `depth`, the depth of the body in the side."""
    c = wall.cosine
    if c == 0.0:
        return False
    top, _ = value_at(body, (0.0, 0.0, 1.0 if c > 0.0 else -1.0), jet)
    return abs(c) * (top + body.core) > wall.offset + c * c * max(depth, 0.0) - rounding


def _tip_cone(wall, reach):
    half = 0.5 * MARGIN * reach
    radius = 2.0 * half * np.abs(wall.cosine) / wall.sine
    return radius, half, wall.offset / wall.cosine - np.copysign(half, wall.cosine)


#: Radius, half length and position on the axis of a cone with the tip of `wall`, for bodies within `reach` of the tip.
tip_cone = jit(_tip_cone)


def tip_hollows(walls: Parameters, body: Body, pairs: np.ndarray, total: int) -> Body:
    """Finite cones that replace the endless cones `walls` in some pairs, as the body of a loop."""
    wall = RoundWall(*walls.rows[chosen(walls.pick, pairs)].T)
    home = walls.poses[chosen(walls.pick_pose, pairs)].reshape(-1, 3, 4)
    pose = body.poses[chosen(body.pick_pose, pairs)].reshape(-1, 3, 4)
    half, centre = box_of(body.bounds[chosen(body.pick, pairs)])
    centre = (pose[..., :3] @ centre[..., None])[..., 0] + (pose[..., 3] - home[..., 3])
    centre = (np.swapaxes(home[..., :3], -1, -2) @ centre[..., None])[..., 0]  # in the frame of the wall
    centre[:, 2] -= wall.offset / wall.cosine  # relative to the tip
    radius, length, middle = _tip_cone(wall, np.linalg.norm(centre, axis=-1) + np.linalg.norm(half, axis=-1))
    turn, place = np.tile(np.eye(3), (len(pairs), 1, 1)), np.zeros((len(pairs), 3))
    turn[:, 2, 2], place[:, 2] = np.sign(wall.cosine), middle
    hollow = Affine(Cone(radius, length), turn, place)
    pick: Pick = np.zeros(total, np.int64)
    pick[pairs] = np.arange(len(pairs))
    return Body(hollow.address, hollow.rows, hollow.bounds, pick, walls.poses, walls.pick_pose, bool(hollow.bends))
