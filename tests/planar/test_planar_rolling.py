"""A body that rolls on a line (Römer 2-D, sections 2 to 4)."""

import mpmath
import numpy as np
import pytest

from planar_families import directions, turned
from tangency import planar

ALPHA = np.linspace(-7.0, 9.0, 33)
BODIES = {
    "wheel": planar.Circle(0.4),
    "ellipse": planar.Ellipse([0.5, 0.2]),
    "foot": planar.foot_shape(0.1),
    "off-centre": planar.Ellipse([0.5, 0.2]).seen_from([0.7, 0.1]),
    "rounded": planar.Polygon([[0, 0], [1, 0], [0.4, 0.8]], 0.1),
    "flat": planar.Superellipse([0.3, 0.2], 6.0),
}


def test_wheel():
    """Eqs. (5), (7), (37)."""
    wheel = planar.RollingBody(planar.Circle(0.4), start=0.3)
    at = wheel.at(ALPHA)
    assert at.reference[:, 0] == pytest.approx(0.4 * ALPHA + 0.3, abs=1e-14)
    assert at.reference[:, 1] == pytest.approx(0.4 + 0 * ALPHA)
    assert at.contact == pytest.approx(np.stack([0.4 * ALPHA + 0.3, 0 * ALPHA], -1), abs=1e-14)
    assert at.curvature == pytest.approx(2.5 + 0 * ALPHA)


def test_ellipse():
    """Eqs. (11a) and (13); the travel is an elliptic integral."""
    a, b = 0.5, 0.2
    body = planar.RollingBody(planar.Ellipse([a, b]))
    f, f1, _ = body.height(ALPHA)
    root = np.sqrt(b * b * np.cos(ALPHA) ** 2 + a * a * np.sin(ALPHA) ** 2)
    assert f == pytest.approx(root, rel=1e-14)
    assert f1 == pytest.approx((a * a - b * b) * np.sin(2 * ALPHA) / (2 * root), abs=1e-15)
    with mpmath.workdps(25):
        exact = [float(b * mpmath.ellipe(alpha, 1 - mpmath.mpf(a) ** 2 / mpmath.mpf(b) ** 2)) for alpha in ALPHA]
    assert body.travel(ALPHA) == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize("name", BODIES)
def test_travel_is_the_arc_length(name):
    """Rolling: the contact point moves on the line as far as on the body (Eq. 36), corners and flats included."""
    body = planar.RollingBody(BODIES[name])
    phi = np.linspace(0.3, 5.0, 200001)
    x = BODIES[name].point(directions(phi - np.pi / 2))
    length = np.linalg.norm(np.diff(x, axis=0), axis=1).sum()
    ends = body.at([0.3, 5.0]).contact[:, 0]
    assert ends[1] - ends[0] == pytest.approx(length, rel=1e-8 if name != "flat" else 1e-5)
    turn = body.at([1.0, 1.0 + 2 * np.pi, 1.0 - 4 * np.pi]).reference[:, 0]
    perimeter = float(BODIES[name].arc_length)
    assert np.diff(turn) == pytest.approx([perimeter, -3 * perimeter], rel=1e-12)


@pytest.mark.parametrize("name", BODIES)
def test_contact_point_does_not_slip(name):
    """The material point at the contact is at rest (Eq. 21), by differences of its path."""
    body = planar.RollingBody(BODIES[name])
    for alpha in (0.37, 2.1, -4.0):
        here = body.at(alpha)
        material = turned(alpha, here.arm)  # in the body's frame: its angle is -alpha
        step = 1e-5
        before, after = body.path([alpha - step, alpha + step], material)
        assert np.linalg.norm(after - before) / (2 * step) < 1e-6
        assert body.path(alpha, material) == pytest.approx(here.contact, abs=1e-14)


@pytest.mark.parametrize("name", ["ellipse", "foot", "off-centre"])
def test_velocity_and_acceleration(name):
    """Against differences of the position along alpha(t)."""
    body = planar.RollingBody(BODIES[name])
    step = 1e-3
    t = 0.4 + step * np.arange(-3, 4)
    alpha, rate, second = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    x = body.at(alpha).reference
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) @ x / (60 * step)
    twice = np.array([2, -27, 270, -490, 270, -27, 2]) @ x / (180 * step**2)
    motion = body.motion(alpha[3], rate[3], second[3])
    assert motion.velocity == pytest.approx(first, abs=1e-10)
    assert motion.acceleration == pytest.approx(twice, abs=1e-7)


@pytest.mark.parametrize("name", BODIES)
def test_agrees_with_contact(name):
    body = planar.RollingBody(BODIES[name])
    alpha = ALPHA + 0.01  # not at the flat place itself, where a rounding error of the angle moves the point
    c = planar.contact(planar.Line([0, 1]), BODIES[name], None, body.pose(alpha))
    assert abs(c.distance).max() < 1e-13
    at = body.at(alpha)
    if name != "rounded":
        assert c.point_b == pytest.approx(at.contact, abs=1e-13)
    assert c.curvature_b == pytest.approx(at.curvature, rel=1e-7)


def test_bad_input():
    with pytest.raises(ValueError, match="shape must be a single body"):
        planar.RollingBody(planar.Circle([1, 2]))
    with pytest.raises(TypeError, match="shape must be a planar Shape"):
        planar.RollingBody(1.0)
    with pytest.raises(ValueError, match="alpha must be finite"):
        planar.RollingBody(planar.Circle(1.0)).at(np.inf)
