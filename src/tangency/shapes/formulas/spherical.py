"""Potential, frame and curvature of any shape in the spherical coordinates of Römer 3-D, section 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...geometry.curvature import Curvature, eigen2
from ...io import validate
from ..shape import Shape, bounded


@dataclass(frozen=True)
class Spherical:
    """A shape in the spherical coordinates of Römer 3-D, section 3.

    Attributes
    ----------
    potential, potential_phi, potential_theta : (...) array
        Generating potential and its first derivatives [m].
    e_phi, e_theta, e_n : (..., 3) array
        The frame of Eq. (14); e_n is the outward normal.
    point : (..., 3) array
        Boundary point, Eq. (16) [m].
    e, f, g : (...) array
        Abbreviations of Eq. (21c-e) [m]; f and g vanish at the poles.
    curvature : Curvature
        Principal curvatures (Eq. 26), the larger first, and directions (Eq. 27), as eigenvalues and
        eigenvectors: also valid at poles and umbilics.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.spherical(tg.Sphere(2.0), 0.5, 0.1).e.round(12).tolist()
    2.0
    """

    potential: np.ndarray
    potential_phi: np.ndarray
    potential_theta: np.ndarray
    e_phi: np.ndarray
    e_theta: np.ndarray
    e_n: np.ndarray
    point: np.ndarray
    e: np.ndarray
    f: np.ndarray
    g: np.ndarray
    curvature: Curvature


def _frame(phi: Any, theta: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    phi, theta = validate.array(phi, "phi"), validate.array(theta, "theta")
    if ((phi < 0) | (phi > np.pi)).any():
        raise ValueError(f"phi must lie between 0 and pi, got {phi.tolist()}")
    validate.broadcast({"phi": phi.shape, "theta": theta.shape})
    phi, theta = np.broadcast_arrays(phi, theta)
    # The sine of the float nearest to pi is not zero, but the pole is meant.
    s = np.where(phi == np.pi, 0.0, np.sin(phi))
    c, ct, st = np.cos(phi), np.cos(theta), np.sin(theta)
    e_phi = np.stack([c * ct, c * st, -s], axis=-1)  # Eq. (14)
    e_theta = np.stack([-st, ct, np.zeros_like(s)], axis=-1)
    return e_phi, e_theta, np.stack([s * ct, s * st, c], axis=-1), s


def potential(shape: Shape, phi: ArrayLike, theta: ArrayLike) -> np.ndarray:
    """Generating potential g(phi, theta) of any shape: its support function at the unit normal.

    Parameters
    ----------
    shape : Shape
    phi, theta : (...) array_like
        Polar angle in [0, pi] and azimuth of the normal [rad].

    Returns
    -------
    (...) array
        Potential [m].

    Examples
    --------
    >>> import tangency as tg
    >>> round(float(tg.potential(tg.Ellipsoid([3, 2, 1]), 3.14159265358979 / 2, 0.0)), 12)
    3.0
    """
    return bounded(shape, "shape").support(_frame(phi, theta)[2])


def spherical(shape: Shape, phi: ArrayLike, theta: ArrayLike) -> Spherical:
    """Frame, point, fundamental forms and principal curvatures in spherical coordinates.

    Parameters
    ----------
    shape : Shape
    phi, theta : (...) array_like
        Polar angle in [0, pi] and azimuth of the normal [rad].

    Returns
    -------
    Spherical

    Notes
    -----
    Eq. (32), repeated in the second line of Eq. (26), contains a misprint: an umbilic has f = 0, g = s^2 e and the
    curvature 1/e.  At the poles the directions follow from the eigenvectors; in the last lines of
    Eq. (27) the sign of theta_0 contradicts Eq. (18).

    Examples
    --------
    >>> import tangency as tg
    >>> at_pole = tg.spherical(tg.Ellipsoid([3, 2, 1]), 0.0, 0.3)
    >>> at_pole.curvature.values.round(12).tolist()
    [0.25, 0.111111111111]
    """
    e_phi, e_theta, e_n, s = _frame(phi, theta)
    h, x, w = bounded(shape, "shape").jet(e_n)
    w_phi, w_theta = np.einsum("...ij,...j->...i", w, e_phi), np.einsum("...ij,...j->...i", w, e_theta)
    # Eq. (24): W = e on e_phi, f/s mixed, g/s^2 on e_theta.
    e = (w_phi * e_phi).sum(axis=-1)
    mixed = (w_phi * e_theta).sum(axis=-1)
    across = (w_theta * e_theta).sum(axis=-1)
    small, large, angle = eigen2(e, mixed, across)
    cos, sin = np.cos(angle)[..., None], np.sin(angle)[..., None]
    radii = np.stack([small, large], axis=-1)
    with np.errstate(divide="ignore"):
        values = 1.0 / radii
    directions = np.stack([cos * e_phi + sin * e_theta, cos * e_theta - sin * e_phi], axis=-2)
    return Spherical(
        potential=h,
        potential_phi=(x * e_phi).sum(axis=-1),
        potential_theta=s * (x * e_theta).sum(axis=-1),
        e_phi=e_phi,
        e_theta=e_theta,
        e_n=e_n,
        point=x,
        e=e,
        f=s * mixed,
        g=s * s * across,
        curvature=Curvature(values, radii, directions),
    )
