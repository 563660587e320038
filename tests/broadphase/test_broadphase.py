"""Proximity queries: never a wrong "apart", exact where they are exact, the broadcasting of contact."""

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES
from manufactured import ellipsoids as ellipsoid_pairs
from manufactured import random_pairs
from tangency import broadphase
from tangency.broadphase import Separation


def poses(rng, count, far=4.0):
    return Rotation.random(count, rng=rng).as_matrix(), rng.uniform(-far, far, (count, 3))


@pytest.mark.parametrize("name", FAMILIES)
def test_bounds_contain_the_body(name):
    rng = np.random.default_rng(0)
    shape = FAMILIES[name].make(rng, (3,))
    n = rng.normal(size=(400, 1, 3))
    points = shape.point(n)
    box, ball = broadphase.bounding_box(shape), broadphase.bounding_sphere(shape)
    slack = 1e-6 if not FAMILIES[name].exact else 1e-12
    assert (abs(points - box.centre) <= box.half_lengths + slack).all()
    assert (np.linalg.norm(points - ball.centre, axis=-1) <= ball.radius + slack).all()


@pytest.mark.parametrize("name", ["ellipsoid", "superellipsoid flat", "box", "capsule", "nested", "user's egg"])
def test_apart_is_never_wrong(name):
    """Against contact, for bodies at random; and both tests do find many pairs apart."""
    rng = np.random.default_rng(1)
    a, b = FAMILIES[name].make(rng, (500,)), FAMILIES["ellipsoid"].make(rng, (500,))
    pose_a, pose_b = poses(rng, 500), poses(rng, 500)
    distance = tg.contact(a, b, pose_a, pose_b).distance
    for query in (broadphase.spheres_apart, broadphase.boxes_apart):
        apart = query(a, b, pose_a, pose_b)
        assert (distance[apart] > 0).all()
        assert apart.sum() > 0.3 * (distance > 0).sum()


def test_touching_bodies_are_not_apart():
    rng = np.random.default_rng(2)
    for name in ("sphere", "ellipsoid", "superellipsoid round"):
        p = random_pairs(rng, FAMILIES[name].make(rng, (2000,)), FAMILIES["ellipsoid"].make(rng, (2000,)), 2000)
        touching = p.gap == 0
        for query in (broadphase.spheres_apart, broadphase.boxes_apart):
            assert not query(p.a, p.b, None, (p.rotation, p.position))[touching].any()


def test_spheres_are_exact_for_spheres():
    rng = np.random.default_rng(3)
    a, b = tg.Sphere(rng.uniform(0.5, 2, 1000)), tg.Sphere(rng.uniform(0.5, 2, 1000))
    where = poses(rng, 1000, 3.0)
    between = np.linalg.norm(where[1], axis=-1) - a.radius - b.radius
    assert (broadphase.spheres_apart(a, b, None, where) == (between > 1e-13)).all()
    assert (broadphase.boxes_apart(a, b, None, where) <= (between > 0)).all()


def test_boxes_are_exact_for_boxes():
    """Fifteen axes decide for boxes: contact, which knows nothing of them, agrees."""
    rng = np.random.default_rng(4)
    a, b = FAMILIES["box"].make(rng, (3000,)), FAMILIES["box"].make(rng, (3000,))
    where = poses(rng, 3000, 2.5)
    distance = tg.contact(a, b, None, where).distance
    clear = abs(distance) > 1e-9
    assert 300 < (distance < 0).sum() < 2700
    assert (broadphase.boxes_apart(a, b, None, where)[clear] == (distance[clear] > 0)).all()


def test_boxes_need_all_fifteen_axes():
    """Two crossed beams that only the product of their edges separates (the row of Table 1 with the lost index)."""
    a, b = tg.Box([10, 1, 1]), tg.Box([10, 1, 1])
    turn = Rotation.from_rotvec([0, 0, np.pi / 2]) * Rotation.from_rotvec([np.pi / 4, 0, 0])
    lift = Rotation.from_rotvec([np.pi / 4, 0, 0])
    gap = 2.0 * np.sqrt(2.0)  # both beams stand on an edge: half diagonals sqrt(2) each
    for height, apart in ((gap - 0.01, False), (gap + 0.01, True)):
        result = broadphase.boxes_apart(a, b, (lift, [0, 0, 0]), (turn, [0, 0, height]))
        assert bool(result) is apart
        assert (float(tg.contact(a, b, (lift, [0, 0, 0]), (turn, [0, 0, height])).distance) > 0) is apart


@pytest.mark.parametrize("aspect", [3.0, 30.0, 1000.0])
@pytest.mark.parametrize("surface", [False, True])
def test_quartic_on_manufactured_ellipsoids(aspect, surface):
    rng = np.random.default_rng(5)
    p = ellipsoid_pairs(rng, 4000, aspect=aspect, surface=surface)
    code = broadphase.ellipsoids(p.a, p.b, None, (p.rotation, p.position))
    relative = p.gap / p.size
    assert (code[relative == 0] == Separation.TOUCHING).all()
    # 1000:1 bodies lose digits, and the answer says so; the others know ten of them
    assert (code[relative > (1e-9 if aspect > 100 else 1e-11)] == Separation.SEPARATED).all()
    assert (code >= 0).all()


def test_quartic_agrees_with_contact():
    rng = np.random.default_rng(6)
    a, b = tg.Ellipsoid(rng.uniform(0.05, 2, (4000, 3))), tg.Ellipsoid(rng.uniform(0.05, 2, (4000, 3)))
    pose_a, pose_b = poses(rng, 4000, 1.5), poses(rng, 4000, 1.5)
    c = tg.contact(a, b, pose_a, pose_b)
    clear = abs(c.distance) > 1e-10
    assert 500 < (c.distance < 0).sum() < 3500
    code = broadphase.ellipsoids(a, b, pose_a, pose_b)
    assert (code[clear] == np.sign(c.distance[clear])).all()
    assert (broadphase.ellipsoids(b, a, pose_b, pose_a) == code).all()


def test_one_inside_the_other_overlaps():
    a, b = tg.Ellipsoid([3, 2, 1]), tg.Sphere(0.1)
    assert broadphase.ellipsoids(a, b, pose_b=(None, [[0, 0, 0], [1, 0.5, 0.1], [2.9, 0, 0]])).tolist() == [-1, -1, -1]
    # touching from inside: the quartic has a double root as well, but no positive one
    assert int(broadphase.ellipsoids(a, b, pose_b=(None, [2.9, 0, 0]))) == Separation.OVERLAPPING


def test_quartic_coefficients():
    """Against det(x A + B) of the 4x4 matrices in 50 digits, and the theorem on its roots."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        radii = rng.uniform(0.3, 1.5, (2, 3))
        rotation, position = poses(rng, 2, 1.5)
        args = (tg.Ellipsoid(radii[0]), tg.Ellipsoid(radii[1]), *zip(rotation, position))
        q = broadphase.characteristic_quartic(*args)
        with mpmath.workdps(50):
            forms = []
            for k in range(2):
                r, c = mpmath.matrix(rotation[k].tolist()), mpmath.matrix(position[k].tolist())
                m = r * mpmath.diag([1 / mpmath.mpf(x) ** 2 for x in radii[k].tolist()]) * r.T
                form = mpmath.zeros(4)
                form[:3, :3], form[:3, 3], form[3, :3] = m, -m * c, (-m * c).T
                form[3, 3] = (c.T * m * c)[0] - 1
                forms.append(form)
            values = [mpmath.det(x * forms[0] + forms[1]) for x in range(5)]
            exact = np.array([float(v / -values[0]) for v in values])  # constant term -1
        assert np.allclose(np.polyval(q, np.arange(5.0)), exact, rtol=1e-11, atol=1e-11)
        roots = np.roots(q)
        positive = (abs(roots.imag) < 1e-9 * abs(roots)) & (roots.real > 0)
        distance = float(tg.contact(*args).distance)
        assert positive.sum() == (2 if distance > 0 else 0)


def test_broadcasting():
    rng = np.random.default_rng(8)
    a, b = tg.Ellipsoid(rng.uniform(0.5, 1, (4, 1, 3))), tg.Ellipsoid(rng.uniform(0.5, 1, (5, 3)))
    where = (Rotation.random(5, rng=rng), rng.uniform(-2, 2, (5, 3)))
    for query in (broadphase.spheres_apart, broadphase.boxes_apart, broadphase.ellipsoids):
        table = query(a, b, None, where)
        assert table.shape == (4, 5)
        for i, j in ((0, 0), (3, 1), (2, 4)):
            assert table[i, j] == query(a[i, 0], b[j], None, (where[0][j], where[1][j]))
    assert broadphase.characteristic_quartic(a, b, None, where).shape == (4, 5, 5)


def test_large_stacks_in_threads():
    rng = np.random.default_rng(9)
    count = 70_000
    a, b = tg.Ellipsoid(rng.uniform(0.1, 1, (count, 3))), tg.Ellipsoid(rng.uniform(0.1, 1, 3))
    position = rng.uniform(-1.5, 1.5, (count, 3))
    for query in (broadphase.spheres_apart, broadphase.boxes_apart, broadphase.ellipsoids):
        whole = query(a, b, None, (None, position))
        some = rng.integers(0, count, 50)
        assert (whole[some] == query(a[some], b, None, (None, position[some]))).all()


def test_refusals():
    ball, ground = tg.Sphere(1.0), tg.HalfSpace([0, 0, 1])
    for query in (broadphase.spheres_apart, broadphase.boxes_apart):
        with pytest.raises(TypeError, match="b must be a bounded Shape"):
            query(ball, ground)
    with pytest.raises(TypeError, match="a must be an Ellipsoid or a Sphere, got Box"):
        broadphase.ellipsoids(tg.Box([1, 1, 1]), ball)
    with pytest.raises(ValueError, match="tol must lie between 0 and 1"):
        broadphase.ellipsoids(ball, ball, tol=0.0)
    with pytest.raises(ValueError, match="do not broadcast"):
        broadphase.spheres_apart(tg.Sphere([1.0, 2.0]), ball, pose_b=(None, np.zeros((3, 3))))


@pytest.mark.parametrize("thin", [1e-5, 1e-6, 1e-8, 1e-12])
def test_needles_and_plates_are_decided_by_proof(thin):
    rng = np.random.default_rng(11)
    count = 2000
    a = tg.Ellipsoid(rng.uniform(0.2, 1.0, (count, 3)) * [1, 1, thin])
    b = tg.Ellipsoid(rng.uniform(0.2, 1.0, (count, 3)) * [thin, 1, np.sqrt(thin)])
    pose = (Rotation.random(count, rng=rng), rng.normal(size=(count, 3)))
    verdict, c = tg.broadphase.ellipsoids(a, b, pose_b=pose), tg.contact(a, b, pose_b=pose)
    assert not ((verdict == -1) & (c.lower > 0.0)).any()
    assert not ((verdict == 1) & (c.upper < 0.0)).any()
    assert (verdict[np.abs(c.distance) > 1e-9] != 0).all()
