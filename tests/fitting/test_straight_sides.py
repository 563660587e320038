"""Least squares of bodies with nearly straight sides: distances and derivatives, where normals say little."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from recovery import surface_points
from tangency.fitting import FitStatus
from tangency.fitting.known_families import FAMILIES
from tangency.fitting.limits import Limits
from tangency.fitting.open_model import open_models
from tangency.fitting.problem import Problem, State


@pytest.mark.parametrize(
    "e", [(0.05, 0.05), *(pytest.param(e, marks=pytest.mark.full) for e in ((0.3, 0.1), (0.8, 1.2)))]
)
def test_distances_and_derivatives_of_a_tapered_superellipsoid(e):
    rng = np.random.default_rng(5)
    model = open_models(FAMILIES["tapered_superellipsoid"], Limits(), 1.0)[1]
    shape = tg.TaperedSuperellipsoid([0.9, 0.7, 1.4], e, (-0.33, -0.33))
    points = surface_points(rng, shape, 150) * rng.uniform(0.3, 1.2, (150, 1))
    s = model.parameters(np.array([0.9, 0.7, 1.4, *e, -0.33, -0.33]))
    problem = Problem(model, points, np.ones(150), State(s, np.zeros(3), np.eye(3)))
    z = problem.vector()
    problem.residuals(z)
    slopes = problem.slopes(z)

    def distances(moved):
        state = problem.state(moved)
        return tg.signed_distance(model.shape(state.s), (points - state.position) @ state.rotation).distance

    assert np.abs(problem.residuals(z) - distances(z)).max() < 1e-9
    for k, step in enumerate(1e-6 * np.eye(len(z))):
        error = np.abs((distances(z + step) - distances(z - step)) / 2e-6 - slopes[:, k])
        assert np.median(error) < 1e-8
        assert (error > 1e-5).sum() <= 3, k  # other foot points may be the nearest


@pytest.mark.full
@pytest.mark.parametrize("seed", range(20))
def test_a_fit_of_a_body_with_straight_sides_converges(seed):
    """A noisy tapered box, whose exponents end at their bounds."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(-1.0, 1.0, (400, 3))
    k = rng.integers(0, 3, 400)
    p[np.arange(400), k] = np.sign(p[np.arange(400), k])
    p[:, :2] *= 1.0 - rng.uniform(0.1, 0.4) * p[:, 2:]
    points = p * rng.uniform(0.6, 1.6, 3) + rng.normal(0.0, 10.0 ** rng.uniform(-2.5, -1.3), p.shape)
    found = tg.fit(Rotation.random(rng=rng).apply(points), "tapered_superellipsoid")
    assert found.status != FitStatus.NOT_CONVERGED, found.message
