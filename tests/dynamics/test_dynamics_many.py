"""Many bodies: poured into a box they settle, nobody escapes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, World, simulate

SIDE, SIZE = 0.45, 0.05


def poured(count, side=SIDE):
    """Superellipsoids above a box of half width `side`, one apart from the other."""
    rng = np.random.default_rng(1)
    walls = [([0, 0, 1], 0.0), ([1, 0, 0], -side), ([-1, 0, 0], -side), ([0, 1, 0], -side), ([0, -1, 0], -side)]
    bodies = [Body(f"wall {k}", tg.HalfSpace(n, d)) for k, (n, d) in enumerate(walls)]
    row = int((2 * side - 0.02) // 0.15)
    for k in range(count):
        place = np.array([k % row, k // row % row])
        centre = np.array([*((place + 0.5) * 2 * side / row - side), 0.1 + 0.14 * (k // row**2)])
        centre += rng.uniform(-0.005, 0.005, 3)
        shape = tg.Superellipsoid(rng.uniform(0.7, 1.3, 3) * SIZE, epsilon=rng.uniform(0.4, 1.2, 2))
        turn, spin = Rotation.random(rng=rng), rng.normal(size=3)
        bodies.append(Body(f"body {k}", shape, (turn, centre), density=1000.0, angular_velocity=spin))
    law = Interaction(
        forces.KelvinVoigt(stiffness=2e4, damping=60.0),
        forces.Bristle(static=0.5, stiffness=1e4, damping=20.0),
        forces.Rolling(rolling=1e-3, spinning=1e-3, speed=0.5),  # without it round bodies rock for long
    )
    return World(bodies, interaction=law)


def check(run, side):
    """At rest, inside, and all energy accounted for."""
    kinetic = run.energy["kinetic"]
    assert kinetic[-1] < 1e-4 * kinetic.max()
    low, high = run.centre_of_mass[-1, 5:].min(axis=0), run.centre_of_mass[-1, 5:].max(axis=0)
    assert (low > [-side, -side, 0.0]).all()
    assert (high[:2] < side).all()
    balance = run.mechanical_energy + run.energy["dissipated"]
    assert np.abs(balance / balance[0] - 1.0).max() < 1e-4
    assert run.info["contacts_failed"] == 0


def on_the_floor(run):
    """Force of the floor on the bodies, at the end."""
    last = run.contacts.at(-1)
    return last.force[last.body_a == 0, 2].sum()


def weight(world):
    return 9.81 * sum(body.mass_properties.mass for body in world.bodies if body.free)


def test_a_few_settle():
    world = poured(18, side=0.23)
    run = simulate(world, 3.0, "fast", output_interval=0.1, step=4e-4)
    check(run, 0.23)
    assert on_the_floor(run) == pytest.approx(weight(world), rel=0.1)  # friction on the walls carries some


@pytest.mark.full
def test_three_hundred_settle():
    world = poured(300)
    run = simulate(world, 4.0, "fast", output_interval=0.2, step=4e-4)
    check(run, SIDE)
    assert on_the_floor(run) < weight(world)


def test_few_bodies_move_as_among_many():
    """Contacts of few bodies are solved one at a time, those of many in lanes: bodies far away change nothing."""
    few, rng = 4, np.random.default_rng(5)
    place = np.array([[0.01 * k, 0.0, 0.12 + 0.25 * k] for k in range(few)])
    far = np.array([[5.0 * k, 50.0, 1.0] for k in range(8)])
    radii, epsilon = rng.uniform(0.07, 0.11, (few + 8, 3)), rng.uniform(0.6, 1.3, (few + 8, 2))
    law = Interaction(forces.KelvinVoigt(stiffness=2e4, damping=60.0))
    found = []
    for count in (few, few + 8):
        shape = tg.Superellipsoid(radii[:count], epsilon[:count])
        group = Group("eggs", shape, (None, np.concatenate([place, far])[:count]), density=1000.0)
        world = World([Body("floor", tg.HalfSpace([0, 0, 1])), group], interaction=law)
        run = simulate(world, 0.25, "fast", step=2e-4, output_interval=0.25)
        assert len(run.contacts.at(-1)) > 0
        found.append(run.position[-1, 1 : few + 1])
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-8)
