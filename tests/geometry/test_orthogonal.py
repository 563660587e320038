"""Tangents and binormals: every technique, also where the printed formulas fail."""

import mpmath
import numpy as np
import pytest

import tangency as tg
from families import normals
from tangency.geometry.orthogonal import TECHNIQUES

AXES = np.concatenate([np.eye(3), -np.eye(3)])
#: On and next to every place where a formula changes its branch or loses a component.
EDGES = np.array(
    [
        [1, 1, 0],
        [-1, 1, 0],
        [1, -1, 0],
        [0, 1, 1],
        [0, 1, -1],
        [1, 0, 1],
        [1, 1, 1],
        [-1, -1, -1],
        [1e-9, -1e-9, 1],
        [-1, 1e-9, 0],
        [-1, 1e-200, 1e-200],
        [1, -1e-16, 0],
        [0, 1e-12, -1],
        [-0.0, 1, -0.0],
    ]
)


@pytest.mark.parametrize("name", TECHNIQUES)
def test_orthonormal(name):
    n = np.concatenate([AXES, EDGES, normals(np.random.default_rng(0), 5000)])
    n = n / np.linalg.norm(n, axis=-1, keepdims=True)
    t, b = TECHNIQUES[name](n)
    for p, q in ((n, t), (n, b), (t, b)):
        assert abs((p * q).sum(axis=-1)).max() < 3e-15
    for v in (t, b):
        assert abs(np.linalg.norm(v, axis=-1) - 1.0).max() < 3e-15


@pytest.mark.parametrize("name", TECHNIQUES)
def test_stacks_and_lengths(name):
    n = np.random.default_rng(1).normal(size=(2, 4, 3))
    many = TECHNIQUES[name](7.0 * n)
    assert many.tangent.shape == many.binormal.shape == (2, 4, 3)
    one = TECHNIQUES[name](n[1, 2])
    assert np.allclose(one.tangent, many.tangent[1, 2], atol=1e-15, rtol=0)
    assert np.allclose(one.binormal, many.binormal[1, 2], atol=1e-15, rtol=0)
    with pytest.raises(ValueError, match="n must not be the zero vector"):
        TECHNIQUES[name]([0, 0, 0])


def test_householder_is_the_reflection():
    """Eqs. (4.3) and (4.13) of the thesis in 40 digits, with the sign of n_x."""
    for n in normals(np.random.default_rng(2), 50):
        with mpmath.workdps(40):
            x = mpmath.matrix(n.tolist())
            h = x.copy()
            h[0] += mpmath.sign(x[0]) * mpmath.norm(x)
            reflection = mpmath.eye(3) - 2 * h * h.T / (h.T * h)[0]
            exact = np.array(reflection.tolist(), dtype=float)
        t, b = tg.orthogonal.householder(n)
        assert np.allclose(t, exact[:, 1], atol=1e-15, rtol=0)
        assert np.allclose(b, exact[:, 2], atol=1e-15, rtol=0)


def test_printed_formula_fails_at_minus_x():
    """Eq. (4.11) always takes n_x + 1, which vanishes here; the sign of Table C.1 does not."""
    n = np.array([-1.0, 0.0, 0.0])
    mu = max(n[0] - 1.0, n[0] + 1.0)
    assert mu == 0.0  # h = 0: no reflection
    t, b = tg.orthogonal.householder(n)
    assert abs(np.cross(t, b) @ n) == 1.0


def test_printed_projection_matrix_has_no_tangents():
    """The columns of n n' (Table C.4) are parallel to n; those of I - 2 n n' are a basis."""
    n = normals(np.random.default_rng(3))
    assert np.linalg.matrix_rank(np.outer(n, n), tol=1e-12) == 1
    basis = np.eye(3) - 2 * np.outer(n, n)
    t, b = tg.orthogonal.projection_matrix(n)
    # A rotation keeps the angles between the columns, so that one of the three becomes n itself.
    assert np.allclose(basis @ basis.T, np.eye(3), atol=1e-15)
    assert np.allclose(abs(np.cross(t, b)), abs(n), atol=1e-14)


def test_hand():
    rng = np.random.default_rng(4)
    n = normals(rng, 100)
    t, b = tg.orthogonal.branch_free(n)
    assert np.allclose(np.cross(t, b), n, atol=1e-14)
    t, b = tg.orthogonal.householder(n)
    assert np.allclose(np.cross(t, b), np.sign(n[:, :1]) * n, atol=1e-14)
