"""Normal, tangent and binormal fields, and curvature, from an implicit function (Lopes thesis, 4.4 and Appendix B)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.curvature import Curvature
from .surface import ImplicitJet, SurfaceLike, evaluate


class Frame(NamedTuple):
    """Orthonormal vectors at points of a surface, each (..., 3)."""

    normal: np.ndarray  #: along the gradient, outwards
    tangent: np.ndarray
    binormal: np.ndarray


def householder_frame(gradient: np.ndarray) -> Frame:
    """The differential operators D_n, D_t and D_b applied to a gradient (thesis, Eqs. B.1-B.4).

    The columns of the Householder matrix (Eq. 4.19) with the sign of F_x in h = grad F +- |grad F| e1: the
    maximum printed in Eq. (4.18) always takes the plus and fails at F_x = -|grad F|.  In Eq. (B.3) the ``1 -`` is
    printed in the second instead of the third component.  D_n points outwards.
    """
    length = np.linalg.norm(gradient, axis=-1, keepdims=True)
    if not (length > 0.0).all():
        raise ValueError("the gradient vanishes at a point, where the surface has no normal")
    n = gradient / length
    x, y, z = np.moveaxis(n, -1, 0)
    s = np.copysign(1.0, x)
    i = 1.0 / (1.0 + s * x)
    tangent = np.stack([-s * y, 1.0 - y * y * i, -y * z * i], axis=-1)
    return Frame(n, tangent, np.stack([-s * z, -y * z * i, 1.0 - z * z * i], axis=-1))


def frame(body: SurfaceLike, x: ArrayLike) -> Frame:
    """Unit normal, tangent and binormal of a shape or surface at given points, in its own frame.

    Parameters
    ----------
    body : Shape, Surface or Patch
    x : (..., 3) array_like
        Points [m]; off the surface, the frame is that of the level set of f through the point.

    Returns
    -------
    Frame

    Examples
    --------
    >>> import tangency as tg
    >>> tg.implicit.frame(tg.Sphere(1.0), [0, 0, 1]).normal.tolist()
    [0.0, 0.0, 1.0]
    """
    return householder_frame(evaluate(body, x).gradient)


def curvature(body: SurfaceLike, x: ArrayLike) -> Curvature:
    """Principal curvatures and directions from the implicit function (thesis, Eqs. 4.21-4.23).

    Positive where the surface is convex, as everywhere in this library (the thesis uses the opposite sign).  A saddle
    has one of each sign, and `values` are sorted with their sign.

    Parameters
    ----------
    body : Shape, Surface or Patch
    x : (..., 3) array_like
        Points of the surface [m].

    Returns
    -------
    Curvature

    Examples
    --------
    >>> import tangency as tg
    >>> tg.implicit.curvature(tg.Ellipsoid([3, 2, 1]), [3, 0, 0]).values.round(12).tolist()
    [3.0, 0.75]
    >>> tg.implicit.curvature(tg.implicit.hyperboloid_one_sheet([1, 1, 2]), [1, 0, 0]).values.tolist()
    [1.0, -0.25]
    """
    return curvature_of(evaluate(body, x))


def curvature_of(jet: ImplicitJet) -> Curvature:
    """Principal curvatures and directions, from the derivatives."""
    basis = householder_frame(jet.gradient)
    t, b = basis.tangent, basis.binormal
    length = np.linalg.norm(jet.gradient, axis=-1)
    tt, tb, bb = (np.einsum("...i,...ij,...j->...", u, jet.hessian, v) / length for u, v in ((t, t), (t, b), (b, b)))
    # Eq. (4.23), in the quadrant of the larger curvature
    mean, half = 0.5 * (tt + bb), 0.5 * (tt - bb)
    angle, spread = 0.5 * np.arctan2(tb, half), np.hypot(half, tb)
    cos, sin = np.cos(angle)[..., None], np.sin(angle)[..., None]
    values = np.stack([mean + spread, mean - spread], axis=-1)
    with np.errstate(divide="ignore"):
        radii = 1.0 / values
    return Curvature(values, radii, np.stack([cos * t + sin * b, cos * b - sin * t], axis=-2))
