"""Rolling on circles, from outside and inside (Römer 2-D, Eqs. 43-56)."""

import numpy as np
import pytest

from tangency import planar

ALPHA = np.linspace(-7.0, 9.0, 41)


def test_coins():
    """A coin around a coin: R / r + 1 turns outside, R / r - 1 inside; the centre moves on a circle."""
    r, big = 0.01, 0.04
    for radius, distance in ((big, big + r), (-big, big - r)):
        coin = planar.RollingBody(planar.Circle(r), radius=radius)
        at = coin.at(ALPHA)
        assert np.hypot(*(at.reference + np.array([0.0, radius])).T) == pytest.approx(distance + 0 * ALPHA, rel=1e-13)
        assert coin.turn(ALPHA) == pytest.approx(ALPHA * (1 + r / radius), rel=1e-13, abs=1e-15)
        turns = 2 * np.pi * abs(radius) / r  # alpha after one way around the big one
        assert abs(coin.turn(turns)) / (2 * np.pi) == pytest.approx(abs(radius) / r + np.sign(radius), rel=1e-12)


def test_ring_around_a_circle():
    """A ring of inner radius 0.05 around a circle of 0.03: its centre moves on a circle of 0.02."""
    pitch = planar.Pitch(planar.PeriodicFunction(lambda a: (0.02 + 0 * a, 0 * a, 0 * a)), 0.03, concave=True)
    ring = planar.RollingOnCircle(pitch)
    at = ring.at(ALPHA)
    assert np.hypot(*at.reference.T) == pytest.approx(0.02 + 0 * ALPHA)
    assert np.hypot(*at.contact.T) == pytest.approx(0.03 + 0 * ALPHA)
    # the contact lies on the far side of O; the line O-P advances by (1 - r/R) times the angle of the ring
    assert ((at.contact * at.reference).sum(axis=1) < 0).all()
    phi, turn = ring.advance(1.0), float(at.turn[0] / ALPHA[0])
    assert turn == pytest.approx(1 + float(phi), rel=1e-12)
    assert float(phi) == pytest.approx(-(0.02 + 0.03) / 0.03, rel=1e-13)


SHAPES = {"ellipse": planar.Ellipse([0.05, 0.03]), "foot": planar.foot_shape(0.03)}


@pytest.mark.parametrize("name", SHAPES)
def test_pitch_and_support_function_agree(name):
    """The same body by Eqs. (49)-(53) and by its arc length: two independent ways."""
    shape, radius = SHAPES[name], 0.2
    one = planar.RollingBody(shape, radius=radius)
    two = planar.RollingOnCircle(planar.pitch_from_shape(shape, radius))
    alpha = np.linspace(0.3, 5.0, 12)
    # The normal at the contact point, in the body, is the first one's own angle.
    normal = -two.pitch.at(alpha).normal
    own = np.unwrap(np.arctan2(normal[:, 1], normal[:, 0])) + 0.5 * np.pi
    first, second = one.at(own), two.at(alpha)
    assert np.hypot(*(first.reference + np.array([0.0, radius])).T) == pytest.approx(
        np.hypot(*second.reference.T), rel=1e-11
    )
    # Both bodies turn by the same angle from the first contact to the others, and advance by the same.
    assert np.diff(one.turn(own)) == pytest.approx(np.diff(second.turn), rel=1e-10)
    angle = [
        np.unwrap(np.arctan2(x[:, 0], x[:, 1])) for x in (first.reference + np.array([0.0, radius]), second.reference)
    ]
    assert np.diff(angle[0]) == pytest.approx(np.diff(angle[1]), rel=1e-10)


@pytest.mark.parametrize("radius", [0.3, -0.3])
@pytest.mark.parametrize("name", SHAPES)
def test_convex_bodies(name, radius):
    """Contact by ``planar.contact``-like definitions: no slip, no gap, and derivatives by differences."""
    shape = SHAPES[name]
    body = planar.RollingBody(shape, radius=radius)
    check_rolling(body, lambda a: (body.turn(a), body.at(a).reference, body.at(a).contact))
    # the contact point lies on the circle and on the body, and no point of the body beyond the circle
    at, turn = body.at(ALPHA), body.turn(ALPHA)
    assert np.hypot(*(at.contact + np.array([0.0, radius])).T) == pytest.approx(abs(radius) + 0 * ALPHA, rel=1e-12)
    around = np.linspace(0, 2 * np.pi, 721)
    outline = shape.point(np.stack([np.cos(around), np.sin(around)], -1))
    for theta, place in zip(turn, at.reference):
        c, s = np.cos(theta), np.sin(theta)
        world = outline @ np.array([[c, -s], [s, c]]) + place
        distance = np.hypot(*(world + np.array([0.0, radius])).T)
        assert (np.sign(radius) * (distance - abs(radius)) > -1e-12).all()


def test_almost_convex_cam():
    """The paper's cam, with its hollow flank, rolls on its own roller (fixed)."""
    body = planar.RollingOnCircle(planar.cam_pitch(0.01))
    check_rolling(body, lambda a: (body.at(a).turn, body.at(a).reference, body.at(a).contact))


def check_rolling(body, place):
    alpha = np.linspace(0.2, 6.0, 29)
    h = 1e-6
    turn = np.array([place(alpha + k * h)[0] for k in (-1, 0, 1)])
    reference = np.array([place(alpha + k * h)[1] for k in (-1, 0, 1)])
    contact = place(alpha)[2]
    slope = (turn[2] - turn[0]) / (2 * h)
    drift = (reference[2] - reference[0]) / (2 * h) / slope[:, None]
    size = np.abs(reference).max()
    # velocity per angular velocity, by differences and by the formula
    assert body.motion(alpha, 1.0).velocity == pytest.approx(drift, abs=1e-7 * size)
    # the contact point is the instantaneous centre: v_P = w x r_CP, clockwise
    arm = reference[1] - contact
    assert drift == pytest.approx(np.stack([arm[:, 1], -arm[:, 0]], -1), abs=1e-7 * size)
    # acceleration at constant angular velocity: the derivative of the velocity in the angle
    v = np.array([body.motion(alpha + k * h, 1.0).velocity for k in (-1, 1)])
    second = (v[1] - v[0]) / (2 * h) / slope[:, None]
    found = body.motion(alpha, 1.0).acceleration
    good = np.abs(found - second).max(axis=1) < 1e-5 * np.abs(found).max()
    assert good.mean() > 0.9  # differences fail where g'' jumps
    assert body.motion(alpha, 2.0, 3.0).acceleration == pytest.approx(
        4.0 * found + 3.0 * body.motion(alpha, 1.0).velocity, rel=1e-9, abs=1e-9 * size
    )
    energy = body.energy(alpha, 2.0, 1.5, 0.01, 9.81)
    exact = 0.75 * 4 * (drift**2).sum(axis=1) + 0.02 + 1.5 * 9.81 * reference[1][:, 1]
    assert energy == pytest.approx(exact, rel=1e-6)


def test_bad_input():
    with pytest.raises(ValueError, match="radius must not be 0"):
        planar.RollingBody(planar.Circle(1.0), radius=0.0)
    with pytest.raises(ValueError, match="largest radius of curvature of the body"):
        planar.RollingBody(planar.Ellipse([0.2, 0.1]), radius=-0.3)
    with pytest.raises(TypeError, match="pitch must be a Pitch"):
        planar.RollingOnCircle(planar.Circle(1.0))
