"""Time of impact with half-spaces that turn, and inside cavities."""

import math

import numpy as np
import pytest
from benchmarks.moving_pairs import boxes, cones, ellipsoids, radii, superellipsoids
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.contacts.impact_status import ImpactStatus

IMPACT, TOUCH, FREE = ImpactStatus.IMPACT, ImpactStatus.TOUCH, ImpactStatus.FREE


def unit(rng, count):
    n = rng.normal(size=(count, 3))
    return n / np.linalg.norm(n, axis=1, keepdims=True)


def apart_until_lower(a, b, motions, found, samples=40):
    """Distances at single times do not contradict the result."""
    for part in np.linspace(0.0, 1.0, samples):
        there = tg.contact(a, b, *(motion.pose(part * found.lower) for motion in motions))
        assert (there.upper > -1e-12)[found.status <= FREE].all()
    hit = found.status <= TOUCH
    for times, low, high in ((found.time, -1.0, 1.0), (found.upper, -np.inf, 1.0)):
        there = tg.contact(a, b, *(motion.pose(np.where(hit, times, 0.0)) for motion in motions))
        scaled = there.distance / found.tolerance
        assert ((scaled >= low - 1e-6) & (scaled <= high + 1e-6))[hit].all()
        if low == -np.inf:
            assert (scaled <= 1e-3)[found.status == IMPACT].all()


@pytest.mark.parametrize("motion", [tg.Drift, tg.Screw])
@pytest.mark.parametrize("make", [ellipsoids, superellipsoids, boxes, cones])
def test_half_spaces_that_turn(make, motion):
    """The body touches the plane at a known time, with a known approach."""
    count, rng = 120, np.random.default_rng(7)
    b = make(rng, count)
    plane = tg.HalfSpace(unit(rng, count), rng.normal(size=count))
    turn_a, turn_b = Rotation.random(count, rng=rng), Rotation.random(count, rng=rng)
    n = turn_a.apply(np.array(plane.normal))
    arm_b = turn_b.apply(b.point(turn_b.inv().apply(-n)))
    across = np.cross(n, rng.normal(size=(count, 3)))
    place_a = rng.normal(size=(count, 3))
    touched = place_a + plane.offset[:, None] * n + across
    place_b = touched - arm_b
    spins = rng.uniform(0.0, 4.0, (2, count, 1)) * np.stack([unit(rng, count), unit(rng, count)])
    v_a, v_b = rng.normal(size=(2, count, 3))
    rate = ((v_b + np.cross(spins[1], arm_b) - v_a - np.cross(spins[0], touched - place_a)) * n).sum(axis=1)
    wanted = -rng.uniform(0.1, 3.0, count)
    v_b = v_b + (wanted - rate)[:, None] * n
    contact = rng.uniform(0.1, 1.0, count)
    motions = [
        motion((turn, place), v, spin, time=contact)
        for turn, place, v, spin in ((turn_a, place_a, v_a, spins[0]), (turn_b, place_b, v_b, spins[1]))
    ]
    found = tg.impact(plane, b, *motions, 0.0, contact + 0.2)
    assert found.converged.all()
    assert found.hit.all()
    moving = found.status <= TOUCH
    slack = 1e-12 / -wanted
    assert (found.lower <= contact + slack)[moving].all()
    apart_until_lower(plane, b, motions, found)
    first = moving & (found.upper >= contact - slack)
    assert first.sum() > 20
    assert (np.abs(found.time - contact) <= 1.1 * found.tolerance / -wanted + slack)[first].all()
    swapped = tg.impact(b, plane, motions[1], motions[0], 0.0, contact + 0.2)
    np.testing.assert_array_equal(swapped.time, found.time)
    np.testing.assert_array_equal(swapped.normal, -found.normal)
    assert found.evaluations[moving].mean() < 40.0


def test_a_half_space_that_turns_by_a_function():
    ball, plane = tg.Sphere(0.1), tg.HalfSpace([0, 0, 1.0])
    exact = brentq(lambda t: math.cos(t) - 2.0 * math.sin(t) - 0.1, 0.0, 1.0)
    turn = tg.BoundedMotion(lambda t: (Rotation.from_rotvec([0, t, 0]), [0, 0, 0]), 0.0, 1.0)
    for a, b, motion_a, motion_b in (
        (plane, ball, turn, (None, [-2, 0, 1])),
        (ball, plane, (None, [-2, 0, 1]), turn),
        (plane, ball, tg.Drift(angular_velocity=[0, 1, 0]), (None, [-2, 0, 1])),
    ):
        found = tg.impact(a, b, motion_a, motion_b, 0.0, 2.0)
        assert found.status == IMPACT
        assert found.lower <= exact <= found.upper
        assert abs(float(found.time) - exact) < 1e-9
    away = tg.impact(plane, ball, turn, (None, [2, 0, 1]), 0.0, 1.5)
    assert away.status == FREE


def test_closed_forms_in_cavities():
    bowl, ball = tg.Cavity(tg.Sphere(1.0)), tg.Sphere(0.25)
    found = tg.impact(bowl, ball, None, tg.Drift(velocity=[[1, 0, 0], [0, 0.1, 0]]), 0.0, 2.0)
    assert found.status.tolist() == [IMPACT, FREE]
    assert abs(float(found.time[0]) - 0.75) < 1e-8
    np.testing.assert_allclose(found.normal[0], [-1, 0, 0], atol=1e-8)
    drum = tg.Cavity(tg.Box([1.0, 2.0, 1.0]))
    spin = tg.Drift(angular_velocity=[0, 0, 1.0])
    for a, b, motion_a, motion_b in (
        (drum, ball, spin, (None, [0, 1.3, 0])),
        (ball, drum, (None, [0, 1.3, 0]), spin),
        (
            drum,
            ball,
            tg.BoundedMotion(lambda t: (Rotation.from_rotvec([0, 0, t]), [0, 0, 0]), 0.0, 1.0),
            (None, [0, 1.3, 0]),
        ),
    ):
        found = tg.impact(a, b, motion_a, motion_b, 0.0, 2.0)
        exact = math.asin(0.75 / 1.3)  # the wall x = 1 in the frame of the drum
        assert found.status == IMPACT
        assert found.lower <= exact <= found.upper
        assert abs(float(found.time) - exact) < 1e-8
    tube = tg.Cavity(tg.Cylinder(0.5, 1.0), ends=False)
    tipping = tg.Drift(angular_velocity=[0, 1.0, 0])
    found = tg.impact(tube, ball, tipping, (None, [0, 0, 10.0]), 0.0, 1.0)  # ten lengths away
    exact = math.asin(0.25 / 10.0)
    assert found.status == IMPACT
    assert found.lower <= exact <= found.upper
    inside = tg.impact(bowl, ball, None, (None, [[0.75, 0, 0], [0.9, 0, 0], [0.1, 0, 0]]), 0.0, 1.0)
    touching, overlapping = ImpactStatus.TOUCHING_AT_START, ImpactStatus.OVERLAPPING_AT_START
    assert inside.status.tolist() == [touching, overlapping, FREE]


@pytest.mark.parametrize("scale", [1.0, pytest.param(1e-6, marks=pytest.mark.full)])
def test_random_bodies_in_cavities(scale):
    """Against distances at single times; and the order of the bodies does not matter."""
    count, rng = 12, np.random.default_rng(8)
    hollows = [
        tg.Ellipsoid(scale * radii(rng, count, 1.0, 2.0)),
        tg.Box(scale * radii(rng, count, 1.0, 2.0)),
        tg.Superellipsoid(scale * radii(rng, count, 1.0, 2.0), rng.uniform(0.5, 1.5, (count, 2))),
        tg.Cylinder(scale * radii(rng, count, 1.0, 2.0)[:, 0], scale * radii(rng, count, 1.0, 2.0)[:, 1]),
    ]
    small = [tg.Ellipsoid(scale * radii(rng, count, 0.2, 0.4)), tg.Box(scale * radii(rng, count, 0.2, 0.4))]
    for hollow in hollows:
        for body in small:
            a, spins = tg.Cavity(hollow), rng.normal(size=(2, count, 3))
            motions = [
                tg.Drift((Rotation.random(count, rng=rng), np.zeros((count, 3))), np.zeros(3), spins[0]),
                tg.Screw(
                    (Rotation.random(count, rng=rng), np.zeros((count, 3))),
                    scale * rng.normal(size=(count, 3)),
                    spins[1],
                ),
            ]
            found = tg.impact(a, body, *motions, 0.0, 2.0)
            assert found.converged.all()
            assert (found.status <= FREE).all()
            assert found.hit.sum() > 2
            apart_until_lower(a, body, motions, found, 15)
            other = tg.impact(body, a, *motions[::-1], 0.0, 2.0)
            np.testing.assert_array_equal(other.status, found.status)
            np.testing.assert_allclose(other.time, found.time, rtol=1e-7)
