"""Files of a run that cannot be continued are refused, and nothing is overwritten."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from scene_files import scene_file
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import (
    Body,
    FileError,
    Interaction,
    Load,
    Spring,
    World,
    load_trajectory,
    simulate,
)
from tangency.dynamics.impacts import LOG, SHAPE_A, SHAPE_B, Impacts, impacts_of, joined_impacts

SPHERE = tg.Sphere(0.1)
HERTZ = forces.Hertz(stiffness=1e6)


def test_a_checkpoint_is_not_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ball, path = World([Body("a", SPHERE)]), tmp_path / "run.npz"
    simulate(ball, 1.0, "fast", step=0.1, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(FileError, match=r"already exists; resume=True resumes from it, overwrite=True replaces it"):
        simulate(ball, 1.0, "fast", step=0.1, checkpoint=path)
    with pytest.raises(ValueError, match="resume and overwrite must not both"):
        simulate(ball, 1.0, "fast", step=0.1, checkpoint=path, resume=True, overwrite=True)
    assert path.read_bytes() == before
    simulate(ball, 2.0, "fast", step=0.1, output_interval=0.1, checkpoint=path, overwrite=True)
    assert load_trajectory(path).time[-1] == pytest.approx(2.0)
    scene_file(Path("ball.toml"), 'mode = "fast"\nstep = 0.1')
    assert [main(["simulate", "ball.toml", *more]) for more in ([], [], ["--resume"], ["--overwrite"])] == [0, 2, 0, 0]
    assert "--overwrite replaces it" in capsys.readouterr().err
    assert main(["simulate", "ball.toml", "--overwrite", "--fps", "10"]) == 2
    assert "--fps needs --page or --frames" in capsys.readouterr().err


def test_a_checkpoint_of_other_springs_or_loads_is_refused(tmp_path):
    def world(end, loaded):
        bodies = [Body(name, tg.Sphere(0.1), (None, [k, 0, 0])) for k, name in enumerate("pqr")]
        springs = [Spring("p", end, stiffness=10.0, length=1.0)]
        loads = [Load(loaded, lambda time, state: ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]))]
        return World(bodies, springs=springs, loads=loads, pairs=[], gravity=[0, 0, 0])

    path = tmp_path / "c.npz"
    simulate(world("q", "p"), 0.1, output_interval=0.05, checkpoint=path)
    for other in (world("r", "p"), world("q", "r")):
        with pytest.raises(FileError, match="another world"):
            simulate(other, 0.2, output_interval=0.05, checkpoint=path, resume=True)


def test_checkpoints_go_into_folders(tmp_path):
    ball = World([Body("a", SPHERE)])
    simulate(ball, 1.0, "fast", step=0.1, checkpoint=tmp_path / "new" / "run.npz")
    assert len(load_trajectory(tmp_path / "new" / "run.npz")) == 11
    for path in (tmp_path / "new" / "run.npz" / "run.npz", tmp_path):
        with pytest.raises(ValueError, match=r"must be a folder that can be written to|is a folder, not a file"):
            simulate(ball, 1.0, "fast", step=0.1, checkpoint=path)


def test_the_impact_log_does_not_depend_on_where_a_run_was_interrupted():
    # Many impacts at the same time, also with several patches of a mesh wall, which are one shape in the log.
    rng = np.random.default_rng(1)
    owner = np.repeat(np.arange(5), 4)
    place = np.where(owner == 0, 0, np.tile(np.arange(4), 5))
    names = [field.name for field in fields(Impacts)]
    for _ in range(50):
        rows = rng.integers(3, size=(40, LOG)).astype(float)
        rows[:, SHAPE_A], rows[:, SHAPE_B] = rng.integers(8, size=40), rng.integers(8, 20, size=40)
        over = rng.random(40) < 0.8
        whole = impacts_of(rows, over, owner, place)
        early = over & (rng.random(40) < 0.5)
        first = impacts_of(rows[early], over[early], owner, place)
        mixed = rng.permutation(np.flatnonzero(~early))
        joined = joined_impacts(first, impacts_of(rows[mixed], over[mixed], owner, place))
        for name in names:
            assert np.array_equal(getattr(whole, name), getattr(joined, name))


def test_damaged_files_and_other_shapes_are_refused(tmp_path):
    path, law = tmp_path / "run.npz", Interaction(HERTZ)
    ground = Body("ground", tg.HalfSpace([0, 0, 1]))

    def world(shape):
        return World([ground, Body("ball", shape, (None, [0, 0, 0.0999]), mass=1.0)], interaction=law)

    round_rod = tg.Segment(0.05).offset(0.05)
    simulate(world(round_rod), 0.01, "fast", step=1e-3, checkpoint=path)
    assert load_trajectory(path, world(round_rod)).pieces
    # The last one has the same numbers in its formulas.
    for other in (tg.Sphere(0.1), tg.Segment(0.06).offset(0.05), tg.Sphere(0.05).offset(0.05)):
        with pytest.raises(FileError, match="other shapes than those of the world"):
            load_trajectory(path, world(other))
        with pytest.raises(FileError, match="belongs to another world"):
            simulate(world(other), 0.01, "fast", step=1e-3, checkpoint=path, resume=True)
    with pytest.raises(FileError, match=r"other options \(checkpoint_every was 10, is 3\)"):
        simulate(world(round_rod), 0.01, "fast", step=1e-3, checkpoint=path, resume=True, checkpoint_every=3)
    with pytest.raises(FileError, match=r"other options \(output_interval was 0.001, is 0.002, step was 0.001, is"):
        simulate(world(round_rod), 0.01, "fast", step=2e-3, output_interval=2e-3, checkpoint=path, resume=True)
    whole = dict(np.load(path))
    rng = np.random.default_rng(9)
    for name in ("time", "position", "quaternion", "velocity", "energy_kinetic"):
        broken = whole[name].copy()
        broken.flat[rng.integers(broken.size)] = rng.choice([np.nan, np.inf])
        np.savez(tmp_path / "broken.npz", **{**whole, name: broken})
        with pytest.raises(FileError, match="contains numbers that are not finite"):
            load_trajectory(tmp_path / "broken.npz")
    for name, wrong in (("contact_first", [0]), ("contact_depth", []), ("contact_body_a", whole["contact_body_a"] + 7)):
        np.savez(tmp_path / "broken.npz", **{**whole, name: np.array(wrong, whole[name].dtype)})
        with pytest.raises(FileError, match="is damaged"):
            load_trajectory(tmp_path / "broken.npz")
