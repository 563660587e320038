"""Long motions: energy, and the rattleback."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import rolling

EGG = tg.Superovoid([0.02, 0.021, 0.03], [2.2, 2.2, 2], taper_x=[1, 0.2, -0.02, 0], taper_y=[1, 0.15, -0.02, 0])

#: Kane and Levinson (1982): a slender ellipsoid whose axes of inertia are turned by 0.8 degrees.
RATTLEBACK = rolling.RollingBody(
    tg.Ellipsoid([0.2, 0.03, 0.02]),
    mass=1.0,
    inertia=1e-4 * np.array([[2.0, -0.2, 0.0], [-0.2, 16.0, 0.0], [0.0, 0.0, 17.0]]),
    centre_of_mass=[0, 0, -0.01],
)


def largest_change(values):
    return np.abs(values - values[0]).max() / np.abs(values).max()


FULL = pytest.mark.full


@pytest.mark.parametrize(
    ("name", "duration"),
    [
        ("ellipsoid", 20.0),
        pytest.param("ellipsoid", 100.0, marks=FULL),
        ("superovoid", 10.0),
        pytest.param("superovoid", 100.0, marks=FULL),
        ("rattleback", 5.0),
        pytest.param("rattleback", 100.0, marks=FULL),
    ],
)
def test_energy(name, duration):
    body, start, spin = {
        "ellipsoid": (rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1])), [0.3, 0.5, 0.1], [1.0, 2.0, 3.0]),
        "superovoid": (rolling.RollingBody(EGG, density=1030), [1.3, 0.5, 0.1], [1.0, 2.0, 3.0]),
        "rattleback": (RATTLEBACK, [0.01, 0.01, 0.0], [0.0, 0.0, -5.0]),
    }[name]
    run = body.simulate(Rotation.from_rotvec(start), spin, duration)
    assert (run.end, run.end_time) == ("time", duration)
    assert largest_change(run.energy) < 1e-9
    assert np.ptp(run.kinetic_energy) > 0.01 * run.kinetic_energy.max()


def reversal(spin, tilt):
    """Time at which the spin first changes its sign, and its extreme value of the other sign afterwards."""
    run = RATTLEBACK.simulate(Rotation.from_rotvec(tilt), [0, 0, spin], 6.0, samples=3001)
    other = np.sign(spin) * run.spin < 0.0
    return (run.time[other.argmax()] if other.any() else np.inf), np.abs(run.spin[other]).max(initial=0.0)


def test_rattleback_reverses():
    """Spun one way it starts to rattle, stops and turns back almost as fast; the other way it keeps its spin."""
    tilt = np.radians([0.5, 0.5, 0.0])
    time, back = reversal(-5.0, tilt)
    assert 2.5 < time < 3.0
    assert back > 4.0
    assert reversal(5.0, tilt) == (np.inf, 0.0)
    # The mirror image, with the product of inertia of the other sign, prefers the other direction.
    mirrored = rolling.RollingBody(
        RATTLEBACK.shape,
        mass=1.0,
        inertia=RATTLEBACK.mass_properties.inertia * np.array([[1, -1, 1], [-1, 1, 1], [1, 1, 1]]),
        centre_of_mass=[0, 0, -0.01],
    )
    run = mirrored.simulate(Rotation.from_rotvec(tilt * [1, -1, 1]), [0, 0, 5.0], 4.0, samples=2001)
    assert run.time[(run.spin < 0.0).argmax()] == pytest.approx(time, abs=2e-3)


def test_without_the_turned_inertia_nothing_reverses():
    body = rolling.RollingBody(RATTLEBACK.shape, mass=1.0, inertia=[2e-4, 16e-4, 17e-4], centre_of_mass=[0, 0, -0.01])
    run = body.simulate(Rotation.from_rotvec(np.radians([0.5, 0.5, 0.0])), [0, 0, -5.0], 4.0)
    assert run.spin.max() < -4.9


def test_pivoting():
    """A body that must not pivot keeps no spin about the normal; the torque that prevents it does no work."""
    body = rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1]), pivoting=False)
    run = body.simulate(Rotation.from_rotvec([0.3, 0.5, 0.1]), [1.0, 2.0, 0.0], 20.0)
    assert run.spin == pytest.approx(0.0, abs=1e-10)
    assert largest_change(run.energy) < 1e-10
    assert np.abs(run.torque).max() > 0.1
    # Euler's law about the centre of mass, with the torque
    h = run.time[1]
    run = body.simulate(Rotation.from_rotvec([0.3, 0.5, 0.1]), [1.0, 2.0, 0.0], 0.1, samples=101)
    h = run.time[1]
    turn, inertia = run.orientation.as_matrix(), body.mass_properties.inertia
    momentum = np.einsum("tij,jk,tlk,tl->ti", turn, inertia, turn, run.angular_velocity)
    rate = (momentum[:-4] - 8 * momentum[1:-3] + 8 * momentum[3:-1] - momentum[4:]) / (12 * h)
    moment = np.cross(run.contact - run.centre_of_mass, run.force) + run.torque[:, None] * [0, 0, 1]
    assert rate == pytest.approx(moment[2:-2], abs=1e-6 * np.abs(moment).max())


def test_does_not_depend_on_units():
    """The same motion in other units of length, time and mass."""
    start, spin = Rotation.from_rotvec([0.3, 0.5, 0.1]), np.array([1.0, 2.0, 3.0])
    run = rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1]), mass=2.0).simulate(start, spin, 3.0)
    for length, time, mass in ((1e-3, 1.0, 1e-6), (1e6, 1e3, 1e9)):
        gravity = [0, 0, -9.81 * length / time**2]
        radii = length * np.array([0.3, 0.2, 0.1])
        body = rolling.RollingBody(tg.Ellipsoid(radii), mass=2.0 * mass, gravity=gravity)
        same = body.simulate(start, spin / time, 3.0 * time)
        assert same.contact / length == pytest.approx(run.contact, abs=1e-9)
        assert same.force * (time**2 / length / mass) == pytest.approx(run.force, abs=1e-8)
