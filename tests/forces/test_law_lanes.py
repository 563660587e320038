"""Laws for many contacts at a time: the numbers of the laws for one contact, and the formulas of the bristle."""

import math
import typing

import numpy as np
import pytest

from tangency import forces
from tangency.dynamics.contact.laws import in_lanes, law_entry, law_tables, press_lanes, rub_lanes
from tangency.kernels.block import LANES

DEPTH, RATE, IMPACT, CURVATURES, SPRING, ENERGY, LOAD = 0, 1, 2, slice(3, 5), 5, 6, 7
SLIP, STRETCH, FORCE, AFTER, STORED = slice(1, 4), slice(4, 7), slice(7, 10), slice(10, 13), 13
UP, STEP = [0.0, 0.0, 1.0], 1e-3
SPRINGS = forces.KelvinVoigt(stiffness=2e4, damping=60.0)
STUFF = forces.Material(young=1e7, poisson=0.3)


def tables(normal, friction):
    entries = [law_entry(normal, friction, None)]
    return in_lanes(law_tables(entries), entries)


@pytest.mark.parametrize(
    "law", [SPRINGS, forces.Hertz(materials=STUFF), forces.Gonthier(stiffness=1e5, restitution=0.5)]
)
def test_normal_law(law):
    rng = np.random.default_rng(1)
    s = np.zeros((8, LANES))
    s[DEPTH], s[RATE], s[IMPACT] = 10.0 ** rng.uniform(-9, -2, LANES), rng.normal(size=LANES), rng.uniform(0, 1, LANES)
    s[CURVATURES] = 10.0 ** rng.uniform(-2, 2, (2, LANES))
    assert press_lanes(tables(law, forces.Frictionless()), 0, s.reshape(-1), 0)
    bent = s[CURVATURES].T
    np.testing.assert_array_equal(s[LOAD], law.force(s[DEPTH], s[RATE], s[IMPACT], bent))
    np.testing.assert_array_equal(s[SPRING], law.force(s[DEPTH], 0.0, s[IMPACT], bent))
    np.testing.assert_array_equal(s[ENERGY], law.elastic_energy(s[DEPTH], bent))
    assert (s[LOAD] > 0.0).any()
    assert law is not SPRINGS or (s[LOAD] == 0.0).any()  # where the damper would pull


def sliding(rng):
    """A block with loads of both signs, and slips and stretches of all sizes, some of them zero."""
    s = np.zeros((14, LANES))
    s[0] = rng.uniform(-2.0, 20.0, LANES)
    s[SLIP], s[STRETCH] = (rng.normal(size=(3, LANES)) * 10.0 ** rng.uniform(-7, 0, LANES) for _ in range(2))
    s[SLIP, :4], s[STRETCH, 2:6], s[3], s[6] = 0.0, 0.0, 0.0, 0.0
    return s


@pytest.mark.parametrize(
    "law",
    [
        forces.Frictionless(),
        forces.Tanh(coefficient=0.5, speed=1e-3),
        forces.Coulomb(static=0.5, dynamic=0.4, peak_speed=1e-3),
        forces.Bristle(static=0.5, stiffness=1e4, damping=20.0),
        forces.Bristle(static=0.5, dynamic=0.3, stribeck_speed=0.01, stiffness=1e4, damping=20.0),
    ],
)
def test_friction_law(law):
    s = sliding(np.random.default_rng(2))
    assert rub_lanes(tables(SPRINGS, law), 0, STEP, s.reshape(-1), 0)
    after = np.where(s[0] > 0.0, law.stretch_after(s[0], UP, s[SLIP].T, s[STRETCH].T, STEP).T, 0.0)
    if law.has_state:
        assert np.abs(s[AFTER] - after).max() <= 1e-15 * np.abs(after).max()  # the stretch is turned by the scalar law
    force = np.where(s[0] > 0.0, law.force(s[0], s[SLIP].T, s[AFTER].T).force.T, 0.0)
    np.testing.assert_array_equal(s[FORCE], force)


def limit(law, load, speed):
    return load * (law.dynamic + (law.static - law.dynamic) * math.exp(-((speed / law.stribeck_speed) ** 2)))


def bristle_force(law, load, slip, stretch):
    """Dupont et al. 2002 case by case, with the damper cut off at the limit."""
    most, length = limit(law, load, np.linalg.norm(slip)), np.linalg.norm(stretch)
    elastic, rate, spring = law.stiffness * length, slip, law.stiffness * stretch
    if length > 0.0:
        forward = stretch @ slip / length
        if forward > 0.0:
            x = max(elastic / most - law.breakaway, 0.0) / (1.0 - law.breakaway) if elastic < most else 1.0
            rate = slip - x * x * (3.0 - 2.0 * x) * forward / length * stretch
        if elastic > most:
            spring = spring * most / elastic
    damper, share = law.damping * rate, 1.0
    if np.linalg.norm(spring + damper) > most:
        a, b, c = damper @ damper, spring @ damper, max(most**2 - spring @ spring, 0.0)
        share = min((math.sqrt(b * b + a * c) - b) / a, 1.0) if a > 0.0 else 1.0
    return -(spring + share * damper), rate


@pytest.mark.parametrize("dynamic", [0.3, 0.5])
def test_bristle_case_by_case(dynamic):
    law = forces.Bristle(static=0.5, dynamic=dynamic, stribeck_speed=0.01, stiffness=1e4, damping=20.0)
    rng = np.random.default_rng(3)
    blocks = [sliding(rng) for _ in range(20)]
    load, slip, stretch = (np.concatenate([s[rows] for s in blocks], axis=-1).T for rows in (0, SLIP, STRETCH))
    some = load > 0.0
    found = law.force(load[some], slip[some], stretch[some])
    for k, given in enumerate(zip(load[some], slip[some], stretch[some])):
        force, rate = bristle_force(law, *given)
        assert np.abs(found.force[k] - force).max() <= 1e-7 * given[0]  # a root of rounding errors at the limit
        assert np.abs(found.stretch_rate[k] - rate).max() <= 1e-12 * np.linalg.norm(given[1])


def test_user_defined_laws_are_called_one_at_a_time():
    class Own(forces.FrictionLaw):
        class Kernel(typing.NamedTuple):
            factor: float

            def force(self, load, slip):
                return (-self.factor * slip[0], -self.factor * slip[1], -self.factor * slip[2])

    assert not rub_lanes(tables(SPRINGS, Own(factor=1.0)), 0, STEP, np.zeros(14 * LANES), 0)
