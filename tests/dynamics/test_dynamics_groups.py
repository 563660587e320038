"""Groups of many bodies: the same motion as of single bodies, laws by group, results, refusals."""

from time import process_time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, Load, Spring, World, load_trajectory, simulate
from tangency.dynamics.assembly import Assembly
from tangency.dynamics.law_table import first_pairs

LAW = Interaction(
    forces.KelvinVoigt(stiffness=2e4, damping=60.0), forces.Bristle(static=0.5, stiffness=1e4, damping=20.0)
)
GROUND = Body("ground", tg.HalfSpace([0, 0, 1]))
EXACT = ("position", "quaternion", "velocity", "angular_velocity")


def heap(count, seed=0):
    rng = np.random.default_rng(seed)
    place = 0.13 * (np.stack(np.unravel_index(np.arange(count), (4, 3, 3)), axis=1)) + [0, 0, 0.06]
    radii = rng.uniform(0.7, 1.3, (count, 3)) * 0.05
    return radii, Rotation.random(count, rng=rng), place, 0.1 * rng.normal(size=(2, count, 3))


def single(name, shapes, turn, place, rates, **options):
    rows = zip(shapes, turn, place, *rates)
    return [
        Body(f"{name}[{k}]", shape, (r, x), velocity=v, angular_velocity=w, **options)
        for k, (shape, r, x, v, w) in enumerate(rows)
    ]


@pytest.mark.parametrize("kind", ["ellipsoids", "one box", "off-centre"])
def test_a_group_moves_as_single_bodies(kind):
    """But for the last digits of the initial state, with walls before and after, and centres of mass off the origin."""
    radii, turn, place, rates = heap(30)
    stack = {
        "ellipsoids": tg.Ellipsoid(radii),
        "one box": tg.Box([0.05, 0.04, 0.03]),
        "off-centre": tg.Ellipsoid(radii).translate([0.01, 0.0, 0.02]),
    }[kind]
    shapes = [stack[k] for k in range(30)] if stack.batch_shape else [stack] * 30
    wall = Body("wall", tg.HalfSpace([1, 0, 0], -0.1))
    group = Group("g", stack, (turn, place), density=800, velocity=rates[0], angular_velocity=rates[1])
    worlds = [
        World([GROUND, *bodies, wall], interaction=LAW)
        for bodies in ([group], single("g", shapes, turn, place, rates, density=800))
    ]
    one, other = (Assembly(world) for world in worlds)
    for name in ("start", "inertia", "local", "reach", "bounds"):
        assert np.allclose(getattr(one, name), getattr(other, name), rtol=1e-14, atol=1e-17)
    runs = [simulate(world, 0.12, "fast", step=4e-4, output_interval=0.06) for world in worlds]
    assert runs[0].names == runs[1].names
    assert len(runs[0].impacts) > 8
    for name in EXACT:
        assert np.allclose(getattr(runs[0], name)[:2], getattr(runs[1], name)[:2], rtol=0, atol=1e-6)
    assert runs[0].group("g") == slice(1, 31)
    with pytest.raises(KeyError, match="no group 'ground'; there are g"):
        runs[0].group("ground")


def test_laws_by_group():
    """Bodies of a group pass through each other, fall through one plane and rest on another."""
    low = Body("low", tg.HalfSpace([0, 0, 1], -1.0))
    ghosts = Group("ghosts", tg.Sphere(0.1), (None, [[0, 0, 0.1], [0.05, 0, 0.1]]), density=100)
    solid = Group("solid", tg.Sphere(0.1), (None, [[1, 0, 0.1], [2, 0, 0.1]]), density=100)
    special = {("ghosts", "ghosts"): None, ("ground", "ghosts"): None}
    world = World([GROUND, low, ghosts, solid], interaction=LAW, interactions=special)
    run = simulate(world, 1.0, "fast", step=5e-4, output_interval=1.0)
    assert (run.position[-1, run.group("ghosts"), 2] < -0.85).all()
    assert (run.position[-1, run.group("solid"), 2] > 0.09).all()
    table = Assembly(world).law_table
    assert table.law_of.shape == (4, 4)
    assert table.between(np.array([2, 4, 2]), np.array([3, 5, 4])).tolist() == [-1, 0, 0]


def test_first_pairs_of_classes():
    """Against all pairs."""
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 5, 40):
        classes = rng.integers(4, size=n)
        first = {}
        for j in range(n):
            for i in range(j):
                first.setdefault((classes[i], classes[j]), (i, j))
        assert first_pairs(classes) == sorted(first.values(), key=lambda pair: (pair[1], pair[0]))


def test_many_single_bodies_share_their_laws():
    bodies = [Body(f"{k}", tg.Sphere(0.1), (None, [k, 0, 1])) for k in range(50)]
    table = Assembly(World([GROUND, *bodies], interaction=LAW)).law_table
    assert table.law_of.tolist() == [[-1, 0], [-1, 0]]


def test_materials_by_group():
    soft, hard = forces.Material(young=1e6, poisson=0.3), forces.Material(young=1e9, poisson=0.3)
    law = Interaction(lambda a, b: forces.Flores(materials=(a, b), restitution=0.6))
    place = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    groups = [Group(name, tg.Sphere(0.1), (None, place), material=m) for name, m in (("a", soft), ("b", hard))]
    table = Assembly(World(groups, interaction=law)).law_table
    assert len(table.entries) == 3
    assert sorted(table.law_of.ravel().tolist()) == [-1, 0, 1, 2]


def test_fixed_groups_and_files(tmp_path):
    bed = Group("bed", tg.Sphere(0.1), (None, [[0.2 * k, 0, 0] for k in range(5)]), fixed=True)
    drop = Group("drop", tg.Ellipsoid([[0.05, 0.04, 0.03]] * 2), (None, [[0.1, 0, 0.3], [0.5, 0, 0.3]]))
    world = World([bed, drop], interaction=LAW)
    run = simulate(world, 0.4, "fast", step=4e-4, output_interval=0.1)
    assert np.array_equal(run.position[-1, :5], run.position[0, :5])
    assert len(run.contacts.at(-1)) >= 2
    run.save(tmp_path / "run.npz")
    again = load_trajectory(tmp_path / "run.npz", world)
    assert again.names[5] == "drop[0]"
    assert len(again.pieces) == 7
    assert again.pieces[6][0].shape.radii.tolist() == [0.05, 0.04, 0.03]
    assert again.snapshots(2) is not None


def test_building_many_bodies_takes_seconds():
    rng = np.random.default_rng(2)
    start = process_time()
    place = 0.15 * np.stack(np.unravel_index(np.arange(100_000), (50, 50, 40)), axis=1)
    group = Group("g", tg.Ellipsoid(rng.uniform(0.03, 0.06, (100_000, 3))), (Rotation.random(100_000, rng=rng), place))
    assembly = Assembly(World([GROUND, group], interaction=LAW))
    assert len(assembly.names) == 100_001
    assert process_time() - start < 8.0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Group("g", tg.HalfSpace([0, 0, 1]), (None, [[0, 0, 0]])), "shape must be a bounded Shape"),
        (
            lambda: Group("g", tg.Sphere(1.0), (None, [0, 0, 0])),
            r"poses must be a stack of shape \(N,\).*got shape \(\)",
        ),
        (lambda: Group("g", tg.Sphere(np.zeros(0)), None), r"shape must have at least one body, got .*\(0,\)"),
        (lambda: Group("g", tg.Sphere(1.0), (None, np.zeros((0, 3)))), r"poses must be .*, N > 0, .*got shape \(0,\)"),
        (lambda: Group("g", tg.Sphere([1.0, 2.0]), (None, np.zeros((3, 3)))), r"one per pose \(3\).*shape \(2,\)"),
        (lambda: Group("g", tg.Sphere(1.0), (None, np.zeros((2, 3))), density=-1), "density must be > 0, got -1"),
        (lambda: Group("g", tg.Sphere(1.0), (None, np.zeros((2, 3))), velocity=[[1, 2, 3]] * 3), r"velocity must have"),
        (lambda: Group("g", tg.Sphere(1.0), (None, np.zeros((2, 3))), velocity=[1, 0, 0], fixed=True), "must be zero"),
        (
            lambda: Group("g", tg.Sphere(1.0), (None, np.zeros((2, 3))), velocity=[1e9, 0, 0]),
            "below the speed of light",
        ),
        (lambda: Group("g", tg.Sphere(1.0), (None, np.zeros((2, 3))), mass=1), "unexpected keyword argument 'mass'"),
    ],
)
def test_refused_groups(make, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        make()


def test_refused_worlds():
    balls = Group("g", tg.Sphere(0.1), (None, [[0, 0, 1], [1, 0, 1]]))
    with pytest.raises(ValueError, match="names of bodies must differ, got 'g' 2 times"):
        World([balls, Body("g", tg.Sphere(1.0))])
    with pytest.raises(ValueError, match=r"names of bodies must differ, got 'g\[1\]' 2 times"):
        World([balls, Body("g[1]", tg.Sphere(1.0))])
    with pytest.raises(ValueError, match="springs must name single bodies, got the group 'g'"):
        World([balls], interaction=LAW, springs=[Spring("g", None, stiffness=1.0)])
    with pytest.raises(ValueError, match="loads must name single bodies, got the group 'g'"):
        World([balls], interaction=LAW, loads=[Load("g", lambda t, s: s.velocity)])
    with pytest.raises(ValueError, match="bodies 'g' and 'g' may touch, but no law is given"):
        simulate(World([balls]), 1.0, "fast")
    with pytest.raises(ValueError, match="threads must be a whole number >= 1, got 0"):
        simulate(World([balls], interaction=LAW), 1.0, "fast", threads=0)
    with pytest.raises(ValueError, match="threads must not be given in mode 'accurate'"):
        simulate(World([balls], interaction=LAW), 1.0, threads=2)


def test_every_body_of_a_stack_must_be_convex():
    """Also where the constructor was told not to check."""
    dented = tg.from_support("1 + t*nz**3", t=np.array([0.01, 0.01, 0.6]), check=False)
    with pytest.raises(tg.ShapeError, match=r"group 'g': shape must describe a convex body.*body \(2,\)"):
        Group("g", dented, (None, 5.0 * np.eye(3)))
