"""The list of pairs of the fast mode, and the contacts of those that touch."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, World, simulate
from tangency.dynamics.assembly import Assembly
from tangency.dynamics.contact.columns import TOUCHING
from tangency.dynamics.fast.runner import FastRunner
from tangency.dynamics.fast.tables import COUNT, known_pairs, pair_lists, write_pairs
from tangency.dynamics.files import FileError

LAW = Interaction(forces.KelvinVoigt(stiffness=2e4, damping=20.0), forces.Bristle(static=0.5, stiffness=1e4))


def cloud(count, shape, seed, speed=3.0):
    """Bodies that fly towards the middle of a box with a floor, where they hit each other."""
    rng = np.random.default_rng(seed)
    k, row = np.arange(count), int(np.ceil(count ** (1 / 3)))
    place = 0.14 * (np.stack([k % row, k // row % row, k // row**2], axis=1) - 0.5 * (row - 1))
    place += rng.uniform(-0.01, 0.01, place.shape) + np.array([0, 0, 0.07 * row + 0.06])
    away = place - place.mean(axis=0)
    velocity = -speed * away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 0.1) + rng.normal(
        size=place.shape
    )
    made = shape(rng.uniform(0.03, 0.05, (count, 3)))
    grains = Group("g", made, (Rotation.random(count, rng=rng), place), velocity=velocity, density=1000.0)
    return World([Body("floor", tg.HalfSpace([0, 0, 1])), grains], interaction=LAW)


def spheres(radii):
    return tg.Sphere(radii[:, 0])


def started(world):
    stepper = FastRunner(Assembly(world), step=2e-4, skin=0.02, fixed_skin=False)
    stepper._prepare()
    return stepper


@pytest.mark.parametrize("count", [6, 40])
@pytest.mark.parametrize("seed", range(4))
def test_depths_of_contacts_that_begin(count, seed):
    """Against centres and radii: contacts are searched from a normal that is kept in single precision.

    Six spheres are solved one at a time, forty in lanes.
    """
    world = cloud(count, spheres, seed)
    run = simulate(world, 0.12, "fast", step=2e-4, output_interval=2e-4)
    radius, met, begun = world.bodies[1].shape.radius, set(), 0
    for frame in range(1, len(run)):
        now = run.contacts.at(frame)
        both = now.body_a > 0
        a, b, normal, depth = now.body_a[both], now.body_b[both], now.normal[both], now.depth[both]
        apart = run.position[frame, b] - run.position[frame, a]
        size = np.linalg.norm(apart, axis=1)
        assert np.abs(radius[a - 1] + radius[b - 1] - size - depth).max(initial=0.0) < 1e-15
        assert np.abs(apart / size[:, None] - normal).max(initial=0.0) < 1e-13
        pairs = set(zip(a.tolist(), b.tolist()))
        begun += len(pairs - met)
        met = pairs
    assert begun >= 3


@pytest.mark.parametrize("shape", [tg.Ellipsoid, lambda radii: tg.Superellipsoid(radii, epsilon=(0.7, 1.2))])
def test_few_pairs_have_contacts(shape):
    """Each pair has at most one row in the tables of contacts, which is its own, and those that never touched none."""
    stepper, touched = started(cloud(60, shape, 3)), set()
    for _ in range(60):
        stepper._run(10)
        lists, count = stepper._lists, int(stepper._numbers[COUNT])
        at = lists.contact_of[:count]
        met = at >= 0
        assert np.array_equal(np.sort(at[met]), np.arange(lists.used[0]))
        assert np.array_equal(lists.contacts.pairs[at[met]], lists.pairs[:count][met])
        touching = at[met][lists.contacts.memory[at[met], TOUCHING] != 0.0]
        touched |= set(map(tuple, lists.contacts.pairs[touching].tolist()))
        assert np.abs(np.linalg.norm(lists.guesses[:count], axis=1) - 1.0)[~met].max(initial=0.0) < 1e-6
    assert stepper.counts()["lists_of_pairs"] > 3
    assert len(touched) > 60
    assert 0 < lists.used[0] < 0.9 * count


def test_lists_as_one_row_for_each_pair():
    """Written and read again, the same."""
    stepper = started(cloud(60, tg.Ellipsoid, 4))
    stepper._run(400)
    lists, which = stepper._lists, np.arange(stepper._numbers[COUNT])
    known, other = known_pairs(lists, which), pair_lists(len(which), 61)
    write_pairs(other, known, lists.slack[which])
    assert 0 < other.used[0] <= lists.used[0]
    for before, after in zip(known, known_pairs(other, which)):
        assert np.array_equal(before, after)
    assert np.array_equal(other.slack, lists.slack[which])


def test_checkpoints_of_an_earlier_version(tmp_path):
    """They had one row for each pair, and other columns: refused with a sentence."""
    path, options = tmp_path / "run.npz", {"step": 2e-4, "output_interval": 0.01}
    world = cloud(8, tg.Ellipsoid, 5)
    simulate(world, 0.02, "fast", checkpoint=path, **options)
    with np.load(path) as file:
        arrays = dict(file)
    before = path.read_bytes()
    for ending in ("met", "labels"):
        (left_out,) = [name for name in arrays if name.endswith(ending)]
        np.savez(path, **{name: table for name, table in arrays.items() if name != left_out})
        with pytest.raises(FileError, match=r"run\.npz: .*written by another version of tangency"):
            simulate(world, 0.04, "fast", checkpoint=path, resume=True, **options)
    path.write_bytes(before)
    whole = simulate(world, 0.04, "fast", **options)
    again = simulate(world, 0.04, "fast", checkpoint=path, resume=True, **options)
    assert np.array_equal(whole.position, again.position)
