"""Followers of a cam against closed forms: an eccentric disc, a cam with straight flanks, one of circular arcs."""

from dataclasses import replace

import numpy as np
import pytest

from planar_families import directions
from tangency import planar

ALPHA = np.linspace(0, 2 * np.pi, 361)[:-1] + 0.003
ECCENTRIC, DISC, ROLLER = 0.012, 0.03, 0.01
PIVOT, ARM, FACE = np.array([0.07, -0.01]), 0.06, 0.003


def turned(vectors, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[..., 0] - s * vectors[..., 1], s * vectors[..., 0] + c * vectors[..., 1]], -1)


def centre(alpha=ALPHA):
    """Centre of the disc, which turns clockwise; half a turn puts the ray at -pi/2 on top at alpha = 0."""
    return ECCENTRIC * directions(np.pi - alpha)


def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


def linkage(side, alpha=ALPHA):
    """A swinging roller on a disc is a four-bar linkage: axis, centre of the disc, centre of the roller, pivot."""
    away = centre(alpha) - PIVOT
    length = np.linalg.norm(away, axis=-1)
    corner = np.arccos((length**2 + ARM**2 - (DISC + ROLLER) ** 2) / (2 * length * ARM))
    return corner - side * wrapped(np.arctan2(away[:, 1], away[:, 0]) - np.arctan2(-PIVOT[1], -PIVOT[0]))


def tangent_angle(side, alpha=ALPHA):
    """The face is a tangent of the disc, at the distance FACE from the pivot."""
    away = PIVOT - centre(alpha)
    normal = np.arctan2(away[:, 1], away[:, 0]) + side * np.arccos((DISC + FACE) / np.linalg.norm(away, axis=-1))
    return np.pi / 2 - side * wrapped(normal - np.arctan2(PIVOT[1], PIVOT[0]))


def height(reach, offset=0.0):
    x, y = centre().T
    return y + np.sqrt(reach**2 - (offset - x) ** 2)


CASES = [
    (planar.Roller(ROLLER), height(DISC + ROLLER)),
    (planar.Roller(ROLLER, offset=0.004), height(DISC + ROLLER, 0.004)),
    (planar.Roller(ROLLER, offset=-0.004), height(DISC + ROLLER, -0.004)),
    (planar.KnifeEdge(), height(DISC)),
    (planar.KnifeEdge(0.001, 0.002), height(DISC + 0.001, 0.002)),
    (planar.FlatFace(), centre()[:, 1] + DISC),
    (planar.SwingingRoller(tuple(PIVOT), ARM, ROLLER), linkage(1)),
    (planar.SwingingRoller(tuple(PIVOT), ARM, ROLLER, side=-1), linkage(-1)),
    (planar.SwingingFlat(tuple(PIVOT), FACE), tangent_angle(1)),
    (planar.SwingingFlat(tuple(PIVOT), FACE, side=-1), tangent_angle(-1)),
]
RING = (planar.Roller(ROLLER, inside=True), -height(DISC - ROLLER))


def motion_of(follower):
    if follower.inside:

        def circle(u, nu):
            point = DISC * directions(u + nu * np.pi / 2)
            return point + np.array([ECCENTRIC, 0.0]) * (nu == 0)

        return planar.cam_motion(planar.pitch_from_profile(circle, follower.radius, concave=True), follower)
    return planar.cam_motion(planar.Circle(DISC).translate([ECCENTRIC, 0]), follower)


@pytest.mark.parametrize(("follower", "exact"), [*CASES, RING], ids=lambda v: type(v).__name__)
def test_an_eccentric_disc(follower, exact):
    """Coordinate, derivatives, contact point, curvature, pressure angle, lever and velocities."""
    motion, h = motion_of(follower), 1e-5
    values = motion.values(ALPHA)
    assert np.abs(values.value - exact).max() < (1e-12 if follower.swings else 1e-12 * DISC)
    before, after = motion.values(ALPHA - h), motion.values(ALPHA + h)
    assert values.first == pytest.approx((after.value - before.value) / (2 * h), abs=1e-9)
    assert values.second == pytest.approx((after.first - before.first) / (2 * h), abs=1e-9)
    at = motion.contact(ALPHA)
    outward = -1.0 if follower.inside else 1.0
    assert at.point == pytest.approx(centre() + outward * DISC * at.normal, abs=1e-12)
    assert at.curvature == pytest.approx(outward / DISC + 0 * ALPHA, rel=1e-7)
    # The gap grows with the coordinate by the lever, and the face of the follower slides and rolls as the vectors say.
    rate, slip = velocities(follower, at, values.value, 1.3, 2.7)
    assert at.lever * 1.3 == pytest.approx(rate, rel=1e-10)
    assert at.slide * 1.3 + at.roll * 2.7 == pytest.approx(slip, abs=1e-12)
    assert np.tan(at.pressure_angle) == pytest.approx(at.slide / at.lever)


def velocities(follower, at, q, q_rate, speed):
    """Normal and tangential velocity of the follower's point against that of the cam, without the roller's spin."""
    contact = at.point
    if not follower.swings:
        up = -1.0 if follower.inside else 1.0
        own = np.array([0.0, up * q_rate])
    else:
        sign = -follower.side  # of the rotation about the pivot
        own = sign * q_rate * turned(contact - PIVOT, np.pi / 2)
        if not follower.flat:  # the centre of the roller, whose own rotation is zero
            centre_ = contact + follower.radius * at.normal
            own = sign * q_rate * turned(centre_ - PIVOT, np.pi / 2)
    cam = -speed * turned(contact, np.pi / 2)
    tangent = turned(at.normal, np.pi / 2)
    return (own * at.normal).sum(-1), ((own - cam) * tangent).sum(-1)


@pytest.mark.parametrize(("follower", "exact"), [*CASES[:3], *CASES[4:], RING], ids=lambda v: type(v).__name__)
def test_the_force_of_a_rigid_follower(follower, exact):
    """Slow and without friction, the normal force times the lever is that of the spring and of inertia."""
    motion = motion_of(follower)
    if follower.swings:
        cam = planar.CamTappet(motion, mass=4e-5, spring=2.0, rest=0.5, speed=40.0, friction=0.0)
    else:
        rest = 0.05 if follower.inside else 0.0
        cam = planar.CamTappet(motion, spring=500.0, rest=rest, speed=40.0, friction=0.0)
    run = planar.run_cam(cam, 1.0, samples=180)
    q, _, q2 = motion.values(run.alpha)
    rigid = (cam.spring * (q + cam.rest) + cam.mass * cam.speed**2 * q2) / motion.contact(run.alpha).lever
    assert not run.events
    assert run.forces.normal == pytest.approx(rigid, abs=1e-3 * rigid.max())
    assert run.coordinate == pytest.approx(q, abs=6e-5 if follower.swings else 4e-6)  # the indentation


def test_friction_does_the_work_of_the_slip():
    """Energy of a swinging roller: what the cam puts in minus what friction takes out."""
    motion = motion_of(CASES[6][0])
    cam = planar.CamTappet(motion, mass=4e-5, spring=2.0, rest=0.5, speed=40.0, friction=0.3, restitution=1.0)
    run = planar.run_cam(cam, 1.0, samples=4000, rtol=1e-10)
    at, rate = motion.contact(run.alpha), cam.speed * motion.values(run.alpha).first
    force = run.forces.normal * at.lever - run.forces.tangential * at.slide
    power = force * run.velocity - cam.motion.follower.radius * run.forces.tangential * run.roller_rate
    energy = 0.5 * cam.mass * run.velocity**2 + 0.5 * cam.spring * (run.coordinate + cam.rest) ** 2
    energy += 0.5 * cam.roller_inertia * run.roller_rate**2
    work = np.append(0.0, np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(run.time)))
    assert energy - energy[0] == pytest.approx(work, abs=2e-5 * np.ptp(energy))
    assert np.abs(run.velocity - rate).max() < 0.02 * np.abs(rate).max()
    assert (run.forces.tangential * run.forces.slip >= 0).all()


def test_a_cam_with_straight_flanks():
    """Textbook: on the flank the roller's centre runs along a straight line, on the nose along a circle."""
    base, nose, distance, radius = 0.02, 0.006, 0.025, 0.01
    half = np.arccos((base - nose) / distance)
    pitch = planar.pitch_from_arcs(planar.tangent_cam(base, nose, distance), radius)
    end = np.arctan(distance * np.sin(half) / (base + radius))  # where the flank ends, from its beginning
    t = np.linspace(0, end, 50)[1:-1]
    for sign in (-1, 1):
        g, g1, g2 = pitch.values(sign * (half - t))
        cos = np.cos(t)
        assert g == pytest.approx((base + radius) / cos, abs=1e-15)
        assert g1 == pytest.approx(-sign * (base + radius) * np.sin(t) / cos**2, abs=1e-12)
        assert g2 == pytest.approx((base + radius) * (2 / cos**3 - 1 / cos), abs=1e-9)
        assert pitch.at(sign * (half - t)).curvature == pytest.approx(0.0, abs=1e-7)
    t = np.linspace(-1, 1, 50) * (half - end) * 0.999
    reach = distance * np.cos(t) + np.sqrt((nose + radius) ** 2 - (distance * np.sin(t)) ** 2)
    assert pitch.values(t).value == pytest.approx(reach, abs=1e-15)
    assert pitch.values(np.linspace(half, 2 * np.pi - half, 9)).value == pytest.approx(base + radius, abs=1e-15)
    with pytest.raises(ValueError, match="must be convex"):
        planar.cam_motion(pitch, planar.FlatFace())
    run = planar.run_cam(planar.CamTappet(pitch, spring=6000.0, speed=60.0, friction=0.0), 1.0)
    assert not run.lift_offs


def test_a_cam_of_circular_arcs_with_a_flat_face():
    """Textbook: lift (flank - base)(1 - cos t) on the flank, distance cos t + nose on the nose."""
    base, nose, distance, flank = 0.02, 0.006, 0.025, 0.06
    arcs = planar.circular_arc_cam(base, nose, distance, flank)
    pitch = planar.pitch_from_arcs(arcs, 0.01)
    motion = planar.cam_motion(pitch, planar.FlatFace())
    first, last = arcs[1].start + np.pi / 2, arcs[1].end + np.pi / 2
    t = np.linspace(0, last - first, 50)[1:-1]
    for sign in (-1, 1):
        q, q1, q2 = motion.values(sign * (last - t))
        assert q == pytest.approx(base + (flank - base) * (1 - np.cos(t)), abs=1e-13)
        assert q1 == pytest.approx(-sign * (flank - base) * np.sin(t), abs=1e-11)
        assert q2 == pytest.approx((flank - base) * np.cos(t), abs=1e-8)
        assert motion.contact(sign * (last - t)).curvature == pytest.approx(1 / flank, rel=1e-6)
    t = np.linspace(-first, first, 50)[1:-1]
    assert motion.values(t).value == pytest.approx(distance * np.cos(t) + nose, abs=1e-13)
    assert motion.travel == pytest.approx(distance + nose - base, abs=1e-9)


def test_polygons_with_rollers():
    """Straight sides and corners: the roller touches at the pitch function, by the solver."""
    corners = [[2, 1], [-2, 1], [-2, -1], [2, -1]]
    for shape in (planar.Polygon([[1, 1], [-1, 1], [0, -1]], 0.1), planar.Polygon(corners)):
        at = planar.pitch_from_shape(shape, 0.3).at(ALPHA)
        found = planar.contact(shape, planar.Circle(0.3), None, (0.0, at.centre))
        assert np.abs(found.distance).max() < 1e-12
    assert planar.pitch_from_shape(planar.Polygon(corners, 0.1), 0.3).uniqueness()


def test_hollow_flanks():
    """Concave arcs that touch the base circle and the nose from outside: the roller's centre runs on a circle."""
    base, nose, distance, hollow, radius = 0.02, 0.006, 0.03, 0.05, 0.01
    y = ((nose + hollow) ** 2 - (base + hollow) ** 2 - distance**2) / (2 * distance)
    centre_ = np.array([np.sqrt((base + hollow) ** 2 - y**2), y])
    low, high = np.arctan2(y, centre_[0]), np.arctan2(y + distance, centre_[0])
    arcs = [
        planar.Arc((0.0, -distance), nose, -np.pi - high, high),
        planar.Arc(tuple(centre_), -hollow, high, low),
        planar.Arc((0.0, 0.0), base, low, np.pi - low),
        planar.Arc((-centre_[0], y), -hollow, np.pi - low, np.pi - high),
    ]
    pitch = planar.pitch_from_arcs(arcs, radius)
    at = pitch.at(np.linspace(0, 2 * np.pi, 4001))
    inside = at.curvature < 0
    assert inside.sum() > 300
    distances = np.linalg.norm(np.abs(at.centre * [1, 0]) + at.centre * [0, 1] - centre_, axis=1)
    assert distances[inside] == pytest.approx(hollow - radius, abs=1e-13)
    assert at.curvature[inside] == pytest.approx(-1 / hollow, rel=1e-6)
    with pytest.raises(ValueError, match="has a cusp"):
        planar.pitch_from_arcs(arcs, 1.01 * hollow)
    with pytest.raises(ValueError, match="arcs must turn the normal by 2 pi"):
        planar.pitch_from_arcs(arcs[:3], radius)


def lobes(alpha):
    """Three steep lobes."""
    c, s = 0.01 * np.cos(3 * alpha), 0.01 * np.sin(3 * alpha)
    return 0.03 + c, -3 * s, -9 * c


def test_what_cannot_work_is_refused():
    disc = planar.Circle(DISC).translate([ECCENTRIC, 0])
    with pytest.raises(TypeError, match="cam must be a Pitch or a planar Shape"):
        planar.cam_motion(3.0)
    with pytest.raises(TypeError, match="follower must be given for a Shape"):
        planar.cam_motion(disc)
    with pytest.raises(TypeError, match="follower must be a Follower"):
        planar.cam_motion(disc, 0.01)
    with pytest.raises(ValueError, match="its arm cannot reach the pitch curve"):
        planar.cam_motion(disc, planar.SwingingRoller((0.2, 0.0), 0.05, 0.01))
    with pytest.raises(ValueError, match="its line of motion passes the point"):
        planar.cam_motion(disc, planar.Roller(0.01, offset=0.06))
    with pytest.raises(ValueError, match="the follower jams"):
        planar.cam_motion(planar.Pitch(planar.PeriodicFunction(lobes), 1e-3), planar.Roller(1e-3, offset=0.019))
    with pytest.raises(ValueError, match="follower must not run inside"):
        planar.cam_motion(planar.cam_pitch(0.01), planar.Roller(0.01, inside=True))
    with pytest.raises(ValueError, match="must be convex"):
        planar.cam_motion(planar.cam_pitch(0.01), planar.FlatFace())
    with pytest.raises(ValueError, match="pivot must be a point"):
        planar.SwingingFlat((0.0, 0.0))
    with pytest.raises(ValueError, match="side must be 1 or -1"):
        planar.SwingingFlat((0.1, 0.0), side=0)
    with pytest.raises(ValueError, match="follower with a radius > 0"):
        planar.CamTappet(planar.cam_motion(disc, planar.KnifeEdge()))
    with pytest.raises(ValueError, match="arcs must join with a common tangent"):
        planar.pitch_from_arcs([planar.Arc((0, 0), 0.1, 0, np.pi), planar.Arc((0, 0), 0.2, np.pi, 2 * np.pi)], 0.01)


def test_pictures_and_pages_of_all_followers():
    pytest.importorskip("matplotlib")
    from tangency.planar.animation import cam_page
    from tangency.planar.draw import cam_picture

    for follower, _ in (CASES[4], CASES[5], CASES[9]):
        cam = planar.CamTappet(motion_of(follower), friction=0.0, speed=10.0)
        cam = replace(cam, mass=1e-4, spring=3.0, rest=1.0) if follower.swings else cam
        run = planar.run_cam(cam, 0.2, samples=60)
        assert not follower.swings or cam_picture(run).startswith(b"\x89PNG")
        assert "lift-offs in 0.2 revolutions" in cam_page(run)
