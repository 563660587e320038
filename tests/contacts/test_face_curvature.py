"""Curvature at contacts with faces, straight edges and lines, where many points share a normal."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces, planar
from tangency.dynamics import Body, Interaction, World, simulate

STEEL = forces.Material(2e11, 0.3)


def around_a_box(rng, half, count):
    """Points outside a box, and the number of axes along which each lies beyond it: 1 face, 2 edge, 3 corner."""
    beyond = np.zeros((count, 3), bool)
    for k, axes in enumerate(rng.integers(1, 4, count)):
        beyond[k, rng.permutation(3)[:axes]] = True
    sign = rng.choice([-1.0, 1.0], (count, 3))
    far = half + rng.uniform(0.3, 1.0, (count, 3)) * half.max()
    return sign * np.where(beyond, far, rng.uniform(0.0, 0.9, (count, 3)) * half), beyond.sum(axis=1)


def at_random(rng, count, length):
    """Poses of A, and what maps points of A's frame to the world."""
    turn, place = Rotation.random(count, rng=rng), length * rng.normal(size=(count, 3))
    return (turn, place), lambda x: turn.apply(x) + place


@pytest.mark.parametrize("length", [1e-25, 1.0, 3e20])
@pytest.mark.parametrize("radius", [0.0, 0.25])
@pytest.mark.parametrize("hull", [False, True])
def test_boxes_sharp_and_rounded(length, radius, hull):
    rng = np.random.default_rng(5)
    half, count = np.array([1.0, 2.0, 0.7]), 60
    x, rank = around_a_box(rng, half, count)
    corners = half * np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    body = tg.Hull(length * corners) if hull else tg.Box(length * half)
    if radius:
        body = body.offset(length * radius)
    pose, world = at_random(rng, count, length)
    ball = tg.Sphere(0.2 * length)
    c = tg.contact(body, ball, pose, (None, world(length * x)))
    sharp = np.inf if radius == 0.0 else 1.0 / radius
    wanted = np.stack([np.where(rank > 1, sharp, 0.0), np.where(rank > 2, sharp, 0.0)], axis=-1) / length
    np.testing.assert_allclose(c.curvature_a.values, wanted, rtol=1e-9)
    np.testing.assert_allclose(c.relative_curvature.values, wanted + 5.0 / length, rtol=1e-9)
    # Along an edge: its direction is the axis along which the ball is not beyond the box.
    edge = rank == 2
    along = np.einsum("kij,kj->ki", pose[0].inv().as_matrix(), c.curvature_a.directions[:, 1])[edge]
    np.testing.assert_allclose(np.abs(along), np.abs(x[edge]) <= half, atol=1e-7)
    d = tg.contact(ball, body, (None, world(length * x)), pose)
    np.testing.assert_allclose(d.curvature_b.values, wanted, rtol=1e-9)


def test_capsules():
    rng = np.random.default_rng(6)
    count, radius, half = 80, 0.5, 2.0
    z, angle = rng.uniform(-4.0, 4.0, count), rng.uniform(0.0, 6.0, count)
    z = np.where(np.abs(np.abs(z) - half) < 0.01, 0.0, z)
    x = np.stack([1.4 * np.cos(angle), 1.4 * np.sin(angle), z], axis=-1)
    pose, world = at_random(rng, count, 1.0)
    c = tg.contact(tg.capsule(radius, half), tg.Sphere(1.0), pose, (None, world(x)))
    wanted = np.stack([np.full(count, 2.0), np.where(np.abs(z) < half, 0.0, 2.0)], axis=-1)
    np.testing.assert_allclose(c.curvature_a.values, wanted, rtol=1e-9)
    np.testing.assert_allclose(c.relative_curvature.values, wanted + 1.0, rtol=1e-9)


def test_a_bar_with_the_section_of_an_ellipse():
    """The sum of a segment and an ellipsoid: across the line, the curvature of the ellipsoid's outline."""
    rng = np.random.default_rng(7)
    body = tg.Ellipsoid([3.0, 2.0, 1.0]) + tg.Segment(2.0)
    angle = rng.uniform(0.0, 2 * np.pi, 20)
    n = np.stack([np.cos(angle), np.sin(angle), np.zeros(20)], axis=-1)
    radius = 36.0 / (9.0 * n[:, 0] ** 2 + 4.0 * n[:, 1] ** 2) ** 1.5  # of an ellipse, at the normal n
    x = body.point(n) * [1, 1, 0] + 0.3 * n + np.outer(rng.uniform(-1.5, 1.5, 20), [0, 0, 1])
    c = tg.contact(body, tg.Sphere(0.1), pose_b=(None, x))
    np.testing.assert_allclose(c.distance, 0.2, rtol=1e-11)
    np.testing.assert_allclose(c.curvature_a.radii[:, 0], radius, rtol=1e-6)
    assert (c.curvature_a.values[:, 1] == 0).all()
    np.testing.assert_allclose(body.curvature(n).values[:, 0], 1.0 / radius, rtol=1e-6)


def test_sides_of_cones_have_all_digits():
    """The radius across a generator is the distance from the axis over the cosine of the half angle."""
    rng, count = np.random.default_rng(4), 200
    base, half, top = rng.uniform(0.3, 1.0, count), rng.uniform(0.2, 2.0, count), rng.uniform(0.0, 1.5, count)
    share, around = rng.uniform(0.05, 0.95, count), rng.uniform(0.0, 2.0 * np.pi, count)
    rho, z = base + share * (top - base), half * (2.0 * share - 1.0)
    out = np.stack([np.cos(around), np.sin(around), np.zeros(count)], axis=1)
    n = 2.0 * half[:, None] * out + (base - top)[:, None] * [0.0, 0.0, 1.0]
    n /= np.linalg.norm(n, axis=1)[:, None]
    centre = rho[:, None] * out + z[:, None] * [0.0, 0.0, 1.0] + 0.3 * n
    c = tg.contact(tg.Cone(base, half, top), tg.Sphere(0.1), None, (None, centre))
    cosine = 2.0 * half / np.hypot(2.0 * half, base - top)
    np.testing.assert_allclose(c.curvature_a.radii[:, 0], rho / cosine, rtol=2e-12)


def test_cones_are_curved_as_the_contact_point_says():
    cone, side = tg.Cone(3.0, 2.0), np.array([4.0, 0.0, 3.0]) / 5.0
    for z in (-1.5, 0.2, 1.9):
        rho = 3.0 * (2.0 - z) / 4.0
        c = tg.contact(cone, tg.Sphere(0.1), pose_b=(None, np.array([rho, 0, z]) + 0.3 * side))
        np.testing.assert_allclose(c.curvature_a.values, [0.8 / rho, 0.0], rtol=1e-9)
        c = tg.contact(tg.Cavity(cone), tg.Sphere(0.01), pose_b=(None, np.array([rho, 0, z]) - 0.02 * side))
        np.testing.assert_allclose(c.curvature_a.values, [0.0, -0.8 / rho], rtol=1e-9)


def test_polygons():
    rng = np.random.default_rng(8)
    square = planar.Polygon([[1, 2], [-1, 2], [-1, -2], [1, -2]])
    for radius in (0.0, 0.25):
        body = square.offset(radius) if radius else square
        angle = rng.uniform(0.0, 6.0, 30)
        turn = Rotation.from_rotvec(angle[:, None] * [0.0, 0.0, 1.0]).as_matrix()[:, :2, :2]
        face, corner = (np.einsum("kij,j->ki", turn, x) for x in ([2.5, 0.7], [2.0, 3.1]))
        for x, wanted in ((face, 0.0), (corner, 1.0 / radius if radius else np.inf)):
            c = planar.contact(body, planar.Circle(0.5), (angle, [0.0, 0.0]), (0.0, x))
            np.testing.assert_allclose(c.curvature_a, wanted, rtol=1e-9)
            np.testing.assert_allclose(c.relative_curvature, wanted + 2.0, rtol=1e-9)


def test_hertz_on_a_face_is_hertz_on_a_plane():
    law = forces.Hertz(materials=STEEL)
    ball, lower = tg.Sphere(0.1), (None, [0.3, 0.2, 1.0 + 0.1 - 1e-5])
    wanted = 4.0 / 3.0 * forces.effective_modulus(STEEL) * np.sqrt(0.1) * 1e-5**1.5
    for body in (tg.Box([1.0, 1.0, 1.0]), tg.rounded_box([1.0, 1.0, 1.0], 0.3), tg.Cylinder(1.0, 1.0)):
        c = tg.contact(body, ball, pose_b=lower)
        assert float(law.force(-c.distance, curvature=c.relative_curvature)) == pytest.approx(wanted, rel=1e-9)
    c = tg.contact(tg.Box([1.0, 1.0, 1.0]), tg.Box([0.1, 0.1, 0.1]), pose_b=(None, [0, 0, 1.0999]))
    with pytest.raises(ValueError, match="a flat place or a corner has no stiffness"):
        law.force(-c.distance, curvature=c.relative_curvature)


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_motion_uses_the_curvature_of_the_face(mode):
    def bounce(ground):
        ball = Body("ball", tg.Sphere(0.1), (None, [0.02, 0.03, 1.1001]), density=7800, velocity=[0, 0, -1.0])
        world = World([ground, ball], interaction=Interaction(forces.Hertz(materials=STEEL)), gravity=[0, 0, 0])
        return simulate(world, 0.002, mode=mode, output_interval=1e-3)

    plane = Body("plane", tg.HalfSpace([0, 0, 1], 1.0), fixed=True)
    wanted = bounce(plane).impacts
    for shape in (tg.Box([1.0, 1.0, 1.0]), tg.rounded_box([1.0, 1.0, 1.0], 0.3)):
        found = bounce(Body("block", shape, fixed=True)).impacts
        assert found.duration[0] == pytest.approx(wanted.duration[0], rel=1e-6)
        assert found.impulse[0] == pytest.approx(wanted.impulse[0], rel=1e-6)


def test_materials_between_faces_are_refused_and_lines_are_warned_of():
    law = Interaction(forces.Hertz(materials=forces.Material(1e6, 0.3)))
    plane = Body("plane", tg.HalfSpace([0, 0, 1], 0.0), fixed=True)
    box = Body("box", tg.Box([0.1, 0.1, 0.1]), (None, [0, 0, 0.2]), density=1000)
    with pytest.raises(ValueError, match=r"'plane' and 'box'.*no stiffness in Hertz's theory; give the law radius_lim"):
        simulate(World([plane, box], interaction=law), 0.01)
    limited = Interaction(forces.Hertz(materials=forces.Material(1e6, 0.3), radius_limits=(1e-3, 1.0)))
    simulate(World([plane, box], interaction=limited), 0.01)
    lying = ([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [0, 0, 0.0999])
    rod = Body("rod", tg.capsule(0.1, 0.3), lying, density=1000)
    with pytest.warns(RuntimeWarning, match="'plane' and 'rod' touched where the gap between them is flat"):
        simulate(World([plane, rod], interaction=law), 0.05)


def test_superellipsoids_of_all_sizes_far_apart():
    """Seen from afar, the contact point is not known to the size of the body, but its normal is."""
    rng = np.random.default_rng(9)
    count = 400
    radii = rng.uniform(0.5, 2.0, (count, 3)) * 10.0 ** rng.uniform(-25.0, 25.0, (count, 1))
    body = tg.Superellipsoid(radii, epsilon=rng.choice([0.2, 0.5, 1.0, 1.5], (count, 2)))
    n = rng.normal(size=(count, 3))
    n[::3, 0] = 0.0
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    far = n * (10.0 ** rng.uniform(0.0, 40.0, count) * radii.max(axis=-1))[:, None]
    far *= np.minimum(1.0, 1e55 / np.linalg.norm(far, axis=-1, keepdims=True))
    c = tg.contact(body, tg.Sphere(radii[:, 0]), pose_b=(None, far))
    assert not any(np.isnan(values).any() for values in vars(c.curvature_a).values())
    # The operator of the normal; where it is flat, that of the point is taken.
    wanted = body.curvature(c.normal).values * radii.max(axis=-1)[:, None]
    curved = ((wanted > 1e-3) & (wanted < 1e9)).all(axis=-1)
    found = c.curvature_a.values * radii.max(axis=-1)[:, None]
    assert curved.sum() > 100
    np.testing.assert_allclose(found[curved], wanted[curved], rtol=1e-6)


@pytest.mark.parametrize("depth", [-1e-3, 1e-3])
def test_large_balls_on_faces(depth):
    """The larger the ball, the less accurate the normal: it may miss that of the face by 1e-6."""
    rng = np.random.default_rng(10)
    count, radius = 200, 100.0
    turn = Rotation.random(count, rng=rng)
    for body, point, n, wanted in (
        (tg.Cylinder(0.5, 2.0), [0.1, 0.2, 2.0], [0, 0, 1.0], [0.0, 0.0]),
        (tg.Cylinder(0.5, 2.0), [0.5, 0.0, 1.1], [1.0, 0, 0], [2.0, 0.0]),
        (tg.Cone(3.0, 2.0), [1.5, 0.0, 0.0], [0.8, 0, 0.6], [0.8 / 1.5, 0.0]),
        (tg.Box([0.7, 0.8, 0.9]), [0.3, -0.8, 0.2], [0, -1.0, 0], [0.0, 0.0]),
        (tg.rounded_box([0.7, 0.8, 0.9], 0.2), [0.3, -0.2, 0.9], [0, 0, 1.0], [0.0, 0.0]),
        (tg.capsule(0.5, 2.0), [0.5, 0.0, 0.7], [1.0, 0, 0], [2.0, 0.0]),
    ):
        centre = turn.apply(np.array(point) + (radius - depth) * np.array(n))
        c = tg.contact(body, tg.Sphere(radius), (turn, None), (None, centre))
        np.testing.assert_allclose(c.curvature_a.values, np.broadcast_to(wanted, (count, 2)), rtol=1e-6)
        np.testing.assert_allclose(c.relative_curvature.values, np.broadcast_to(wanted, (count, 2)) + 0.01, rtol=1e-6)


def test_rims_against_planes():
    """The radius across a rim is zero up to rounding, and its reciprocal must not hide the curvature of the circle."""
    rng = np.random.default_rng(11)
    for angle in rng.uniform(0.1, 1.4, 5):
        turn = Rotation.random(200, rng=rng)
        n = np.array([np.sin(angle), 0.0, np.cos(angle)])
        c = tg.contact(tg.Cylinder(0.5, 2.0), tg.HalfSpace(-turn.apply(n), np.full(200, -3.0)), (turn, None))
        np.testing.assert_allclose(c.relative_curvature.values[:, 1], n[0] / 0.5, rtol=1e-6)
        assert (c.relative_curvature.values[:, 0] > 1e12).all()


@pytest.mark.parametrize("corners", [0, 4, 12])
def test_narrow_faces_are_faces(corners):
    """Triangles down to three hundredths as wide as long, with the contact inside: flat, however they are turned."""
    rng = np.random.default_rng(corners)
    for _ in range(60):
        width = 10.0 ** rng.uniform(-1.5, 0.0)
        low = np.column_stack([rng.uniform(-0.2, 1.2, corners), rng.uniform(-0.3, width + 0.3, corners)])
        points = [[0, 0, 0], [1, 0, 0], [rng.uniform(0, 1), width, 0], [0.5, width / 3, -1]]
        points = np.vstack([points, np.column_stack([low, rng.uniform(-1.0, -0.3, corners)])])
        turn = Rotation.random(rng=rng).as_matrix()
        place = turn @ (rng.dirichlet([3, 3, 3]) @ points[:3] + [0, 0, 1])
        c = tg.contact(tg.Hull(points @ turn.T), tg.Sphere(0.5), pose_b=(None, place))
        assert c.curvature_a.values.tolist() == [0.0, 0.0]
        assert c.differentiable
        n = c.normal
        assert np.abs(c.jacobian("point_a", by="pose_b")[:, :3] - (np.eye(3) - np.outer(n, n))).max() < 1e-9


def plates(rng):
    """Bodies with straight lines of any length on round sides: name, body, a normal of such a line, its curvature."""
    thin, angle = 10.0 ** rng.uniform(-5.0, 0.0), rng.uniform(0.0, 2.0 * np.pi)
    side, radius = np.array([np.cos(angle), np.sin(angle), 0.0]), rng.uniform(0.3, 3.0)
    ends = rng.uniform(0.3, 1.0), rng.uniform(0.3, 1.0)
    slope = (ends[0] - ends[1]) / (2.0 * thin)  # of the side of a cone
    length = np.hypot(1.0, slope)
    across = rng.uniform(0.5, 2.0)  # radius of an ellipse at the end of its first semi-axis is across^2 / radius
    diagonal = np.array([np.cos(0.3 + 0.97 * rng.random()), np.sin(0.3 + 0.97 * rng.random()), 0.0])
    diagonal /= np.linalg.norm(diagonal)
    box = tg.Box([1.0, 1.0, thin])
    return [
        ("cylinder", tg.Cylinder(radius, thin), side, 1.0 / radius),
        ("offset cylinder", tg.Cylinder(radius, thin).offset(0.2), side, 1.0 / (radius + 0.2)),
        ("scaled cylinder", tg.Affine(tg.Cylinder(radius, thin), np.diag([0.1, 0.1, 2.0])), side, 10.0 / radius),
        ("capsule", tg.capsule(radius, thin), side, 1.0 / radius),
        ("line and ellipsoid", tg.Segment(thin) + tg.Ellipsoid([radius, across, 1.0]), [1, 0, 0], radius / across**2),
        ("rounded edge", box.offset(radius), diagonal, 1.0 / radius),
        ("edge and ball", box + tg.Sphere(radius), diagonal, 1.0 / radius),
        # The normals of a cone's side: its middle has the mean radius.
        ("cone", tg.Cone(ends[0], thin, ends[1]), np.append(side[:2], slope), 2.0 / (length * sum(ends))),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_lines_of_any_length_are_no_faces(seed):
    """Short lines on round sides: curved across, straight along."""
    rng = np.random.default_rng(seed)
    for name, body, normal, curvature in plates(rng):
        n = np.asarray(normal, float) / np.linalg.norm(normal)
        found = body.curvature(n).values
        if name != "cone":  # which point of the line is meant, is not said
            np.testing.assert_allclose(found, [curvature, 0.0], rtol=1e-9, atol=1e-9, err_msg=name)
        low, high = (body.point(n + tilt * np.array([0.0, 0.0, 1.0])) for tilt in (-1e-4, 1e-4))
        middle = 0.5 * (low + high)  # of the line
        ball = 0.5
        c = tg.contact(body, tg.Sphere(ball), None, (None, middle + (ball - 1e-3) * n))
        assert c.differentiable, name
        np.testing.assert_allclose(c.curvature_a.values, [curvature, 0.0], rtol=1e-6, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(c.relative_curvature.values, [curvature + 1 / ball, 1 / ball], rtol=1e-6)
        if name == "cone":
            continue
        t = np.cross([0.0, 0.0, 1.0], c.normal)
        # Two circles in the plane across the line, at the distance of their centres: dn/dx = 1 / (sum of radii + gap).
        turned = t @ c.jacobian("normal", by="pose_b")[:, :3] @ t
        assert turned == pytest.approx(1.0 / (1.0 / curvature + ball - 1e-3), rel=1e-6), name


def test_narrow_faces_stay_faces():
    rng = np.random.default_rng(1)
    for _ in range(100):
        a, b, c = 10.0 ** rng.uniform(-4.0, 0.0, 3)
        box = tg.Box([a, b, c])
        for body in (box, box.offset(0.3), box + tg.Sphere(0.1), tg.Hull(box.point(rng.normal(size=(200, 3))))):
            for n in np.eye(3):
                np.testing.assert_array_equal(body.curvature(n).values, 0.0)
        np.testing.assert_array_equal(tg.Cylinder(a, b).curvature([0, 0, 1]).values, 0.0)


def test_short_lines_of_affine_images():
    """Across the image of a line, the radius of curvature is that of the image of the circle, seen along the line."""
    rng, compared = np.random.default_rng(3), 0
    for k in range(300):
        turn, other = Rotation.random(2, rng=rng).as_matrix()
        matrix = turn @ np.diag(10.0 ** rng.uniform(-0.4, 0.3, 3)) @ other
        if k % 2:
            matrix = np.eye(3) + rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], (3, 3)) * (1.0 - np.eye(3))
        if abs(np.linalg.det(matrix)) < 0.1:
            continue
        thin, angle = 10.0 ** rng.uniform(-4.0, -1.0), rng.uniform(0.0, 2.0 * np.pi)
        body = (tg.capsule if rng.random() < 0.5 else tg.Cylinder)(1.0, thin).affine(matrix)
        side, tangent = np.array([[np.cos(angle), np.sin(angle), 0.0], [-np.sin(angle), np.cos(angle), 0.0]])
        n, along = np.linalg.solve(matrix.T, side), matrix @ [0.0, 0.0, 1.0]
        n, along = n / np.linalg.norm(n), along / np.linalg.norm(along)
        radius = (np.cross(n, along) @ matrix @ tangent) ** 2 / np.linalg.norm(matrix.T @ n)
        np.testing.assert_allclose(body.curvature(n).values, [1.0 / radius, 0.0], rtol=1e-5, atol=1e-9)
        ball = 0.3 * radius
        c = tg.contact(body, tg.Sphere(ball), None, (None, matrix @ side + (ball - 1e-3 * min(ball, thin)) * n))
        if c.differentiable:
            compared += 1
            np.testing.assert_allclose(c.curvature_a.values, [1.0 / radius, 0.0], rtol=1e-5, atol=1e-9)
            turned = np.cross(n, along) @ c.jacobian("normal", by="pose_b")[:, :3] @ np.cross(n, along)
            assert turned == pytest.approx(1.0 / (radius + ball + c.distance), rel=1e-4)
    assert compared > 200
