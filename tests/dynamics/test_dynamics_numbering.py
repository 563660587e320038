"""Bodies that the fast mode numbers by their places: what is seen from outside goes by the numbers of the world."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, Outlet, Pour, Spring, World, simulate, steady_motion
from tangency.dynamics.assembly import Assembly
from tangency.dynamics.fast import runner
from tangency.dynamics.fast.numbering import renumber
from tangency.dynamics.fast.tables import COUNT

SIZE, STEP = 0.05, 4e-4
LAW = Interaction(
    forces.KelvinVoigt(stiffness=2e4, damping=20.0), forces.Bristle(static=0.5, stiffness=1e4, damping=5.0)
)
TRACKS = ("position", "quaternion", "velocity", "angular_velocity")


@pytest.fixture
def changes(monkeypatch):
    """Worlds of any size are renumbered; a list to which each change of numbers is added."""
    found = []

    def noted(bodies, world, lists, count, order):
        found.append(order.copy())
        return renumber(bodies, world, lists, count, order)

    monkeypatch.setattr(runner, "renumber", noted)
    monkeypatch.setattr(runner, "LEAST_RENUMBERED", 0)
    return found


def grains(rng, count, kind, low, high, speed):
    """Shapes in a shuffled grid, turned at random; places, velocities, and spins."""
    side = int(np.ceil((count / 2) ** 0.5))
    k = rng.permutation(count)
    cell = np.stack([k % side, k // side % side, k // side**2], axis=1) + 0.5
    places = low + cell * (high - low) / [side, side, 2]
    radii = SIZE * rng.uniform(0.6, 1.0, (count, 3))
    shapes = {"ellipsoid": tg.Ellipsoid, "superellipsoid": tg.Superellipsoid, "sphere": tg.Sphere}[kind]
    if kind == "superellipsoid":
        shape = shapes(radii, epsilon=rng.uniform(0.6, 1.4, (count, 2)))
    else:
        shape = shapes(radii[:, 0] if kind == "sphere" else radii)
    turns = Rotation.random(count, random_state=int(rng.integers(1 << 30)))
    rates = {"velocity": rng.normal(0.0, speed, (count, 3)), "angular_velocity": rng.normal(0.0, 10.0, (count, 3))}
    return shape, (turns, places), rates


def stirred(seed, count=400, kind="ellipsoid", *, periodic=True, extras=(), **options):
    """A world of fast grains on a floor that mix."""
    rng = np.random.default_rng(seed)
    width = 0.11 * np.ceil((count / 2) ** 0.5)
    low, high = np.zeros(3), np.array([width, width, 0.24])
    shape, poses, rates = grains(rng, count, kind, low, high, 3.0)
    walls = [Body("floor", tg.HalfSpace([0, 0, 1], 0.0)), Body("lid", tg.HalfSpace([0, 0, -1], -0.5))]
    if not periodic:
        sides = ([1, 0, 0], 0.0), ([-1, 0, 0], -width), ([0, 1, 0], 0.0), ([0, -1, 0], -width)
        walls += [Body(f"side {k}", tg.HalfSpace(n, d)) for k, (n, d) in enumerate(sides)]
    box = ((0.0, width), (0.0, width), None) if periodic else None
    grouped = Group("grains", shape, poses, density=1000.0, **rates)
    return World([walls[0], *extras, grouped, *walls[1:]], interaction=LAW, periodic=box, **options)


def ran(world, steps, every=None, **options):
    interval = (every or steps) * STEP
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # these impacts are too hard for the laws
        return simulate(world, steps * STEP, "fast", step=STEP, output_interval=interval, **options)


def assert_same(a, b):
    """The same bits in everything that a run returns."""
    for name in (*TRACKS, "time"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for name in ("body_a", "body_b", "shape_a", "shape_b", "time", "speed", "impulse", "dissipated", "over"):
        assert np.array_equal(getattr(a.impacts, name), getattr(b.impacts, name)), name
    for frame in range(-1, 1):
        one, other = a.contacts.at(frame), b.contacts.at(frame)
        for field in ("body_a", "body_b", "shape_a", "shape_b", "point", "normal", "force", "depth"):
            assert np.array_equal(getattr(one, field), getattr(other, field)), field


def assert_close(a, b, allowed):
    """The same run but for rounding."""
    for name in TRACKS:
        difference = np.abs(getattr(a, name) - getattr(b, name)).max()
        assert difference < allowed * max(1.0, np.abs(getattr(b, name)).max()), (name, difference)
    for frame in range(-1, 1):
        one, other = a.contacts.at(frame), b.contacts.at(frame)
        for field in ("body_a", "body_b"):
            assert np.array_equal(getattr(one, field), getattr(other, field)), field
        for field in ("normal", "force"):
            scale = np.abs(getattr(other, field)).max(initial=1.0)
            assert np.abs(getattr(one, field) - getattr(other, field)).max(initial=0.0) < 1e3 * allowed * scale, field


@pytest.mark.parametrize("kind", ["ellipsoid", "superellipsoid", "sphere"])
@pytest.mark.parametrize("periodic", [True, False])
def test_the_same_motion_in_other_numbers(changes, monkeypatch, kind, periodic):
    """Sums are added in another order, so the motion agrees to rounding; pairs, sides and impacts are the same."""
    world = stirred(3, kind=kind, periodic=periodic)
    mixed = ran(world, 120)
    assert len(changes) > 1  # at the start, and on the way
    monkeypatch.setattr(runner, "LEAST_RENUMBERED", 10**9)
    plain = ran(world, 120)
    assert len(plain.impacts) > 300
    assert_close(mixed, plain, 1e-7)
    rows = [
        np.lexsort((run.impacts.shape_b, run.impacts.body_b, run.impacts.body_a, np.round(run.impacts.time, 9)))
        for run in (mixed, plain)
    ]
    for name in ("body_a", "body_b", "shape_a", "shape_b"):
        assert np.array_equal(getattr(mixed.impacts, name)[rows[0]], getattr(plain.impacts, name)[rows[1]]), name
    for name, values in plain.energy.items():
        np.testing.assert_allclose(mixed.energy[name], values, rtol=1e-6, err_msg=name)


def test_same_bits_for_threads_frames_and_resumed_runs(changes, tmp_path):
    """When bodies get other numbers depends on their motion only."""
    world = stirred(5, 700)
    whole = ran(world, 160, 80)
    assert len(changes) > 1
    for threads in (2, 3):
        assert_same(ran(world, 160, 80, threads=threads), whole)
    often = ran(world, 160, 10)
    assert np.array_equal(often.position[[0, 8, 16]], whole.position)
    assert np.array_equal(often.impacts.dissipated, whole.impacts.dissipated)
    for name in ("run.npz", "run.zarr"):
        path = tmp_path / name
        ran(world, 80, 80, checkpoint=path, checkpoint_every=1)
        assert_same(ran(world, 160, 80, checkpoint=path, checkpoint_every=1, resume=True), whole)


def test_same_bits_in_another_process(tmp_path):
    """Above the limit, without any change of settings, in a process that does nothing before."""
    source = f"""
import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})
import numpy as np, test_dynamics_numbering as own
run = own.ran(own.stirred(7, 1100), 40, threads=int(sys.argv[1]))
np.save(sys.argv[2], np.concatenate([getattr(run, name)[-1].ravel() for name in own.TRACKS]))
"""
    found = []
    for threads in (1, 2):
        path = tmp_path / f"{threads}.npy"
        subprocess.run([sys.executable, "-c", source, str(threads), str(path)], check=True)
        found.append(np.load(path))
    assert np.array_equal(*found)
    world = stirred(7, 1100)
    assert len(world.names) >= runner.LEAST_RENUMBERED
    run = ran(world, 40)
    assert np.array_equal(np.concatenate([getattr(run, name)[-1].ravel() for name in TRACKS]), found[0])


def test_forces_of_a_renumbered_world(changes):
    """The sums of forces and torques from the records of the contacts, and the tables, after some changes."""
    world = stirred(9, 600)
    assembly = Assembly(world)
    stepper = runner.FastRunner(assembly, step=STEP, skin=0.005, fixed_skin=False, steps_per_frame=1)
    stepper._prepare()
    stepper._run(100)
    assert len(changes) > 1
    bodies, tables, lists = stepper._bodies, stepper._world, stepper._lists
    assert np.array_equal(np.sort(tables.body_labels), np.arange(len(assembly.names)))
    assert not np.array_equal(tables.body_labels, np.arange(len(assembly.names)))
    assert np.array_equal(assembly.owner[tables.labels], tables.body_labels[tables.owner])
    assert np.array_equal(tables.inertia, assembly.inertia[tables.body_labels])
    assert np.array_equal(tables.shapes.rows, assembly.shapes.rows[tables.labels])
    count = stepper._numbers[COUNT]
    solid = tables.shapes.kind[lists.pairs[:count, 0]] == 0
    sides = tables.labels[lists.pairs[:count]][solid]
    assert (sides[:, 0] < sides[:, 1]).all()  # A has the smaller number in the world
    known, touching = lists.contacts, stepper._touching()
    total = np.zeros((len(assembly.names), 6))
    total[:, :3] = assembly.inertia[tables.body_labels, 0, None] * np.asarray(world.gravity)
    force, point = known.records[touching, 1:4], known.records[touching, 4:7]
    i, j = tables.owner[known.pairs[touching]].T
    period = np.array([bounds[1] if bounds else np.inf for bounds in world.periodic])
    for body, sign in ((i, -1.0), (j, 1.0)):
        arm = point - bodies.ahead[body, :3]
        arm -= np.where(np.isfinite(period), np.round(arm / period), 0.0) * np.where(np.isfinite(period), period, 0.0)
        np.add.at(total, body, sign * np.concatenate([force, np.cross(arm, force)], axis=1))
    free = assembly.free[tables.body_labels]
    assert np.abs(bodies.forces - total)[free].max() < 1e-9 * np.abs(total).max()


def test_pours_outlets_and_springs(changes, monkeypatch):
    """Bodies that come and go, and the ends of springs, keep their numbers in the world."""
    rng = np.random.default_rng(11)
    shape, _, _ = grains(rng, 300, "sphere", np.zeros(3), np.ones(3), 0.0)
    low, high = [0.0, 0.0, 0.6], [1.0, 1.0, 1.2]
    weights = [
        Body(f"weight {k}", tg.Sphere(0.04), (None, [0.2 * k + 0.1, 0.5, 0.3]), density=2000.0) for k in range(5)
    ]
    springs = [
        Spring(f"weight {k}", f"weight {k + 1}", stiffness=500.0, damping=1.0, point_a=[0, 0, 0.04]) for k in range(4)
    ]
    world = World(
        [
            weights[0],
            Group("poured", shape, None, density=1000.0, velocity=[0.3, 0.2, -1.0]),
            *weights[1:],
            Body("floor", tg.HalfSpace([0, 0, 1], 0.0)),
        ],
        interaction=LAW,
        springs=springs,
        periodic=((0.0, 1.0), (0.0, 1.0), None),
        pours=[Pour("poured", low, high, rate=1500.0, seed=4)],
        outlets=[Outlet([0.0, 0.0, -1.0], [0.5, 0.5, 0.09])],
    )
    mixed = ran(world, 900, 300)
    assert len(changes) > 1
    assert_same(ran(world, 900, 300, threads=2), mixed)
    monkeypatch.setattr(runner, "LEAST_RENUMBERED", 10**9)
    plain = ran(world, 900, 300)
    assert np.abs(mixed.position[1] - plain.position[1]).max() < 1e-6  # chaos sets in later


def test_faults_and_warnings_name_the_bodies(changes):
    """The pairs of extremes, and bodies whose motion becomes infinite, are those of the world."""
    world = stirred(13, 500)
    fast = Body("bullet", tg.Sphere(0.03), (None, [0.05, 0.05, 0.4]), density=1e5, velocity=[0.0, 0.0, -12.0])
    world = World([world.bodies[0], world.bodies[1], fast, *world.bodies[2:]], interaction=LAW, periodic=world.periodic)
    run = ran(world, 100)
    deep = [text for text in run.info["warnings"] if "overlapped" in text]
    assert deep
    assert "'bullet'" in deep[0]
    assembly = Assembly(stirred(15, 300))
    stepper = runner.FastRunner(assembly, step=STEP, skin=0.005, fixed_skin=False, steps_per_frame=1)
    stepper._prepare()
    stepper._run(20)
    own = np.flatnonzero(stepper._world.body_labels == 200)[0]
    assert own != 200
    stepper._bodies.y[own, 7] = np.inf
    with pytest.raises(RuntimeError, match=assembly.names[200].replace("[", r"\[")):
        stepper._run(1)


def test_laws_of_classes_in_any_order(changes, monkeypatch):
    """Groups of several materials, with laws that depend on the order in the world, and walls anywhere among them."""
    materials = [forces.Material(young=1e6 * (k + 1), poisson=0.3) for k in range(4)]
    for seed in range(6):
        rng = np.random.default_rng([17, seed])
        shape, (turns, places), rates = grains(rng, 300, "ellipsoid", np.zeros(3), np.array([1.4, 1.4, 0.24]), 3.0)
        parts = np.split(rng.permutation(300), [100, 200])
        bodies = [
            Group(
                f"part {k}",
                shape[part],
                (turns[part], places[part]),
                density=1000.0,
                material=materials[k],
                **{name: values[part] for name, values in rates.items()},
            )
            for k, part in enumerate(parts)
        ]
        planes = ([0, 0, 1], 0.0), ([0, 0, -1], -0.4), ([1, 0, 0], 0.0), ([-1, 0, 0], -1.4), ([0, 1, 0], 0.0)
        for k, (n, d) in enumerate((*planes, ([0, -1, 0], -1.4))):
            wall = Body(f"wall {k}", tg.HalfSpace(n, d), material=materials[3])
            bodies.insert(int(rng.integers(len(bodies) + 1)), wall)

        def law(first, second):
            return forces.KelvinVoigt(stiffness=1e4 if first.young > second.young else 3e4, damping=20.0)

        world = World(bodies, interaction=Interaction(law))
        monkeypatch.setattr(runner, "LEAST_RENUMBERED", 0)
        mixed = ran(world, 100)
        monkeypatch.setattr(runner, "LEAST_RENUMBERED", 10**9)
        plain = ran(world, 100)
        assert len(mixed.impacts) == len(plain.impacts) > 100
        assert_close(mixed, plain, 1e-7)
    assert len(changes) > 6


@pytest.mark.parametrize("free", [True, False])
def test_a_contact_with_a_wall_that_turns_away_at_once(free):
    """Its end is logged, though the pair is not in the next list."""
    ball = Body("ball", tg.Sphere(0.02), (None, [1.0, 0.0, 0.0199]), density=1000.0)
    if free:
        moved = {"mass": 500.0, "inertia": 50.0 * np.eye(3), "angular_velocity": [0.0, 200.0, 0.0]}
    else:
        moved = {"motion": steady_motion(angular_velocity=[0.0, 200.0, 0.0])}
    law = Interaction(forces.KelvinVoigt(stiffness=2e3, damping=0.0))
    world = World([Body("wall", tg.HalfSpace([0, 0, 1], 0.0), **moved), ball], interaction=law, gravity=[0, 0, 0])
    run = ran(world, 5, 1)
    assert len(run.contacts.at(0)) == 1
    assert len(run.contacts.at(1)) == 0
    assert run.impacts.over.tolist() == [True]
