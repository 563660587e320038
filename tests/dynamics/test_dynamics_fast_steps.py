"""The fast mode for many bodies: independent of threads and skin, few lists of pairs, ellipsoids in lanes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, Motion, World, simulate
from tangency.dynamics.assembly import Assembly
from tangency.dynamics.contact.columns import DISTANCE, POWER, RECORD, STORED, TOUCHING, normals
from tangency.dynamics.fast import runner
from tangency.dynamics.fast.contact_steps import SAFE_SHARE
from tangency.dynamics.fast.runner import FastRunner
from tangency.dynamics.fast.tables import COUNT, known_pairs

LAW = Interaction(
    forces.KelvinVoigt(stiffness=2e4, damping=60.0), forces.Bristle(static=0.5, stiffness=1e4, damping=20.0)
)
BARR = tg.Superellipsoid(np.full((80, 3), [0.05, 0.04, 0.06]), epsilon=np.linspace([0.5, 1.5], [1.5, 0.5], 80))
EXACT = ("position", "quaternion", "velocity", "angular_velocity")


def box(count, shape=None, seed=1):
    """Bodies above a box, in a layer of 4 x 4."""
    rng, k = np.random.default_rng(seed), np.arange(count)
    place = 0.14 * np.stack([k % 4 - 1.5, k // 4 % 4 - 1.5, k // 16 + 0.6], axis=1) + rng.uniform(
        -0.01, 0.01, (count, 3)
    )
    planes = (([0, 0, 1], 0.0), ([1, 0, 0], -0.3), ([-1, 0, 0], -0.3), ([0, 1, 0], -0.3), ([0, -1, 0], -0.3))
    walls = [Body(f"wall {i}", tg.HalfSpace(n, d)) for i, (n, d) in enumerate(planes)]
    stack = tg.Ellipsoid(rng.uniform(0.7, 1.3, (count, 3)) * 0.05) if shape is None else shape
    spin = rng.normal(size=(count, 3))
    return [*walls, Group("g", stack, (Rotation.random(count, rng=rng), place), angular_velocity=spin)]


def run(bodies, duration=0.25, **options):
    return simulate(World(bodies, interaction=LAW), duration, "fast", step=5e-4, output_interval=duration, **options)


def listed(stepper):
    """Everything about the pairs of the list, one row each."""
    return known_pairs(stepper._lists, np.arange(stepper._numbers[COUNT]))


def slack(stepper):
    return stepper._lists.slack[: stepper._numbers[COUNT]]


def touches(known):
    return known.memory[:, TOUCHING] != 0.0


def boxes_and_drum():
    """Patches of faces, in a drum that turns."""
    turn = Rotation.from_euler("y", 90, degrees=True)
    drum = Body(
        "drum",
        tg.Cavity(tg.Cylinder(0.5, half_length=0.4)),
        motion=lambda t: Motion(Rotation.from_rotvec([2 * t, 0, 0]) * turn),
    )
    return [drum, box(40, tg.Box([0.05, 0.04, 0.03]))[-1]]


def mixed(count=60, seed=3):
    """Superellipsoids, ellipsoids and balls, close to each other and to the floor."""
    rng = np.random.default_rng(seed)
    shapes = (
        tg.Superellipsoid(rng.uniform(0.7, 1.3, (count, 3)) * 0.05, epsilon=rng.uniform(0.5, 1.5, (count, 2))),
        tg.Ellipsoid(rng.uniform(0.7, 1.3, (count, 3)) * 0.05),
        tg.Sphere(np.full(count, 0.05)),
    )
    made = [Body("floor", tg.HalfSpace([0, 0, 1]))]
    for k, shape in enumerate(shapes):
        place = rng.uniform([0, 0, 0.03], [0.4, 0.4, 0.4], (count, 3))
        made.append(Group(f"group {k}", shape, (Rotation.random(count, rng=rng), place)))
    return made


def test_teams_start_again_and_again():
    """The threads must agree on every decision: one that looked late once missed a meeting, and the others waited."""
    bodies = box(40)
    for _ in range(20):
        run(bodies, 0.01, threads=2)


@pytest.mark.parametrize(
    "bodies", [box(300), box(80, BARR), boxes_and_drum()], ids=["ellipsoids", "superellipsoids", "boxes in a drum"]
)
def test_threads_do_not_matter(bodies):
    """Bit by bit: motion, contacts, energies and the impact log."""
    runs = [run(bodies, 0.35, threads=threads) for threads in (1, 2, 5)]
    assert len(runs[0].contacts.at(-1)) > 15
    for other in runs[1:]:
        for name in EXACT:
            assert np.array_equal(getattr(runs[0], name), getattr(other, name))
        for name, energy in runs[0].energy.items():
            assert np.array_equal(energy, other.energy[name])
        for name in ("time", "body_a", "impulse", "dissipated", "energy"):
            assert np.array_equal(getattr(runs[0].impacts, name), getattr(other.impacts, name))
        assert np.array_equal(runs[0].contacts.force, other.contacts.force)
        assert {**runs[0].info, "warnings": 0} == {**other.info, "warnings": 0}


def test_skin_does_not_matter():
    """Until chaos amplifies the last digits: lists of all pairs, of few, and by default."""
    runs = [run(box(60), 0.16, **({"skin": skin} if skin else {})) for skin in (2.0, 0.002, None)]
    assert runs[0].info["lists_of_pairs"] == 1
    assert runs[1].info["lists_of_pairs"] > 20
    assert len(runs[0].contacts.at(-1)) > 10
    for other in runs[1:]:
        for name in EXACT:
            assert np.allclose(getattr(runs[0], name)[-1], getattr(other, name)[-1], rtol=0, atol=1e-7)


def test_the_skin_chooses_itself():
    """Fast bodies get lists that last; bodies at rest keep one list."""
    flying = [Group("g", tg.Sphere(0.05), (None, 0.3 * np.mgrid[:4, :4, :4].reshape(3, -1).T), velocity=[2, 0, 0])]
    fixed, free = (simulate(World(flying, gravity=(0, 0, 0), interaction=LAW), 0.5, "fast", step=5e-4, **skin)
                   for skin in ({"skin": 0.005}, {}))  # fmt: skip
    assert free.info["lists_of_pairs"] < 0.5 * fixed.info["lists_of_pairs"]
    at_rest = simulate(
        World([Group("g", tg.Sphere(0.1), (None, [[0, 0, 0], [1, 0, 0]]))], gravity=(0, 0, 0), interaction=LAW),
        1.0,
        "fast",
        step=1e-3,
    )
    assert at_rest.info["lists_of_pairs"] == 1
    assert at_rest.info["steps"] == 1000


def test_lanes_agree_with_the_robust_solver(monkeypatch):
    """Distances and normals of all pairs near contact, deep overlaps left out."""
    found, distances, bodies = [], [], mixed()
    for lanes in (True, False):
        if not lanes:
            monkeypatch.setattr(runner, "lane_addresses", lambda sort: (0, 0, 0, 0))
        stepper = FastRunner(Assembly(World(bodies, interaction=LAW)), step=1e-4, skin=0.03)
        stepper._prepare()
        found.append(listed(stepper))
        distances.append(np.where(touches(found[-1]), found[-1].rows[:, DISTANCE], slack(stepper) / SAFE_SHARE))
    assert np.array_equal(found[0].pairs, found[1].pairs)
    distance = np.stack(distances)
    near = (np.abs(distance) < 0.015).all(axis=0)
    kinds = Assembly(World(bodies, interaction=LAW)).shapes.sort[found[0].pairs[near]]
    assert np.bincount(5 * kinds.max(axis=1) + kinds.min(axis=1), minlength=20)[[6, 11, 12, 16, 17]].min() >= 4
    assert np.abs(np.diff(distance, axis=0))[0, near].max() < 1e-11
    assert np.abs(normals(found[0].rows) - normals(found[1].rows))[near].max() < 1e-6


LAWS = {
    "springs and bristles": LAW,
    "curvature, rolling": Interaction(
        forces.Hertz(materials=forces.Material(young=1e7, poisson=0.3)),
        forces.Tanh(coefficient=0.4, speed=0.1),
        forces.Rolling(rolling=2e-3, spinning=1e-3),
    ),
    "speed of impact": Interaction(
        forces.Flores(stiffness=1e5, restitution=0.6), forces.Coulomb(static=0.5, dynamic=0.3, peak_speed=0.1)
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("periodic", [None, ((0.0, 0.52), (0.0, 0.52), None)], ids=["", "periodic"])
def test_forces_in_lanes_are_those_of_single_contacts(law, periodic):
    """At the start contacts are evaluated one at a time, after a step in lanes; the step is too short to matter.

    The sums of the forces on all bodies follow from those of the contacts.
    """
    rng, bodies = np.random.default_rng(5), mixed()
    if law == "curvature, rolling":
        del bodies[1]  # the curvature of superellipsoids changes within a rounding error
    for k in range(1, len(bodies)):
        moving = {"velocity": rng.normal(size=(60, 3)), "angular_velocity": rng.normal(size=(60, 3)) * 20.0}
        bodies[k] = Group(bodies[k].name, bodies[k].shape, bodies[k].poses, density=1000.0, **moving)
    world = World(bodies, interaction=LAWS[law], gravity=(0, 0, -9.81), periodic=periodic)
    stepper = FastRunner(Assembly(world), step=1e-13, skin=0.03)
    tables = []
    for steps in (0, 1):
        stepper._run(steps)
        known = listed(stepper)
        tables.append([table[touches(known)] for table in (known.pairs, known.records)])
    (pairs, records), (pairs_after, after) = tables
    assert len(pairs) > 100
    assert np.array_equal(pairs, pairs_after)
    columns = [c for c in range(RECORD) if c not in (POWER, STORED)]  # which are not kept in lanes
    size = np.abs(records[:, columns]).max(axis=0)
    assert (np.abs(after - records)[:, columns] <= 1e-6 * size).all()
    y, owner, total = stepper._bodies.y, stepper.assembly.owner, np.zeros((len(stepper._bodies.y), 6))
    total[:, :3] = stepper.assembly.inertia[:, [0]] * np.array([0, 0, -9.81])
    for pair, record in zip(pairs, after):
        (i, j), f, torque = owner[pair], record[1:4], record[10:13]
        shift = np.zeros(3)
        if periodic is not None and i > 0:
            shift[:2] = -0.52 * np.floor((y[j, :2] - y[i, :2]) / 0.52 + 0.5)
        total[i] += *-f, *(np.cross(f, record[4:7] - y[i, :3]) - torque)
        total[j] += *f, *(np.cross(record[4:7] - shift - y[j, :3], f) + torque)
    assert np.abs(stepper._bodies.forces - total).max() < 1e-9 * np.abs(total).max()


@pytest.mark.filterwarnings("ignore:a body turned", "ignore:a body moved")
def test_balls_turn_as_by_five_rotations():
    """From a thousandth of a radian to two in every step: short angles are computed in lanes, others are not."""
    rng, count, h = np.random.default_rng(7), 70, 5e-4
    spin = rng.normal(size=(count, 3))
    spin *= (np.geomspace(2.0, 4000.0, count) / np.linalg.norm(spin, axis=1))[:, None]
    turn, place = Rotation.random(count, rng=rng), np.arange(count)[:, None] * [1.0, 0.0, 0.0]
    balls = Group("balls", tg.Sphere(np.full(count, 0.05)), (turn, place), angular_velocity=spin)
    result = simulate(World([balls], gravity=(0, 0, 0), interaction=LAW), 20 * h, "fast", step=h)
    for _ in range(20):
        own = turn.inv().apply(spin)
        for axis, part in ((0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)):
            small = Rotation.from_rotvec(part * h * own[:, [axis]] * np.eye(3)[axis])
            turn, own = turn * small, small.inv().apply(own)
    off = turn.inv() * Rotation.from_quat(result.quaternion[-1])
    assert off.magnitude().max() < 1e-11


def test_resumed_runs_have_the_same_bits(tmp_path):
    bodies = box(50)
    whole = run(bodies, 0.2)
    world, options = World(bodies, interaction=LAW), {"step": 5e-4, "output_interval": 0.05, "checkpoint_every": 1}
    simulate(world, 0.1, "fast", checkpoint=tmp_path / "run.npz", **options)
    resumed = simulate(world, 0.2, "fast", checkpoint=tmp_path / "run.npz", resume=True, threads=2, **options)
    for name in EXACT:
        assert np.array_equal(getattr(whole, name)[-1], getattr(resumed, name)[-1])


@pytest.mark.filterwarnings("ignore:friction between")  # a long step
def test_many_bodies_balance_their_energy():
    """A thousand ellipsoids fall on each other: kinetic, potential, elastic and dissipated energy add up."""
    rng, k = np.random.default_rng(3), np.arange(1000)
    place = 0.14 * np.stack([k % 10, k // 10 % 10, k // 100 + 1], axis=1)
    grains = Group("g", tg.Ellipsoid(rng.uniform(0.03, 0.06, (1000, 3))), (Rotation.random(1000, rng=rng), place))
    result = simulate(
        World([Body("ground", tg.HalfSpace([0, 0, 1])), grains], interaction=LAW), 0.3, "fast", step=5e-4, threads=2
    )
    total = result.mechanical_energy + result.energy["dissipated"]
    assert np.abs(total - total[0]).max() < 1e-5 * np.ptp(result.energy["gravitational"])
    assert len(result.contacts.at(-1)) > 200
    assert result.info["contacts_failed"] == 0
