"""Certified contact of planar bodies: manufactured problems, brute force, closed forms, 40 digits."""

import math

import mpmath
import numpy as np
import pytest

import tangency as tg
from planar_families import FAMILIES, Problem, directions, place, random_gaps, random_pairs, turned
from tangency import planar

NAMES = sorted(FAMILIES)
COUNT = 16


@pytest.fixture(scope="module")
def stacks():
    """Two stacks of every family."""
    pytest.importorskip("sympy")
    rng = np.random.default_rng(4)
    return {name: [FAMILIES[name].make(rng, (COUNT,)) for _ in range(2)] for name in NAMES}


def outside(shape, points, angle=0.0):
    """How far points (K, 2), seen from the body's position, lie outside bodies turned by `angle`."""
    n = directions(np.arange(240) * np.pi / 120)[:, None]
    return ((n * points).sum(-1) - shape.support(turned(-np.asarray(angle), n))).max(axis=0)


@pytest.mark.parametrize("name", NAMES)
def test_every_pair_of_shapes_apart(name, stacks):
    """The distance is known exactly: 1e-13 of the size, and the bounds hold it."""
    a = stacks[name][0]
    for other in NAMES:
        rng = np.random.default_rng(NAMES.index(other))
        b = stacks[other][1]
        problem = random_pairs(rng, a, b, COUNT)
        c = problem.contact()
        scale = problem.size + problem.gap
        assert (c.status == tg.Status.APART).all(), other
        assert (abs(c.distance - problem.gap) <= 1e-14 * scale).all(), other
        # The problem itself is placed to rounding errors.
        slack = 1e-15 * scale
        assert (c.lower <= problem.gap + slack).all(), other
        assert (problem.gap <= c.upper + slack).all(), other
        assert (c.upper - c.lower <= 1e-13 * scale).all(), other
        assert (c.evaluations <= 40).all(), other
        assert np.allclose(c.point_b, c.point_a + c.distance[:, None] * c.normal, rtol=0, atol=1e-15 * scale.max())
        assert (outside(a, c.point_a) <= 1e-12 * scale).all(), other
        assert (outside(b, c.point_b - problem.position, problem.angle) <= 1e-12 * scale).all(), other
        if FAMILIES[name].strict and FAMILIES[other].strict:
            assert (np.linalg.norm(c.point_a - problem.point_a, axis=-1) <= 1e-7 * scale).all(), other


@pytest.mark.parametrize("name", NAMES)
def test_every_pair_of_shapes_overlapping(name, stacks):
    """Against F sampled all around: the depth is the global one, and proved."""
    a = stacks[name][0]
    n = directions(np.arange(720) * np.pi / 360)[:, None]
    for other in NAMES:
        rng = np.random.default_rng(100 + NAMES.index(other))
        b = stacks[other][1]
        angle, position = rng.uniform(0, 2 * np.pi, COUNT), 0.2 * rng.normal(size=(COUNT, 2))
        c = planar.contact(a, b, None, (angle, position))
        size = a.bounding_radius + b.bounding_radius
        f = (n * position).sum(-1) - a.support(n) - b.support(turned(-angle, -n))
        sampled = f.max(axis=0)
        assert c.converged.all(), other
        assert (c.distance >= sampled - 1e-13 * size).all(), other
        assert (c.upper >= sampled - 1e-13 * size).all(), other
        assert (c.lower <= c.distance).all(), other
        proved = c.status <= tg.Status.OVERLAP_PROVED
        assert (c.upper - c.lower <= 1e-13 * (size + 1))[proved].all(), other
        assert proved.mean() > 0.8, other
        assert (outside(a, c.point_a) <= 1e-10 * size).all(), other
        assert (outside(b, c.point_b - position, angle) <= 1e-10 * size).all(), other


@pytest.mark.parametrize("name", ["circle", "ellipse", "needle", "superellipse", "polygon", "spline", "user's egg"])
def test_special_positions(name, stacks):
    """Concentric, aligned, symmetric: where a search has no direction to begin with."""
    a = stacks[name][0]
    rng = np.random.default_rng(6)
    n = directions(np.arange(720) * np.pi / 360)[:, None]
    for b in (a, -a, stacks["ellipse"][1], stacks["superellipse flat"][1]):
        for factor in (0.0, 0.5, 1e-12):
            position = factor * rng.integers(-2, 3, (COUNT, 2))
            angle = rng.integers(0, 4, COUNT) * np.pi / 2
            c = planar.contact(a, b, None, (angle, position))
            f = (n * position).sum(-1) - a.support(n) - b.support(turned(-angle, -n))
            size = a.bounding_radius + b.bounding_radius
            assert c.converged.all()
            assert (c.distance >= f.max(axis=0) - 1e-13 * size).all()
            assert (c.upper >= f.max(axis=0) - 1e-13 * size).all()


def surface_angles(rng, radii, p):
    """Normals of superellipses at random points of their boundary: they crowd the flat places."""
    t = rng.uniform(0, 2 * np.pi, len(p))
    x, y = np.abs(np.cos(t)), np.abs(np.sin(t))
    gauge = (x**p + y**p) ** (1 / p)
    slope = np.stack([(x / gauge) ** (p - 1), (y / gauge) ** (p - 1)], -1) / radii
    return np.arctan2(np.sign(np.sin(t)) * slope[:, 1], np.sign(np.cos(t)) * slope[:, 0])


@pytest.mark.parametrize("count", [20_000, pytest.param(200_000, marks=pytest.mark.full)])
def test_superellipses_at_surface_points(count):
    """Exponents from 1.05 to 20, touching at points of both bodies, all sizes from 1e-6 to 1e6."""
    rng = np.random.default_rng(7)
    scale = 10.0 ** rng.uniform(-6, 6, (count, 1))
    shapes, angles = [], []
    for _ in range(2):
        radii = rng.uniform(0.2, 1.0, (count, 2))
        p = np.exp(rng.uniform(math.log(1.05), math.log(20), count))
        shapes.append(planar.Superellipse(scale * radii, p))
        angles.append(surface_angles(rng, radii, p))
    normal = directions(angles[0])
    size = shapes[0].bounding_radius + shapes[1].bounding_radius
    turn = angles[0] + np.pi - angles[1]
    problem = place(*shapes, random_gaps(rng, size), normal, turn)
    c = problem.contact()
    assert (c.status == 0).all()
    assert (abs(c.distance - problem.gap) <= 1e-13 * (size + problem.gap)).all()
    assert c.evaluations.mean() < 15
    assert c.evaluations.max() < 60


@pytest.mark.parametrize("name", ["ellipse", "polygon", "superellipse flat", "nested", "fourier"])
def test_order_motion_and_scale_change_nothing(name, stacks):
    rng = np.random.default_rng(5)
    for other in ("rounded polygon", "ellipse", "superellipse sharp"):
        a, b = stacks[name][0], stacks[other][1]
        apart = random_pairs(rng, a, b, COUNT)
        inside = Problem(
            a,
            b,
            apart.angle,
            0.1 * apart.position / np.linalg.norm(apart.position, axis=-1)[:, None],
            *[apart.gap] * 2,
            apart.point_a,
            apart.size,
        )
        for problem in (apart, inside):
            pose = (problem.angle, problem.position)
            c = planar.contact(a, b, None, pose)
            scale = problem.size + np.linalg.norm(problem.position, axis=-1)
            swapped = planar.contact(b, a, pose, None)
            assert (abs(swapped.distance - c.distance) <= 3e-14 * scale).all()
            turn, shift = 1.234, np.array([3.0, -2.0])
            moved = planar.contact(a, b, (turn, shift), (problem.angle + turn, turned(turn, problem.position) + shift))
            assert (abs(moved.distance - c.distance) <= 1e-13 * (scale + 4)).all()
            if problem is apart:
                assert (np.linalg.norm(swapped.normal + c.normal, axis=-1) <= 1e-6).mean() > 0.9
            for factor in (1e-6, 1e6):
                grown = planar.contact(
                    a.affine(factor * np.eye(2)),
                    b.affine(factor * np.eye(2)),
                    None,
                    (problem.angle, factor * problem.position),
                )
                assert (abs(grown.distance / factor - c.distance) <= 1e-13 * scale).all()


@pytest.mark.parametrize("name", NAMES)
def test_line_is_the_limit_of_a_huge_polygon(name, stacks):
    """The closed form for lines (Römer 2-D, section 4) against the solver and a wide box below the line."""
    body = stacks[name][0]
    rng = np.random.default_rng(8)
    angle, position = rng.uniform(0, 2 * np.pi, COUNT), rng.normal(size=(COUNT, 2)) * 3
    tilt = 0.4
    line = planar.Line([math.sin(tilt), math.cos(tilt)], 0.2)
    up = line.normal
    along = np.array([up[1], -up[0]])
    low = up * (0.2 - 40.0)
    box = planar.Polygon([low + 40 * along, low - 40 * along, 0.2 * up + 40 * along, 0.2 * up - 40 * along])
    exact = planar.contact(line, body, None, (angle, position))
    solved = planar.contact(box, body, None, (angle, position))
    assert abs(exact.distance - solved.distance).max() <= 1e-13 * 40
    assert abs(exact.normal - up).max() < 1e-15
    flipped = planar.contact(body, line, (angle, position), None)
    assert np.array_equal(flipped.distance, exact.distance)
    assert np.array_equal(flipped.point_a, exact.point_b)
    assert (exact.lower <= exact.distance).all()
    assert np.allclose(line.implicit(exact.point_b), exact.distance, atol=1e-13)
    assert (exact.curvature_a == 0).all()


def test_circles_in_closed_form():
    rng = np.random.default_rng(9)
    r, s = rng.uniform(0.1, 2, (2, 100))
    position = rng.normal(size=(100, 2)) * 2
    c = planar.contact(planar.Circle(r), planar.Circle(s), None, (0.0, position))
    distance = np.linalg.norm(position, axis=-1)
    assert abs(c.distance - (distance - r - s)).max() < 1e-14
    assert np.allclose(c.normal, position / distance[:, None], atol=1e-14)
    assert np.allclose(c.relative_curvature, 1 / r + 1 / s)
    assert (c.evaluations == 1).all()


def test_ellipses_in_40_digits():
    """Stationary points of F by Newton's method in mpmath."""
    rng = np.random.default_rng(10)

    def f(t, a, b, c, d, x, y, q):
        ha = mpmath.sqrt((a * mpmath.cos(t)) ** 2 + (b * mpmath.sin(t)) ** 2)
        hb = mpmath.sqrt((c * mpmath.cos(t - q)) ** 2 + (d * mpmath.sin(t - q)) ** 2)
        return x * mpmath.cos(t) + y * mpmath.sin(t) - ha - hb

    for _ in range(5):
        (a, b), (c, d) = rng.uniform(0.3, 2.0, (2, 2))
        angle, position = rng.uniform(0, 6), rng.normal(size=2)
        position *= (rng.uniform(3.0, 5.0)) / np.linalg.norm(position)
        found = planar.contact(planar.Ellipse([a, b]), planar.Ellipse([c, d]), None, (angle, position))
        with mpmath.workdps(40):
            numbers = [mpmath.mpf(float(v)) for v in (a, b, c, d, *position, angle)]
            start = mpmath.atan2(float(found.normal[1]), float(found.normal[0]))
            top = mpmath.findroot(lambda t, numbers=numbers: mpmath.diff(lambda u: f(u, *numbers), t), start)
            exact = f(top, *numbers)
        assert float(found.distance) == pytest.approx(float(exact), abs=2e-15)
        assert found.lower <= float(exact) <= found.upper
        assert abs(float(top) - float(start)) < 1e-14


def test_thousand_sides_tend_to_the_ellipse():
    t = (np.arange(1000) + 0.5) * 2 * np.pi / 1000
    polygon = planar.Polygon(np.stack([2 * np.cos(t), np.sin(t)], -1))
    ellipse = planar.Ellipse([2, 1])
    pose = (np.linspace(0, 6, 50), np.stack([np.linspace(0, 6, 50), np.full(50, 3.0)], -1))
    inner, outer = planar.contact(polygon, polygon, None, pose), planar.contact(ellipse, ellipse, None, pose)
    assert (inner.distance >= outer.distance - 1e-14).all()
    assert (inner.distance - outer.distance < 4 * 2 * (np.pi / 1000) ** 2).all()
    assert (inner.upper - inner.lower < 3e-13).all()


def test_rotation_matrices():
    """(R, t) is (angle, t), also in stacks; what is no rotation is refused."""
    angle = np.linspace(-3, 3, 5)
    c, s = np.cos(angle), np.sin(angle)
    matrices = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    shapes = planar.Ellipse([3, 2]), planar.Ellipse([1, 0.3])
    known = planar.contact(*shapes, pose_b=(angle, [5, 1])).distance
    assert planar.contact(*shapes, pose_b=(matrices, [5, 1])).distance == pytest.approx(known, abs=1e-14)
    one = planar.contact(*shapes, pose_b=(matrices[1].tolist(), np.array([5, 1])))
    assert one.distance.shape == ()
    assert float(one.distance) == pytest.approx(float(known[1]), abs=1e-14)
    for wrong in (np.diag([1.0, -1.0]), [[0.1, 0.2], [0.3, 0.4]]):
        with pytest.raises(ValueError, match=r"pose_b\[0\] must contain a rotation"):
            planar.contact(*shapes, pose_b=(wrong, [5, 1]))
    with pytest.raises(ValueError, match=r"for instance \(0.0, \[x, y\]\)"):
        planar.contact(*shapes, pose_b=[3, 0])


def test_poses_and_broadcasting():
    a, b = planar.Ellipse([[3, 2], [2, 1]]), planar.Circle(1.0)
    angle, shift = 0.3, np.array([5.0, 1.0])
    matrix = np.array([[math.cos(angle), -math.sin(angle), 5.0], [math.sin(angle), math.cos(angle), 1.0], [0, 0, 1]])
    pair, homogeneous = planar.contact(a, b, (angle, shift), None), planar.contact(a, b, matrix, None)
    assert pair.distance == pytest.approx(homogeneous.distance, abs=1e-15)
    stack = planar.contact(a, b, None, (np.zeros((3, 1)), np.ones((3, 2, 2)) * 9))
    assert stack.shape == (3, 2)
    assert stack[1].shape == (2,)
    assert stack[..., 0].curvature_a.shape == (3,)
    assert stack[2, 1].distance == stack.distance[2, 1]
    assert len(stack) == 3
    assert "6 of 6 converged" in repr(stack)


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        ((planar.Circle(1.0), "b"), TypeError, "b must be a planar Shape, got str"),
        ((planar.Circle(1.0), tg.Sphere(1.0)), TypeError, "b must be a planar Shape, got Sphere"),
        ((planar.Line(), planar.Line()), TypeError, "must not both be a Line"),
        ((planar.Circle(1.0), planar.Circle(1.0), np.eye(4)), ValueError, r"pose_a must be None, a pair"),
        ((planar.Circle(1.0), planar.Circle(1.0), 2 * np.eye(3)), ValueError, r"pose_a must have the last row"),
        ((planar.Circle(1.0), planar.Circle(1.0), np.diag([1.0, -1.0, 1.0])), ValueError, "must contain a rotation"),
        ((planar.Circle(1.0), planar.Circle(1.0), (0.0, [1, 2, 3])), ValueError, r"pose_a\[1\] must have shape"),
        ((planar.Circle([1, 2]), planar.Circle([1, 2, 3])), ValueError, "do not broadcast"),
        ((planar.Circle(1.0), planar.Circle(1.0), None, (0.0, [np.nan, 0])), ValueError, r"pose_b\[1\] must be finite"),
    ],
)
def test_bad_input(arguments, kind, sentence):
    with pytest.raises(kind, match=sentence):
        planar.contact(*arguments)


def test_guess_and_limit():
    a, b = planar.Ellipse([3, 1]), planar.Ellipse([2, 1])
    far = planar.contact(a, b, None, (0.5, [9, 9]), max_distance=1.0)
    assert far.status == tg.Status.BEYOND
    assert far.lower > 1.0
    first = planar.contact(a, b, None, (0.5, [4, 3]))
    again = planar.contact(a, b, None, (0.5, [4, 3]), guess=first)
    assert again.distance == pytest.approx(float(first.distance), abs=1e-14)
    assert again.evaluations < first.evaluations
    # In overlap the common normal next to the guess: here the long way out.
    followed = planar.contact(a, b, None, (0.0, [0.3, 0.0]), guess=[1, 0])
    assert followed.status == tg.Status.OVERLAP_FOLLOWED
    assert followed.distance == pytest.approx(-4.7)
    shortest = planar.contact(a, b, None, (0.0, [0.3, 0.0]))
    assert shortest.distance > -2.0
    assert shortest.status == tg.Status.OVERLAP_PROVED


def test_concentric_circles_and_ellipses():
    c = planar.contact(planar.Circle(2.0), planar.Circle(1.0))
    assert (float(c.distance), int(c.status)) == (-3.0, tg.Status.OVERLAP_PROVED)
    c = planar.contact(planar.Ellipse([3, 2]), planar.Ellipse([3, 2]))
    assert c.distance == pytest.approx(-4.0, abs=1e-14)
    assert c.upper == pytest.approx(-4.0, abs=1e-13)


def test_touching_corner_to_corner():
    square = planar.Polygon([[0, 0], [1, 0], [1, 1], [0, 1]])
    for shift in ([1.0, 1.0], [1.0, 0.3], [0.0, -1.0]):
        c = planar.contact(square, square, None, (0.0, shift))
        assert abs(float(c.distance)) < 1e-15
        assert c.status == tg.Status.APART


def test_not_a_number_is_a_status():
    from typing import NamedTuple

    class Hole(planar.Shape):
        """Finite along the axes, where bounds are taken, and nowhere else."""

        class Kernel(NamedTuple):
            a: float

            def jet(self, n):
                k = self.a if n[0] * n[1] == 0.0 else math.nan
                return k, (k * n[0], k * n[1]), k

    c = planar.contact(Hole(a=1.0), planar.Circle(1.0), None, (0.0, [3.0, 2.0]))
    assert c.status == tg.Status.NOT_A_NUMBER
    assert not c.converged
    assert np.isfinite(c.distance)
    assert np.isfinite(c.point_a).all()
    line = planar.contact(planar.Line([[0, 1], [1, 1]]), Hole(a=1.0))
    assert line.status.tolist() == [tg.Status.OVERLAP_PROVED, tg.Status.NOT_A_NUMBER]
    assert np.isfinite(line.point_b).all()
    assert line.lower[1] == -np.inf
    inside = planar.contact(Hole(a=1.0), planar.Polygon([[1, 1], [-1, 1], [-1, -1.1], [1, -1]]))
    assert inside.status == tg.Status.NOT_A_NUMBER
