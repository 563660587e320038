"""Runs streamed to a folder: the same numbers as in memory, whatever interrupts them, and read by the package zarr."""

import os
import random
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import Body, FileError, Group, Interaction, World, load_trajectory, simulate
from tangency.dynamics.stored.column import Column, Layout
from tangency.dynamics.stored.stored_array import StoredArray

FRAMES = ("time", "position", "quaternion", "centre_of_mass", "velocity", "angular_velocity")

SCRIPT = """
import sys
import numpy as np
import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, Pour, World, simulate

def world():
    law = Interaction(
        forces.KelvinVoigt(stiffness=2e4, damping=5.0), forces.Bristle(static=0.4, stiffness=5e3, damping=2.0)
    )
    rain = Group("rain", tg.Ellipsoid(np.full((12, 3), [0.05, 0.04, 0.03])), None, velocity=[0, 0, -1])
    return World(
        [WALLS, rain],
        interaction=law,
        periodic=PERIODIC,
        pours=[Pour("rain", [0, 0, 0.3], [0.5, 0.5, 0.5], rate=12)],
    )

OPTIONS = {"duration": 1.8, "mode": "fast", "output_interval": 0.02, "step": 2.5e-4, "checkpoint_every": 3}

if __name__ == "__main__":
    print("ready", flush=True)
    simulate(world(), **OPTIONS, checkpoint=sys.argv[1], resume=True)
"""


# What the grains fall on, and the periodic boundaries
BOXES = {
    "periodic": ('Body("ground", tg.HalfSpace([0, 0, 1]))', "[(0, 0.5), (0, 0.5), None]"),
    "mesh": (
        """Body("tray", tg.MeshWall(
            [[-0.2, -0.2, 0.3], [0.7, -0.2, 0.3], [0.7, 0.7, 0.3], [-0.2, 0.7, 0.3], [0.25, 0.25, 0.1]],
            [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
        ))""",
        "None",
    ),
}


@pytest.fixture(scope="module")
def scene(request, tmp_path_factory):
    walls, periodic = BOXES[request.param]
    text = SCRIPT.replace("WALLS", walls).replace("PERIODIC", periodic)
    folder = tmp_path_factory.mktemp("stream")
    script = folder / "stream_scene.py"
    script.write_text(text, encoding="utf-8")
    space: dict = {"__name__": "scene"}
    exec(text, space)
    whole = simulate(space["world"](), **space["OPTIONS"])
    return script, space, whole


def same(run, whole):
    """All numbers of two runs are the same, to the last bit."""
    for name in FRAMES:
        assert getattr(run, name).tobytes() == getattr(whole, name).tobytes(), name
    for name in vars(whole.contacts):
        assert getattr(run.contacts, name).tobytes() == getattr(whole.contacts, name).tobytes(), name
    for name in vars(whole.impacts):
        assert getattr(run.impacts, name).tobytes() == getattr(whole.impacts, name).tobytes(), name
    for name in whole.energy:
        assert run.energy[name].tobytes() == whole.energy[name].tobytes(), name
    assert run.names == whole.names
    for name in ("added", "removed"):
        assert (getattr(run, name) is None) == (getattr(whole, name) is None)
        assert whole.added is None or getattr(run, name).tobytes() == getattr(whole, name).tobytes()


@pytest.fixture(scope="module")
def streamed(scene, tmp_path_factory):
    """The same run, streamed, and its folder."""
    _, space, _ = scene
    path = tmp_path_factory.mktemp("streamed") / "run.zarr"
    return simulate(space["world"](), **space["OPTIONS"], checkpoint=path), path


@pytest.mark.parametrize("scene", BOXES, indirect=True)
def test_a_streamed_run_has_the_same_numbers(scene, streamed, tmp_path):
    _, space, whole = scene
    run, path = streamed
    same(run, whole)
    assert run.info == whole.info
    assert len(run.impacts) == len(whole.impacts)
    assert isinstance(run.position, StoredArray)
    back = load_trajectory(path, space["world"]())
    same(back, whole)
    assert back.position[7, 3].tobytes() == whole.position[7, 3].tobytes()
    assert back.contacts.at(-1).force.tobytes() == whole.contacts.at(-1).force.tobytes()
    assert tg.dynamics.measures.coordination(back).mean == tg.dynamics.measures.coordination(whole).mean
    assert back.wrapped().position.tobytes() == whole.wrapped().position.tobytes()
    back.save(tmp_path / "copy.npz")
    same(load_trajectory(tmp_path / "copy.npz"), whole)
    again = simulate(space["world"](), **space["OPTIONS"], checkpoint=path, resume=True)
    same(again, whole)
    with pytest.raises(FileError, match="already exists"):
        simulate(space["world"](), **space["OPTIONS"], checkpoint=path)


def killed(script, path, checkpoints, seconds):
    """Whether a run was killed, `seconds` after it had made so many checkpoints."""
    child = subprocess.Popen([sys.executable, str(script), str(path)], stdout=subprocess.PIPE)
    file, seen, made = path / "state.npz", None, -1  # the first state seen may be that of an earlier run
    try:
        assert child.stdout.readline() == b"ready\n"
        while made < checkpoints and child.poll() is None:
            now = file.stat().st_mtime_ns if file.exists() else None
            made, seen = (made + 1, now) if now != seen else (made, seen)
            time.sleep(0.001)
        time.sleep(seconds)
        over = child.poll() is not None
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    return not over


def check_kills(scene, path, times, seed):
    """Kill a run at random times and resume it each time: no checkpoint is lost, the end is bit-identical."""
    script, space, whole = scene
    rng, done, kills = random.Random(seed), 0, 0
    for _ in range(times):
        kills += killed(script, path, rng.randrange(-1, 12), rng.uniform(0.0, 0.03))
        if not (path / "state.npz").exists():
            continue
        part = load_trajectory(path)
        frames = len(part)
        assert frames >= done, "a checkpoint was lost"
        assert frames % 3 == 1 or frames == len(whole)
        assert np.asarray(part.position).tobytes() == whole.position[:frames].tobytes()
        done = frames
    rest = simulate(space["world"](), **space["OPTIONS"], checkpoint=path, resume=True)
    same(rest, whole)
    assert rest.info == whole.info
    left = [entry for entry in path.glob("**/.*.*") if entry.is_file()]
    assert not left, "temporary files were left"
    return kills, done


@pytest.mark.parametrize("scene", ["periodic"], indirect=True)
def test_a_killed_stream_ends_as_if_it_had_not_been(scene, tmp_path):
    kills, done = check_kills(scene, tmp_path / "run.zarr", 2, 1)
    assert kills == 2
    assert done > 1


@pytest.mark.full
@pytest.mark.parametrize("scene", BOXES, indirect=True)
def test_twenty_kills_at_random_times(scene, tmp_path):
    kills = 0
    for seed in range(40):
        kills += check_kills(scene, tmp_path / f"run{seed}.zarr", 4, seed)[0]
        if kills >= 20:
            break
    assert kills >= 20


@pytest.mark.parametrize("scene", ["periodic"], indirect=True)
def test_the_package_zarr_reads_a_stream(scene, streamed):
    zarr = pytest.importorskip("zarr", reason="the package zarr is not installed (tangency[zarr])")
    _, _, whole = scene
    group = zarr.open_group(str(streamed[1]), mode="r")
    assert group["position"][:].tobytes() == whole.position.tobytes()
    assert group["contact_force"][:].tobytes() == whole.contacts.force.tobytes()
    assert group["contact_count"][:].tolist() == np.diff(whole.contacts.first).tolist()
    assert tuple(group.attrs["names"]) == whole.names
    assert group["quaternion"].attrs["_ARRAY_DIMENSIONS"] == ["frame", "body", "xyzw"]


def test_memory_does_not_grow_with_the_duration(tmp_path):
    law = Interaction(forces.KelvinVoigt(stiffness=2e6, damping=300.0))
    bodies = [Body("floor", tg.HalfSpace([0, 0, 1])), Group("balls", tg.Sphere(0.1), (None, [[0, 0, 1], [1, 0, 1]]))]
    seen = []
    for frames in (60, 300):
        from tangency.dynamics.frames import Record

        most, add = 0, Record.add

        def counted(self, frame, add=add):
            nonlocal most
            add(self, frame)
            most = max(most, len(self._states) + len(self._contacts))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Record, "add", counted)
            path = tmp_path / f"{frames}.zarr"
            run = simulate(
                World(bodies, interaction=law), 0.01 * frames, "fast", step=5e-4, output_interval=0.01, checkpoint=path
            )
        assert len(run) == frames + 1
        seen.append(most)
    assert seen[0] == seen[1] <= 2 * 11


def test_a_gain_of_energy_is_reported_as_in_memory(tmp_path):
    law = Interaction(forces.KelvinVoigt(stiffness=1e6, damping=0.0))
    places = [[0.3 * k, 0, 0.25 + 0.013 * k] for k in range(8)]
    balls = [Body(f"ball {k}", tg.Sphere(0.1), (None, place), mass=1.0) for k, place in enumerate(places)]
    world = World([Body("ground", tg.HalfSpace([0, 0, 1])), *balls], interaction=law)
    options = {"duration": 2.0, "mode": "fast", "step": 1.25e-3, "output_interval": 0.02}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        whole = simulate(world, **options)
        run = simulate(world, **options, checkpoint=tmp_path / "run.zarr")
    assert any("contacts released" in text for text in whole.info["warnings"])
    assert run.info == whole.info
    assert load_trajectory(tmp_path / "run.zarr").info == whole.info


def test_what_is_not_a_stream_is_left_alone(tmp_path):
    world = World([Body("ball", tg.Sphere(0.1))])
    folder = tmp_path / "photos.zarr"
    folder.mkdir()
    (folder / "holiday.jpg").write_bytes(b"x")
    for options in ({"resume": True}, {"overwrite": True}):
        with pytest.raises(FileError, match=r"photos\.zarr: is not the folder of a run"):
            simulate(world, 0.1, checkpoint=folder, **options)
    assert (folder / "holiday.jpg").exists()
    with pytest.raises(FileError, match=r"is a folder, not a file; .*\.zarr"):
        simulate(world, 0.1, checkpoint=tmp_path)
    run = simulate(world, 0.1, checkpoint=tmp_path / "a.zarr")
    simulate(world, 0.1, checkpoint=tmp_path / "a.zarr", overwrite=True)
    chunk = next((tmp_path / "a.zarr" / "velocity").glob("0*"))
    chunk.write_bytes(b"short")
    with pytest.raises(FileError, match=r"velocity/0\.0\.0: is missing or too short"):
        load_trajectory(tmp_path / "a.zarr")
    (tmp_path / "a.zarr" / "state.npz").write_bytes(b"no checkpoint")
    with pytest.raises(FileError, match=r"state\.npz: is not a checkpoint"):
        load_trajectory(tmp_path / "a.zarr")
    os.unlink(tmp_path / "a.zarr" / "state.npz")
    with pytest.raises(FileError, match="no checkpoint yet"):
        load_trajectory(tmp_path / "a.zarr")
    assert len(run) == 101


def test_stored_arrays_are_indexed_like_arrays(tmp_path):
    rng = np.random.default_rng(0)
    for row in ((), (3,), (700, 3)):
        values = rng.normal(size=(41, *row))
        column = Column(tmp_path / f"x{len(row)}", Layout("<f8", row, ("frame",)))
        at = 0
        while at < len(values):
            n = int(rng.integers(1, 7))
            column.append(values[at : at + n])
            column.flush()
            at += n
        stored = StoredArray(column)
        keys = [0, -1, 40, np.int64(3), slice(None), slice(3, 9), slice(None, None, -1), slice(30, 2, -7), slice(5, 5)]
        keys += [slice(-3, None), [1, 5, 2], np.arange(41) % 2 == 0, (slice(None), ..., None)]
        if row:
            keys += [(4, 1), (slice(2, 30, 5), slice(1)), (slice(None), -1), (-2, slice(None), *([1] * (len(row) - 1)))]
        for key in keys:
            assert np.array_equal(stored[key], values[key]), key
        for key in (41, -42):
            with pytest.raises(IndexError):
                stored[key]
        assert np.array_equal(stored * 2 - stored, values)
        assert np.array_equal([r for r in stored], values)
        assert float(stored.max()) == values.max()
        assert np.linalg.norm(stored) == pytest.approx(np.linalg.norm(values))
        with pytest.raises(AttributeError, match="has no attribute 'speed'"):
            _ = stored.speed


TOML = """
[[body]]
name = "ground"
shape = "half_space"
normal = [0, 0, 1]

[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0, 0, 0.3]

[simulation]
duration = 0.5
output_interval = 0.05

[simulation.normal]
law = "hunt_crossley"
stiffness = 1e5
restitution = 0.8
"""


def test_the_command_streams(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drop.toml").write_text(TOML)
    assert main(["simulate", "drop.toml", "--stream"]) == 0
    said = capsys.readouterr().out
    assert "contacts began" in said
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["drop.csv", "drop.zarr"]
    assert len(load_trajectory(tmp_path / "out" / "drop.zarr")) == 11
    assert main(["simulate", "drop.toml", "--stream"]) == 2
    assert "out/drop.zarr: folder exists; --resume continues from it" in capsys.readouterr().err
    assert main(["simulate", "drop.toml", "--stream", "--resume"]) == 0


def test_the_command_keeps_no_files_of_two_runs(tmp_path, monkeypatch, capsys):
    """A run in the other form is not started beside an earlier one, and a new run removes the tables of the old one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drop.toml").write_text(TOML)
    assert main(["simulate", "drop.toml", "--duration", "0.1", "--measure", "energy", "--dump", "ovito,vtk"]) == 0
    kept = {path: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.is_file()}
    assert len(kept) == 8
    for options in ([], ["--resume"], ["--overwrite"]):
        assert main(["simulate", "drop.toml", "--stream", *options]) == 2
        assert "out/drop.npz: is of an earlier run without --stream" in capsys.readouterr().err
    assert main(["simulate", "drop.toml", "--resume", "--mode", "fast"]) == 2
    assert "(mode was accurate, is fast); --overwrite starts over" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in kept} == kept
    assert main(["simulate", "drop.toml", "--duration", "0.1", "--overwrite"]) == 0
    files = sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_file())
    assert files == ["drop-impacts.csv", "drop.csv", "drop.npz"]


def test_one_body_in_parts_of_one_frame(tmp_path):
    """Frames that are written alone have the bits of those in the middle of a run, also of a world with one body."""
    spin = {"angular_velocity": [-1.7, -4.4, 10.1], "velocity": [1.0, 0.5, 0.2]}
    body = Body("body", tg.Ellipsoid([0.03, 0.05, 0.02]).translate([0.01, 0.02, 0.0]), density=1700, **spin)
    world, options = World([body]), {"step": 1e-3, "output_interval": 0.02}
    whole = simulate(world, 0.4, "fast", **options)
    stream = {"checkpoint": tmp_path / "a.zarr", "checkpoint_every": 1, "resume": True}
    parts = [simulate(world, duration, "fast", **stream, **options) for duration in (0.1, 0.4)][1]
    for name in ("position", "quaternion", "velocity", "angular_velocity"):
        assert np.array_equal(np.asarray(getattr(parts, name)), getattr(whole, name))
