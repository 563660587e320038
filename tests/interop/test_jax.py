"""The adapter for JAX: grad, hessian, vmap and jit, against the library's own derivatives."""

import numpy as np
import pytest

import tangency as tg

jax = pytest.importorskip("jax", reason="needs JAX: pip install 'tangency[jax]'")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

from tangency.interop.jax import Pair, pose  # noqa: E402

PAIR = Pair(tg.Ellipsoid([0.5, 0.4, 0.3]), tg.Superellipsoid([0.3, 0.2, 0.4], (0.8, 0.9)))
X = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.2, 1.0, 0.5, 0.7, -0.3, 0.2, 0.9])


def gap(x):
    return PAIR.distance(pose(x[0:3], x[3:6]), pose(x[6:9], x[9:12]))


def contact(x):
    return tg.contact(PAIR._flat.a, PAIR._flat.b, *(np.asarray(pose(x[k : k + 3], x[k + 3 : k + 6])) for k in (0, 6)))


def differences(function, x, step=1e-3):
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    return np.stack(
        [
            sum(w * (function(x + k * step * e) - function(x - k * step * e)) for k, w in weights) / step
            for e in np.eye(12)
        ],
        axis=-1,
    )


def test_values_and_derivatives():
    c = contact(X)
    np.testing.assert_allclose(gap(X), c.distance, rtol=1e-12)
    gradient = jax.grad(gap)
    np.testing.assert_allclose(gradient(X), differences(lambda x: np.asarray(gap(x)), X), atol=1e-9)
    np.testing.assert_allclose(gradient(X)[:3], c.jacobian("distance", "pose_a")[:3], atol=1e-12)
    second = differences(lambda x: np.asarray(gradient(x)), X)
    for hessian in (jax.hessian(gap), jax.jit(jax.jacrev(jax.grad(gap))), jax.jacfwd(jax.jacfwd(gap))):
        np.testing.assert_allclose(hessian(X), second, atol=1e-8)


@pytest.mark.parametrize("of", ["normal", "point_a", "point_b"])
def test_normal_and_points(of):
    def value(x):
        return getattr(PAIR, of)(pose(x[0:3], x[3:6]), pose(x[6:9], x[9:12]))

    second = differences(lambda x: np.asarray(value(x)), X)
    np.testing.assert_allclose(jax.jacrev(value)(X), second, atol=1e-7)
    np.testing.assert_allclose(jax.jit(jax.jacfwd(value))(X), second, atol=1e-7)
    with pytest.raises(NotImplementedError, match="no second derivatives"):
        jax.hessian(lambda x: value(x).sum())(X)


def test_vmap_makes_one_call():
    many = X + 0.05 * np.random.default_rng(1).normal(size=(7, 12))
    calls, value = [], PAIR._flat.value

    def counted(poses, of="distance"):
        calls.append(poses.shape)
        return value(poses, of)

    pair = Pair(PAIR._flat.a, PAIR._flat.b)
    pair._flat.value = counted
    found = jax.vmap(lambda x: pair.distance(pose(x[0:3], x[3:6]), pose(x[6:9], x[9:12])))(many)
    assert calls == [(7, 24)]
    np.testing.assert_allclose(found, [gap(x) for x in many], rtol=1e-12)
    np.testing.assert_allclose(jax.vmap(jax.grad(gap))(many), [jax.grad(gap)(x) for x in many], atol=1e-12)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.hessian(gap)))(many)[3], jax.hessian(gap)(many[3]), atol=1e-10)


def test_what_is_refused():
    with pytest.raises(TypeError, match="float64"):
        PAIR.distance(jnp.eye(4, dtype=jnp.float32), jnp.eye(4))
    with pytest.raises(ValueError, match="shape"):
        PAIR.distance(jnp.eye(3), jnp.eye(4))
    with pytest.raises(NotImplementedError, match="third"):
        jax.jacfwd(jax.hessian(gap))(X)


def test_pose_at_zero():
    """The exponential map is smooth at zero rotation, to second order."""
    flat = jax.jacfwd(lambda w: pose(jnp.zeros(3), w)[:3, :3])(np.zeros(3))
    assert np.isfinite(flat).all()
    np.testing.assert_allclose(flat[2, 1, 0], 1.0)
    second = jax.hessian(lambda w: pose(jnp.zeros(3), w)[0, 0])(np.zeros(3))
    np.testing.assert_allclose(second, np.diag([0.0, -1.0, -1.0]), atol=1e-12)
