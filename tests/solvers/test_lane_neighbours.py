"""The result for a pair in a stack has the same bits whatever its neighbours, its place, the threads or the length.

A block of lanes holds 32 pairs, so in a mixed stack nearly every block holds every kind of pair.  A decision that one
lane makes for the others shows only beside neighbours of one kind: all apart, all touching, all overlapping.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from lane_pairs import KINDS, pairs, same
from manufactured import place, random_radii, unit
from tangency.contacts import dispatch

COUNT = 2400
EPSILON = {"round": (0.8, 1.2), "any": (0.2, 1.8)}


@pytest.fixture(autouse=True)
def threads_for_few_pairs(monkeypatch):
    """Otherwise these stacks would be too short for a second thread."""
    monkeypatch.setattr(dispatch, "LANE_PAIRS_OF_A_THREAD", 100)
    monkeypatch.setattr(dispatch, "PAIRS_OF_A_THREAD", 100)


def gaps(rng, count):
    """Far, near, touching, shallow and deep in equal numbers; 1e-16 sizes is less than the rounding errors."""
    tiny = 10.0 ** rng.uniform(-16.0, -1.0, count)
    return np.choose(np.arange(count) % 5, [rng.random(count), tiny, 0.0 * tiny, -tiny, -rng.uniform(0.05, 0.5, count)])


def manufactured(rng, kind, count):
    radii_a, radii_b = random_radii(rng, count, 5.0), random_radii(rng, count, 5.0)
    a, b = tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
    if kind in EPSILON:
        a, b = (tg.Superellipsoid(body.radii, rng.uniform(*EPSILON[kind], (count, 2))) for body in (a, b))
    if kind == "sphere and superellipsoid":
        a, b = tg.Sphere(radii_a[:, 0]), tg.Superellipsoid(radii_b, rng.uniform(0.3, 1.7, (count, 2)))
    return place(a, b, gaps(rng, count), unit(rng.normal(size=(count, 3))), Rotation.random(count, rng=rng).as_matrix())


def orders(rng, c):
    """Whole and partial stacks: mixed, reversed, sorted, only pairs of one kind, random parts of any length."""
    count = len(c.distance)
    yield from (rng.permutation(count), np.arange(count)[::-1], np.argsort(c.distance), np.argsort(c.evaluations))
    for low, high in ((1e-3, np.inf), (0.0, np.inf), (-1e-9, 1e-9), (-np.inf, 0.0), (-np.inf, -1e-3)):
        yield np.flatnonzero((c.distance >= low) & (c.distance <= high))
    for number in (4, 5, 31, 32, 33, 63, 64, 65, 1024, 1025):
        yield rng.integers(0, count, number)
    yield np.full(40, rng.integers(count))


@pytest.mark.parametrize("kind", ["ellipsoids", *EPSILON, "sphere and superellipsoid"])
@pytest.mark.parametrize("asked", ["nothing", "guess", "max_distance"])
def test_neighbours_do_not_matter(kind, asked):
    rng = np.random.default_rng(20)
    problem = manufactured(rng, kind, COUNT)
    options = {"guess": unit(rng.normal(size=(COUNT, 3))), "max_distance": 10.0 ** rng.uniform(-3.0, 0.0, COUNT)}
    options = {name: value for name, value in options.items() if name == asked}

    def contact(k, threads):
        some = {name: value[k] for name, value in options.items()}
        pose = (problem.rotation[k], problem.position[k])
        return tg.contact(problem.a[k], problem.b[k], None, pose, threads=threads, **some)

    c = contact(np.arange(COUNT), 1)
    assert c.converged.all()
    for k in orders(rng, c):
        assert same(c, contact(k, 1), k)
        assert same(c, contact(k, 2), k)


@pytest.mark.parametrize("kind", KINDS)
def test_random_pairs_in_any_order_and_number(kind):
    rng = np.random.default_rng(8)
    a, b, turn, position = pairs(rng, kind, COUNT)
    c = tg.contact(a, b, None, (turn, position), threads=1)
    assert c.converged.all()
    for threads in (2, 3, 8):
        assert same(c, tg.contact(a, b, None, (turn, position), threads=threads))
    for k in orders(rng, c):
        assert same(c, tg.contact(a[k], b[k], None, (turn[k], position[k])), k)


def test_half_spaces():
    rng = np.random.default_rng(21)
    plane, turn = tg.HalfSpace([0.3, 0.2, 1.0], 0.1), Rotation.random(COUNT, rng=rng).as_matrix()
    position, radii = rng.normal(size=(COUNT, 3)), random_radii(rng, COUNT, 5.0)
    superellipsoids = tg.Superellipsoid(radii, rng.uniform(0.2, 1.8, (COUNT, 2)))
    for bodies in (tg.Sphere(radii[:, 0]), tg.Ellipsoid(radii), superellipsoids):
        c = tg.contact(plane, bodies, None, (turn, position), threads=1)
        for k in orders(rng, c):
            assert same(c, tg.contact(plane, bodies[k], None, (turn[k], position[k]), threads=2), k)


def test_bodies_of_several_types():
    """Pairs of each combination of types are a stack of their own, here of at least four pairs."""
    rng = np.random.default_rng(22)
    count = 60
    radii = random_radii(rng, 3 * count, 4.0)
    superellipsoids = tg.Superellipsoid(radii[count : 2 * count], rng.uniform(0.3, 1.7, (count, 2)))
    stacks = [tg.Ellipsoid(radii[:count]), superellipsoids, tg.Sphere(radii[2 * count :, 0]), tg.HalfSpace([0, 0, 1])]
    bodies = tg.Bodies(stacks)
    turn, position = Rotation.random(len(bodies), rng=rng).as_matrix(), rng.uniform(-3.0, 3.0, (len(bodies), 3))
    i, j = np.triu_indices(len(bodies), 1)
    numbers = np.stack([i, j], axis=1)[rng.permutation(len(i))[:6000]]
    c = bodies.contact(numbers, (turn, position), threads=1)
    family = np.minimum(numbers // count, 3) @ [4, 1]
    for k in orders(rng, c):
        _, index, number = np.unique(family[k], return_inverse=True, return_counts=True)
        k = k[number[index] >= 4]
        if len(k):
            assert same(c, bodies.contact(numbers[k], (turn, position), threads=2), k)
    for kind in np.unique(family):
        k = np.flatnonzero(family == kind)
        first, second = numbers[k].T
        (a, at_a), (b, at_b) = ((np.minimum(n // count, 3)[0], n % count) for n in (first, second))
        poses = ((turn[n], position[n]) for n in (first, second))
        b = stacks[b][at_b] if b < 3 else stacks[b]
        assert same(c, tg.contact(stacks[a][at_a], b, *poses), k)
