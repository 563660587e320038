"""The measured accuracy of a user's formulas: each body has its own, whatever else is in the stack."""

import math
import typing

import numpy as np
import pytest

import tangency as tg
from families import normals
from tangency import planar


class Losing(tg.Shape):
    """A ball whose coordinates lose digits: all of them, or the last one alone."""

    class Kernel(typing.NamedTuple):
        r: float
        lost: float
        last: float

        def point(self, n):
            k = self.r / math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            a, b = self.lost, self.lost + self.last
            return ((a + k * n[0]) - a, (a + k * n[1]) - a, (b + k * n[2]) - b)


class LosingInThePlane(planar.Shape):
    class Kernel(typing.NamedTuple):
        r: float
        lost: float

        def jet(self, n):
            a = self.lost
            x = ((a + self.r * n[0]) - a, (a + self.r * n[1]) - a)
            return n[0] * x[0] + n[1] * x[1], x, self.r


def random_stack(rng, count):
    """Most bodies are exact, few lose 1 to 8 digits."""
    lost, last = 10.0 ** rng.uniform(1, 8, (2, count)) * (rng.random((2, count)) < 0.05)
    return rng.uniform(0.5, 2.0, count), lost, last


def test_each_body_knows_its_own_accuracy():
    rng, count = np.random.default_rng(1), 600
    r, lost, last = random_stack(rng, count)
    body = Losing(r, lost, last)
    n = normals(rng, 400)[:, None]
    support = np.abs(body.support(n) - r).max(axis=0)
    surface = np.abs(np.linalg.norm(body.point(n), axis=-1) - r).max(axis=0)
    assert (body.rounding >= np.maximum(support, surface)).all()
    # Not by making the bound of all as large as the worst one's.
    assert (body.rounding[(lost == 0) & (last == 0)] < 1e-13).all()
    assert (body.rounding <= 50.0 * np.maximum(support, surface) + 1e-13).all()
    some = rng.permutation(count)[:37]
    np.testing.assert_array_equal(body[some].rounding, body.rounding[some])
    np.testing.assert_array_equal(body[int(some[0])].rounding, body.rounding[some[0]])


def test_bounds_hold_for_the_few_that_lose_digits():
    rng, count = np.random.default_rng(2), 600
    r, lost, last = random_stack(rng, count)
    ball, body = tg.Sphere(1.0), Losing(r, lost, last)
    place = rng.uniform(3.5, 5.0, (count, 1)) * normals(rng, count)
    c = tg.contact(body, ball, None, (None, place))
    true = np.linalg.norm(place.astype(np.longdouble), axis=1) - r - 1
    assert (c.lower <= true).all()
    assert (c.upper >= true).all()
    some = np.flatnonzero(lost + last)[:20]
    part = tg.contact(body[some], ball, None, (None, place[some]))
    for name in ("distance", "lower", "upper", "normal", "point_a"):
        np.testing.assert_array_equal(getattr(part, name), getattr(c, name)[some])


def test_each_body_of_the_plane_knows_its_own_accuracy():
    rng, count = np.random.default_rng(3), 300
    r, lost, _ = random_stack(rng, count)
    body = LosingInThePlane(r, lost)
    phi = rng.uniform(-np.pi, np.pi, (300, 1))
    n = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    error = np.abs(np.linalg.norm(body.point(n), axis=-1) - r).max(axis=0)
    assert (body.rounding >= error).all()
    assert (body.rounding[lost == 0] < 1e-13).all()
    some = rng.permutation(count)[:37]
    np.testing.assert_array_equal(body[some].rounding, body.rounding[some])


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,)])
def test_every_shape_of_a_stack(shape):
    body = Losing(np.ones(shape), np.zeros(shape), np.full(shape, 1e6))
    assert body.rounding.shape == shape
    assert (body.rounding > 1e-11).all()
