"""Packing, coordination, order, stress, fabric and energies of known arrangements."""

import csv
import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import Body, Group, Interaction, World, load_trajectory, measures, simulate
from tangency.dynamics.measures import volumes
from tangency.dynamics.measures.table import COLUMNS

SPRING = Interaction(forces.KelvinVoigt(stiffness=1e4, damping=0.0))
GROUND = Body("ground", tg.HalfSpace([0, 0, 1]))


def still(*bodies, periodic=None, law=SPRING, **options):
    """One step of bodies without gravity; frame 0 is the initial state."""
    options = {"gravity": [0, 0, 0], **options}
    return simulate(World(bodies, interaction=law, periodic=periodic, **options), 1e-6, "fast", step=1e-6)


def lattice(cells, basis, length, radius):
    """Balls on a lattice of cubes in a periodic box, slightly overlapping."""
    corners = np.array(list(itertools.product(range(cells), repeat=3)))
    places = (corners[:, None] + np.array(basis)).reshape(-1, 3) * length
    return Group("g", tg.Sphere(radius), (None, places)), ((0, cells * length),) * 3


FCC = [[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]]


def test_lattices():
    """Packing, coordination and fabric of a simple cubic and a face-centred one."""
    for basis, count, fraction, reach in (
        ([[0, 0, 0]], 6, np.pi / 6, 0.5),
        (FCC, 12, np.pi / np.sqrt(18), np.sqrt(0.125)),
    ):
        radius = 0.1 * reach * (1 + 1e-6)
        group, box = lattice(4, basis, 0.1, radius)
        run = still(group, periodic=box)
        assert measures.packing(run, frame=0) == pytest.approx(fraction, rel=1e-5)
        found = measures.coordination(run, frame=0)
        assert (found.contacts == count).all()
        assert (found.mean, found.mechanical, found.rattlers) == (count, count, 0)
        assert np.allclose(measures.fabric(run, frame=0), np.eye(3) / 3)
        # Hydrostatic: the pressure of forces f at distances 2 r is n f 2 r / 3 for n contacts per volume.
        force = 1e4 * (2 * radius - 0.2 * reach)
        pressure = len(group) * count / 2 / 0.4**3 * force * 0.2 * reach / 3
        assert np.allclose(measures.stress(run, frame=0), pressure * np.eye(3), atol=1e-6 * pressure)
        sides = np.linalg.norm(measures.network(run, frame=0).branch, axis=1)
        assert np.allclose(sides, 0.2 * reach)


@pytest.mark.parametrize("turn", [None, Rotation.from_euler("xyz", [0.3, 1.1, -0.4])])
def test_cut_bodies(turn):
    """Caps of balls and ellipsoids by their closed form, of a box by a plane, and an eighth."""
    balls = tg.Ellipsoid([[0.5, 0.5, 0.5], [0.9, 0.4, 0.3]])
    places = np.array([[0, 0, 0], [0, 3, 0]])
    poses = (Rotation.concatenate([turn or Rotation.identity()] * 2), places)
    run = still(Group("g", balls, poses), Body("box", tg.Box([0.5, 0.3, 0.2]), (turn, [0, 6, 0])))
    for k, radii in enumerate(balls.radii):
        matrix = np.eye(3) if turn is None else turn.as_matrix()
        half = np.linalg.norm(radii * matrix[2])  # of the extent along z
        height = 0.37 * half
        # The cap of a unit ball, at the same relative height.
        part = np.pi / 3 * (1 - 0.37) ** 2 * (2 + 0.37)
        region = (places[k] + [-1, -1, height], places[k] + [1, 1, 1])
        volume = measures.packing(run, region, bodies=[f"g[{k}]"]) * np.prod(region[1] - region[0])
        assert volume == pytest.approx(part * np.prod(radii), abs=0.005 * 4 / 3 * np.pi * np.prod(radii))
    for name, y, whole in (("g[0]", 0, np.pi / 6), ("box", 6, 0.24)):
        region = ([0, y, -1], [1, y + 1, 0])  # symmetric bodies: every octant of a ball, half of a box on average
        shares = [
            measures.packing(run, (np.minimum([0, y, 0], corner), np.maximum([0, y, 0], corner)), bodies=name)
            for corner in (np.array([0, y, 0]) + sign for sign in itertools.product([-1, 1], repeat=3))
        ]
        assert sum(shares) == pytest.approx(whole, rel=1e-9)
        if name == "g[0]":
            assert measures.packing(run, region, bodies=name) == pytest.approx(whole / 8, abs=0.005 * whole)


def test_layers_and_periodic_regions():
    """Layers add up to the whole; a region across a boundary holds what a moved one holds inside."""
    rng = np.random.default_rng(0)
    egg = tg.Superellipsoid([0.06, 0.04, 0.03], epsilon=(0.5, 0.8))
    poses = tg.broadphase.scatter(egg, [0, 0, 0], [0.6, 0.6, 0.6], 60, seed=1)
    box = ((0, 0.6),) * 3
    runs = [
        still(Group("g", egg, (poses.rotation, poses.translation + shift)), periodic=box)
        for shift in (np.zeros(3), np.array([0.3, 0.45, -0.2]), 0.6 * rng.integers(-2, 3, (60, 3)))
    ]
    whole = 60 * egg.volume / 0.6**3
    assert measures.packing(runs[0]) == pytest.approx(whole, rel=1e-12)
    for axis in range(3):
        profile = measures.packing_profile(runs[0], 7, axis=axis)
        assert profile.fraction.mean() == pytest.approx(whole, rel=1e-9)
        assert np.ptp(profile.fraction) > 0.05 * whole
    low, high = np.array([0.1, 0.0, 0.2]), np.array([0.5, 0.3, 0.45])
    first = measures.packing(runs[0], (low, high))
    shift = np.array([0.3, 0.45, -0.2])
    assert measures.packing(runs[1], (low + shift, high + shift)) == pytest.approx(first)
    assert measures.packing(runs[2], (low, high)) == pytest.approx(first)
    # Against points in the region.
    points = rng.uniform(low, high, (20_000, 3))
    ball = tg.Sphere(1e-9)
    inside = np.zeros(len(points), bool)
    for pose in poses:
        away = points - pose.translation
        near = np.flatnonzero(np.linalg.norm(away, axis=1) < 0.08)
        inside[near] |= tg.contact(egg, ball, pose, (None, points[near])).distance < 0
    assert first == pytest.approx(inside.mean(), abs=0.01)


def test_orientations():
    rod = tg.Ellipsoid([0.02, 0.1, 0.02])
    places = 0.5 * np.arange(3)[:, None] * [1, 0, 0]
    along = Rotation.from_rotvec([[0, 0, 0], [np.pi, 0, 0], [np.pi / 2, 0, 0]])  # y, -y and z
    run = still(Group("g", rod, (along, places)))
    found = measures.orientation(run, frame=0)
    # Mean of u u: 2/3 along y, 1/3 along z.
    assert np.allclose(found.tensor, np.diag([-0.5, 0.5, 0.0]), atol=1e-12)
    assert found.order == pytest.approx(0.5)
    assert np.allclose(np.abs(found.director), [0, 1, 0])
    assert np.allclose(measures.orientation(run, [1, 0, 0], frame=0).order, 1.0)
    many = Group(
        "g", rod, (Rotation.random(4000, rng=np.random.default_rng(2)), 0.5 * np.arange(4000)[:, None] * [1, 0, 0])
    )
    assert measures.orientation(still(many), frame=0).order < 0.05


def test_stress_of_a_heap():
    """At rest, the sum of force times branch is that of weight times height: the mean stress theorem."""
    rng = np.random.default_rng(3)
    shape = tg.Ellipsoid(rng.uniform(0.03, 0.06, (60, 3)))
    poses = tg.broadphase.scatter(shape, [0, 0, 0], [0.4, 0.4, 0.8], seed=2)
    law = Interaction(
        forces.KelvinVoigt(stiffness=2e4, damping=60.0), forces.Bristle(static=0.5, stiffness=1e4, damping=20.0)
    )
    sides = ((0, 0.4), (0, 0.4), None)
    world = World([GROUND, Group("g", shape, poses)], interaction=law, periodic=sides)
    run = simulate(world, 2.0, "fast", step=4e-4, output_interval=1.0)
    area, weight = 0.16, 9.81 * world["g"].masses.mass
    low, high = np.array([0, 0, -0.1]), np.array([0.4, 0.4, 0.8])
    found = measures.stress(run, (low, high))
    # d/dt of the momentum is small; the floor pushes at z = 0, weights act at the centres of mass.
    expected = (weight * run.centre_of_mass[-1, 1:, 2]).sum() / (area * 0.9)
    assert found[2, 2] == pytest.approx(expected, rel=0.02)
    top, bottom = (measures.stress(run, ([0, 0, z], [0.4, 0.4, z + 0.12]))[2, 2] for z in (0.17, 0.05))
    assert bottom > top > 0
    # A region that ends at the floor has the contacts with it; regions side by side, also across a boundary, add up.
    assert np.allclose(measures.stress(run, ([0, 0, 0], high)) * 8 / 9, found, rtol=0, atol=0.02 * found[2, 2])
    for axis, edges in ((2, [-0.1, 0.07, 0.13, 0.8]), (0, [0.3, 0.45, 0.7]), (1, [-0.9, -0.8, -0.5])):
        total = np.zeros((3, 3))
        for ends in itertools.pairwise(edges):
            region = np.array([low, high])
            region[:, axis] = ends
            total += (ends[1] - ends[0]) * measures.stress(run, region)
        assert np.allclose(total, (edges[-1] - edges[0]) * found, rtol=0, atol=1e-12 * found[2, 2])
    assert measures.coordination(run, walls=True).contacts.sum() > measures.coordination(run).contacts.sum()
    assert np.trace(measures.fabric(run)) == pytest.approx(1.0)
    # A moving heap has a kinetic stress, independent of a common velocity.
    moving = measures.stress(run, frame=0, kinetic=True) - measures.stress(run, frame=0)
    assert np.abs(moving).max() == 0.0


def test_stress_between_walls():
    """A column of balls between a floor and a lid: force over area in the region between them and in its parts."""
    depth = 1e-4
    places = [[0.1, 0.1, 0.1 - depth + k * (0.2 - depth)] for k in range(3)]
    lid = Body("lid", tg.HalfSpace([0, 0, -1], -(0.6 - 4 * depth)))
    run = still(GROUND, lid, Group("column", tg.Sphere(0.1), (None, places)))
    force = run.contacts.at(0).normal_force.mean()
    for bottom, top in ((0.0, 0.6 - 4 * depth), (0.05, 0.1), (0.33, 0.5)):
        found = measures.stress(run, ([0, 0, bottom], [0.2, 0.2, top]), frame=0)
        assert np.allclose(found, np.diag([0, 0, force / 0.04]), rtol=0.002, atol=1e-9 * force)


def test_kinetic_energy_and_files(tmp_path):
    rng = np.random.default_rng(4)
    shape = tg.Superellipsoid(rng.uniform(0.05, 0.1, (20, 3)), epsilon=(0.7, 1.2)).translate([0.01, 0.02, 0.0])
    poses = tg.broadphase.scatter(shape, [0, 0, 0], [1, 1, 1], seed=2)
    rates = {"velocity": rng.normal(size=(20, 3)), "angular_velocity": 9 * rng.normal(size=(20, 3))}
    world = World([GROUND, Group("g", shape, poses, **rates)], interaction=SPRING, gravity=[0, 0, 0])
    run = simulate(world, 0.01, "fast", step=1e-4, output_interval=0.005)
    for frame in range(3):
        found = measures.kinetic_energy(run, frame=frame)
        assert found.translation + found.rotation == pytest.approx(run.energy["kinetic"][frame], rel=1e-12)
        assert 0 < found.fluctuation < found.translation
    run.save(tmp_path / "a.npz")
    table = measures.measured(load_trajectory(tmp_path / "a.npz", world), list(measures.MEASURES))
    for name, measure in measures.MEASURES.items():
        assert name == "repose" or tuple(measure(run, -1, None, None)) == COLUMNS[name]
    assert table["time"].tolist() == run.time.tolist()
    assert table["bodies"].tolist() == [20, 20, 20]
    assert table["pressure"][0] == 0
    with pytest.raises(ValueError, match="run must know its world"):
        measures.packing(load_trajectory(tmp_path / "a.npz"))


def test_refusals():
    run = still(Body("ball", tg.Sphere(0.1)))
    with pytest.raises(ValueError, match="region must be two corners"):
        measures.packing(run, [0, 1])
    with pytest.raises(ValueError, match="low < high"):
        measures.packing(run, ([0, 0, 0], [1, 0, 1]))
    with pytest.raises(IndexError, match="frame must lie between -2 and 1, got 5"):
        measures.coordination(run, frame=5)
    with pytest.raises(TypeError, match="frame must be an integer"):
        measures.coordination(run, frame=0.5)
    with pytest.raises(ValueError, match=r"measures must be among .*, got 'paking'; did you mean 'packing'"):
        measures.measured(run, "coordination,paking")
    with pytest.raises(ValueError, match="layers must be a whole number"):
        measures.packing_profile(run, 2.5)
    with pytest.raises(ValueError, match="bodies must select at least one body"):
        measures.packing(run, bodies=[])
    with pytest.raises(IndexError, match=r"bodies must be names, or an array that selects some of 1 bodies, got \[9\]"):
        measures.packing(run, bodies=[9])
    with pytest.raises(ValueError, match="region must be given for bodies that have no extent"):
        measures.packing(still(GROUND, Body("ball", tg.Sphere(0.1), (None, [0, 0, 1]))), bodies="ground")
    with pytest.raises(KeyError, match="no body 'bal'; there are ball; did you mean 'ball'"):
        measures.packing(run, bodies="bal")
    with pytest.raises(ValueError, match="axis must be a vector other than zero"):
        measures.orientation(run, [0, 0, 0])
    wide = still(Body("ball", tg.Sphere(0.1)), periodic=((0, 1), None, None))
    with pytest.raises(ValueError, match="region must not be larger than the periodic box"):
        measures.packing(wide, ([0, 0, 0], [2, 1, 1]))


SCENE = """
[[body]]
name = "ground"
shape = "plane"
normal = [0, 0, 1]

[[group]]
name = "grains"
shape = "ellipsoid"
radii = [0.03, 0.02, 0.02]
count = 30
region = { low = [0, 0, 0], high = [0.3, 0.3, 0.3] }

[simulation]
duration = 0.01
output_interval = 0.005
mode = "fast"
step = 1e-4
normal = { law = "kelvin_voigt", stiffness = 1e4, damping = 1.0 }

[measure]
region = { low = [0, 0, 0], high = [0.3, 0.3, 0.2] }
layers = 4
"""


def test_from_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heap.toml").write_text(SCENE, encoding="utf-8")
    assert main(["simulate", "heap.toml", "--measure", "packing,coordination,energy,layers,network"]) == 0
    out = capsys.readouterr().out
    assert "packing" in out
    with open("out/heap-measures.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    assert float(rows[0]["packing"]) == pytest.approx(30 * 4 / 3 * np.pi * 1.2e-5 / 0.018, rel=0.5)
    with open("out/heap-layers.csv", encoding="utf-8") as file:
        layers = list(csv.DictReader(file))
    assert len(layers) == 4
    mean = np.mean([float(row["packing"]) for row in layers])
    assert mean == pytest.approx(float(rows[-1]["packing"]), rel=1e-6)
    assert (tmp_path / "out/heap-network.csv").read_text(encoding="utf-8").startswith("body_a,body_b,")
    assert main(["simulate", "heap.toml", "--measure", "paking", "--overwrite"]) == 2
    assert "did you mean 'packing'" in capsys.readouterr().err
    (tmp_path / "heap.toml").write_text(SCENE.replace("layers = 4", "layers = 0"), encoding="utf-8")
    assert main(["simulate", "heap.toml", "--overwrite"]) == 2
    assert "[measure]: layers must be a whole number >= 1, got 0" in capsys.readouterr().err


def test_the_table_measure_is_checked_before_the_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for old, new, said in (
        ("layers = 4", 'bodies = ["grain"]', "bodies must name bodies or groups, got 'grain'; did you mean 'grains'?"),
        (
            'mode = "fast"',
            'mode = "fast"\nperiodic = { x = [0, 0.2] }',
            "region must not be larger than the periodic box",
        ),
    ):
        (tmp_path / "heap.toml").write_text(SCENE.replace(old, new), encoding="utf-8")
        assert main(["simulate", "heap.toml", "--measure", "packing"]) == 2
        assert f"[measure]: {said}" in capsys.readouterr().err
        assert not (tmp_path / "out").exists()


def test_what_cannot_be_measured_does_not_spoil_the_rest(tmp_path, capsys, monkeypatch):
    # Few bodies are no slope, and those that an outlet has removed make no layers.
    monkeypatch.chdir(tmp_path)
    gone = "[simulation]\n\n[[simulation.outlet]]\nlow = [-inf, -inf, -inf]\nhigh = [inf, inf, inf]\n"
    head, _, tail = SCENE.partition("[simulation]\n")
    text = f"{head}[simulation]\n{tail.partition('[measure]')[0]}{gone.partition('[simulation]')[2]}"
    for name, count, scene in (("few", 3, SCENE), ("gone", 30, text)):
        (tmp_path / f"{name}.toml").write_text(scene.replace("count = 30", f"count = {count}"), encoding="utf-8")
        assert main(["simulate", f"{name}.toml", "--measure", "repose,energy,layers"]) == 0
        out = capsys.readouterr().out
        with open(f"out/{name}-measures.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert rows[0]["repose"] == "nan" if name == "few" else rows[-1]["bodies"] == "0.0"
        assert float(rows[0]["kinetic_translation"]) == 0.0
        assert ("layers not written: bodies must select at least one body" in out) == (name == "gone")
        assert (tmp_path / f"out/{name}-layers.csv").exists() == (name == "few")


def frozen(shape, places):
    """A trajectory of bodies that do not move."""
    group = Group("grains", shape, (None, places), density=1000)
    return simulate(World([group], gravity=[0, 0, 0], pairs=[]), 0.1, "fast", step=0.1)


@pytest.mark.parametrize("angle", [5.0, 22.0, 38.0])
def test_the_slope_of_a_heap(angle):
    rng = np.random.default_rng(4)
    places = rng.uniform([-1, -1, 0], [1, 1, 0.8], (6000, 3))
    slope = np.tan(np.radians(angle))
    # Below a plane that descends along a diagonal, and below a cone about a point off the origin.
    plane = places[:, 2] < 0.4 + slope * (places[:, :2] @ [0.6, -0.8]) * 0.4
    found = measures.angle_of_repose(frozen(tg.Sphere(0.02), places[plane]), cell=0.16)
    assert found.angle == pytest.approx(np.degrees(np.arctan(0.4 * slope)), abs=1.5)
    # The vertical may point anywhere.
    turned = places[plane] @ np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    again = measures.angle_of_repose(frozen(tg.Sphere(0.02), turned), cell=0.16, up=[3, 0, 0])
    assert again.angle == pytest.approx(found.angle, abs=1e-6) or abs(again.angle - found.angle) < 1.5
    away = np.linalg.norm(places[:, :2] - [0.1, -0.1], axis=1)
    heap = (places[:, 2] < 0.7 - slope * away) & (away < 0.85)
    if heap.sum() > 500:
        cone = measures.angle_of_repose(frozen(tg.Sphere(0.02), places[heap]), "cone", cell=0.16)
        assert cone.angle == pytest.approx(angle, abs=3.0)


def test_what_a_slope_needs():
    run = frozen(tg.Sphere(0.1), [[0, 0, 0], [1, 0, 0]])
    for options, text in (
        ({"form": "plan"}, "form must be 'plane' or 'cone', got 'plan'"),
        ({"trim": 1.0}, "trim must be at least 0"),
        ({"up": [0, 0, 0]}, "up must not be zero"),
        ({}, "bodies must cover at least 4 columns"),
    ):
        with pytest.raises(ValueError, match=text):
            measures.angle_of_repose(run, **options)
    for times in (0, 2.5, [1.0], [1.0, 1.0]):
        with pytest.raises(ValueError, match="times must be"):
            measures.flow_rate(run, times)
    assert measures.flow_rate(run, 2).bodies.tolist() == [0.0, 0.0]


def test_points_next_to_a_side_are_in_one_of_two_regions():
    """Coordinates of a few units in the last place, which differences with a far corner lose."""
    run = still(Body("ball", tg.Sphere(0.5)))
    rng = np.random.default_rng(3)
    points = rng.choice([-1.0, 1.0], (400, 3)) * 10.0 ** rng.uniform(-30, -1, (400, 3))
    regions = [([-1, -1, -1], [0, 1, 1]), ([0, -1, -1], [1, 1, 1])]
    halves = [volumes._inside(run, np.zeros(3, bool), np.array(region, float), points) for region in regions]
    assert (halves[0] ^ halves[1]).all()
