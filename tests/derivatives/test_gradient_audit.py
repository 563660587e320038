"""The gradient audit of ``benchmarks/gradients``, for a few pairs of every family; its oracle against 80 digits."""

import mpmath as mp
import numpy as np
import pytest
from benchmarks.gradients import double_double as dd
from benchmarks.gradients.audit import FIRST, ORDERS, SECOND, audit, oracle_of, random_motion
from benchmarks.gradients.pairs import BODIES, WALLS, random_pairs

import tangency as tg
from differences import ExactContact
from families import DEFINITION_OF, FAMILIES
from reference import DIGITS

#: Families whose definitions take long to evaluate; `test_pose_derivatives.py` tests them in 80 digits
SLOW = {"harmonic", "spline", "nested", "superovoid", "tapered superellipsoid", "support formula",
        "superellipsoid round", "superellipsoid sharp"}  # fmt: skip
MANY = [pytest.param(name, marks=pytest.mark.full) if name in SLOW else name for name in (*BODIES, *WALLS)]
#: Cheap in 80 digits; between them all kinds of definitions but those with edges
IN_80_DIGITS = ["ellipsoid", "needle", "superellipsoid round", "power ellipsoid", "nested"]


def test_double_double_arithmetic():
    rng = np.random.default_rng(0)
    a, b = (dd.Double2(rng.uniform(0.1, 5.0, 20), 1e-17 * rng.uniform(-1.0, 1.0, 20)) for _ in range(2))
    with mp.workdps(DIGITS):
        x, y = ([mp.mpf(float(h)) + mp.mpf(float(l)) for h, l in zip(v.high, v.low)] for v in (a, b))
        for found, exact in (
            (a + b, lambda p, q: p + q),
            (a - b, lambda p, q: p - q),
            (a * b, lambda p, q: p * q),
            (a / b, lambda p, q: p / q),
            (a + b.high, lambda p, q: p + float(q)),
            (a * b.high, lambda p, q: p * float(q)),
            (dd.sqrt(a), lambda p, q: mp.sqrt(p)),
            (dd.exp(a * -7.0), lambda p, q: mp.exp(-7 * p)),
            (dd.log(a), lambda p, q: mp.log(p)),
        ):
            for k in range(20):
                value, truth = mp.mpf(float(found.high[k])) + mp.mpf(float(found.low[k])), exact(x[k], y[k])
                assert abs(value - truth) <= 1e-30 * (abs(truth) + abs(x[k]))


@pytest.mark.parametrize("name", IN_80_DIGITS)
def test_oracle_against_80_digits(name):
    """First derivatives of all quantities and the second one of the distance, along a motion of both bodies."""
    rng = np.random.default_rng(1)
    pairs = random_pairs(rng, name, 3)
    assert type(pairs.a) in DEFINITION_OF
    c = tg.contact(pairs.a, pairs.b, pairs.pose_a, pairs.pose_b)
    oracle, (motion, _) = oracle_of(pairs, c), random_motion(rng, pairs)
    found, around = oracle.along(motion)
    second, _ = oracle.second(around)
    with mp.workdps(DIGITS):
        for k in range(2):
            poses = [(rotation[k], place[k]) for rotation, place in (pairs.pose_a, pairs.pose_b)]
            bodies = pairs.a.take(np.array(k)), pairs.b.take(np.array(k))
            exact, curved = ExactContact(*bodies, *poses, c.normal[k]).along(
                np.concatenate([t[k] for t in motion.twists])
            )
            for of, value in zip(("distance", "normal", "point_a", "point_b"), exact):
                scale = max(1.0, float(np.abs(value).max()))
                np.testing.assert_allclose(found.first[of][k], np.atleast_1d(value), rtol=0, atol=1e-13 * scale)
            np.testing.assert_allclose(second[k], curved, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", MANY)
def test_audit(name):
    found = audit(name, 0, 6)
    known = found.decided & ~found.flagged
    assert known.mean() > 0.6
    # What the library calls differentiable, the oracle can differentiate
    assert (~found.decided & ~found.flagged).sum() <= 1
    limit = np.maximum(found.condition / 1e4, 1.0)
    for order in ORDERS:
        wanted = FIRST if order.startswith("first") else SECOND
        assert (found.errors[order] / limit)[known].max() < wanted


def test_all_families_are_audited():
    left_out = {name for name in FAMILIES if name not in BODIES}
    assert left_out == {"user's egg", "user's egg by point", "potential formula", "potential functions"}
