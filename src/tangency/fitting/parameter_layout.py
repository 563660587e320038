"""Layout of a form (``models.py``): logarithms of the semi-axes, exponents, tapers.

Barr's superellipsoid has the semi-axes and two exponents only, the superovoid all twelve.
"""

E, CX, CY = 3, 6, 9  # start of the exponents and of the tapers along x and y, for compiled code
RADII = slice(0, E)  # log a, log b, log c
EXPONENTS = slice(E, CX)  # e = 2/g of the three exponents; e1 and e2 for Barr's body
TAPERS = slice(CX, None)
TAPER_X, TAPER_Y = slice(CX, CY), slice(CY, CY + 3)  # c1, c2, c3
LINEAR, SQUARE = [CX, CY], [CX + 1, CY + 1]  # c1 and c2 of both tapers
