"""Römer 2-D: Figs. 6 and 8, and the misprints."""

import numpy as np
import pytest

from tangency.io.progress import Progress
from tangency.studies import STUDIES
from tangency.studies.romer2d_misprints import eccentric, misprints, slip_signs


def rows(result, table=0):
    return {row[0]: row[1:] for row in result.tables[table].rows}


def test_misprints():
    """Every printed form is wrong by a percent or more, every corrected one right."""
    found = misprints(np.linspace(0.1, 6.2, 50))
    names = "(53) (56a) (73) (75a) (75c) (76a) (76c) (81) (84) (105)"
    assert [m.equation for m in found] == names.split()
    for m in found:
        assert m.error_printed > 0.01, m
        assert m.error_right < 1e-8, m
    plus, minus = slip_signs()
    assert plus > 0 > minus


def test_geometry_of_the_misprints():
    """The closed forms against points in the plane."""
    theta = np.linspace(0.0, 6.0, 13)
    for distance, radius in ((0.05, 0.01), (0.03, -0.01)):
        place = eccentric(theta, distance, radius)
        radial = np.stack([np.cos(theta), np.sin(theta)], -1)
        across = np.stack([-np.sin(theta), np.cos(theta)], -1)
        centre = place.g[:, None] * radial
        body = np.array([0.015, 0.0])
        assert np.hypot(*(centre - body).T) == pytest.approx(distance + 0 * theta)
        contact = place.out[:, None] * radial + place.along[:, None] * across
        assert np.hypot(*(contact - body).T) == pytest.approx(0.04 + 0 * theta)
        assert np.hypot(*(contact - centre).T) == pytest.approx(0.01 + 0 * theta)


def test_fig6():
    result = STUDIES["romer2d-fig6"].run(180, 0, Progress())
    found = rows(result)
    assert float(found["f_P against Eq. (85), largest difference [m]"][1]) < 1e-15
    assert float(found["smallest radius of curvature, whole boundary [R]"][1]) > 0
    assert found["rolls over its sole from the heel at 12 rad/s"] == ("yes", "yes")
    assert result.figure is not None
    assert result.figure() is not None


def test_fig8():
    result = STUDIES["romer2d-fig8"].run(2, 0, Progress())
    found = rows(result)
    assert found["lift-offs per revolution"] == ("1", "1", "1")
    assert rows(result, 1)["g and its two derivatives are continuous"] == ("C2", "C2")
    losses = {row[0]: float(row[2]) for row in result.tables[2].rows}
    assert losses["78"] == 0
    assert losses["100"] == 11
    assert result.figure() is not None
