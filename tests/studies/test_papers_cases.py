"""Printed cases: Portal et al., Tables 3-5; Römer 3-D, section 5.2."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.studies.romer_pairs import random_ellipsoids

# Portal et al., Table 2 as recovered: position, radii, exponents (z, xy), Euler parameters e1, e2, e3
# of bodies A and B.  The printed e2 of body A in case 7 has the wrong sign: with +0.20 the printed
# points lie on the surfaces.  The distances with five decimals are computed, the others printed.
BALL = ([1, 1, 1], [2, 2])
BARREL = ([1.2, 1.4, 1.8], [2.6, 3.1])
BRICK = ([1.5, 1, 1], [4, 2.2])
NONE, TURN = [0, 0, 0], [0, 0.4, 0.25]
PORTAL = {
    1: (([0, 0, 0], *BALL, NONE), ([4, 0, 0], *BALL, NONE), 2.0, 1e-12),
    2: (([4, 0, 0], *BALL, NONE), ([5.8, 0, 0], *BALL, NONE), -0.2, 1e-12),
    3: (([0, 0, 0], *BALL, NONE), ([0, 0, 4], *BARREL, NONE), 1.2, 1e-12),
    4: (([0, 0, 4], *BARREL, NONE), ([2, 1.5, 3], *BRICK, TURN), -0.38119, 5e-6),
    5: (([4, 0, 0], *BALL, NONE), ([2, 1.5, 3], *BRICK, TURN), 1.58959, 5e-6),
    6: (([0, 0, 0], *BALL, NONE), ([2, 1.5, 3], *BRICK, TURN), 1.82062, 5e-6),
    7: (
        ([-1, 2, 1], [1, 1.25, 1.6], [4, 2], [-0.1, 0.2, 0.14]),
        ([0.5, -1.5, 3.3], [2, 1.1, 0.6], [2.2, 4.5], [-0.4, 0.4, -0.05]),
        1.745,
        5e-4,
    ),
    8: (
        ([1, 3.2, 1], [1, 1.25, 1.6], [4, 2.2], [0.3, 0, 0]),
        ([1.8, 1.5, 1.3], [2, 1.1, 0.6], [3.2, 2.5], [0.4, 0.4, -0.05]),
        -0.40465,
        5e-6,
    ),
}


def _body(position, radii, exponents, euler):
    rotation = Rotation.from_quat([*euler, np.sqrt(1.0 - np.dot(euler, euler))])
    return tg.Superellipsoid.from_exponents(radii, exponents), (rotation, position)


@pytest.mark.parametrize("case", PORTAL)
def test_portal(case):
    first, second, distance, digits = PORTAL[case]
    (a, pose_a), (b, pose_b) = _body(*first), _body(*second)
    c = tg.contact(a, b, pose_a, pose_b)
    assert c.converged
    assert abs(c.distance - distance) <= digits
    assert c.upper - c.lower < 1e-11


def test_romer_study_a():
    pairs = random_ellipsoids(np.random.default_rng(0), 100_000)
    a, b = pairs.bodies()
    c = tg.contact(a, b, None, pairs.pose_b)
    assert c.converged.all()
    assert 0.018 < (c.distance < 0).mean() < 0.026
    width = (c.upper - c.lower) / (a.bounding_radius + b.bounding_radius)
    assert width[c.distance > 0].max() < 5e-12
    assert (c.status[c.distance < -1e-12] == tg.Status.OVERLAP_PROVED).mean() > 0.99
