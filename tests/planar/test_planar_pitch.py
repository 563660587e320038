"""Contact with a circle by the pitch function (Römer 2-D, section 5)."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from planar_families import directions
from tangency import planar
from tangency.planar.pitch.uniqueness import margins

ALPHA = np.linspace(0, 2 * np.pi, 721)[:-1] + 0.003


def eccentric(radius, size=0.03, off=0.012):
    """A circle that turns about another point than its centre: everything is known exactly."""

    def function(alpha):
        t = alpha - np.pi / 2
        s = np.sqrt((size + radius) ** 2 - (off * np.sin(t)) ** 2)
        s1 = -(off**2) * np.sin(t) * np.cos(t) / s
        s2 = -(off**2) * np.cos(2 * t) / s - s1 * s1 / s
        return off * np.cos(t) + s, -off * np.sin(t) + s1, -off * np.cos(t) + s2

    return planar.Pitch(planar.PeriodicFunction(function), radius)


def printed_71(pitch, alpha):
    """Eqs. (55), (56) and (71) as printed (56a with its sign), derivatives by hand."""
    g, g1, g2 = pitch.values(alpha)
    r, sign = pitch.radius, -1.0 if pitch.concave else 1.0
    d = np.hypot(g, g1)
    dd = g1 * (g + g2) / d
    xc, zc = sign * r * g1 / d, sign * r * g / d
    xc1, zc1 = sign * r * (g2 / d - g1 * dd / d**2), sign * r * (g1 / d - g * dd / d**2)
    zp, zp1 = zc - g, zc1 - g1
    above = xc * (xc + zc1) + zc * (zc - xc1)
    below = r * (zc * (xc1 - zp) - xc * (zp1 + xc))
    return above / below, (xc, zp, xc1, zp1)


@pytest.mark.parametrize("make", [planar.cam_pitch, eccentric])
@pytest.mark.parametrize("concave", [False, True])
def test_curvature_is_that_of_eq_71(make, concave):
    pitch = make(0.01)
    pitch = planar.Pitch(pitch.function, 0.01, concave)
    at = pitch.at(ALPHA)
    curvature, (x, z, x1, z1) = printed_71(pitch, ALPHA)
    assert at.curvature == pytest.approx(curvature, rel=1e-10)
    # Against the boundary itself: three points and the circle through them.
    h = 1e-4
    p, q, r = (pitch.at(ALPHA + k * h).point for k in (-1, 0, 1))
    cross = (q - p)[:, 0] * (r - p)[:, 1] - (q - p)[:, 1] * (r - p)[:, 0]
    lengths = np.prod([np.linalg.norm(v, axis=1) for v in (q - p, r - q, r - p)], axis=0)
    menger = 2 * cross / lengths
    # Tangent and normal: the curve runs along the tangent, the normal leads from the circle to the body.
    along = (r - p) / np.linalg.norm(r - p, axis=1)[:, None]
    assert np.abs((along * at.normal).sum(-1)).max() < 1e-3
    assert np.allclose(at.point - at.centre, 0.01 * at.normal, atol=1e-16)
    side = -1.0 if concave else 1.0
    assert np.median(np.abs(side * menger / curvature - 1)) < 1e-5
    # Eq. (73) with the right sign of its fraction, against the polar angle of the boundary
    phi = np.unwrap(np.arctan2(q[:, 1], q[:, 0]))
    slope = np.gradient(phi, ALPHA)
    margin = margins(pitch.function, 0.01, concave, ALPHA)[1]
    assert np.median(np.abs(slope - margin)) < 1e-3
    assert margin == pytest.approx(1 - (x1 * z - x * z1) / (x * x + z * z), rel=1e-9)


def test_cam_of_the_paper():
    """Eq. (90): continuous to the second derivative, a concave section, a unique contact point."""
    pitch = planar.cam_pitch(0.01)
    for join in (2 * np.pi / 3, 4 * np.pi / 3):
        left, right = (np.array(pitch.values(join + s * 1e-9)) for s in (-1, 1))
        assert left == pytest.approx(right, abs=1e-9)
    lift = 0.01 / 3 * 0.7**3 * (2 * np.pi / 3 - 0.7) ** 4
    assert pitch.values(2 * np.pi / 3 + 0.7).value == pytest.approx(0.02 + lift)
    assert pitch.values(np.pi / 2 + 0.3).value == pytest.approx(0.02)
    curvature = pitch.at(ALPHA).curvature
    assert curvature.min() < 0 < curvature.max()
    assert pitch.uniqueness()
    step = 1e-5
    g = [np.array(pitch.values(ALPHA + k * step)) for k in (-1, 0, 1)]
    assert (g[2][0] - g[0][0]) / (2 * step) == pytest.approx(g[1][1], abs=1e-10)
    assert (g[2][1] - g[0][1]) / (2 * step) == pytest.approx(g[1][2], abs=1e-9)


@pytest.mark.parametrize("radius", [0.0, 0.004, 0.02, 0.06])
def test_change_of_radius_of_a_circle(radius):
    """Exact: the same circle with another roller."""
    found, exact = eccentric(0.01).change_radius(radius), eccentric(radius)
    for mine, known, digits in zip(found.values(ALPHA), exact.values(ALPHA), (2e-13, 1e-10, 1e-7)):
        assert mine == pytest.approx(known, abs=digits * 0.03)
    assert found.at(ALPHA).curvature == pytest.approx(1 / 0.03 + 0 * ALPHA, rel=1e-5)


def test_change_of_radius_of_an_ellipse():
    """Against the exact offset of the support function, Eq. (11) of Römer 3-D."""
    ellipse = planar.Ellipse([0.03, 0.02])
    moved = planar.pitch_from_shape(ellipse, 0.01).change_radius(0.025)
    exact = ellipse.offset(0.025)
    phi = np.linspace(-3, 3, 200)
    x = exact.point(directions(phi))
    alpha = np.arctan2(x[:, 1], x[:, 0]) + np.pi / 2
    assert moved.values(alpha).value == pytest.approx(np.linalg.norm(x, axis=1), abs=1e-13 * 0.055)


@pytest.mark.parametrize("radius", [0.0, 0.005, 0.012, 0.03])
def test_there_and_back(radius):
    """From R to R + dR and back returns the profile."""
    cam = planar.cam_pitch(0.01)
    back = cam.change_radius(radius).change_radius(0.01)
    for mine, known, digits in zip(back.values(ALPHA), cam.values(ALPHA), (1e-11, 1e-8, 1e-5)):
        assert mine == pytest.approx(known, abs=digits * 0.01)
    # The boundary is the same curve for every roller.
    profile = cam.change_radius(0.0)
    for pitch in (cam, cam.change_radius(radius)):
        p = pitch.at(ALPHA).point
        assert profile.values(np.arctan2(p[:, 1], p[:, 0]) + np.pi / 2).value == pytest.approx(
            np.linalg.norm(p, axis=1), abs=1e-12 * 0.01
        )


def test_the_equation_itself():
    """Eq. (84), with its right-hand side the right way up, by the method of lines: an independent solution."""
    start = planar.pitch_from_shape(planar.Ellipse([0.03, 0.02]).seen_from([0.004, 0.003]), 0.01)
    count = 256
    alpha = np.arange(count) * 2 * np.pi / count
    wave = np.fft.rfftfreq(count, 1 / count)

    def rate(_, g):
        slope = np.fft.irfft(1j * wave * np.fft.rfft(g), count)
        return np.sqrt(g * g + slope * slope) / g

    solved = solve_ivp(rate, (0.01, 0.018), start.values(alpha).value, rtol=1e-11, atol=1e-14).y[:, -1]
    found = start.change_radius(0.018).values(alpha).value
    assert found == pytest.approx(solved, abs=1e-11)

    # As printed, upside down, it is off in the first digits of the change.
    def printed(_, g):
        return 1 / rate(_, g)

    wrong = solve_ivp(printed, (0.01, 0.018), start.values(alpha).value, rtol=1e-8).y[:, -1]
    assert np.abs(wrong - found).max() > 1e-3 * 0.008


def test_limits_of_the_radius():
    """R -> infinity is the line of section 4 (Eqs. 74, 75), R -> 0 the boundary in polar coordinates (Eq. 76)."""
    shape = planar.foot_shape(0.1).seen_from([0.05, -0.07])
    near = planar.pitch_from_shape(shape, 0.0)
    x = shape.point(directions(np.linspace(-3, 3, 100)))
    alpha = np.arctan2(x[:, 1], x[:, 0]) + np.pi / 2
    assert near.values(alpha).value == pytest.approx(np.linalg.norm(x, axis=1), abs=1e-13)
    g, g1, g2 = near.values(ALPHA)
    assert near.at(ALPHA).curvature == pytest.approx((g * g + 2 * g1**2 - g * g2) / np.hypot(g, g1) ** 3)  # Eq. (76c)
    f = planar.RollingBody(shape).height(ALPHA)[0]
    errors = []
    for radius in (1.0, 10.0, 100.0):
        errors.append(np.abs(planar.pitch_from_shape(shape, radius).reduced(ALPHA) - f).max())
    assert errors[2] < 2e-4 * 0.1
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.3)  # the difference falls like 1 / R
    again = near.convex_shape()
    n = directions(np.linspace(-3, 3, 50))
    assert again.support(n) == pytest.approx(shape.support(n), abs=1e-12)
    assert again.point(n) == pytest.approx(shape.point(n), abs=1e-9)


def test_contact_agrees_with_the_solver():
    """A pitch function tells when a circle touches, the solver at which distance: both must agree on zero."""
    shape = planar.foot_shape(0.1).seen_from([0.05, -0.07])
    pitch = planar.pitch_from_shape(shape, 0.02)
    at = pitch.at(ALPHA)
    c = planar.contact(shape, planar.Circle(0.02), None, (0.0, at.centre))
    assert abs(c.distance).max() < 1e-13
    assert c.point_a == pytest.approx(at.point, abs=1e-11)
    assert c.normal == pytest.approx(-at.normal, abs=1e-8)
    assert c.curvature_a == pytest.approx(at.curvature, rel=1e-5)
    assert abs(pitch.gap(at.centre)).max() < 1e-15
    outside = 1.01 * at.centre
    exact = planar.contact(shape, planar.Circle(0.02), None, (0.0, outside)).distance
    assert (pitch.gap(outside) > 0).all()
    assert pitch.gap(outside) == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize("count", [60, 200])
def test_profile_from_points(count):
    """Measured points of an ellipse: the error falls with the fifth power of their distance or faster."""
    t = np.arange(count) * 2 * np.pi / count
    points = np.stack([0.03 * np.cos(t), 0.02 * np.sin(t)], -1)
    exact = planar.pitch_from_shape(planar.Ellipse([0.03, 0.02]), 0.01).values(ALPHA).value
    for given in (points, points[::-1], np.vstack([points, points[:1]])):
        found = planar.pitch_from_profile(given, 0.01)
        assert found.values(ALPHA).value == pytest.approx(exact, abs=0.03 * (2e-6 if count == 60 else 2e-9))

    def curve(u, nu):
        c, s = np.cos(u + nu * np.pi / 2), np.sin(u + nu * np.pi / 2)
        return np.stack([0.03 * c, 0.02 * s], -1)

    assert planar.pitch_from_profile(curve, 0.01).values(ALPHA).value == pytest.approx(exact, abs=1e-15)


def test_inside_a_ring():
    """Almost concave: a roller inside an ellipse; the boundary comes back."""
    t = np.arange(300) * 2 * np.pi / 300
    ring = np.stack([0.09 * np.cos(t), 0.06 * np.sin(t)], -1)
    pitch = planar.pitch_from_profile(ring, 0.01, concave=True)
    assert pitch.uniqueness()
    p = pitch.at(ALPHA).point
    assert (p[:, 0] / 0.09) ** 2 + (p[:, 1] / 0.06) ** 2 == pytest.approx(1 + 0 * ALPHA, abs=1e-9)
    assert (pitch.at(ALPHA).curvature < 0).all()
    assert pitch.at(0.0).curvature == pytest.approx(-0.06 / 0.09**2, rel=1e-6)
    other = pitch.change_radius(0.02).at(ALPHA).point
    assert (other[:, 0] / 0.09) ** 2 + (other[:, 1] / 0.06) ** 2 == pytest.approx(1 + 0 * ALPHA, abs=1e-9)
    with pytest.raises(ValueError, match="has a cusp"):  # the smallest radius of curvature is 0.04
        pitch.change_radius(0.045)
    assert pitch.gap([0.0, 0.0]) > 0
    assert pitch.gap([0.0, 0.055]) < 0


def test_samples():
    alpha = np.arange(90) * np.pi / 45
    pitch = planar.pitch_from_samples(alpha, eccentric(0.01).values(alpha).value, 0.01)
    assert pitch.values(ALPHA).value == pytest.approx(eccentric(0.01).values(ALPHA).value, abs=1e-10)


def test_uniqueness_names_the_first_angle():
    pytest.importorskip("sympy")
    pitch = planar.pitch_from_formula("r + e*cos(3*alpha)", 0.05, r=0.04, e=0.002)
    report = pitch.uniqueness()
    assert not report
    assert report.equation == "72"
    # kappa of the pitch curve times R is 1 there; before it was less
    assert report.first_failure == 0.0
    assert "not unique" in str(report)
    pitch = planar.pitch_from_formula("r + e*cos(alpha - 1)**8", 0.012, r=0.02, e=0.01)
    late = pitch.uniqueness()
    around = late.first_failure + 1e-9 * np.array([-1, 1])
    before, after = margins(pitch.function, 0.012, False, around)[0]
    assert before > 0 > after
    assert 0.5 < late.first_failure < 1.0
    assert f"{late.first_failure:.9g}" in str(late)


def test_roller_too_large_for_the_hollow():
    cam = planar.cam_pitch(0.01)
    with pytest.raises(ValueError, match=r"has a cusp at the angle .*: the circle does not fit"):
        cam.change_radius(0.08)
    with pytest.raises(ValueError, match="radius must be >= 0"):
        cam.change_radius(-0.001)
    with pytest.raises(ValueError, match="the body must be convex, but its curvature is -"):
        cam.convex_shape()
    with pytest.raises(ValueError, match="not star-shaped"):
        planar.pitch_from_shape(planar.Ellipse([0.03, 0.02]).seen_from([0.05, 0]), 0.001)
    with pytest.raises(ValueError, match=r"function must be > 0 \(Römer 2-D, Eq. 48\)"):
        planar.Pitch(planar.PeriodicFunction(lambda a: (np.cos(a), -np.sin(a), -np.cos(a))), 0.1)
    with pytest.raises(ValueError, match="points must run once around"):
        planar.pitch_from_profile(directions(np.linspace(0, 1, 20)), 0.1)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_size_does_not_matter(scale):
    small, large = planar.cam_pitch(1.0).change_radius(0.5), planar.cam_pitch(scale).change_radius(0.5 * scale)
    assert large.values(ALPHA).value / scale == pytest.approx(small.values(ALPHA).value, rel=1e-11)


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("Piecewise((0.02, alpha < 2), (0.021, alpha < 4), (0.02, True))", r"jumps by -?0.001 at alpha = [24]"),
        ("0.02 + 0.001*alpha", "jumps by -0.00628319 at alpha = 2 pi"),
    ],
)
def test_a_formula_must_not_jump(formula, sentence):
    pytest.importorskip("sympy")
    with pytest.raises(ValueError, match=sentence):
        planar.pitch_from_formula(formula, 0.005)


def test_degrees_are_refused():
    angles = np.arange(0, 360, 10)
    with pytest.raises(ValueError, match=r"in radians, .* got 36 angles from 0 to 350$"):
        planar.pitch_from_samples(angles, 0.02 + 0 * angles, 0.005)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda a: (2 + 0 * a, np.nan + 0 * a, 0 * a), "g' is nan at alpha"),
        (lambda a: (2 + 0 * a, 0 * a, np.inf + 0 * a), "g'' is inf at alpha"),
        (lambda a: (2 + 0.1 * np.cos(a), 0.1 * np.sin(a), -0.1 * np.cos(a)), "g' is not the derivative of g"),
        (lambda a: (2 + 0.1 * np.cos(a), -0.1 * np.sin(a), 0 * a), "g'' is not the derivative of g'"),
    ],
)
def test_derivatives_that_are_none_are_refused(function, sentence):
    """Once such a pitch was said to have a unique contact point."""
    with pytest.raises(ValueError, match=sentence):
        planar.Pitch(planar.PeriodicFunction(function), 0.1)


def test_random_pitch_functions_with_right_derivatives_are_accepted():
    rng = np.random.default_rng(12)
    for _ in range(2):
        k = np.arange(1, 60)
        c, s = rng.normal(size=(2, len(k))) * 0.05 / k**3

        def function(a, c=c, s=s, k=k):
            x = np.asarray(a)[..., None] * k
            value = c * np.cos(x) + s * np.sin(x)
            first = k * (s * np.cos(x) - c * np.sin(x))
            return 2 + value.sum(-1), first.sum(-1), -(k * k * value).sum(-1)

        planar.Pitch(planar.PeriodicFunction(function), 0.01)


def test_concave_must_be_true_or_false():
    with pytest.raises(TypeError, match="concave must be True or False, got 'no'"):
        planar.Pitch(planar.cam_pitch(0.01).function, 0.01, concave="no")
