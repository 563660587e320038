"""Slip, flight and landing of a rolling body against closed forms and independent integrations."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tangency import planar
from tangency.planar.rolling.point_impact import impact, mobility

G = 9.81
SHAPE = planar.foot_shape(0.1)


def balanced(run):
    """Energy, friction and impacts balance to 1e-8 of the energy."""
    return run.balance_error < 1e-8 * max(abs(run.energy).max(), 1e-6)


# ---- closed forms ----------------------------------------------------------------------------------
def test_a_bowled_disc_slips_then_rolls():
    """v = v0 - mu g t until t = v0 / (3 mu g); two thirds of the speed remain, one third of the energy is lost."""
    mu, v0, r = 0.2, 1.5, 0.1
    disc = planar.RollingFoot(planar.Circle(r), mass=2.0, friction=mu, sole=None)
    run = disc.run(rate=0.0, slip=v0, duration=1.0)
    stop = v0 / (3 * mu * G)
    grip = [event for event in run.events if event.kind == "grip"]
    assert len(run.events) == len(grip) == 1
    assert grip[0].time == pytest.approx(stop, rel=1e-11)
    slips = run.time < stop
    assert (run.phase == np.where(slips, "slip", "roll")).all()
    assert run.velocity[:, 0] == pytest.approx(np.where(slips, v0 - mu * G * run.time, 2 / 3 * v0), abs=1e-11)
    assert run.rate == pytest.approx(np.where(slips, 2 * mu * G / r * run.time, 2 / 3 * v0 / r), abs=1e-9)
    assert run.friction_loss[-1] == pytest.approx(0.5 * 2.0 * v0**2 / 3, rel=1e-11)
    assert balanced(run)


def test_a_disc_on_a_slope():
    """It rolls if mu >= tan(slope) / 3, with 2/3 g sin; else it slips with g (sin - mu cos)."""
    slope = 0.5
    for mu, pull in ((0.15, G * (math.sin(slope) - 0.15 * math.cos(slope))), (0.19, 2 / 3 * G * math.sin(slope))):
        disc = planar.RollingFoot(planar.Circle(0.1), friction=mu, slope=slope, sole=None)
        run = disc.run(duration=1.0)
        assert run.velocity[:, 0] == pytest.approx(pull * run.time, abs=1e-10)
        assert balanced(run)


def test_a_bouncing_disc():
    """Without friction in the way: heights by e^2, flights of 2 v / g, and rest after them."""
    r, drop, e = 0.1, 0.3, 0.6
    disc = planar.RollingFoot(planar.Circle(r), mass=1.5, restitution=e, friction=0.3)
    run = disc.run(height=drop, duration=2.0, samples=2001)
    speed = math.sqrt(2 * G * drop)
    landings = [event for event in run.events if event.kind == "landing"]
    times = np.array([event.time for event in landings])
    assert times[0] == pytest.approx(math.sqrt(2 * drop / G), rel=1e-12)
    assert np.diff(times)[:8] == pytest.approx(2 * speed * e ** np.arange(1, 9) / G, rel=1e-7)
    assert [event.loss for event in landings[:6]] == pytest.approx(
        [0.5 * 1.5 * speed**2 * e ** (2 * k) * (1 - e * e) for k in range(6)], rel=1e-9
    )
    assert run.phase[-1] == "roll"
    assert run.reference[-1, 1] == pytest.approx(r, abs=1e-14)
    assert run.impact_loss[-1] == pytest.approx(1.5 * G * drop, rel=1e-9)
    assert balanced(run)


def test_a_disc_leaves_the_top_of_a_circle():
    """A disc that rolls down from the top leaves at cos = 4/7 (no slip); in flight it follows a parabola."""
    disc = planar.RollingFoot(planar.Circle(0.05), ground_radius=0.3, sole=None)
    run = disc.run(alpha=1e-2, duration=2.5, only_rolling=True)
    assert run.end == "lift-off"
    turn = math.atan2(*(run.contact[-1] + np.array([0.0, 0.3])))
    # the start is not exactly at rest on top
    assert math.cos(turn) == pytest.approx(4 / 7 * math.cos(1e-2 * 0.05 / 0.3), rel=1e-9)
    flight = disc.run(alpha=1e-2, duration=run.end_time + 0.1)
    assert flight.phase[-1] == "flight"
    assert flight.linear_acceleration[-1] == pytest.approx([0, -G])
    assert balanced(flight)


def test_a_marble_in_a_bowl():
    """Small oscillations of a rolling disc: frequency^2 = 2 g / (3 (R - r))."""
    r, big = 0.05, 0.4
    disc = planar.RollingFoot(planar.Circle(r), ground_radius=-big, sole=None)
    run = disc.run(alpha=1e-4, duration=3.0)
    angle = np.arctan2(run.reference[:, 0], big - run.reference[:, 1])
    assert angle == pytest.approx(angle[0] * np.cos(math.sqrt(2 * G / (3 * (big - r))) * run.time), abs=1e-9)
    assert balanced(run)


# ---- impacts ---------------------------------------------------------------------------------------
def stepped_impact(at, slip, approach, restitution, mu, steps=200_000):
    """The impulse in small steps, with a friction force that opposes the slip or holds it at zero."""
    v, w, p, q, work, compression, recovered = slip, approach, 0.0, 0.0, 0.0, 0.0, 0.0
    dp = 4.0 * (abs(approach) + mu * abs(slip)) / at.normal / steps
    turned = False
    while True:
        if abs(v) > at.along * mu * dp:
            dq = -math.copysign(mu * dp, v)
        else:
            dq = min(max(-(v + at.coupling * dp) / at.along, -mu * dp), mu * dp)
        nv, nw = v + at.along * dq + at.coupling * dp, w + at.normal * dp + at.coupling * dq
        gain = 0.5 * (w + nw) * dp
        work += gain + 0.5 * (v + nv) * dq
        v, w, p, q = nv, nw, p + dp, q + dq
        if not turned and w >= 0.0:
            turned = True
        elif not turned:
            compression -= gain
        else:
            recovered += gain
        if turned and recovered >= restitution**2 * compression:
            return q, p, v, w, work


def test_impacts_against_small_steps():
    """Random bodies, slips and frictions, with sliding, sticking and slip reversal among them."""
    rng = np.random.default_rng(3)
    kinds = set()
    for _ in range(40):
        at = mobility(1.0, float(rng.uniform(0.02, 0.6)), float(rng.normal()), float(rng.uniform(0.1, 1.5)))
        slip, approach, e, mu = (
            float(rng.normal()),
            -float(rng.uniform(0.2, 2)),
            float(rng.uniform()),
            float(rng.uniform()),
        )
        found = impact(at, slip, approach, e, (mu, mu))
        size = abs(approach) + abs(slip)
        assert found[:4] == pytest.approx(stepped_impact(at, slip, approach, e, mu, 20_000)[:4], abs=2e-3 * size)
        # the work is the change of the kinetic energy: sum of impulses times mean velocities
        mean = 0.5 * (found.tangential * (slip + found.slip) + found.normal * (approach + found.departure))
        assert found.work == pytest.approx(mean, abs=1e-13)
        assert found.work <= 1e-15
        assert found.departure >= 0
        kinds.add("stick" if found.slip == 0.0 else "back" if found.slip * slip < 0 else "slide")
    assert kinds == {"stick", "back", "slide"}


def test_elastic_and_frictionless_limits():
    at = mobility(2.0, 0.1, -0.3, 0.4)
    bounced = impact(at, 0.5, -1.0, 1.0, (1e-300, 1e-300))
    assert bounced.work == pytest.approx(0.0, abs=1e-14)
    assert bounced.departure == pytest.approx(1.0, rel=1e-13)
    held = impact(at, 0.5, -1.0, 0.0, (math.inf, math.inf))
    assert held.slip == held.departure == 0.0
    inverse = np.linalg.inv([[at.along, at.coupling], [at.coupling, at.normal]])
    assert [held.tangential, held.normal] == pytest.approx(inverse @ [-0.5, 1.0], rel=1e-13)


def test_ice():
    """Without friction the centre of mass moves up and down only, and its height and the angle exchange energy."""
    a, b, inertia = 0.1, 0.06, 0.002
    run = planar.RollingFoot(planar.Ellipse([a, b]), inertia=inertia, friction=0.0, sole=None).run(
        alpha=0.4, duration=2.0
    )
    assert set(run.phase) == {"slip"}
    assert run.message.endswith("it slipped all the time.")
    height = np.hypot(b * np.cos(run.alpha), a * np.sin(run.alpha))
    slope = (a * a - b * b) * np.sin(2 * run.alpha) / (2 * height)
    energy = 0.5 * (slope**2 + inertia) * run.rate**2 + G * height
    assert energy == pytest.approx(np.full_like(energy, energy[0]), rel=1e-9)
    assert run.alpha.min() == pytest.approx(-0.4, abs=1e-3)
    assert run.friction_loss.max() == 0.0
    assert np.abs(run.point([0.0, 0.0]).velocity[:, 0]).max() < 1e-9
    disc = planar.RollingFoot(planar.Circle(0.1), friction=0.0, sole=None).run(rate=1.0, slip=0.0, duration=1.0)
    assert disc.end == "time"
    assert disc.alpha == pytest.approx(disc.time, abs=1e-9)


@pytest.mark.parametrize("gravity", [-9.81, 0.0])
def test_gravity_that_does_not_hold_the_body(gravity):
    shape = planar.foot_shape(0.1)
    run = planar.RollingFoot(shape, gravity=gravity, centre_of_mass=shape.centroid, friction=0.5).run(0.3, duration=0.5)
    height = run.point(shape.centroid).position[:, 1]
    assert run.end == "time"
    assert height - height[0] == pytest.approx(-0.5 * gravity * run.time**2, abs=1e-9)


# ---- an independent integration --------------------------------------------------------------------
def by_constraints(a, b, mu, start, side, times):
    """A slipping ellipse in x, y and angle: the constraint force from the second derivative of the gap."""
    m, inertia = 1.0, (a * a + b * b) / 4

    def f(angle):
        return math.sqrt(b * b * math.cos(angle) ** 2 + a * a * math.sin(angle) ** 2)

    def derivatives(angle):
        f0 = f(angle)
        f1 = (a * a - b * b) * math.sin(2 * angle) / (2 * f0)
        return f0, f1, ((a * a - b * b) * math.cos(2 * angle) - f1 * f1) / f0

    def rates(_, y):
        height, f1, f2 = derivatives(y[2])
        # rows: x, y and turning equations, and the gap's second derivative
        matrix = [[m, 0, 0, mu * side], [0, m, 0, -1], [0, 0, inertia, f1 - mu * side * height], [0, 1, -f1, 0]]
        x2, y2, turn2, _ = np.linalg.solve(matrix, [0, -m * G, 0, f2 * y[5] ** 2])
        return [*y[3:], x2, y2, turn2]

    return solve_ivp(rates, (0, times[-1]), start, t_eval=times, method="DOP853", rtol=1e-12, atol=1e-13).y


def test_slip_of_an_ellipse():
    a, b, mu = 0.12, 0.07, 0.15
    foot = planar.RollingFoot(planar.Ellipse([a, b]), mass=1.0, friction=mu, sole=None)
    run = foot.run(alpha=0.3, rate=2.0, slip=1.0, duration=0.15, samples=16)
    assert (run.phase == "slip").all()
    start = [*run.reference[0], 0.3, *run.velocity[0], 2.0]
    y = by_constraints(a, b, mu, start, 1.0, run.time)
    assert pytest.approx(y[:2], abs=1e-11) == run.reference.T
    assert run.alpha == pytest.approx(y[2], abs=1e-10)
    assert run.rate == pytest.approx(y[5], abs=1e-9)
    assert balanced(run)


# ---- everything at once ----------------------------------------------------------------------------
CASES = {
    "dropped": (dict(friction=0.4, restitution=0.3), dict(alpha=0.3, height=0.05, velocity=[0.8, 0.0], rate=3.0)),
    "slippery": (dict(friction=0.12), dict(alpha=0.5, rate=-2.0, duration=3.0)),
    "two frictions": (dict(friction=0.25, sliding_friction=0.1), dict(alpha=0.45, duration=3.0)),
    "bump": (dict(friction=0.3, ground_radius=0.8), dict(alpha=0.3, height=0.02, rate=-1.0)),
    "bowl": (dict(friction=0.2, ground_radius=-0.9, restitution=0.5), dict(alpha=0.2, height=0.1, rate=4.0)),
    "rough": (dict(friction=math.inf, restitution=0.4), dict(alpha=-0.3, height=0.1, velocity=[0.5, 0.2])),
    "paradox": (dict(friction=3.0, inertia=1e-4), dict(alpha=0.7, slip=1.0, rate=0.0)),
    "paradox, other way": (dict(friction=3.0, inertia=1e-4), dict(alpha=0.7, slip=-1.0, rate=0.0)),
}


@pytest.mark.parametrize("name", CASES)
def test_energy_balances_through_all_phases(name):
    options, start = CASES[name]
    foot = planar.RollingFoot(SHAPE, centre_of_mass=SHAPE.centroid, sole=None, **options)
    run = foot.run(**{"duration": 1.0, **start})
    assert run.end == "time"
    assert balanced(run)
    assert (np.diff(run.friction_loss) >= -1e-12).all()
    assert (np.diff(run.impact_loss) >= -1e-12).all()
    assert run.gap.min() > -1e-9
    contact = run.phase != "flight"
    assert (run.force[contact, 1] >= -1e-9).all()
    if math.isfinite(foot.friction):
        assert (np.abs(run.force[:, 0]) <= foot.friction * run.force[:, 1] + 1e-9).all()
    # the acceleration of the centre is the derivative of its velocity
    events = np.array([event.time for event in run.events] or [-1.0])
    far = np.abs(run.time[1:-1, None] - events).min(axis=1) > 1.01 * run.time[1]
    slope = (run.velocity[2:] - run.velocity[:-2]) / (2 * run.time[1])
    error = np.abs(slope - run.linear_acceleration[1:-1]).max(axis=1)[far]
    assert np.median(error) < 1e-2


def test_paradox_jams():
    options, start = CASES["paradox"]
    kinds = {
        event.kind
        for side in (1.0, -1.0)
        for event in planar.RollingFoot(SHAPE, centre_of_mass=SHAPE.centroid, sole=None, **options)
        .run(**{**start, "slip": side}, duration=0.3)
        .events
    }
    assert "jam" in kinds


def test_load_at_the_ankle():
    """Its work enters the balance, and inverse dynamics finds it again."""
    ankle = SHAPE.centroid + np.array([0.01, 0.06])
    foot = planar.RollingFoot(SHAPE, mass=1.2, centre_of_mass=SHAPE.centroid, friction=2.0)

    def load(time, alpha, rate):
        return 3.0 * math.sin(5 * time), -20.0, 0.3 - 0.05 * rate

    run = foot.run(alpha=0.1, duration=0.3, load=load, ankle=ankle, samples=31)
    assert (run.phase == "roll").all()
    assert balanced(run)
    assert abs(run.load_work).max() > 0.01
    found = planar.ankle_loads(foot, ankle, run.alpha, run.rate, run.acceleration, run.force)
    given = np.array([load(t, 0.0, w) for t, w in zip(run.time, run.rate)])
    assert found.force == pytest.approx(given[:, :2], abs=1e-9)
    assert found.moment == pytest.approx(given[:, 2], abs=1e-9)
    moved = run.point(ankle)
    assert found.position == pytest.approx(moved.position, abs=1e-9)
    assert found.velocity == pytest.approx(moved.velocity, abs=1e-9)
    assert found.acceleration == pytest.approx(moved.acceleration, abs=1e-8)


@pytest.mark.parametrize(
    ("options", "start", "sentence"),
    [
        ({"restitution": 1.5}, {}, "restitution must be"),
        ({"friction": 0.2, "sliding_friction": 0.3}, {}, "sliding_friction must be at most friction"),
        ({"ground_radius": 0.0}, {}, "ground_radius must not be 0"),
        ({"ground_radius": -0.1}, {}, "radius must be larger, in magnitude, than the largest radius"),
        ({}, {"velocity": [1.0, 0.0]}, "velocity must be given only with height"),
        ({"friction": 1.0}, {"height": 0.1, "slip": 1.0}, "slip must be 0 for a start above the ground, got 1"),
        ({}, {"height": -0.1}, "height must be >= 0"),
        ({}, {"slip": 0.1}, "slip must be 0 if friction is infinite, which excludes slip, got 0.1"),
        ({}, {"ankle": [0, 0]}, "ankle must be given only with a load"),
        ({}, {"load": lambda t, a, w: (1.0, 2.0)}, "load must return a force"),
        ({"friction": 1.0}, {"slip": 0.1, "only_rolling": True}, "only_rolling must be False"),
    ],
)
def test_bad_input(options, start, sentence):
    with pytest.raises(ValueError, match=sentence):
        planar.RollingFoot(**options).run(**start)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(40))
def test_random_motions(seed):
    """Any body, ground, friction, restitution and start: the balance holds, nothing sinks into the ground."""
    rng = np.random.default_rng(seed)
    shapes = [
        planar.foot_shape(0.1),
        planar.Ellipse([0.12, 0.05]),
        planar.Circle(0.08).translate([0.03, 0.02]),
        planar.Polygon(0.1 * rng.normal(size=(6, 2))).offset(0.02),
        planar.Polygon(0.1 * rng.normal(size=(5, 2))),
    ]
    shape = shapes[seed % 5]
    ground = math.inf if seed % 5 > 2 else float(rng.choice([math.inf, 0.7, -1.5]))
    foot = planar.RollingFoot(
        shape,
        centre_of_mass=shape.centroid + 0.01 * rng.normal(size=2),
        friction=float(rng.choice([0.05, 0.3, 1.0, 3.0, math.inf])),
        restitution=float(rng.choice([0.0, 0.5, 0.9])),
        ground_radius=ground,
        slope=float(rng.uniform(-0.2, 0.2)),
        sole=None,
    )
    above = rng.random() < 0.5
    slip = float(rng.normal()) if math.isfinite(foot.friction) else 0.0
    start = {"height": 0.05, "velocity": rng.normal(size=2)} if above else {"slip": slip}
    run = foot.run(alpha=float(rng.uniform(-3, 3)), rate=float(5 * rng.normal()), duration=1.0, **start)
    # Infinite friction may hold a body by a tangential force alone where the normal force vanishes: without both it
    # would sink, with both it would be pulled, and no motion exists.
    assert run.end == "time" or (run.end == "stalled" and math.isinf(foot.friction))
    assert balanced(run)
    assert run.gap.min() > -1e-9
    assert (run.force[run.phase != "flight", 1] > -1e-8).all()
