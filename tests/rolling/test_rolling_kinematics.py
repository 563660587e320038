"""Kinematics of rolling in space: Römer 3-D, Eqs. (63)-(77), and the contact with a half-space."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import rolling

RNG = np.random.default_rng(8)
TILTED = np.array([0.2, -0.3, 0.9])
EGG = tg.Ovoid([0.2, 0.18, 0.3], [1, 0.2, 0, 0], [1, 0.25, 0, 0]).translate([0.02, -0.03, 0.01])


def test_orientation_is_that_of_the_paper():
    """Eq. (66), entry by entry."""
    a, b, c = angles = RNG.uniform(-3.0, 3.0, (3, 50))
    co, si = np.cos(a / 2) ** 2, np.sin(a / 2) ** 2
    printed = [
        [co * np.cos(c) - si * np.cos(2 * b + c), -co * np.sin(c) - si * np.sin(2 * b + c), np.sin(a) * np.cos(b + c)],
        [co * np.sin(c) - si * np.sin(2 * b + c), co * np.cos(c) + si * np.cos(2 * b + c), np.sin(a) * np.sin(b + c)],
        [-np.sin(a) * np.cos(b), -np.sin(a) * np.sin(b), np.cos(a)],
    ]
    assert rolling.orientation_from(angles.T).as_matrix() == pytest.approx(np.moveaxis(printed, -1, 0), abs=1e-14)


def test_every_orientation_has_angles():
    """Appendix B of the paper: the coordinates reach every orientation; so also at the poles, alpha = 0 and pi."""
    poles = Rotation.from_rotvec([[0, 0, 0.4], [np.pi, 0, 0], [0, 0, 0]])
    for turns in (Rotation.random(200, rng=RNG), poles):
        back = rolling.orientation_from(rolling.angles_of(turns))
        assert (turns.inv() * back).magnitude() == pytest.approx(0.0, abs=1e-13)
    assert rolling.angles_of(None).tolist() == [0.0, 0.0, 0.0]


def test_angular_velocity():
    """Eq. (67) against differences of Eq. (66)."""
    angles, rates, h = RNG.uniform(-3, 3, (40, 3)), RNG.normal(size=(40, 3)), 1e-4
    turns = [rolling.orientation_from(angles + k * h * rates) for k in (-2, -1, 1, 2)]
    vectors = [(turn * rolling.orientation_from(angles).inv()).as_rotvec() for turn in turns]
    found = (vectors[0] - 8 * vectors[1] + 8 * vectors[2] - vectors[3]) / (12 * h)
    assert rolling.angular_velocity_from(angles, rates) == pytest.approx(found, abs=1e-10)


def test_contact_point_from_the_potential():
    """Eqs. (72) and (77): height and contact point from g_B(alpha, beta) and its derivatives."""
    angles = RNG.uniform([0.2, -3, -3], [2.9, 3, 3], (30, 3))
    alpha, beta, gamma = angles.T

    def g(alpha, beta):
        n = np.stack([np.sin(alpha) * np.cos(beta), np.sin(alpha) * np.sin(beta), -np.cos(alpha)], axis=-1)
        return EGG.support(n)

    h = 1e-3
    stencil = ((-2, 1), (-1, -8), (1, 8), (2, -1))
    by_alpha = sum(w * g(alpha + k * h, beta) for k, w in stencil) / (12 * h)
    by_beta = sum(w * g(alpha, beta + k * h) for k, w in stencil) / (12 * h)
    k_x = np.stack([np.cos(beta + gamma), np.sin(beta + gamma), 0 * beta], axis=-1)
    k_y = np.stack([-k_x[:, 1], k_x[:, 0], 0 * beta], axis=-1)
    arm = by_alpha[:, None] * k_x + (by_beta / np.sin(alpha))[:, None] * k_y - g(alpha, beta)[:, None] * [0, 0, 1]
    state = rolling.RollingBody(EGG).state(rolling.orientation_from(angles))
    assert state.arm == pytest.approx(arm, abs=1e-11)
    assert state.reference[:, 2] == pytest.approx(g(alpha, beta), abs=1e-15)
    assert state.contact == pytest.approx(state.reference + arm, abs=1e-11)


@pytest.mark.parametrize("normal", [[0, 0, 1], TILTED], ids=["level", "inclined"])
def test_touches_the_half_space(normal):
    body, turns = rolling.RollingBody(EGG, normal=normal), Rotation.random(20, rng=RNG)
    place = np.cross(normal, RNG.normal(size=(20, 3)))
    state = body.state(turns, contact=place)
    touching = tg.contact(tg.HalfSpace(normal), EGG, None, (turns, state.reference))
    assert touching.distance == pytest.approx(0.0, abs=1e-14)
    assert touching.point_b == pytest.approx(state.contact, abs=1e-13)
    assert state.contact == pytest.approx(place, abs=1e-13)


def test_rolling_constraint():
    """Eq. (75): the material point at the contact rests; the path over the body is as long as that on the plane."""
    body = rolling.RollingBody(EGG, normal=TILTED)
    run = body.simulate(Rotation.from_rotvec([0.4, 0.2, 0.1]), [1.0, -2.0, 3.0], 0.4, samples=801)
    slip = run.velocity + np.cross(run.angular_velocity, run.contact - run.reference)
    assert slip == pytest.approx(0.0, abs=1e-14)
    h = run.time[1]

    def differences(x):
        return (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * h)

    assert differences(run.reference) == pytest.approx(run.velocity[2:-2], abs=1e-7)
    assert differences(run.contact) == pytest.approx(run.contact_velocity[2:-2], abs=1e-6)
    over_body = run.orientation[2:-2].apply(differences(run.contact_on_body))
    assert over_body == pytest.approx(run.contact_velocity[2:-2], abs=1e-6)
    assert differences(run.angular_velocity) == pytest.approx(run.angular_acceleration[2:-2], abs=1e-5)
    turned = (run.orientation[3:] * run.orientation[1:-2].inv()).as_rotvec() / (2 * h)
    assert turned == pytest.approx(run.angular_velocity[2:-1], abs=1e-4)


def test_agrees_with_rates_of_a_contact():
    """Montana's equations of the contact with a half-space: no gap rate, no sliding, the same contact velocity."""
    state = rolling.RollingBody(EGG).state(Rotation.from_rotvec([0.4, 0.9, 0.1]), [1.0, -2.0, 3.0])
    touching = tg.contact(tg.HalfSpace([0, 0, 1]), EGG, None, (state.orientation, state.reference))
    rates = touching.rates(None, np.concatenate([state.velocity, state.angular_velocity]))
    assert float(rates.gap) == pytest.approx(0.0, abs=1e-14)
    assert rates.sliding == pytest.approx(0.0, abs=1e-13)
    assert float(rates.spinning) == pytest.approx(3.0)
    assert rates.point_b == pytest.approx(state.contact_velocity, abs=1e-12)
