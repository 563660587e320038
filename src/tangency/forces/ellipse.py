"""Hertz's theory of elliptic contact: contact ellipse, approach and pressure under a load."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import entry, plain_rows
from ..geometry.curvature import Curvature, CurvatureLike
from ..io import validate
from .ellipse_kernel import axis_ratio, shape_factors


@dataclass(frozen=True)
class ContactEllipse:
    """The contact of two elastic bodies under a load.

    Attributes
    ----------
    semi_axes : (..., 2) array
        Semi-axes of the contact ellipse [m], the longer first; it lies along the direction of smaller curvature.
    approach : (...) array
        Approach of distant points of the two bodies: the depth in :class:`Hertz` [m].
    peak_pressure : (...) array
        Pressure at the centre of the ellipse [Pa].
    """

    semi_axes: np.ndarray
    approach: np.ndarray
    peak_pressure: np.ndarray


@entry
def ellipses(ratio, out):
    """Axis ratio b/a and Johnson's F1, F2 for ratios of curvature."""
    for i in range(ratio.size):
        k = axis_ratio(ratio[i])
        f1, f2 = shape_factors(k)
        out[0, i], out[1, i], out[2, i] = k, f1, f2


def contact_ellipse(load: ArrayLike, curvature: CurvatureLike, modulus: ArrayLike) -> ContactEllipse:
    """Contact ellipse under a normal load, from Hertz's theory.

    Parameters
    ----------
    load : (...) array
        Normal force, >= 0 [N].
    curvature : (..., 2) array or Curvature
        Principal curvatures of the gap, > 0 and finite [1/m]: ``contact.relative_curvature``.
    modulus : (...) array
        Effective modulus E* [Pa], see :func:`effective_modulus`.

    Returns
    -------
    ContactEllipse

    Examples
    --------
    >>> from tangency import forces
    >>> c = forces.contact_ellipse(100.0, [20.0, 5.0], modulus=1.15e11)
    >>> (c.semi_axes * 1e6).round(3).tolist()
    [620.574, 248.159]
    """
    p = validate.array(load, "load")
    if not (p >= 0).all():
        raise ValueError(f"load must be >= 0, got {validate.short(p)}")
    k = validate.vectors(curvature.values if isinstance(curvature, Curvature) else curvature, "curvature", 2)
    validate.positive(k, "curvature")
    e = validate.positive(validate.array(modulus, "modulus"), "modulus")
    shape = validate.broadcast({"load": p.shape, "curvature": k.shape[:-1], "modulus": e.shape})
    out = np.empty((3, math.prod(k.shape[:-1])))
    ellipses(plain_rows(k.min(axis=-1) / k.max(axis=-1), (-1,)), out)
    ratio, f1, f2 = out.reshape(3, *k.shape[:-1])
    # Johnson, Contact Mechanics, Eqs. (4.30)-(4.33), with R = (k1 k2)^(-1/2).
    radius = 1.0 / np.sqrt(k[..., 0] * k[..., 1])
    mean = np.cbrt(0.75 * p * radius / e) * f1
    axes = np.stack(np.broadcast_arrays(mean / np.sqrt(ratio), mean * np.sqrt(ratio)), axis=-1)
    approach = np.cbrt(0.5625 * (p / e) ** 2 / radius) * f2
    pressure = np.cbrt(6.0 * p * (e / radius) ** 2 / math.pi**3) / f1**2
    return ContactEllipse(axes, np.broadcast_to(approach, shape).copy(), np.broadcast_to(pressure, shape).copy())
