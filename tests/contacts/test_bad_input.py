"""Every message at the border names the argument, the expectation and the value."""

import numpy as np
import pytest

import tangency as tg
from families import Egg
from tangency import forces, planar
from tangency.geometry.pose import as_pose

nan = float("nan")
plane = tg.HalfSpace([0, 0, 1])
ball = tg.Sphere(1.0)

CASES = [
    (lambda: tg.Sphere(0), ValueError, "radius must be > 0, got 0"),
    (lambda: tg.Sphere([1, -2]), ValueError, r"radius must be > 0, got \[ 1., -2.\]"),
    (lambda: tg.Sphere(nan), ValueError, "radius must be finite, got nan"),
    (lambda: tg.Sphere("big"), TypeError, "radius must be a number.*got 'big'"),
    (lambda: tg.Ellipsoid([1, 2]), ValueError, r"radii must have shape \(..., 3\), got shape \(2,\)"),
    (lambda: tg.Ellipsoid([1, -2, 3]), ValueError, r"radii must be > 0, got \[ 1., -2., 3.\]"),
    (lambda: tg.Superellipsoid([1, 2, 3], (0, 1)), ValueError, r"epsilon must lie between 0 and 2.*got \[0., 1.\]"),
    (lambda: tg.Superellipsoid([1, 2, 3], 1), ValueError, r"epsilon must have shape \(..., 2\), got shape \(\)"),
    (lambda: tg.Superellipsoid(np.ones((2, 3)), np.ones((3, 2))), ValueError, "do not broadcast"),
    (lambda: tg.PowerEllipsoid([1, 2, 3], [2, 1, 2]), ValueError, r"exponents must lie.*1 and inf.*got \[2., 1., 2.\]"),
    (lambda: tg.PowerEllipsoid([1, 2, 3], [2, 2]), ValueError, r"exponents must have shape \(..., 3\)"),
    (lambda: tg.PowerEllipsoid([1, 2, 0], [2, 2, 2]), ValueError, "radii must be > 0"),
    (lambda: tg.Cylinder(0.0, 1.0), ValueError, "radius must be > 0, got 0"),
    (lambda: tg.Cone(1.0, 1.0, -0.1), ValueError, "top_radius must be >= 0, got -0.1"),
    (lambda: tg.Box([1, 2, -1]), ValueError, r"half_lengths must be > 0, got \[ 1., 2., -1.\]"),
    (lambda: tg.Segment(-1), ValueError, "half_length must be > 0, got -1"),
    (lambda: tg.Hull([1, 2, 3]), ValueError, r"points must have shape \(..., V, 3\).*got shape \(3,\)"),
    (lambda: tg.Hull(np.zeros((0, 3))), ValueError, r"V >= 1, got shape \(0, 3\)"),
    (lambda: tg.Hull([[1, 2, nan]]), ValueError, "points must be finite"),
    (lambda: tg.HalfSpace([0, 0, 0]), ValueError, r"normal must not be the zero vector, got \[0., 0., 0.\]"),
    (lambda: tg.HalfSpace([0, 0, 1], nan), ValueError, "offset must be finite, got nan"),
    (lambda: tg.capsule(-1, 2), ValueError, "radius must be > 0, got -1"),
    (lambda: tg.capsule(1, 0), ValueError, "half_length must be > 0, got 0"),
    (lambda: tg.rounded_box([1, 2, 3], 1.5), ValueError, r"radius must be smaller than every half length.*got 1.5"),
    (lambda: tg.Ellipsoid([3, 2, 1]).offset(-0.4), ValueError, "distance must be > -0.333333,.*got -0.4"),
    (lambda: tg.Box([3, 2, 1]).offset(-0.1), ValueError, "distance must be > 0.*got -0.1"),
    (lambda: ball.offset("x"), TypeError, "distance must be a number"),
    (lambda: ball.affine(np.zeros((3, 3))), ValueError, "matrix must be invertible, got"),
    (lambda: ball.affine([[1, 2, 3], [2, 4, 6], [0, 0, 1]]), ValueError, "matrix must be invertible, got"),
    (lambda: ball.affine(np.eye(4)), ValueError, r"matrix must have shape \(..., 3, 3\), got shape \(4, 4\)"),
    (lambda: ball.translate([1, 2]), ValueError, r"translation must have shape \(..., 3\)"),
    (lambda: tg.Offset(plane, 1.0), TypeError, "body must be a bounded Shape, got the unbounded HalfSpace"),
    (lambda: tg.MinkowskiSum(ball, plane), TypeError, "b must be a bounded Shape, got the unbounded HalfSpace"),
    (lambda: plane + ball, TypeError, "a must be a bounded Shape"),
    (lambda: plane.affine(np.eye(3)), TypeError, "body must be a bounded Shape"),
    (lambda: tg.Offset(3, 1.0), TypeError, "body must be a Shape, got 3"),
    (lambda: tg.MinkowskiSum(ball, None), TypeError, "b must be a Shape, got None"),
    (lambda: ball + 3, TypeError, "unsupported operand"),
    (lambda: ball.support([0, 0, 0]), ValueError, r"n must not be the zero vector, got \[0., 0., 0.\]"),
    (lambda: ball.support([1, 0]), ValueError, r"n must have shape \(..., 3\), got shape \(2,\)"),
    (lambda: ball.support([1, 0, nan]), ValueError, "n must be finite"),
    (lambda: tg.Sphere([1, 2]).support(np.ones((3, 3))), ValueError, r"do not broadcast.*shape \(2,\), n \(3,\)"),
    (lambda: ball[0], TypeError, "a single Sphere cannot be indexed"),
    (lambda: len(ball), TypeError, r"a single Sphere has no len\(\)"),
    (lambda: plane[0], TypeError, "a single HalfSpace cannot be indexed"),
    (lambda: ball.inertia(-1), ValueError, "density must be > 0, got -1"),
    (lambda: Egg(radius=1.0), TypeError, "Egg takes radius, skew; got radius"),
    (lambda: Egg(radius=1.0, skew="x"), TypeError, "skew must be a number"),
    (lambda: plane.point([1, 0, 0]), ValueError, r"n must be the normal \[0.0, 0.0, 1.0\].*got \[1.0, 0.0, 0.0\]"),
    (lambda: plane.inertia(), ValueError, "a HalfSpace is unbounded"),
    (lambda: plane.hessian([0, 0, 1]), ValueError, "use curvature"),
    (lambda: ball.aabb(np.eye(5)), ValueError, r"pose must be None, a Rotation.*got an array of shape \(5, 5\)"),
    (lambda: as_pose(np.diag([2.0, 1, 1, 1]), "pose_a"), ValueError, "pose_a must be a rotation.*shear or scale"),
    (lambda: as_pose(np.diag([-1.0, 1, 1, 1]), "pose_a"), ValueError, "pose_a must be a rotation.*reflection"),
    (lambda: as_pose(np.ones((4, 4)), "pose_a"), ValueError, r"last row \[0, 0, 0, 1\], got \[1"),
    (lambda: as_pose("up", "pose_b"), TypeError, "pose_b must be None, a Rotation, a RigidTransform.*got str"),
    (lambda: as_pose((np.eye(3), [1, 2]), "pose_b"), ValueError, r"pose_b\[1\] must have shape.*got shape \(2,\)"),
    (lambda: as_pose((np.eye(2), [1, 2, 3]), "pose_b"), ValueError, r"pose_b\[0\] must be a Rotation or have shape"),
    (lambda: as_pose((np.eye(3), [1, 2, nan]), "pose_b"), ValueError, r"pose_b\[1\] must be finite"),
    (lambda: as_pose((np.tile(np.eye(3), (2, 1, 1)), np.ones((3, 3))), "p"), ValueError, "do not broadcast"),
]

CASES += [
    (lambda: tg.contact(planar.Circle(1.0), ball), TypeError, r"a must be a Shape, got Circle.*use tangency\.planar\."),
    (lambda: tg.contact(ball, tg.Sphere), TypeError, "b must be a Shape, got the class Sphere: call it with its"),
    (lambda: tg.contact(ball, ball, tol="x"), TypeError, "tol must be a number, got 'x'"),
    (lambda: tg.contact(ball, ball, tol=[0.1, 0.2]), ValueError, "tol must be a single number"),
    (lambda: forces.Flores(1e6, 0.6), TypeError, r"by keyword, .* Flores\(stiffness=1000000.0, restitution=0.6\)"),
    (lambda: forces.Tanh(0.3), TypeError, r"by keyword, for instance Tanh\(coefficient=0.3\)"),
]


def _spoilt(shape, index, value):
    stack = np.ones(shape) if shape[-2:] != (3, 3) else np.tile(np.eye(3), (*shape[:-2], 1, 1))
    stack[index] = value
    return stack


#: One bad entry in a large stack: its index and value are named.
CASES += [
    (lambda: tg.Ellipsoid(_spoilt((1000, 3), (700, 1), -2)), ValueError, r"got radii\[700\] = \[ 1., -2., 1.\]"),
    (lambda: tg.Ellipsoid(_spoilt((20, 30, 3), (7, 9, 1), nan)), ValueError, r"finite, got radii\[7, 9\] = \[ 1., nan"),
    (lambda: tg.Sphere(_spoilt((20, 30), (7, 9), -2)), ValueError, r"radius must be > 0, got radius\[7, 9\] = -2"),
    (
        lambda: tg.Superellipsoid([1, 2, 3], _spoilt((50, 2), (30, 1), 4)),
        ValueError,
        r"between 0 and 2.*got epsilon\[30\] = \[1., 4.\]",
    ),
    (
        lambda: tg.contact(ball, ball, pose_b=(None, _spoilt((99, 3), (70, 2), nan))),
        ValueError,
        r"pose_b\[1\] must be finite, got pose_b\[1\]\[70\] = \[ 1., 1., nan\]",
    ),
    (
        lambda: tg.contact(ball, ball, pose_b=(_spoilt((99, 3, 3), (70, 2, 2), nan), [0, 0, 3])),
        ValueError,
        r"pose_b\[0\] must be finite, got pose_b\[0\]\[70, 2\] = \[ 0., 0., nan\]",
    ),
    (
        lambda: tg.contact(ball, ball, pose_b=(_spoilt((99, 3, 3), (70, 2, 2), 2), [0, 0, 3])),
        ValueError,
        r"pose_b\[0\] must be a rotation.* 3 away .*, at pose_b\[0\]\[70\]",
    ),
    (
        lambda: tg.contact(ball, ball, pose_b=(_spoilt((99, 3, 3), (70, 2, 2), -1), [0, 0, 3])),
        ValueError,
        r"a reflection\), at pose_b\[0\]\[70\]",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), CASES, ids=[m[:40] for _, _, m in CASES])
def test_message(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_half_space():
    ground = tg.HalfSpace([[0, 0, 2], [0, 3, 0]], [0.5, 1.0])
    assert ground.normal.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert ground.support([0, 0, 4]).tolist() == [2.0, np.inf]
    assert ground.point([[0, 0, 1], [0, 1, 0]]).tolist() == [[0, 0, 0.5], [0, 1, 0]]
    assert ground[1].point().tolist() == [0, 1, 0]
    assert ground[1].curvature([0, 1, 0]).values.tolist() == [0, 0]
    assert ground[1].curvature([0, 1, 0]).directions.shape == (2, 3)
    assert ground.implicit([1, 2, 3]).tolist() == [2.5, 1.0]
    assert np.isinf(ground.volume).all()
    assert np.isinf(ground.bounding_radius).all()
    low, high = ground[0].aabb((None, [0, 0, 1]))
    assert low.tolist() == [-np.inf] * 3
    assert high.tolist() == [np.inf, np.inf, 1.5]
    assert repr(ground[0]) == "HalfSpace(normal=[0.0, 0.0, 1.0], offset=0.5)"
    assert len(ground) == 2


def test_arguments_are_copied_and_frozen():
    radii = np.array([3.0, 2.0, 1.0])
    shape = tg.Ellipsoid(radii)
    radii[0] = 100.0
    assert shape.support([1, 0, 0]) == 3.0
    sphere = tg.Sphere(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="read-only"):
        sphere.radius[0] = 5.0


def test_repr_can_be_evaluated():
    for shape in (
        ball,
        tg.Superellipsoid([1, 2, 3], (0.5, 1)),
        tg.PowerEllipsoid([1, 2, 3], [2, 3, 4]),
        tg.Box([1, 2, 3]).offset(0.5),
        tg.Segment(1.0) + ball.translate([1, 2, 3]),
        tg.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    ):
        again = eval(repr(shape), vars(tg))
        assert repr(again) == repr(shape)
        assert again.support([1, 2, 3]) == shape.support([1, 2, 3])
