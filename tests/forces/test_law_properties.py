"""Properties of every public law; a new one is tested by its line in tests/support/laws.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laws
from strategies import few
from tangency import forces

NORMAL, FRICTION = laws.normal_laws(), laws.friction_laws()
depths = st.floats(1e-9, 1e-3)
speeds = st.floats(1e-6, 10.0)
curvatures = st.tuples(st.floats(0.1, 1e3), st.floats(0.1, 1e3))


def test_every_law_is_here():
    assert laws.public(forces.NormalLaw) == set(laws.NORMAL)
    assert laws.public(forces.FrictionLaw) == set(laws.FRICTION)


@pytest.mark.parametrize("name", NORMAL)
@few(8)
@given(depth=depths, speed=speeds, impact=speeds, curvature=curvatures)
def test_contacts_push_more_on_the_way_in(name, depth, speed, impact, curvature):
    law = NORMAL[name]
    inwards, at_rest, outwards = law.force(np.full(3, depth), np.array([speed, 0.0, -speed]), impact, curvature)
    assert 0.0 <= outwards <= at_rest <= inwards < np.inf
    assert law.force(-depth, speed, impact, curvature) == 0.0


@pytest.mark.parametrize("name", NORMAL)
@few(8)
@given(depth=depths, impact=speeds, curvature=curvatures)
def test_the_elastic_force_is_the_derivative_of_its_energy(name, depth, impact, curvature):
    law, step = NORMAL[name], 1e-4 * depth
    high, low = (law.elastic_energy(depth + side * step, curvature) for side in (1.0, -1.0))
    assert (high - low) / (2.0 * step) == pytest.approx(float(law.force(depth, 0.0, impact, curvature)), rel=1e-6)


@pytest.mark.parametrize("name", FRICTION)
@few(8)
@given(
    load=st.floats(0.0, 1e4),
    slip=st.tuples(speeds, st.floats(0.0, 2 * np.pi)),
    turn=st.floats(0.0, 2 * np.pi),
    stretch=st.floats(0.0, 1e-3),
)
def test_friction_is_bounded_and_turns_with_its_frame(name, load, slip, turn, stretch):
    law, options = FRICTION[name], laws.FRICTION[name]
    limit = max(options.get(key, 0.0) for key in ("coefficient", "static", "dynamic"))

    def force(angle):
        v = slip[0] * np.array([np.cos(slip[1] + angle), np.sin(slip[1] + angle), 0.0])
        z = stretch * np.array([np.cos(1.0 + angle), np.sin(1.0 + angle), 0.0])
        return law.force(load, v, z).force, v

    (f, v), (g, _) = force(0.0), force(turn)
    assert np.linalg.norm(f) <= limit * load * (1 + 1e-12)
    c, s = np.cos(turn), np.sin(turn)
    np.testing.assert_allclose(g, [c * f[0] - s * f[1], s * f[0] + c * f[1], 0.0], rtol=0, atol=1e-9 * (load + 1e-300))
    if name != "Bristle":  # which may give back what its spring holds
        assert f @ v <= 0.0
