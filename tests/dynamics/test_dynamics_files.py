"""Trajectories on disk, kills and interrupts, scene files, the command, and bad input."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import (
    Body,
    Cavity,
    FileError,
    Interaction,
    Load,
    Motion,
    Spring,
    World,
    load_trajectory,
    simulate,
    world_of,
)
from tangency.scene import SceneError, load_scene

ROOT = Path(__file__).parents[2]

SCENE = """
import sys
import numpy as np
import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

def world():
    bristle = forces.Bristle(static=0.4, stiffness=1e4, damping=5.0)
    law = Interaction(forces.Flores(stiffness=1e5, restitution=0.7), bristle)
    bodies = [Body("ground", tg.HalfSpace([0, 0, 1]))]
    for k in range(3):
        place = (None, [0.05 * k, 0.03 * k, 0.16 + 0.25 * k])
        bodies.append(Body(f"egg {k}", tg.Ellipsoid([0.2, 0.15, 0.1]), place, mass=1.0, angular_velocity=[1, k, 2]))
    return World(bodies, interaction=law)

OPTIONS = {
    "accurate": {"duration": 0.3, "output_interval": 0.02, "rtol": 1e-7, "atol": 1e-9, "checkpoint_every": 3},
    "fast": {"duration": 4.0, "mode": "fast", "output_interval": 0.02, "step": 1e-4, "checkpoint_every": 4},
}

if __name__ == "__main__":
    simulate(world(), **OPTIONS[sys.argv[1]], checkpoint=sys.argv[2], resume=True)
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    path = tmp_path / "kill_scene.py"
    path.write_text(SCENE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return path


@pytest.mark.parametrize("mode", [pytest.param("accurate", marks=pytest.mark.full), "fast"])
def test_a_killed_run_ends_as_if_it_had_not_been(mode, script, tmp_path):
    sys.modules.pop("kill_scene", None)
    import kill_scene

    whole = simulate(kill_scene.world(), **kill_scene.OPTIONS[mode])  # compiles what the child needs, too
    path = tmp_path / "run.npz"
    child = subprocess.Popen([sys.executable, str(script), mode, str(path)])
    try:
        first = None
        while child.poll() is None:  # kill it as soon as a checkpoint after the first one is there
            if path.exists():
                first = path.stat().st_mtime_ns if first is None else first
                if path.stat().st_mtime_ns != first:
                    break
            time.sleep(0.002)
        child.send_signal(signal.SIGKILL)
    finally:
        child.wait()
    part = load_trajectory(path)
    assert 1 < len(part) < len(whole), "the child was not killed on the way"
    rest = simulate(kill_scene.world(), **kill_scene.OPTIONS[mode], checkpoint=path, resume=True)
    for name in ("time", "position", "quaternion", "velocity", "angular_velocity"):
        assert getattr(rest, name).tobytes() == getattr(whole, name).tobytes(), name
    assert rest.contacts.force.tobytes() == whole.contacts.force.tobytes()
    assert rest.energy["dissipated"].tobytes() == whole.energy["dissipated"].tobytes()
    assert rest.info == whole.info
    again = load_trajectory(path)
    assert again.position.tobytes() == whole.position.tobytes()
    assert again.names == whole.names


def ball_world(**options):
    return World(
        [Body("ground", tg.HalfSpace([0, 0, 1])), Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.3]), mass=1.0)],
        interaction=Interaction(forces.HuntCrossley(stiffness=1e5, restitution=0.8)),
        **options,
    )


def test_an_interrupt_leaves_a_valid_file(tmp_path):
    count = 0

    def push(t, state):
        nonlocal count
        count += 1
        if t > 0.3:
            raise KeyboardInterrupt
        return [0.0, 0.0, 0.0]

    path = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        simulate(ball_world(loads=[Load("ball", push)]), 1.0, checkpoint=path, checkpoint_every=5)
    part = load_trajectory(path)
    assert part.time[-1] == pytest.approx(0.3)
    assert list(tmp_path.iterdir()) == [path]


def test_save_and_load(tmp_path):
    run = simulate(ball_world(), 0.5, output_interval=0.05)
    run.save(tmp_path / "a.npz")
    back = load_trajectory(tmp_path / "a.npz")
    for name in ("time", "position", "quaternion", "centre_of_mass", "velocity", "angular_velocity"):
        assert getattr(back, name).tobytes() == getattr(run, name).tobytes()
    assert back.contacts.first.tolist() == run.contacts.first.tolist()
    assert back.info == run.info
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert "header" in file.files
    (tmp_path / "b.npz").write_bytes(b"no trajectory")
    with pytest.raises(FileError, match=r"b\.npz: is not a trajectory file"):
        load_trajectory(tmp_path / "b.npz")
    with pytest.raises(FileError, match="is not a checkpoint"):
        simulate(ball_world(), 0.5, output_interval=0.05, checkpoint=tmp_path / "a.npz", resume=True)
    simulate(ball_world(), 0.5, output_interval=0.05, checkpoint=tmp_path / "c.npz")
    with pytest.raises(FileError, match="another world or other options"):
        simulate(ball_world(gravity=[0, 0, -1]), 0.5, output_interval=0.05, checkpoint=tmp_path / "c.npz", resume=True)


SPHERE = tg.Sphere(0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Body("b", 3), "shape must be a Shape, a Cavity or a sequence"),
        (lambda: Body("b", SPHERE, mass=-1.0), "body 'b': mass must be > 0"),
        (lambda: Body("b", SPHERE, mass=1.0, density=2.0), "density and mass must not both be given"),
        (lambda: Body("b", SPHERE, inertia=[1, 1, 5]), "no principal moment may exceed the sum"),
        (lambda: Body("b", SPHERE, velocity=[1, 2]), r"velocity must have shape \(..., 3\)"),
        (lambda: Body("b", tg.HalfSpace([0, 0, 1]), fixed=False), "mass and inertia must be given"),
        (lambda: Body("b", SPHERE, fixed=True, velocity=[1, 0, 0]), "velocity must be zero for a fixed body"),
        (lambda: Body("b", tg.Sphere([1.0, 2.0])), "must be one body, got a stack"),
        (lambda: Cavity(tg.HalfSpace([0, 0, 1])), "hollow must be a bounded Shape"),
        (lambda: World([]), "at least one Body"),
        (lambda: World([Body("b", SPHERE), Body("b", SPHERE)]), "names of bodies must differ"),
        (
            lambda: World([Body("b", SPHERE)], springs=[Spring("c", stiffness=1.0)]),
            "springs must name bodies of the world, got 'c'",
        ),
        (lambda: World([Body("b", SPHERE)], force_point="c"), "force_point must be"),
        (lambda: Spring("a", "a", stiffness=1.0), "two different bodies"),
        (lambda: Interaction(3), "normal must be a law"),
        (
            lambda: simulate(World([Body("a", SPHERE), Body("b", SPHERE)]), 1.0),
            "interaction must be given: bodies 'a' and",
        ),
        (lambda: simulate(3, 1.0), "world must be a World"),
        (lambda: simulate(World([Body("a", SPHERE)]), -1.0), "duration must be > 0"),
        (lambda: simulate(World([Body("a", SPHERE)]), 1.0, "slow"), "mode must be 'accurate' or 'fast'"),
        (lambda: simulate(World([Body("a", SPHERE)]), 1.0, output_interval=0.3), "multiple of output_interval"),
        (lambda: simulate(World([Body("a", SPHERE)]), 1.0, method="Euler"), "method must be one of"),
        (lambda: simulate(World([Body("a", SPHERE)]), 1.0, resume=True), "checkpoint must name a file"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_a_step_too_long_is_refused_with_a_sentence():
    law = Interaction(forces.KelvinVoigt(stiffness=1e14, damping=0.0))
    world = World(
        [Body("ground", tg.HalfSpace([0, 0, 1])), Body("ball", SPHERE, (None, [0, 0, 0.05]), mass=1e-3)],
        interaction=law,
    )
    body = Body("b", SPHERE, (None, [1.0, 0.0, 0.0]), mass=1.0)
    tied = World([body], springs=[Spring("b", stiffness=1e25)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError, match="too long for the stiffness"):
            simulate(tied, 1.0, "fast", step=1e-2)
    assert "the energy rises by" in str(caught[0].message)  # said before the end
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert np.isfinite(simulate(world, 1e-3, "fast", output_interval=1e-3, step=1e-7).position).all()
    assert any("the energy rises by" in str(w.message) for w in caught)


def test_scene_file_and_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = ROOT / "examples" / "bowl.toml"
    assert main(["simulate", os.fspath(scene), "--duration", "0.2"]) == 0
    text = capsys.readouterr().out
    assert "egg" in text
    assert "mechanical energy" in text
    run = load_trajectory("out/bowl.npz")
    assert run.time[-1] == pytest.approx(0.2)
    lines = Path("out/bowl.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("time,kinetic,gravitational")
    assert len(lines) == len(run) + 1
    assert world_of(load_scene(scene)).bodies[0].fixed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("density = 1000", "density = -1", "density must be > 0"),
        ("cavity = true", "cavity = 1", "cavity must be true or false"),
        ('law = "tanh"', 'law = "tan"', "unknown law 'tan'; did you mean 'tanh'"),
        ("coefficient = 0.3", "coeficient = 0.3", "unknown key 'coeficient'"),
        ("duration = 1.0", "", "'duration' is missing"),
        ("duration = 1.0", "durration = 1.0", "unknown key 'durration' in"),
        ("stiffness = 1e6", "", "give both bodies a material"),
    ],
)
def test_mistakes_in_scene_files(old, new, message, tmp_path, capsys):
    text = (ROOT / "examples" / "bowl.toml").read_text(encoding="utf-8").replace(old, new)
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    assert main(["simulate", str(path), "--out", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_scene_errors_are_scene_errors():
    with pytest.raises(SceneError):
        load_scene("nowhere.toml")


def gusts(strength):
    return Load("ball", lambda t, state: [strength, 0.0, 0.0])


def shaken(height):
    return lambda t: Motion((None, [0.0, 0.0, -1.0 - height * t]))


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_a_run_is_not_resumed_with_another_load_or_motion(tmp_path, mode):
    def world(strength, height):
        bodies = [Body("ball", tg.Sphere(0.1), mass=1.0), Body("table", tg.Sphere(0.1), motion=shaken(height))]
        law = Interaction(forces.HuntCrossley(stiffness=1e5, restitution=0.8))
        return World(bodies, gravity=(0.0, 0.0, 0.0), interaction=law, loads=[gusts(strength)])

    given = {"output_interval": 0.1, "checkpoint": tmp_path / "run.npz"} | ({"step": 0.1} if mode == "fast" else {})
    simulate(world(1.0, 0.5), 0.1, mode, **given)
    for other in (world(2.0, 0.5), world(1.0, 0.25)):
        with pytest.raises(FileError, match=r"another world or other options .loads and motions must have the same"):
            simulate(other, 0.2, mode, resume=True, **given)
    assert len(simulate(world(1.0, 0.5), 0.2, mode, resume=True, **given)) == 3
