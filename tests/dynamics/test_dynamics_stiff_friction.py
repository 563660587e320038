"""Stiff friction in fast mode: a body on a slope is held, or the run says that the step is too long."""

import warnings

import numpy as np
import pytest

import tangency as tg
from slopes import STATIC, on_a_slope
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import Body, Interaction, World, simulate
from tangency.dynamics.assembly import Assembly
from tangency.dynamics.fast.friction_step import tangential_masses

MAX_SLIP = 0.01  # half widths that may pass without a warning


def slipped(world, duration, **options):
    """Way of the box in the second half of a run, in half widths, and the warnings about friction."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        run = simulate(world, duration, "fast", output_interval=duration / 2, **options)
    way = np.linalg.norm(run.position[2, 1] - run.position[1, 1])
    said = [text for text in run.info["warnings"] if "too stiff for the step" in text]
    assert all("'slope' and 'box'" in text for text in said)
    return way / world["box"].pieces[0].shape.half_lengths.min(), said


@pytest.mark.parametrize(("seed", "runs"), [(8, 6), pytest.param(21, 48, marks=pytest.mark.full)])
def test_a_box_is_held_or_the_run_says_why_not(seed, runs):
    """Random stiffness over ten decades, with the suggested step and with given ones."""
    rng = np.random.default_rng(seed)
    count = {"held": 0, "said": 0}
    for k in range(runs):
        size, mass, degrees = 10.0 ** rng.uniform(-2, 0), 10.0 ** rng.uniform(-1, 2), rng.uniform(5.0, 20.0)
        own, duration = 0.0, 0.4
        if k % 2:
            stiffness = mass * 10.0 ** rng.uniform(4, 12)
            friction = forces.Bristle(
                static=STATIC, stiffness=stiffness, damping=float(rng.choice([0, 1])) * np.sqrt(stiffness * mass)
            )
        else:
            speed = 10.0 ** rng.uniform(-8, -2)
            friction = forces.Tanh(coefficient=STATIC, speed=speed)
            own = speed * np.arctanh(np.tan(np.radians(degrees)) / STATIC) * duration / 2
        given = {} if k % 3 else {"step": 1e-4}
        way, said = slipped(on_a_slope(friction, degrees, size, mass), duration, **given)
        assert said or way < MAX_SLIP + 1.2 * own / size, (friction, size, mass, degrees, way)
        count["said" if said else "held"] += 1
    assert min(count.values()) >= 1


def test_the_suggested_step_holds_stiff_bristles_and_follows_a_steep_tanh():
    for friction in (forces.Bristle(static=STATIC, stiffness=4e8), forces.Tanh(coefficient=STATIC, speed=1e-3)):
        way, said = slipped(on_a_slope(friction, 20.0, 0.1, 1.0), 0.2)
        own = (
            1e-3 * np.arctanh(np.tan(np.radians(20.0)) / STATIC) * 0.1 / 0.1
            if isinstance(friction, forces.Tanh)
            else 0.0
        )
        assert said == []
        assert way == pytest.approx(own, abs=2e-4)


def test_sliding_is_not_called_creeping():
    """Down a slope that is too steep, with a bristle and a tanh that are far too stiff for the step."""
    for friction in (forces.Bristle(static=0.2, stiffness=1e12), forces.Tanh(coefficient=0.2, speed=1e-9)):
        way, said = slipped(on_a_slope(friction, 30.0, 0.1, 1.0), 0.2, step=2e-4)
        assert said == []
        slope = np.radians(30.0)
        wanted = 0.5 * 9.81 * (np.sin(slope) - 0.2 * np.cos(slope)) * (0.2**2 - 0.1**2) / 0.1
        assert way == pytest.approx(wanted, rel=0.02)


def test_tangential_masses():
    """2/7 of the mass of a ball; a rod about its own axis is not as light as a lever of its length would make it."""
    bodies = [
        Body("ball", tg.Sphere(0.1), mass=2.0),
        Body("rod", tg.capsule(0.01, 0.5), mass=1.0),
        Body("floor", tg.HalfSpace([0, 0, 1])),
    ]
    law = Interaction(forces.Hertz(stiffness=1e6))
    ball, rod, floor = tangential_masses(Assembly(World(bodies, interaction=law)))
    assert ball == pytest.approx(4.0 / 7.0)
    assert 0.1 < rod < 0.3
    assert floor == np.inf


SCENE = """
[simulation]
duration = 0.6
mode = "fast"
step = 1e-4
[simulation.normal]
law = "hunt_crossley"
stiffness = 1e7
restitution = 0.3
[simulation.friction]
law = "tanh"
coefficient = 0.5
speed = 1e-6
[[body]]
name = "slope"
shape = "half_space"
normal = [0.3, 0, 1]
[[body]]
name = "box"
shape = "box"
half_lengths = [0.1, 0.1, 0.1]
position = [0.0287, 0, 0.0957]
orientation = { euler = "y", angles_deg = [16.7] }
mass = 1
"""


def test_the_command_line_ends_with_code_3(tmp_path, capsys):
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    assert main(["simulate", str(tmp_path / "scene.toml"), "--out", str(tmp_path)]) == 3
    assert "friction between 'slope' and 'box' is too stiff for the step" in capsys.readouterr().out
