"""Both contact points belong to the normal and lie on their bodies, judged in extended precision."""

import numpy as np
import pytest

import extended
import queries
import tangency as tg
from extended import LONG
from families import FAMILIES
from judgement import gap_along, placed

pytestmark = pytest.mark.skipif(not extended.HAS_LONG_DOUBLES, reason="long double is no longer than double here")

OFF = 1e-11  # from the tangent plane, of the largest length
OUTSIDE = 1e-7  # the body, next to edges and flat places


@pytest.fixture(scope="module")
def bodies():
    return queries.pools(np.random.default_rng(1), 8)


def largest_length(q):
    ends = sum(np.linalg.norm(pose[1], axis=1) for pose in (q.pose_a, q.pose_b))
    return q.a.bounding_radius + q.b.bounding_radius + ends


def off_the_planes(q, c):
    """|n.x - h(n)| for both bodies, the larger one."""
    (r_a, t_a), (r_b, t_b) = placed(q, c)
    n = c.normal.astype(LONG)
    off_a = extended.support(q.a, (r_a * n[:, :, None]).sum(axis=-2)) - (n * (c.point_a - t_a)).sum(axis=-1)
    off_b = extended.support(q.b, -(r_b * n[:, :, None]).sum(axis=-2)) + (n * (c.point_b - t_b)).sum(axis=-1)
    return np.maximum(np.abs(off_a), np.abs(off_b)).astype(float)


def outside(body, pose, x):
    """Distance of points from the body, 0 in it."""
    local = np.einsum("kji,kj->ki", pose[0], x - pose[1])
    return np.maximum(tg.contact(body, tg.Sphere(1e-50), None, (None, local)).lower, 0.0)


def check(q, room):
    c = q.contact()
    good, size = c.status <= tg.Status.OVERLAP, largest_length(q)
    assert (off_the_planes(q, c)[good] <= room * size[good]).all()
    out = np.maximum(outside(q.a, q.pose_a, c.point_a), outside(q.b, q.pose_b, c.point_b))
    assert (out[good] <= OUTSIDE * size[good]).all()


@pytest.mark.parametrize("name", FAMILIES)
def test_points_belong_to_the_normal(name, bodies):
    """Touching, near, overlapping, concentric, equally turned, identical: against the same family and another one."""
    rng, names = np.random.default_rng(3), list(FAMILIES)
    room = OFF if FAMILIES[name].exact else 1e-7
    check(queries.draw(rng, bodies[name], bodies[name], 150, decades=2.0), room)
    other = names[(names.index(name) * 7 + 3) % len(names)]
    room = OFF if FAMILIES[name].exact and FAMILIES[other].exact else 1e-7
    check(queries.draw(rng, bodies[name], bodies[other], 150, decades=2.0), room)


@pytest.mark.parametrize("size", [1.0, 0.999, 0.5])
@pytest.mark.parametrize("kind", ["superellipsoid", "power ellipsoid", "tapered superellipsoid"])
def test_points_where_several_normals_are_equally_good(kind, size):
    """Concentric and equally turned: six normals are tied but for rounding, and the points are those of the chosen."""
    rng, count = np.random.default_rng(4), 600
    p, turn = rng.uniform(1.3, 8.0, (count, 1)), queries.Rotation.random(count, rng=rng).as_matrix()
    make = {
        "superellipsoid": lambda r: tg.Superellipsoid(np.full((count, 3), r), np.repeat(2.0 / p, 2, axis=1)),
        "power ellipsoid": lambda r: tg.PowerEllipsoid(np.full((count, 3), r), np.repeat(p, 3, axis=1)),
        "tapered superellipsoid": lambda r: tg.TaperedSuperellipsoid(
            np.full((count, 3), r), np.repeat(2.0 / p, 2, axis=1)
        ),
    }[kind]
    pose = (turn, np.zeros((count, 3)))
    check(queries.Queries(make(1.0), make(size), pose, pose, np.zeros(count, int)), OFF)


ANGULAR = {
    "box": lambda r: (tg.Box(r), r),
    "rounded box": lambda r: (tg.rounded_box(r, 0.3 * r.min(axis=1)), r - 0.3 * r.min(axis=1, keepdims=True)),
    "cylinder": lambda r: (tg.Cylinder(r[:, 0], r[:, 2]), r * [1.0, 0.0, 1.0]),
    "segment": lambda r: (tg.Segment(r[:, 2]), r * [0.0, 0.0, 1.0]),
}


@pytest.mark.parametrize("angular", ANGULAR)
@pytest.mark.parametrize(
    "kind", ["superellipsoid flat", "superellipsoid sharp", "power ellipsoid", "ovoid", "ellipsoid"]
)
def test_the_normal_proves_the_lower_bound_where_a_coordinate_plane_meets_a_corner(kind, angular, bodies):
    """The radius of curvature is zero or infinite in the coordinate planes of one body, and F has a kink there."""
    rng, count = np.random.default_rng(8), 160
    body = bodies[kind].take(rng.integers(0, len(bodies[kind]), count))
    other, corner = ANGULAR[angular](rng.uniform(0.2, 1.0, (count, 3)))
    aside = rng.choice([0.0, 1e-9, 1e-5], count)[:, None] * rng.normal(size=(count, 3))
    gap = rng.choice([1e-2, 0.0, -1e-6, -1e-2], count)[:, None] * [0.0, 0.0, 1.0]
    # The lowest or highest point of the body lies over a corner, edge or rim of the other one.
    side = np.array([0.0, 0.0, 1.0])
    place = body.point(side) - other.point(-side) * side + corner * [1.0, 1.0, 0.0] + aside + gap
    still = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
    q = queries.Queries(body, other, still, (still[0], place), np.zeros(count, int))
    c = q.contact()
    short = c.lower - gap_along(q, c, c.normal.astype(LONG))
    assert (short <= 1e-14 * largest_length(q)).all()
