"""Stiffness of line contact, for cams and rollers of a given width."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...forces.material import Material, effective_modulus
from ...forces.normal_laws import CarvalhoMartins, Hertz
from ...io.numbers import number, positive

PALMGREN = 10.0 / 9.0  # exponent


def line_contact(
    materials: Material | Sequence[Material],
    length: float,
    *,
    exponent: float = PALMGREN,
    restitution: float | None = None,
    depth: float = 1e-6,
) -> Hertz | CarvalhoMartins:
    """Normal law of two cylinders with parallel axes, F = K depth^n with 1 <= n <= 1.11.

    Parameters
    ----------
    materials : Material or pair of Material
        Materials of cam and roller.
    length : float
        Length of the line of contact, the width of the cam [m].
    exponent : float
        10/9 is Palmgren's law, depth = 1.36 (eta F)^0.9 / length^0.8 with eta = 1 / E'; 1 is a linear law with
        K = pi / 4 E' length (Popov).  E' is the reduced modulus.  Other laws agree with Palmgren's at `depth`.
    restitution : float, optional
        Coefficient of restitution, 0 < e <= 1, which impacts have exactly, at every speed; default no damping.
    depth : float
        Penetration at which laws of other exponents agree with Palmgren's [m].

    Returns
    -------
    Hertz or CarvalhoMartins
        For ``CamTappet(normal_law=...)``, :class:`tangency.dynamics.Interaction` and :func:`tangency.forces.on`.

    Examples
    --------
    >>> from tangency import forces, planar
    >>> steel = forces.Material(young=2.07e11, poisson=0.3)
    >>> law = planar.line_contact(steel, 0.02)
    >>> round(float(law.force(5e-6)))                                     # Palmgren: 3.84e-5 F^0.9 / L^0.8 in mm
    3216
    """
    modulus, length = effective_modulus(materials), positive(length, "length")
    n = number(exponent, "exponent", least=1.0, most=1.5)
    if n == 1.0:
        stiffness = 0.25 * math.pi * modulus * length
    else:
        at = positive(depth, "depth")
        stiffness = modulus * (at * length**0.8 / 1.36) ** PALMGREN / at**n
    if restitution is None:
        return Hertz(stiffness=stiffness, exponent=n)
    return CarvalhoMartins(stiffness=stiffness, exponent=n, restitution=restitution)
