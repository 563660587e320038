"""Motions of rolling bodies whose solutions or integrals are known."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import planar, rolling

G = 9.81


@pytest.mark.parametrize(("inertia", "part"), [(None, 5 / 7), (2 / 3 * 0.01, 3 / 5)], ids=["solid", "hollow"])
@pytest.mark.parametrize("degrees", [10.0, 35.0])
def test_ball_on_a_slope(inertia, part, degrees):
    """A solid ball accelerates with 5/7 g sin, a hollow one with 3/5 g sin, whatever its pivoting."""
    angle = math.radians(degrees)
    inertia = None if inertia is None else [inertia] * 3
    slope, down = [math.sin(angle), 0, math.cos(angle)], np.array([math.cos(angle), 0, -math.sin(angle)])
    ball = rolling.RollingBody(tg.Sphere(0.1), mass=1.0, inertia=inertia, normal=slope)
    aside = np.array([0.0, 0.3, 0.0])  # velocity at the start
    spin = np.cross(slope, aside) / 0.1 + 7.0 * np.array(slope)
    run = ball.simulate(Rotation.from_rotvec([1, 2, 3]), spin, 2.0)
    t = run.time[:, None]
    start = 0.1 * np.array(slope)
    assert run.reference == pytest.approx(start + aside * t + 0.5 * part * G * math.sin(angle) * t**2 * down, abs=1e-11)
    assert run.normal_force == pytest.approx(G * math.cos(angle), rel=1e-12)
    assert run.friction_demand == pytest.approx((1 - part) * math.tan(angle), rel=1e-11)
    assert run.spin == pytest.approx(7.0, rel=1e-10)


@pytest.mark.parametrize("axis", [0, 1])
def test_small_oscillations_of_an_ellipsoid(axis):
    """About its rest on the shortest axis c: omega^2 = g (a^2/c - c) / ((a^2 + c^2)/5 + c^2), for a and for b."""
    radii = np.array([0.3, 0.2, 0.1])
    long, c = radii[1 - axis], radii[2]
    omega = math.sqrt(G * (long**2 / c - c) / ((long**2 + c**2) / 5 + c**2))
    small = 1e-5 * np.eye(3)[axis]
    run = rolling.RollingBody(tg.Ellipsoid(radii)).simulate(Rotation.from_rotvec(small), duration=10.0)
    swing = run.orientation.as_rotvec()[:, axis]
    assert swing == pytest.approx(1e-5 * np.cos(omega * run.time), abs=1e-5 * 1e-6)


def test_straight_rolling_of_a_spheroid():
    """Tumbling end over end: time of one turn by quadrature of the energy, length of the path by the arc length."""
    a, c, rate = 0.3, 0.1, 12.5
    inertia = (a * a + c * c) / 5

    def speed(angle):
        f = math.hypot(a * math.sin(angle), c * math.cos(angle))
        f1 = (a * a - c * c) * math.sin(angle) * math.cos(angle) / f
        return math.sqrt(((c * c + inertia) * rate**2 - 2 * G * (f - c)) / (f * f + f1 * f1 + inertia))

    turn = 4 * quad(lambda angle: 1 / speed(angle), 0, math.pi / 2, epsabs=0, epsrel=1e-13)[0]
    run = rolling.RollingBody(tg.Ellipsoid([a, a, c])).simulate(None, [0, rate, 0], 3 * turn, samples=4)
    assert run.end == "time"
    assert run.orientation.magnitude() == pytest.approx(0.0, abs=1e-9)
    around = float(planar.Ellipse([a, c]).arc_length)
    assert run.contact[:, 0] == pytest.approx(around * np.arange(4), abs=1e-9)
    assert run.contact[:, 1:] == pytest.approx(0.0, abs=1e-12)


def test_agrees_with_the_plane():
    """`planar.RollingFoot` with the ellipse of the same profile: angle, force and time of slip."""
    a, c = 0.3, 0.15
    foot = planar.RollingFoot(
        planar.Ellipse([a, c]), mass=2.0, inertia=2.0 * (a * a + c * c) / 5, friction=0.3, sole=(-9, 9)
    )
    flat = foot.run(0.4, 5.0, 3.0, only_rolling=True)
    run = rolling.RollingBody(tg.Ellipsoid([a, 0.2, c]), mass=2.0).simulate(
        Rotation.from_rotvec([0, 0.4, 0]), [0, 5.0, 0], 3.0, friction=0.3
    )
    assert run.end == flat.end == "slip"
    assert run.end_time == pytest.approx(flat.end_time, abs=1e-9)
    assert run.force[-1, [0, 2]] == pytest.approx(flat.force[-1], abs=1e-8)
    assert run.friction_demand[-1] == pytest.approx(0.3, rel=1e-11)


def steady_spin(a, c, tilt, precession):
    """Own rotation of a solid spheroid that rolls in a circle with constant tilt, and the radius of the circle."""
    s, k = math.sin(tilt), math.cos(tilt)
    h = math.hypot(a * s, c * k)
    x, z = (a * a - c * c) * s * k / h, -h  # contact point from the centre, towards the low side of the axis, and up
    transverse, polar = (a * a + c * c) / 5, 2 * a * a / 5

    def excess(own):
        """Torque about the horizontal axis minus the rate of the angular momentum, per unit of mass."""
        velocity = -(precession + own * k) * x + own * s * z
        momentum = s * (polar * (own + precession * k) - transverse * precession * k)
        return -z * precession * velocity - x * G - precession * momentum, velocity

    zero, one = excess(0.0)[0], excess(1.0)[0]
    own = zero / (zero - one)
    return own, excess(own)[1] / precession


@pytest.mark.parametrize(("a", "c", "tilt", "precession"), [(0.2, 0.05, 1.2, 4.0), (0.1, 0.16, 0.5, 12.0)])
def test_steady_precession_of_a_spheroid(a, c, tilt, precession):
    """A disc-like and an egg-like solid of revolution roll in circles with constant tilt."""
    own, radius = steady_spin(a, c, tilt, precession)
    axis = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    spin = precession * np.array([0, 0, 1]) + own * axis
    body = rolling.RollingBody(tg.Ellipsoid([a, a, c]))
    run = body.simulate(Rotation.from_rotvec([0, tilt, 0]), spin, 5.0)
    assert run.orientation.apply([0, 0, 1])[:, 2] == pytest.approx(math.cos(tilt), abs=1e-9)
    # The centre starts at the angle 90 degrees behind its velocity.
    angle = precession * run.time
    circle = radius * np.stack([np.cos(angle) - 1, np.sin(angle)], axis=1)
    assert run.centre_of_mass[:, :2] - run.centre_of_mass[0, :2] == pytest.approx(circle, abs=1e-8)


def test_routh_sphere():
    """A ball with an axisymmetric, excentric mass (tippe top without slip) keeps Jellett's and Routh's integrals."""
    radius, offset, mass, across, along = 0.02, 0.005, 0.01, 2.0e-6, 1.6e-6
    body = rolling.RollingBody(
        tg.Sphere(radius), mass=mass, inertia=[across, across, along], centre_of_mass=[0, 0, -offset]
    )
    run = body.simulate(Rotation.from_rotvec([0.3, 0.1, 0]), [5.0, 0.0, 30.0], 20.0)
    assert run.end == "time"
    spin = run.orientation.inv().apply(run.angular_velocity)
    arm = run.contact_on_body - [0, 0, -offset]
    momentum = spin * [across, across, along]
    jellett = (momentum * arm).sum(axis=1)
    routh = spin[:, 2] * np.sqrt(across * along + mass * (arm**2 @ [across, across, along]))
    for kept in (jellett, routh, run.energy):
        assert kept == pytest.approx(kept[0], rel=1e-9)
    assert np.ptp(spin[:, 2]) > 0.02 * spin[0, 2]  # so the integrals say something


def test_chaplygin_ball():
    """The angular momentum of an unbalanced ball about its contact point is constant in space."""
    inertia = np.diag([3.0e-3, 5.0e-3, 7.0e-3])
    body = rolling.RollingBody(tg.Sphere(0.1), mass=1.0, inertia=inertia)
    run = body.simulate(Rotation.from_rotvec([0.3, 0.1, 0.7]), [4.0, -3.0, 2.0], 100.0)
    turn = run.orientation.as_matrix()
    momentum = np.einsum("tij,jk,tlk,tl->ti", turn, inertia, turn, run.angular_velocity)
    arm = run.centre_of_mass - run.contact
    momentum += np.cross(arm, np.cross(run.angular_velocity, arm))
    assert momentum - momentum[0] == pytest.approx(0.0, abs=1e-10 * np.linalg.norm(momentum[0]))
    assert run.energy == pytest.approx(run.energy[0], rel=1e-10)


def in_minimal_coordinates(radii, centre, mass, inertia, start, rates, times):
    """Angles alpha, beta, gamma over time, by d'Alembert's principle and the paper's formulas alone.

    Velocities by Eqs. (67), (76) and (77) from the potential about the centre of mass, derivatives by differences.
    """
    gravity, h = np.array([0.0, 0.0, -G]), 1e-3
    stencil = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))

    def potential(alpha, beta):
        n = (math.sin(alpha) * math.cos(beta), math.sin(alpha) * math.sin(beta), -math.cos(alpha))
        return math.sqrt(sum((r * v) ** 2 for r, v in zip(radii, n))) - sum(c * v for c, v in zip(centre, n))

    def maps(q):
        """Matrices from the rates to the velocity of the centre of mass, and to the angular velocity; the inertia."""
        alpha, beta, gamma = q
        c, s = math.cos(beta + gamma), math.sin(beta + gamma)
        k = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        spin = k @ np.array([[0, -math.sin(alpha), 0], [1, 0, 0], [0, 1 - math.cos(alpha), 1]])  # Eq. (67)
        by_alpha = sum(w * potential(alpha + i * h, beta) for i, w in stencil) / h
        by_beta = sum(w * potential(alpha, beta + i * h) for i, w in stencil) / h
        arm = k @ np.array([by_alpha, by_beta / math.sin(alpha), -potential(alpha, beta)])  # Eq. (77)
        turn = rolling.orientation_from(q).as_matrix()
        return np.cross(arm, spin, axisb=0).T, spin, turn @ inertia @ turn.T  # Eq. (76)

    def rate(_, y):
        q, v = y[:3], y[3:]
        move, spin, tensor = maps(q)
        near = [(maps(q + i * h * v), w / h) for i, w in stencil]
        acceleration = sum(w * (there[0] @ v) for there, w in near) - gravity
        torque = sum(w * (there[2] @ there[1] @ v) for there, w in near)
        matrix = mass * move.T @ move + spin.T @ tensor @ spin
        return np.concatenate([v, -np.linalg.solve(matrix, mass * move.T @ acceleration + spin.T @ torque)])

    return solve_ivp(rate, (0, times[-1]), [*start, *rates], "DOP853", times, rtol=1e-10, atol=1e-11).y[:3].T


def test_minimal_coordinates_of_the_paper():
    """The same motion in alpha, beta, gamma as with quaternions, for a mass that is neither central nor aligned."""
    radii, centre, mass = [0.3, 0.22, 0.15], [0.02, -0.03, 0.01], 2.0
    inertia = np.array([[0.04, 0.004, -0.002], [0.004, 0.05, 0.003], [-0.002, 0.003, 0.06]])
    start, rates = np.array([1.2, 0.4, -0.2]), np.array([0.5, 3.0, -4.0])
    body = rolling.RollingBody(tg.Ellipsoid(radii), mass=mass, inertia=inertia, centre_of_mass=centre)
    spin = rolling.angular_velocity_from(start, rates)
    run = body.simulate(rolling.orientation_from(start), spin, 0.6, samples=7)
    angles = in_minimal_coordinates(radii, centre, mass, inertia, start, rates, run.time)
    assert angles.T[0].min() > 0.1  # away from the pole of the coordinates
    assert (run.orientation.inv() * rolling.orientation_from(angles)).magnitude() == pytest.approx(0.0, abs=1e-8)
    assert np.ptp(angles, axis=0).min() > 0.2
