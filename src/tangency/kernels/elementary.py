"""Logarithm and exponential that LLVM can vectorise: arithmetic only, no tables, no branches.

The calls of the C library are opaque to the vectoriser, and Numba has no vector math library of its own.
The polynomials interpolate at Chebyshev points, to 1e-17 relative; ``tests/kernels/test_elementary.py`` measures
both functions against mpmath: log to 2 units in the last place, exp to 1.

A power with base in (0, 1] is exp(q log x): its *relative* error grows with |q log x|, its absolute error
does not, and the latter is what matters for a norm of numbers scaled by the largest.
"""

from ..compiled.jit import bits, from_bits, lane, select

_LN2_HIGH, _LN2_LOW = 0.6931471805582987, 1.6465949582897082e-12  # the first with 15 trailing zeros
_LOG2E = 1.4426950408889634
_ROOT_HALF = 0x3FE6A09E667F3BCD  # bits of sqrt(1/2)
_ONE = 0x3FF0000000000000
_MANTISSA = 0x000FFFFFFFFFFFFF
_MAGIC_BITS, _MAGIC = 0x4330000000000000, 4503599627370496.0  # 2^52: an integer in the mantissa becomes a float
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer


@lane
def log(x):
    """Natural logarithm of a positive, normal x."""
    # x = 2^k m with m in [sqrt(1/2), sqrt(2))
    shifted = bits(x) + (_ONE - _ROOT_HALF)
    k = from_bits(((shifted >> 52) & 0xFFF) | _MAGIC_BITS) - (_MAGIC + 1023.0)
    m = from_bits((shifted & _MANTISSA) + _ROOT_HALF)
    # log m = 2 atanh s
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 0.15331611722055008 + z * 0.14617807153417325
    p = 0.22222211089379496 + z * (0.1818289243253687 + z * p)
    p = 0.666666666666667 + z * (0.3999999999989889 + z * (0.28571428626253836 + z * p))
    return k * _LN2_HIGH + (2.0 * s + (s * z * p + k * _LN2_LOW))


@lane
def exp(y):
    """Exponential; y below -708 counts as -708, above 708 as 708."""
    y = select(y > 708.0, 708.0, select(y < -708.0, -708.0, y))
    rounded = y * _LOG2E + _ROUND
    k = rounded - _ROUND
    r = (y - k * _LN2_HIGH) - k * _LN2_LOW
    rr = r * r
    a = 0.5000000000000001 + r * 0.16666666666666669
    b = 0.041666666666623824 + r * 0.008333333333330039
    c = 0.0013888888917367081 + r * 0.00019841269863171557
    d = 2.4801521057868204e-05 + r * 2.7557268276905696e-06
    e = 2.7620201591031547e-07 + r * 2.5100472505694996e-08
    p = a + rr * (b + rr * (c + rr * (d + rr * e)))
    # times 2^k: k is in the last bits of `rounded`
    return from_bits(bits(1.0 + (r + rr * p)) + (bits(rounded) << 52))
