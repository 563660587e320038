"""Pouring at a rate without overlap, removal at an outlet, and what both do to energies, files and measures."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import (
    Body,
    Group,
    Interaction,
    Outlet,
    Pour,
    Spring,
    World,
    load_trajectory,
    measures,
    simulate,
    steady_motion,
)
from tangency.dynamics.measures.table import COLUMNS
from tangency.dynamics.periodic import nearest_images

LAW = Interaction(
    forces.KelvinVoigt(stiffness=1e4, damping=5.0), forces.Bristle(static=0.4, stiffness=5e3, damping=2.0)
)
GROUND = Body("ground", tg.HalfSpace([0, 0, 1]))
INF = float("inf")


def hopper(count=120, rate=600.0, outlet=True, **options):
    """Ellipsoids of several sizes poured between walls, and removed where they leave through the side."""
    radii = np.random.default_rng(0).uniform(0.01, 0.02, (count, 3))
    grains = Group("grains", tg.Ellipsoid(radii), None, density=2500, velocity=[0, 0, -1.5], angular_velocity=[1, 2, 3])
    walls = [GROUND, Body("left", tg.HalfSpace([1, 0, 0], -0.1)), Body("back", tg.HalfSpace([0, 1, 0], -0.1))]
    return World(
        [*walls, grains],
        interaction=LAW,
        gravity=[3.0, 0, -9.81],
        pours=[Pour("grains", [-0.1, -0.1, 0.3], [0.1, 0.1, 0.45], rate=rate, seed=4)],
        outlets=[Outlet([0.3, -INF, -INF], [INF, INF, INF])] if outlet else [],
        **options,
    )


@pytest.fixture(scope="module")
def run():
    return simulate(hopper(), 0.8, "fast", step=2e-4, output_interval=0.02)


def test_rate_and_removal(run):
    own = run.group("grains")
    added, removed = run.added[own], run.removed[own]
    assert np.isfinite(added).all()
    assert np.abs(added - (np.arange(120) + 1) / 600.0).max() < 0.005  # looks are 20 steps apart
    gone = np.isfinite(removed)
    assert gone.sum() > 10
    assert (removed[gone] > added[gone]).all()
    for frame in range(len(run)):
        here = run.present(frame)[own]
        assert here.sum() == ((added <= run.time[frame] + 1e-9) & (removed > run.time[frame] + 1e-9)).sum()
        assert (run.centre_of_mass[frame, own][here, 0] < 0.35).all()
        assert np.all(run.velocity[frame, own][~here] == 0)
        touched = np.concatenate([run.contacts.at(frame).body_a, run.contacts.at(frame).body_b])
        assert run.present(frame)[touched].all()
    first = np.flatnonzero(np.isfinite(added))[0]
    born = int(np.searchsorted(run.time, added[first] - 1e-9))
    assert run.velocity[born, own][first, 2] < -1.4


def test_nothing_overlaps_when_it_appears(run):
    """Every contact begins later than both of its bodies, with no depth at first: proved by their closing speed."""
    log = run.impacts
    since = np.maximum(run.added[log.body_a], run.added[log.body_b])
    assert (log.time > since).all()
    assert len(log) > 100
    assert not run.info["warnings"]
    # And exactly, at the frames: of the bodies that have just appeared.
    shape, own = run.pieces[run.group("grains").start][0].shape, run.group("grains")
    assert shape.radii.shape == (3,)
    for frame in range(3, 12, 4):
        here = np.flatnonzero(run.present(frame)[own])
        stack = tg.Ellipsoid(np.array([run.pieces[own.start + k][0].shape.radii for k in here]))
        bodies, poses = tg.Bodies(stack), run.pose(frame)[own][here]
        depth = -bodies.contact(tg.broadphase.pairs(bodies, poses), poses).distance
        assert depth.max(initial=0.0) < 0.004  # only what the springs allow


def test_bodies_turn_until_they_are_removed(run):
    """The kinetic energies of frames agree with the velocities of the bodies, of those that are removed later, too."""
    for frame in range(5, len(run), 5):
        found = measures.kinetic_energy(run, frame=frame)
        assert found.translation + found.rotation == pytest.approx(run.energy["kinetic"][frame], rel=1e-12)
        assert np.all(run.angular_velocity[frame, ~run.present(frame)] == 0)
    gone = np.isfinite(run.removed)
    assert np.linalg.norm(run.angular_velocity[:, gone], axis=2).max(axis=0).min() > 3.0


def test_energy_balance(run):
    """What comes and goes counts as work: the rest is dissipated."""
    change = run.mechanical_energy - run.mechanical_energy[0]
    balance = change + run.energy["dissipated"] - run.energy["work"]
    assert np.abs(balance).max() < 1e-6 * np.abs(run.energy["work"]).max()
    assert (np.diff(run.energy["dissipated"]) > -1e-6).all()


def test_threads_files_and_resume(run, tmp_path):
    options = {"step": 2e-4, "output_interval": 0.02}
    half = simulate(hopper(), 0.4, "fast", checkpoint=tmp_path / "a.npz", threads=2, **options)
    assert np.array_equal(half.position, run.position[:21])
    whole = simulate(hopper(), 0.8, "fast", checkpoint=tmp_path / "a.npz", resume=True, **options)
    for name in ("position", "velocity", "added", "removed"):
        assert np.array_equal(getattr(whole, name), getattr(run, name))
    moved = hopper()
    moved.outlets[0].low[0] += 1e-13
    with pytest.raises(ValueError, match="belongs to another world"):
        simulate(moved, 0.8, "fast", checkpoint=tmp_path / "a.npz", resume=True, **options)
    again = load_trajectory(tmp_path / "a.npz", hopper())
    assert np.array_equal(again.removed, run.removed)
    table = measures.measured(again, "coordination,packing", region=([-0.1, -0.1, 0], [0.1, 0.1, 0.1]))
    assert table["bodies"].tolist() == [run.present(frame)[3:].sum() for frame in range(len(run))]
    assert np.isnan(table["packing"][0])
    assert table["packing"][15] > 0.1
    assert len(again.dump(tmp_path / "a.pvd", "vtk", every=20)) == 3
    lines = again.dump(tmp_path / "a.dump")[0].read_text(encoding="ascii").split("ITEM: NUMBER OF ATOMS\n")[1:]
    assert [int(text.split("\n")[0]) for text in lines] == table["bodies"].tolist()


def test_across_a_periodic_boundary():
    """Poured bodies keep clear of the images of others."""
    grains = Group("grains", tg.Ellipsoid(np.tile([0.03, 0.02, 0.02], (60, 1))), None)
    still = Group("still", tg.Sphere(0.05), (None, [[0.0, 0.1, 0.25], [0.2, 0.0, 0.25]]), fixed=True)
    box = ((0, 0.3), (0, 0.3), None)
    pour = Pour("grains", [0, 0, 0.1], [0.3, 0.3, 0.5], rate=5000)
    world = World([still, grains], interaction=LAW, periodic=box, pours=[pour], gravity=[0, 0, 0])
    run = simulate(world, 0.03, "fast", step=2e-4, output_interval=0.03)
    assert (run.present(-1)).sum() == 62
    assert len(run.contacts.at(-1)) == 0
    away = nearest_images(run.position[-1, 2:, None] - run.position[-1, None, :2], run.periodic)
    assert np.linalg.norm(away, axis=2).min() > 0.07


def test_periodic_boundaries_hold_for_bodies_that_have_travelled_far():
    """Many periods from the box bodies still keep others from being poured into them, and outlets still find them."""
    rows = np.stack(np.meshgrid([0.125, 0.375, 0.625, 0.875], [0.25, 0.75], [0.5]), axis=-1).reshape(-1, 3)
    old = Group("old", tg.Sphere(0.05), (None, rows), velocity=[60, -60, 0])
    new = Group("new", tg.Sphere(np.full(6, 0.05)), None, velocity=[60, -60, 0])
    world = World(
        [old, new],
        interaction=LAW,
        gravity=[0, 0, 0],
        periodic=((0, 1), (0, 1), None),
        pours=[Pour("new", [0, 0, 0.44], [1, 1, 0.56], rate=1000, start=0.1)],
    )
    run = simulate(world, 0.112, "fast", step=1e-4, output_interval=0.004)
    assert run.present(-1).sum() == 14
    assert len(run.contacts.depth) == 0  # all have the same velocity
    # Balls that cross the box enter the outlet at known times, whatever image of the box they started in.
    start, speed = np.array([0.5, -0.5, 3.25, 0.5]), np.array([1.0, 3.0, 2.0, -1.0])
    places = np.stack([start, 0.2 * np.arange(4), np.zeros(4)], axis=1)
    balls = Group("balls", tg.Sphere(0.02), (None, places), velocity=speed[:, None] * [1, 0, 0])
    drain = Outlet([0.8, -INF, -INF], [INF, INF, INF])
    world = World([balls], interaction=LAW, gravity=[0, 0, 0], periodic=((0, 1), None, None), outlets=[drain])
    run = simulate(world, 0.6, "fast", step=1e-3, output_interval=0.2)
    late = run.removed - [0.3, 0.1, 0.275, 0.5]
    assert (late > -1e-9).all()
    assert (late < 0.0201).all()
    assert run.info["warnings"] == []
    for bounds in ([0.9, 1.1], [1.8, 1.9], [-1.0, 0.5], [1.5, INF], [-INF, 0.0]):
        low, high = ([bound, -INF, -INF] for bound in bounds)
        drain = Outlet(low, [high[0], INF, INF])
        with pytest.raises(ValueError, match=r"outlets must lie inside the periodic box, .* along x in"):
            World([balls], interaction=LAW, periodic=((0, 1), None, None), outlets=[drain])


def test_a_region_without_room_says_so():
    balls = Group("balls", tg.Sphere(np.full(3, 0.05)), None)
    for low, high in (([0, 0, 1], [0.05, 0.05, 1.05]), ([0, 0, -2], [1, 1, -1])):
        world = World([GROUND, balls], interaction=LAW, pours=[Pour("balls", low, high, rate=500)])
        with pytest.warns(RuntimeWarning, match="only 0 of 3 bodies of 'balls' .* no room for any: it is too small"):
            run = simulate(world, 0.1, "fast", step=1e-3, output_interval=0.1)
        table = measures.measured(run, list(measures.MEASURES))  # all columns, of nothing
        assert all(
            np.isnan(table[name]).all() for name in table if name.partition("_")[0] not in ("time", "bodies", "flow")
        )
        assert len(table) == 2 + sum(map(len, COLUMNS.values()))


def test_a_full_region_waits_and_says_so():
    world = hopper(count=300, rate=20_000.0, outlet=False)
    with pytest.warns(RuntimeWarning, match="bodies of 'grains' were poured by t = 0.1 s: their region was full"):
        run = simulate(world, 0.1, "fast", step=2e-4, output_interval=0.1)
    assert 20 < np.isfinite(run.added[3:]).sum() < 300


@pytest.mark.parametrize("seed", range(4))
def test_bodies_leave_in_time_however_slowly_others_are_poured(seed):
    # Without forces a ball enters the outlet at a known time; it must be found within twenty steps of that.
    rng = np.random.default_rng(seed)
    step, height, thickness = 1e-3, 0.5, rng.uniform(0.1, 0.2)
    speeds = rng.uniform(0.5, 2.0, 8)
    places = np.stack([0.1 * np.arange(8), np.zeros(8), np.full(8, height)], axis=1)
    balls = Group("balls", tg.Sphere(0.01), (None, places), velocity=np.outer(speeds, [0, 0, -1]))
    rates = 10.0 ** rng.uniform(-1, 3, 2)
    world = World(
        [balls, *(Group(name, tg.Sphere(np.full(3, 0.01)), None) for name in "ab")],
        gravity=[0, 0, 0],
        interaction=LAW,
        outlets=[Outlet([-1, -1, -thickness], [1, 1, 0])],
        pours=[Pour(name, [0, 0, 2], [1, 1, 3], rate) for name, rate in zip("ab", rates)],
    )
    run = simulate(world, 1.2, "fast", step=step, output_interval=0.4)
    late = run.removed[run.group("balls")] - height / speeds
    assert (late > -1e-9).all()
    assert (late < 20.001 * step).all()
    assert run.info["warnings"] == []


@pytest.mark.filterwarnings("ignore:outlets")
def test_an_outlet_that_bodies_can_pass_unseen_is_reported():
    ball = Body("ball", tg.Sphere(0.01), (None, [0, 0, 0.505]), velocity=[0, 0, -1], density=1000)
    for thickness, unseen in ((0.015, True), (0.025, False)):
        through = Outlet([-1, -1, 0.5 - 0.22 - thickness], [1, 1, 0.5 - 0.22])
        world = World([ball], gravity=[0, 0, 0], outlets=[Outlet([-INF] * 3, [INF, INF, -9]), through])
        found = simulate(world, 0.4, "fast", step=1e-3, output_interval=0.1).info["warnings"]
        assert [text.partition(" is ")[0] for text in found] == (["outlets[1]"] if unseen else [])


def test_a_spring_to_a_body_that_was_removed_is_reported():
    places = {"a": 0.0, "b": 0.5}
    balls = [Body(name, tg.Sphere(0.05), (None, [x, 0, 0]), velocity=[4 * x, 0, 0]) for name, x in places.items()]
    drain = Outlet([0.6, -INF, -INF], [INF, INF, INF])
    springs = [Spring("a", "b", stiffness=50), Spring("b", stiffness=1)]
    world = World(balls, interaction=LAW, gravity=[0, 0, 0], springs=springs, outlets=[drain])
    with pytest.warns(RuntimeWarning, match="'a' is held by a spring whose other end, 'b', was removed by an outlet"):
        run = simulate(world, 0.1, "fast", step=1e-3, output_interval=0.1)
    assert len(run.info["warnings"]) == 1


def test_refusals():
    stack = tg.Sphere(np.full(3, 0.1))
    group = Group("g", stack, None)
    pour = Pour("g", [0, 0, 0], [1, 1, 1], rate=1)
    with pytest.raises(ValueError, match="shape must be a stack, one per body, if poses is None"):
        Group("g", tg.Sphere(0.1), None)
    with pytest.raises(ValueError, match="pours must name each group without poses once, got 'g' 0 times"):
        World([group])
    with pytest.raises(ValueError, match="got 'g' 2 times"):
        World([group], pours=[pour, pour])
    with pytest.raises(ValueError, match="pours must name free groups whose poses are None, got 'b'"):
        World([group, Body("b", tg.Sphere(1.0))], pours=[pour, Pour("b", [0, 0, 0], [1, 1, 1], rate=1)])
    with pytest.raises(ValueError, match="pours must lie inside the periodic box, got 0 to 1 along x"):
        World([group], pours=[pour], periodic=((0, 0.5), None, None))
    with pytest.raises(ValueError, match="pours and outlets must be empty in mode 'accurate'"):
        simulate(World([group], interaction=LAW, pours=[pour]), 1.0)
    with pytest.raises(ValueError, match="low and high must be 3 numbers each, low < high"):
        Pour("g", [0, 0], [1, 1, 1], rate=1)
    with pytest.raises(ValueError, match="low and high must be finite"):
        Pour("g", [0, 0, -INF], [1, 1, 1], rate=1)
    with pytest.raises(ValueError, match="rate must be > 0, got 0"):
        Pour("g", [0, 0, 0], [1, 1, 1], rate=0)
    with pytest.raises(TypeError, match="group must be the name of a group"):
        Pour(3, [0, 0, 0], [1, 1, 1], rate=1)


def test_at_rest(tmp_path):
    """The run ends when the bodies rest; resuming it changes nothing; a run that never rests says so."""
    world = hopper(count=20, rate=2000.0, outlet=False, local_damping=0.5)
    world = World(world.bodies, interaction=LAW, pours=world.pours, local_damping=0.5)
    options = {"step": 2e-4, "output_interval": 0.02, "rest": 0.05, "checkpoint": tmp_path / "a.npz"}
    run = simulate(world, 5.0, "fast", **options)
    assert 0.2 < run.time[-1] < 4.0
    assert run.info["at_rest"] == run.time[-1]
    mass = run.masses.mass.sum()
    speed = np.sqrt(2 * run.energy["kinetic"] / mass)
    assert (speed[-2:] < 0.05).all()
    again = simulate(world, 5.0, "fast", resume=True, **options)
    assert np.array_equal(again.position, run.position)
    with pytest.warns(RuntimeWarning, match=r"the bodies were not at rest at the end, t = 0\.1 s: .* 0\.05 m/s"):
        simulate(world, 0.1, "fast", step=2e-4, output_interval=0.02, rest=0.05)
    with pytest.raises(ValueError, match="rest must not be given in mode 'accurate'"):
        simulate(World([Body("b", tg.Sphere(0.1))]), 0.1, rest=0.1)


SCENE = """
[[body]]
name = "ground"
shape = "plane"
normal = [0, 0, 1]

[[group]]
name = "grains"
shape = "sphere"
radius = { low = 0.01, high = 0.02 }
count = 40
pour = { low = [0, 0, 0.2], high = [0.2, 0.2, 0.3], rate = 1000 }
velocity = [0, 0, -1]

[simulation]
duration = 2.0
output_interval = 0.01
mode = "fast"
step = 2e-4
rest = 0.6
normal = { law = "kelvin_voigt", stiffness = 1e4, damping = 5.0 }
local_damping = 0.3

[[simulation.outlet]]
low = [-inf, -inf, -inf]
high = [inf, 0.05, inf]
"""


def test_from_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heap.toml").write_text(SCENE, encoding="utf-8")
    assert main(["simulate", "heap.toml", "--measure", "packing"]) == 0
    out = capsys.readouterr().out
    assert "grains (40)" in out
    assert "at rest at t = " in out
    assert "bodies were removed" in out
    (tmp_path / "heap.toml").write_text(SCENE.replace("rate = 1000", "rate = 0"), encoding="utf-8")
    assert main(["simulate", "heap.toml", "--overwrite"]) == 2
    assert "rate must be > 0, got 0" in capsys.readouterr().err
    (tmp_path / "heap.toml").write_text(SCENE.replace("high = [inf, 0.05, inf]", ""), encoding="utf-8")
    assert main(["simulate", "heap.toml", "--overwrite"]) == 2
    assert "[[simulation.outlet]]" in capsys.readouterr().err


def test_pictures_show_only_what_is_there(run, tmp_path):
    path = run.animate(tmp_path / "a.html")
    assert path.stat().st_size > 10_000
    assert run.snapshots([0.0, 0.1, 0.8], width=120, height=90) is not None


def test_steady_motions_agree_with_their_velocities():
    """A drum about a centre that moves, against differences of its poses; it carries a ball along."""
    motion = steady_motion(
        (Rotation.from_rotvec([0, 0, 1]), [1, 2, 3]), [0.1, 0, 0], [0.3, 0.2, -1.0], centre=[0, 1, 0]
    )
    for time in (0.0, 0.7):
        a, b = (motion(time + h).pose for h in (-1e-6, 1e-6))
        now = motion(time)
        assert np.allclose((b[1] - a[1]) / 2e-6, now.velocity, atol=1e-8)
        assert np.allclose((b[0] * a[0].inv()).as_rotvec() / 2e-6, now.angular_velocity, atol=1e-8)
    turn = Rotation.from_rotvec([np.pi / 2, 0, 0])  # the axis along y
    drum = Body(
        "drum", tg.Cavity(tg.Cylinder(0.2, 0.3)), motion=steady_motion((turn, [0, 0, 0]), angular_velocity=[0, 3, 0])
    )
    ball = Body("ball", tg.Sphere(0.05), (None, [0, 0, -0.149]))
    run = simulate(World([drum, ball], interaction=LAW), 0.3, "fast", step=2e-4, output_interval=0.1)
    assert run.position[-1, 1, 0] < -0.01
    assert run.angular_velocity[-1, 1, 1] > 1.0
