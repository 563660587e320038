"""Laws that return numbers that are not finite: both modes name the law, its arguments, the pair and the time."""

import math
import re
import typing

import numpy as np
import pytest

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

SOUND = forces.HuntCrossley(stiffness=1e6, restitution=0.8)
PLUS, NOT_A_NUMBER, MINUS = 1.0, 0.0, -1.0  # times infinity
MODES = [{"mode": "fast"}, {"method": "DOP853"}, {"method": "RK45"}, {"method": "Radau"}, {"method": "BDF"}]


class Broken(forces.NormalLaw):
    """Not finite beyond a rate, below another one, beyond a depth, an impact speed, or in its energy."""

    class Kernel(typing.NamedTuple):
        most_rate: float
        least_rate: float
        most_depth: float
        most_impact: float
        most_energy: float
        wrong: float  # times infinity

        def force(self, depth, rate, impact_speed):
            if rate > self.most_rate or rate < self.least_rate:
                return self.wrong * math.inf
            if depth > self.most_depth or impact_speed > self.most_impact:
                return self.wrong * math.inf
            return 1e6 * depth**1.5 * (1.0 + 0.1 * rate)

        def energy(self, depth):
            return self.wrong * math.inf if depth > self.most_energy else 1e6 * depth**2.5 / 2.5


class BrokenFriction(forces.FrictionLaw):
    """Not finite beyond a slip."""

    class Kernel(typing.NamedTuple):
        most: float
        wrong: float

        def force(self, load, slip):
            speed = math.sqrt(slip[0] ** 2 + slip[1] ** 2 + slip[2] ** 2)
            k = (
                self.wrong * math.inf
                if speed > self.most
                else -0.3 * load * math.tanh(speed / 0.01) / max(speed, 1e-12)
            )
            return (k * slip[0], k * slip[1], k * slip[2])


class BrokenBristle(forces.FrictionLaw):
    """Not finite beyond a stretch."""

    class Kernel(typing.NamedTuple):
        most: float

        def force(self, load, slip, stretch):
            length = math.sqrt(stretch[0] ** 2 + stretch[1] ** 2 + stretch[2] ** 2)
            k = math.inf if length > self.most else -1e4
            return (k * stretch[0], k * stretch[1], k * stretch[2]), slip

        def stretch_after(self, slip, stretch, dt):
            return (stretch[0] + dt * slip[0], stretch[1] + dt * slip[1], stretch[2] + dt * slip[2])

        def energy(self, stretch):
            return 5e3 * (stretch[0] ** 2 + stretch[1] ** 2 + stretch[2] ** 2)


def broken(wrong=NOT_A_NUMBER, **limits):
    usual = {"most_rate": 1e9, "least_rate": -1e9, "most_depth": 1e9, "most_impact": 1e9, "most_energy": 1e9}
    return Broken(**{**usual, **limits, "wrong": wrong})


def thrown(normal, friction=None, shape=None, slip=0.0):
    """A ball or a box thrown down on the ground at 3 m/s."""
    shape = tg.Sphere(0.1) if shape is None else shape
    ball = Body("ball", shape, (None, [0, 0, 0.2]), mass=1.0, velocity=[slip, 0, -3])
    law = Interaction(normal, forces.Frictionless() if friction is None else friction)
    return World([Body("ground", tg.HalfSpace([0, 0, 1])), ball], interaction=law)


def number(said, name):
    return float(re.search(rf"{name} = \[?([-+.\de]+)", said)[1])


@pytest.mark.parametrize("options", MODES, ids=lambda o: "".join(o.values()))
def test_a_normal_law_that_is_not_finite_is_named(options):
    cases = [
        (broken(most_rate=0.5), "rate", lambda v: v > 0.5),
        (broken(MINUS, least_rate=-0.5), "rate", lambda v: v <= -0.5 * (1 - 1e-5)),
        (broken(PLUS, most_depth=2e-3), "depth", lambda v: v >= 2e-3 * (1 - 1e-5)),
        (broken(most_impact=1.0), "impact_speed", lambda v: v > 1.0),
        (broken(most_energy=2e-3), "depth", lambda v: v >= 2e-3 * (1 - 1e-5)),
    ]
    for law, name, wanted in cases:
        for shape in (tg.Sphere(0.1), tg.Box([0.1, 0.1, 0.1])):  # a point, and a patch
            # The step suggested for a law that fails at every impact is much shorter than needed here.
            given = {"step": 1e-5} if name == "impact_speed" and options.get("mode") == "fast" else {}
            with pytest.raises(RuntimeError, match="the normal law Broken of 'ground' and 'ball' returned") as caught:
                simulate(thrown(law, shape=shape), 0.2, **options, **given)
            said = str(caught.value)
            assert wanted(number(said, name)), (name, said)
            assert 0.03 < number(said, "t") < 0.04
            assert ("as its energy" in said) == (law.most_energy < 1.0)
            assert "step" not in said.replace("a step or a speed", "")


@pytest.mark.parametrize("options", MODES, ids=lambda o: "".join(o.values()))
def test_a_friction_law_that_is_not_finite_is_named(options):
    for law, name, least in (
        (BrokenFriction(most=1.5, wrong=NOT_A_NUMBER), "slip", 1.5),
        (BrokenFriction(most=1.5, wrong=MINUS), "slip", 1.5),
        (BrokenBristle(most=1e-3), "stretch", 1e-3),
    ):
        said = f"the friction law {type(law).__name__} of 'ground' and 'ball' returned (nan|-?inf) as its force"
        with pytest.raises(RuntimeError, match=said) as caught:
            simulate(thrown(SOUND, law, slip=3.0), 0.2, **options)
        assert abs(number(str(caught.value), name)) >= least * (1 - 1e-5)
        assert 0.03 < number(str(caught.value), "t") < 0.04


@pytest.mark.parametrize("options", MODES, ids=lambda o: "".join(o.values()))
def test_limits_that_are_not_reached_do_not_matter(options):
    """The impact is at 3.31 m/s, 10.5 mm deep."""
    law = broken(most_rate=3.5, least_rate=-4.0, most_depth=0.02, most_impact=3.4, most_energy=0.02)
    run = simulate(thrown(law), 0.1, **options)
    assert len(run.impacts) == 1
    assert np.isfinite(run.energy["elastic"]).all()


def test_a_law_that_is_not_finite_at_the_start_is_named():
    law = broken(most_depth=1e-2)
    ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.08]), mass=1.0)
    world = World([Body("ground", tg.HalfSpace([0, 0, 1])), ball], interaction=Interaction(law))
    for mode in ("accurate", "fast"):
        with pytest.raises(RuntimeError, match=r"returned nan as its force at t = 0 s, for depth = 0\.02 m"):
            simulate(world, 0.1, mode)
