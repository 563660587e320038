"""Elastic materials for Hertz's theory."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from ..io.numbers import number
from ..io.spelling import Spelled

SOFTEST, STIFFEST = 1e3, 1e13  # [Pa] moduli outside this range are probably in another unit


@dataclass(frozen=True)
class Material(Spelled):
    """An isotropic elastic material.

    Parameters
    ----------
    young : float
        Young's modulus [Pa].  A warning is issued below 1 kPa and above 10 TPa, which suggest another unit.
    poisson : float
        Poisson ratio, from -1 to 0.5.

    Examples
    --------
    >>> from tangency import forces
    >>> steel = forces.Material(young=210e9, poisson=0.3)
    >>> f"{forces.effective_modulus(steel):.4g} Pa"
    '1.154e+11 Pa'
    """

    young: float
    poisson: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "young", number(self.young, "young", above=0.0))
        if not SOFTEST <= self.young <= STIFFEST:
            than = f"softer than gelatine (about {SOFTEST:g} Pa)"
            if self.young > STIFFEST:
                than = "stiffer than diamond (about 1.2e12 Pa)"
            text = f"young is {self.young:g} Pa, {than}: it is expected in Pa, and steel has 210e9"
            warnings.warn(text, UserWarning, stacklevel=3)
        object.__setattr__(self, "poisson", number(self.poisson, "poisson", above=-1.0, most=0.5))


def effective_modulus(materials: Material | Sequence[Material]) -> float:
    """Modulus E* of two materials in contact [Pa]: 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b.

    Parameters
    ----------
    materials : Material or pair of Material
        Materials of A and B; a single one applies to both.

    Returns
    -------
    float
        Effective modulus E* [Pa].
    """
    pair = (materials, materials) if isinstance(materials, Material) else materials
    if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(m, Material) for m in pair)):
        raise TypeError(f"materials must be a Material or a pair of them, got {materials!r}")
    # Römer 3-D, Eq. (96), the first bracket.
    return 1.0 / sum((1.0 - m.poisson**2) / m.young for m in pair)
