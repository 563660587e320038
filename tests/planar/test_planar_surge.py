"""Surge of a follower's spring, against brute-force integrations and the uniform spring."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tangency import forces, planar
from tangency.planar.cam.spring_flight import SpringFlight

CAM = planar.CamTappet(spring=2000.0, rest=0.01, spring_mass=0.02, friction=0.0, speed=150.0)


def uniform_spring(count, mass, stiffness, follower):
    """Frequencies of a spring of many equal masses, fixed at one end, with the follower's mass at the other [rad/s]."""
    k, m = stiffness * count, mass / count
    matrix = np.diag(np.full(count, 2 * k)) - np.diag(np.full(count - 1, k), 1) - np.diag(np.full(count - 1, k), -1)
    matrix[-1, -1] = k
    masses = np.full(count, m)
    masses[-1] = 0.5 * m + follower
    root = 1 / np.sqrt(masses)
    return np.sqrt(np.linalg.eigvalsh(matrix * root * root[:, None])[:2])


def own_frequencies(cam):
    flight = SpringFlight(cam, np.zeros(6), 0.0)
    return np.sort(np.abs(flight._rates.imag))[[0, 2]]


def test_frequencies_of_a_uniform_spring():
    """First mode with the follower: the third of the spring's mass; the surge close to pi sqrt(c / M) of a held end."""
    exact = uniform_spring(400, CAM.spring_mass, CAM.spring, CAM.mass)
    found = own_frequencies(CAM)
    assert found[0] == pytest.approx(exact[0], rel=5e-3)
    assert found[1] == pytest.approx(exact[1], rel=0.05)
    heavy = planar.CamTappet(spring=2000.0, spring_mass=0.02, mass=1e3)
    assert own_frequencies(heavy)[1] == pytest.approx(math.pi * math.sqrt(2000.0 / 0.02), rel=1e-3)
    assert CAM.whole_mass == pytest.approx(CAM.mass + 0.02 / 3)
    light = planar.CamTappet(spring=2000.0, rest=0.01)
    ratio = math.sqrt(light.mass / CAM.whole_mass)
    assert CAM.rigid_lift_off_speed() == pytest.approx(light.rigid_lift_off_speed() * ratio, rel=1e-12)


@pytest.mark.parametrize("ratio", [0.3, 0.6, 0.9])
def test_force_of_a_uniform_spring(ratio):
    """An eccentric moves a flat face by e cos(alpha): the force at the end of a uniform rod is c e k cot(k)."""
    c, mass, spring_mass, e, radius, damping = 2e4, 0.02, 0.05, 0.002, 0.02, 0.1
    speed = ratio * math.pi * math.sqrt(c / spring_mass)
    disc = planar.Circle(radius).translate([0.0, -e])
    cam = planar.CamTappet(
        planar.cam_motion(disc, planar.FlatFace()),
        speed=speed,
        mass=mass,
        spring=c,
        rest=20.0 * e * (1.0 + mass * speed**2 / c),
        spring_mass=spring_mass,
        surge_damping=damping,
        friction=0.0,
        restitution=0.2,
    )
    run = planar.run_cam(cam, 12.0)
    assert not run.events
    last = run.alpha >= run.alpha[-1] - 2 * np.pi
    alpha, force = run.alpha[last], run.forces.normal[last]
    first = 2 * np.trapezoid(force * np.exp(-1j * alpha), alpha) / (2 * np.pi)  # amplitude of the turn's harmonic
    k = ratio * math.pi  # of the rod; its first mode, held at both ends, is damped
    mode = [2 * k**4 / math.pi**2 / (math.pi**2 - k**2 + 2j * z * k * math.pi) for z in (0.0, damping)]
    exact = c * e * (k / math.tan(k) + mode[0] - mode[1]) - mass * speed**2 * e
    assert abs(first - exact) < 0.02 * abs(exact)


def test_flight_against_integration():
    """Follower and spring as two masses: 9 M / 2 pi^2 at two thirds of the spring, which is 3/2 c and 3 c."""
    c, m, big, zeta = CAM.spring, CAM.mass, CAM.spring_mass, CAM.surge_damping
    inner = 9 * big / (2 * math.pi**2)
    outer = m + big / 3 - 4 / 9 * inner
    drag = 2 * zeta * math.pi * math.sqrt(c / big) * inner

    def rates(_, y):
        x, v, z, w = y  # follower, inner mass
        slack = w - 2 / 3 * v
        a = -3 * c * (x - z) + 2 / 3 * drag * slack
        b = 3 * c * (x - z) - 1.5 * c * z - drag * slack
        return [v, a / outer, w, b / inner]

    ratio = math.pi / 3  # way of the inner mass over that of the middle of the spring, for the same kinetic energy
    start = np.array([0.02, 1.0, 0.3, 5.0, 1e-3, 0.2])
    first = [0.03, 1.0, 2 / 3 * 0.03 + ratio * 1e-3, 2 / 3 * 1.0 + ratio * 0.2]
    x, v, z, w = solve_ivp(rates, (0, 0.02), first, method="DOP853", rtol=1e-11, atol=1e-14).y[:, -1]
    state = SpringFlight(CAM, start, 0.5).state(0.52)
    exact = [x - 0.01, v, (z - 2 / 3 * x) / ratio, (w - 2 / 3 * v) / ratio]
    assert state[[0, 1, 4, 5]] == pytest.approx(exact, rel=1e-8, abs=1e-10)
    assert state[2:4] == pytest.approx([0.4, 5.0])


def test_run_against_integration():
    """A linear contact law without friction: follower and first mode of a uniform spring in SciPy."""
    law = forces.Hertz(stiffness=2e7, exponent=1.0)
    cam = replace(CAM, normal_law=law, surge_damping=0.0)
    run = planar.run_cam(cam, 0.7)
    assert np.abs(run.surge).max() > 1e-4
    pitch = cam.motion.cam
    c, big, m = cam.spring, cam.spring_mass, cam.mass + cam.spring_mass / 3 - 2 * cam.spring_mass / np.pi**2

    def rates(t, y):
        g, g1, _ = (float(v) for v in pitch.values(cam.speed * t))
        lever = g / math.hypot(g, g1)
        push = 2e7 * max((g - y[0]) * lever, 0.0) * lever
        a = (push - c * (y[0] + cam.rest) + math.pi * c * y[2]) / m
        return [y[1], a, y[3], -(math.pi**2) * c / big * y[2] - 2 / math.pi * a]

    start = [run.distance[0], run.velocity[0], run.surge[0], 0.0]
    grid = np.linspace(0, run.time[-1], 60)
    exact = solve_ivp(
        rates, (0, run.time[-1]), start, t_eval=grid, method="LSODA", rtol=1e-8, atol=1e-11, max_step=2e-5
    ).y
    assert np.interp(grid, run.time, run.distance) == pytest.approx(exact[0], abs=2e-5)
    assert np.interp(grid, run.time, run.surge) == pytest.approx(exact[2], abs=2e-5)


def test_bad_input():
    with pytest.raises(ValueError, match="spring_mass must be >= 0"):
        planar.CamTappet(spring_mass=-1.0)
    with pytest.raises(ValueError, match="surge_damping must be below 1"):
        planar.CamTappet(surge_damping=1.0)
