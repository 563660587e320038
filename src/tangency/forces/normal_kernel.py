"""The normal laws in compiled code: an integer code, a row of floats, one function.

| place in the row | what | unit |
|---|---|---|
| 0 | stiffness K, or the effective modulus E* if it follows from materials | N/m^n, Pa |
| 1 | exponent n of the depth | |
| 2 | where K comes from: `GIVEN`, `MEAN` or `ELLIPTIC` | |
| 3 | Kelvin-Voigt: damping c; else the factor of rate / impact speed | N s/m; 1 |
| 4 | Hunt-Crossley with a fixed damping: the factor of the rate | s/m |
| 5 | impacts slower than this count as this fast | m/s |
| 6, 7 | smallest and largest relative curvature; others are moved there | 1/m |
"""

import math

from ..compiled.jit import entry, jit
from .ellipse_kernel import elliptic_factor

NORMAL_ROW = 8
HERTZ, KELVIN_VOIGT, HUNT_CROSSLEY, LANKARANI_NIKRAVESH, FLORES, GONTHIER, CARVALHO_MARTINS = range(7)
GIVEN, MEAN, ELLIPTIC = 0.0, 1.0, 2.0


@jit
def contact_stiffness(row, k1, k2):
    """K in F = K depth^n from the principal relative curvatures k1, k2 [1/m], in any order."""
    if row[2] == GIVEN:
        return row[0]
    low = min(max(min(k1, k2), row[6]), row[7])
    high = min(max(max(k1, k2), row[6]), row[7])
    # Römer 3-D, Eq. (96): 4/3 E* (k1 k2)^(-1/4).
    k = 4.0 / 3.0 * row[0] / math.sqrt(math.sqrt(low) * math.sqrt(high))
    return k * elliptic_factor(low / high) if row[2] == ELLIPTIC else k


@jit
def power(depth, n):
    if n == 1.5:
        return depth * math.sqrt(depth)
    return depth if n == 1.0 else depth**n


@jit
def normal_force(code, row, depth, rate, impact_speed, k1, k2):
    """Force that pushes the bodies apart [N]: >= 0, and 0 without penetration.

    `depth` [m] is the penetration, `rate` [m/s] its time derivative (> 0: approaching), `impact_speed`
    [m/s] the rate when this contact began, `k1` and `k2` [1/m] the principal relative curvatures.
    """
    if not depth > 0.0:
        return 0.0
    elastic = contact_stiffness(row, k1, k2) * power(depth, row[1])
    if code == HERTZ:
        return elastic
    if code == KELVIN_VOIGT:
        return max(elastic + row[3] * rate, 0.0)
    # The bracket may not become negative: no attraction (Römer 3-D, below Eq. 96).
    return elastic * max(1.0 + (row[3] / max(impact_speed, row[5]) + row[4]) * rate, 0.0)


@jit
def elastic_energy(row, depth, k1, k2):
    """Energy that the elastic part stores [J], K depth^(n+1) / (n+1), while the curvatures stay as they are."""
    if not depth > 0.0:
        return 0.0
    return contact_stiffness(row, k1, k2) * power(depth, row[1]) * depth / (row[1] + 1.0)


@entry
def elastic_energies(row, depth, k1, k2, out):
    """:func:`elastic_energy` for flat arrays of one size."""
    for i in range(out.size):
        out[i] = elastic_energy(row, depth[i], k1[i], k2[i])


@entry
def normal_forces(code, row, depth, rate, impact_speed, k1, k2, out):
    """:func:`normal_force` for flat arrays of one size."""
    for i in range(out.size):
        out[i] = normal_force(code, row, depth[i], rate[i], impact_speed[i], k1[i], k2[i])
