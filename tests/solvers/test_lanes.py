"""Stacks of spheres, ellipsoids and superellipsoids: packed loops give proved answers, whatever their company."""

import gc
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from manufactured import ellipsoids, place, random_pairs, random_radii, superellipsoids, unit
from tangency.compiled import memory
from tangency.contacts import dispatch

FIELDS = ("distance", "lower", "upper", "normal", "point_a", "status", "evaluations")
KINDS = ("spheres", "ellipsoids", "superellipsoids", "sphere and ellipsoid", "ellipsoid and superellipsoid")


def pairs(rng, kind, count, aspect=8.0):
    """Pairs from far apart to concentric."""
    radii_a, radii_b = random_radii(rng, count, aspect), random_radii(rng, count, aspect)
    eps_a, eps_b = rng.uniform(0.2, 1.8, (count, 2)), rng.uniform(0.2, 1.8, (count, 2))
    ball, a, b = tg.Sphere(radii_a[:, 0]), tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
    bodies = {
        "spheres": (ball, tg.Sphere(radii_b[:, 0])),
        "ellipsoids": (a, b),
        "superellipsoids": (tg.Superellipsoid(radii_a, eps_a), tg.Superellipsoid(radii_b, eps_b)),
        "sphere and ellipsoid": (ball, b),
        "ellipsoid and superellipsoid": (a, tg.Superellipsoid(radii_b, eps_b)),
    }[kind]
    position = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-3.0, 0.5, (count, 1))
    position[::50] = 0.0
    return *bodies, Rotation.random(count, rng=rng).as_matrix(), position


def same(c, d, index=slice(None)):
    return all(np.array_equal(getattr(c, name)[index], getattr(d, name)) for name in FIELDS)


def contradictions(c, d):
    """Pairs whose two proofs exclude each other."""
    return int(((c.lower > d.upper) | (d.lower > c.upper)).sum())


def robust(monkeypatch, *args, **options):
    """The answer of the robust solver alone."""
    with monkeypatch.context() as patch:
        patch.setattr(dispatch, "_lanes", lambda a, b: None)
        return tg.contact(*args, **options)


def extended(a, b, turn, position, n):
    """F(n) and |w(n)| in extended precision: two bounds on the distance that owe nothing to the library."""
    real = np.longdouble
    n, turn, position = n.astype(real), turn.astype(real), position.astype(real)
    n = n / np.sqrt((n * n).sum(axis=-1, keepdims=True))
    for _ in range(3):
        turn = 1.5 * turn - 0.5 * np.einsum("kij,klj,klm->kim", turn, turn, turn)

    def norm(x, y, q):
        top = np.maximum(x, y)
        value = top * ((x / top) ** q + (y / top) ** q) ** (1 / q)
        return value, (x / value) ** (q - 1), (y / value) ** (q - 1)

    def jet(body, m):
        count = len(m)
        radii = np.broadcast_to(body.radii, (count, 3)).astype(real)
        q = np.full((count, 2), real(2))
        if isinstance(body, tg.Superellipsoid):
            # The exponents as the body holds them, already rounded.
            q = np.stack([body._fields["q1"], body._fields["q2"]], axis=-1).astype(real)
        u = np.abs(radii * m)
        rho, gx, gy = norm(u[:, 0], u[:, 1], q[:, 1])
        h, gr, gz = norm(rho, u[:, 2], q[:, 0])
        return h, np.stack([gr * gx, gr * gy, gz], axis=-1) * radii * np.sign(m)

    h_a, x_a = jet(a, n)
    h_b, x_b = jet(b, -np.einsum("kji,kj->ki", turn, n))
    w = position + np.einsum("kij,kj->ki", turn, x_b) - x_a
    return (n * position).sum(axis=-1) - h_a - h_b, np.sqrt((w * w).sum(axis=-1))


# ---- bounds ------------------------------------------------------------------------------------------------
def check_bounds(problem, **options):
    c = problem.contact(**options)
    lower, upper = extended(problem.a, problem.b, problem.rotation, problem.position, c.normal)
    assert (c.lower <= upper).all()
    assert (c.upper >= lower).all()
    assert (c.lower <= c.distance).all()
    assert (c.distance <= c.upper).all()
    assert c.converged.all(), np.bincount(c.status)
    np.testing.assert_allclose(np.linalg.norm(c.normal, axis=-1), 1.0, atol=1e-15)
    assert (abs(c.distance - problem.gap) <= 2e-12 * (problem.size + problem.gap)).all()
    return c


needs_extended = pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="this platform has no numbers longer than float64"
)


@needs_extended
@pytest.mark.parametrize("surface", [False, True])
@pytest.mark.parametrize("aspect", [1.0001, 5.0, 1e3, 1e6])
def test_bounds_of_ellipsoids_hold_in_extended_precision(aspect, surface):
    check_bounds(ellipsoids(np.random.default_rng(1), 2000, aspect=aspect, surface=surface))


@needs_extended
@pytest.mark.parametrize(
    ("low", "high"), [(0.6, 1.4), (1e-3, 0.1), (1e-6, 1e-3), (1.9, 1.999), (1.9999, 1.999999), (0.999999, 1.000001)]
)
def test_bounds_of_superellipsoids_hold_in_extended_precision(low, high):
    rng = np.random.default_rng(2)
    a, b = (tg.Superellipsoid(random_radii(rng, 1000, 5.0), rng.uniform(low, high, (1000, 2))) for _ in range(2))
    check_bounds(random_pairs(rng, a, b, 1000))


@needs_extended
@pytest.mark.parametrize("swapped", [False, True])
def test_bounds_of_ellipsoids_against_superellipsoids(swapped):
    rng = np.random.default_rng(3)
    a = tg.Ellipsoid(random_radii(rng, 2000, 100.0))
    b = tg.Superellipsoid(random_radii(rng, 2000, 100.0), rng.uniform(0.05, 1.95, (2000, 2)))
    check_bounds(random_pairs(rng, *((b, a) if swapped else (a, b)), 2000))


@needs_extended
@pytest.mark.parametrize("tol", [1e-3, 1e-9, 1e-15])
def test_bounds_hold_at_any_tolerance(tol):
    rng = np.random.default_rng(4)
    check_bounds(ellipsoids(rng, 1000, aspect=10.0, surface=True), tol=tol)
    problem = superellipsoids(rng, 1000, low=0.4, high=1.6)
    c = problem.contact(tol=tol)
    lower, upper = extended(problem.a, problem.b, problem.rotation, problem.position, c.normal)
    assert c.converged.all()
    assert ((c.lower <= upper) & (c.upper >= lower)).all()
    assert (c.upper - c.lower <= 2.0 * tol * problem.size + 3e-14 * (problem.size + problem.gap)).all()


@pytest.mark.parametrize("scale", [1e-59, 1e-30, 1e30, 1e59])
@pytest.mark.parametrize("epsilon", [None, (0.7, 1.2)])
def test_any_unit_of_length(scale, epsilon):
    rng = np.random.default_rng(5)
    radii = [random_radii(rng, 500, 5.0) * scale for _ in range(2)]
    a, b = (tg.Ellipsoid(r) if epsilon is None else tg.Superellipsoid(r, epsilon) for r in radii)
    gap, n = 10.0 ** rng.uniform(-12.0, 0.0, 500) * scale, unit(rng.normal(size=(500, 3)))
    problem = place(a, b, gap, n, Rotation.random(500, rng=rng).as_matrix())
    c = problem.contact()
    assert (c.status == tg.Status.APART).all()
    np.testing.assert_allclose(c.distance / scale, gap / scale, atol=1e-14)


@pytest.mark.parametrize("far", [1e4, 1e8, 1e16, 1e59])
@pytest.mark.parametrize("epsilon", [None, (0.7, 1.2)])
def test_any_distance(far, epsilon):
    rng = np.random.default_rng(6)
    radii = [random_radii(rng, 500, 5.0) for _ in range(2)]
    a, b = (tg.Ellipsoid(r) if epsilon is None else tg.Superellipsoid(r, epsilon) for r in radii)
    n = unit(rng.normal(size=(500, 3)))
    problem = place(a, b, np.full(500, far), n, Rotation.random(500, rng=rng).as_matrix())
    c = problem.contact()
    assert (c.status == tg.Status.APART).all()
    np.testing.assert_allclose(c.distance, far, rtol=2e-15)
    np.testing.assert_allclose(c.normal, n, atol=1e-12 + 10 / far)


@pytest.mark.parametrize("ratio", [1e6, 1e12, 1e30])
def test_a_grain_at_a_planet(ratio):
    rng = np.random.default_rng(7)
    a, b = tg.Ellipsoid(random_radii(rng, 500, 5.0)), tg.Ellipsoid(random_radii(rng, 500, 5.0) * ratio)
    n = unit(rng.normal(size=(500, 3)))
    problem = place(a, b, rng.uniform(0.0, 1.0, 500), n, Rotation.random(500, rng=rng).as_matrix())
    c = problem.contact()
    assert (c.status == tg.Status.APART).all()
    assert (abs(c.distance - problem.gap) <= 1e-15 * problem.size).all()


def test_sizes_out_of_range_are_refused_in_stacks_of_any_number():
    for radius in (1e-300, 1e-200, 1e-100, 1e-61, 1e61, 1e100, 1e300):
        for count in (3, 4):
            position = np.zeros((count, 3))
            position[:, 0] = min(3.0 * radius, 1e59)
            with pytest.raises(ValueError, match="between 1e-60 and 1e60"):
                tg.contact(tg.Sphere(radius), tg.Sphere(radius), pose_b=(None, position))


# ---- the same bits, whatever the company -------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_answers_do_not_depend_on_threads_order_or_number_of_pairs(kind):
    rng = np.random.default_rng(8)
    count = 2500
    a, b, turn, position = pairs(rng, kind, count)
    c = tg.contact(a, b, None, (turn, position), threads=1)
    assert c.converged.all()
    for threads in (2, 3, 8):
        assert same(c, tg.contact(a, b, None, (turn, position), threads=threads))
    for order in (rng.permutation(count), np.arange(count)[::-1]):
        assert same(c, tg.contact(a[order], b[order], None, (turn[order], position[order])), order)
    for number in (4, 5, 31, 32, 33, 63, 64, 65, 1024, 1025):
        part = slice(count - number, count)
        assert same(c, tg.contact(a[part], b[part], None, (turn[part], position[part])), part)


@pytest.mark.parametrize("kind", KINDS)
def test_one_two_and_three_pairs_agree_with_stacks(kind):
    a, b, turn, position = pairs(np.random.default_rng(9), kind, 40)
    c = tg.contact(a, b, None, (turn, position))
    for number in (1, 2, 3):
        for k in range(0, 36, number):
            part = slice(k, k + number)
            d = tg.contact(a[part], b[part], None, (turn[part], position[part]))
            assert contradictions(d, c[part]) == 0
            np.testing.assert_allclose(d.distance, c.distance[part], atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_lanes_and_the_robust_solver_agree(kind, monkeypatch):
    a, b, turn, position = pairs(np.random.default_rng(10), kind, 1500)
    c = tg.contact(a, b, None, (turn, position))
    d = robust(monkeypatch, a, b, None, (turn, position))
    swapped = tg.contact(b, a, (turn, position), None)
    assert contradictions(c, d) == 0
    assert contradictions(c, swapped) == 0
    clear = c.distance > 1e-9
    np.testing.assert_allclose(c.distance[clear], d.distance[clear], atol=1e-11)


@pytest.mark.full
def test_a_stack_larger_than_is_prepared_at_once():
    rng = np.random.default_rng(11)
    count = 100_000
    radii_a, radii_b = random_radii(rng, count, 5.0), random_radii(rng, count, 5.0)
    turn, position = Rotation.random(count, rng=rng).as_matrix(), rng.normal(size=(count, 3))
    guess, limit = unit(rng.normal(size=(count, 3))), rng.uniform(0.0, 3.0, count)
    c = tg.contact(
        tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b), None, (turn, position), guess=guess, max_distance=limit
    )
    followed = np.flatnonzero(c.status == tg.Status.OVERLAP_FOLLOWED)[:2000]
    assert len(followed) > 100
    for k in (followed, rng.integers(0, count, 2000)):
        a, b = tg.Ellipsoid(radii_a[k]), tg.Ellipsoid(radii_b[k])
        assert same(c, tg.contact(a, b, None, (turn[k], position[k]), guess=guess[k], max_distance=limit[k]), k)


# ---- overlap -----------------------------------------------------------------------------------------------
def spiral(count):
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    rho = np.sqrt(1.0 - z * z)
    return np.stack([rho * np.cos(angle), rho * np.sin(angle), z], axis=-1)


def best_separation(radii_a, radii_b, turn, position, count, climbs=3, steps=40):
    """Largest F(n) that sampling all directions and climbing from the best can find."""
    s_b = np.einsum("kij,kj,klj->kil", turn, radii_b**2, turn)

    def supports(n):
        # Not as the root of n.S n, which has lost its digits where n is nearly normal to a needle.
        local = np.einsum("kji,kj->ki", turn, n)
        return np.linalg.norm(radii_a * n, axis=-1), np.linalg.norm(radii_b * local, axis=-1)

    def f(n):
        return (n * position).sum(axis=-1) - sum(supports(n))

    x, y, z = spiral(count).T
    quadratic = np.stack([x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z])
    entries = np.stack([s_b[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))], axis=-1)
    value = position @ np.stack([x, y, z]) - np.sqrt(radii_a**2 @ quadratic[:3])
    value -= np.sqrt(np.maximum(entries @ quadratic, 0.0))
    starts = [spiral(count)[k] for k in np.argpartition(-value, climbs, axis=1)[:, :climbs].T]
    for axis in range(3):
        e = np.zeros((len(position), 3))
        e[:, axis] = 1.0
        starts += [e, -e, turn[:, :, axis], -turn[:, :, axis]]
    best = np.full(len(position), -np.inf)
    for n in starts:
        now, part = f(n), np.ones(len(n))
        for _ in range(steps):
            h_a, h_b = supports(n)
            k = np.eye(3) * (radii_a**2 / h_a[:, None])[:, None, :] + s_b / h_b[:, None, None]
            w = position - np.einsum("kij,kj->ki", k, n)
            k = k + np.eye(3) * (1e-14 * np.trace(k, axis1=1, axis2=2))[:, None, None]
            g = w - (w * n).sum(axis=-1, keepdims=True) * n
            m = unit(n + part[:, None] * np.linalg.solve(k, g[..., None])[..., 0])
            there = f(m)
            better = there > now
            n, now = np.where(better[:, None], m, n), np.where(better, there, now)
            part = np.where(better, np.minimum(2.0 * part, 1e3), 0.5 * part)
        best = np.maximum(best, now)
    return best


def overlaps(rng, count, aspect):
    """Ellipsoids that overlap by anything from 1e-14 to concentric; some aligned, some nearly so."""
    radii_a = random_radii(rng, count, aspect)
    radii_b = random_radii(rng, count, aspect) * 10.0 ** rng.uniform(-1.0, 1.0, (count, 1))
    small = Rotation.from_rotvec(rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-8.0, 0.0, (count, 1))).as_matrix()
    kind = rng.random(count)[:, None, None]
    turn = np.where(kind < 0.6, Rotation.random(count, rng=rng).as_matrix(), np.where(kind < 0.9, small, np.eye(3)))
    n = unit(rng.normal(size=(count, 3)) / np.where(rng.random((count, 1)) < 0.5, 1.0, radii_a))
    x_b = tg.Ellipsoid(radii_b).point(np.einsum("kji,kj->ki", turn, n))
    reach = tg.Ellipsoid(radii_a).point(n) + np.einsum("kij,kj->ki", turn, x_b)
    deep = np.where(rng.random(count) < 0.5, 1.0 - 10.0 ** rng.uniform(-14.0, 0.0, count), rng.random(count))
    along = np.eye(3)[rng.integers(0, 3, count)] * (radii_a + radii_b)
    return radii_a, radii_b, turn, np.where(rng.random((count, 1)) < 0.15, along, reach) * deep[:, None]


def check_overlaps(monkeypatch, rng, count, aspect, directions):
    radii_a, radii_b, turn, position = overlaps(rng, count, aspect)
    a, b = tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
    c = tg.contact(a, b, None, (turn, position))
    size = radii_a.max(axis=-1) + radii_b.max(axis=-1)
    for k in range(0, count, 1000):
        part = slice(k, k + 1000)
        best = best_separation(radii_a[part], radii_b[part], turn[part], position[part], directions)
        # No direction separates with a shorter translation than is proved.
        assert (best <= c.upper[part] + 1e-14 * size[part]).all()
    assert contradictions(c, robust(monkeypatch, a, b, None, (turn, position))) == 0
    assert c.converged.mean() > 0.999
    assert (c.status <= tg.Status.OVERLAP_PROVED).mean() > 0.99


@pytest.mark.parametrize("aspect", [2.0, 30.0, 300.0])
def test_proved_depths_hold_against_all_directions(aspect, monkeypatch):
    check_overlaps(monkeypatch, np.random.default_rng(12), 1000, aspect, 2000)


@pytest.mark.full
@pytest.mark.parametrize(
    "aspect",
    [2.0, 5.0, 30.0, 300.0, 1e4, 1e6],
)
def test_thousands_of_proved_depths(aspect, monkeypatch):
    check_overlaps(monkeypatch, np.random.default_rng(13), 10_000, aspect, 2500)


def test_no_proof_at_a_saddle_of_flat_needles():
    # Moved along the middle axis: that axis is a common normal, but the short one is the way out.
    for radii in ([1.0, 1e-4, 1e-6], [1.0, 3e-5, 1e-6], [1.0, 1e-5, 1e-6], [1.0, 1e-4, 1e-5]):
        a = tg.Ellipsoid(radii)
        part = np.array([0.1, 0.5, 0.75, 0.9, 0.99])
        c = tg.contact(a, a, None, (None, 2.0 * radii[1] * part[:, None] * [0.0, 1.0, 0.0]))
        assert (c.upper >= -2.0 * radii[2] - 1e-14).all()


@pytest.mark.parametrize(
    ("a", "b", "turn", "position", "separation"),
    [
        (
            [0.0004073967571314883, 0.000636669599036008, 1.0],
            [0.0012433349662998657, 0.0010438233485513657, 0.6114533635052329],
            [0.022522671516891198, -0.0042777735049883865, 0.013071702392242706],
            [3.171022461290586e-05, 0.00017321291155473597, -0.020245055365835207],
            -0.0016531588,
        ),
        (
            [2.1099254560817906e-05, 1.0, 1.4995071988941609e-05],
            [0.00032846430677812227, 7.587785780886633, 0.00011353781414816025],
            [-1.486250061498283, 0.48735121110352453, -0.019674733186643076],
            [2.1360071186409946, -1.7814749243956636, 7.238871303560634],
            -6.16e-08,
        ),
    ],
)
def test_no_proof_excludes_a_known_separation(a, b, turn, position, separation):
    pose = (Rotation.from_rotvec(np.tile(turn, (4, 1))), np.tile(position, (4, 1)))
    c = tg.contact(tg.Ellipsoid(a), tg.Ellipsoid(b), None, pose)
    assert (c.upper >= separation).all()


@pytest.mark.parametrize("aspect", [3.0, 1e3, 1e6])
def test_shallow_overlaps_and_touching(aspect):
    rng = np.random.default_rng(14)
    radii_a, radii_b = random_radii(rng, 2000, aspect), random_radii(rng, 2000, aspect)
    depth = 10.0 ** rng.uniform(-16.0, -1.0, 2000) * np.minimum(radii_a.min(axis=-1), radii_b.min(axis=-1))
    depth[::7] = 0.0
    n, turn = unit(rng.normal(size=(2000, 3))), Rotation.random(2000, rng=rng).as_matrix()
    c = place(tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b), -depth, n, turn).contact()
    assert c.converged.all()
    # The manufactured normal separates with this translation.
    assert (c.upper >= -depth - 4e-15).all()
    assert (c.status <= tg.Status.OVERLAP_PROVED).mean() > 0.99


@pytest.mark.parametrize(
    ("a", "b", "depth"),
    [
        (tg.Ellipsoid([1, 0.5, 0.3]), tg.Ellipsoid([1, 0.5, 0.3]), 0.6),
        (tg.Sphere(1.0), tg.Sphere(1.0), 2.0),
        (tg.Sphere(1.0), tg.Ellipsoid([1, 2, 3]), 2.0),
        (tg.Superellipsoid([1, 0.5, 0.3], (0.5, 0.5)), tg.Superellipsoid([1, 0.5, 0.3], (0.5, 0.5)), 0.6),
        (tg.Ellipsoid([1, 1, 1e-6]), tg.Ellipsoid([1, 1, 1e-6]), 2e-6),
    ],
    ids=lambda value: type(value).__name__,
)
def test_concentric_bodies_in_stacks(a, b, depth):
    position = np.zeros((7, 3))
    position[1:4, 0], position[4:7, 1] = [1e-300, 1e-16, 1e-14], [1e-300, 1e-16, 1e-14]
    c = tg.contact(a, b, None, (None, position))
    assert c.converged.all()
    np.testing.assert_allclose(c.distance, -depth, atol=1e-13)
    for array in (c.normal, c.point_a, c.point_b, c.lower, c.upper):
        assert np.isfinite(array).all()


# ---- what else may be asked --------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["ellipsoids", "superellipsoids", "ellipsoid and superellipsoid"])
def test_beyond_is_proved_by_the_lower_bound(kind):
    rng = np.random.default_rng(15)
    a, b, turn, position = pairs(rng, kind, 1500)
    c = tg.contact(a, b, None, (turn, position))
    limit = c.distance + 10.0 ** rng.uniform(-12.0, -0.5, 1500) * rng.choice([-1.0, 1.0], 1500)
    d = tg.contact(a, b, None, (turn, position), max_distance=limit)
    beyond = d.status == tg.Status.BEYOND
    assert beyond.sum() > 100
    assert (d.lower[beyond] >= limit[beyond] - 1e-13).all()
    assert (c.upper[beyond] >= limit[beyond]).all()
    assert contradictions(c, d) == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["good", "opposite", "random"])
def test_no_guess_makes_a_bound_wrong(kind, how):
    rng = np.random.default_rng(16)
    a, b, turn, position = pairs(rng, kind, 1000)
    c = tg.contact(a, b, None, (turn, position))
    guess = {"good": c, "opposite": -c.normal, "random": rng.normal(size=(1000, 3))}[how]
    d = tg.contact(a, b, None, (turn, position), guess=guess)
    assert contradictions(c, d) == 0
    apart = c.distance > 1e-9
    np.testing.assert_allclose(d.distance[apart], c.distance[apart], atol=1e-11)
    assert (d.status[apart] == tg.Status.APART).all()


@pytest.mark.parametrize("kind", ["ellipsoids", "superellipsoids"])
@pytest.mark.parametrize("seed", range(3))
def test_warm_starts_cost_two_evaluations(kind, seed):
    """Small motions, 1e-4 of the size per step, each query guided by the previous answer."""
    rng = np.random.default_rng(seed)
    count = 200
    radii = [random_radii(rng, count, 3.0) for _ in range(2)]
    if kind == "ellipsoids":
        a, b = (tg.Ellipsoid(r) for r in radii)
    else:
        a, b = (tg.Superellipsoid(r, rng.uniform(0.8, 1.2, (count, 2))) for r in radii)
    n, turn = unit(rng.normal(size=(count, 3))), Rotation.random(count, rng=rng).as_matrix()
    problem = place(a, b, rng.uniform(0.02, 1.0, count), n, turn)
    velocity = 1e-4 * problem.size[:, None] * unit(rng.normal(size=(count, 3)))
    spin = Rotation.from_rotvec(1e-4 * unit(rng.normal(size=(count, 3)))).as_matrix()
    position, c, total = problem.position, problem.contact(), 0.0
    steps = 40
    for _ in range(steps):
        position, turn = position + velocity, spin @ turn
        c = tg.contact(a, b, None, (turn, position), guess=c)
        total += c.evaluations.mean()
        assert c.converged.all()
    # Superellipsoids: 2.009 at most.
    assert total / steps <= 2.0 + (0.0 if kind == "ellipsoids" else 0.02)


# ---- input -------------------------------------------------------------------------------------------------
def frames(rng, count):
    pose = np.tile(np.eye(4), (count, 1, 1))
    pose[:, :3, :3], pose[:, :3, 3] = Rotation.random(count, rng=rng).as_matrix(), 3.0 * rng.normal(size=(count, 3))
    return pose


def read_only(pose):
    pose = pose.copy()
    pose.flags.writeable = False
    return pose


@pytest.mark.parametrize(
    "form",
    [
        read_only,
        np.asfortranarray,
        np.ndarray.tolist,
        lambda p: np.repeat(p, 2, axis=0)[::2],
        lambda p: p[::-1].copy()[::-1],
        lambda p: p.astype(">f8"),
        lambda p: p.astype(object),
        lambda p: (p[:, :3, :3], p[:, :3, 3]),
        lambda p: (p[:, :3, :3].tolist(), p[:, :3, 3].tolist()),
    ],
)
def test_all_forms_of_poses_give_the_same_bits(form):
    a, b = tg.Ellipsoid([1, 0.5, 0.3]), tg.Superellipsoid([0.4, 0.6, 0.9], (0.8, 1.1))
    pose = frames(np.random.default_rng(17), 6)
    assert same(tg.contact(a, b, None, pose), tg.contact(a, b, None, form(pose)))


def test_slightly_skew_poses_are_brought_back():
    rng = np.random.default_rng(18)
    a, b = tg.Ellipsoid([1, 0.5, 0.3]), tg.Ellipsoid([0.4, 0.6, 0.9])
    pose = frames(rng, 100)
    skew = pose.copy()
    skew[:, :3, :3] += 1e-9 * rng.normal(size=(100, 3, 3))
    c, d = tg.contact(a, b, pose_b=pose), tg.contact(a, b, pose_b=skew)
    np.testing.assert_allclose(c.distance, d.distance, atol=1e-8)
    local = np.einsum("kji,kj->ki", pose[:, :3, :3], d.point_b - pose[:, :3, 3])
    np.testing.assert_allclose(b.implicit(local), 0.0, atol=1e-7)


@pytest.mark.parametrize(
    ("at", "value", "word"),
    [
        ((40, 0, 0), np.nan, "finite"),
        ((40, 1, 3), np.nan, "finite"),
        ((40, 2, 3), np.inf, "finite"),
        ((40, 3, 0), 1e-3, "last row"),
        ((40, 3, 3), np.nan, "last row"),
        ((40, 2, 3), 1e61, "1e60"),
        ((40, slice(0, 3), slice(0, 3)), np.diag([1, 1, -1]), "reflection"),
        ((40, slice(0, 3), slice(0, 3)), 0.0, "rotation"),
    ],
)
def test_one_bad_pose_in_a_stack_is_refused(at, value, word):
    pose = frames(np.random.default_rng(19), 70)
    pose[at] = value
    with pytest.raises(ValueError, match=word) as info:
        tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=pose)
    assert "pose_b" in str(info.value)


def test_messages_about_large_stacks_are_short():
    pose = np.tile(np.eye(4), (10_000, 1, 1))
    pose[3, 3, 0] = 1e-3
    with pytest.raises(ValueError, match="last row") as info:
        tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=pose)
    assert len(str(info.value)) < 5000


@pytest.mark.parametrize("threads", [0, -1, "all", 1.5, True])
def test_threads_are_checked_for_single_pairs_too(threads):
    for pose in (None, np.tile(np.eye(4), (5, 1, 1))):
        with pytest.raises(ValueError, match="threads"):
            tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=pose, threads=threads)


def test_changing_the_input_does_not_change_an_old_answer():
    rng = np.random.default_rng(20)
    radii, pose, guess, limit = rng.uniform(0.2, 1, (6, 3)), frames(rng, 6), rng.normal(size=(6, 3)), np.full(6, 100.0)
    b = tg.Ellipsoid([0.4, 0.6, 0.9])

    def ask():
        return tg.contact(tg.Ellipsoid(radii), b, None, pose, guess=guess, max_distance=limit)

    c, d = ask(), ask()
    before = [d.curvature_a, d.curvature_b, d.relative_curvature]
    for array in (radii, pose, guess, limit):
        array[...] = 7.0
    assert same(c, d)
    for now, then in zip([c.curvature_a, c.curvature_b, c.relative_curvature], before):
        for name in ("values", "radii", "directions"):
            assert np.array_equal(getattr(now, name), getattr(then, name))


# ---- memory ------------------------------------------------------------------------------------------------
COUNT = 30_000  # enough for arrays that are lent


def test_views_of_old_answers_keep_their_numbers():
    rng = np.random.default_rng(21)
    a, held = tg.Ellipsoid([1, 0.5, 0.3]), []
    for _ in range(12):
        c = tg.contact(a, a, None, (None, 3.0 * rng.normal(size=(COUNT, 3))))
        views = [c.distance[10:20], c.normal[-5:], c.point_a[::1000], c.status[::1000], c.upper]
        held.append((views, [view.copy() for view in views]))
        del c
        if len(held) > 4:
            held.pop(int(rng.integers(0, 4)))
    for views, copies in held:
        assert all(np.array_equal(view, copy) for view, copy in zip(views, copies))


def test_an_answer_may_be_the_next_question():
    rng = np.random.default_rng(22)
    a = tg.Ellipsoid([1, 0.5, 0.3])
    c = tg.contact(a, a, None, (None, 3.0 * rng.normal(size=(COUNT, 3))))
    copies = [getattr(c, name).copy() for name in FIELDS]
    for _ in range(3):
        tg.contact(a, a, None, (None, c.point_b), guess=c)
    assert all(np.array_equal(getattr(c, name), copy) for name, copy in zip(FIELDS, copies))


def test_many_threads_may_ask_at_once():
    a = tg.Ellipsoid([1, 0.5, 0.3])
    position = 3.0 * np.random.default_rng(23).normal(size=(4, COUNT, 3))
    expected = [tg.contact(a, a, None, (None, p), threads=1).distance.copy() for p in position]
    wrong = []

    def work(k):
        for turn in range(6):
            c = tg.contact(a, a, None, (None, position[k]), threads=1 + turn % 2)
            if not np.array_equal(c.distance, expected[k]):
                wrong.append(k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60.0)
    assert not wrong
    assert not any(worker.is_alive() for worker in workers)


_COLLECTING = """
import faulthandler, gc
faulthandler.dump_traceback_later(8, exit=True)
from tangency.compiled import memory

class Node:
    pass

class Rest(list):
    # The collector runs at any allocation: here, whenever the list of arrays at rest is touched.
    def touched(name):
        def method(self, *args):
            if hidden:
                hidden.clear()
                gc.collect()
            return getattr(list, name)(self, *args)
        return method
    __iter__, __len__, append, pop, __delitem__ = map(touched, ("__iter__", "__len__", "append", "pop", "__delitem__"))

memory._rest, hidden = Rest(), []
for k in range(3):
    loan = memory.borrow(100_000)
    node = Node()
    node.me, node.loan = node, memory.borrow(100_000)
    hidden.append(node)
    del node
    del loan
print("alive")
"""


def test_the_garbage_collector_may_run_while_memory_is_given_back():
    # In a process of its own: a thread that waits for itself could not be stopped.
    run = subprocess.run([sys.executable, "-c", _COLLECTING], capture_output=True, text=True, timeout=120)
    assert run.stdout == "alive\n", run.stderr


def test_memory_per_pair():
    """At most 400 bytes per pair of ellipsoids, inputs included, also while the answer is computed."""
    count = 1_000_000
    rng = np.random.default_rng(24)
    memory._rest.clear()
    gc.collect()
    tracemalloc.start()
    try:
        radii_a, radii_b = rng.uniform(0.2, 1.0, (count, 3)), rng.uniform(0.2, 1.0, (count, 3))
        a, b = tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
        del radii_a, radii_b
        pose = (np.eye(3), rng.uniform(-2.0, 2.0, (count, 3)))
        tracemalloc.reset_peak()
        c = tg.contact(a, b, None, pose)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert c.converged.all()
    assert peak / count < 400.0
