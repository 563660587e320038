"""Principal radii, curvatures and directions in the tangent plane, for arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

#: A Curvature, or only the principal values, (..., 2).
CurvatureLike: TypeAlias = "Curvature | ArrayLike"

ROUNDING = 64 * np.finfo(float).eps  # error of an eigenvalue, relative to the larger one


@dataclass(frozen=True)
class Curvature:
    """Principal curvatures of a surface at given normals.

    Attributes
    ----------
    values : (..., 2) array
        Principal curvatures [1/m], 1 / `radii`: the larger first, 0 where the surface is flat, inf at a corner.
    radii : (..., 2) array
        Principal radii of curvature [m], the smaller first.  A negative one means that the formulas do not describe
        a convex body there.
    directions : (..., 2, 3) array
        Unit tangent vectors belonging to `values`; any orthogonal pair at an umbilic.

    Examples
    --------
    >>> import tangency as tg
    >>> c = tg.Ellipsoid([3, 2, 1]).curvature([0, 0, 1])
    >>> abs(c.directions).round(12).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """

    values: np.ndarray
    radii: np.ndarray
    directions: np.ndarray

    @property
    def gaussian(self) -> np.ndarray:
        """Gaussian curvature, product of the principal ones [1/m^2]."""
        return self.values[..., 0] * self.values[..., 1]

    @property
    def mean(self) -> np.ndarray:
        """Mean curvature [1/m]."""
        return 0.5 * (self.values[..., 0] + self.values[..., 1])


def frame(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal tangent vectors t, s for unit normals n, with t x s = n (Duff et al. 2017)."""
    x, y, z = n[..., 0], n[..., 1], n[..., 2]
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    t = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=-1)
    s = np.stack([b, sign + y * y * a, -y], axis=-1)
    return t, s


def eigen2(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues (small, large) of [[a, b], [b, c]], with their signs, and the angle of the small one's vector."""
    mean, half = 0.5 * (a + c), 0.5 * (a - c)
    far = mean + np.copysign(np.hypot(half, b), mean)
    # det / far avoids cancellation in the root nearer to zero; scaled, since flat places have radii beyond 1e150.
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.where(far != 0, (a / far) * c - (b / far) * b, 0.0)
    small, large = np.minimum(near, far), np.maximum(near, far)
    # Values within rounding of zero become zero; smaller values are truly negative.
    return np.where((small < 0) & (small > -ROUNDING * large), 0.0, small), large, 0.5 * np.arctan2(-b, -half)


def _aligned_frame(n: np.ndarray, hessian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tangent vectors t, s = n x t with t near the direction of the larger radius.

    The column of the largest diagonal entry lies in the tangent plane, near that direction; starting from
    it preserves the accuracy of the smaller radius if the larger exceeds it by many orders of magnitude.
    """
    t, s = frame(n)
    k = np.einsum("...ii->...i", hessian).argmax(axis=-1)[..., None, None]
    column = np.take_along_axis(hessian, np.broadcast_to(k, (*hessian.shape[:-1], 1)), axis=-1)[..., 0]
    top = np.abs(column).max(axis=-1, keepdims=True)
    column = column / np.where(top > 0, top, 1.0)
    column = column - n * (n * column).sum(axis=-1, keepdims=True)
    length = np.linalg.norm(column, axis=-1, keepdims=True)
    usable = length > 0.5
    t = np.where(usable, column / np.where(usable, length, 1.0), t)
    return t, np.where(usable, np.cross(n, t), s)


def principal(n: np.ndarray, hessian: np.ndarray) -> Curvature:
    """Principal curvatures from the radii-of-curvature operator at unit normals `n`.

    They are eigenvalues on the tangent plane, so poles and umbilics need no special case (the umbilic
    condition printed as Eq. 32 of Römer 3-D degenerates).
    """
    t, s = _aligned_frame(n, hessian)
    wt = np.einsum("...ij,...j->...i", hessian, t)
    ws = np.einsum("...ij,...j->...i", hessian, s)
    a = np.einsum("...i,...i->...", wt, t)
    b = np.einsum("...i,...i->...", wt, s)
    c = np.einsum("...i,...i->...", ws, s)
    small, large, angle = eigen2(a, b, c)
    cos, sin = np.cos(angle)[..., None], np.sin(angle)[..., None]
    radii = np.stack([small, large], axis=-1)
    with np.errstate(divide="ignore", over="ignore"):  # at an edge the radius is zero, or rounding noise
        values = 1.0 / radii
    directions = np.stack([cos * t + sin * s, cos * s - sin * t], axis=-2)
    return Curvature(values, radii, directions)


def relative(n: np.ndarray, curvature_a: Curvature, curvature_b: Curvature) -> Curvature:
    """Curvature of the gap between two bodies with the common unit normal `n`.

    These are the eigenvalues of the sum of both curvature operators.  Two spheres give 1/R1 + 1/R2, sphere and
    plane 1/R: Eq. (C.6) of Römer 3-D as printed halves the first, so it is not used.
    """
    # In the axes of the body with the larger curvature, so that it does not swamp the smaller one.
    sharper = (np.abs(curvature_a.values).max(axis=-1) >= np.abs(curvature_b.values).max(axis=-1))[..., None]
    t = np.where(sharper, curvature_a.directions[..., 0, :], curvature_b.directions[..., 0, :])
    s = np.cross(n, t)
    shape = (3, *np.broadcast_shapes(n.shape[:-1], curvature_a.values.shape[:-1], curvature_b.values.shape[:-1]))
    finite, edges = np.zeros(shape), np.zeros(shape)
    for curvature, own in ((curvature_a, sharper[..., 0]), (curvature_b, ~sharper[..., 0])):
        for k in range(2):
            # Exact for the sharper one: at an edge its larger value may be finite, but beyond 1e30.
            along = np.where(own, 1.0 - k, np.einsum("...i,...i->...", curvature.directions[..., k, :], t))
            across = np.where(own, 1.0 * k, np.einsum("...i,...i->...", curvature.directions[..., k, :], s))
            square = np.stack([along**2, along * across, across**2])
            value = curvature.values[..., k]
            finite += np.where(np.isinf(value), 0.0, value) * square
            edges += np.where(np.isinf(value), np.sign(value), 0.0) * square
    small, large, angle = eigen2(*finite)
    # The curvature is infinite across an edge (negative in a cavity), and finite along it; two crossing edges
    # touch at a point.
    least, most, turn = eigen2(*edges)
    cos, sin = np.cos(turn), np.sin(turn)
    first = finite[0] * cos**2 + 2.0 * finite[1] * cos * sin + finite[2] * sin**2
    second = finite[0] * sin**2 - 2.0 * finite[1] * cos * sin + finite[2] * cos**2
    outer, inner = most > 1e-12, least < -1e-12
    small = np.where(inner, -np.inf, np.where(least > 1e-12, np.inf, np.where(outer, first, small)))
    large = np.where(outer, np.inf, np.where(most < -1e-12, -np.inf, np.where(inner, second, large)))
    angle = np.where(outer | inner, turn, angle)
    cos, sin = np.cos(angle)[..., None], np.sin(angle)[..., None]
    values = np.stack([large, small], axis=-1)
    # `angle` belongs to the smaller value; the larger one comes first.
    directions = np.stack([sin * t - cos * s, cos * t + sin * s], axis=-2)
    with np.errstate(divide="ignore", over="ignore"):
        radii = 1.0 / values
    return Curvature(values, radii, directions)
