"""Velocities of a planar contact: gap, normal and contact points of two moving bodies (Römer 2-D, Eqs. 4 and 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .forces import quarter, twist_of

if TYPE_CHECKING:
    from .result import Contact


@dataclass(frozen=True)
class PlanarRates:
    """How a planar contact moves; the leading axes are those of the contacts.

    Attributes
    ----------
    gap : (...) array
        Rate of the distance [m/s]; negative while the bodies approach.
    turning : (...) array
        Angular velocity of the common normal, positive counter-clockwise [rad/s].
    normal : (..., 2) array
        Velocity of the unit normal [1/s].
    point_a, point_b : (..., 2) array
        Velocities of both contact points in the plane [m/s].
    surface_a, surface_b : (...) array
        Speeds of the contact points along their own boundaries, counter-clockwise around the body, as seen by the
        material there [m/s].
    sliding : (...) array
        Velocity of the material of B against A midway between the contact points, along the normal turned by 90 degrees
        counter-clockwise [m/s].
    rolling : (...) array
        Angular velocity of B against A [rad/s].
    """

    gap: np.ndarray
    turning: np.ndarray
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    surface_a: np.ndarray
    surface_b: np.ndarray
    sliding: np.ndarray
    rolling: np.ndarray


def planar_rates(contact: Contact, twist_a: Any, twist_b: Any) -> PlanarRates:
    """Rates of planar contacts, see :meth:`tangency.planar.Contact.rates`."""
    if not contact.converged.all():
        raise ValueError(f"contact must have converged: {contact.message}")
    n, d = contact.normal, contact.distance
    t = quarter(n)
    flat_a, flat_b = contact.curvature_a == 0.0, contact.curvature_b == 0.0
    if (flat_a & flat_b).any():
        raise ValueError("contact must have a curved side: two straight sides have no unique contact point")
    # Radii of curvature; of a straight side, any: the other side decides, see below.
    radius_a, radius_b = (
        np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0.0)
        for curvature in (contact.curvature_a, contact.curvature_b)
    )
    (v_a, w_a), (v_b, w_b) = twist_of(twist_a, "twist_a"), twist_of(twist_b, "twist_b")
    u_a = v_a + w_a[..., None] * quarter(contact.point_a - contact._bodies[0][2])
    u_b = v_b + w_b[..., None] * quarter(contact.point_b - contact._bodies[1][2])
    gap = ((u_b - u_a) * n).sum(axis=-1)
    across = ((u_b - u_a) * t).sum(axis=-1)
    # x_B - x_A = d n, differentiated along t; the points move on their boundaries by R times the turning of the normal
    turning = _ratio(across + radius_a * w_a + radius_b * w_b, d + radius_a + radius_b)
    turning = np.where(flat_a, w_a, np.where(flat_b, w_b, turning))
    surface_a, surface_b = radius_a * (turning - w_a), radius_b * (turning - w_b)
    surface_a = np.where(flat_a, across - surface_b - d * turning, surface_a)
    surface_b = np.where(flat_b, across - surface_a - d * turning, surface_b)
    middle_a = u_a + (0.5 * d * w_a)[..., None] * t
    middle_b = u_b - (0.5 * d * w_b)[..., None] * t
    found = {
        "gap": gap,
        "turning": turning,
        "normal": turning[..., None] * t,
        "point_a": u_a + surface_a[..., None] * t,
        "point_b": u_b - surface_b[..., None] * t,
        "surface_a": surface_a,
        "surface_b": surface_b,
        "sliding": ((middle_b - middle_a) * t).sum(axis=-1),
        "rolling": w_b - w_a + 0.0 * d,
    }
    return PlanarRates(**{name: value + 0.0 for name, value in found.items()})  # no -0.0


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    above, below = np.broadcast_arrays(above, below)
    if (below == 0.0).any():
        raise ValueError("contact must not be of two corners that coincide: their normal has no velocity")
    return above / below
