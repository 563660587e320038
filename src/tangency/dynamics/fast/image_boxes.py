"""Boxes around shapes in a periodic box, with copies of those that may overlap others across a boundary."""

import math
from typing import NamedTuple

import numpy as np

from ...compiled.jit import jit
from ..tables import SOLID

SHIFTS = 13  # half of the neighbouring images: of two opposite ones, one is enough


class Outlines(NamedTuple):
    """Boxes and spheres around shapes, then around images of shapes."""

    low: np.ndarray  #: (M, 3)
    high: np.ndarray  #: (M, 3)
    balls: np.ndarray  #: (M, 4) centre and radius
    of: np.ndarray  #: (M,) the shape


@jit
def _shift(number):
    """Shift of the neighbouring image 0 ... 12, in periods; the first component that is not 0 is 1."""
    code = number + 14  # in base 3, with digits -1, 0, 1
    return code // 9 - 1, code // 3 % 3 - 1, code % 3 - 1


@jit
def _wrap(periods, kind, low, high, balls):
    """Move the boxes of all bounded shapes by whole periods, their centres to between 0 and the period."""
    for p in range(kind.shape[0]):
        if kind[p] == SOLID:
            for c in range(3):
                if periods[c] > 0.0:
                    away = -periods[c] * math.floor(balls[p, c] / periods[c])
                    low[p, c], high[p, c], balls[p, c] = low[p, c] + away, high[p, c] + away, balls[p, c] + away


@jit
def _needed(periods, low, high, ends, p, shift):
    """Whether the image of box p may overlap any box; all of them lie between the `ends`."""
    for c in range(3):
        if shift[c] != 0 and periods[c] == 0.0:
            return False
        away = shift[c] * periods[c]
        if low[p, c] + away > ends[1, c] or high[p, c] + away < ends[0, c]:
            return False
    return True


@jit
def with_images(periods, kind, low, high, balls):
    """The outlines of all shapes, which are moved into the box, and of the images that may overlap them."""
    count = kind.shape[0]
    if not (periods[0] > 0.0 or periods[1] > 0.0 or periods[2] > 0.0):
        return Outlines(low, high, balls, np.arange(count))
    _wrap(periods, kind, low, high, balls)
    ends = np.empty((2, 3))
    ends[0], ends[1] = np.inf, -np.inf
    for p in range(count):
        if kind[p] == SOLID:
            for c in range(3):
                ends[0, c], ends[1, c] = min(ends[0, c], low[p, c]), max(ends[1, c], high[p, c])
    images = 0
    for p in range(count):
        for number in range(SHIFTS):
            if kind[p] == SOLID and _needed(periods, low, high, ends, p, _shift(number)):
                images += 1
    total = count + images
    found = Outlines(np.empty((total, 3)), np.empty((total, 3)), np.empty((total, 4)), np.arange(total))
    found.low[:count], found.high[:count], found.balls[:count] = low, high, balls
    at = count
    for p in range(count):
        for number in range(SHIFTS):
            shift = _shift(number)
            if kind[p] == SOLID and _needed(periods, low, high, ends, p, shift):
                for c in range(3):
                    away = shift[c] * periods[c]
                    found.low[at, c], found.high[at, c] = low[p, c] + away, high[p, c] + away
                    found.balls[at, c] = balls[p, c] + away
                found.balls[at, 3], found.of[at] = balls[p, 3], p
                at += 1
    return found
