"""Surge of a follower's spring: two masses, against a brute-force integration and the uniform spring."""

import math

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


def test_flight_against_integration():
    c, m, mid, drag = CAM.spring, CAM.moving_mass, CAM.surge_mass, CAM.surge_drag

    def rates(_, y):
        x, v, u, du = y
        a = (-c * x + 2 * c * u + 0.5 * drag * du) / m
        return [v, a, du, -(4 * c * u + drag * du) / mid - 0.5 * a]

    start = np.array([0.02, 1.0, 0.3, 5.0, 1e-3, 0.2])
    exact = solve_ivp(rates, (0, 0.02), [0.03, 1.0, 1e-3, 0.2], method="DOP853", rtol=1e-11, atol=1e-14).y[:, -1]
    state = SpringFlight(CAM, start, 0.5).state(0.52)
    assert state[[0, 1, 4, 5]] == pytest.approx(exact - np.array([0.01, 0, 0, 0]), rel=1e-8, abs=1e-10)
    assert state[2:4] == pytest.approx([0.4, 5.0])


def test_run_against_integration():
    """A linear contact law without friction: follower and spring as two masses in SciPy, over one turn."""
    from dataclasses import replace

    law = forces.Hertz(stiffness=2e7, exponent=1.0)
    cam = replace(CAM, normal_law=law, friction=0.0)
    run = planar.run_cam(cam, 0.7)
    assert np.abs(run.surge).max() > 1e-4
    pitch = cam.motion.cam
    c, m, mid, drag = cam.spring, cam.moving_mass, cam.surge_mass, cam.surge_drag

    def rates(t, y):
        g, g1, _ = (float(v) for v in pitch.values(cam.speed * t))
        lever = g / math.hypot(g, g1)
        push = 2e7 * max((g - y[0]) * lever, 0.0) * lever
        a = (push - c * (y[0] + cam.rest) + 2 * c * y[2] + 0.5 * drag * y[3]) / m
        return [y[1], a, y[3], -(4 * c * y[2] + drag * y[3]) / mid - 0.5 * a]

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
