"""Overlaps proved by rings of points around the normal: bodies of which nothing but the formulas is known."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES, Egg
from judgement import from_all_sides, rough_gap
from manufactured import place, random_radii, unit
from queries import Queries

DEPTHS = (1e-6, 1e-4, 1e-2, 0.05, 0.2)


def formula(rng, count):
    a, b, c = random_radii(rng, count, 2.5).T
    return tg.from_support("sqrt(a**2*nx**2 + b**2*ny**2 + c**2*nz**2) + 0.1*b*nz", a=a, b=b, c=c)


def egg(rng, count):
    return Egg(radius=rng.uniform(0.5, 1.0, count), skew=rng.uniform(0.0, 0.1, count))


def spline(rng, count):
    return FAMILIES["spline"].make(np.random.default_rng(0), (8,)).take(rng.integers(0, 8, count))


KINDS = {"formula": formula, "egg": egg, "spline": spline}


@pytest.mark.parametrize("count", [40, pytest.param(150, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_bodies_without_inner_balls_are_proved(kind, depth, count):
    rng = np.random.default_rng(1)
    a, b = KINDS[kind](rng, count), KINDS[kind](rng, count)
    n, turn = unit(rng.normal(size=(count, 3))), Rotation.random(count, rng=rng).as_matrix()
    p = place(a, b, np.full(count, -depth), n, turn)
    c = p.contact()
    assert (c.status == tg.Status.OVERLAP_PROVED).all()
    assert c.evaluations.mean() < (25 if depth < 0.1 else 50)
    assert (c.distance >= -depth - 3e-12).all()
    still = np.broadcast_to(np.eye(3), turn.shape), np.zeros((count, 3))
    q = Queries(a, b, still, (turn, p.position), np.zeros(count, int))
    assert (rough_gap(q, from_all_sides(rng, q)) <= c.upper).all()


@pytest.mark.parametrize("kind", ["formula", "egg"])
def test_no_other_maximum_is_proved(kind):
    """Deep overlaps with many common normals, from guesses all around: what is proved is the shortest way out."""
    rng, count, guesses = np.random.default_rng(2), 60, 12
    a, b = KINDS[kind](rng, count), KINDS[kind](rng, count)
    pose = Rotation.random(count, rng=rng).as_matrix(), 0.15 * rng.normal(size=(count, 3))
    found = [tg.contact(a, b, None, pose)]
    found += [tg.contact(a, b, None, pose, guess=unit(rng.normal(size=(count, 3)))) for _ in range(guesses)]
    distance, status = np.stack([c.distance for c in found]), np.stack([c.status for c in found])
    upper = np.stack([c.upper for c in found]).min(axis=0)
    proved = status == tg.Status.OVERLAP_PROVED
    shorter = distance < distance.max(axis=0) - 1e-9
    assert (distance <= upper).all()
    assert not (proved & shorter).any()
    assert proved[0].mean() > 0.75
    assert shorter.any()  # guesses do lead to other maxima
