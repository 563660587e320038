"""Pictures of motions: plots show the numbers of the trajectory, pages play in a browser, files are whole or absent."""

import base64
import html
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import (
    Body,
    Cavity,
    Contacts,
    FileError,
    Group,
    Interaction,
    Spring,
    Trajectory,
    World,
    load_trajectory,
    simulate,
)
from tangency.dynamics.trajectory import ENERGIES
from tangency.viz import motion_page, motion_stage
from tangency.viz.motion_stage import prepare_motion
from tangency.viz.player import pace_of, pick

NASTY = "</script><script>alert(1)</script> & $x"


def bodies(scale=1.0):
    """Of all kinds: a box of planes, a hollow, a body of three shapes, one without a shape, alike ones."""

    def at(*place):
        return None, scale * np.array(place)

    walls = [Body("floor", tg.HalfSpace([0, 0, 1]))]
    walls += [Body(f"wall {k}", tg.HalfSpace(n, -scale)) for k, n in enumerate(([1, 0, 0], [0, 1, 0]))]
    across = Rotation.from_euler("y", 90, degrees=True)
    dumbbell = [(tg.Sphere(0.2 * scale), at(0.3, 0, 0)), (tg.Sphere(0.1 * scale), at(-0.3, 0, 0))]
    dumbbell.append((tg.Ellipsoid(scale * np.array([0.05, 0.05, 0.3])), (across, [0, 0, 0])))
    egg = tg.Ellipsoid(scale * np.array([0.2, 0.1, 0.1]))
    return [
        *walls,
        Body("bowl", Cavity(tg.Sphere(0.9 * scale)), at(0, 0, 1)),
        Body(NASTY, dumbbell, mass=1.0),
        Body("ghost", [], mass=1.0, inertia=[1, 1, 1]),
        Body("egg", egg, mass=1.0),
        Body("twin", egg, mass=1.0),
    ]


def motion(scale=1.0, frames=40, contacts=True):
    """A made-up motion at uneven times, with made-up contacts."""
    rng = np.random.default_rng(3)
    springs = [Spring("egg", "twin", stiffness=1.0), Spring("ghost", None, stiffness=1.0, point_b=[0, 0, 2 * scale])]
    world = World(bodies(scale), pairs=[], springs=springs)
    count = len(world.bodies)
    time = 2.0 + np.cumsum(rng.uniform(0.01, 0.1, frames))
    moves = np.arange(count) >= 4
    position = np.tile([body.position / scale for body in world.bodies], (frames, 1, 1))
    path = rng.uniform(-0.4, 0.4, (count, 3)) + [0, 0, 1] + 0.02 * rng.normal(size=(frames, count, 3)).cumsum(axis=0)
    position[:, moves] = path[:, moves]
    turn = Rotation.from_rotvec(np.linspace(0, 3, frames)[:, None, None] * rng.normal(size=(count, 3)) * moves[:, None])
    numbers = rng.integers(0, 4, frames) * contacts
    total = int(numbers.sum())
    normal = Rotation.random(total, rng=rng).apply([0, 0, 1]) if total else np.zeros((0, 3))
    force = 5.0 * normal + rng.normal(size=(total, 3))
    pairs = np.array([[0, 4], [3, 6], [6, 7]])[rng.integers(0, 3, total)]
    zero = np.zeros(total, int)
    found = Contacts(
        np.concatenate([[0], np.cumsum(numbers)]),
        pairs[:, 0],
        pairs[:, 1],
        zero,
        zero,
        scale * rng.uniform(-0.5, 1.0, (total, 3)),
        normal,
        force,
        np.full(total, 1e-3 * scale),
        np.einsum("ci,ci->c", force, normal),
    )
    energy = {name: np.zeros(frames) if name == "work" else rng.uniform(0, 3, frames) for name in ENERGIES}
    place, rest = scale * position, np.zeros_like(position)
    names, pieces = tuple(body.name for body in world.bodies), tuple(body.pieces for body in world.bodies)
    return Trajectory(time, place, turn.as_quat(), place, rest, rest, found, energy, names, {}, pieces, world.springs)


def script(name):
    """A script of this folder, as an element."""
    return f"<script>{(Path(__file__).parent / name).read_text(encoding='utf-8')}</script>"


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def unpacked(text, kind="<f4"):
    return np.frombuffer(base64.b64decode(text), kind).astype(float)


# ---- plots ---------------------------------------------------------------------------------------
def test_energy_plot_shows_the_energies():
    pytest.importorskip("matplotlib")
    run = motion()
    lines = {line.get_label(): line for line in run.plot_energy().lines}
    assert set(lines) == {"kinetic", "gravitational", "elastic", "springs", "dissipated", "mechanical"}
    for name, line in lines.items():
        wanted = run.mechanical_energy if name == "mechanical" else run.energy[name]
        assert np.array_equal(line.get_xdata(), run.time)
        assert np.array_equal(line.get_ydata(), wanted)


def test_force_plots_show_the_forces_of_each_pair():
    pytest.importorskip("matplotlib")
    run = motion()
    normal, friction = run.plot_forces()
    for axes, part in ((normal, lambda f, n: f @ n), (friction, lambda f, n: np.linalg.norm(np.cross(n, f)))):
        shown = {line.get_label(): line.get_ydata() for line in axes.lines}
        assert len(shown) == 3
        for (a, b), label in (((3, 6), "bowl – egg"), ((6, 7), "egg – twin")):
            wanted = np.zeros(len(run))
            for frame in range(len(run)):
                now = run.contacts.at(frame)
                for k in range(len(now)):
                    if (now.body_a[k], now.body_b[k]) == (a, b):
                        wanted[frame] += part(now.force[k], now.normal[k])
            assert wanted.max() > 0
            np.testing.assert_allclose(shown[label], wanted, atol=1e-12)
    few = run.plot_forces(most=1)[0]
    np.testing.assert_allclose(sum(line.get_ydata() for line in few.lines), sum(l.get_ydata() for l in normal.lines))
    assert few.lines[1].get_label() == "2 other pairs"


def test_plots_of_next_to_nothing():
    pytest.importorskip("matplotlib")
    for run in (motion(frames=1), motion(contacts=False)):
        run.plot_energy().figure.canvas.draw()
        run.plot_forces()[0].figure.canvas.draw()
    assert "no contacts" in [text.get_text() for text in motion(contacts=False).plot_forces()[0].texts]


def test_snapshots(tmp_path):
    pytest.importorskip("matplotlib")
    run = motion()
    figure = run.snapshots([run.time[0], run.time[17] + 1e-6, run.time[-1]], width=120, height=100)
    texts = ["".join(text.get_text() for text in axes.texts) for axes in figure.axes]  # those of arrows are empty
    assert texts == [f"t = {run.time[k]:.4g} s" for k in (0, 17, -1)]
    images = [axes.images[0].get_array() for axes in figure.axes]
    assert all(image.shape == (100, 120, 3) and np.ptp(image) > 0.4 for image in images)
    assert np.abs(images[0] - images[2]).max() > 0.3
    points = [axes.lines for axes in run.snapshots([run.time[17]], width=120, height=100).axes]
    assert sum(len(line.get_xdata()) for line in points[0]) == len(run.contacts.at(17))
    paths = run.frames(tmp_path / "film", fps=2.0, width=60, height=50)
    assert [path.name for path in paths] == [f"frame_{k:04d}.png" for k in range(len(paths))]
    assert len(paths) == int(2.0 * (run.time[-1] - run.time[0])) + 1
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    with pytest.raises(ValueError, match="times must be"):
        run.snapshots([np.nan])
    with pytest.raises(ValueError, match="times must lie within the run, from"):
        run.snapshots([0.0, 99.0])
    with pytest.raises(ValueError, match=r"path must end with \.html"):
        run.animate(tmp_path / "motion.gif")
    assert not (tmp_path / "motion.gif").exists()


# ---- the page ------------------------------------------------------------------------------------
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e3])
def test_page_holds_the_motion(scale):
    run = motion(scale)
    data = data_of(motion_page(run, fps=1000.0))
    unit = 1.0 / np.array(data["grid"]) * float(data["grid_text"].split()[0])
    centre = -unit * np.array(data["origin"])
    assert data["moving"] == [4, 5, 6, 7]
    assert np.array_equal(unpacked(data["time"], "<f8"), run.time)
    place = unit * unpacked(data["position"]).reshape(len(run), 4, 3) + centre
    np.testing.assert_allclose(place, run.position[:, 4:], atol=1e-6 * unit)
    turn = unpacked(data["quaternion"], "<i2").reshape(len(run), 4, 4) / 32767.0
    np.testing.assert_allclose(turn, run.quaternion[:, 4:], atol=2e-5)
    table = unpacked(data["contacts"]["table"]).reshape(-1, 6)
    np.testing.assert_allclose(unit * table[:, :3] + centre, run.contacts.point, atol=1e-6 * unit)
    np.testing.assert_allclose(table[:, 3:] * data["contacts"]["usual"], run.contacts.force, rtol=1e-5, atol=1e-5)
    assert data["contacts"]["first"] == run.contacts.first.tolist()
    alike = [item["bodies"] for item in data["surfaces"]]
    assert [6, 7] in alike  # one mesh for both
    assert sum(4 in item for item in alike) == 3
    item = data["surfaces"][alike.index([6, 7])]
    steps = unpacked(item["vertices"], "<i2").reshape(-1, 3) / 32767
    corners = np.array(item["middle"]) + np.array(item["half"]) * steps
    radii = scale * np.array([0.2, 0.1, 0.1])
    np.testing.assert_allclose((np.square(corners * unit / radii)).sum(axis=1), 1.0, atol=1e-3)
    assert [item["hollow"] for item in data["surfaces"]].count(True) == 1
    floor = np.array(data["grounds"][0]["corners"]) * unit  # cut by both walls
    assert (floor[:, :2] >= -scale * (1 + 1e-6)).all()
    assert len(data["grounds"]) == 3


def test_page_leaves_frames_out():
    run = motion()
    shown = unpacked(data_of(motion_page(run, fps=5.0))["time"], "<f8")
    assert set(shown) <= set(run.time)
    assert shown[[0, -1]].tolist() == run.time[[0, -1]].tolist()
    assert len(shown) < len(run)
    data = data_of(motion_page(run, fps=5.0))
    k = 2
    frame = int(np.flatnonzero(run.time == shown[k])[0])
    first = data["contacts"]["first"]
    assert first[k + 1] - first[k] == len(run.contacts.at(frame))
    assert len(pick(run, 4, 1e9)) == len(run)
    assert len(pick(run, 10**7, 1e9)) < len(run) / 5  # too large for a page
    assert [pace_of(np.array([0.0, d])) for d in (0.0, 1e-3, 0.04, 3.0, 6000.0)] == [1.0, 2e-4, 0.01, 1.0, 100.0]


def test_page_is_self_contained_and_escapes_names():
    page = motion_page(motion(), title=NASTY)
    assert NASTY not in page
    assert page.count("<script") == 2
    assert html.escape(NASTY) in page
    assert re.search(r"https?://", page) is None
    assert re.search(r"""(src|href)\s*=\s*["'](?!data:)""", page) is None
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|import\(", page)
    assert data_of(page)["bodies"][4]["name"] == NASTY


@pytest.fixture
def coarse(monkeypatch):
    """Few triangles: without a graphics card they cost most of the time."""
    monkeypatch.setattr(motion_stage, "FREQUENCIES", (5, 5, 5))


def test_page_in_a_browser(visit, coarse):
    run = motion()
    half = 0.5 * (run.time[0] + run.time[-1])
    frame = int(np.abs(run.time - half).argmin())
    run = replace(run, energy={name: np.ones(len(run)) * k for k, name in enumerate(ENERGIES)})
    text = motion_page(run, title="all kinds", fps=1000.0)
    page = visit(text.replace("</head>", script("drive_player.js") + "</head>"), seconds=3, size="500,700")
    assert 'data-drawn="yes"' in page
    out = json.loads(html.unescape(re.search(r'data-out="(.*?)"', page)[1]))
    assert out["begun"] > 0.0  # it plays at once
    assert out["paused"] == 0.0
    assert out["played"] > 0.0
    assert out["first"] == run.time[0]
    assert out["half"] == out["kept"] == pytest.approx(half)
    for what in ("moved", "turned", "zoomed", "keyed", "reset", "unmarked", "veiled", "night"):
        assert out[what], what
    assert int(out["contacts"]) == len(run.contacts.at(frame)) > 0
    assert out["hidden"] == "0"
    assert out["step"] == pytest.approx(run.time[frame + 1])
    assert out["end"] == out["chart"] == pytest.approx(run.time[-1])
    assert out["home"] == run.time[0]
    assert out["width"][0] == out["width"][1] == pytest.approx(0.6 * 500, abs=1)
    assert out["names"] == list(run.names)
    assert out["done"]


def one_frame():
    return motion(frames=1)


def nobody():
    none, nothing = motion(frames=5, contacts=False).contacts, {name: np.zeros(5) for name in ENERGIES}
    return Trajectory(np.linspace(0, 1, 5), *(np.zeros((5, 0, k)) for k in (3, 4, 3, 3, 3)), none, nothing, ())


def a_plane_alone():
    run = motion(contacts=False)
    return replace(
        run,
        names=run.names[:1],
        pieces=run.pieces[:1],
        springs=(),
        position=run.position[:, :1],
        quaternion=run.quaternion[:, :1],
    )


def no_energies():
    return replace(motion(contacts=False), energy={name: np.zeros(40) for name in ENERGIES})


def tiny():
    return motion(1e-3)


def huge():
    return motion(1e3)


def far_away():
    return replace(motion(), position=motion().position + 1e5)


@pytest.mark.parametrize(
    "makers",
    [
        pytest.param((one_frame, nobody, a_plane_alone), id="next to nothing"),
        pytest.param((no_energies, tiny, huge, far_away), id="scales", marks=pytest.mark.full),
    ],
)
def test_pages_of_odd_motions_in_a_browser(makers, visit, coarse):
    runs = {make.__name__: make() for make in makers}
    pages = [html.escape(motion_page(run, title=name)) for name, run in runs.items()]
    frames = "".join(f'<iframe srcdoc="{page}"></iframe>' for page in pages)
    head = f"<head>{script('collect_pages.js')}</head>"
    page = visit(f"<!doctype html><html>{head}<body>{frames}</body></html>", "--force-prefers-reduced-motion")
    found = [line.split("|") for line in html.unescape(re.search(r'data-out="(.*?)"', page, re.DOTALL)[1]).split("\n")]
    if any(drawn == "no WebGL" for _, drawn, _ in found):
        pytest.skip("this Chromium has no WebGL 2; the page says so")
    assert [title for title, _, _ in found] == list(runs)
    assert all(drawn == "yes" for _, drawn, _ in found), found
    assert all(re.fullmatch(r"\d+(\.\d+)? s of \d+(\.\d+)? s", clock) for _, _, clock in found), found


# ---- files and mistakes --------------------------------------------------------------------------
def test_animate_writes_whole_files_or_none(tmp_path):
    run = motion()
    assert run.animate(tmp_path / "new" / "a.html", title="a").read_text(encoding="utf-8").endswith("</html>\n")
    with pytest.raises(ValueError, match="fps must be a number > 0"):
        run.animate(tmp_path / "b.html", fps=0.0)
    with pytest.raises(ValueError, match="colors must name bodies, got 'nobody'"):
        run.animate(tmp_path / "b.html", colors={"nobody": "#ffffff"})
    with pytest.raises(ValueError, match="colors must look like"):
        run.animate(tmp_path / "b.html", colors={"egg": "red"})
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(OSError, match=r"folder\.html"):
        run.animate(tmp_path / "folder.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.html", "new"]
    empty = replace(run, time=run.time[:0])
    with pytest.raises(ValueError, match="at least one frame"):
        empty.animate(tmp_path / "b.html")


def test_a_file_needs_its_world_for_pictures(tmp_path):
    run = motion()
    run.save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"load_trajectory\(path, world\)"):
        load_trajectory(tmp_path / "a.npz").animate(tmp_path / "a.html")
    world = World(bodies(), pairs=[], springs=run.springs)
    again = load_trajectory(tmp_path / "a.npz", world)
    assert motion_page(again) == motion_page(run)
    with pytest.raises(FileError, match="contains the bodies floor"):
        load_trajectory(tmp_path / "a.npz", World(bodies()[:2], pairs=[]))


def test_command_writes_the_page(tmp_path, root, capsys):
    scene = str(root / "examples" / "bowl.toml")
    page = tmp_path / "bowl.html"
    command = ["simulate", scene, "--duration", "0.02", "--out", str(tmp_path), "--page", str(page), "--fps", "20"]
    assert main(command) == 0
    assert str(page) in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert "<title>a ball and an egg in a bowl</title>" in text
    data = data_of(text)
    assert [body["name"] for body in data["bodies"]] == ["bowl", "ball", "egg"]
    assert data["moving"] == [1, 2]
    assert main(["simulate", scene, "--page", "page.png"]) == 2
    assert "ending in .html" in capsys.readouterr().err


def test_wrong_arguments_of_plots_and_pages(tmp_path):
    run = motion(frames=5)
    with pytest.raises(TypeError, match=r"axes must be matplotlib Axes, got 'x.png'; to write a file, call .*savefig"):
        run.plot_energy("x.png")
    with pytest.raises(TypeError, match=r"axes\[0\] must be matplotlib Axes, got 1"):
        run.plot_forces([1, 2])
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ValueError, match="the folder of path must be a folder that can be written to"):
        run.animate(file / "x.html")
    with pytest.raises(ValueError, match="folder must be a folder that can be written to"):
        run.frames(file / "frames")
    assert len(run.contacts.at(-5)) == len(run.contacts.at(0))
    for frame in (5, 1000, -6):
        with pytest.raises(IndexError, match=f"frame must lie between -5 and 4, got {frame}"):
            run.contacts.at(frame)
    with pytest.raises(TypeError, match=r"frame must be an integer, got 0\.5"):
        run.contacts.at(0.5)


def crowd(count=240):
    """Ellipsoids and superellipsoids of many sizes, in two frames."""
    rng = np.random.default_rng(2)
    half = count // 2
    grid = np.stack([np.arange(count) % 12, np.arange(count) // 12, np.zeros(count)], axis=1)
    turn = Rotation.random(count, rng=rng)
    eggs = Group("eggs", tg.Ellipsoid(rng.uniform(0.2, 0.45, (half, 3))), (turn[:half], grid[:half]))
    dice = Group("dice", tg.Superellipsoid(rng.uniform(0.2, 0.45, (half, 3)), (0.4, 0.6)), (turn[half:], grid[half:]))
    return simulate(World([eggs, dice], pairs=[], gravity=[0, 0, -1]), 0.1, "fast", step=0.1)


def test_bodies_that_differ_in_size_share_a_mesh():
    run = crowd()
    data = data_of(motion_page(run))
    assert len(data["surfaces"]) == 2
    assert sorted(len(s["bodies"]) for s in data["surfaces"]) == [120, 120]
    stage = prepare_motion(run)
    for item in stage.surfaces:
        for k in (0, 57, 119):
            own, i = item.mesh_of(k), item.bodies[k]
            shape = run.pieces[i][0].shape
            # The vertices are those of the surface with these normals.
            np.testing.assert_allclose(shape.support(own.normals), (own.vertices * own.normals).sum(axis=1), rtol=1e-9)
            assert 0.95 * shape.radii.max() < stage.reach[i] < 1.0001 * shape.bounding_radius
    # The page has the same sizes, in radii of the scene.
    for item, told in zip(stage.surfaces, data["surfaces"]):
        np.testing.assert_allclose(unpacked(told["sizes"]).reshape(-1, 3) * stage.radius, item.scales, rtol=1e-6)
    figure = run.snapshots(1, width=200, height=150)
    assert len(figure.axes) == 1


def test_force_chains_join_the_centres():
    pytest.importorskip("matplotlib")
    law = Interaction(forces.KelvinVoigt(stiffness=1e4, damping=20.0))
    balls = Group("balls", tg.Sphere(0.1), (None, [[0, 0, 0.1], [0, 0, 0.3], [1.0, 0, 0.1]]), density=1000)
    world = World([Body("floor", tg.HalfSpace([0, 0, 1])), balls], interaction=law)
    run = simulate(world, 1.0, "fast", step=2e-4, output_interval=0.5)
    axes = run.plot_force_chains()
    lines = axes.collections[0]
    force = run.contacts.at(-1).normal_force
    assert len(lines.get_segments()) == 4  # two halves between the balls, one from the floor to each lower ball
    ends = np.array(lines.get_segments())
    assert np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) == pytest.approx(0.1, abs=0.005)
    # The widest line is that of the largest force, the weight of two balls.
    assert np.max(lines.get_linewidths()) == pytest.approx(7.0 * force.max() / (5.0 * force.mean()))
    for options, text in (({"plane": "xx"}, "plane must name two axes"), ({"least": -1.0}, "least must be at least 0")):
        with pytest.raises(ValueError, match=text):
            run.plot_force_chains(**options)
    assert len(run.plot_force_chains(least=1.2).collections[0].get_segments()) == 1
