"""Periodic boundaries: explicit images, moving the boundary, energy and momentum, walls, refusals."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, Motion, Spring, World, load_trajectory, simulate
from tangency.dynamics.periodic import nearest_images

ELASTIC = Interaction(forces.KelvinVoigt(stiffness=2e4, damping=0.0))
ROUGH = Interaction(
    forces.KelvinVoigt(stiffness=2e4, damping=20.0), forces.Bristle(static=0.5, stiffness=1e4, damping=10.0)
)
STEEL = Interaction(
    lambda a, b: forces.Flores(materials=(a, b), restitution=0.7), forces.Tanh(coefficient=0.1, speed=0.5)
)
L = 0.6


def gas(shape, count, law, *, offset=0.0, periodic=((0, L),) * 3, material=None, seed=3):
    """Bodies that fly about in a periodic box."""
    rng = np.random.default_rng(seed)
    poses = tg.broadphase.scatter(shape, [0, 0, 0], [L, L, L], count, seed=seed)
    rates = rng.normal(size=(count, 3)), 5 * rng.normal(size=(count, 3))
    place = poses.translation + offset
    group = Group("g", shape, (poses.rotation, place), velocity=rates[0], angular_velocity=rates[1], material=material)
    return World([group], gravity=[0, 0, 0], interaction=law, periodic=periodic)


SHAPES = {
    "ellipsoids": (tg.Ellipsoid([0.06, 0.05, 0.04]), 60, ROUGH, None),
    "superellipsoids": (tg.Superellipsoid([0.06, 0.05, 0.04], epsilon=(0.5, 0.7)), 50, ROUGH, None),
    "boxes": (tg.Box([0.06, 0.05, 0.03]), 40, ROUGH, None),
    "materials": (tg.Ellipsoid([0.06, 0.05, 0.04]), 50, STEEL, forces.Material(young=1e8, poisson=0.3)),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_the_place_of_the_boundary_does_not_matter(kind):
    """Nor in which image a body starts: forces, patches and curvatures across a boundary are those inside."""
    shape, count, law, material = SHAPES[kind]
    rng = np.random.default_rng(1)
    offsets = [0.0, np.array([0.31, 0.17, 0.45]), L * rng.integers(-3, 4, (count, 3))]
    runs = [
        simulate(
            gas(shape, count, law, offset=offset, material=material), 0.06, "fast", step=2e-4, output_interval=0.02
        )
        for offset in offsets
    ]
    assert len(runs[0].impacts) > 15
    for run, offset in zip(runs[1:], offsets[1:]):
        # Patches of boxes amplify the last digits, with or without a periodic box.
        assert np.abs(run.position - runs[0].position - offset).max() < (1e-3 if kind == "boxes" else 1e-8)
        assert np.abs(run.velocity - runs[0].velocity).max() < (1e-1 if kind == "boxes" else 1e-5)
        assert len(run.impacts) == len(runs[0].impacts)


def test_against_explicit_images():
    """The bodies in the middle of 27 copies, as long as the outermost ones have not been felt."""
    world = gas(tg.Ellipsoid([0.08, 0.07, 0.05]), 30, ROUGH)
    inner = world["g"]
    shifts = L * np.array(sorted(itertools.product([0, 1, -1], repeat=3), key=lambda s: s != (0, 0, 0)))
    place = (inner.position + shifts[:, None]).reshape(-1, 3)
    turn = Rotation.concatenate([inner.rotation] * 27)
    rates = {name: np.tile(getattr(inner, name), (27, 1)) for name in ("velocity", "angular_velocity")}
    copies = World([Group("g", inner.shape, (turn, place), **rates)], gravity=[0, 0, 0], interaction=ROUGH)
    one, all_ = (simulate(w, 0.08, "fast", step=2e-4, output_interval=0.01) for w in (world, copies))
    assert np.abs(one.position - all_.position[:, :30]).max() < 1e-9
    assert np.abs(one.velocity - all_.velocity[:, :30]).max() < 1e-7
    crossing = 0
    for frame in range(1, len(one)):
        own, theirs = one.contacts.at(frame), all_.contacts.at(frame)
        crosses = np.abs(one.position[frame, own.body_a] - one.position[frame, own.body_b]).max(axis=1) > 0.5 * L
        crossing += crosses.sum()
        inner_pairs = (theirs.body_a < 30) & (theirs.body_b < 30)
        across = ((theirs.body_a < 30) | (theirs.body_b < 30)) & ~inner_pairs
        forces_inside = np.sort(theirs.normal_force[inner_pairs]), np.sort(own.normal_force[~crosses])
        assert np.allclose(*forces_inside, rtol=0.0, atol=2e-6)
        twice = np.repeat(np.sort(own.normal_force[crosses]), 2)  # across a boundary, once on either side
        assert np.allclose(np.sort(theirs.normal_force[across]), twice, rtol=0.0, atol=2e-6)
    assert crossing >= 5


def test_energy_momentum_threads_and_files(tmp_path):
    world = gas(tg.Ellipsoid([0.06, 0.05, 0.04]), 60, ELASTIC)
    run = simulate(world, 0.2, "fast", step=2e-4, output_interval=0.05, checkpoint=tmp_path / "a.npz")
    two = simulate(world, 0.2, "fast", step=2e-4, output_interval=0.05, threads=2)
    assert np.array_equal(run.position, two.position)
    energy = run.mechanical_energy
    assert np.abs(energy + run.energy["dissipated"] - energy[0]).max() < 1e-6 * energy[0]
    assert np.abs(run.velocity.sum(axis=1) - run.velocity[0].sum(axis=0)).max() < 1e-12
    assert len(run.impacts) > 100
    again = load_trajectory(tmp_path / "a.npz", world)
    assert again.periodic == ((0.0, L), (0.0, L), (0.0, L))
    inside = again.wrapped()
    assert (inside.centre_of_mass >= 0).all()
    assert (inside.centre_of_mass <= L).all()
    assert (run.centre_of_mass > L).any()
    assert np.abs(nearest_images(inside.position - run.position, run.periodic)).max() < 1e-12


def test_walls_and_a_tube():
    """Grains slide along a floor and a tube without end; the weight does work on the way."""
    floor, wall = Body("floor", tg.HalfSpace([0, 0, 1])), Body("wall", tg.HalfSpace([0, -1, 0], -1.0))
    place = np.array([[0.1, 0.2, 0.05], [0.4, 0.2, 0.05]])
    balls = Group("balls", tg.Sphere(0.05), (None, place), velocity=[3, 0, 0])
    world = World([floor, wall, balls], interaction=ELASTIC, periodic=((0, L), None, None))
    run = simulate(world, 0.5, "fast", step=2e-4, output_interval=0.1)
    assert np.allclose(run.position[-1, 2:, 0], place[:, 0] + 1.5)
    assert (run.contacts.at(-1).body_a == 0).sum() >= 1
    tube = Body("tube", tg.Cavity(tg.Cylinder(0.2, 0.5), ends=False))
    drop = Group("drop", tg.Sphere(0.05), (None, [[0.1, 0, 0], [0.1, 0.05, 0.3]]), velocity=[1, 0, 0])
    world = World([tube, drop], interaction=ELASTIC, periodic=(None, None, (0, L)))
    run = simulate(world, 1.0, "fast", step=2e-4, output_interval=0.1)
    assert np.allclose(run.position[-1, 1:, 2], run.position[0, 1:, 2] - 0.5 * 9.81)
    assert np.hypot(*run.position[:, 1:, :2].reshape(-1, 2).T).max() < 0.2
    balance = run.mechanical_energy + run.energy["dissipated"]
    assert np.ptp(balance) < 1e-6 * run.energy["kinetic"].max()


def test_local_damping_brings_bodies_to_rest():
    """And what it takes away counts as dissipated."""
    world = gas(tg.Ellipsoid([0.06, 0.05, 0.04]), 40, ELASTIC)
    floor = Body("floor", tg.HalfSpace([0, 0, 1]))
    heap = World(
        [floor, world["g"]],
        interaction=ELASTIC,
        local_damping=0.6,
        periodic=((0, L), (0, L), None),
        gravity=[0, 0, -9.81],
    )
    run = simulate(heap, 1.5, "fast", step=4e-4, output_interval=0.1)
    assert run.energy["kinetic"][-1] < 2e-3 * run.energy["kinetic"].max()
    balance = run.mechanical_energy + run.energy["dissipated"]
    assert np.ptp(balance) < 5e-6 * np.ptp(run.mechanical_energy)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda w: World(w, periodic=(0, 1)), "periodic must be .low, high. or None for each of the three axes"),
        (lambda w: World(w, periodic=((1, 0), None, None)), "periodic must have low < high for x"),
        (lambda w: World(w, periodic=("a", None, None)), "periodic must be .low, high. or None"),
        (lambda w: World(w, local_damping=1.0), "local_damping must be a number from 0 to below 1, got 1.0"),
    ],
)
def test_refused_arguments(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make([Body("ball", tg.Sphere(0.1))])


def test_refused_worlds():
    ball, box = Body("ball", tg.Sphere(0.1)), ((0, 1), None, (0, 1))

    def refused(sentence, *bodies, mode="fast", periodic=box, **options):
        world = World([ball, *bodies], interaction=ELASTIC, periodic=periodic, **options)
        with pytest.raises(ValueError, match=sentence):
            simulate(world, 0.01, mode)

    refused("periodic must be None in mode 'accurate'", mode="accurate")
    refused("local_damping must be 0 in mode 'accurate'", mode="accurate", periodic=None, local_damping=0.1)
    refused("along axes that a wall crosses, got x for the half-space 'w'", Body("w", tg.HalfSpace([0.1, 1, 0])))
    refused("along axes that a wall crosses, got z for the half-space 'w'", Body("w", tg.HalfSpace([0, 0, 1])))
    refused("with cavities.*got 'c'", Body("c", tg.Cavity(tg.Sphere(3.0))))
    refused("with cavities.*got 'c'", Body("c", tg.Cavity(tg.Cylinder(3.0, 1.0), ends=False)))
    refused("free half-spaces", Body("w", tg.HalfSpace([0, 1, 0]), mass=1.0, inertia=[1, 1, 1]))
    refused("at least as long as the two largest.*got 1 m along x; the largest is 'big'", Body("big", tg.Sphere(0.45)))
    turning = Body("w", tg.HalfSpace([0, 1, 0]), motion=lambda t: Motion((Rotation.from_rotvec([0, 0, t]), [0, -1, 0])))
    refused("along axes that a wall crosses, got x for the half-space 'w'", turning)


def test_springs_do_not_reach_across():
    """A spring from 0.1 to 0.9 is 0.8 long, although an image is 0.2 away."""
    bodies = [Body(f"{x}", tg.Sphere(0.05), (None, [x, 0, 0])) for x in (0.1, 0.9)]
    spring = Spring("0.1", "0.9", stiffness=10.0, length=0.8)
    world = World(bodies, gravity=[0, 0, 0], interaction=ELASTIC, springs=[spring], periodic=((0, 1), None, None))
    run = simulate(world, 0.01, "fast")
    assert run.energy["springs"].max() < 1e-20
