"""The rolling foot (Römer 2-D, section 6.1)."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tangency import planar

SHAPE = planar.foot_shape(0.1)


def rocking(**options):
    """A foot whose mass is spread evenly: it stands stably near alpha = 0."""
    return planar.RollingFoot(SHAPE, centre_of_mass=SHAPE.centroid, **options)


def test_energy_over_ten_seconds():
    run = rocking().run(alpha=0.35, duration=10.0)
    assert run.end == "time"
    assert np.abs(run.energy - run.energy[0]).max() < 1e-9 * run.energy[0]
    # It rocks: through its rest and back, many times.
    rest = rocking().balance()[1]
    assert ((run.alpha[1:] > rest) != (run.alpha[:-1] > rest)).sum() > 20


def test_force_is_the_rate_of_momentum():
    """Eq. (88) against differences of the path of the centre of mass."""
    foot = rocking(mass=2.0)
    run = foot.run(alpha=0.3, duration=0.5, samples=2001)
    h = run.time[1]
    x = run.reference
    second = (-x[4:] + 16 * x[3:-1] - 30 * x[2:-2] + 16 * x[1:-3] - x[:-4]) / (12 * h * h)
    assert 2.0 * (second + np.array([0, 9.81])) == pytest.approx(run.force[2:-2], abs=1e-6)
    # and its moment about the centre of mass turns the body (clockwise angle, so with a minus)
    arm = run.contact - x
    moment = arm[:, 0] * run.force[:, 1] - arm[:, 1] * run.force[:, 0]
    assert -moment == pytest.approx(foot.inertia * run.acceleration, abs=1e-12)


@pytest.mark.parametrize("shape", [SHAPE, planar.Ellipse([0.12, 0.07])], ids=["foot", "ellipse"])
def test_force_of_a_stiff_contact(shape):
    """The free body, three coordinates, pressed on the ground by stiff springs: the same motion and force.

    The contact point and its height come from ``planar.contact`` with a Line.
    """
    foot = planar.RollingFoot(shape, centre_of_mass=shape.centroid)
    seen = foot.rolling.shape
    start = 0.25
    m, inertia, gravity = foot.mass, foot.inertia, foot.gravity
    stiffness = 4e6
    damping = 2 * 0.7 * np.sqrt(stiffness * m)
    line = planar.Line([0, 1])

    def contact(state):
        x, y, angle, vx, vy, spin, _ = state
        c = planar.contact(line, seen, None, (angle, [x, y]))
        arm = c.point_b - [x, y]
        velocity = np.array([vx - spin * arm[1], vy + spin * arm[0]])
        return float(c.distance), arm, velocity

    def forces(state):
        gap, arm, velocity = contact(state)
        normal = max(-stiffness * gap - damping * velocity[1], 0.0)
        # The tangential spring stretches with the slip of the material contact point.
        tangential = -stiffness * state[6] - damping * velocity[0]
        return normal, tangential, arm, velocity

    def rates(_, state):
        normal, tangential, arm, velocity = forces(state)
        moment = arm[0] * normal - arm[1] * tangential
        return [*state[3:6], tangential / m, normal / m - gravity, moment / inertia, velocity[0]]

    f, *_ = foot.rolling.height(start)
    force = foot.force(start, 0.0)
    # Begin with the springs loaded as the rigid solution asks.
    state = [0.0, f - force[1] / stiffness, -start, 0.0, 0.0, 0.0, -force[0] / stiffness]
    times = np.linspace(0, 0.25, 6)
    solution = solve_ivp(rates, (0, 0.25), state, method="LSODA", rtol=1e-8, atol=1e-10, t_eval=times)
    run = foot.run(alpha=start, duration=0.25, samples=6)
    assert -solution.y[2] == pytest.approx(run.alpha, abs=2e-5)
    for k in range(1, 6):
        normal, tangential, *_ = forces(solution.y[:, k])
        assert [tangential, normal] == pytest.approx(run.force[k], abs=3e-3 * m * gravity)


def test_small_rocking_of_an_ellipse():
    """Linearised Eq. (87): frequency^2 = m g f'' / (m f^2 + J) at the rest."""
    a, b = 0.12, 0.07
    foot = planar.RollingFoot(planar.Ellipse([a, b]), mass=3.0)
    assert foot.inertia == pytest.approx(3.0 * (a * a + b * b) / 4)
    assert foot.balance() == pytest.approx([-np.pi / 2, 0, np.pi / 2], abs=1e-9)
    frequency = np.sqrt(3.0 * 9.81 * (a * a - b * b) / b / (3.0 * b * b + foot.inertia))
    run = foot.run(alpha=1e-4, duration=4.0, samples=4001)
    assert run.alpha == pytest.approx(1e-4 * np.cos(frequency * run.time), abs=2e-9)


def test_centre_of_mass_is_a_change_of_reference():
    """Eq. (42): the same body seen from another point moves the same."""
    centre = np.array([0.02, -0.05])
    one = planar.RollingFoot(SHAPE, centre_of_mass=centre, inertia=0.01)
    two = planar.RollingFoot(SHAPE.seen_from(centre), inertia=0.01)
    a, b = (foot.run(alpha=0.2, duration=1.0) for foot in (one, two))
    assert a.alpha == pytest.approx(b.alpha, abs=1e-12)
    assert a.force == pytest.approx(b.force, abs=1e-10)


def test_heel_to_toe_with_the_papers_centre_of_mass():
    """P as the centre of mass stands high: the foot rolls over its sole, or falls back."""
    foot = planar.RollingFoot()
    over, back = foot.run(alpha=-1.5, rate=12.0, duration=3.0), foot.run(alpha=-1.5, rate=6.0, duration=3.0)
    assert (over.end, back.end) == ("edge", "edge")
    assert over.end_alpha == pytest.approx(np.pi / 2, abs=1e-12)
    assert back.end_alpha == pytest.approx(-np.pi / 2, abs=1e-12)
    assert over.energy == pytest.approx(over.energy[0] + 0 * over.time, rel=1e-11)
    # The speed needed follows from the energy at the highest point.
    top = foot.balance()[0]
    f, f1, _ = (float(v) for v in foot.rolling.height(-1.5))
    need = np.sqrt(2 * 9.81 * (float(foot.rolling.height(top)[0]) - f) / (f * f + f1 * f1 + foot.inertia))
    assert foot.run(alpha=-1.5, rate=1.001 * need, duration=9.0).end_alpha > 0
    assert foot.run(alpha=-1.5, rate=0.999 * need, duration=9.0).end_alpha < 0


def test_slip_is_located():
    """Eq. (89b) holds until the end, where it is an equality."""
    foot = rocking(friction=0.27)
    run = foot.run(alpha=0.3, rate=-1.0, duration=5.0, only_rolling=True)
    assert run.end == "slip"
    along, normal = foot.force(run.end_alpha, run.rate[-1])
    assert abs(along) == pytest.approx(0.27 * normal, rel=1e-9)
    assert (run.friction_demand[:-1] < 0.27).all()
    assert run.end_position == pytest.approx(run.contact[-1, 0])
    assert f"t = {run.end_time:.6g} s" in run.message
    at_once = rocking(friction=0.01).run(alpha=0.3, only_rolling=True)
    assert (at_once.end, at_once.end_time, len(at_once.time)) == ("slip", 0.0, 1)


def test_lift_off_is_located():
    """An egg that spins fast enough leaves the ground (Eq. 89a)."""
    egg = planar.RollingFoot(planar.Circle(0.1), centre_of_mass=[0.0, 0.06], inertia=0.005, sole=(-20, 20))
    assert egg.run(rate=-14.0, only_rolling=True).end_time == 0.0  # centripetal 0.06 * 14^2 > 9.81 with the mass on top
    run = egg.run(alpha=np.pi, rate=-45.0, duration=2.0, only_rolling=True)
    assert run.end == "lift-off"
    assert egg.force(run.end_alpha, run.rate[-1])[1] == pytest.approx(0.0, abs=1e-9)
    assert (run.force[:-1, 1] > 0).all()


def test_wheel_rolls_on():
    wheel = planar.RollingFoot(planar.Circle(0.1), sole=(-100, 100), friction=0.1)
    run = wheel.run(rate=3.0, duration=2.0)
    assert run.end == "time"
    assert run.alpha == pytest.approx(3.0 * run.time)
    assert run.reference[:, 0] == pytest.approx(0.3 * run.time)
    assert run.force == pytest.approx(np.array([[0.0, 9.81]] * len(run.time)), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"mass": 0.0}, "mass must be > 0"),
        ({"inertia": -1.0}, "inertia must be > 0"),
        ({"friction": -0.1}, "friction must be >= 0"),
        ({"sole": (1.0, 0.0)}, "sole must give the smaller angle first"),
        ({"shape": planar.Circle([1, 2])}, "shape must be a single body"),
        ({"centre_of_mass": [1, 2, 3]}, "centre_of_mass must have shape"),
    ],
)
def test_bad_input(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        planar.RollingFoot(**options)
    with pytest.raises(ValueError, match="alpha must lie on the sole"):
        planar.RollingFoot().run(alpha=2.0)
    with pytest.raises(ValueError, match="duration must be > 0"):
        planar.RollingFoot().run(duration=0.0)
    with pytest.raises(ValueError, match="alpha must be a single number"):
        planar.RollingFoot().run(alpha=[0.1, 0.2])


@pytest.mark.parametrize("radius", [0.0, 0.02])
def test_straight_pieces(radius):
    square = planar.Polygon([[0.1, 0.1], [-0.1, 0.1], [-0.1, -0.1], [0.1, -0.1]], radius=radius)
    with pytest.raises(ValueError, match=r"ground_radius must be inf for a sole with straight sides.* alpha = "):
        planar.RollingFoot(square, sole=(-1.0, 1.0), ground_radius=1.0)
    # Over a corner alone it rolls.
    run = planar.RollingFoot(square, sole=(0.1, 1.4)).run(alpha=0.7, rate=0.2)
    assert run.end == "edge"
    assert repr(run).startswith("FootRun(501 times until ")


def test_flat_places():
    """Mild ones are rolled over, energy kept; others are named."""
    run = planar.RollingFoot(planar.Superellipse([0.1, 0.05], 2.5)).run(alpha=0.3, duration=0.5)
    assert np.abs(run.energy - run.energy[0]).max() < 1e-9 * run.energy[0]
    with pytest.raises(ValueError, match=r"shape is flat at alpha = .* cannot be integrated"):
        planar.RollingFoot(planar.Superellipse([0.1, 0.05], 4)).run(alpha=0.3)


def test_a_circle_balances_everywhere():
    assert planar.RollingFoot(planar.Circle(0.1)).balance().shape == (0,)
    assert planar.RollingFoot(planar.Circle(0.1).translate([0.3, 0.1]), centre_of_mass=[0.3, 0.1]).balance().size == 0


def test_a_short_lift_off_is_seen():
    shape = planar.foot_shape(0.1)
    run = planar.RollingFoot(shape, centre_of_mass=shape.centroid).run(
        alpha=-1.3, rate=11.2, duration=2.0, only_rolling=True
    )
    assert run.end == "lift-off"
    assert run.time[-1] == pytest.approx(0.013664, abs=1e-5)
    assert run.force[..., 1].min() > -1e-6
