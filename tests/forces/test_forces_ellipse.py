"""Hertz's contact ellipse against printed tables and 120-digit elliptic integrals."""

import mpmath as mp
import numpy as np
import pytest

from tangency import forces

#: F(rho), a*, b*, delta*: T. A. Harris, Rolling Bearing Analysis, table of dimensionless contact parameters.
#: Not yet compared with the printed page.  Two rows are left out because one number in each disagrees with mpmath
#: by more than rounding: 0.4795 (delta* 0.9429, should be 0.9432) and 0.9981847 (b* 0.2070, should be 0.2072).
HARRIS = """
0.1075   1.0760 0.9318 0.9974
0.3204   1.2623 0.8114 0.9761
0.5916   1.6440 0.6687 0.9077
0.6716   1.8258 0.6245 0.8733
0.7332   2.011  0.5881 0.8394
0.7948   2.265  0.5480 0.7961
0.83495  2.494  0.5186 0.7602
0.87366  2.800  0.4863 0.7169
0.90999  3.233  0.4499 0.6636
0.93657  3.738  0.4166 0.6112
0.95738  4.395  0.3830 0.5551
0.97290  5.267  0.3490 0.4960
0.983797 6.448  0.3150 0.4352
0.990902 8.062  0.2814 0.3745
0.995112 10.222 0.2497 0.3176
0.997300 12.789 0.2232 0.2705
"""


def test_printed_table():
    difference, a, b, approach = np.array([line.split() for line in HARRIS.split("\n") if line], dtype=float).T
    # Sum of the curvatures 1, (k1 - k2) = F(rho); the load that makes Harris's unit of length 1.
    k = np.stack([1 + difference, 1 - difference], axis=-1) / 2
    c = forces.contact_ellipse(2 / 3, k, modulus=1.0)
    np.testing.assert_allclose(c.semi_axes[:, 0], a, rtol=3e-4)
    np.testing.assert_allclose(c.semi_axes[:, 1], b, rtol=3e-4)
    np.testing.assert_allclose(c.approach * 2, approach, rtol=3e-4)


def reference(q, load, modulus):
    """Johnson, Contact Mechanics, Eqs. (4.24)-(4.28), for the relative curvatures 1 and q; mpmath."""
    with mp.workdps(120):
        q = mp.mpf(q)

        def ratio(k):
            m = 1 - k * k
            return (mp.ellipk(m) - mp.ellipe(m)) / (mp.ellipe(m) / k**2 - mp.ellipk(m))

        x = mp.findroot(
            lambda x: mp.log(ratio(mp.exp(x)) / q), (mp.log(q) / 2, 2 * mp.log(q) / 3), solver="anderson", tol=1e-100
        )
        k = mp.exp(x)
        m = 1 - k * k
        first, second = mp.ellipk(m), mp.ellipe(m)
        # (4.26): A = p0 b / (E* m a^2) (K - E) with 2 A = q and p0 = 3 P / (2 pi a b), solved for a.
        a = (2 * 3 * load / (2 * mp.pi * modulus) * (first - second) / (m * q)) ** (mp.mpf(1) / 3)
        pressure = 3 * load / (2 * mp.pi * a * a * k)
        return [float(v) for v in (a, k * a, pressure * k * a * first / modulus, pressure)]


@pytest.mark.parametrize("q", [1 - 1e-9, 1 - 1e-4, 0.9, 0.5, 0.1, 1e-2, 1e-4, 1e-8, 1e-16, 1e-40])
def test_elliptic_integrals_with_120_digits(q):
    a, b, approach, pressure = reference(q, 3.0, 7.0)
    c = forces.contact_ellipse(3.0, [q, 1.0], 7.0)
    np.testing.assert_allclose([*c.semi_axes, c.approach, c.peak_pressure], [a, b, approach, pressure], rtol=2e-14)


def test_circle_in_closed_form():
    """Johnson, Eqs. (4.22)-(4.24): a^3 = 3 P R / (4 E*), depth = a^2 / R, p0 = (6 P E*^2 / (pi^3 R^2))^(1/3)."""
    load, radius, modulus = 20.0, 0.3, 5e9
    c = forces.contact_ellipse(load, [1 / radius, 1 / radius], modulus)
    a = (0.75 * load * radius / modulus) ** (1 / 3)
    np.testing.assert_allclose(c.semi_axes, a, rtol=1e-14)
    np.testing.assert_allclose(c.approach, a**2 / radius, rtol=1e-14)
    np.testing.assert_allclose(c.peak_pressure, 1.5 * load / (np.pi * a**2), rtol=1e-14)


def test_slender_limit():
    """Next to a line, b is that of parallel cylinders with the load per length of its middle."""
    # There the pressure of the ellipse carries 3 P / (4 a) per length; Johnson, Eq. (4.43).
    q, load, modulus = 1e-12, 5.0, 1.0
    c = forces.contact_ellipse(load, [1.0, q], modulus)
    per_length = 0.75 * load / c.semi_axes[0]
    assert c.semi_axes[1] == pytest.approx(np.sqrt(4 * per_length / (np.pi * modulus)), rel=1e-3)


def test_force_law_is_the_inverse_of_the_approach():
    material = forces.Material(1e9, 0.25)
    law = forces.Hertz(materials=material)
    rng = np.random.default_rng(2)
    k = 10 ** rng.uniform(-3, 3, size=(200, 2))
    load = 10 ** rng.uniform(-2, 4, size=200)
    depth = forces.contact_ellipse(load, k, forces.effective_modulus(material)).approach
    np.testing.assert_allclose(law.force(depth, curvature=k), load, rtol=1e-13)


def test_geometric_mean_form_is_softer_than_the_ellipse():
    """How far the papers' form is off, by a line of the printed table."""
    difference, approach = 0.93657, 0.6112
    k = np.array([1 + difference, 1 - difference]) / 2
    material = forces.Material(1e9, 0.0)
    true = forces.Hertz(materials=material).force(1.0, curvature=k)
    mean = forces.Hertz(materials=material, form="mean").force(1.0, curvature=k)
    # P = 2/3 E* at the depth delta*/2, so P(1) = 2/3 E* (2/delta*)^(3/2); E* = 1e9/2.
    assert true == pytest.approx(1e9 / 3 * (2 / approach) ** 1.5, rel=3e-4)
    assert mean == pytest.approx(2e9 / 3 * (k[0] * k[1]) ** -0.25, rel=1e-14)
    assert mean < true


def test_continuous_at_the_circle():
    law = forces.Hertz(materials=forces.Material(1e9, 0.0))
    q = 1 - np.array([0.0, 1e-16, 1e-15, 1e-12, 1e-9, 1e-6])
    force = law.force(1.0, curvature=np.stack([np.ones_like(q), q], axis=-1))
    np.testing.assert_allclose(force, force[0] * q**-0.25, rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1.0, [1.0, 1.0], 1.0), "load must be >= 0"),
        ((1.0, [0.0, 1.0], 1.0), "curvature must be > 0"),
        ((1.0, [1.0, 1.0], 0.0), "modulus must be > 0"),
        ((1.0, 1.0, 1.0), "curvature must have shape"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        forces.contact_ellipse(*arguments)
