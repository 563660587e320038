"""The way that contacts slip because of the step: what a run reports, against ways known otherwise."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from slopes import STATIC, on_a_slope
from tangency import forces
from tangency.dynamics import Body, Interaction, Load, World, simulate
from tangency.dynamics.fast import runner

NEGLIGIBLE = 1.5e-3  # half widths
SEED, CASES = 4, 30


@pytest.fixture
def report(monkeypatch):
    """A function that runs a world in fast mode; it returns the run and the undue slip in half widths."""
    found = []

    def note(assembly, step, longest):
        found.append(float(longest[0]))
        return []

    monkeypatch.setattr(runner, "friction_warnings", note)

    def run(world, duration, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            done = simulate(world, duration, "fast", output_interval=duration / 2, **options)
        return done, found[-1]

    return run


def random_friction(rng, k, mass, static=STATIC):
    """A tanh law for even k, bristles for odd k, over six decades; and the slip of the law under 0 < load < 1."""
    if k % 2:
        stiffness = mass * 10.0 ** rng.uniform(4, 10)
        damping = rng.choice([0.0, 0.3, 1.0]) * np.sqrt(stiffness * mass)
        return forces.Bristle(static=static, stiffness=stiffness, damping=damping), lambda load: 0.0
    speed = 10.0 ** rng.uniform(-7, -1.5)
    return forces.Tanh(coefficient=static, speed=speed), lambda load: speed * np.arctanh(load)


def test_the_undue_slip_of_a_box_on_a_slope_is_reported(report):
    """In the second half of a run, when it creeps steadily: its way less that of the law, within a factor of two.

    The way of the law itself is known to the measure only by interpolation, so half of it is allowed as an error, too;
    and undamped bristles let a box swing by a thousandth of its half width.
    """
    rng = np.random.default_rng(SEED)
    count = {"crept": 0, "held": 0}
    for k in range(CASES):
        size, mass, degrees = 10.0 ** rng.uniform(-2, 0), 10.0 ** rng.uniform(-1, 2), rng.uniform(5.0, 24.0)
        friction, own = random_friction(rng, k, mass)
        duration, longest = 0.4, 0.3 * np.sqrt(2e-4 * size / (1.5 * 9.81))  # resolves the normal law at rest
        step = duration / (2 * round(duration / (longest * 10.0 ** rng.uniform(-0.7, 0.0)) / 2))
        world = on_a_slope(friction, degrees, size, mass)
        run, whole = report(world, duration, step=step)
        _, half = report(world, duration / 2, step=step)
        way = np.linalg.norm(run.position[2, 1] - run.position[1, 1]) / size
        lawful = own(np.tan(np.radians(degrees)) / STATIC) * duration / 2 / size
        undue, told = way - lawful, whole - half
        case = (friction, size, mass, degrees, step, undue, lawful, whole, half)
        if undue > NEGLIGIBLE and whole > 0.0:
            assert 0.5 * (undue - lawful) < told < 2.0 * undue, case
            count["crept"] += 1
        else:  # held, or the law itself creeps ten times as far
            assert undue < NEGLIGIBLE + 0.15 * way, case
            assert told < 2.0 * NEGLIGIBLE, case
            count["held"] += 1
    assert count["crept"] >= 10
    assert count["held"] >= 5


def test_sliding_is_not_counted(report):
    """Down slopes that are too steep, with friction of any stiffness and any step."""
    rng = np.random.default_rng(5)
    for k in range(16):
        size, mass, degrees = 10.0 ** rng.uniform(-2, 0), 10.0 ** rng.uniform(-1, 2), rng.uniform(20.0, 35.0)
        friction, _ = random_friction(rng, k, mass, static=0.2)
        run, told = report(on_a_slope(friction, degrees, size, mass), 0.3, step=10.0 ** rng.uniform(-4.5, -3.3))
        slope = np.radians(degrees)
        wanted = 0.5 * 9.81 * (np.sin(slope) - 0.2 * np.cos(slope)) * (0.3**2 - 0.15**2)
        assert np.linalg.norm(run.position[2, 1] - run.position[1, 1]) == pytest.approx(wanted, rel=0.05)
        assert told < 1e-3, (friction, size, mass, degrees, told)


@pytest.mark.parametrize(
    "friction", [forces.Tanh(coefficient=0.5, speed=1e-6), forces.Bristle(static=0.5, stiffness=1e9, damping=1e4)]
)
def test_coming_to_rest_is_not_counted(report, friction):
    """A box slides on a floor, and stops."""
    floor = Body("floor", tg.HalfSpace([0, 0, 1]))
    box = Body("box", tg.Box([0.1] * 3), (None, [0, 0, 0.09999]), mass=1, velocity=[1.0, 0, 0])
    law = forces.HuntCrossley(stiffness=1e8, restitution=0.3)
    run, told = report(World([floor, box], interaction=Interaction(law, friction)), 0.6, step=1e-4)
    assert run.position[-1, 1, 0] == pytest.approx(1.0 / (2 * 0.5 * 9.81), rel=0.02)
    assert told < 1e-3


def test_a_heap_that_collapses_with_the_default_step_passes():
    """The grains of examples/heap.py."""
    rng = np.random.default_rng(3)
    shapes = [tg.Ellipsoid([0.05, 0.035, 0.03]), tg.Superellipsoid([0.04, 0.04, 0.03], epsilon=(0.5, 0.5))]
    grid = np.array([(x, y, z) for z in range(5) for x in range(-1, 2) for y in range(-1, 2)])
    bodies = [Body("ground", tg.HalfSpace([0, 0, 1]))]
    for k, (place, turn) in enumerate(zip(grid, Rotation.random(len(grid), rng=rng))):
        bodies.append(Body(f"grain {k}", shapes[k % 2], (turn, 0.1 * place + [0, 0, 0.06]), density=2000))
    law = Interaction(
        forces.Flores(stiffness=1e6, restitution=0.3),
        forces.Tanh(coefficient=0.6, speed=0.02),
        forces.Rolling(rolling=5e-3, speed=0.1),
    )
    run = simulate(World(bodies, interaction=law), 0.6, "fast")
    assert run.info["warnings"] == []


def test_checkpoints_do_not_change_what_is_reported(tmp_path):
    """A box that creeps at first and slides later has crept too little to be reported, whatever checkpoints saw."""
    friction = forces.Tanh(coefficient=0.5, speed=1e-7)
    normal = forces.KelvinVoigt(stiffness=1e5, damping=100.0)

    def pushed(time, state):
        return [3.0 if time < 0.1 else 30.0, 0.0, 0.0]

    ground = Body("ground", tg.HalfSpace([0, 0, 1]))
    box = Body("box", tg.Box([0.1, 0.1, 0.05]), (None, [0, 0, 0.05]), mass=1.0)
    world = World([ground, box], interaction=Interaction(normal, friction), loads=[Load("box", pushed)])
    options = {"step": 1e-3, "output_interval": 0.05}
    with pytest.warns(RuntimeWarning, match="friction between 'ground' and 'box' is too stiff for the step"):
        simulate(world, 0.1, "fast", **options)
    whole = simulate(world, 0.6, "fast", **options)
    saved = simulate(world, 0.6, "fast", checkpoint=tmp_path / "a.npz", checkpoint_every=1, **options)
    assert saved.info["warnings"] == whole.info["warnings"] == []
