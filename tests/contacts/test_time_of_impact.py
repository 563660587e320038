"""Time of impact: exact by construction, against brute force, and invariant under what must not matter."""

import math
import pickle
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.moving_pairs import judged, moving_pairs, radii
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import tangency as tg
from families import Egg
from tangency.contacts.impact_status import ImpactStatus
from tangency.geometry.pose import as_pose

IMPACT, TOUCH, FREE = ImpactStatus.IMPACT, ImpactStatus.TOUCH, ImpactStatus.FREE


def find(p, **options):
    return tg.impact(p.a, p.b, p.motion_a, p.motion_b, p.begin, p.end, **options)


MAKERS = {
    "superellipsoid": lambda rng, n: tg.Superellipsoid(radii(rng, n), rng.uniform(0.2, 1.8, (n, 2))),
    "power": lambda rng, n: tg.PowerEllipsoid(radii(rng, n), rng.uniform(1.3, 6.0, (n, 3))),
    "sphere": lambda rng, n: tg.Sphere(radii(rng, n)[:, 0]),
    "needle": lambda rng, n: tg.Ellipsoid(rng.permuted(np.tile([1.0, 0.1, 0.01], (n, 1)), axis=1)),
    "capsule": lambda rng, n: tg.capsule(radii(rng, n)[:, 0], radii(rng, n)[:, 1]),
    "box": lambda rng, n: tg.Box(radii(rng, n)),
    "cone": lambda rng, n: tg.Cone(radii(rng, n)[:, 0], radii(rng, n)[:, 1]),
    "egg": lambda rng, n: Egg(radius=radii(rng, n)[:, 0], skew=0.02 * np.ones(n)),
    "eccentric": lambda rng, n: tg.Ellipsoid(radii(rng, n)).translate(3.0 * rng.normal(size=(n, 3))),
}
KINDS = {
    "no rotation": {"turns": 0.0},
    "one turn": {},
    "30 turns": {"turns": 30.0},
    "bullets": {"scale_b": 1e-3, "turns": 5.0},
    "grazing": {"grazing": 0.0},
    "nearly grazing": {"grazing": 1e-7},
    "shallow": {"grazing": -1e-7},
}


def check_constructed(p, seed):
    found = find(p)
    score = judged(p, found, np.random.default_rng(seed), samples=8)
    assert (score.missed, score.late, score.wrong, score.not_converged) == (0, 0, 0, 0), score
    hit = found.status == IMPACT
    assert (found.lower < found.upper)[hit].all()
    assert (found.lower <= found.time).all()
    assert (found.time <= found.upper).all()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_ellipsoids_whose_contact_is_known(kind):
    seed = list(KINDS).index(kind)
    p = moving_pairs(np.random.default_rng(seed), 400, **KINDS[kind])
    found = check_constructed(p, seed)
    if p.approach.any():  # a bracket of the first contact
        first = ~(found.upper < p.contact - 1e-12) & (found.status == IMPACT)
        assert first.sum() > 100
        slack = 1e-13 * p.size[first] / p.approach[first]
        assert (found.lower[first] <= p.contact[first] + slack).all()
        assert (found.upper[first] >= p.contact[first] - slack).all()
        if kind != "30 turns":
            assert ((found.upper - found.lower) * p.approach < 10.0 * found.tolerance)[first].all()


@pytest.mark.parametrize("name", MAKERS)
def test_other_shapes_whose_contact_is_known(name):
    rng = np.random.default_rng(len(name))
    count = 40 if name in ("box", "cone") else 150
    check_constructed(moving_pairs(rng, count, make_a=MAKERS[name]), 1)
    check_constructed(moving_pairs(rng, count, make_b=MAKERS[name], turns=3.0), 2)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_many_ellipsoids_whose_contact_is_known(kind):
    check_constructed(moving_pairs(np.random.default_rng(9), 15_000, **KINDS[kind]), 3)


class Ellipsoids(NamedTuple):
    """Two moving ellipsoids, by formulas that do not use support functions."""

    radii: np.ndarray  # (2, 3)
    turns: np.ndarray  # (2, 3, 3)
    places: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray

    def separation(self, times):
        """Perram and Wertheim's contact function less 1: positive apart, negative in overlap."""
        matrices, centres = [], []
        for k in range(2):
            turn = Rotation.from_rotvec(np.multiply.outer(times, self.spins[k])).as_matrix() @ self.turns[k]
            matrices.append(turn * self.radii[k] ** 2 @ np.swapaxes(turn, -1, -2))
            centres.append(self.places[k] + np.multiply.outer(times, self.velocities[k]))
        r = (centres[1] - centres[0])[..., None]
        low, high = np.zeros(len(times)), np.ones(len(times))

        def value(part):
            s = part[:, None, None]
            solved = np.linalg.solve((1.0 - s) * matrices[0] + s * matrices[1], r)
            return part * (1.0 - part) * (r * solved).sum(axis=(1, 2))

        for _ in range(70):  # concave in the part: golden section
            width = 0.381966 * (high - low)
            left = value(low + width) > value(high - width)
            low, high = np.where(left, low, low + width), np.where(left, high - width, high)
        return value(0.5 * (low + high)) - 1.0


def test_against_brute_force():
    """First sign change of the contact function on a fine grid of times, then root finding."""
    rng, hits, frees = np.random.default_rng(11), 0, 0
    grid = np.linspace(0.0, 1.0, 801)
    for _ in range(40):
        spins = 8.0 * rng.normal(size=(2, 3))
        bodies = Ellipsoids(
            radii(rng, 2, 0.3, 1.0),
            Rotation.random(2, rng=rng).as_matrix(),
            np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]),
            np.array([[0.0, 0.0, 0.0], [-6.0, *rng.normal(size=2)]]),
            spins,
        )
        motions = [tg.Drift((bodies.turns[k], bodies.places[k]), bodies.velocities[k], spins[k]) for k in range(2)]
        found = tg.impact(tg.Ellipsoid(bodies.radii[0]), tg.Ellipsoid(bodies.radii[1]), *motions, 0.0, 1.0)
        inside = np.flatnonzero(bodies.separation(grid) < 0.0)
        if not inside.size:
            assert found.status == FREE or bodies.separation(np.array([float(found.upper)]))[0] < 1e-8
            frees += 1
            continue
        root = brentq(
            lambda t, bodies=bodies: bodies.separation(np.array([t]))[0],
            grid[inside[0] - 1],
            grid[inside[0]],
            xtol=1e-14,
        )
        assert found.status == IMPACT
        assert found.lower <= root + 1e-8
        if found.upper < root - 1e-8:  # between two times of the grid
            assert bodies.separation(np.array([float(found.upper)]))[0] < 1e-9
        else:
            hits += 1
            assert abs(float(found.time) - root) < 1e-7
    assert hits > 15
    assert frees > 3


def test_convexity_along_a_turn():
    """Bound (2) of solvers/advancement/turning.py, for bodies of every kind, in plain NumPy."""
    rng = np.random.default_rng(12)
    for make in MAKERS.values():
        body = make(rng, 50)
        k = rng.normal(size=(50, 3))
        k /= np.linalg.norm(k, axis=1, keepdims=True)
        m0 = rng.normal(size=(50, 3))
        m0 /= np.linalg.norm(m0, axis=1, keepdims=True)
        angle, part = rng.uniform(0.01, 2.0, (50, 1)), rng.uniform(0.0, 1.0, (50, 1))
        m1, m = (Rotation.from_rotvec(k * angle * s).apply(m0) for s in (1.0, part))
        cosine = (m0 * k).sum(axis=1)
        back = body.support(-np.sign(cosine)[:, None] * k) * np.abs(cosine)
        h0, h1, s, full = body.support(m0), body.support(m1), part[:, 0], angle[:, 0]
        most = np.maximum(h0, h1) + back
        bulge = full**2 * np.where(most > 0.0, most / np.cos(0.5 * full), most)
        assert (body.support(m) <= (1.0 - s) * h0 + s * h1 + 0.5 * s * (1.0 - s) * bulge + 1e-12).all()


def moved(motion, rotation, shift, velocity, later):
    """The same motion in a frame that is turned, displaced and drifts, with another zero of time."""
    m = motion.moment(later)
    return tg.Drift(
        (rotation @ m.rotation, m.translation @ rotation.T + shift),
        m.velocity @ rotation.T + velocity,
        m.angular_velocity @ rotation.T,
        time=later + 5.0,
    )


def close(one, other, p, shift=0.0):
    """Equal statuses, and bounds that overlap."""
    same = one.status == other.status
    assert same.mean() > 0.97  # overlaps at the limit of proof may be touches
    assert (one.converged == other.converged).all()
    assert (one.hit == other.hit).all()
    hit = one.hit & (one.status <= TOUCH) & (p.approach > 0.0)
    allowed = 3.0 * one.tolerance / np.maximum(p.approach, 1e-3) + 1e-9
    assert (np.abs(one.time + shift - other.time) <= allowed)[hit].mean() > 0.99


def test_invariance():
    rng = np.random.default_rng(13)
    p = moving_pairs(rng, 300, turns=2.0)
    found = find(p)
    close(found, tg.impact(p.b, p.a, p.motion_b, p.motion_a, p.begin, p.end), p)
    turn, velocity = Rotation.random(rng=rng).as_matrix(), np.array([3.0, -2.0, 1.0])
    a, b = (moved(motion, turn, [7.0, 8.0, 9.0], velocity, 0.0) for motion in (p.motion_a, p.motion_b))
    close(found, tg.impact(p.a, p.b, a, b, p.begin + 5.0, p.end + 5.0), p, 5.0)
    few = [find(p, threads=threads) for threads in (1, 2, 3)]
    for other in few:
        for name in ("time", "lower", "upper", "normal", "status", "evaluations"):
            np.testing.assert_array_equal(getattr(found, name), getattr(other, name))


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scales_of_length_and_time(scale):
    p = moving_pairs(np.random.default_rng(14), 200)
    found = find(p)
    motions = []
    for motion in (p.motion_a, p.motion_b):
        m = motion.moment(0.0)
        motions.append(tg.Drift((m.rotation, scale * m.translation), scale**2 * m.velocity, scale * m.angular_velocity))
    a, b = (tg.Ellipsoid(scale * shape.radii) for shape in (p.a, p.b))
    other = tg.impact(a, b, *motions, p.begin / scale, p.end / scale)
    assert (found.hit == other.hit).all()
    assert (np.abs(found.time - scale * other.time)[found.hit] < 1e-6).mean() > 0.99


def test_half_spaces_against_a_formula():
    rng, ground = np.random.default_rng(15), tg.HalfSpace([0, 0, 2], 0.5)
    for _ in range(20):
        size, spin, turn = radii(rng, 1)[0], 5.0 * rng.normal(size=3), Rotation.random(rng=rng)
        fall = tg.Drift((turn, [0, 0, 6.0]), [0.3, 0.0, -4.0], spin)
        rise = tg.Drift((None, [1.0, 2.0, 0.1]), [0.0, 1.0, 0.7])

        def height(t, size=size, spin=spin, turn=turn):
            up = (Rotation.from_rotvec(spin * t) * turn).inv().apply([0, 0, 1])
            return 6.0 - 4.0 * t - math.sqrt(((size * up) ** 2).sum()) - (0.5 + 0.1 + 0.7 * t)

        grid = np.linspace(0.0, 3.0, 3001)
        first = next(k for k, t in enumerate(grid) if height(t) < 0.0)
        root = brentq(height, grid[first - 1], grid[first], xtol=1e-14)
        for found in (
            tg.impact(ground, tg.Ellipsoid(size), rise, fall, 0.0, 3.0),
            tg.impact(tg.Ellipsoid(size), ground, fall, rise, 0.0, 3.0),
        ):
            assert found.status == IMPACT
            assert found.lower <= root + 1e-12
            assert found.upper >= root - 1e-12
            assert found.upper - found.lower < 1e-7
            assert abs(abs(found.normal[2]) - 1.0) < 1e-15


def test_paths_and_functions_are_drifts():
    """The same motion as a drift, a path of many pieces, a screw path, and a function with a bound."""
    rod, ball, rate = tg.Ellipsoid([1.0, 0.2, 0.2]), (tg.Sphere(0.1), (None, [0, 0.9, 0])), 0.5 * math.pi
    drift = tg.Drift(angular_velocity=[0, 0, rate])
    times = np.linspace(0.0, 1.0, 8)
    poses = drift.pose(times)

    def turned(t):
        return Rotation.from_rotvec([0, 0, rate * t])

    def many(t):
        return Rotation.from_rotvec(np.multiply.outer(t, [0, 0, rate]))

    motions = [
        drift,
        tg.PosePath(times, poses),
        tg.PosePath(times, poses, kind="screw"),
        tg.BoundedMotion(turned, 0.0, rate),
        tg.BoundedMotion(many, lambda a, b: 0.0, lambda a, b: rate, vectorized=True),
    ]
    found = [tg.impact(rod, ball[0], motion, ball[1], 0.0, 1.0) for motion in motions]
    assert [int(f.status) for f in found] == [IMPACT] * 5
    assert max(abs(float(f.time) - float(found[0].time)) for f in found) < 1e-8
    assert all(f.lower <= found[0].upper and f.upper >= found[0].lower for f in found)
    stack = tg.impact(rod, tg.Sphere([0.1, 0.05]), motions[3], (None, [[0, 0.9, 0], [0, 1.06, 0]]), 0.0, [1.0, 1.0])
    assert stack.status.tolist() == [IMPACT, FREE]
    wall = tg.HalfSpace([0, 1, 0], -0.5)
    down = tg.BoundedMotion(lambda t: (None, [0, 1.0 - t, 0]), 1.0, 0.0)
    assert abs(float(tg.impact(wall, tg.Sphere(0.1), None, down, 0.0, 9.0).time) - 1.4) < 1e-8


def test_a_helix_hits_what_its_circle_reaches():
    ball = tg.Sphere(0.1)
    screw = tg.Screw((None, [1, 0, 0]), [0, 2 * math.pi, 0.5], [0, 0, 2 * math.pi])  # pitch 0.5 per turn
    found = tg.impact(ball, ball, screw, (None, [1, 0, 5.0]), 0.0, 20.0)
    assert found.status == IMPACT
    t = brentq(lambda t: math.hypot(2.0 * math.sin(math.pi * t), 5.0 - 0.5 * t) - 0.2, 9.5, 10.0)
    assert abs(float(found.time) - t) < 1e-8
    assert tg.impact(ball, ball, screw, (None, [1.3, 0, 5.0]), 0.0, 20.0).status == FREE


def test_statuses():
    a, b = tg.Ellipsoid([1.0, 0.2, 0.2]), tg.Sphere(0.1)
    x = [[1.1, 0, 0], [0.9, 0, 0], [1.1 + 1e-12, 0, 0], [1.1 - 1e-12, 0, 0], [0, 5, 0]]
    found = tg.impact(a, b, None, (None, x), 0.0, 1.0)
    touching, overlapping = ImpactStatus.TOUCHING_AT_START, ImpactStatus.OVERLAPPING_AT_START
    assert found.status.tolist() == [touching, overlapping, touching, touching, FREE]
    assert found.time.tolist() == [0.0, 0.0, 0.0, 0.0, math.inf]
    assert found.lower[4] == 1.0
    assert found.hit.tolist() == [True, True, True, True, False]
    now = tg.impact(a, b, None, (None, x), 0.5, 0.5)  # a single time
    assert now.status.tolist() == found.status.tolist()
    far = tg.impact(a, b, None, (None, [[1.1 + 1e-8, 0, 0], [1.1 + 1e-8, 1e-3, 0]]), 0.0, 1.0)
    assert far.status.tolist() == [FREE, FREE]
    spin = tg.Drift(angular_velocity=[0, 0, 1.0])
    short = tg.impact(a, b, spin, (None, [0, 0.9, 0]), 0.0, 3.0, max_evaluations=3)
    assert short.status == ImpactStatus.NOT_CONVERGED
    assert 0.0 <= short.lower < 1.3
    assert short.upper == math.inf
    assert all(status.message.endswith(".") for status in ImpactStatus)
    assert "max_evaluations" in short.message
    for status in ImpactStatus:
        assert status.hit == (status not in (FREE, ImpactStatus.NOT_CONVERGED, ImpactStatus.NOT_A_NUMBER))


class Broken(tg.Shape):
    """A ball without numbers for most directions along y."""

    class Kernel(NamedTuple):
        radius: float

        def point(self, n):
            k = self.radius / math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            if 0.3 < n[1] < 0.9 and n[2] > 0.1:
                k = k * math.nan
            return (k * n[0], k * n[1], k * n[2])


def test_a_shape_without_numbers_is_said():
    a, b = Broken(1.0), tg.Ellipsoid([0.3, 0.2, 0.1])
    motion = tg.Drift((None, [1.3, 0.0, 0.3]), [0.0, 0.3, 0.2], [0.2, 0.0, 0.0])
    found = tg.impact(a, b, tg.Drift(angular_velocity=[0, 0, -1.0]), motion, 0.0, 5.0)
    assert found.status == ImpactStatus.NOT_A_NUMBER
    assert 0.0 <= found.lower < 5.0
    assert found.upper == math.inf


def test_rounding_of_large_times_and_places():
    """Where times or places leave few digits, the bounds say so, and still hold."""
    ball = tg.Sphere(1.0)
    for start, speed in ((1e9, 1.0), (1e9, 1e3), (1e12, 1e5)):
        motion = tg.Drift((None, [-10.0 * speed, 0, 0]), [speed, 0, 0], time=start)
        found = tg.impact(ball, ball, motion, None, start, start + 20.0)
        exact = 10.0 - 2.0 / speed  # after the start
        assert found.hit
        assert found.lower - start <= exact <= found.upper - start
        assert found.upper - found.lower <= 4.0 * max(np.spacing(start), float(found.tolerance) / speed)
    far = 1e9 * np.array([1.0, 1.0, 1.0])
    found = tg.impact(ball, ball, tg.Drift((None, far - [10, 0, 0]), [1, 0, 0]), (None, far), 0.0, 20.0)
    assert abs(float(found.time) - 8.0) < 1e-8


def test_result():
    p = moving_pairs(np.random.default_rng(16), 12, turns=0.5)
    found = find(p)
    assert len(found) == 12
    assert found.shape == (12,)
    assert "of 12 hit" in repr(found)
    c = found.contact
    assert c.shape == (12,)
    hit = found.status <= TOUCH
    assert (np.abs(c.distance) <= 2.0 * found.tolerance)[hit].all()
    assert ((c.normal * found.normal).sum(axis=1) > 0.9999)[hit].all()
    part = found[3:5]
    np.testing.assert_array_equal(part.time, found.time[3:5])
    np.testing.assert_array_equal(part.contact.distance, c.distance[3:5])
    assert "status" in repr(found[0])
    assert not found.time.flags.writeable
    with pytest.raises(TypeError, match="single Impact"):
        found[0][0]
    grid = tg.impact(
        tg.Sphere(1.0),
        tg.Sphere([1.0, 2.0]),
        tg.Drift(velocity=[[[1, 0, 0]], [[2, 0, 0]]]),
        (None, [9, 0, 0]),
        0.0,
        9.0,
    )
    np.testing.assert_allclose(grid.time, [[7.0, 6.0], [3.5, 3.0]], atol=1e-8)


def random_motion(rng, kind):
    """From about -3 to 3 in a second, by detours, with a turn or two."""
    if kind == "screw":
        spin = 6.0 * rng.normal(size=3)
        return tg.Screw((Rotation.random(rng=rng), 1.5 * rng.normal(size=3)), 6.0 * rng.normal(size=3), spin, time=0.3)
    count = int(rng.integers(4, 16))
    places = 1.5 * rng.normal(size=(count, 3))
    times = np.concatenate([[0.0], np.sort(rng.random(count - 2)), [1.0]])
    return tg.PosePath(times, (Rotation.random(count, rng=rng), places), kind=kind.removesuffix(" path"))


@pytest.mark.parametrize("kind", ["screw", "linear path", "screw path"])
def test_other_motions_against_sampling(kind):
    """What is proved holds at many times; what is seen at these is found."""
    rng, grid, hits = np.random.default_rng(18), np.linspace(0.0, 1.0, 1501), 0
    for k in range(40):
        a = tg.Ellipsoid(radii(rng, 1, 0.1, 0.8)[0])
        b = [a, tg.Superellipsoid([0.5, 0.3, 0.2], [0.5, 1.2]), tg.Box([0.4, 0.2, 0.3])][k % 3]
        motions = random_motion(rng, kind), random_motion(rng, kind)
        found = tg.impact(a, b, *motions, 0.0, 1.0)
        distance = tg.contact(a, b, *(motion.pose(grid) for motion in motions)).distance
        assert found.converged
        assert (distance[grid <= found.lower] > 0.0).all()
        seen = np.flatnonzero(distance < -1e-6)
        if seen.size:
            assert found.hit
            assert found.lower <= grid[seen[0]]
        if found.status <= TOUCH:
            hits += 1
            there = tg.contact(a, b, *(motion.pose(found.upper) for motion in motions))
            assert there.lower <= (0.0 if found.status == IMPACT else found.tolerance)
            assert found.upper - found.lower < 1e-5
    assert hits > 3


def test_pickle():
    p = moving_pairs(np.random.default_rng(19), 3)
    found = find(p)
    again, motion = pickle.loads(pickle.dumps((found, p.motion_a)))
    np.testing.assert_array_equal(again.time, found.time)
    np.testing.assert_array_equal(again.contact.distance, found.contact.distance)
    np.testing.assert_array_equal(motion.pose(0.3)[0], p.motion_a.pose(0.3)[0])
    pickle.dumps(tg.BoundedMotion(as_pose, 1.0, 1.0))


def test_bodies():
    rng = np.random.default_rng(17)
    shapes = [
        tg.Ellipsoid(radii(rng, 4)),
        tg.Box([0.5, 0.4, 0.3]),
        tg.HalfSpace([0, 0, 1], -8.0),
        tg.Sphere([0.5, 0.2]),
    ]
    bodies = tg.Bodies(shapes)
    places, v = 4.0 * rng.normal(size=(8, 3)), rng.normal(size=(8, 3))
    spins = rng.normal(size=(8, 3))
    spins[5] = 0.0
    motions = tg.Drift((None, places), v - 0.5 * places, spins)
    pairs = [[0, 1], [1, 4], [5, 2], [6, 7], [3, 5], [2, 6], [4, 5], [0, 3]]
    found = bodies.impact(pairs, motions, 0.0, np.linspace(2.0, 4.0, 8))
    single = [shapes[0][0], shapes[0][1], shapes[0][2], shapes[0][3], shapes[1], shapes[2], shapes[3][0], shapes[3][1]]
    for k, (i, j) in enumerate(pairs):
        moves = [tg.Drift((None, places[m]), v[m] - 0.5 * places[m], spins[m]) for m in (i, j)]
        one = tg.impact(single[i], single[j], *moves, 0.0, 2.0 + 2.0 * k / 7.0)
        assert one.status == found.status[k]
        np.testing.assert_array_equal(found.time[k], one.time)
        np.testing.assert_allclose(found.contact.distance[k], one.contact.distance, atol=1e-12)
    assert bodies.impact(np.zeros((0, 2), int), motions, 0.0, 1.0).shape == (0,)


ball, still = tg.Sphere(1.0), (None, [5, 0, 0])
CASES = [
    (lambda: tg.impact(ball, 3, None, still, 0, 1), TypeError, "b must be a Shape"),
    (lambda: tg.impact(ball, ball, None, still, 1, 0), ValueError, "t1 must not be smaller than t0"),
    (lambda: tg.impact(ball, ball, None, still, 0, math.inf), ValueError, "t1 must be finite"),
    (lambda: tg.impact(ball, ball, lambda t: None, still, 0, 1), TypeError, "motion_a must be.*BoundedMotion"),
    (lambda: tg.impact(ball, ball, None, np.ones((4, 4)), 0, 1), ValueError, "motion_b must"),
    (lambda: tg.impact(ball, ball, None, still, 0, 1, tol=2.0), ValueError, "tol must lie between 0 and 1"),
    (lambda: tg.impact(ball, ball, None, still, 0, 1, threads=0), ValueError, "threads must be"),
    (lambda: tg.impact(ball, ball, None, still, 0, 1, max_evaluations=0), ValueError, "max_evaluations must be"),
    (
        lambda: tg.impact(tg.Cavity(ball), tg.HalfSpace([0, 0, 1]), None, still, 0, 1),
        TypeError,
        "a and b must not both be a HalfSpace or Cavity",
    ),
    (
        lambda: tg.impact(ball, ball, None, tg.PosePath([0, 1], (None, np.zeros((2, 3)))), 0, 2),
        ValueError,
        "t0 and t1 must lie between 0 and 1",
    ),
    (
        lambda: tg.impact(tg.Sphere([1, 2]), ball, None, (None, np.zeros((3, 3))), 0, 1),
        ValueError,
        r"a \(2,\).*motion_b \(3,\)",
    ),
    (
        lambda: tg.Bodies([ball, ball]).impact([[0, 1]], (None, np.zeros((3, 3))), 0, 1),
        ValueError,
        r"motions must be one, or one per body \(2\)",
    ),
    (lambda: tg.Bodies([ball, ball]).impact([[0, 1]], None, [0, 0], 1), ValueError, "t0 must be one time"),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_bad_input_is_named(call, error, text):
    with pytest.raises(error, match=text):
        call()
