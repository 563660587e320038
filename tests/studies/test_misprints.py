"""Every misprint that the documentation names: the printed formula fails, the corrected one holds.

Nothing of the library is called: both are compared with plain calculations on balls, ellipsoids and superellipsoids.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

RNG = np.random.default_rng(17)


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def off(found, exact):
    return np.abs(np.asarray(found) - np.asarray(exact)).max()


# ---- Römer 3-D -----------------------------------------------------------------------------------
def potential(matrix, centre, phi, theta):
    """Support function of the ellipsoid x' matrix^-1 x <= 1 about `centre`."""
    n = np.array([np.sin(phi) * np.cos(theta), np.sin(phi) * np.sin(theta), np.cos(phi) + 0.0 * theta])
    return np.sqrt(np.einsum("i...,ij,j...->...", n, matrix, n)) + np.einsum("i,i...->...", centre, n)


def tilted(about_z=False):
    turn = Rotation.from_euler("z", 0.6) if about_z else Rotation.random(rng=RNG)
    m = turn.as_matrix()
    return m @ np.diag([9.0, 4.0, 1.0]) @ m.T


def test_romer_17_at_the_south_pole():
    matrix, centre, h = tilted(), np.array([0.3, -0.2, 0.5]), 1e-5
    x, y, _ = centre - matrix @ [0, 0, 1] / np.sqrt(matrix[2, 2])  # the point with the normal -z
    theta = np.linspace(0, 6, 13)
    slope = (potential(matrix, centre, np.pi + h, theta) - potential(matrix, centre, np.pi - h, theta)) / (2 * h)
    assert off(slope, -x * np.cos(theta) - y * np.sin(theta)) < 1e-8
    assert off(slope, x * np.cos(theta) - y * np.sin(theta)) > 0.1


def test_romer_27_and_44_at_a_pole():
    matrix, h, theta = tilted(about_z=True), 1e-4, np.linspace(0, np.pi, 400)
    zero = np.zeros(3)
    second = (
        potential(matrix, zero, h, theta) - 2 * potential(matrix, zero, 0.0, theta) + potential(matrix, zero, -h, theta)
    ) / h**2
    radius = potential(matrix, zero, 0.0, theta) + second  # e_0 of Eq. (18)
    # The smallest radius, 1/kappa_1, is that of the direction theta = -theta_0.
    theta0 = -theta[radius.argmin()]
    direction = np.linalg.eigh(matrix[:2, :2])[1][:, 0]
    right, printed = ([np.cos(theta0), s * np.sin(theta0)] for s in (-1, 1))
    assert abs(direction @ right) > 1 - 1e-4
    assert abs(direction @ printed) < 0.9


def test_romer_32_the_condition_of_an_umbilic_is_that_of_a_singular_point():
    s, e = 0.6, 1.7
    printed = np.array([[e, e], [e, e]])  # e, f/s; f/s, g/s^2 with g = s^2 e = s f
    assert np.linalg.det(printed) == 0.0
    assert np.linalg.eigvalsh([[e, 0.0], [0.0, s**2 * e / s**2]]).tolist() == [e, e]


def test_romer_50_limit_of_a_negative_offset():
    e, f, g, s = 2.0, 0.3, 0.9, 0.8
    smallest = np.linalg.eigvalsh([[e, f / s], [f / s, g / s**2]])[0]
    middle = s**2 * e + g
    right = (np.sqrt((s**2 * e - g) ** 2 + 4 * s**2 * f**2) - middle) / (2 * s**2)
    printed = (np.sqrt(middle**2 - 4 * s**2 * f**2) - middle) / (2 * s**2)
    assert right == pytest.approx(-smallest, rel=1e-14)
    assert abs(printed + smallest) > 0.3 * smallest


def test_romer_94_penetration_of_a_plane():
    """The ball of radius 1 with its centre 0.9 above the plane n.r = d is 0.1 deep."""
    n, d = np.array([0.0, 0.0, 1.0]), 2.0
    point = np.array([0.0, 0.0, d + 0.9]) - n
    assert d - n @ point == pytest.approx(0.1)
    assert n @ point + d > 3.0  # as printed


def test_romer_98_friction_between_bodies_that_move_together():
    n, velocity = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    printed = velocity - (n @ velocity) * n  # of body I alone
    relative = velocity - velocity
    assert np.linalg.norm(printed) == 1.0
    assert np.linalg.norm(relative - (n @ relative) * n) == 0.0


def test_romer_c4c_switches_the_angles():
    def first(a, b, c):
        return Rotation.from_euler("ZYX", [a, b, c]).as_matrix()

    def second(a, b, c):
        (ca, cb, cc), (sa, sb, sc) = np.cos([a, b, c]), np.sin([a, b, c])
        return np.array(
            [
                [-ca * sb * cc - sa * sc, ca * sb * sc - sa * cc, ca * cb],
                [-sa * sb * cc + ca * sc, sa * sb * sc + ca * cc, sa * cb],
                [-cb * cc, cb * sc, -sb],
            ]
        )

    a, b, c = 0.4, -0.7, 1.1
    q = first(a, b, c)
    alpha, beta = np.arctan2(q[1, 2], q[0, 2]), -np.arcsin(q[2, 2])  # Eqs. (C.4a), (C.4b)
    over = np.cos(b) * np.sin(c)
    assert off(second(alpha, beta, np.arctan2(over, np.sin(b))), q) < 1e-15
    assert off(second(alpha, beta, np.arctan2(over, beta)), q) > 0.1  # as printed


def test_romer_c6_relative_curvature_of_balls():
    """1/R_1 + 1/R_2, and with a large second ball that of a plane, 1/R_1."""
    for k1, k2 in ((2.0, 0.5), (2.0, 1e-12)):
        right, printed = k1 + k2, 0.5 * (k1 + k1 + k2 + k2) / 2
        assert right == pytest.approx(2 * printed)
        # The gap between the two spheres over the tangent plane grows by this curvature.
        r = 1e-4
        gap = (1 - np.sqrt(1 - (k1 * r) ** 2)) / k1 + r * r * k2 / 2
        assert 2 * gap / r**2 == pytest.approx(right, rel=1e-6)


# ---- Römer 2-D -----------------------------------------------------------------------------------
def test_romer_2d_56a_75a_76a():
    """P lies at the height g over the centre of the circle, C at z_C: z_PC = z_C - g."""
    g, g1, radius = 3.0, 0.4, 0.5
    length = np.hypot(g, g1)
    z_c = -g * radius / length  # Eq. (56c), almost concave
    assert z_c - g == -g - g * radius / length
    far = 1e7  # Eq. (74): g = g~ + R
    assert -(2.0 + far) + (2.0 + far) * far / np.hypot(2.0 + far, g1) == pytest.approx(-2.0, abs=1e-6)
    assert -g + g * 1e-12 / length == pytest.approx(-g)


# ---- Lopes ---------------------------------------------------------------------------------------
def test_lopes_20_derivative_of_the_tangent():
    n, v = RNG.normal(size=(2, 3))
    dn, dv = RNG.normal(size=(2, 3))
    h = 1e-6
    found = (np.cross(n + h * dn, v + h * dv) - np.cross(n - h * dn, v - h * dv)) / (2 * h)
    assert off(found, skew(n) @ dv - skew(v) @ dn) < 1e-8
    assert off(found, skew(n) @ dv + skew(v) @ dn) > 0.1  # as printed
    # The binormal's is printed right.
    b = [np.cross(n + s * dn, np.cross(n + s * dn, v + s * dv)) for s in (h, -h)]
    k, m = skew(n), skew(v)
    assert off((b[0] - b[1]) / (2 * h), k @ k @ dv - k @ m @ dn - (k @ m - m @ k) @ dn) < 1e-7


def test_lopes_24_four_candidates():
    """Unit balls 3 apart.  Found at the far sides, the smallest signed distance along the normal is the largest one."""

    def signed(normal, p, q):
        return np.sign(normal @ (q - p)) * np.linalg.norm(q - p)

    x, centre = np.array([1.0, 0, 0]), np.array([3.0, 0, 0])
    a, b = {1: x, 3: -x}, {2: centre - x, 4: centre + x}
    facing = {(m, n): signed(x, a[m], b[n]) for m in a for n in b}
    away = {(m, n): signed(-x, a[m], b[n]) for m in a for n in b}
    assert min(facing, key=facing.get) == (1, 2)
    assert min(away, key=away.get) == (3, 4)  # as printed: the pair farthest apart
    # Of the two pairs with opposite outward normals, the larger along its own normal.
    assert signed(x, a[1], b[2]) > signed(-x, a[3], b[4])


def test_lopes_29_30_36_points_lie_on_the_surface():
    phi, theta = 0.7, 1.1
    (cp, ct), (sp, st) = np.cos([phi, theta]), np.sin([phi, theta])
    # Elliptic paraboloid x^2 + y^2/2 - z - 1 = 0: Eq. (30b) as printed has the quadratic coefficients in r_1.
    a11, a22, a33, a1, a2, a3 = 1.0, 0.5, 0.0, 0.0, 0.0, -1.0
    r2 = a11 * (st * cp) ** 2 + a22 * (st * sp) ** 2 + a33 * ct**2

    def paraboloid(r1, last):
        r = (-r1 + np.sqrt(r1 * r1 + 4 * r2)) / (2 * r2)
        x, y, z = r * np.array([st * cp, st * sp, last])
        return a11 * x * x + a22 * y * y + a3 * z - 1

    right, printed = a1 * st * cp + a2 * st * sp + a3 * ct, a11 * st * cp + a22 * st * sp + a33 * ct
    assert abs(paraboloid(right, ct)) < 1e-14
    assert abs(paraboloid(printed, ct)) > 0.1
    assert abs(paraboloid(right, cp)) > 0.1  # Eqs. (29), (A.1)
    # Superellipsoid, Eqs. (33) to (36).
    g1, g2 = 4.0, 2.5
    ring = cp**g2 + 0.5 * sp**g2
    for bracket, power, holds in ((ring ** (g1 / g2), -1, True), (ring, -1, False), (ring ** (g1 / g2), 1, False)):
        r = (st**g1 * bracket + 2.0 * ct**g1) ** (power / g1)
        x, y, z = r * np.array([st * cp, st * sp, ct])
        assert (abs((x**g2 + 0.5 * y**g2) ** (g1 / g2) + 2.0 * z**g1 - 1) < 1e-14) == holds


def test_lopes_b3_binormal():
    n = RNG.normal(size=3)
    n /= np.linalg.norm(n)
    w = 1 / (1 + abs(n[0]))
    s = np.sign(n[0])
    right = np.array([-s * n[2], -w * n[2] * n[1], 1 - w * n[2] * n[2]])
    printed = right + np.array([0, 1, -1])
    assert abs(right @ n) < 1e-15
    assert abs(printed @ n) > 0.1


def test_lopes_5_13_and_5_14():
    """Thesis, Eq. (2.14): e1 in xy, e2 along z.  (5.13) is right; (5.14) lacks the power 2 - e1 of |cos phi_1|."""
    (a, b, c), (e1, e2) = (1.3, 0.7, 1.9), (0.6, 1.4)
    phi1, phi2 = 0.5, -0.5

    def signed(v, p):
        return np.sign(v) * abs(v) ** p

    def normal(u, v):  # Eq. (2.17)
        ring = np.cos(v) ** (2 - e2)
        return np.array(
            [ring * signed(np.cos(u), 2 - e1) / a, ring * signed(np.sin(u), 2 - e1) / b, signed(np.sin(v), 2 - e2) / c]
        )

    n = normal(phi1, phi2)
    assert np.arctan(signed(b * n[1], 1 / (2 - e1)) / signed(a * n[0], 1 / (2 - e1))) == pytest.approx(phi1)
    swapped = np.arctan(signed(b * n[1], 1 / (2 - e2)) / signed(a * n[0], 1 / (2 - e2)))
    assert abs(swapped - phi1) > 0.05
    for power, holds in ((2 - e1, True), (1.0, False)):
        top, below = signed(c * n[2] * np.cos(phi1) ** power, 1 / (2 - e2)), abs(a * n[0]) ** (1 / (2 - e2))
        assert (abs(np.arctan(top / below) - phi2) < 1e-14) == holds
    # Eq. (2.16) lies on Eq. (2.15), with the same exponents.
    x, y = np.cos(phi1) ** e1 * np.cos(phi2) ** e2, np.sin(phi1) ** e1 * np.cos(phi2) ** e2
    z = abs(np.sin(phi2)) ** e2
    assert (x ** (2 / e1) + y ** (2 / e1)) ** (e1 / e2) + z ** (2 / e2) == pytest.approx(1.0)


# ---- Portal --------------------------------------------------------------------------------------
def test_portal_table_1():
    """Extent of box A along x_A x x_B."""
    t, a = Rotation.random(rng=RNG).as_matrix(), np.array([1.0, 2.0, 3.0])
    axis = np.cross([1.0, 0, 0], t[:, 0])
    assert np.abs(axis) @ a == pytest.approx(a[1] * abs(t[2, 0]) + a[2] * abs(t[1, 0]))
    assert abs(np.abs(axis) @ a - (a[1] * abs(t[2, 0]) + a[2] * abs(t[2, 1]))) > 0.1  # as printed


def test_portal_11_15_18_30():
    (a1, a2, a3), (e1, e2), h = (1.0, 2.0, 0.5), (0.8, 0.5), 1e-6
    x, y, z = 0.4, 0.9, 0.2

    def inside(x, y, z):  # Eq. (8)
        return ((x / a1) ** (2 / e2) + (y / a2) ** (2 / e2)) ** (e2 / e1) + (z / a3) ** (2 / e1)

    slope = (inside(x, y + h, z) - inside(x, y - h, z)) / (2 * h)
    ring = (x / a1) ** (2 / e2) + (y / a2) ** (2 / e2)
    right = 2 / (e1 * a2) * ring ** (e2 / e1 - 1) * (y / a2) ** (2 / e2 - 1)
    assert slope == pytest.approx(right, rel=1e-6)
    assert abs(slope - right * a2 / a1) > 0.01  # Eq. (11) as printed
    assert abs(slope - right * ring ** (2 / e1 - e2 / e1)) > 0.01  # the exponent of Eq. (18)
    # Eq. (30): at the nearest points of two bodies the normal of B points against the line from A to B.
    line, normal_b = np.array([1.0, 0, 0]), np.array([-1.0, 0, 0])
    assert normal_b @ line == -1.0
