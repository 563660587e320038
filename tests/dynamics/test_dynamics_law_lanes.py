"""Laws of many contacts at a time: the motion has the same bits as with the laws called one at a time."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import dynamics, forces


def run(*, mixed):
    """Grains on a floor; `mixed` gives the floor its own copy of the law, so that blocks of contacts have two laws."""
    rng = np.random.default_rng(4)
    k = np.arange(36)
    place = 0.11 * np.stack([k % 3, k // 3 % 3, k // 9 + 0.5], axis=1) + rng.uniform(-0.005, 0.005, (36, 3))
    shape = tg.Ellipsoid(rng.uniform(0.04, 0.06, (36, 3)))
    grains = dynamics.Group("grains", shape, (Rotation.random(36, rng=rng), place), density=1000.0)
    floor = dynamics.Body("floor", tg.HalfSpace([0, 0, 1], 0.0))

    def law():
        return dynamics.Interaction(
            forces.KelvinVoigt(stiffness=2e4, damping=60.0), forces.Bristle(static=0.5, stiffness=1e4, damping=20.0)
        )

    own = {("floor", "grains"): law()} if mixed else {}
    world = dynamics.World([floor, grains], interaction=law(), interactions=own)
    return dynamics.simulate(world, 0.2, "fast", step=4e-4, output_interval=0.1)


def test_one_law_and_two_equal_laws_give_the_same_bits():
    one, two = run(mixed=False), run(mixed=True)
    assert len(one.contacts.at(1)) > 32  # half way
    np.testing.assert_array_equal(one.position, two.position)
    np.testing.assert_array_equal(one.angular_velocity, two.angular_velocity)
    assert one.energy["dissipated"][-1] == pytest.approx(two.energy["dissipated"][-1], rel=1e-14)
