"""Time of impact: what `time`, `lower` and `upper` say, against distances at single times."""

import numpy as np
import pytest
from benchmarks.moving_pairs import boxes, cones, cylinders, ellipsoids, judged, moving_pairs, radii, superellipsoids
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.contacts.impact_status import ImpactStatus
from tangency.geometry.pose import as_pose

IMPACT, TOUCH = ImpactStatus.IMPACT, ImpactStatus.TOUCH


def rounded(rng, n):
    return tg.Box(radii(rng, n)).offset(0.1)


def capsules(rng, n):
    return tg.capsule(radii(rng, n)[:, 0], radii(rng, n)[:, 1])


PAIRS = {
    "boxes": (boxes, boxes),
    "box, ellipsoid": (boxes, ellipsoids),
    "superellipsoid, box": (superellipsoids, boxes),
    "cylinder, box": (cylinders, boxes),
    "cylinders": (cylinders, cylinders),
    "cone, box": (cones, boxes),
    "cone, ellipsoid": (cones, ellipsoids),
    "capsule, cylinder": (capsules, cylinders),
    "capsule, box": (capsules, boxes),
    "rounded boxes": (rounded, rounded),
    "ellipsoids": (ellipsoids, ellipsoids),
}
KINDS = ({}, {"turns": 5.0}, {"turns": 2.0, "motion": tg.Screw}, {"scale_b": 0.01, "turns": 3.0}, {"turns": 0.0})


def check_promise(a, b, motions, found, slack=1e-9):
    """The distance is within the tolerance at `time`, positive at `lower`, and negative at `upper` of an impact."""
    hit = found.status <= TOUCH
    limit = found.tolerance * (1.0 + slack)

    def distance(times):
        times = np.where(hit, times, 0.0)
        return tg.contact(a, b, *(motion.pose(times) for motion in motions)).distance

    assert (np.abs(distance(found.time)) <= limit)[hit].all()
    before = distance(found.lower)
    assert ((before > -1e-3 * limit) & (before <= limit))[hit].all()
    there = distance(found.upper)
    assert (there <= np.where(found.status == IMPACT, 1e-3 * limit, limit))[hit].all()
    assert ((found.lower <= found.time) & (found.time <= found.upper))[hit].all()
    return hit


@pytest.mark.parametrize("tol", [1e-9, 1e-6])
@pytest.mark.parametrize("name", PAIRS)
def test_the_distance_at_the_time_of_contact(name, tol):
    make_a, make_b = PAIRS[name]
    rng = np.random.default_rng([len(name), int(tol > 1e-8)])
    for options in KINDS:
        p = moving_pairs(rng, 60, make_a, make_b, **options)
        found = tg.impact(p.a, p.b, p.motion_a, p.motion_b, p.begin, p.end, tol)
        score = judged(p, found, rng, samples=4)
        assert (score.missed, score.late, score.wrong, score.not_converged) == (0, 0, 0, 0), score
        assert check_promise(p.a, p.b, (p.motion_a, p.motion_b), found).sum() > 30


def test_faces_and_edges_are_proved_to_overlap_soon_after():
    """Two boxes that meet at places other than corners: the bounds are as close as for smooth bodies."""
    p = moving_pairs(np.random.default_rng(4), 400, boxes, boxes)
    found = tg.impact(p.a, p.b, p.motion_a, p.motion_b, p.begin, p.end)
    impact = found.status == IMPACT
    assert impact.mean() > 0.5
    at = tg.contact(p.a, p.b, *(m.pose(np.where(impact, found.upper, 0.0)) for m in (p.motion_a, p.motion_b)))
    assert np.quantile((at.distance / found.tolerance)[impact], 0.05) > -2.0
    assert found.evaluations.mean() < 60.0


def test_cylinders_and_boxes_take_few_evaluations():
    """Rims, sides and ends against faces, edges and corners: the direction is followed, not searched anew."""
    p = moving_pairs(np.random.default_rng(6), 300, cylinders, boxes)
    found = tg.impact(p.a, p.b, p.motion_a, p.motion_b, p.begin, p.end)
    assert judged(p, found, np.random.default_rng(0), samples=4)[3:7] == (0, 0, 0, 0)
    assert found.evaluations[~at_start(found)].mean() < 56.0


def at_start(found):
    return np.isin(found.status, [ImpactStatus.TOUCHING_AT_START, ImpactStatus.OVERLAPPING_AT_START])


def test_evaluations_at_the_start_are_counted():
    """The solver marks contacts whose normal should be refined by the sign of this number."""
    rng = np.random.default_rng(7)
    for make in (boxes, cylinders):
        a, b, place = make(rng, 60), boxes(rng, 60), (Rotation.random(rng=rng), 0.3 * rng.normal(size=3))
        swing = tg.BoundedMotion(lambda t, place=place: place, speed=0.0, angular_speed=0.0)
        for motion in (place, swing):
            found = tg.impact(a, b, None, motion, 0.0, 1.0)
            assert at_start(found).sum() > 30
            assert (found.evaluations > 0).all()


@pytest.mark.full
def test_many_cylinders_and_boxes():
    rng = np.random.default_rng(8)
    for options in KINDS:
        p = moving_pairs(rng, 10_000, cylinders, boxes, **options)
        found = tg.impact(p.a, p.b, p.motion_a, p.motion_b, p.begin, p.end)
        assert judged(p, found, rng, samples=8)[3:7] == (0, 0, 0, 0)


def test_paths_and_bounded_motions():
    rng, hits = np.random.default_rng(5), 0
    for k in range(30):
        a, b = (
            tg.Box([0.5, 0.3, 0.2]),
            (tg.Box([0.2, 0.4, 0.1]), tg.Cone(0.3, 0.3), tg.Ellipsoid([0.4, 0.2, 0.1]))[k % 3],
        )
        places = np.concatenate([[[2.0, 0, 0]], 0.7 * rng.normal(size=(4, 3))])
        path = tg.PosePath(
            np.linspace(0.0, 2.0, 5), (Rotation.random(5, rng=rng), places), kind=("linear", "screw")[k % 2]
        )
        spin = tg.Drift(angular_velocity=rng.normal(size=3))
        found = tg.impact(a, b, spin, path, 0.0, 2.0)
        assert found.converged
        hits += int(check_promise(a, b, (spin, path), found).sum())
        if k % 5 == 0:
            speeds = [motion.speeds(np.zeros(1, int), np.zeros(1), np.full(1, 2.0)) for motion in (spin, path)]
            bounded = [
                tg.BoundedMotion(lambda t, motion=motion: as_pose(motion.pose(t)), *(float(s[0]) for s in speed))
                for motion, speed in zip((spin, path), speeds)
            ]
            other = tg.impact(a, b, *bounded, 0.0, 2.0)
            assert other.hit == found.hit
            assert other.lower <= found.upper
            assert found.lower <= other.upper
            check_promise(a, b, (spin, path), other)
    assert hits > 10


def test_bound_along_a_turning_direction():
    """The bound of solvers/advancement/carried.py, for bodies of every kind, in plain NumPy."""
    rng, count = np.random.default_rng(6), 200
    for make in (boxes, cones, ellipsoids, superellipsoids):
        a, b = make(rng, count), make(rng, count)
        spins, v = rng.normal(size=(3, count, 3)), rng.normal(size=(count, 3))
        spins[2, :50], spins[2, 50:100], spins[2, 100:120] = spins[0, :50], spins[1, 50:100], 0.0
        turns = [Rotation.random(count, rng=rng) for _ in range(2)]
        n0, r0 = rng.normal(size=(count, 3)), 3.0 * rng.normal(size=(count, 3))
        n0 /= np.linalg.norm(n0, axis=1, keepdims=True)
        time, part = rng.uniform(0.01, 1.5, (count, 1)), rng.uniform(0.0, 1.0, (count, 1))

        def value(t, a=a, b=b, spins=spins, turns=turns, n0=n0, r0=r0, v=v):
            n = Rotation.from_rotvec(spins[2] * t).apply(n0)
            local = [(Rotation.from_rotvec(spin * t) * turn).inv() for spin, turn in zip(spins, turns)]
            return (n * (r0 + v * t)).sum(axis=1) - a.support(local[0].apply(n)) - b.support(local[1].apply(-n))

        def length(x):
            return np.linalg.norm(x, axis=-1)

        tilt = length(np.cross(spins[2], n0))
        grows = tilt * (length(spins[2]) * (length(r0) + length(v) * time[:, 0]) + 2.0 * length(v))
        for shape, spin in zip((a, b), spins):
            half, centre = shape._box()
            c = length(spins[2] - spin) ** 2 + length(np.cross(spins[2], spin))
            grows = grows + c * (length(half) + length(centre))
        q = part[:, 0]
        chord = (1.0 - q) * value(0.0 * time) + q * value(time)
        assert (value(part * time) >= chord - 0.5 * q * (1.0 - q) * time[:, 0] ** 2 * grows - 1e-12).all()
