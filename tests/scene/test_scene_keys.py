"""Every key of a simulation in a scene file arrives in the world."""

from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from tangency.cli.main import main
from tangency.scene import SceneError, load_scene

BOWL = Path(__file__).parents[2] / "examples" / "bowl.toml"


KEYS = {
    "duration": ("2.0", lambda run, world: run["duration"] == 2.0),
    "output_interval": ("0.5", lambda run, world: run["output_interval"] == 0.5),
    "step": ("0.25", lambda run, world: run["step"] == 0.25),
    "rtol": ("1e-5", lambda run, world: run["rtol"] == 1e-5),
    "atol": ("1e-6", lambda run, world: run["atol"] == 1e-6),
    "max_step": ("0.1", lambda run, world: run["max_step"] == 0.1),
    "skin": ("0.2", lambda run, world: run["skin"] == 0.2),
    "mode": ('"fast"', lambda run, world: run["mode"] == "fast"),
    "method": ('"Radau"', lambda run, world: run["method"] == "Radau"),
    "force_point": ('"a"', lambda run, world: world.force_point == "a"),
    "gravity": ("[1, 2, 3]", lambda run, world: world.gravity.tolist() == [1, 2, 3]),
    "threads": ("3", lambda run, world: run["threads"] == 3),
    "local_damping": ("0.5", lambda run, world: world.local_damping == 0.5),
    "periodic": ("{ y = [1, 2] }", lambda run, world: world.periodic == (None, (1, 2), None)),
    "interaction": (
        '[{ between = ["left", "right"], touch = false }]',
        lambda run, world: list(world.interactions.values()) == [None],
    ),
    "motion": (
        "{ angular_velocity = [0, 0, 2], centre = [1, 0, 0] }",
        lambda run, world: world.bodies[0].motion(0.0).velocity.round(12).tolist() == [0, -2, 0],
    ),
    "spring": (
        '[{ a = "left", b = "right", stiffness = 3, point_a = [0, 0, 1] }]',
        lambda run, world: world.springs[0].stiffness == 3.0 and world.springs[0].point_a[2] == 1.0,
    ),
    "load": (
        '[{ body = "left", force = [0, 0, "2*t"], torque = [1, 0, 0] }]',
        lambda run, world: (
            [part.tolist() for part in world.loads[0](1.5, tg.dynamics.BodyState(*np.zeros((5, 3))))]
            == [[0, 0, 3], [1, 0, 0]]
        ),
    ),
    "rest": ("0.5", lambda run, world: run["rest"] == 0.5),
    "outlet": (
        "[{ low = [-inf, 0, 0], high = [0, 1, inf] }]",
        lambda run, world: world.outlets[0].high.tolist() == [0, 1, float("inf")],
    ),
    "checkpoint_every": ("7", lambda run, world: run["checkpoint_every"] == 7),
    "normal": ('{ law = "hertz", stiffness = 5e6 }', lambda run, world: world.interaction.normal.stiffness == 5e6),
    "friction": (
        '{ law = "tanh", coefficient = 0.4, speed = 1 }',
        lambda run, world: world.interaction.friction.coefficient == 0.4,
    ),
    "rolling": ("{ rolling = 0.1 }", lambda run, world: world.interaction.rolling.rolling == 0.1),
    "density": ("500.0", lambda run, world: world["left"].density == 500.0),
    "mass": ("3.0", lambda run, world: world["left"].mass_properties.mass == 3.0),
    "centre_of_mass": ("[0, 0, 0.1]", lambda run, world: world["left"].mass_properties.centre[2] == 0.1),
    "inertia": ("[1, 2, 2]", lambda run, world: world["left"].mass_properties.inertia[0, 0] == 1.0),
    "velocity": ("[1, 0, 0]", lambda run, world: world["left"].velocity[0] == 1.0),
    "angular_velocity": ("[0, 1, 0]", lambda run, world: world["left"].angular_velocity[1] == 1.0),
    "fixed": ("true", lambda run, world: world["left"].fixed),
    "material": ("{ young = 1e9, poisson = 0.3 }", lambda run, world: world["left"].material.young == 1e9),
}


def test_every_key_of_motion_arrives(write, two):
    from tangency.dynamics import options_of, world_of
    from tangency.scene import physics

    # A servo belongs to a body that does not move freely: test_dynamics_walls.py.
    assert set(KEYS) == {*physics._SIMULATION, *physics.PHYSICS} - {"servo"}
    for key, (value, arrived) in KEYS.items():
        own = key in physics.PHYSICS
        law = "" if key in ("normal", "material") else 'normal = { law = "hertz", stiffness = 1e6 }\n'
        other = "" if key == "duration" else "duration = 1.0\n"
        table = f"[simulation]\n{other}{law}{'' if own else f'{key} = {value}'}\n"
        body = two.replace("radius = 1\n", f"radius = 1\n{key} = {value}\n") if own else two
        pairs = "[]" if key == "material" else '[["left", "right"]]'
        scene = load_scene(write(f"{body}\n[contact]\npairs = {pairs}\n{table}"))
        assert arrived(options_of(scene), world_of(scene)), key


@pytest.mark.parametrize(("mode", "tol"), [("accurate", 1e-12), ("fast", 1e-10)])
def test_a_tolerance_that_a_simulation_does_not_keep_is_refused(mode, tol, tmp_path, capsys):
    text = BOWL.read_text(encoding="utf-8")
    for factor in (1.0, 0.5):
        path = tmp_path / "scene.toml"
        path.write_text(f"{text}\n[contact]\ntol = {factor * tol}\n", encoding="utf-8")
        scene = load_scene(path)
        scene.simulation["mode"] = mode
        if factor == 1.0:
            tg.dynamics.world_of(scene)
            continue
        with pytest.raises(SceneError, match=rf"line \d+: \[contact\]: tol must not be less than {tol:g}"):
            tg.dynamics.world_of(scene)
        assert main(["simulate", str(path), "--mode", mode, "--out", str(tmp_path)]) == 2
        assert "tol must not be less" in capsys.readouterr().err
