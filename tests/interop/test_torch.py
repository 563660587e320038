"""The adapter for PyTorch: gradcheck and gradgradcheck."""

import numpy as np
import pytest

import tangency as tg

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tangency[torch]'")

from tangency.interop.torch import Pair  # noqa: E402

PAIR = Pair(tg.Ellipsoid([0.5, 0.4, 0.3]), tg.Superellipsoid([0.3, 0.2, 0.4], (0.8, 0.9)))


def poses(x):
    """Both poses from positions and rotation vectors, (..., 12)."""
    frames = []
    for k in (0, 6):
        w, zero = x[..., k + 3 : k + 6], torch.zeros_like(x[..., 0])
        a, b, c = w.unbind(-1)
        skew = torch.stack([zero, -c, b, c, zero, -a, -b, a, zero], -1).reshape(*x.shape[:-1], 3, 3)
        top = torch.cat([torch.linalg.matrix_exp(skew), x[..., k : k + 3, None]], -1)
        last = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=x.dtype).expand(*x.shape[:-1], 1, 4)
        frames.append(torch.cat([top, last], -2))
    return frames


def sample(*batch):
    x = torch.tensor([0.1, 0.2, 0.3, 0.4, -0.5, 0.2, 1.0, 0.5, 0.7, -0.3, 0.2, 0.9], dtype=torch.float64)
    noise = 0.05 * torch.tensor(np.random.default_rng(1).normal(size=(*batch, 12)))
    return (x + noise).requires_grad_()


def test_gradients():
    for of in ("distance", "normal", "point_a", "point_b"):
        assert torch.autograd.gradcheck(lambda x, of=of: getattr(PAIR, of)(*poses(x)), (sample(),), eps=1e-5, atol=1e-7)
    assert torch.autograd.gradcheck(lambda x: PAIR.distance(*poses(x)), (sample(3),), eps=1e-5, atol=1e-7)


def test_double_backward():
    assert torch.autograd.gradgradcheck(lambda x: PAIR.distance(*poses(x)), (sample(),), eps=1e-5, atol=1e-6)
    hessian = torch.autograd.functional.hessian(lambda x: PAIR.distance(*poses(x)), sample())
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-10)


def test_what_is_refused():
    eye = torch.eye(4, dtype=torch.float64)
    with pytest.raises(TypeError, match="pose_a must be a tensor of float64 on the CPU"):
        PAIR.distance(eye.float(), eye)
    with pytest.raises(ValueError, match="pose_b must have shape"):
        PAIR.distance(eye, eye[:3])
    x = sample()
    (first,) = torch.autograd.grad(PAIR.normal(*poses(x)).sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="only of the distance"):
        torch.autograd.grad(first.sum(), x)
