"""Ensembles and parameter studies: complete, restartable, the same bits anywhere, and one table."""

import csv
import io
import json

import numpy as np
import pytest

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import Body, Group, Interaction, World, load_trajectory, simulate
from tangency.interop.ensemble import ensemble
from tangency.interop.sweep import load_sweep
from tangency.scene import SceneError, load_scene

OPTIONS = {"duration": 0.02, "step": 1e-3, "output_interval": 0.005, "checkpoint_every": 1}


def drop(stiffness, seed):
    """Six balls above a floor."""
    rng = np.random.default_rng(seed)
    places = np.stack([0.3 * np.arange(6), np.zeros(6), rng.uniform(0.1, 0.2, 6)], axis=1)
    balls = Group("balls", tg.Sphere(0.1), (None, places), velocity=[0, 0, -1.0])
    law = Interaction(forces.Hertz(stiffness=stiffness))
    return World([Body("floor", tg.HalfSpace([0, 0, 1])), balls], interaction=law)


CASES = [{"stiffness": k, "seed": s} for k in (1e5, 2e5) for s in range(2)]


def test_against_single_runs(tmp_path):
    found = ensemble(drop, CASES, tmp_path, **OPTIONS)
    for number, case in enumerate(CASES):
        run = simulate(drop(**case), mode="fast", **OPTIONS)
        kept = load_trajectory(tmp_path / "runs" / f"{number:05d}.npz")
        np.testing.assert_array_equal(kept.position, run.position)
        assert found.series[number]["time"] == run.time.tolist()
    table = list(csv.DictReader(io.StringIO(found.csv())))
    assert [float(row["stiffness"]) for row in table] == [case["stiffness"] for case in CASES]
    assert [row["run"] for row in table] == ["0", "1", "2", "3"]


def test_restart_as_a_whole(tmp_path):
    """Finished runs are not repeated, half-finished ones continue from their checkpoints, others are refused."""
    first = ensemble(drop, CASES, tmp_path, **OPTIONS)
    kept = tmp_path / "runs" / "00001.json"
    stamp = kept.stat().st_mtime_ns
    (tmp_path / "runs" / "00002.json").unlink()
    again = ensemble(drop, CASES, tmp_path, **OPTIONS)
    assert again == first
    assert kept.stat().st_mtime_ns == stamp
    with pytest.raises(ValueError, match="folder must belong to the same study"):
        ensemble(drop, CASES[::-1], tmp_path, **OPTIONS)
    other = ensemble(drop, CASES[::-1], tmp_path, overwrite=True, **OPTIONS)
    assert other.rows == first.rows[::-1]


def test_checkpoint_of_another_study(tmp_path):
    """A run of other values that was not finished: refused, and nothing is written that would stay."""
    ensemble(drop, CASES[:1], tmp_path, **OPTIONS)
    result = tmp_path / "runs" / "00000.json"
    result.unlink()
    with pytest.raises(ValueError, match=r"folder must belong to the same study, but .*00000\.npz: belongs to another"):
        ensemble(drop, CASES[2:3], tmp_path, **OPTIONS)
    assert not result.exists()
    assert "error" not in ensemble(drop, CASES[:1], tmp_path, **OPTIONS).rows[0]
    result.write_text("{")
    with pytest.raises(ValueError, match=r"00000\.json is damaged"):
        ensemble(drop, CASES[:1], tmp_path, **OPTIONS)
    with pytest.raises(TypeError, match="checkpoint must not be given"):
        ensemble(drop, CASES[:1], tmp_path, checkpoint="run.npz", **OPTIONS)


def half_broken(stiffness, seed):
    if seed == 1:
        raise ValueError("seed must not be 1")
    return drop(stiffness, seed)


def fails_while_running(stiffness, seed):
    world = drop(1e14 if seed else stiffness, seed)  # far too stiff for the step
    return world, {"step": 1e-3}


def test_failures(tmp_path):
    with pytest.raises(ValueError, match="seed must not be 1"):
        ensemble(half_broken, CASES, tmp_path / "a", **OPTIONS)
    found = ensemble(fails_while_running, CASES, tmp_path / "b", **OPTIONS)
    assert ["error" in row or bool(row["warnings"]) for row in found.rows] == [False, True, False, True]
    with pytest.raises(ValueError, match="cases must be dicts"):
        ensemble(drop, [], tmp_path, **OPTIONS)


SCENE = """
[[body]]
name = "floor"
shape = "half_space"
normal = [0, 0, 1]

[[group]]
name = "balls"
shape = "sphere"
radius = 0.1
count = 3
region = { low = [-1, -1, 0.1], high = [1, 1, 0.4] }

[simulation]
duration = 0.02
mode = "fast"
step = 1e-3
output_interval = 0.01

[simulation.normal]
law = "hertz"
stiffness = 1e5

[simulation.friction]
law = "tanh"
coefficient = 0.3
speed = 0.01
"""
STUDY = """
scene = "scene.toml"
seeds = 2
measures = ["energy", "coordination"]

[parameters]
"simulation.friction.coefficient" = [0.1, 0.5]
group.balls.density = [1000, 2000]
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "scene.toml").write_text(SCENE)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


def test_sweep(study, tmp_path, capsys):
    assert main(["sweep", str(study), "--out", str(tmp_path / "out")]) == 0
    assert "8 runs, 0 failed" in capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "study.csv").read_text())))
    assert len(rows) == 8
    assert {row["simulation.friction.coefficient"] for row in rows} == {"0.1", "0.5"}
    scene = load_scene(
        tmp_path / "scene.toml",
        {"simulation.friction.coefficient": 0.5, "group.balls.density": 2000, "group.balls.seed": 1},
    )
    run = simulate(tg.dynamics.world_of(scene), 0.02, "fast", step=1e-3, output_interval=0.01)
    energy = tg.dynamics.measures.kinetic_energy(run, frame=-1)
    last = rows[-1]
    assert last["seed"] == "1"
    assert float(last["kinetic_translation"]) == energy.translation


def test_sweep_to_xarray(study, tmp_path):
    xarray = pytest.importorskip("xarray", reason="needs tangency[dask]")
    pytest.importorskip("zarr", reason="needs tangency[dask]")
    assert main(["sweep", str(study), "--out", str(tmp_path), "--zarr"]) == 0
    data = xarray.open_zarr(tmp_path / "study.zarr", consolidated=False)
    assert dict(data.sizes) == {"run": 8, "frame": 3}
    assert data["seed"].values.tolist() == [0, 1] * 4
    table = json.loads((tmp_path / "study" / "runs" / "00003.json").read_text())
    assert data["coordination"].values[3].tolist() == table["series"]["coordination"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("seeds = 0", "seeds must be"),
        ('measures = ["colour"]', "measures must be among"),
        ("[parameters]\n'group.boxes.density' = [1]", "no 'boxes'"),
        ("[parameters]\n'simulation.friction.speed' = 3", "must be a list of values"),
        ("[parameters]\n'group.balls.count' = [-1]", "count must be a whole number"),
        ('combine = "some"', "combine must be one of"),
        ('combine = "together"\n[parameters]\na.b = [1]\nc.d = [1, 2]', "same length"),
        ("sceme = 1", "unknown key 'sceme'"),
    ],
)
def test_studies_that_are_wrong(study, line, message):
    kept = 'scene = "scene.toml"\n'
    study.write_text(kept + line)
    with pytest.raises(SceneError, match=message):
        load_sweep(study)
    assert main(["sweep", str(study), "--out", str(study.parent / "out")]) == 2
