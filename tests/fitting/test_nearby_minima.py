"""Fits of bodies with edges end in the best of the minima nearby, and are never worse than the models they contain."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from fit_audit import CONTAINED, difficult
from tangency.fitting import FitStatus, shape_from_parameters
from tangency.shapes.taper_convexity import bulges, dent


def cloud(rng, count=100):
    """A noisy ellipsoid, to which no body with edges fits well: many points lie far inside or outside."""
    n = rng.normal(size=(count, 3))
    points = tg.Ellipsoid(rng.uniform(0.7, 1.3, 3)).point(n) + rng.normal(0, 0.02, (count, 3))
    return Rotation.random(rng=rng).apply(points)


def lowest_neighbour(found, points, rng, count=60):
    """Smallest RMS of bodies a fraction of a standard error away, relative to that of the fit."""
    shape_size = len(found.names) - 6
    spread = np.where(np.isfinite(found.standard_errors), found.standard_errors, 0.0)
    best = math.inf
    for _ in range(count):
        step = rng.uniform(0.05, 0.3) * spread * rng.normal(size=len(spread))
        other = shape_from_parameters(
            found.model, dict(zip(found.names, found.values[:shape_size] + step[:shape_size]))
        )
        turn = found.pose.rotation * Rotation.from_rotvec(step[-3:])
        moved = tg.signed_distance(other, points, (turn, found.pose.translation + step[shape_size:-3])).distance
        best = min(best, math.sqrt(float((moved**2).mean())))
    return best / found.rms


@pytest.mark.parametrize(
    ("model", "seed"),
    [("box", 0), pytest.param("cylinder", 1, marks=pytest.mark.full), pytest.param("cone", 2, marks=pytest.mark.full)],
)
def test_no_body_next_to_a_fit_with_edges_is_better(model, seed):
    rng = np.random.default_rng(seed)
    points = cloud(rng)
    found = tg.fit(points, model)
    assert found.status in (FitStatus.CONVERGED, FitStatus.UNDETERMINED)
    assert lowest_neighbour(found, points, rng) > 1.0 - 1e-4


@pytest.mark.parametrize(
    "family", ["rounded_box", *(pytest.param(name, marks=pytest.mark.full) for name in ("capsule", "cone"))]
)
def test_a_family_is_not_worse_than_the_models_it_contains(family):
    """Also where the simpler body describes the cloud better: a rounded box of a capsule, a cone of a cylinder."""
    rng = np.random.default_rng(4)
    body = {"capsule": tg.Ellipsoid([1.1, 1.05, 1.0]), "rounded_box": tg.capsule(1.0, 0.6), "cone": tg.Cylinder(1, 1)}
    n = rng.normal(size=(120, 3))
    points = body[family].point(n) + rng.normal(0, 0.02, n.shape)
    found = tg.fit(points, family)
    for simpler in CONTAINED[family]:
        assert found.rms <= tg.fit(points, simpler).rms * (1.0 + 1e-6), simpler


@pytest.mark.full
def test_a_turn_without_effect_does_not_prevent_convergence():
    """A rounded box that has become a capsule: its turn about the axis is not determined, nor are its steps."""
    points, loss = difficult(27)
    found = tg.fit(points, "rounded_box", loss=loss)
    assert found.status == FitStatus.AT_CONVEXITY
    assert "radius has grown to a half length" in found.message


def test_dents_of_every_kind_are_found():
    """Smallest Q of bodies with two dents of different kinds side by side, against all heights of a fine grid."""
    rng = np.random.default_rng(0)
    z = np.linspace(0.05, 0.12, 701)
    for width in (1e-4, 1e-2):
        count = 300
        tx, ty = (
            np.column_stack([np.ones(count), c + width * rng.normal(size=(count, 3))])
            for c in (np.array([-0.0174, 0.4832, 0.1104]), np.array([0.0103, 0.4772, 0.1476]))
        )
        bodies = np.full((count, 3), 2.0), np.ones(count), tx, ty
        lowest = bulges(*bodies, np.broadcast_to(z, (count, len(z))))[0].min(axis=(0, 2))
        assert (dent(*bodies)[0] <= lowest + 1e-12).all(), width
