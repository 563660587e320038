"""Derivatives of h and x by the parameters of a shape, and how those of several parameters are put together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class ParameterJet(NamedTuple):
    """Derivatives of the support function and of the boundary point by the parameters of a shape, at fixed normals."""

    support: np.ndarray  #: (..., P) dh/dp
    point: np.ndarray  #: (..., P, 3) dx/dp


def joined(*parts: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by several groups of parameters as those by all of them: dh (..., P) and dx (..., P, 3)."""
    shape = np.broadcast_shapes(*(h.shape[:-1] for h, _ in parts))
    support = [np.broadcast_to(h, (*shape, h.shape[-1])) for h, _ in parts]
    point = [np.broadcast_to(x, (*shape, *x.shape[-2:])) for _, x in parts]
    return np.concatenate(support, axis=-1), np.concatenate(point, axis=-2)


def by_stretch(n: np.ndarray, jet: Any, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by semi-axes, where h is a function of (a nx, b ny, c nz): dh/da = nx x / a."""
    shape = np.broadcast_shapes(jet.point.shape, radii.shape, n.shape)
    n, x, radii = (np.broadcast_to(v, shape) for v in (n, jet.point, radii))
    # Row k of W times n_k, and x_k on the diagonal
    rows = jet.hessian * n[..., :, None] + x[..., :, None] * np.eye(3)
    return n * x / radii, rows / radii[..., :, None]


def along(directions: list[np.ndarray], n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by parameters that move the point by the given vectors: dx, and dh = n.dx."""
    dx = np.stack(np.broadcast_arrays(*directions), axis=-2)
    return (dx * n[..., None, :]).sum(axis=-1), dx
