"""Long motions: energy, and the rattleback."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import rolling

EGG = tg.Superovoid([0.02, 0.021, 0.03], [2.2, 2.2, 2], taper_x=[1, 0.2, -0.02, 0], taper_y=[1, 0.15, -0.02, 0])

#: Kane and Levinson (1982): a slender ellipsoid whose axes of inertia are turned by 0.8 degrees.
RATTLEBACK = rolling.RollingBody(
    tg.Ellipsoid([0.2, 0.03, 0.02]),
    mass=1.0,
    inertia=1e-4 * np.array([[2.0, -0.2, 0.0], [-0.2, 16.0, 0.0], [0.0, 0.0, 17.0]]),
    centre_of_mass=[0, 0, -0.01],
)


def largest_change(values):
    return np.abs(values - values[0]).max() / np.abs(values).max()


@pytest.mark.parametrize(
    ("body", "start", "spin"),
    [
        (rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1])), [0.3, 0.5, 0.1], [1.0, 2.0, 3.0]),
        (rolling.RollingBody(EGG, density=1030), [1.3, 0.5, 0.1], [1.0, 2.0, 3.0]),
        pytest.param(RATTLEBACK, [0.01, 0.01, 0.0], [0.0, 0.0, 5.0], marks=pytest.mark.full),
    ],
    ids=["ellipsoid", "superovoid", "rattleback"],
)
def test_energy_over_100_seconds(body, start, spin):
    run = body.simulate(Rotation.from_rotvec(start), spin, 100.0)
    assert (run.end, run.end_time) == ("time", 100.0)
    assert largest_change(run.energy) < 1e-9
    assert np.ptp(run.kinetic_energy) > 0.01 * run.kinetic_energy.max()
