"""Properties of contacts, for every family and every method, at poses that hypothesis chooses: aligned ones too."""

import importlib.util
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tangency as tg
from families import FAMILIES
from strategies import few, rotations, unit_vectors

COUNT = 4
BUILT_IN = [name for name in FAMILIES if "user" not in name and "formula" not in name and name != "potential functions"]
PROVED = [tg.Status.APART, tg.Status.OVERLAP_PROVED]
gaps = st.one_of(st.sampled_from([0.0, 1e-9, -1e-3]), st.floats(-0.3, 3.0))


@cache
def bodies(name: str, seed: int) -> tg.Shape:
    """A stack: each example asks all of it."""
    return FAMILIES[name].make(np.random.default_rng(seed), (COUNT,))


def placed(a, b, n, turn, gap):
    """Poses of B along n that leave a gap of so many sizes between the supporting planes."""
    size = a.bounding_radius + b.bounding_radius
    away = a.support(n) + b.support(-(turn.inv().apply(n))) + gap * size
    return away[:, None] * n, size


@pytest.mark.parametrize("name", BUILT_IN)
@few(4)
@given(other=st.sampled_from(BUILT_IN), n=unit_vectors(), turn=rotations(), gap=gaps, move=rotations())
def test_swapping_and_moving_change_nothing(name, other, n, turn, gap, move):
    a, b = bodies(name, 1), bodies(other, 2)
    position, size = placed(a, b, n, turn, gap)
    pose, shift = (turn.as_matrix(), position), 0.5 * size[:, None] * [1.0, -2.0, 0.5]
    moved_a = (move.as_matrix(), shift)
    moved_b = ((move * turn).as_matrix(), move.apply(position) + shift)
    c = tg.contact(a, b, None, pose)
    room = 1e-11 * (size + np.abs(c.distance))
    for d in (tg.contact(b, a, pose, None), tg.contact(a, b, moved_a, moved_b)):
        # The intervals hold the same number, whatever the status; proved ones are narrow.
        assert (c.lower <= d.upper + room).all()
        assert (d.lower <= c.upper + room).all()
        both = np.isin(c.status, PROVED) & np.isin(d.status, PROVED)
        assert (np.abs(c.distance - d.distance)[both] <= room[both]).all()


@few(15)
@given(n=unit_vectors(), turn=rotations(), gap=gaps, exponent=st.integers(-60, 60))
def test_scaling_changes_nothing(n, turn, gap, exponent):
    """Of an ellipsoid and a superellipsoid, a box and an offset: the unit of length does not matter."""
    factor = 2.0**exponent
    pairs = [
        (lambda s: tg.Ellipsoid([1.5 * s, 0.7 * s, 0.4 * s]), lambda s: tg.Superellipsoid([0.5 * s, s, s], (0.6, 1.2))),
        (lambda s: tg.Box([s, 0.6 * s, 0.3 * s]), lambda s: tg.Ellipsoid([0.9 * s, 0.5 * s, 0.5 * s]).offset(0.1 * s)),
    ]
    for make_a, make_b in pairs:
        a, b = make_a(1.0), make_b(1.0)
        away = a.support(n) + b.support(-turn.inv().apply(n)) + gap
        c = tg.contact(a, b, None, (turn, away * n))
        d = tg.contact(make_a(factor), make_b(factor), None, (turn, factor * away * n))
        assert c.status == d.status
        assert float(d.distance) == pytest.approx(factor * float(c.distance), rel=1e-12, abs=1e-13 * factor)


METHODS = [name for name in tg.solvers.SOLVERS if name != "gjk" or importlib.util.find_spec("coal")]


def accepted(solver: str) -> list[str]:
    """Families that a method takes."""
    if solver == "gjk":
        return ["sphere", "ellipsoid", "box", "capsule"]
    if solver.startswith("portal"):
        return ["ellipsoid", "superellipsoid round"]
    return [name for name in BUILT_IN if not solver.startswith("lopes") or bodies(name, 3).has_implicit]


@pytest.mark.parametrize("solver", METHODS)
@few(8)
@given(data=st.data(), n=unit_vectors(), turn=rotations(), gap=st.sampled_from([0.0, -1e-3, -0.05, 1e-6, 0.1, 2.0]))
def test_who_says_converged_agrees_with_the_default(solver, data, n, turn, gap):
    kinds = st.sampled_from(accepted(solver))
    a, b = bodies(data.draw(kinds), 3), bodies(data.draw(kinds), 4)
    if solver.startswith("portal"):  # milliseconds a pair
        a, b = a[:1], b[:1]
    position, size = placed(a, b, n, turn, gap)
    pose = (turn.as_matrix(), position)
    c, d = tg.contact(a, b, None, pose, solver=solver, tol=1e-9), tg.contact(a, b, None, pose)
    room = 1e-8 * size
    assert np.isfinite(c.distance).all()
    assert (c.lower <= d.upper + room).all()
    assert (d.lower <= c.upper + room).all()
    ok = c.converged & d.converged
    assert (c.distance[ok] >= (d.lower - room)[ok]).all()
    assert (c.distance[ok] <= (d.upper + room)[ok]).all()
