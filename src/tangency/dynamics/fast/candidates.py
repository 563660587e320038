"""Pairs of shapes that may touch soon."""

import math

import numpy as np

from ...broadphase.cells import box_pairs, sort_pairs
from ...compiled.jit import jit, uncounted
from ...kernels.poses import place_of, turn_of
from ...kernels.vectors import add, dot, mat_mul, mat_t_mul, norm, sub
from ...shapes.bounds import bounds_at
from ...shapes.half_space import plane_at
from ...shapes.wall_features import is_near, wall_tables
from ..law_between import law_between
from ..tables import MESH, PLANE, SOLID
from .image_boxes import Outlines

UNBOUNDED = 1e300  # half size of the box of an unbounded shape


@jit
def _may_meet(world, p):
    """Whether there is a law between the body of shape p and any other; not so for bodies that wait to be poured."""
    own, most = world.class_of[world.owner[p]], -1
    for other in range(world.law_of.shape[0]):
        most = max(most, max(world.law_of[own, other], world.law_of[other, own]))
    return most >= 0


@jit
def outlines_of(world, moves, pads):
    """World-frame boxes and spheres (centre, radius) around all shapes that may touch others.

    Both are enlarged by the pad of the body, and by its displacement in this step: contacts that end in it are listed.
    """
    shapes, count = world.shapes, 0
    size = shapes.kind.shape[0]
    low, high, balls, of = np.empty((size, 3)), np.empty((size, 3)), np.empty((size, 4)), np.empty(size, np.int64)
    for p in range(size):
        if not _may_meet(world, p):
            continue
        of[count], k = p, count
        count += 1
        if shapes.kind[p] != SOLID and shapes.kind[p] != MESH:
            for c in range(3):
                low[k, c], high[k, c] = -UNBOUNDED, UNBOUNDED
            continue
        m, bounds = turn_of(shapes.poses, p), bounds_at(shapes.bounds, p)
        x = add(place_of(shapes.poses, p), mat_mul(m, bounds.centre))
        pad, ellipsoid = pads[world.owner[p]] + moves[world.owner[p]], shapes.radii[p, 0] > 0.0
        for c in range(3):
            half = 0.0
            for e in range(3):
                extent = abs(m[3 * c + e]) * bounds.half[e]
                half = math.sqrt(half * half + extent * extent) if ellipsoid else half + extent
            low[k, c], high[k, c], balls[k, c] = x[c] - half - pad, x[c] + half + pad, x[c]
        balls[k, 3] = (max(bounds.half) if ellipsoid else norm(bounds.half)) + pad
    return Outlines(low[:count], high[:count], balls[:count], of[:count])


@jit
def _reaches(shapes, a, q, low, high):
    """Whether box q reaches the half-space a."""
    n, offset = plane_at(shapes.rows, a)
    n = mat_mul(turn_of(shapes.poses, a), n)
    deepest = -offset - dot(n, place_of(shapes.poses, a))
    for c in range(3):
        deepest += n[c] * (low[q, c] if n[c] > 0.0 else high[q, c])
    return deepest <= 0.0


@jit
def _meets(shapes, a, balls, p, q):
    """Whether sphere q reaches the patch a of a mesh wall, whose sphere p is enlarged by its own displacement."""
    x = sub((balls[q, 0], balls[q, 1], balls[q, 2]), place_of(shapes.poses, a))
    pad = balls[p, 3] - norm(bounds_at(shapes.bounds, a).half)
    wall = wall_tables(shapes.address[a], shapes.rows[a])
    return is_near(wall, mat_t_mul(turn_of(shapes.poses, a), x), balls[q, 3] + pad)


@jit
def _close(balls, a, b):
    """Whether two spheres overlap."""
    x, y, z = balls[a, 0] - balls[b, 0], balls[a, 1] - balls[b, 1], balls[a, 2] - balls[b, 2]
    return x * x + y * y + z * z <= (balls[a, 3] + balls[b, 3]) ** 2


@jit
def _may_touch(world, a, b, outlines, p, q):
    """Whether the shapes a and b, of which b is bounded, can touch at all and are close; p and q are their outlines.

    Patches of mesh walls that are not close have been removed before.
    """
    kind, i, j = world.shapes.kind[a], world.owner[a], world.owner[b]
    if i == j or law_between(world.body_labels, world.class_of, world.law_of, i, j) < 0:
        return False
    if kind == SOLID:
        return _close(outlines.balls, p, q)
    return kind != PLANE or _reaches(world.shapes, a, q, outlines.low, outlines.high)


@jit
def find(world, outlines, count, found):
    """Write the pairs (A, B) of shapes that may touch, sorted; return their number, or the space needed if larger.

    A is a hollow or half-space, or the shape with the smaller number in the world.  The first `count` outlines are
    those of shapes, the others of images.
    """
    kind = world.shapes.kind
    boxes = box_pairs(outlines.low, outlines.high, found)
    if boxes > found.shape[0]:
        return boxes
    for p in range(count):
        if kind[outlines.of[p]] == MESH:
            boxes = _near_patches(world, outlines, found, boxes)
            break
    kept = _keep_close(world, outlines, count, found[:boxes])
    sort_pairs(found, kept, kind.shape[0])
    return _once(found, kept)


@jit
def _near_patches(world, outlines, found, boxes):
    """Remove the pairs of patches of mesh walls with shapes that do not reach their features; return the new number."""
    kind, kept = world.shapes.kind, 0
    for k in range(boxes):
        p, q = found[k, 0], found[k, 1]
        if kind[outlines.of[p]] != MESH:
            p, q = q, p
        a, b = outlines.of[p], outlines.of[q]
        if kind[a] != MESH or (kind[b] == SOLID and _meets(world.shapes, a, outlines.balls, p, q)):
            found[kept, 0], found[kept, 1] = found[k, 0], found[k, 1]
            kept += 1
    return kept


@uncounted
def _keep_close(world, outlines, count, found):
    """Replace pairs of outlines by the pairs (A, B) of shapes that may touch; return their number."""
    kind, labels, kept = world.shapes.kind, world.labels, 0
    for k in range(found.shape[0]):
        p, q = found[k, 0], found[k, 1]
        a, b = outlines.of[p], outlines.of[q]
        if kind[b] != SOLID:
            p, q, a, b = q, p, b, a
        # One image meets one shape; walls meet the shapes themselves.
        if kind[b] != SOLID or (q >= count and (p >= count or kind[a] != SOLID)):
            continue
        if _may_touch(world, a, b, outlines, p, q):
            found[kept, 0], found[kept, 1] = (a, b) if kind[a] != SOLID or labels[a] < labels[b] else (b, a)
            kept += 1
    return kept


@jit
def _once(found, count):
    """Remove pairs that occur twice from a sorted list: bodies that are close to several images of each other."""
    kept = 0
    for k in range(count):
        if kept == 0 or found[k, 0] != found[kept - 1, 0] or found[k, 1] != found[kept - 1, 1]:
            found[kept, 0], found[kept, 1] = found[k, 0], found[k, 1]
            kept += 1
    return kept
