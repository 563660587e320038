"""Contacts in PyTorch: distance, normal and points as differentiable functions of poses, with double backward."""

from __future__ import annotations

from typing import Any

from .pose_vectors import FlatPair, FunctionsOfPoses

try:
    import torch
except ImportError:
    raise ImportError("tangency.interop.torch needs PyTorch: pip install 'tangency[torch]'") from None


class Pair(FunctionsOfPoses):
    """Contact of two single bodies as functions of their poses, which are tensors of float64 on the CPU.

    Parameters, methods and their derivatives: see `tangency.interop.pose_vectors.FunctionsOfPoses`.

    Examples
    --------
    >>> import torch
    >>> import tangency as tg
    >>> from tangency.interop.torch import Pair
    >>> pair = Pair(tg.Ellipsoid([3.0, 2.0, 1.0]), tg.Sphere(1.0))
    >>> pose = torch.eye(4, dtype=torch.float64)
    >>> moved = pose.clone()
    >>> moved[2, 3] = 4.0
    >>> _ = moved.requires_grad_()
    >>> pair.distance(pose, moved).backward()
    >>> moved.grad[:3, 3].tolist()
    [0.0, 0.0, 1.0]
    """

    def _call(self, of: str, pose_a: Any, pose_b: Any) -> Any:
        return _Value.apply(_rows(pose_a, pose_b), self._flat, of)


def _rows(pose_a: Any, pose_b: Any) -> Any:
    parts = []
    for name, pose in (("pose_a", pose_a), ("pose_b", pose_b)):
        if not isinstance(pose, torch.Tensor) or pose.dtype != torch.float64 or pose.device.type != "cpu":
            got = f"{pose.dtype} on {pose.device}" if isinstance(pose, torch.Tensor) else type(pose).__name__
            raise TypeError(f"{name} must be a tensor of float64 on the CPU, got {got}")
        if pose.shape[-2:] != (4, 4):
            raise ValueError(f"{name} must have shape (..., 4, 4), got {tuple(pose.shape)}")
        parts.append(pose[..., :3, :].reshape(*pose.shape[:-2], 12))
    shape = torch.broadcast_shapes(*(part.shape for part in parts))
    return torch.cat([part.expand(shape) for part in parts], dim=-1)


def _tensor(array: Any) -> Any:
    return torch.as_tensor(array, dtype=torch.float64)


class _Value(torch.autograd.Function):
    """A quantity of poses (..., 24)."""

    @staticmethod
    def forward(ctx: Any, poses: Any, pair: FlatPair, of: str) -> Any:  # type: ignore[override]
        ctx.pair, ctx.of = pair, of
        ctx.save_for_backward(poses)
        return _tensor(pair.value(poses.detach().numpy(), of))

    @staticmethod
    def backward(ctx: Any, weight: Any) -> Any:  # type: ignore[override]
        (poses,) = ctx.saved_tensors
        gradient = _Gradient.apply(poses, ctx.pair, ctx.of)
        rule = "...,...p->...p" if ctx.of == "distance" else "...i,...ip->...p"
        return torch.einsum(rule, weight, gradient), None, None


class _Gradient(torch.autograd.Function):
    """The derivative of a quantity by the poses."""

    @staticmethod
    def forward(ctx: Any, poses: Any, pair: FlatPair, of: str) -> Any:  # type: ignore[override]
        ctx.pair, ctx.of = pair, of
        ctx.save_for_backward(poses)
        return _tensor(pair.gradient(poses.detach().numpy(), of))

    @staticmethod
    def backward(ctx: Any, weight: Any) -> Any:  # type: ignore[override]
        if ctx.of != "distance":
            raise NotImplementedError(f"no second derivatives of the {ctx.of}: only of the distance")
        (poses,) = ctx.saved_tensors
        return torch.einsum("...p,...pq->...q", weight, _Hessian.apply(poses, ctx.pair)), None, None


class _Hessian(torch.autograd.Function):
    """The second derivative of the distance by the poses."""

    @staticmethod
    def forward(ctx: Any, poses: Any, pair: FlatPair) -> Any:  # type: ignore[override]
        return _tensor(pair.hessian(poses.detach().numpy()))

    @staticmethod
    def backward(ctx: Any, weight: Any) -> Any:  # type: ignore[override]
        raise NotImplementedError("no third derivatives of the distance")
