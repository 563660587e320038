"""Potentials as models of fits: convexity as a condition, and what one fit must not leave behind for the next."""

import numpy as np
import pytest

import tangency as tg
from fit_audit import difficult
from tangency.fitting import hierarchy
from tangency.fitting.convex_margins import CORNER
from tangency.fitting.directions import spread
from tangency.fitting.known_families import FAMILIES
from tangency.fitting.spline_model import directions
from tangency.geometry.curvature import principal
from tangency.shapes.checks.convexity import find_dent


def cloud(seed, count=150):
    """Points of a random box with rounded edges: sharper than a potential of low degree can be."""
    rng = np.random.default_rng(seed)
    half = rng.uniform(0.8, 1.6, 3)
    return tg.rounded_box(half, 0.2 * half.min()).point(rng.normal(size=(count, 3))) + rng.normal(0, 0.01, (count, 3))


@pytest.mark.full
def test_a_fit_does_not_depend_on_earlier_ones():
    first = tg.fit(cloud(0), "harmonic")
    tg.fit(cloud(1), "harmonic")
    assert np.array_equal(tg.fit(cloud(0), "harmonic").values, first.values)
    assert find_dent(first.shape) is None


@pytest.mark.parametrize("name", ["harmonic", "spline"])
def test_margins_of_linear_potentials(name):
    family = FAMILIES[name]
    required = family.convexity()
    rng = np.random.default_rng(3)
    for _ in range(3):
        p = family.guesses(rng.uniform(0.6, 1.5, 3))[0]
        p = p + 0.01 * np.abs(p).max() * rng.normal(size=len(p))
        margins = required.margins(p)
        shape = family.build(p)
        radii = principal(required.normals, shape.hessian(required.normals)).radii[:, 0]
        size = radii / (margins + required.least)
        assert np.ptp(size) < 1e-9 * size.max()  # the same length everywhere
        assert size.mean() == pytest.approx(shape.support(required.normals).mean(), rel=1e-9)
        chosen = np.argsort(margins)[:40]
        slopes = required.slopes(p, chosen)
        for k in rng.integers(0, len(p), 6):
            step = 1e-6 * np.abs(p).max() * np.eye(len(p))[k]
            wanted = (required.margins(p + step) - required.margins(p - step))[chosen] / (2.0 * step[k])
            assert np.abs(slopes[:, k] - wanted).max() < 1e-5 * np.abs(slopes).max()


def test_margins_at_corners():
    """Where both radii are small the smaller one is not smooth: curvatures along fixed tangents are margins, too."""
    family = FAMILIES["spline"]
    required = family.convexity()
    p = tg.rounded_box([1.0, 1.2, 0.9], 0.02).support(directions())
    values, slopes = required.corners(p)
    assert np.allclose(slopes @ p, values, atol=1e-12)  # linear
    radii = principal(required.normals, family.build(p).hessian(required.normals)).radii / (required.mean @ p)
    sharp = radii[:, 1] < CORNER
    assert sharp.sum() > 50
    assert values.min() >= radii[sharp].min() - required.least - 1e-12
    assert values.max() == pytest.approx(radii[sharp].max() - required.least, abs=1e-12)


@pytest.mark.parametrize("name", ["harmonic", "spline"])
def test_all_deep_dents_are_found_at_once(name):
    family = FAMILIES[name]
    required = family.convexity()
    p = family.guesses(np.ones(3))[0]
    p = p + 0.02 * np.random.default_rng(5).normal(size=len(p))
    shape, least = family.build(p), required.least
    assert required.refine(p, shape)
    assert required.least == least  # no condition for the whole body
    others = spread(15_000)
    deep = principal(others, shape.hessian(others)).radii[:, 0] < -0.01
    assert 10 < deep.sum() < len(others) / 2
    assert (others[deep] @ required.normals.T).max(axis=1).min() > np.cos(0.08)


@pytest.mark.full
@pytest.mark.parametrize(
    ("seed", "model", "rms"), [(43, "harmonic", 9.78e-4), (70, "spline", 2.328), (94, "spline", 3.015)]
)
def test_sharp_bodies_converge_and_are_kept_as_start(seed, model, rms):
    """Clouds of bodies with edges: dents between the directions, and places where both radii are at the limit."""
    points, loss = difficult(seed)
    found = tg.fit(points, model, loss=loss)
    assert found.status.name == "AT_CONVEXITY", found.message
    assert found.rms < rms
    assert tg.fit(points, model, loss=loss, start=found).rms <= found.rms * (1.0 + 1e-12)


@pytest.mark.parametrize("refinements", [pytest.param(0, marks=pytest.mark.full), 1])
def test_a_search_that_is_cut_short_is_convex_and_says_so(refinements, monkeypatch):
    monkeypatch.setattr(hierarchy, "MOST_REFINEMENTS", refinements)
    found = tg.fit(cloud(2), "harmonic")
    assert find_dent(found.shape) is None
    assert found.status.name == "NOT_CONVERGED"
    again = tg.signed_distance(found.shape, cloud(2), found.pose).distance
    assert np.array_equal(again, found.residuals)


@pytest.mark.full
def test_few_points_and_many_parameters_converge():
    """118 points of a rounded box with a gap for 66 parameters: 50 evaluations along the walls were too few."""
    points, loss = difficult(22)
    found = tg.fit(points, "spline", loss=loss)
    assert found.status.name == "AT_CONVEXITY", found.message
