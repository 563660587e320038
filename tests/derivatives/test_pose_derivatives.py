"""Derivatives by poses: against differences in 80 digits, and of the library's own contacts at edges and faces."""

import mpmath as mp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from differences import ExactContact, by_contacts, by_stencil, moved
from families import FAMILIES, normals
from reference import DIGITS

QUANTITIES = ("distance", "normal", "point_a", "point_b")
EXACT = [name for name, family in FAMILIES.items() if family.reference and family.exact]
SLOW = ("harmonic", "spline", "tapered superellipsoid", "superovoid", "ovoid", "power ellipsoid")
#: W from differences, or exact only to a few digits near the poles.
ROUGH = {"user's egg by point": 1e-6}


def problem(rng, a, b, gap, normal=None):
    """Two single bodies with a known common normal; poses with matrices that are rotations to rounding."""
    n = normals(rng) if normal is None else normal
    rotations = Rotation.random(2, rng=rng).as_matrix()
    x = [shape.point(r.T @ (s * n)) for shape, r, s in zip((a, b), rotations, (1, -1))]
    place = rng.normal(size=3)
    pose_a = rotations[0], place
    pose_b = rotations[1], place + rotations[0] @ x[0] + gap * n - rotations[1] @ x[1]
    return pose_a, pose_b


def whole_hessian(c):
    return np.block([[c.hessian((f"pose_{p}", f"pose_{q}")) for q in "ab"] for p in "ab"])


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.full)], ids=["", "full"])
@pytest.mark.parametrize("name", EXACT)
def test_against_differences_in_80_digits(name, whole):
    rng = np.random.default_rng(sorted(FAMILIES).index(name))
    gaps = (0.4, 1e-6, 0.0, -0.01) if whole else (0.4, 0.0, -0.01)
    if name in SLOW:
        gaps = (0.2, -0.01) if whole else ((0.2,), (-0.01,))[SLOW.index(name) % 2]
    with mp.workdps(DIGITS):
        for gap in gaps:
            a, b = FAMILIES[name].make(rng, ()), tg.Ellipsoid(np.exp(rng.uniform(-1.0, 0.5, 3)))
            poses = problem(rng, a, b, gap)
            c = tg.contact(a, b, *poses)
            assert c.differentiable
            if abs(c.distance - gap) > 1e-9:
                continue  # a shorter way out: another normal than the one asked for
            twist = rng.normal(size=12)
            first, second = ExactContact(a, b, *poses, c.normal).along(twist)
            scale = max(1.0, float(c.condition)) * 4.0
            r = c.rates(twist[:6], twist[6:])
            for of, expected, rate in zip(QUANTITIES, first, (r.gap, r.normal, r.point_a, r.point_b)):
                found = c.jacobian(of, "pose_a") @ twist[:6] + c.jacobian(of, "pose_b") @ twist[6:]
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * scale)
                np.testing.assert_allclose(rate, found, rtol=0, atol=1e-12 * scale)
                np.testing.assert_allclose(c.jvp(of, pose_a=twist[:6], pose_b=twist[6:]), rate, rtol=0, atol=0)
            curved = twist @ whole_hessian(c) @ twist
            np.testing.assert_allclose(curved, second, rtol=1e-7, atol=1e-7 * scale)


@pytest.mark.parametrize("name", ["support formula", "potential formula", "potential functions"])
def test_of_formulas(name):
    rng = np.random.default_rng(3)
    count = 4
    a, b = FAMILIES[name].make(rng, (count,)), FAMILIES["ellipsoid"].make(rng, (count,))
    poses = (Rotation.random(count, rng=rng).as_matrix(), np.zeros((count, 3))), (np.eye(3), 4.0 * normals(rng, count))
    c = tg.contact(a, b, *poses)
    assert c.differentiable.all()
    for of in QUANTITIES:
        difference = by_contacts(a, b, poses, c, of, "pose_a", 2e-3)
        np.testing.assert_allclose(c.jacobian(of, "pose_a"), difference, atol=1e-7)


EDGED = ["box", "segment", "hull", "capsule", "rounded box", "ellipsoid plus box", "cylinder", "cone"]


def both(c, of):
    return np.concatenate([c.jacobian(of, "pose_a"), c.jacobian(of, "pose_b")], axis=-1)


def check_by_distances(a, b, poses, least):
    """Gradients against differences of the distance, Hessians against differences of gradients; points by an identity.

    Distances are proved to twelve digits, points at edges and faces only to six: they are not differenced.
    """
    c = tg.contact(a, b, *poses)
    count = len(c)
    known = c.differentiable & (c.condition < 100.0)
    assert known.mean() > least

    def at(twist):
        return tg.contact(a, b, moved(poses[0], twist[:6]), moved(poses[1], twist[6:]), guess=c)

    def error(found, function):
        """The smaller one of two steps: the longer may reach over an end of an edge."""
        gaps = [np.abs(found - by_stencil(function, 12, step)).reshape(count, -1).max(axis=-1) for step in (2e-3, 1e-4)]
        return np.minimum(*gaps)[known]

    first = error(both(c, "distance"), lambda twist: at(twist).distance)
    assert np.quantile(first, 0.9) < 1e-8
    assert first.max() < 1e-5
    change = change_of_gradient(c)
    second = error(change, lambda twist: both(at(twist), "distance"))
    assert np.quantile(second, 0.9) < 1e-9
    assert second.max() < 3e-2
    # The gradient by B is (n, x_B x n), that by A -(n, x_A x n).
    dn = np.swapaxes(both(c, "normal"), -1, -2)
    np.testing.assert_allclose(dn[known], np.swapaxes(change[known][:, 6:9], -1, -2), atol=1e-9)
    for k, (name, sign) in enumerate((("point_a", -1.0), ("point_b", 1.0))):
        dx = np.swapaxes(both(c, name), -1, -2).copy()
        dx[:, 6 * k : 6 * k + 3] -= np.eye(3)
        arm = (getattr(c, name) - poses[k][1])[:, None, :]
        turned = np.cross(dx, c.normal[:, None, :]) + np.cross(arm, dn)
        assert np.abs(sign * turned - np.swapaxes(change[:, 6 * k + 3 : 6 * k + 6], -1, -2))[known].max() < 1e-5


def change_of_gradient(c):
    """Derivative (..., 12, 12) of the hybrid gradient of the distance.

    It is the Hessian plus half of the commutator of two rotations: the torque times e_i x e_j.
    """
    rows = [np.concatenate([c.hessian((f"pose_{p}", f"pose_{q}")) for q in "ab"], axis=-1) for p in "ab"]
    change = np.concatenate(rows, axis=-2)
    for k in range(2):
        torque = both(c, "distance")[:, None, 6 * k + 3 : 6 * k + 6]
        own = slice(6 * k + 3, 6 * k + 6)
        change[:, own, own] += 0.5 * np.swapaxes(np.cross(np.eye(3), torque), -1, -2)
    return change


@pytest.mark.parametrize("name", EDGED)
def test_faces_edges_and_corners(name):
    rng = np.random.default_rng(4)
    count = 40
    a, b = FAMILIES[name].make(rng, (count,)), FAMILIES["ellipsoid"].make(rng, (count,))
    rotations = Rotation.random(2 * count, rng=rng).as_matrix()
    place = normals(rng, count) * (0.9 * a.bounding_radius + b.bounding_radius)[:, None]
    check_by_distances(a, b, ((rotations[:count], np.zeros((count, 3))), (rotations[count:], place)), 0.7)


def test_all_kinds_of_support_sets_occur():
    """Sphere over a box: face, edge and corner, each against its closed form."""
    box, ball = tg.Box([1.0, 2.0, 3.0]), tg.Sphere(0.5)
    c = tg.contact(box, ball, None, (None, [[2.0, 0.3, 0.2], [2.0, 3.0, 0.2], [2.0, 3.0, 4.0]]))
    assert c.differentiable.all()
    d, n = c.distance + 0.5, c.normal
    plane = np.eye(3) - n[:, :, None] * n[:, None, :]
    free = np.stack([np.zeros((3, 3)), np.diag([1.0, 1.0, 0.0]), np.eye(3)])  # directions in which n may turn
    np.testing.assert_allclose(c.jacobian("normal")[..., :3], plane @ free / d[:, None, None], atol=1e-13)
    stays = np.stack([np.diag([0.0, 1.0, 1.0]), np.diag([0.0, 0.0, 1.0]), np.zeros((3, 3))])
    np.testing.assert_allclose(c.jacobian("point_a")[..., :3], stays, atol=1e-13)
    np.testing.assert_allclose(c.jacobian("normal")[..., 3:], 0.0, atol=1e-13)


def test_a_face_is_a_half_space():
    rng = np.random.default_rng(5)
    count = 20
    b = tg.Ellipsoid(rng.uniform(0.2, 0.5, (count, 3)))
    pose_a = Rotation.random(count, rng=rng).as_matrix(), rng.normal(size=(count, 3))
    local = np.concatenate([rng.uniform(-0.5, 0.5, (count, 2)), rng.uniform(2.0, 2.6, (count, 1))], axis=-1)
    pose_b = Rotation.random(count, rng=rng).as_matrix(), np.einsum("kij,kj->ki", pose_a[0], local) + pose_a[1]
    box, ground = (tg.contact(s, b, pose_a, pose_b) for s in (tg.Box([5.0, 5.0, 2.0]), tg.HalfSpace([0, 0, 1], 2.0)))
    flipped = tg.contact(b, tg.HalfSpace([0, 0, 1], 2.0), pose_b, pose_a)
    assert box.differentiable.all()
    assert ground.differentiable.all()
    for of in QUANTITIES:
        for by in ("pose_a", "pose_b"):
            np.testing.assert_allclose(box.jacobian(of, by), ground.jacobian(of, by), atol=1e-11)
    np.testing.assert_allclose(whole_hessian(box[0]), whole_hessian(ground[0]), atol=1e-11)
    np.testing.assert_allclose(flipped.jacobian("point_a", "pose_a"), ground.jacobian("point_b", "pose_b"), atol=1e-12)
    np.testing.assert_allclose(flipped.jacobian("normal", "pose_b"), -ground.jacobian("normal", "pose_a"), atol=1e-12)


HOLLOWS = {
    "ellipsoid": tg.Cavity(tg.Ellipsoid([3.0, 2.5, 2.0])),
    "superellipsoid": tg.Cavity(tg.Superellipsoid([3.0, 2.5, 2.0], (0.8, 0.7))),
    "box": tg.Cavity(tg.Box([3.0, 2.5, 2.0])),
    "cylinder": tg.Cavity(tg.Cylinder(2.0, 3.0)),
    "pipe": tg.Cavity(tg.Cylinder(2.0, 0.5), ends=False),
    "funnel": tg.Cavity(tg.Cone(3.0, 2.0), ends=False),
}


@pytest.mark.parametrize("name", HOLLOWS)
def test_in_cavities(name):
    rng = np.random.default_rng(6)
    count, a = 8, HOLLOWS[name]
    b = tg.Ellipsoid(rng.uniform(0.3, 0.6, (count, 3)))
    poses = (
        (Rotation.random(count, rng=rng).as_matrix(), np.zeros((count, 3))),
        (Rotation.random(count, rng=rng).as_matrix(), rng.uniform(-0.6, 0.6, (count, 3))),
    )
    check_by_distances(a, b, poses, 0.7)
