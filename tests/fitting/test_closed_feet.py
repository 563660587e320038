"""Closed foot points of simple bodies are those of the general search."""

import numpy as np
import pytest

import tangency as tg
from tangency.fitting import foot_row
from tangency.fitting.families import SIMPLE


@pytest.mark.parametrize("name", [name for name, family in SIMPLE.items() if family.feet is not None])
def test_closed_foot_points(name):
    rng = np.random.default_rng(sum(map(ord, name)))
    family = SIMPLE[name]
    for trial in range(12):
        p = 10.0 ** rng.uniform(-2, 2) * rng.uniform(0.3, 3.0, len(family.shown))
        if name == "rounded_box":
            p[3] = rng.uniform(0.05, 0.95) * p[:3].min()
        if name == "cone" and trial % 4 == 0:
            p[2] = 0.0
        shape = family.build(p)
        size = float(shape.bounding_radius)
        points = size * rng.normal(size=(60, 3)) * rng.uniform(0.05, 1.0, (60, 1))
        points[:3] = [[0, 0, 0], [0, 0, 0.1 * size], [0, 0, 2 * size]]  # on the axis
        out = family.feet(p, points)
        found = tg.signed_distance(shape, points, certify=True)
        assert np.abs(out[:, foot_row.DISTANCE] - found.distance).max() < 1e-9 * size
        # The normal is a unit vector that proves the distance: n.p - h(n) is a lower bound that meets it.
        normal = out[:, foot_row.NORMAL]
        assert np.abs(np.linalg.norm(normal, axis=1) - 1.0).max() < 1e-12
        proved = (normal * points).sum(axis=1) - shape.support(normal)
        assert np.abs(proved - out[:, foot_row.DISTANCE]).max() < 1e-9 * size
        assert np.abs(tg.signed_distance(shape, out[:, foot_row.POINT]).distance).max() < 1e-9 * size
