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

OFF = 1e-11  # from the tangent plane and from the body, of the largest length
FAR_OFF = 1e-7  # the same where rounding errors leave the normal uncertain: small sharp bodies far away


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
    assert (out[good] > room * size[good]).mean() <= 0.01
    assert (out[good] <= FAR_OFF * size[good]).all()


@pytest.mark.parametrize("name", FAMILIES)
def test_points_belong_to_the_normal(name, bodies):
    """Touching, near, overlapping, concentric, equally turned, identical: against the same family and another one."""
    rng, names = np.random.default_rng(3), list(FAMILIES)
    room = OFF if FAMILIES[name].exact else 1e-7
    check(queries.draw(rng, bodies[name], bodies[name], 150, decades=2.0), room)
    other = names[(names.index(name) * 7 + 3) % len(names)]
    room = OFF if FAMILIES[name].exact and FAMILIES[other].exact else 1e-7
    check(queries.draw(rng, bodies[name], bodies[other], 150, decades=2.0), room)


@pytest.mark.parametrize("count", [150, pytest.param(600, marks=pytest.mark.full)])
@pytest.mark.parametrize("size", [1.0, 0.999, 0.5])
@pytest.mark.parametrize("kind", ["superellipsoid", "power ellipsoid", "tapered superellipsoid"])
def test_points_where_several_normals_are_equally_good(kind, size, count):
    """Concentric and equally turned: six normals are tied but for rounding, and the points are those of the chosen."""
    rng = np.random.default_rng(4)
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


def to_box(x, r):
    return np.linalg.norm(np.maximum(np.abs(x) - r, 0.0), axis=1)


def to_cylinder(x, radius, half_length):
    across, along = np.hypot(x[:, 0], x[:, 1]) - radius, np.abs(x[:, 2]) - half_length
    return np.hypot(np.maximum(across, 0.0), np.maximum(along, 0.0))


# Bodies with edges, of sizes r, and the distance of a point from them.
EDGED = {
    "box": lambda r: (tg.Box(r), lambda x: to_box(x, r)),
    "rounded box": lambda r: (
        tg.rounded_box(r, 0.3 * r.min(axis=1)),
        lambda x: to_box(x, r - 0.3 * r.min(axis=1, keepdims=True)) - 0.3 * r.min(axis=1),
    ),
    "segment": lambda r: (tg.Segment(r[:, 2]), lambda x: to_cylinder(x, 0.0, r[:, 2])),
    "capsule": lambda r: (tg.capsule(r[:, 0], r[:, 2]), lambda x: to_cylinder(x, 0.0, r[:, 2]) - r[:, 0]),
    "cylinder": lambda r: (tg.Cylinder(r[:, 0], r[:, 2]), lambda x: to_cylinder(x, r[:, 0], r[:, 2])),
}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("edged", EDGED)
@pytest.mark.parametrize("kind", ["superellipsoid", "power ellipsoid", "superovoid", "ellipsoid"])
def test_points_where_an_edge_meets_a_smooth_body(kind, edged, swapped, bodies):
    """Both points lie on their bodies to rounding, at any depth: none is placed halfway between the two surfaces."""
    rng, count = np.random.default_rng(9), 500
    size = 10.0 ** rng.uniform(-3.0, 3.0, count)
    if kind == "superellipsoid":
        smooth = tg.Superellipsoid(10.0 ** rng.uniform(-1.0, 0.0, (count, 3)), rng.uniform(0.2, 1.9, (count, 2)))
    else:
        smooth = bodies[kind].take(rng.integers(0, len(bodies[kind]), count))
    smooth = queries.scaled(smooth, size)
    other, away = EDGED[edged](size[:, None] * 10.0 ** rng.uniform(-0.7, 0.3, (count, 3)))
    n = queries.unit(rng.normal(size=(count, 3)))
    turns = queries.rotations(rng, count), queries.rotations(rng, count)
    local_s, local_o = (np.einsum("kji,kj->ki", turn, n) for turn in turns)
    depth = (smooth.bounding_radius + other.bounding_radius) * 10.0 ** rng.uniform(-6.0, -0.3, count)
    apart = np.where(rng.random(count) < 0.2, depth, -depth)[:, None] * n
    points = (
        np.einsum("kij,kj->ki", turns[0], smooth.point(local_s)),
        np.einsum("kij,kj->ki", turns[1], other.point(-local_o)),
    )
    pose, pose_other = (turns[0], np.zeros((count, 3))), (turns[1], points[0] - points[1] + apart)
    q = queries.Queries(smooth, other, pose, pose_other, np.zeros(count, int))
    if swapped:
        q = queries.Queries(other, smooth, pose_other, pose, np.zeros(count, int))
    c, room = q.contact(), OFF * largest_length(q)
    on_smooth, on_other = (c.point_b, c.point_a) if swapped else (c.point_a, c.point_b)
    assert (c.status <= tg.Status.OVERLAP).all()
    assert (off_the_planes(q, c) <= room).all()
    assert (outside(smooth, pose, on_smooth) <= room).all()
    assert (away(np.einsum("kji,kj->ki", turns[1], on_other - pose_other[1])) <= room).all()


def on_an_edge(kind, rng, count):
    """A body, normals to its straight edges or generators, and a point inside each of these."""
    share = rng.uniform(-0.7, 0.7, count)
    if kind in ("box", "sum"):
        n = np.sign(rng.normal(size=(count, 3))) * rng.uniform(0.2, 1.0, (count, 3))
        rows, along = np.arange(count), rng.integers(3, size=count)
        n[rows, along] = 0.0
        half = np.array([0.8, 0.6, 0.5])
        n /= np.linalg.norm(n, axis=1)[:, None]
        x = np.sign(n) * half
        x[rows, along] = share * half[along]
        if kind == "box":
            return tg.Box(half), n, x
        round_part = tg.Ellipsoid([0.5, 0.3, 0.2])
        return tg.Box(half) + round_part, n, x + round_part.point(n)
    base, top, half = (0.6, 0.6, 0.5) if kind == "cylinder" else (0.6, 0.2, 0.5)
    around = rng.uniform(0.0, 2.0 * np.pi, count)
    out = np.stack([np.cos(around), np.sin(around), np.zeros(count)], axis=1)
    x = (0.5 * (base + top) + 0.5 * (top - base) * share)[:, None] * out + (half * share)[:, None] * [0.0, 0.0, 1.0]
    n = 2.0 * half * out + (base - top) * np.array([0.0, 0.0, 1.0])
    body = tg.Cylinder(base, half) if kind == "cylinder" else tg.Cone(base, half, top)
    return body, n / np.linalg.norm(n, axis=1)[:, None], x


def turn_onto(m, n, rng):
    """Rotation matrices that turn m to n."""
    away = rng.normal(size=m.shape)
    frames = []
    for v, w in ((m, away), (n, rng.normal(size=m.shape))):
        t = np.cross(v, w)
        t /= np.linalg.norm(t, axis=1)[:, None]
        frames.append(np.stack([v, t, np.cross(v, t)], axis=2))
    return np.einsum("kij,klj->kil", frames[1], frames[0])


@pytest.mark.parametrize("other", ["ellipsoid", "superellipsoid", "cylinder", "cone"])
@pytest.mark.parametrize("kind", ["box", "cylinder", "cone", "sum"])
@pytest.mark.parametrize("depth", [-0.05, 1e-5, 0.02])
def test_normals_at_edges_are_exact(kind, other, depth):
    """Edges against smooth places and rims, apart and overlapping: the common normal is known by construction."""
    rng, count = np.random.default_rng(6), 300
    a, n, x = on_an_edge(kind, rng, count)
    m = rng.normal(size=(count, 3))
    if other in ("cylinder", "cone"):
        m[:, 2] = -np.hypot(m[:, 0], m[:, 1]) * rng.uniform(0.2, 2.0, count)  # normals to the rim of the base
    m /= np.linalg.norm(m, axis=1)[:, None]
    b = {
        "ellipsoid": tg.Ellipsoid([0.8, 0.6, 0.5]),
        "superellipsoid": tg.Superellipsoid([0.8, 0.6, 0.5], (0.7, 1.2)),
        "cylinder": tg.Cylinder(0.6, 0.5),
        "cone": tg.Cone(0.6, 0.5),
    }[other]
    turn = turn_onto(m, -n, rng)
    place = x - np.einsum("kij,kj->ki", turn, b.point(m)) - depth * n
    c = tg.contact(a, b, None, (turn, place))
    # Rarely another normal is less deep, or the edge does not cross the rim but lies almost along it.
    here = (c.status <= tg.Status.OVERLAP_PROVED) & (np.abs(c.distance + depth) <= 1e-9) & (c.condition < 100.0)
    assert here.mean() > 0.6
    off = np.linalg.norm(c.normal - n, axis=1)[here]
    assert off.max() < 1e-6
    assert np.quantile(off, 0.99) < 1e-9
    assert np.median(off) < 1e-13
    # Rarely the other body is almost flat, and the point on the edge depends on the last digits of the normal.
    off = np.linalg.norm(c.point_a - x, axis=1)[here]
    assert np.quantile(off, 0.99) < 1e-10
    assert off.max() < 1e-6


SHEAR = np.array([[1.0, 0.25, 0.5], [0.0, 1.0, 0.25], [0.0, 0.0, 1.0]])


def on_a_flat_place(kind, rng, count):
    """A body, normals where it is flat, and a point with each of these inside the flat place."""
    name, place = kind.split(": ")
    if name in ("superellipsoid", "affine image"):
        a = tg.Superellipsoid(rng.uniform(0.3, 1.0, (count, 3)), rng.uniform(0.2, 0.99, (count, 2)))
        n = rng.normal(size=(count, 3))
        n[:, {"plane x": [0], "plane z": [2], "axis x": [1, 2], "axis z": [0, 1]}[place]] = 0.0
        n = queries.unit(n) + 0.0
        x = a.point(n)
        return (
            (a, n, x)
            if name == "superellipsoid"
            else (a.affine(SHEAR), queries.unit(n @ np.linalg.inv(SHEAR)), x @ SHEAR.T)
        )
    base, top, half = (0.6, 0.6, 0.5) if name == "cylinder" else (0.6, 0.3, 0.5)
    side = np.where(rng.random(count) < 0.5, 1.0, -1.0)
    rho, around = np.sqrt(rng.uniform(0.0, 0.9, count)) * np.where(side > 0.0, top, base), rng.uniform(0.0, 7.0, count)
    x = np.stack([rho * np.cos(around), rho * np.sin(around), side * half], axis=1)
    a = tg.Cylinder(base, half) if name == "cylinder" else tg.Cone(base, half, top)
    return a, side[:, None] * np.array([0.0, 0.0, 1.0]), x


FLAT = [f"superellipsoid: {place}" for place in ("plane x", "plane z", "axis x", "axis z")]
FLAT += ["affine image: plane z", "affine image: axis x", "cylinder: ends", "cone: ends"]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("other", ["ellipsoid", "sheared ellipsoid", "superellipsoid"])
@pytest.mark.parametrize("kind", FLAT)
def test_normals_and_points_at_flat_places_are_exact(kind, other, swapped):
    """Flat places against curved ones, apart and overlapping: the common normal is known by construction."""
    rng, count = np.random.default_rng(12), 300
    a, n, x = on_a_flat_place(kind, rng, count)
    b = {
        "ellipsoid": tg.Ellipsoid([0.8, 0.6, 0.5]),
        "sheared ellipsoid": tg.Ellipsoid([0.8, 0.6, 0.5]).affine(SHEAR),
        "superellipsoid": tg.Superellipsoid([0.8, 0.6, 0.5], (0.7, 1.2)),
    }[other]
    turn_a = queries.rotations(rng, count)
    n, x = np.einsum("kij,kj->ki", turn_a, n), np.einsum("kij,kj->ki", turn_a, x)
    m = queries.unit(rng.normal(size=(count, 3)))
    turn = turn_onto(m, -n, rng)
    depth = rng.choice([-0.05, 1e-5, 0.02], count)
    y = x - depth[:, None] * n
    poses = (turn_a, np.zeros((count, 3))), (turn, y - np.einsum("kij,kj->ki", turn, b.point(m)))
    c = tg.contact(b, a, *poses[::-1]) if swapped else tg.contact(a, b, *poses)
    found, on_a, on_b = (-c.normal, c.point_b, c.point_a) if swapped else (c.normal, c.point_a, c.point_b)
    here = (c.status <= tg.Status.OVERLAP) & (np.abs(c.distance + depth) <= 1e-9)
    assert here.mean() > 0.9
    for right, value in ((n, found), (x, on_a), (y, on_b)):
        off = np.linalg.norm(value - right, axis=1)[here]
        assert np.median(off) < 1e-12
        assert np.quantile(off, 0.97) < 1e-10
        assert off.max() < 1e-6


SMOOTH = ("user's egg", "user's egg by point", "ellipsoid", "superellipsoid round", "capsule", "harmonic")


@pytest.mark.parametrize("name", [name for name in SMOOTH if name in FAMILIES])
@pytest.mark.parametrize("place", ["corner", "edge", "rim"])
def test_points_exactly_where_a_face_ends(place, name):
    """The deepest point of B is exactly at the end of a face, with the normal of that face: both points are known."""
    rng, count = np.random.default_rng(8), 150
    n, x = np.zeros((count, 3)), np.empty((count, 3))
    if place == "rim":
        a, around = tg.Cylinder(0.6, 0.5), rng.uniform(0.0, 2.0 * np.pi, count)
        n[:, 2], x[:] = 1.0, np.stack([0.6 * np.cos(around), 0.6 * np.sin(around), np.full(count, 0.5)], axis=1)
    else:
        half, axis = rng.uniform(0.3, 1.0, (count, 3)), rng.integers(0, 3, count)
        a = tg.Box(half)
        n[np.arange(count), axis], x[:] = 1.0, half
        if place == "edge":
            x[np.arange(count), (axis + 1) % 3] *= rng.uniform(-0.9, 0.9, count)
    b = FAMILIES[name].make(rng, (8,)).take(rng.integers(0, 8, count))
    b = queries.scaled(b, 0.4 / b.bounding_radius)
    m, depth = queries.unit(rng.normal(size=(count, 3))), 10.0 ** rng.uniform(-6.0, -1.3, count)
    turn = turn_onto(m, -n, rng)
    c = tg.contact(a, b, None, (turn, x - np.einsum("kij,kj->ki", turn, b.point(m)) - depth[:, None] * n))
    here = (c.status <= tg.Status.OVERLAP_PROVED) & (np.abs(c.distance + depth) <= 1e-9)
    assert here.mean() > 0.6
    # F is flat on one side only, and its maximum known to the square root of the width of the bounds.
    for off in (np.linalg.norm(c.point_a - x, axis=1)[here], np.linalg.norm(c.normal - n, axis=1)[here]):
        assert np.quantile(off, 0.9) < 1e-5
        assert off.max() < 1e-3
