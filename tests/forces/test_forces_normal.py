"""Normal laws against the motion they cause: restitution, contact time, energy; Hertz's limits."""

import math

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.special import gamma

import tangency as tg
from tangency import forces

STEEL = forces.Material(young=210e9, poisson=0.3)
K = 1e8
DISSIPATIVE = [forces.HuntCrossley, forces.LankaraniNikravesh, forces.Flores, forces.Gonthier, forces.CarvalhoMartins]


def bounce(law, mass, speed, curvature=None):
    """Restitution and duration of a free impact, by integrating m x'' = -F; no formula of the library but F."""

    def motion(t, y):
        return [y[1], -float(law.force(y[0], y[1], speed, curvature)) / mass]

    def ends(t, y):
        return y[0]

    ends.terminal, ends.direction = True, -1
    # Contact begins a hair after x = 0, on the straight line x = v t; depth and time in units of the impact.
    scale = (mass * speed**2 / K) ** 0.4
    start = 1e-9 * scale
    end = 1e3 * scale / speed
    atol = [1e-13 * scale, 1e-12 * speed]
    run = solve_ivp(motion, (0.0, end), [start, speed], "DOP853", rtol=1e-12, atol=atol, events=ends)
    assert run.t_events[0].size == 1, run.message
    return -run.y_events[0][0][1] / speed, run.t_events[0][0] + start / speed


def test_hertz_contact_time_of_a_ball_on_a_plane():
    radius, mass, speed = 0.02, 0.25, 1.5
    law = forces.Hertz(materials=STEEL)
    c = tg.contact(tg.Sphere(radius), tg.HalfSpace([0, 0, 1]), (None, [0, 0, radius - 1e-6]))
    restitution, duration = bounce(law, mass, speed, c.relative_curvature.values)
    modulus = 210e9 / (2 * (1 - 0.09))
    stiffness = 4 / 3 * modulus * math.sqrt(radius)
    # Johnson, Contact Mechanics, section 11.4: 2.9432 delta_max / v, the number in closed form.
    number = 4 * math.sqrt(math.pi) * gamma(0.4) / (5 * gamma(0.9))
    assert number == pytest.approx(2.9432, abs=1e-4)
    deepest = (1.25 * mass * speed**2 / stiffness) ** 0.4
    assert duration == pytest.approx(number * deepest / speed, rel=1e-5)
    assert duration == pytest.approx(3.2181 * (mass**2 / (stiffness**2 * speed)) ** 0.2, rel=1e-4)
    assert restitution == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("cls", DISSIPATIVE, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("e", [0.2, 0.5, 0.8, 0.95])
def test_restitution_of_a_free_impact(cls, e):
    law = cls(stiffness=K, restitution=e)
    seen, _ = bounce(law, mass=2.0, speed=0.7)
    assert seen == pytest.approx(law.restitution_at(0.7), abs=1e-6)
    if cls is forces.CarvalhoMartins:
        assert seen == pytest.approx(e, abs=1e-6)


def test_published_approximations_hold_where_they_should():
    """Hunt-Crossley and Lankarani-Nikravesh were made for e near 1; Flores and Gonthier for every e."""
    for cls in (forces.HuntCrossley, forces.LankaraniNikravesh):
        assert bounce(cls(stiffness=K, restitution=0.97), 1.0, 1.0)[0] == pytest.approx(0.97, rel=0.01)
        assert cls(stiffness=K, restitution=0.1).restitution_at(1.0) > 0.3  # their known failure
    for e in np.linspace(0.05, 1.0, 20):
        assert forces.Flores(stiffness=K, restitution=e).restitution_at(1.0) == pytest.approx(e, abs=0.05)
        assert forces.Gonthier(stiffness=K, restitution=e).restitution_at(1.0) == pytest.approx(e, abs=0.04)


def test_restitution_depends_on_neither_mass_nor_stiffness_nor_exponent():
    for exponent in (1.0, 1.5, 2.2):
        law = forces.Flores(stiffness=3e5, exponent=exponent, restitution=0.4)
        assert bounce(law, mass=0.3, speed=2.0)[0] == pytest.approx(law.restitution_at(2.0), abs=1e-6)


def test_hunt_crossley_with_fixed_damping():
    """e = 1 - alpha v for slow impacts, with the damping 3/2 alpha (Hunt and Crossley 1975)."""
    alpha = 0.02
    law = forces.HuntCrossley(stiffness=K, damping=1.5 * alpha)
    assert law.force(1e-4, 0.1) == law.force(1e-4, 0.1, impact_speed=5.0)
    for v in (0.1, 1.0):
        assert bounce(law, 1.0, v)[0] == pytest.approx(1 - alpha * v, abs=(alpha * v) ** 2)
    assert bounce(law, 1.0, 30.0)[0] == pytest.approx(law.restitution_at(30.0), abs=1e-6)


@pytest.mark.parametrize("e", [0.05, 0.3, math.exp(-2), 0.7, 0.95])
def test_kelvin_voigt(e):
    law = forces.KelvinVoigt.from_restitution(stiffness=1e5, restitution=e, mass=3.0)

    # Contact ends where the force does: the speed no longer changes then.
    def motion(t, y):
        return [y[1], -float(law.force(y[0], y[1])) / 3.0]

    def ends(t, y):
        return y[0]

    ends.terminal, ends.direction = True, -1
    run = solve_ivp(motion, (0, 30), [1e-15, 2.0], "DOP853", rtol=1e-11, atol=1e-14, events=ends, max_step=1e-3)
    assert -run.y_events[0][0][1] / 2.0 == pytest.approx(e, abs=1e-6)
    assert law.restitution_at(2.0, mass=3.0) == pytest.approx(e, rel=1e-12)


def all_laws():
    for source in ({"stiffness": K}, {"materials": STEEL}, {"materials": STEEL, "form": "mean"}):
        yield forces.Hertz(**source)
        yield forces.KelvinVoigt(**source, damping=300.0)
        yield forces.HuntCrossley(**source, damping=0.5)
        for cls in DISSIPATIVE:
            yield cls(**source, restitution=0.3)


LAWS = list(all_laws())
reals = st.floats(-1, 1)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(LAWS), st.lists(reals, min_size=6, max_size=6), st.floats(-0.5, 1), st.floats(0, 0.5))
def test_no_attraction_and_no_energy_gain_over_closed_strokes(law, amplitudes, middle, impact_speed):
    t = np.linspace(0, 2 * np.pi, 4001)
    depth, rate = np.full_like(t, 1e-5 * middle), np.zeros_like(t)
    for k, (a, b) in enumerate(zip(amplitudes[::2], amplitudes[1::2]), 1):
        depth += 1e-5 * (a * np.cos(k * t) + b * np.sin(k * t))
        rate += 1e-5 * k * (b * np.cos(k * t) - a * np.sin(k * t))
    rate, t = rate * 1e4, t / 1e4  # strokes of up to about a metre per second
    force = law.force(depth, rate, impact_speed, [20.0, 3.0])
    assert np.isfinite(force).all()
    assert (force >= 0).all()
    assert (force[depth <= 0] == 0).all()
    # Work of the contact on the bodies, and what an integration error may add.
    work = -np.trapezoid(force * rate, t)
    assert work <= 2e-4 * np.trapezoid(force * abs(rate), t) + 1e-15
    # At every instant: above the elastic force on the way in, below it on the way out.
    elastic = law.force(depth, 0.0, impact_speed, [20.0, 3.0])
    assert ((force - elastic) * rate >= 0).all()


def test_work_of_hertz_over_a_stroke_is_the_elastic_energy():
    depth = np.linspace(0, 1e-5, 20001)
    for law in LAWS:
        elastic = law.force(depth, 0.0, 1.0, [20.0, 3.0])
        assert law.elastic_energy(1e-5, [20.0, 3.0]) == pytest.approx(np.trapezoid(elastic, depth), rel=1e-6)
    assert (forces.Hertz(stiffness=K).elastic_energy([-1.0, 0.0]) == 0).all()


def test_two_balls_and_the_limit_of_a_plane():
    """1/R = 1/R_a + 1/R_b; a growing ball becomes the plane (Eq. C.6 of Römer 3-D as printed has one but not both)."""
    depth, modulus = 1e-6, 210e9 / (2 * (1 - 0.09))

    def force(a, b, form):
        distance = float(a) + (0.0 if b is None else float(b)) - depth
        other = tg.HalfSpace([1, 0, 0]) if b is None else tg.Sphere(b)
        c = tg.contact(tg.Sphere(a), other, (None, [distance, 0, 0]))
        law = forces.Hertz(materials=STEEL, form=form)
        return float(forces.on(c, normal=law).normal) / (4 / 3 * modulus * depth**1.5)

    for form in ("elliptic", "mean"):
        assert force(0.3, 0.2, form) == pytest.approx(math.sqrt(1 / (1 / 0.3 + 1 / 0.2)), rel=1e-8)
        assert force(0.3, None, form) == pytest.approx(math.sqrt(0.3), rel=1e-8)
        assert force(0.3, 3e5, form) == pytest.approx(math.sqrt(0.3), rel=1e-4)


def test_crossed_equal_cylinders_are_a_ball_on_a_plane():
    a = tg.Ellipsoid([0.1, 0.1, 100.0])
    turn = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]  # z to y
    c = tg.contact(a, a, None, (turn, [0.2 - 1e-5, 0, 0]))
    law = forces.Hertz(materials=STEEL)
    ball = law.force(1e-5, curvature=[10.0, 10.0])
    assert forces.on(c, normal=law).normal == pytest.approx(float(ball), rel=2e-6)


def test_broadcasting_and_the_kernel_agree():
    law = forces.Flores(materials=(STEEL, forces.Material(3e9, 0.4)), restitution=0.6)
    rng = np.random.default_rng(1)
    depth, rate = rng.normal(size=(4, 1)) * 1e-5, rng.normal(size=5)
    k = rng.uniform(1, 30, size=(3, 1, 1, 2))
    stack = law.force(depth, rate, 0.8, k)
    assert stack.shape == (3, 4, 5)
    call, address, row = forces.normal_force, law.address, law.row

    @numba.njit
    def one(address, row, depth, rate, speed, k1, k2):
        return call(address, row, depth, rate, speed, k1, k2)

    for i, j, l in np.ndindex(3, 4, 5):
        k1, k2 = k[i, 0, 0]
        assert one(address, row, depth[j, 0], rate[l], 0.8, k1, k2) == stack[i, j, l]
        assert one(address, row, depth[j, 0], rate[l], 0.8, k2, k1) == stack[i, j, l]
    assert len(row) == forces.NORMAL_ROW


def test_slow_impacts_stay_finite():
    law = forces.Flores(stiffness=K, restitution=0.5, slowest_impact=1e-2)
    assert law.force(1e-5, 1.0, 0.0) == law.force(1e-5, 1.0, 1e-2)
    assert law.restitution_at(1e-5) > 0.99 > law.restitution_at(1.0)


def test_flat_places_and_corners():
    law = forces.Hertz(materials=STEEL)
    for bad in ([0.0, 1.0], [np.inf, 1.0]):
        with pytest.raises(ValueError, match="radius_limits"):
            law.force(1e-6, curvature=bad)
        assert law.force(-1e-6, curvature=bad) == 0
    limited = forces.Hertz(materials=STEEL, radius_limits=(0.01, 2.0))
    assert limited.force(1e-6, curvature=[0.0, 1.0]) == law.force(1e-6, curvature=[0.5, 1.0])
    assert limited.force(1e-6, curvature=[np.inf, 0.0]) == law.force(1e-6, curvature=[100.0, 0.5])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: forces.Hertz(), "either stiffness or materials, got neither"),
        (lambda: forces.Hertz(stiffness=1.0, materials=STEEL), "got both"),
        (lambda: forces.Hertz(stiffness=-1.0), "stiffness must be > 0, got -1"),
        (lambda: forces.Hertz(stiffness=[1.0, 2.0]), "stiffness must be a single number"),
        (lambda: forces.Hertz(materials=STEEL, exponent=2.0), "exponent must be 1.5"),
        (lambda: forces.Hertz(materials=STEEL, form="round"), "form must be"),
        (lambda: forces.Hertz(materials=STEEL, radius_limits=(2.0, 1.0)), "radius_limits"),
        (lambda: forces.Flores(stiffness=1.0), "restitution must be given"),
        (lambda: forces.Flores(stiffness=1.0, restitution=0.0), "restitution must be > 0"),
        (lambda: forces.HuntCrossley(stiffness=1.0, restitution=1.1), "<= 1, got 1.1"),
        (lambda: forces.HuntCrossley(stiffness=1.0), "either restitution or damping"),
        (lambda: forces.Material(young=1e9, poisson=0.6), "poisson must be > -1 and <= 0.5, got 0.6"),
        (lambda: forces.Flores(stiffness=1.0, restitution=0.5).force(1.0), "impact_speed must be given"),
        (lambda: forces.Hertz(materials=STEEL).force(1.0), "curvature must be given"),
        (lambda: forces.Hertz(materials=STEEL).elastic_energy(1.0), "curvature must be given"),
        (lambda: forces.Hertz(materials=STEEL).force(1.0, curvature=[1.0, 1.0, 1.0]), r"shape \(\.\.\., 2\)"),
        (lambda: forces.Hertz(materials=STEEL).force(1.0, curvature=[-1.0, 1.0]), "curvature must be >= 0"),
        (lambda: forces.Hertz(stiffness=1.0).force(np.nan), "depth must be finite"),
        (lambda: forces.KelvinVoigt(materials=STEEL).restitution_at(1.0, 1.0), "exponent 1"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_wrong_materials():
    with pytest.raises(TypeError, match="materials must be a Material or a pair"):
        forces.Hertz(materials=210e9)


@pytest.mark.parametrize(
    ("young", "said"),
    [(210, "young is 210 Pa, softer than gelatine"), (1e300, "stiffer than diamond"), (5e3, None), (1.2e12, None)],
)
def test_moduli_in_another_unit_are_questioned(young, said):
    if said is None:
        assert forces.Material(young=young, poisson=0.3).young == young  # warnings are errors
        return
    with pytest.warns(UserWarning, match=said):
        forces.Material(young=young, poisson=0.3)
