"""What bodies do in cavities and at endless walls (the contact itself: tests/contacts/test_cavity.py)."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from boxes_in_cones import beyond_endless, random_boxes
from gap_curvatures import gap_curvatures, touching
from tangency import forces
from tangency.dynamics import Body, Cavity, Interaction, Motion, Spring, World, simulate

HOLLOWS = {"box": tg.Box([0.5, 0.6, 0.7]), "capsule": tg.capsule(0.6, 0.5)}


@pytest.mark.parametrize("name", ["box", "capsule"])
def test_an_elastic_ball_keeps_its_energy(name):
    ball = Body("ball", tg.Sphere(0.1), (None, [0.1, 0.05, 0.0]), mass=1.0, velocity=[0.7, -0.4, 0.9])
    law = Interaction(forces.Hertz(stiffness=1e6))
    run = simulate(World([Body("wall", Cavity(HOLLOWS[name])), ball], interaction=law), 2.0, "fast", step=1e-4)
    energy = run.mechanical_energy
    assert run.energy["elastic"].max() > 0.0 or run.velocity[-1, 1] @ [0.7, -0.4, 0.9] < 1.0  # it has touched
    assert np.abs(energy / energy[0] - 1.0).max() < 2e-2
    assert run.info["contacts_failed"] == 0


def test_round_walls_have_the_curvature_of_a_contact():
    law = Interaction(forces.Hertz(stiffness=1.0))
    for hollow, place in ((tg.Cylinder(2.0, 3.0), [1.2, 0.3, 0.4]), (tg.Cone(1.0, 2.0, 4.0), [1.0, -1.5, 0.5])):
        wall, ball = tg.Cavity(hollow, ends=False), tg.Ellipsoid([0.3, 0.2, 0.4])
        place = touching(place, tg.contact(wall, ball, None, (None, place)))
        c = tg.contact(wall, ball, None, (None, place))
        world = World([Body("wall", wall), Body("ball", ball, (None, place))], interaction=law)
        np.testing.assert_allclose(gap_curvatures(world), c.relative_curvature.values, rtol=1e-4)


def test_in_the_corner_of_a_drum_both_walls_push():
    """A ball in a tilted drum rests on its side and on its bottom; by hand, each carries its part of the weight."""
    tilt, ball = np.radians(30.0), Body("ball", tg.Sphere(0.1), (None, [0.39, 0, -0.49]), mass=2.0)
    drum = Body("drum", [tg.Cavity(tg.Cylinder(0.5, 0.6))])
    law = Interaction(forces.KelvinVoigt(stiffness=1e5, damping=100.0))
    down = 9.81 * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    run = simulate(World([drum, ball], gravity=down, interaction=law), 2.0, "fast", step=2e-4)
    last = run.contacts.at(-1)
    assert last.shape_a.tolist() == [0, 0]  # one shape, two of its faces
    pushed = dict(zip(map(tuple, (last.normal.round(6) + 0.0).tolist()), last.normal_force))
    assert pushed[-1.0, 0.0, 0.0] == pytest.approx(2.0 * 9.81 * np.sin(tilt), rel=1e-4)
    assert pushed[0.0, 0.0, 1.0] == pytest.approx(2.0 * 9.81 * np.cos(tilt), rel=1e-4)
    assert run.info["contacts_failed"] == 0


def test_a_ball_slides_down_a_funnel_in_both_modes():
    funnel = Body("funnel", tg.Cavity(tg.Cone(0.15, 0.3, 0.6), ends=False))
    law = Interaction(forces.Hertz(stiffness=1e6))
    ball = Body("ball", tg.Sphere(0.1), (None, [0.2, 0.1, 0.1]), mass=1.0)
    world = World([funnel, ball], interaction=law)
    runs = [simulate(world, 0.3, mode, output_interval=0.1) for mode in ("accurate", "fast")]
    for run in runs:
        assert run.mechanical_energy[-1] == pytest.approx(run.mechanical_energy[0], rel=2e-3)
        assert run.position[-1, 1, 0] < 0.1  # pushed towards the axis
    np.testing.assert_allclose(runs[0].position[-1, 1], runs[1].position[-1, 1], atol=2e-3)


@pytest.mark.filterwarnings("ignore:.*half widths of the smaller one")
def test_motion_knows_the_tip():
    """The first contact of a short run is that of `contact`, also where a corner is past the tip."""
    cone, box, (turn, place), corners = random_boxes(np.random.default_rng(8), 300)
    past = beyond_endless(corners, *cone)
    tip = np.where(cone[0] > cone[2], 1.0, -1.0)
    some = np.flatnonzero((past.max(axis=1) > 0.2) & ((tip[:, None] * corners[..., 2]).max(axis=1) > 2.0 * cone[1]))
    law = Interaction(forces.KelvinVoigt(stiffness=1e-3, damping=0.0))
    for k in some[:6]:
        wall = tg.Cavity(tg.Cone(*(v[k] for v in cone)), ends=False)
        c = tg.contact(wall, tg.Box(box[k]), None, (turn[k], place[k]))
        bodies = [Body("wall", wall), Body("box", tg.Box(box[k]), (turn[k], place[k]), mass=1.0)]
        run = simulate(World(bodies, gravity=[0, 0, 0], interaction=law), 1e-4, "fast", step=1e-4)
        first = run.contacts.at(0)
        assert first.depth == pytest.approx(past[k].max(), abs=1e-6)
        np.testing.assert_allclose(first.normal[0], c.normal, atol=1e-4)


def test_a_plane_that_turns_meets_bodies_far_from_its_centre():
    ground = Body("ground", tg.HalfSpace([0, 0, 1]), mass=1e6, inertia=[1e6] * 3, angular_velocity=[0, -1.0, 0])
    ball = Body("ball", tg.Sphere(0.1), (None, [5, 0, 2]))
    law = Interaction(forces.HuntCrossley(stiffness=1e6, restitution=0.7))
    run = simulate(World([ground, ball], gravity=[0, 0, 0], interaction=law), 1.0, "fast", step=1e-4)
    assert run.velocity[-1, 1, 2] > 4.0  # thrown by a wall that comes at 5 m/s


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_velocities_of_a_motion_follow_from_its_poses(mode):
    def hammer(t, *speeds):
        return Motion((Rotation.from_euler("z", 3.0 * t), [0, 0, 2 - 2 * t]), *speeds)

    def run(motion):
        bodies = [Body("hammer", tg.Sphere(0.1), motion=motion), Body("ball", tg.Sphere(0.1), (None, [0, 0.02, 0]))]
        law = Interaction(forces.HuntCrossley(stiffness=1e5, restitution=0.7))
        options = {"step": 5e-4} if mode == "fast" else {"rtol": 1e-7}
        return simulate(World(bodies, gravity=[0, 0, 0], interaction=law), 1.0, mode, output_interval=0.1, **options)

    found, given = run(hammer), run(lambda t: hammer(t, [0, 0, -2.0], [0, 0, 3.0]))
    assert np.allclose(found.velocity[:, 0], [0, 0, -2.0], atol=1e-8)
    assert np.allclose(found.angular_velocity[:, 0], [0, 0, 3.0], atol=1e-6)
    assert found.velocity[-1, 1, 2] < -3.0  # hit
    assert np.allclose(found.velocity[-1, 1], given.velocity[-1, 1], rtol=1e-6, atol=1e-6)


def test_springs_of_moved_bodies_and_stiff_dampers():
    law = Interaction(forces.Hertz(stiffness=1e6))
    moved = Body("b", tg.Sphere(0.1), motion=lambda t: Motion((None, [1 + t, 0, 0])))
    walls = [Body("a", tg.Sphere(0.1), fixed=True), moved]
    ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 1]), mass=4.0)
    springs = [Spring("a", "b", stiffness=1e3), Spring("ball", None, stiffness=10.0, damping=1e4)]
    run = simulate(World([*walls, ball], interaction=law, springs=springs), 0.1, "fast", output_interval=0.1)
    assert np.isfinite(run.position).all()
    assert np.linalg.norm(run.velocity[-1, 2]) < 0.05  # the damper holds it
