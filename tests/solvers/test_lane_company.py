"""Stacks of spheres, ellipsoids and superellipsoids: agreement with the robust solver, limits and guesses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from lane_pairs import KINDS, contradictions, pairs, robust, same
from manufactured import place, random_radii, unit


@pytest.mark.parametrize("kind", KINDS)
def test_one_two_and_three_pairs_agree_with_stacks(kind):
    a, b, turn, position = pairs(np.random.default_rng(9), kind, 40)
    c = tg.contact(a, b, None, (turn, position))
    for number in (1, 2, 3):
        for k in range(0, 36, number):
            part = slice(k, k + number)
            d = tg.contact(a[part], b[part], None, (turn[part], position[part]))
            assert contradictions(d, c[part]) == 0
            np.testing.assert_allclose(d.distance, c.distance[part], atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_lanes_and_the_robust_solver_agree(kind, monkeypatch):
    a, b, turn, position = pairs(np.random.default_rng(10), kind, 1500)
    c = tg.contact(a, b, None, (turn, position))
    d = robust(monkeypatch, a, b, None, (turn, position))
    swapped = tg.contact(b, a, (turn, position), None)
    assert contradictions(c, d) == 0
    assert contradictions(c, swapped) == 0
    clear = c.distance > 1e-9
    np.testing.assert_allclose(c.distance[clear], d.distance[clear], atol=1e-11)


@pytest.mark.full
def test_a_stack_larger_than_is_prepared_at_once():
    rng = np.random.default_rng(11)
    count = 100_000
    radii_a, radii_b = random_radii(rng, count, 5.0), random_radii(rng, count, 5.0)
    turn, position = Rotation.random(count, rng=rng).as_matrix(), rng.normal(size=(count, 3))
    guess, limit = unit(rng.normal(size=(count, 3))), rng.uniform(0.0, 3.0, count)
    c = tg.contact(
        tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b), None, (turn, position), guess=guess, max_distance=limit
    )
    followed = np.flatnonzero(c.status == tg.Status.OVERLAP_FOLLOWED)[:2000]
    assert len(followed) > 100
    for k in (followed, rng.integers(0, count, 2000)):
        a, b = tg.Ellipsoid(radii_a[k]), tg.Ellipsoid(radii_b[k])
        assert same(c, tg.contact(a, b, None, (turn[k], position[k]), guess=guess[k], max_distance=limit[k]), k)


@pytest.mark.parametrize("kind", ["ellipsoids", "superellipsoids", "ellipsoid and superellipsoid"])
def test_beyond_is_proved_by_the_lower_bound(kind):
    rng = np.random.default_rng(15)
    a, b, turn, position = pairs(rng, kind, 1500)
    c = tg.contact(a, b, None, (turn, position))
    limit = c.distance + 10.0 ** rng.uniform(-12.0, -0.5, 1500) * rng.choice([-1.0, 1.0], 1500)
    d = tg.contact(a, b, None, (turn, position), max_distance=limit)
    beyond = d.status == tg.Status.BEYOND
    assert beyond.sum() > 100
    assert (d.lower[beyond] >= limit[beyond] - 1e-13).all()
    assert (c.upper[beyond] >= limit[beyond]).all()
    assert contradictions(c, d) == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["good", "opposite", "random"])
def test_no_guess_makes_a_bound_wrong(kind, how):
    rng = np.random.default_rng(16)
    a, b, turn, position = pairs(rng, kind, 1000)
    c = tg.contact(a, b, None, (turn, position))
    guess = {"good": c, "opposite": -c.normal, "random": rng.normal(size=(1000, 3))}[how]
    d = tg.contact(a, b, None, (turn, position), guess=guess)
    assert contradictions(c, d) == 0
    apart = c.distance > 1e-9
    np.testing.assert_allclose(d.distance[apart], c.distance[apart], atol=1e-11)
    assert (d.status[apart] == tg.Status.APART).all()


@pytest.mark.parametrize("kind", ["ellipsoids", "superellipsoids"])
@pytest.mark.parametrize("seed", range(3))
def test_warm_starts_cost_two_evaluations(kind, seed):
    """Small motions, 1e-4 of the size per step, each query guided by the previous answer."""
    rng = np.random.default_rng(seed)
    count = 200
    radii = [random_radii(rng, count, 3.0) for _ in range(2)]
    if kind == "ellipsoids":
        a, b = (tg.Ellipsoid(r) for r in radii)
    else:
        a, b = (tg.Superellipsoid(r, rng.uniform(0.8, 1.2, (count, 2))) for r in radii)
    n, turn = unit(rng.normal(size=(count, 3))), Rotation.random(count, rng=rng).as_matrix()
    problem = place(a, b, rng.uniform(0.02, 1.0, count), n, turn)
    velocity = 1e-4 * problem.size[:, None] * unit(rng.normal(size=(count, 3)))
    spin = Rotation.from_rotvec(1e-4 * unit(rng.normal(size=(count, 3)))).as_matrix()
    position, c, total = problem.position, problem.contact(), 0.0
    steps = 40
    for _ in range(steps):
        position, turn = position + velocity, spin @ turn
        c = tg.contact(a, b, None, (turn, position), guess=c)
        total += c.evaluations.mean()
        assert c.converged.all()
    # Superellipsoids: 2.023 at most.
    assert total / steps <= 2.0 + (0.0 if kind == "ellipsoids" else 0.03)
