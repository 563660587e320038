"""Gaps as constraints for scipy.optimize."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import tangency as tg
from differences import by_stencil
from tangency.interop.optimize import Gaps, Placed

BODIES = tg.Bodies([tg.Ellipsoid([1.0, 0.6, 0.5]), tg.Sphere(0.3), tg.Superellipsoid([0.5, 0.4, 0.3], (0.7, 0.9))])
PAIRS = [[0, 1], [2, 1], [2, 0]]


def motion(x):
    """A turns about z by x[0] and moves; the sphere moves with x[1:4]; the third body turns about its own x axis."""
    about_z, about_x = Rotation.from_rotvec([0, 0, x[0]]), Rotation.from_rotvec([x[4], 0, 0])
    poses = np.stack([about_z.as_matrix(), np.eye(3), (about_z * about_x).as_matrix()]), np.zeros((3, 3))
    poses[1][1], poses[1][2] = x[1:4], [x[0] ** 2, 2.0, 0.3]
    twists, changes = np.zeros((3, 6, 5)), np.zeros((3, 6, 5, 5))
    twists[0, 5, 0] = twists[2, 5, 0] = 1.0
    twists[1, :3, 1:4] = np.eye(3)
    twists[2, 0, 0], changes[2, 0, 0, 0] = 2 * x[0], 2.0
    twists[2, 3:, 4] = [np.cos(x[0]), np.sin(x[0]), 0.0]
    changes[2, 3:, 4, 0] = [-np.sin(x[0]), np.cos(x[0]), 0.0]
    return Placed(poses, twists, changes)


def test_derivatives():
    gaps, x = Gaps(BODIES, PAIRS, motion), np.array([0.3, 1.5, 0.4, 0.2, 0.7])
    np.testing.assert_allclose(gaps.jacobian(x), by_stencil(lambda v: gaps(x + v), 5, 1e-3), atol=1e-9)
    weights = np.array([0.5, -1.0, 2.0])
    second = by_stencil(lambda v: weights @ gaps.jacobian(x + v), 5, 1e-3)
    np.testing.assert_allclose(gaps.hessian(x, weights), second, atol=1e-8)


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")  # of quasi-Newton steps at the optimum
@pytest.mark.parametrize("exact", [True, False])
def test_nearest_free_place(exact):
    """The sphere comes as near to the middle of A as it may."""
    still = np.zeros((3, 6, 3))
    still[1, :3] = np.eye(3)
    place = np.array([[0.0, 0, 0], [0, 0, 0], [9, 9, 9]])

    def slide(x):
        return Placed(
            (None, place + np.array([[0, 0, 0], x, [0, 0, 0]])), still, np.zeros((3, 6, 3, 3)) if exact else None
        )

    gaps = Gaps(BODIES, [[0, 1]], slide)
    found = minimize(
        lambda x: x @ x, [0.3, 0.4, 1.2], jac=lambda x: 2 * x, hess=lambda x: 2 * np.eye(3), method="trust-constr",
        constraints=[gaps.constraint(0.05, exact=exact)], options={"gtol": 1e-9, "maxiter": 300},
    )  # fmt: skip
    np.testing.assert_allclose(abs(found.x), [0, 0, 0.85], atol=1e-4)


def test_what_is_refused():
    gaps = Gaps(BODIES, PAIRS, lambda x: motion(x)[:2])
    with pytest.raises(ValueError, match="changes of its twists"):
        gaps.hessian(np.ones(5), np.ones(3))
    with pytest.raises(TypeError, match="bodies must be a"):
        Gaps([tg.Sphere(1.0)], PAIRS, motion)
