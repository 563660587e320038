"""Small vectors of the plane as 2-tuples, for compiled code."""

import math

from ..compiled.jit import jit


@jit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


@jit
def cross(a, b):
    """Cross product, positive if b lies counter-clockwise of a."""
    return a[0] * b[1] - a[1] * b[0]


@jit
def quarter(a):
    """a rotated by a quarter turn, counter-clockwise."""
    return (-a[1], a[0])


@jit
def axpy(a, t, b):
    """a + t b"""
    return (a[0] + t * b[0], a[1] + t * b[1])


@jit
def mix(a, b, t):
    """The point at the fraction t of the segment from a to b."""
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))


@jit
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1])


@jit
def unit(a):
    i = 1.0 / math.sqrt(a[0] * a[0] + a[1] * a[1])
    return (a[0] * i, a[1] * i)


@jit
def turn(q, a):
    """a rotated by the angle whose cosine and sine are q."""
    return (q[0] * a[0] - q[1] * a[1], q[1] * a[0] + q[0] * a[1])


@jit
def turn_back(q, a):
    return (q[0] * a[0] + q[1] * a[1], q[0] * a[1] - q[1] * a[0])
