"""The adapter for CasADi: Jacobian, Hessian, and a nonlinear program in IPOPT."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg

casadi = pytest.importorskip("casadi", reason="needs CasADi: pip install 'tangency[casadi]'")

from tangency.interop.casadi import distance  # noqa: E402

A, B = tg.Ellipsoid([0.5, 0.4, 0.3]), tg.Superellipsoid([0.3, 0.2, 0.4], (0.8, 0.9))


def turned(position, angle):
    """Pose turned about x, as a CasADi matrix."""
    c, s = casadi.cos(angle), casadi.sin(angle)
    rows = [
        casadi.horzcat(1, 0, 0, position[0]),
        casadi.horzcat(0, c, -s, position[1]),
        casadi.horzcat(0, s, c, position[2]),
        casadi.horzcat(0, 0, 0, 1),
    ]
    return casadi.vertcat(*rows)


def test_derivatives():
    gap, x = distance(A, B), casadi.MX.sym("x", 4)
    value = gap(turned([0.1, 0.2, 0.3], x[3] ** 2), turned(x[:3], 0.3 + casadi.sin(x[3])))
    hessian, gradient = casadi.hessian(value, x)
    f, g, h = (casadi.Function("f", [x], [e]) for e in (value, gradient, hessian))
    at = np.array([0.9, 0.5, 0.7, 0.6])
    pose_a = Rotation.from_rotvec([0.36, 0, 0]), [0.1, 0.2, 0.3]
    c = tg.contact(A, B, pose_a, (Rotation.from_rotvec([0.3 + np.sin(0.6), 0, 0]), at[:3]))
    np.testing.assert_allclose(float(f(at)), c.distance, rtol=1e-12)
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    for function, derivative, tolerance in ((f, g, 1e-9), (g, h, 1e-8)):
        found = np.array(derivative(at)).reshape(4, -1)
        for k, e in enumerate(np.eye(4)):
            difference = sum(w * (function(at + m * 1e-3 * e) - function(at - m * 1e-3 * e)) for m, w in weights) / 1e-3
            np.testing.assert_allclose(found[k], np.array(difference).ravel(), atol=tolerance)


def test_count():
    """Many pairs of poses in one call: the same as one by one, and sparse."""
    one, many, x = distance(A, B), distance(A, B, count=3), casadi.MX.sym("x", 4, 3)
    sides = [
        casadi.horzcat(*(turned([0.1 * k, 0.2, 0.3], x[3, k] ** 2) for k in range(3))),
        casadi.horzcat(*(turned(x[:3, k], 0.3 + casadi.sin(x[3, k])) for k in range(3))),
    ]
    weights, at = casadi.DM([0.7, -1.2, 0.4]), np.random.default_rng(3).uniform(0.4, 0.9, (4, 3))
    found = []
    for function in (one.map(3), many):
        values, flat = function(*sides), casadi.vec(x)
        parts = [values, casadi.jacobian(values, flat), casadi.hessian(values @ weights, flat)[0]]
        found.append(casadi.Function("f", [x], parts)(at))
    for expected, value in zip(*found):
        np.testing.assert_allclose(value.full(), expected.full(), atol=1e-13)
    assert found[1][1].nnz() == 12  # each distance depends on its own four variables
    assert found[1][2].nnz() == 48


@pytest.mark.parametrize("count", [0, 2.0, True])
def test_count_refused(count):
    with pytest.raises(ValueError, match="count must be a whole number"):
        distance(A, B, count=count)


def test_ipopt():
    """The place nearest to the origin at a distance of 0.1, with exact second derivatives."""
    gap, x = distance(tg.Ellipsoid([3.0, 2.0, 1.0]), tg.Sphere(0.5)), casadi.MX.sym("x", 3)
    problem = {"x": x, "f": casadi.dot(x, x), "g": gap(casadi.DM.eye(4), turned(x, 0.0))}
    options = {"ipopt.print_level": 0, "print_time": False, "ipopt.tol": 1e-10}
    solution = casadi.nlpsol("solver", "ipopt", problem, options)
    found = solution(x0=[1.0, 1.0, 2.0], lbg=0.1, ubg=casadi.inf)
    assert solution.stats()["success"]
    assert solution.stats()["iter_count"] < 30
    np.testing.assert_allclose(np.array(found["x"]).ravel(), [0.0, 0.0, 1.6], atol=1e-5)
