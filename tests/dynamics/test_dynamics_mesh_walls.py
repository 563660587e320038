"""Walls of triangles: the same as planes and boxes where they are, no bumps at inner edges, nobody gets through."""

import math
import warnings

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, MeshWall, World, measures, simulate, steady_motion
from wall_meshes import CUBE, box, drum, sheet

GRIP = Interaction(
    forces.KelvinVoigt(stiffness=1e4, damping=10.0), forces.Bristle(static=0.3, stiffness=4e3, damping=40.0)
)
DAMPED = Interaction(forces.KelvinVoigt(stiffness=1e4, damping=20.0))
SMOOTH = Interaction(forces.KelvinVoigt(stiffness=1e4, damping=0.0))
PILL = tg.Superellipsoid([0.06, 0.05, 0.04], epsilon=(0.7, 0.8))
SLIDING = Interaction(forces.KelvinVoigt(stiffness=1e4, damping=10.0), forces.Tanh(coefficient=0.3, speed=0.05))


def from_points(x, a, b, c):
    """Distance of points (N, 3) from one triangle, by its interior and its three edges."""
    n = np.cross(b - a, c - a)
    foot = x - ((x - a) @ n)[:, None] * n / (n @ n)
    inside = np.ones(len(x), bool)
    best = np.full(len(x), np.inf)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.cross(q - p, foot - p) @ n >= 0.0
        t = np.clip((x - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(x - p - t[:, None] * (q - p), axis=1))
    return np.where(inside, np.linalg.norm(x - foot, axis=1), best)


def first_contacts(shape, poses, wall, **options):
    """Contacts of many bodies, which ignore each other, with a wall."""
    bodies = [Body("wall", wall, options.pop("pose", None)), Group("grains", shape, poses)]
    world = World(bodies, pairs=[("wall", "grains")], interaction=SMOOTH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # about contacts that end in the only step
        return simulate(world, 1e-6, "fast", step=1e-6, **options).contacts.at(0)


WALLS = {
    "cube": lambda rng: (CUBE, ConvexHull(CUBE).simplices),
    "ball": lambda rng: (lambda p: (p, ConvexHull(p).simplices))(Rotation.random(150, rng=rng).apply([1.0, 0, 0])),
    "hills": lambda rng: sheet(rng, 120, lambda x, y: 0.3 * np.sin(3 * x) * np.cos(4 * y)),
    "spikes": lambda rng: sheet(rng, 60, lambda x, y: rng.uniform(-0.4, 0.4, x.shape)),
    "three sheets at an edge": lambda rng: (
        np.array([[-1.0, 0, 0], [1, 0, 0], [0, 1, 0.2], [0.1, -1, 0.3], [0, 0.2, -1.2]]),
        [[0, 1, 2], [0, 1, 3], [0, 1, 4]],
    ),
}


@pytest.mark.parametrize("name", WALLS)
def test_balls_touch_the_nearest_point(name):
    # The depth of a ball is its radius minus the distance of its centre from the nearest triangle.
    rng = np.random.default_rng(3)
    points, triangles = WALLS[name](rng)
    corners = np.asarray(points)[np.asarray(triangles)]
    radius, count = 0.12, 600
    shares = rng.dirichlet([0.6, 0.6, 0.6], count)[:, :, None]  # many near edges and corners
    centre = (shares * corners[rng.integers(len(corners), size=count)]).sum(axis=1)
    centre += radius * rng.uniform(0.5, 1.3, (count, 1)) * Rotation.random(count, rng=rng).apply([0, 0, 1])
    nearest = np.min([from_points(centre, *corner) for corner in corners], axis=0)
    keep = nearest > 0.5 * radius  # deeper in sharp pits, the planes of faces may be nearer than the faces
    centre, nearest = centre[keep], nearest[keep]
    found = first_contacts(tg.Sphere(radius), (None, centre), MeshWall(points, triangles))
    deepest = np.full(len(centre), -np.inf)
    np.maximum.at(deepest, found.body_b - 1, found.depth)
    np.testing.assert_allclose(deepest[nearest < radius], (radius - nearest)[nearest < radius], atol=1e-11)
    assert (deepest[nearest > radius] == -np.inf).all()
    away = centre[found.body_b - 1] - found.point
    np.testing.assert_allclose(away, (np.linalg.norm(away, axis=1))[:, None] * found.normal, atol=1e-11)


def test_a_box_of_triangles_is_a_box():
    rng, count = np.random.default_rng(5), 500
    half, radii = np.array([0.5, 0.4, 0.3]), np.array([0.2, 0.15, 0.1])
    turn = Rotation.random(count, rng=rng)
    n = Rotation.random(count, rng=rng).apply([0, 0, 1])
    n[::4] = np.round(n[::4])  # some on faces
    n = n / np.linalg.norm(n, axis=1, keepdims=True)
    egg, body = tg.Ellipsoid(radii), tg.Box(half)
    # The body's point with the normal -n lies at the depth 0.01 below a point of the box with the normal n.
    on_box = np.where(n == 0.0, rng.uniform(-0.9, 0.9, n.shape) * half, np.sign(n) * half)
    place = on_box - 0.01 * n - turn.apply(egg.point(turn.inv().apply(-n)))
    pose = (Rotation.from_rotvec([0.3, -0.5, 0.2]), [1.0, 2.0, 3.0])
    placed = (pose[0] * turn, pose[0].apply(place) + pose[1])
    mesh = first_contacts(egg, placed, box(half), pose=pose)
    true = first_contacts(egg, placed, body, pose=pose)
    assert (len(true), len(mesh)) == (count, count)
    own, order = np.argsort(mesh.body_b), np.argsort(true.body_b)  # contacts are sorted by patches
    np.testing.assert_allclose(mesh.depth[own], true.depth[order], atol=1e-10)
    np.testing.assert_allclose(mesh.normal[own], true.normal[order], atol=1e-6)
    np.testing.assert_allclose(mesh.point[own], true.point[order], atol=1e-6)


def rolling(floor, shape, law=SLIDING, **options):
    turn = Rotation.from_rotvec([0.3, 0.2, 0.1])
    high = float(shape.support(turn.inv().apply([0, 0, -1]))) - 1e-4
    start = {"velocity": [1.5, 0.4, 0.0], "angular_velocity": [0.0, 10.0, 3.0]}
    body = Body("body", shape, (turn, [-0.6, -0.2, high]), **start)
    return simulate(World([Body("floor", floor, fixed=True), body], interaction=law), 0.5, "fast", step=2e-4, **options)


@pytest.mark.parametrize("shape", [tg.Sphere(0.05), tg.Ellipsoid([0.07, 0.05, 0.04]), tg.capsule(0.03, 0.04), PILL])
def test_a_plane_of_triangles_is_a_half_space(shape):
    wall = MeshWall(*sheet(np.random.default_rng(0), 250))
    mesh, plane = (rolling(floor, shape, output_interval=0.02) for floor in (wall, tg.HalfSpace([0, 0, 1])))
    assert np.abs(mesh.position[-1, 1, :2] - mesh.position[0, 1, :2]).max() > 0.4  # over dozens of edges
    for name in ("position", "quaternion", "velocity", "angular_velocity"):
        np.testing.assert_allclose(getattr(mesh, name), getattr(plane, name), atol=1e-12, rtol=0.0)


def test_friction_keeps_its_memory_over_edges():
    # Stiff bristles amplify rounding errors; a bristle that began anew at an edge would be seen in the third digit.
    wall = MeshWall(*sheet(np.random.default_rng(0), 250))
    mesh, plane = (
        rolling(floor, tg.Sphere(0.05), GRIP, output_interval=0.02) for floor in (wall, tg.HalfSpace([0, 0, 1]))
    )
    np.testing.assert_allclose(mesh.position, plane.position, atol=1e-9, rtol=0.0)
    np.testing.assert_allclose(mesh.contacts.force, plane.contacts.force, atol=1e-6, rtol=0.0)
    assert len(mesh.impacts) == len(plane.impacts)


def test_triangle_by_triangle_the_same_floor_has_bumps():
    # What the test above would find if every triangle were a body of its own.
    points, triangles = sheet(np.random.default_rng(0), 20)
    floor = [tg.Hull(points[corners]) for corners in triangles]
    naive, plane = (rolling(wall, tg.Sphere(0.05), SMOOTH) for wall in (floor, tg.HalfSpace([0, 0, 1])))
    assert np.abs(naive.position[-1, 1] - plane.position[-1, 1]).max() > 1e-3


def test_energy_is_conserved_over_convex_and_concave_edges():
    # An elastic ball without friction hops along a valley between hills: nothing is lost at any edge.
    rng = np.random.default_rng(8)
    wall = MeshWall(*sheet(rng, 500, lambda x, y: 0.2 * y**2 + 0.05 * np.cos(6 * x)))
    ball = Body("ball", tg.Sphere(0.1), (None, [-0.8, 0.15, 0.3]), velocity=[0.8, 0.0, 0.0])
    run = simulate(World([Body("wall", wall), ball], interaction=SMOOTH), 1.5, "fast", step=5e-5, output_interval=0.01)
    energy = run.mechanical_energy
    assert len(run.impacts) > 3
    # Depths have kinks at concave edges, where a step has an error of first order.
    assert np.abs(energy - energy[0]).max() < 2e-3 * run.energy["gravitational"].max()


def test_a_ball_rolls_over_the_edge_of_a_table():
    # At the edge it turns about the contact point: it lifts off where the normal force m g cos(a) - m v^2 / r ends.
    table = box([0.5, 0.3, 0.2])
    ball = Body("ball", tg.Sphere(0.05), (None, [0.48, 0.0, 0.25]), velocity=[0.15, 0, 0], angular_velocity=[0, 3.0, 0])
    law = Interaction(forces.KelvinVoigt(stiffness=1e5, damping=30.0), forces.Tanh(coefficient=0.9, speed=0.01))
    run = simulate(World([Body("table", table), ball], interaction=law), 0.6, "fast", step=2e-5, output_interval=0.002)
    frame = int(np.flatnonzero(np.diff(run.contacts.first) == 0)[0]) - 1  # the last one with a contact
    normal, v0 = run.contacts.at(frame).normal[0], 0.15
    # Rolling: 0.7 v^2 = 0.7 v0^2 + g r (1 - cos a), and v^2 = g r cos a.
    cosine = (1.0 + 0.7 * v0**2 / (9.81 * 0.05)) / 1.7
    assert normal[2] == pytest.approx(cosine, abs=0.02)
    assert normal[0] == pytest.approx(math.sqrt(1.0 - normal[2] ** 2), abs=1e-9)
    assert run.velocity[frame, 1, 0] > 0.15
    assert (np.diff(run.contacts.first)[: frame + 1] <= 1).all()  # never two at once


def test_a_ball_in_a_groove_touches_both_sides():
    slope, radius, mass = math.radians(35.0), 0.05, 0.3
    t, s = math.tan(slope), np.array([-1.0, 1.0])
    points = [[x, y, abs(x) * t] for y in s for x in (-1.0, 0.0, 1.0)]
    groove = MeshWall(points, [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])
    height = radius / math.cos(slope)
    ball = Body("ball", tg.Sphere(radius), (None, [0.0, 0.0, height]), mass=mass)
    run = simulate(World([Body("groove", groove), ball], interaction=DAMPED), 0.5, "fast", step=1e-4)
    found = run.contacts.at(-1)
    assert len(found) == 2
    # Two normals at the slope carry the weight: 2 N cos(slope) = m g.
    force = mass * 9.81 / (2.0 * math.cos(slope))
    np.testing.assert_allclose(found.normal_force, force, rtol=1e-3)
    np.testing.assert_allclose(np.sort(found.normal[:, 0]), math.sin(slope) * s, atol=1e-9)
    np.testing.assert_allclose(run.position[-1, 1, 2], height - force / 1e4 / math.cos(slope), atol=1e-6)


def test_a_capsule_lies_on_many_triangles():
    wall = MeshWall(*sheet(np.random.default_rng(1), 250))
    lie = Rotation.from_euler("z", 0.3) * Rotation.from_euler("x", 90, degrees=True)
    body = Body("body", tg.capsule(0.03, 0.1), (lie, [0.05, 0.03, 0.03 - 1e-4]), density=1000)
    runs = [simulate(World([Body("floor", floor), body], interaction=GRIP), 0.3, "fast", step=2e-4)
            for floor in (wall, tg.HalfSpace([0, 0, 1]))]  # fmt: skip
    np.testing.assert_allclose(runs[0].position, runs[1].position, atol=1e-9)
    np.testing.assert_allclose(runs[0].quaternion, runs[1].quaternion, atol=1e-9)


def test_a_capsule_reaches_over_the_edge_of_a_table():
    lie = Rotation.from_euler("y", 90, degrees=True)
    body = Body("body", tg.capsule(0.03, 0.1), (lie, [0.24, 0.02, 0.2 + 0.03 - 1e-4]), density=1000)
    ends = [
        simulate(World([Body("table", table, fixed=True), body], interaction=GRIP), 0.3, "fast", step=2e-4).position
        for table in (box([0.3, 0.25, 0.2]), tg.Box([0.3, 0.25, 0.2]))
    ]
    np.testing.assert_allclose(ends[0][-1, 1], ends[1][-1, 1], atol=1e-3)


def many(wall, count=40, seed=2, **options):
    rng = np.random.default_rng(seed)
    shape = tg.Ellipsoid(rng.uniform(0.018, 0.03, (count, 3)))
    places = tg.broadphase.scatter(shape, [-0.17, -0.09, -0.17], [0.17, 0.09, 0.17], seed=seed)
    grains = Group("grains", shape, places, density=2000)
    law = Interaction(forces.KelvinVoigt(stiffness=2e4, damping=3.0), forces.Bristle(static=0.5, stiffness=1e4))
    return World([Body("drum", wall, motion=steady_motion(angular_velocity=[0, 3.0, 0])), grains], interaction=law)


def test_grains_in_a_turning_drum(tmp_path):
    points, triangles = drum()
    world = many(MeshWall(points, triangles))
    options = {"step": 1e-4, "output_interval": 0.05}
    run = simulate(world, 0.4, "fast", threads=1, **options)
    x, y, z = np.moveaxis(run.centre_of_mass[:, 1:], -1, 0)
    assert ((np.hypot(x, z) < 0.3) & (np.abs(y) < 0.1)).all()  # nobody escapes
    assert abs(x[-1].mean()) > 0.005  # the drum carries them along
    assert run.info["contacts_failed"] == 0
    # Neither the order and the orientation of the triangles nor threads change a bit.
    rng = np.random.default_rng(0)
    order, names = rng.permutation(len(triangles)), rng.permutation(len(points))
    mixed = np.argsort(names)[triangles][order][:, [2, 0, 1]]
    mixed[::3] = mixed[::3, ::-1]
    other = simulate(many(MeshWall(points[names], mixed)), 0.2, "fast", threads=2, **options)
    frames = len(other)
    assert len(other.impacts) > 20
    assert np.array_equal(run.position[:frames], other.position)
    assert np.array_equal(run.quaternion[:frames], other.quaternion)
    # A run that is resumed goes on as if it had not ended.
    path = tmp_path / "drum.npz"
    simulate(world, 0.1, "fast", checkpoint=path, **options)
    resumed = simulate(world, 0.2, "fast", checkpoint=path, resume=True, **options)
    assert np.array_equal(run.position[:frames], resumed.position)
    assert np.array_equal(other.impacts.body_b, resumed.impacts.body_b)


def test_a_drum_of_triangles_tends_to_a_cylinder():
    egg = Body("egg", tg.Ellipsoid([0.05, 0.04, 0.03]), (None, [0.15, 0.02, -0.2]), density=1000)

    def end(wall, turn):
        world = World([Body("drum", wall, (turn, [0, 0, 0]), fixed=True), egg], interaction=SLIDING)
        return simulate(world, 0.4, "fast", step=1e-4).position[-1, 1]

    smooth = end(tg.Cavity(tg.Cylinder(0.3, 0.1)), Rotation.from_euler("x", 90, degrees=True))
    errors = [np.abs(end(MeshWall(*drum(sectors)), None) - smooth).max() for sectors in (24, 96, 384)]
    assert errors[0] > 1e-2
    assert errors[1] < 2e-3
    assert errors[2] < 2e-4


def test_energy_over_edges_and_corners_is_that_of_a_solid_box():
    # Thrown onto the table, with and without hitting its edges and corners; nothing is damped.
    rng, count, half = np.random.default_rng(1), 30, [0.3, 0.25, 0.1]
    places = np.column_stack([rng.uniform(-0.3, 0.3, (count, 2)), rng.uniform(0.18, 0.24, count)])
    speed = np.column_stack([rng.normal(0, 0.4, (count, 2)), np.full(count, -1.0)])
    pose = Rotation.random(count, rng=rng), places
    for shape in (tg.Ellipsoid([0.05, 0.04, 0.03]), tg.Superellipsoid([0.05, 0.04, 0.03], epsilon=(0.5, 0.7))):
        grains, energy = Group("grains", shape, pose, velocity=speed, density=1000), []
        for table in (box(half), tg.Box(half)):
            world = World([Body("table", table, fixed=True), grains], pairs=[("table", "grains")], interaction=SMOOTH)
            run = simulate(world, 0.2, "fast", step=1e-4, output_interval=0.01)
            energy.append(run.mechanical_energy / run.mechanical_energy[0] - 1.0)
        assert np.abs(energy[0]).max() < 1e-4
        np.testing.assert_allclose(energy[0], energy[1], atol=1e-8)


def test_fast_balls_do_not_pass():
    # 8 mm each step, and an impact 17 mm deep by energy: together less than the radius, 50 mm.
    wall, rng, count = MeshWall(*sheet(np.random.default_rng(2), 60)), np.random.default_rng(3), 40
    places = np.column_stack([rng.uniform(-0.8, 0.8, (count, 2)), np.full(count, 0.3)])
    speed = np.tile([1.0, 0.0, -40.0], (count, 1))
    grains = Group("grains", tg.Sphere(0.05), (None, places), velocity=speed, density=1000)
    law = Interaction(forces.KelvinVoigt(stiffness=3e6, damping=100.0))
    world = World([Body("wall", wall), grains], pairs=[("wall", "grains")], interaction=law)
    run = simulate(world, 0.02, "fast", step=2e-4)
    assert (run.position[-1, 1:, 2] > 0.05).all()
    assert (run.velocity[-1, 1:, 2] > 0.0).all()


@pytest.mark.parametrize("shape", [tg.Box([0.05, 0.04, 0.03]), tg.Hull(0.05 * CUBE)])
def test_bodies_with_faces_are_refused(shape):
    bodies = Body("drum", MeshWall(*drum())), Body("ball", tg.Sphere(0.01), (None, [0.2, 0, 0])), Body("brick", shape)
    message = "shape of 'brick' must not have flat faces to touch the mesh wall 'drum'"
    for options in ({"mode": "fast", "step": 1e-4}, {"mode": "accurate"}):
        with pytest.raises(ValueError, match=message):
            simulate(World(bodies, interaction=SMOOTH), 0.1, **options)
    simulate(World(bodies, pairs=[("drum", "ball")], interaction=SMOOTH), 1e-3, "fast", step=1e-4)


def test_nobody_leaves_a_box_of_triangles():
    rng, half = np.random.default_rng(6), np.array([0.15, 0.12, 0.1])
    shape = tg.Superellipsoid(rng.uniform(0.02, 0.03, (20, 3)), epsilon=(0.5, 0.7))
    grains = Group(
        "grains", shape, tg.broadphase.scatter(shape, -0.95 * half, 0.95 * half, seed=1),
        velocity=rng.normal(scale=1.0, size=(20, 3)), angular_velocity=rng.normal(scale=10.0, size=(20, 3)),
    )  # fmt: skip
    law = Interaction(forces.KelvinVoigt(stiffness=2e4, damping=0.5), forces.Tanh(coefficient=0.3, speed=0.05))
    run = simulate(
        World([Body("box", box(half)), grains], interaction=law), 0.3, "fast", step=5e-5, output_interval=0.01
    )
    assert (np.abs(run.centre_of_mass[:, 1:]) < half).all()
    assert measures.network(run, frame=-1).force.shape[1] == 3


@pytest.mark.parametrize("shape", [tg.Sphere(0.05), tg.Ellipsoid([0.07, 0.05, 0.04]), PILL])
def test_the_accurate_mode_has_the_same_walls(shape):
    wall = MeshWall(*sheet(np.random.default_rng(0), 12))
    start = {"velocity": [1.0, 0.3, 0], "angular_velocity": [0, 4, 0]}
    body = Body("body", shape, (None, [-0.3, 0.1, 0.06]), **start)
    law = Interaction(forces.KelvinVoigt(stiffness=1e4, damping=5.0), forces.Tanh(coefficient=0.2, speed=0.05))
    ends = [simulate(World([Body("floor", floor), body], interaction=law), 0.2).position[-1, 1]
            for floor in (wall, tg.HalfSpace([0, 0, 1]))]  # fmt: skip
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_the_accurate_mode_conserves_energy_over_edges():
    # Over the edge of a table, which belongs to two patches, and over a ridge and a furrow inside of one.
    ridge = MeshWall([[x, y, 0.1 * abs(abs(x) - 0.15)] for y in (-1.0, 1.0) for x in (-1.0, -0.15, 0.0, 0.15, 1.0)],
                     [[k, k + 1, k + 5] for k in range(4)] + [[k + 1, k + 6, k + 5] for k in range(4)])  # fmt: skip
    for wall, place, speed in ((box([0.5, 0.3, 0.2]), [0.44, 0.0, 0.25], 0.8), (ridge, [-0.3, 0.0, 0.1], 1.0)):
        egg = Body("egg", tg.Ellipsoid([0.06, 0.05, 0.045]), (None, place), velocity=[speed, 0.1, -0.2])
        run = simulate(World([Body("wall", wall), egg], interaction=SMOOTH), 0.4, output_interval=0.01)
        energy = run.mechanical_energy
        assert len(run.impacts) > 0
        assert np.abs(energy - energy[0]).max() < 1e-6 * energy[0]
