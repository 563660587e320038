"""Fits of a user's classes: none ends in a minimum that is worse than the body that the points come from."""

import numpy as np
import pytest

import tangency as tg
from own_classes import FORMULAS, own_class, own_cloud, random_body
from tangency.fitting import FitStatus
from tangency.fitting.own_family import family_of


def worse(found, rms, size):
    return found.status != FitStatus.NOT_CONVERGED and found.rms > rms * (1.0 + 1e-6) + 1e-6 * size


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
def test_a_class_without_known_parameters(seed):
    points, rms, size = own_cloud("Tetrahedron", seed)
    assert not worse(tg.fit(points, own_class("Tetrahedron")), rms, size)


@pytest.mark.full
@pytest.mark.parametrize("name", FORMULAS)
def test_many_clouds_of_a_class(name):
    kind = own_class(name)
    for seed in range(40):
        points, rms, size = own_cloud(name, seed)
        assert not worse(tg.fit(points, kind), rms, size), seed
        other = random_body(name, np.random.default_rng(seed))  # parameters of another body as first values
        assert not worse(tg.fit(points, other), rms, size), seed


def test_lengths_are_recognised_also_where_only_their_sum_matters():
    """Equal semi-axes and an offset: a sphere, whose support function is the same for many pairs of lengths."""
    kind = own_class("Tetrahedron")
    assert family_of(kind(r=1.0, t=0.1), 1.0).lengths.tolist() == [True, True]
    ball = tg.Ellipsoid([1.0, 1.0, 1.0]).offset(1.0)
    assert family_of(ball, 1.0).lengths.all()
