"""Derivatives of h and x by the parameters of a shape, and how those of several parameters are put together.

A parameter carries a point of the boundary along by v and tilts the normal there by u (`Carried`).  At a fixed normal

    dh/dp = n.v,   dx/dp = v - W u.

On nearly flat places W is so large that the rounding of n changes dx/dp, but neither v nor u.
"""

from __future__ import annotations

from typing import NamedTuple

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


class Carried(NamedTuple):
    """How parameters move a point of the boundary, (..., P, 3) each."""

    point: np.ndarray  #: its velocity v
    tilt: np.ndarray  #: velocity u of the unit normal at this point; what is along the normal does not count

    def at_fixed_normal(self, n: np.ndarray, hessian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dh (..., P) and dx (..., P, 3), from the unit normal and W."""
        return (self.point * n[..., None, :]).sum(axis=-1), self.point - self.tilt @ hessian


def tangent(vectors: np.ndarray, n: np.ndarray) -> np.ndarray:
    """What vectors (..., P, 3) have across the unit vectors n (..., 3)."""
    return vectors - (vectors @ n[..., :, None]) * n[..., None, :]


def carried_together(*parts: Carried) -> Carried:
    """How the parameters of several groups move a point."""
    shape = np.broadcast_shapes(*(part.point.shape[:-2] for part in parts))
    point, tilt = (
        np.concatenate([np.broadcast_to(v, (*shape, *v.shape[-2:])) for v in both], axis=-2) for both in zip(*parts)
    )
    return Carried(point, tilt)


def stretched(n: np.ndarray, x: np.ndarray, radii: np.ndarray) -> Carried:
    """By semi-axes, where the body is another one stretched along its axes."""
    return Carried((x / radii)[..., None, :] * np.eye(3), -(n / radii)[..., None, :] * np.eye(3))


def along(directions: list[np.ndarray], n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by parameters that move the point by the given vectors: dx, and dh = n.dx."""
    dx = np.stack(np.broadcast_arrays(*directions), axis=-2)
    return (dx * n[..., None, :]).sum(axis=-1), dx
