"""Lopes' methods: Jacobians, agreement with the default solver, candidates, singular equations, poles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from manufactured import facing, place, random_pairs, random_radii, surface_normals, unit
from tangency import Status
from tangency.compiled.jit import element, jit
from tangency.implicit.newton import Formula, assemble, evaluate_both
from tangency.kernels.linear import eliminate, shortest
from tangency.kernels.tangents import householder, householder_rate, plate, plate_rate
from tangency.solvers import LopesImplicit, LopesParametric

METHODS = {
    "householder": LopesImplicit(),
    "auxiliary": LopesImplicit(tangents="auxiliary"),
    "parametric": LopesParametric(),
}


def ellipsoids(rng, count):
    a, b = tg.Ellipsoid(random_radii(rng, count, 4.0)), tg.Ellipsoid(random_radii(rng, count, 4.0))
    return random_pairs(rng, a, b, count)


def superellipsoids(rng, count):
    radii = random_radii(rng, count, 3.0), random_radii(rng, count, 3.0)
    eps = rng.uniform(0.6, 1.0, (count, 2)), rng.uniform(0.6, 1.0, (count, 2))
    a, b = (tg.Superellipsoid(r, e) for r, e in zip(radii, eps))
    n, m = (surface_normals(rng, r, e) for r, e in zip(radii, eps))
    return place(a, b, 10.0 ** rng.uniform(-3, 0.5, count), n, facing(rng, n, m))


def powers(rng, count):
    a, b = (tg.PowerEllipsoid(random_radii(rng, count, 3.0), rng.uniform(2.0, 3.5, (count, 3))) for _ in range(2))
    return random_pairs(rng, a, b, count)


PROBLEMS = {"ellipsoids": ellipsoids, "superellipsoids": superellipsoids, "power ellipsoids": powers}


@pytest.mark.parametrize("family", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_warm_start_finds_the_known_answer(method, family):
    rng = np.random.default_rng(1)
    problem = PROBLEMS[family](rng, 400)
    guess = unit(problem.normal + 0.02 * rng.normal(size=(400, 3)))
    c = problem.contact(solver=METHODS[method], guess=guess)
    found = c.status == Status.APART
    assert found.mean() > (0.97 if family == "ellipsoids" else 0.9)
    assert (np.abs(c.distance - problem.gap)[found] <= 1e-10 * problem.size[found]).all()
    np.testing.assert_allclose(c.normal[found], problem.normal[found], atol=1e-4)
    assert np.abs(problem.a.implicit(c.point_a))[found].max() < 1e-7
    assert 2 <= np.median(c.iterations[found]) <= 8
    assert np.isfinite(c.distance).all()
    # What was not found is not claimed.
    wrong = np.abs(c.distance - problem.gap) > 1e-9 * problem.size
    assert not c.converged[wrong].any()


@pytest.mark.parametrize("method", METHODS)
def test_overlap_is_compared_with_the_default(method):
    rng = np.random.default_rng(2)
    a, b = tg.Ellipsoid(random_radii(rng, 200, 2.0)), tg.Ellipsoid(random_radii(rng, 200, 2.0))
    n = unit(rng.normal(size=(200, 3)))
    problem = place(a, b, np.full(200, -0.05), n, Rotation.random(200, rng=rng).as_matrix())
    c = problem.contact(solver=METHODS[method], guess=n)
    exact = problem.contact()
    good = c.converged
    assert good.mean() > 0.9
    np.testing.assert_allclose(c.distance[good], exact.distance[good], atol=1e-10)
    assert set(c.status[good].tolist()) <= {Status.OVERLAP_PROVED, Status.OVERLAP}
    other = c.status == Status.OTHER_NORMAL
    assert (c.distance[other] < exact.distance[other] - 1e-12).all()


def test_moved_and_swapped_bodies():
    rng = np.random.default_rng(3)
    a, b = tg.Ellipsoid([3, 2, 1]).translate([0.3, 0.2, 0.1]), tg.Superellipsoid([1, 2, 1], (0.8, 0.9))
    pose_a = Rotation.random(50, rng=rng), rng.normal(size=(50, 3))
    pose_b = Rotation.random(50, rng=rng), pose_a[1] + 7.0 * unit(rng.normal(size=(50, 3)))
    exact = tg.contact(a, b, pose_a, pose_b)
    for solver in METHODS.values():
        c = tg.contact(a, b, pose_a, pose_b, solver=solver, guess=exact)
        back = tg.contact(b, a, pose_b, pose_a, solver=solver, guess=-exact.normal)
        for result, sign, points in ((c, 1.0, "ab"), (back, -1.0, "ba")):
            good = result.converged
            assert good.mean() > 0.9
            np.testing.assert_allclose(result.distance[good], exact.distance[good], atol=1e-10)
            np.testing.assert_allclose(result.normal[good], sign * exact.normal[good], atol=1e-6)
            np.testing.assert_allclose(result.point_a[good], getattr(exact, f"point_{points[0]}")[good], atol=1e-5)


def test_trace_converges_quadratically_and_is_in_the_world():
    a, b = tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 1, 2])
    pose_a, pose_b = (Rotation.from_euler("z", 0.5), [1, 2, 3]), (Rotation.from_euler("x", 0.5), [7, 4, 3])
    for solver in METHODS.values():
        c = tg.contact(a, b, pose_a, pose_b, solver=solver, trace=True)
        assert c.converged
        count = int(c.iterations)
        error = np.linalg.norm(c.trace.point_a[:count] - c.point_a, axis=-1)
        assert error[0] > 1e-2 > 1e-5 > error[count - 1]
        assert c.trace.residual[count - 1] < 1e-4 * c.trace.residual[0]
        assert (c.trace.steps[count:] == 0.0).all()
        np.testing.assert_allclose(np.linalg.norm(c.trace.normal[:count], axis=-1), 1.0, atol=1e-12)


def test_four_candidates_mend_a_start_on_the_far_side():
    # Aligned bodies: the guess points away from B, where the equations hold as well (Lopes 2010, Fig. 4).
    a, b = tg.Ellipsoid([3, 2, 1]), tg.Sphere(0.5)
    pose = (None, [5.0, 0.0, 0.0])
    plain = tg.contact(a, b, None, pose, solver=LopesImplicit(candidates=False), guess=[-1, 0, 0])
    assert not plain.converged
    c = tg.contact(a, b, None, pose, solver="lopes-implicit", guess=[-1, 0, 0])
    assert c.status == Status.APART
    assert float(c.distance) == pytest.approx(1.5, abs=1e-12)
    assert c.normal.tolist() == [1.0, 0.0, 0.0]


def test_bodies_without_symmetry_are_not_mirrored():
    a = tg.Ellipsoid([3, 2, 1]).translate([1.0, 0.0, 0.0])  # symmetric about the centre of its box, not the origin
    c = tg.contact(a, tg.Sphere(0.5), None, (None, [6, 0, 0]), solver="lopes-implicit", guess=[-1, 0, 0])
    assert float(c.distance) == pytest.approx(1.5, abs=1e-12)


def test_singular_equations():
    # Flat places: where two coordinates vanish the Hessian does, and with it rows of the Jacobian.
    a = tg.PowerEllipsoid([1, 1, 1], [6, 6, 6])
    for solver in METHODS.values():
        c = tg.contact(a, a, None, (None, [0, 0, 3]), solver=solver)
        assert np.isfinite([c.distance, c.lower, c.upper]).all()
        assert c.lower <= 1.0 + 1e-12
        assert c.upper >= 1.0 - 1e-12
    c = tg.contact(a, a, None, (None, [0, 0, 3]), solver="lopes-implicit")
    assert c.status == Status.APART
    assert float(c.distance) == pytest.approx(1.0, abs=1e-12)
    result = tg.implicit.contact(a, a, pose_b=(None, [0, 0, 3]), start=([0, 0, 1.001], [0, 0, -1]))
    assert int(result.singular) > 0


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("method", METHODS)
def test_poles(method, axis):
    n = np.eye(3)[axis]
    for sign in (1.0, -1.0):
        a, b = tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 2, 2.5])
        where = sign * (np.array([3, 2, 1]) + np.array([1, 2, 2.5]) + 0.25) * n + 1e-9
        c = tg.contact(a, b, None, (None, where), solver=METHODS[method])
        assert c.converged
        assert float(c.distance) == pytest.approx(0.25, abs=1e-7)


def test_shapes_without_an_implicit_function_are_refused():
    for solver in ("lopes-implicit", "lopes-parametric"):
        with pytest.raises(TypeError, match=f"b must have an implicit function for solver='{solver}'.*Box"):
            tg.contact(tg.Sphere(1.0), tg.Box([1, 1, 1]), pose_b=(None, [5, 0, 0]), solver=solver)
        with pytest.raises(TypeError, match=r"a must have an implicit function.*Offset"):
            tg.contact(tg.Ellipsoid([3, 2, 1]).offset(0.1), tg.Sphere(1.0), pose_b=(None, [5, 0, 0]), solver=solver)


def test_options_are_checked():
    with pytest.raises(ValueError, match="tangents must be one of"):
        LopesImplicit(tangents="eberly")
    with pytest.raises(ValueError, match="start must be one of"):
        LopesParametric(start="anywhere")
    with pytest.raises(ValueError, match="max_iterations must be"):
        LopesImplicit(max_iterations=0)


def test_concentric_bodies_and_few_iterations_fail_honestly():
    a, b = tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 2, 3])
    for solver in (*METHODS.values(), LopesImplicit(start="midpoint")):
        c = tg.contact(a, b, solver=solver)
        assert np.isfinite([c.distance, c.lower, c.upper, *c.normal]).all()
    c = tg.contact(a, b, pose_b=(None, [5, 3, 2]), solver=LopesImplicit(max_iterations=1))
    assert c.status == Status.NOT_CONVERGED


def test_superellipsoid_and_plane_by_the_thesis():
    """Thesis, Eqs. (5.11)-(5.15), against the half-space of the library.

    The thesis counts its exponents the other way round (Eq. 2.14): its e1 belongs to xy, its e2 to z.  Eq. (5.14) has
    lost the power 2 - e1 of |cos phi_1| and |sin phi_1|.
    """
    rng = np.random.default_rng(6)
    count = 200
    radii, eps = rng.uniform(0.3, 2.0, (count, 3)), rng.uniform(0.3, 1.7, (count, 2))
    turn, home, n = Rotation.random(count, rng=rng), rng.normal(size=(count, 3)), unit(rng.normal(size=(count, 3)))
    m = turn.inv().apply(n)  # Eq. (5.11)
    a, b, c = radii.T
    e2, e1 = eps.T  # the library's order is (z, xy)

    def power(v, p):
        return np.sign(v) * np.abs(v) ** p

    # Eq. (5.13): tan of the azimuth; Eq. (5.14): of the elevation, by the larger of cos and sin of the azimuth.
    phi = np.arctan2(power(b * m[:, 1], 1 / (2 - e1)), power(a * m[:, 0], 1 / (2 - e1)))
    by_x = np.abs(a * m[:, 0]) > np.abs(b * m[:, 1])
    k = np.where(
        by_x,
        np.abs(np.cos(phi)) ** (2 - e1) / np.abs(a * m[:, 0]),
        np.abs(np.sin(phi)) ** (2 - e1) / np.abs(b * m[:, 1]),
    )
    theta = np.arctan(power(c * m[:, 2] * k, 1 / (2 - e2)))
    ring = np.cos(theta) ** e2
    x = np.stack(
        [a * ring * power(np.cos(phi), e1), b * ring * power(np.sin(phi), e1), c * power(np.sin(theta), e2)], axis=-1
    )
    both = np.stack([home + turn.apply(x), home - turn.apply(x)])  # Eq. (5.15)
    distance = -(both * n).sum(axis=-1).max(axis=0)
    plane = tg.HalfSpace(-n, 0.0)  # the body of the plane lies on the side to which n points
    c = tg.contact(tg.Superellipsoid(radii, eps), plane, (turn, home), solver="lopes-implicit")
    np.testing.assert_allclose(c.distance, distance, atol=1e-12)


@jit
def _both(fa, row_a, fb, row_b, q, jets):
    a, b = Formula(fa, element(row_a, 0), row_a.shape[1]), Formula(fb, element(row_b, 0), row_b.shape[1])
    evaluate_both(a, b, q, jets)


@pytest.mark.parametrize("kind", [0, 1])
def test_jacobian_of_the_six_equations(kind):
    """Eq. (12) against differences of Eq. (9)."""
    a, b = tg.PowerEllipsoid([3, 2, 1], [2.5, 3, 2]), tg.Superellipsoid([1, 1, 2], (0.7, 0.8))
    turn = tuple(Rotation.from_euler("xyz", [0.3, 0.5, 0.7]).as_matrix().ravel())

    def system(q):
        jets, m = np.empty(20), np.empty((12, 7))
        _both(a.implicit_address, a.rows, b.implicit_address, b.rows, q, jets)
        assemble(jets, q, turn, (5.0, 1.0, 0.3), kind, m)
        return -m[:6, 6].copy(), m[:6, :6].copy()

    q = np.array([1.5, 1.2, 0.6, -0.6, 0.5, -1.1])
    _, jacobian = system(q)
    step = 1e-6
    differences = np.stack([(system(q + step * e)[0] - system(q - step * e)[0]) / (2 * step) for e in np.eye(6)], -1)
    np.testing.assert_allclose(jacobian, differences, atol=1e-7)


@pytest.mark.parametrize(("vectors", "rates"), [(householder, householder_rate), (plate, plate_rate)])
def test_tangents_and_their_rates(vectors, rates):
    rng = np.random.default_rng(7)
    for n in [
        *rng.normal(size=(50, 3)),
        *np.eye(3),
        *-np.eye(3),
        np.array([1.0, 1.0, 0.0]),
        np.array([-1.0, 1.0, 0.0]),
    ]:
        t, b = (np.array(v) for v in vectors(tuple(n)))
        assert np.linalg.norm(np.cross(t, b)) > 0.1 * np.linalg.norm(t) * np.linalg.norm(b) > 0.0
        for u, v in ((n, t), (n, b), (t, b)):
            assert abs(u @ v) < 1e-14 * np.linalg.norm(u) * np.linalg.norm(v) * 10
        if np.count_nonzero(n) < 3:
            continue  # at the seams of the plate only one-sided derivatives exist
        dn, step = rng.normal(size=3), 1e-6
        after, before = (np.array(vectors(tuple(n + s * step * dn))) for s in (1, -1))
        np.testing.assert_allclose(np.array(rates(tuple(n), tuple(dn))), (after - before) / (2 * step), atol=1e-6)


def test_linear_equations():
    rng = np.random.default_rng(8)
    for n in (4, 6):
        for _ in range(20):
            matrix, b = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-6, 6, (n, 1)), rng.normal(size=n)
            m, x, v = np.zeros((12, 7)), np.zeros(6), np.zeros((6, 7))
            m[:n, :n], m[:n, n] = matrix, b
            assert eliminate(m, n, x)
            np.testing.assert_allclose(x[:n], np.linalg.solve(matrix, b), rtol=1e-8)
            # Two equal columns: the shortest solution is that of NumPy's pseudo-inverse.
            matrix[:, 1] = matrix[:, 0]
            scaled = 1.0 / np.abs(matrix).max(axis=1)
            m[:n, :n], m[:n, n] = matrix, b
            assert not eliminate(m, n, x)
            m[:n, :n], m[:n, n] = matrix, b
            assert shortest(m, n, v, x) == n - 1
            best = np.linalg.pinv(matrix * scaled[:, None], rcond=1e-10) @ (b * scaled)
            np.testing.assert_allclose(x[:n], best, rtol=1e-8, atol=1e-10)
