"""Properties of support functions, for every family at normals that hypothesis chooses: on axes and next to planes."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tangency as tg
from families import FAMILIES
from strategies import few, unit_vectors

COUNT = 6
every = pytest.mark.parametrize("name", FAMILIES)


@cache
def bodies(name: str) -> tg.Shape:
    """A stack: each example asks all of it."""
    return FAMILIES[name].make(np.random.default_rng(17), (COUNT,))


@every
@few(8)
@given(n=unit_vectors(), m=unit_vectors(), t=st.floats(1e-3, 1e3))
def test_support_is_convex_and_homogeneous(name, n, m, t):
    shape = bodies(name)
    size = shape.bounding_radius
    h_n, h_m = shape.support(n), shape.support(m)
    assert (np.abs(shape.support(t * n) - t * h_n) <= 1e-13 * t * size).all()
    if np.linalg.norm(n + m) > 1e-6:
        assert (shape.support(n + m) <= h_n + h_m + 1e-12 * size).all()


@every
@few(8)
@given(n=unit_vectors(), m=unit_vectors())
def test_the_point_is_the_gradient(name, n, m):
    """n.x(n) = h(n) and m.x(n) <= h(m) for all m make x(n) a subgradient; the gradient where there is one."""
    shape = bodies(name)
    size = shape.bounding_radius
    x = shape.point(n)
    assert (np.abs(x @ n - shape.support(n)) <= 1e-13 * size).all()
    near = [m, -n, *(n + step * side * m for step in (1e-1, 1e-4, 1e-8) for side in (1.0, -1.0))]
    for other in near:
        if np.linalg.norm(other) > 1e-6:
            assert (x @ other <= shape.support(other) + 1e-12 * size).all()
