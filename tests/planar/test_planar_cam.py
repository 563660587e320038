"""The cam with roller tappet (Römer 2-D, section 6.2)."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from planar_families import directions, turned
from tangency import planar
from tangency.planar.cam.tappet import tappet_rates


@pytest.fixture(scope="module")
def paper():
    """Three revolutions with the paper's parameters."""
    return planar.run_cam(planar.CamTappet(), 3.0)


def test_lifts_off_once_per_revolution(paper):
    """Fig. 8: over the nose the roller leaves the cam, flies, and comes down behind it, every revolution."""
    cam = paper.cam
    assert len(paper.lift_offs) == 3
    turns = np.array([event.alpha for event in paper.lift_offs]) / (2 * np.pi)
    assert np.floor(turns).tolist() == [0, 1, 2]
    nose = 2 * np.pi / 3 * (1 + 3 / 7)  # where g' = 0
    for event in paper.lift_offs:
        alpha = event.alpha % (2 * np.pi)
        assert 2 * np.pi / 3 < alpha < nose  # the acceleration of the lift turns negative before the nose
        assert cam.pitch.values(alpha).second < 0
        back = min(e.alpha for e in paper.events if e.kind == "impact" and e.time > event.time) - event.alpha
        assert alpha + back > nose
    assert 1e-3 < paper.highest_gap < 2.5e-3
    # After the first revolution the motion is periodic.
    assert np.diff(turns)[1] == pytest.approx(1.0, abs=1e-4)


def test_gap_is_not_negative_but_for_the_hertz_penetration(paper):
    """In flight exactly, in contact up to the deformation that the forces ask for."""
    touching = paper.forces.penetration > 0
    assert (paper.forces.normal[~touching] == 0).all()
    assert (paper.gap[~touching] >= 0).all()
    # Hertz: the impact's kinetic energy is stored at the deepest penetration (Eqs. 103, 104).
    speed = max(event.speed for event in paper.events if event.kind == "impact")
    alpha = np.linspace(0, 2 * np.pi, 720)
    g, g1, g2 = paper.cam.pitch.values(alpha)
    bend = (g * g + 2 * g1 * g1 - g * g2) / np.hypot(g, g1) ** 3
    softest = paper.cam.stiffness * np.sqrt((0.01 * (1 - 0.01 * bend)).min())
    assert -paper.gap.min() < 1.1 * (1.25 * 0.025 * speed**2 / softest) ** 0.4
    for start, end in paper.flights:
        inside = (paper.time > start) & (paper.time < end)
        assert (paper.gap[inside] >= 0).all()


def test_stiffer_spring_keeps_contact():
    run = planar.run_cam(planar.CamTappet(spring=2000.0), 2.0)
    assert run.events == ()
    assert (run.gap < 0).all()
    # Then the motion is that of the rigid cam, and the force that of Eq. (106a).
    g, _, g2 = run.cam.pitch.values(run.alpha)
    assert run.distance == pytest.approx(g, abs=1e-5)
    lift = run.forces.normal * run.cam.pitch.values(run.alpha).value / np.hypot(*run.cam.pitch.values(run.alpha)[:2])
    rigid = 2000.0 * g + 0.025 * 100.0**2 * g2
    smooth = run.time > 0.01
    assert np.abs(lift - rigid)[smooth].max() < 0.05 * rigid.max()


def test_printed_k_changes_little(paper):
    """k = 100 m/s as printed makes friction vanish nearly; the lift-off does not depend on it."""
    run = planar.run_cam(planar.CamTappet(slip_speed=100.0), 1.0)
    assert len(run.lift_offs) == 1
    assert run.lift_offs[0].alpha == pytest.approx(paper.lift_offs[0].alpha, abs=2e-3)


def test_converged_in_the_tolerance():
    """A tighter tolerance changes the events little: they are located, not sampled."""
    coarse, fine = (planar.run_cam(planar.CamTappet(), 0.7, rtol=rtol) for rtol in (1e-8, 1e-10))
    kinds = [event.kind for event in fine.events]
    assert [event.kind for event in coarse.events] == kinds
    for one, two in zip(coarse.events[:4], fine.events[:4]):
        assert one.time == pytest.approx(two.time, abs=2e-6)
        assert one.speed == pytest.approx(two.speed, abs=2e-3)
    finer = planar.run_cam(planar.CamTappet(), 0.7, samples=2000)
    assert finer.events[0].time == pytest.approx(coarse.events[0].time, abs=1e-7)


def test_events_are_roots(paper):
    for event in paper.events[:10]:
        k = np.abs(paper.time - event.time).argmin()
        assert abs(paper.gap[k]) < 1e-9
    impacts = [event for event in paper.events if event.kind == "impact"]
    assert all(event.speed > 0 for event in impacts)
    assert all(event.speed < 0 for event in paper.events if event.kind != "impact")
    # Restitution: Hunt and Crossley's law loses energy in every impact.
    for before, after in zip(paper.events, paper.events[1:]):
        if before.kind == "impact" and after.kind == "rebound":
            assert 0.4 < -after.speed / before.speed < 0.95


def test_flight_is_the_spring_alone(paper):
    start, end = paper.flights[0]
    inside = (paper.time > start) & (paper.time < end)
    energy = 0.5 * 0.025 * paper.velocity**2 + 0.5 * 200.0 * paper.distance**2
    assert np.ptp(energy[inside]) < 1e-12 * energy[inside].max()
    assert np.ptp(paper.roller_rate[inside]) == 0


def test_forces_from_first_principles():
    """Eqs. (91)-(106) in vectors, against the compiled formulas."""
    cam = planar.CamTappet(friction=0.4, slip_speed=0.5)
    rng = np.random.default_rng(3)
    for _ in range(20):
        alpha = rng.uniform(0, 2 * np.pi)
        g = float(cam.pitch.values(alpha).value)
        depth = rng.uniform(1e-7, 1e-5)
        s, v, spin = g - depth, rng.normal(), 100 * rng.normal()
        at = cam.pitch.at(alpha)
        # From the frame of the cam to K: turned by -alpha, the roller's centre lies at -s k_z.
        n, t, c = (turned(-alpha, value) for value in (at.normal, at.tangent, at.point))
        m = np.array([0.0, -s])
        on_roller = m + cam.pitch.radius * n  # Eqs. (92), (93)
        delta = (on_roller - c) @ n  # Eq. (101)
        omega = -cam.speed  # counter-clockwise rate of the cam
        v_cam = omega * np.array([-c[1], c[0]])
        arm = on_roller - m
        v_roller = np.array([0.0, -v]) - spin * np.array([-arm[1], arm[0]])
        rate, slip = (v_roller - v_cam) @ n, (v_roller - v_cam) @ t  # Eq. (102)
        stiffness = cam.stiffness / np.sqrt(1 / cam.pitch.radius + float(at.curvature))  # Eq. (104)
        normal = max(stiffness * delta**1.5 * (1 + 0.3 * rate), 0.0)  # Eq. (103)
        friction = 0.4 * np.tanh(slip / 0.5) * normal  # Eq. (105)
        found = cam.forces(alpha, [s, v, 0.0, spin], 2.0)  # 1.5 (1 - 0.6) / 2 = 0.3
        for mine, exact in zip(found, (delta, rate, slip, normal, friction)):
            assert mine[0] == pytest.approx(exact, rel=1e-9, abs=1e-12)
        force = -(normal * n + friction * t)  # on the roller
        given = cam.numbers(2.0), cam.compiled_laws(), cam.compiled_table
        rates = tappet_rates(alpha / cam.speed, np.array([s, v, 0.0, spin]), *given)
        assert rates[1] == pytest.approx(-(force[1] + 200.0 * s) / 0.025, rel=1e-7)
        moment = arm[0] * force[1] - arm[1] * force[0]  # counter-clockwise
        assert rates[3] == pytest.approx(-moment / cam.roller_inertia, rel=1e-7, abs=1e-7)


def test_lift_off_speed():
    """The simulated tappet leaves the cam where the rigid one would, within the vibration of its contact."""
    cam = planar.CamTappet()
    alpha = np.linspace(2 * np.pi / 3, 4 * np.pi / 3, 200001)[1:-1]
    g, _, g2 = cam.pitch.values(alpha)
    rigid = np.sqrt((200.0 * g / (-0.025 * g2))[g2 < 0].min())
    assert cam.rigid_lift_off_speed() == pytest.approx(rigid, rel=1e-6)
    found = planar.lift_off_speed(cam, rtol=2e-3)
    assert found == pytest.approx(rigid, rel=0.01)
    assert not planar.run_cam(replace(cam, speed=0.99 * found), 1.0).events
    assert planar.run_cam(replace(cam, speed=1.01 * found), 1.0).events
    sweep = planar.sweep_speed(cam, [0.8 * found, 1.2 * found], 1, settle=1)
    assert sweep.lift_offs.tolist() == [0.0, 1.0]
    assert sweep.highest_gap[0] == 0 < sweep.highest_gap[1]
    assert sweep.impacts[0] == 0 < 5 < sweep.impacts[1]
    assert planar.lift_off_speed(replace(cam, spring=800.0), rtol=5e-3) == pytest.approx(2 * rigid, rel=0.02)


def smooth_flights(speed, turns):
    """(F, 2) angles at which a roller without friction leaves the paper's cam and meets it again.

    One mass, integrated by SciPy from the formulas of the paper: no code of the library takes part.
    """
    radius, mass, spring, restitution = 0.01, 0.025, 200.0, 0.6
    a, b, k = 2 / 3 * np.pi, 4 / 3 * np.pi, 0.01 / 3

    def pitch(alpha):
        u, v = alpha % (2 * np.pi) - a, b - alpha % (2 * np.pi)
        if u < 0 or v < 0:
            return 2 * radius, 0.0, 0.0
        g1, g2 = u**2 * v**3 * (3 * v - 4 * u), u * v**2 * (6 * v * v - 24 * u * v + 12 * u * u)
        return 2 * radius + k * u**3 * v**4, k * g1, k * g2  # Eq. (90)

    def rates(t, y, touching, damping):
        g, g1, g2 = pitch(speed * t)
        d = np.hypot(g, g1)
        force = 0.0
        if touching:
            depth, rate = (g - y[0]) * g / d, (speed * g1 - y[1]) * g / d  # Eqs. (101), (102a)
            reduced = radius * (1 - radius * (g * g + 2 * g1 * g1 - g * g2) / d**3)  # 1 / (1/R + kappa), Eq. (71a)
            stiffness = 4 / 3 * 2.1e11 / (2 * (1 - 0.3**2)) * np.sqrt(reduced)  # Eq. (104)
            force = stiffness * max(depth, 0.0) ** 1.5 * max(1 + damping * rate, 0.0)  # Eq. (103)
        return [y[1], (force * g / d - spring * y[0]) / mass]

    def gap(t, y, *_):
        return y[0] - pitch(speed * t)[0]

    gap.terminal = True
    cam = planar.CamTappet()
    t, y, touching, impact, flights = 0.0, [2 * radius - 1e-6, 0.0], True, cam.impact_floor, []
    while t < turns * 2 * np.pi / speed:
        gap.direction = 1.0 if touching else -1.0
        damping = 1.5 * (1 - restitution) / max(impact, cam.impact_floor)
        step = (0.05 if touching else 0.01) / speed
        y[0] = min(y[0], pitch(speed * t)[0] - 1e-13) if touching else max(y[0], pitch(speed * t)[0] + 1e-13)
        found = solve_ivp(
            rates,
            (t, turns * 2 * np.pi / speed),
            y,
            "LSODA" if touching else "DOP853",
            args=(touching, damping),
            events=gap,
            rtol=1e-7,
            atol=[1e-11, 1e-8],
            max_step=step,
        )
        if not touching:
            flights.append([speed * t, speed * found.t[-1]])
        t, y = found.t[-1], found.y[:, -1].copy()
        impact, touching = speed * pitch(speed * t)[1] - y[1], not touching
    return np.array(flights).reshape(-1, 2)


@pytest.mark.parametrize(("speed", "turns"), [(76.0, 2), (97.0, 3), pytest.param(120.0, 4, marks=pytest.mark.full)])
def test_lift_offs_per_turn(speed, turns):
    """Once per turn the roller is in the air where the rigid contact force ends being negative, above 78 rad/s."""
    flights = smooth_flights(speed, turns) / (2 * np.pi)
    alpha = np.linspace(2 * np.pi / 3, 4 * np.pi / 3, 100001)[1:-1]
    u, v = alpha - 2 * np.pi / 3, 4 * np.pi / 3 - alpha
    g, g2 = 0.02 + 0.01 / 3 * u**3 * v**4, 0.01 / 3 * u * v**2 * (6 * v * v - 24 * u * v + 12 * u * u)
    pulled = alpha[0.025 * speed**2 * g2 + 200.0 * g < 0] / (2 * np.pi)
    after = flights[flights[:, 0] > turns - 1.75]
    over = [s for s, e in after if len(pulled) and (np.floor(s - pulled[-1]) < np.floor(e - pulled[-1]))]
    sweep = planar.sweep_speed(planar.CamTappet(friction=0.0), [speed], 1, settle=turns - 1)
    assert sweep.lift_offs[0] == (1.0 if speed > 78.21 else 0.0)
    assert len(over) == (2 if speed > 78.21 else 0)
    run = planar.run_cam(planar.CamTappet(friction=0.0, speed=speed), turns)
    mine = np.array([event.alpha for event in run.lift_offs if event.alpha > 2 * np.pi * (turns - 1.75)]) / (2 * np.pi)
    assert mine == pytest.approx(np.array(over), abs=5e-3)  # bounces amplify roundings


def test_counts_do_not_depend_on_where_a_turn_begins():
    """The same cam turned on its shaft, so that events fall on the border between turns."""
    cam = planar.CamTappet(friction=0.0)
    lift = planar.run_cam(replace(cam, speed=90.0), 2).lift_offs[-1].alpha
    for shift in (lift - 1e-7, lift + 1e-7, 1.0):

        def turned_cam(alpha, shift=shift):
            return cam.pitch.function(alpha + shift)

        breaks = (np.array([2 / 3, 4 / 3]) * np.pi - shift) % (2 * np.pi)
        pitch = planar.Pitch(planar.PeriodicFunction(turned_cam, breaks=np.sort(breaks)), 0.01)
        sweep = planar.sweep_speed(replace(cam, pitch=pitch), [90.0], 2, settle=1)
        assert sweep.lift_offs.tolist() == [1.0]
        assert sweep.periodic.all()


def test_any_cam_any_roller():
    """An eccentric disc from measured points, and another roller on the paper's cam."""
    t = np.arange(120) * np.pi / 60
    disc = 0.02 * directions(t) + [0.005, 0.0]
    cam = planar.CamTappet(planar.pitch_from_profile(disc, 0.008), speed=50.0)
    run = planar.run_cam(cam, 2.0)
    assert run.events == ()
    exact = 0.005 * np.sin(run.alpha) + np.sqrt(0.028**2 - (0.005 * np.cos(run.alpha)) ** 2)
    assert run.distance == pytest.approx(exact, abs=2e-6)
    other = planar.CamTappet(planar.cam_pitch(0.01).change_radius(0.006))
    assert len(planar.run_cam(other, 1.0).lift_offs) == 1


def test_starts_on_the_moving_cam():
    """A cam whose lift changes at alpha = 0: no impact and no lift-off that the rigid tappet would not have."""
    u = np.arange(90) * np.pi / 45
    profile = (0.02 + 0.004 * np.cos(u) + 0.0015 * np.cos(3 * u))[:, None] * directions(u)
    cam = planar.CamTappet(planar.pitch_from_profile(profile, 0.006), speed=60.0)
    _, g1, _ = cam.pitch.values(0.0)
    run = planar.run_cam(cam, 1.0)
    assert run.events == ()
    assert run.velocity[0] == pytest.approx(60.0 * g1)
    assert run.forces.slip[0] == pytest.approx(0.0, abs=1e-12)
    assert planar.lift_off_speed(cam, rtol=5e-3) == pytest.approx(cam.rigid_lift_off_speed(), rel=0.15)


def test_starts_in_the_air():
    """At alpha = 0 the nose falls away faster than the spring can push."""
    pitch = planar.Pitch(
        planar.PeriodicFunction(lambda a: (0.03 + 0.004 * np.cos(a), -0.004 * np.sin(a), -0.004 * np.cos(a))), 0.01
    )
    run = planar.run_cam(planar.CamTappet(pitch, speed=400.0), 1.0)
    assert run.events[0][:3] == ("lift-off", 0.0, 0.0)
    assert run.flights[0, 0] == 0.0 < 1e-3 < run.flights[0, 1]
    assert run.forces.normal[0] == 0
    assert abs(run.gap[0]) < 1e-12


def test_wants_a_tappet():
    with pytest.raises(TypeError, match="cam must be a CamTappet"):
        planar.run_cam(planar.cam_pitch(0.01))
    with pytest.raises(TypeError, match="cam must be a CamTappet"):
        planar.lift_off_speed(planar.cam_pitch(0.01))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"speed": -1.0}, "speed must be > 0"),
        ({"restitution": 0.0}, "restitution must lie between 0"),
        ({"friction": -0.1}, "friction must be >= 0"),
        ({"modulus": (1.0,)}, "modulus must have shape"),
        ({"pitch": planar.cam_pitch(0.01).change_radius(0.0)}, "pitch must have a follower with a radius > 0"),
        ({"least_impact": 0.0}, "least_impact must be > 0"),
    ],
)
def test_bad_input(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        planar.CamTappet(**options)
    with pytest.raises(ValueError, match="revolutions must be > 0"):
        planar.run_cam(planar.CamTappet(), 0.0)


@pytest.mark.parametrize(
    ("name", "value"), [("friction", np.inf), ("rest", np.nan), ("rest", [0.01, 0.02]), ("least_impact", np.inf)]
)
def test_numbers_of_a_tappet_are_checked(name, value):
    with pytest.raises(ValueError, match=name):
        planar.CamTappet(planar.cam_pitch(0.01), **{name: value})


ECCENTRIC, DISC, ROLLER = 0.012, 0.03, 0.01


def eccentric_distance(alpha, radius):
    """Distance from the axis to the point of a circle about (ECCENTRIC, 0) at the polar angle alpha - pi/2."""
    phi = alpha - np.pi / 2
    return ECCENTRIC * np.cos(phi) + np.sqrt(radius**2 - (ECCENTRIC * np.sin(phi)) ** 2)


def test_an_eccentric_disc_in_closed_form():
    """Pitch function, its derivatives, contact point, curvature and other rollers."""
    pitch = planar.pitch_from_shape(planar.Circle(DISC).translate([ECCENTRIC, 0]), ROLLER)
    alpha, h = np.linspace(-7, 9, 1001), 1e-5
    g, g1, g2 = pitch.values(alpha)
    before, here, after = (eccentric_distance(alpha + d, DISC + ROLLER) for d in (-h, 0.0, h))
    assert np.abs(g - here).max() < 1e-15
    assert np.abs(g1 - (after - before) / (2 * h)).max() < 1e-11
    assert np.abs(g2 - (after - 2 * here + before) / h**2).max() < 1e-6
    contact = pitch.at(alpha)
    assert np.abs(np.linalg.norm(contact.point - [ECCENTRIC, 0], axis=-1) - DISC).max() < 1e-15
    assert np.abs(contact.curvature * DISC - 1).max() < 1e-8
    for radius in (0.0, 0.02):
        other = pitch.change_radius(radius).values(alpha).value
        assert np.abs(other - eccentric_distance(alpha, DISC + radius)).max() < 1e-14
    u = np.arange(60) * np.pi / 30
    ring = np.stack([ECCENTRIC + 0.05 * np.cos(u), 0.05 * np.sin(u)], axis=-1)
    inside = planar.pitch_from_profile(ring, ROLLER, concave=True)
    assert np.abs(inside.values(alpha).value - eccentric_distance(alpha, 0.05 - ROLLER)).max() < 1e-10


@pytest.mark.parametrize("samples", [720, 2])
def test_an_eccentric_disc_carries_the_force_of_a_rigid_tappet(samples):
    """Without friction and vibration the normal force is (c g + m speed^2 g'') / cos(pressure angle)."""
    pitch = planar.pitch_from_shape(planar.Circle(DISC).translate([ECCENTRIC, 0]), ROLLER)
    cam = planar.CamTappet(pitch, speed=40.0, friction=0.0, spring=500.0)
    run = planar.run_cam(cam, 2.0, samples=samples)
    g, g1, g2 = pitch.values(run.alpha)
    rigid = (cam.spring * g + cam.mass * cam.speed**2 * g2) * np.hypot(g, g1) / g
    assert not run.events
    assert np.abs(run.forces.normal - rigid).max() < 2e-4 * rigid.max()


def test_the_largest_gap_does_not_depend_on_the_number_of_samples():
    few, many = (planar.run_cam(planar.CamTappet(speed=120.0), 1.0, samples=samples) for samples in (2, 2000))
    assert few.highest_gap == pytest.approx(many.highest_gap, rel=2e-3)
    assert [e.kind for e in few.events] == [e.kind for e in many.events]


def test_a_spring_that_pulls_lifts_off_at_any_speed():
    cam = planar.CamTappet(rest=-1.0)
    assert cam.rigid_lift_off_speed() == 0.0
    assert planar.lift_off_speed(cam) == 0.0
